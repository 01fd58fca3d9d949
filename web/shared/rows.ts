import { MISSING, percent, priceDecimals } from './format.ts'
import { learnNames, type Named } from './names.ts'
import type { ListAnswer, OrderRow, PositionRow, TradeRow } from './wire.ts'

export const orderKey = (row: OrderRow): string => row.client_order_id ?? row.order_id
export const positionKey = (row: PositionRow): string => row.stock_code
export const tradeKey = (row: TradeRow): string => String(row.id)

/**
 * The next list with the old objects wherever nothing in them has changed, so that only changed rows are
 * drawn again; the old list itself where nothing has changed at all. `keyOf` names a row.
 */
export function keepSame<T extends object>(
  before: readonly T[] | undefined,
  next: readonly T[],
  keyOf: (row: T) => string,
): readonly T[] {
  if (before === undefined) return next
  const known = new Map(before.map((row) => [keyOf(row), row]))
  const rows = next.map((row) => {
    const old = known.get(keyOf(row))
    return old !== undefined && isSame(old, row) ? old : row
  })
  const isAll = rows.length === before.length && rows.every((row, at) => row === before[at])
  return isAll ? before : rows
}

/** How a block is read: an answer that is the same object as the last one makes nothing new. */
export function unlessSame<A extends object, T>(
  get: () => Promise<A>,
  made: (answer: A, before: T | undefined) => T,
): (before: T | undefined) => Promise<T> {
  let last: A | undefined
  return async (before) => {
    const answer = await get()
    if (answer === last && before !== undefined) return before
    last = answer
    return made(answer, before)
  }
}

/** How a block of rows is read: what has not changed stays the same object. */
export const listOf = <T extends Named>(
  get: () => Promise<ListAnswer<T>>,
  keyOf: (row: T) => string,
) =>
  unlessSame<ListAnswer<T>, readonly T[]>(get, ({ data }, before) => {
    learnNames(data)
    return keepSame(before, data, keyOf)
  })

/** By what it says: each answer has objects of its own, within its rows too. */
function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (!isObject(a) || !isObject(b)) return false
  const left = Object.entries(a)
  return (
    left.length === Object.keys(b).length && left.every(([key, value]) => isSame(value, b[key]))
  )
}
const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

type Stopped = Pick<PositionRow, 'stock_code' | 'stop_loss_price'> &
  Partial<Pick<PositionRow, 'why'>>

/**
 * The stop of a holding; 0 = none. It is stored to the nearest tick, and the first price that sells may be one below it:
 * where the service tells that one, it is the one that is shown, here as in its line.
 */
export function stopOf({ stock_code: code, stop_loss_price: stored, why }: Stopped): number {
  const tick = 1 / 10 ** priceDecimals(code)
  const isTold = (at: number | null | undefined): at is number =>
    typeof at === 'number' && at <= stored && stored - at < tick * 1.5
  return [why?.sells_at, why?.stop].find(isTold) ?? stored
}

/** How far the price is above the stop, as a percent number of the price; undefined without either. */
export function stopDistance(
  row: Stopped & Pick<PositionRow, 'current_price' | 'is_priced'>,
): number | undefined {
  const { current_price: now } = row
  const stop = stopOf(row)
  return row.is_priced !== false && now > 0 && stop > 0 ? ((now - stop) / now) * 100 : undefined
}

/** As it is written: how far it is still to go, without a sign; what is below its stop has one. */
export const distanceText = (distance: number | undefined): string =>
  distance === undefined ? MISSING : percent(distance).replace('+', '')

/** Percent. */
const NEAR = 2
/** Whether a stop is near, or was passed. */
export const isNearStop = (distance: number | undefined): boolean =>
  distance !== undefined && distance < NEAR
