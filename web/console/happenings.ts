import { bareCode, dayOf } from '../shared/format.ts'
import type { FillsPage, OrderRow, TradeRow } from '../shared/wire.ts'
import type { AuditEntry, RefusedAgain } from './wire.ts'

/** Something that happened today, or many of the same. Times as the service tells them. */
export interface Happening {
  readonly kind: 'fill' | 'order' | 'refused'
  readonly code: string
  readonly name: string
  /** When it was first and last; the same of what was once. */
  readonly from: string
  readonly to: string
  readonly count: number
  readonly fill?: TradeRow
  readonly order?: OrderRow
  /** Of a refusal, in both languages or in one. */
  readonly message?: string
}

export interface Sources {
  /** `2026-08-11`; empty while nobody knows which day it is. */
  readonly today: string
  readonly fills: readonly TradeRow[]
  readonly orders: readonly OrderRow[]
  /** Refusals that the service has counted since the account was started. */
  readonly refused: readonly RefusedAgain[]
  /** Refusals as the audit keeps them, over restarts too. */
  readonly denials: readonly AuditEntry[]
}

/** What a day came to: own fills first, then orders and refusals, the newest first; the same refusal again is one line. */
export function happenings({
  today,
  fills,
  orders,
  refused,
  denials,
}: Sources): readonly Happening[] {
  const isToday = (time: string | null | undefined) => dayOf(time ?? '') === today
  const filled = fills
    .filter(({ trade_time }) => isToday(trade_time))
    .map((fill): Happening => {
      const time = fill.trade_time ?? ''
      return { kind: 'fill', ...stockOf(fill), from: time, to: time, count: 1, fill }
    })
  const placed = orders
    .filter(({ order_time }) => isToday(order_time))
    .map((order): Happening => {
      const time = order.order_time
      return { kind: 'order', ...stockOf(order), from: time, to: time, count: 1, order }
    })
  const countedToday = refused.filter(({ last }) => isToday(last))
  const kept = merged(
    denials.filter(({ time }) => isToday(time)),
    countedToday,
  )
  const counted = countedToday.map((one): Happening => {
    const key = keyOf(one.stock_code, one.code)
    const before = kept.get(key)
    kept.delete(key)
    const { first, last: to, message } = one
    const count = one.count + (before?.count ?? 0)
    return { kind: 'refused', ...stockOf(one), from: before?.from ?? first, to, count, message }
  })
  return [...newestFirst(filled), ...newestFirst([...placed, ...counted, ...kept.values()])]
}

/** Shown of each kind: many fills must not push out what was refused. */
export const SHOWN_MAX = 50

/** What of them is shown, and how many more there are, with those fills of the day that were not read. */
export function shownOf(
  all: readonly Happening[],
  day: Pick<FillsPage, 'fills' | 'sums'> | undefined,
): { readonly shown: readonly Happening[]; readonly left: number } {
  const count = { fill: 0, order: 0, refused: 0 }
  const shown = all.filter(({ kind }) => {
    count[kind] += 1
    return count[kind] <= SHOWN_MAX
  })
  const { fills = [], sums = null } = day ?? {}
  const filled = sums === null ? fills.length : sums.real.count + sums.simulated.count
  return { shown, left: all.length - shown.length + Math.max(0, filled - fills.length) }
}

const newestFirst = (all: readonly Happening[]) => all.toSorted((a, b) => b.to.localeCompare(a.to))

const stockOf = ({ stock_code, stock_name }: { stock_code: string; stock_name: string }) => ({
  code: bareCode(stock_code),
  name: stock_name,
})
const keyOf = (stock: string, code: string): string => `${bareCode(stock)}|${code}`

interface Denial {
  readonly stockCode?: string
  readonly code?: string
  readonly message?: string
}

/** Refusals of the audit that the service has not counted, by their key: of orders by hand, and of before it was started. */
function merged(
  entries: readonly AuditEntry[],
  counted: readonly RefusedAgain[],
): Map<string, Happening> {
  const found = new Map<string, Happening>()
  const byKey = Map.groupBy(counted, ({ stock_code, code }) => keyOf(stock_code, code))
  for (const { time, body } of entries) {
    const { stockCode = '', code = '', message = '' } = (body ?? {}) as Denial
    const key = keyOf(stockCode, code)
    if (byKey.get(key)?.some(({ first }) => first <= time)) continue
    const once = { from: time, to: time, count: 1, message }
    const known = found.get(key)
    if (known === undefined) {
      found.set(key, { kind: 'refused', code: bareCode(stockCode), name: '', ...once })
    } else found.set(key, oneMore(known, once))
  }
  return found
}

/** The newest says how it stands. */
const oneMore = (
  known: Happening,
  { from, to, message }: Required<Pick<Happening, 'from' | 'to' | 'message'>>,
): Happening => ({
  ...known,
  count: known.count + 1,
  ...(from < known.from && { from }),
  ...(to > known.to && { to, message }),
})
