import { exchangeDay } from '../../domain/exchange-time.ts'
import { isRepo } from '../../domain/instrument.ts'
import { type Money, toYuan } from '../../domain/money.ts'
import {
  type BrokerDeal,
  type BrokerOrder,
  type BrokerPosition,
  isCaughtUp,
  type OrderRecord,
  toldNumber,
  VENUE_STATUS,
} from '../../domain/order.ts'
import type { QueryKind, QueryRows } from '../../protocol/driver.ts'
import type { QueryPurpose } from '../model/calls.ts'
import type { Difference } from '../model/differences.ts'
import type { AccountState } from '../model/state.ts'
import { unshownShares } from '../orders/available.ts'
import type { Turn } from '../turn/turn.ts'
import { isWhole } from './left-out.ts'
import { dealsBooked, ownOrder } from './reports.ts'
import { keyTold } from './same-number.ts'
import { isOutdated } from './shown.ts'

type Found = Omit<Difference, 'id' | 'timeMs' | 'whileAway'>
/** Reads our books before the report is followed; what it gives reads them again afterwards. */
type Comparison<Report> = (turn: Turn, report: Report) => () => readonly Found[]

/**
 * Follows a report, and writes down wherever our books had said something else: in the same turn,
 * so that a difference and what was done about it become durable together.
 *
 * Not a difference: an order whose fate was unknown and is found, what the broker had simply
 * not told yet of a deal that is booked, and the first report of an account without books.
 */
export function followComparing(
  turn: Turn,
  report: QueryRows,
  { purpose, follow }: { readonly purpose: QueryPurpose; readonly follow: () => void },
): void {
  const { run } = turn.state
  const isOfRun = purpose === 'recover' || purpose === 'reconcile'
  if (run?.cause === 'first' && purpose === 'recover') return follow()
  if (isOfRun && isSuspect(turn, report)) {
    run?.failed.push({ what: report.what, reason: 'the report is empty, our books are not' })
  }
  if (isOfRun && report.leftOut !== undefined) {
    const reason = `rows that cannot be read: ${report.leftOut.join('; ')}`
    run?.failed.push({ what: report.what, reason })
  }
  const compareAgain = compareReport(turn, report)
  follow()
  for (const found of compareAgain()) {
    if (isOfRun && run !== undefined) run.found += 1
    record(turn, found, purpose === 'recover')
  }
}

function compareReport(turn: Turn, report: QueryRows): () => readonly Found[] {
  switch (report.what) {
    case 'orders':
      return compareOrders(turn, report.rows)
    case 'deals':
      return compareDeals(turn, report.rows)
    case 'positions':
      return comparePositions(turn, report.rows)
    case 'asset':
      return compareCash(turn, report.rows)
  }
}

/**
 * An empty list where our books have rows is what a client sends that is not ready; nothing is concluded from it. Orders
 * of which it is proven that they are listed no more (`listed.ts`) are not missed for ever: nothing could be decided then.
 */
export function isSuspect(turn: Turn, report: QueryRows): boolean {
  if (report.rows.length > 0) return false
  const { positions, orders, orderIds } = turn.state
  if (report.what === 'positions') return positions.size > 0
  return ownOfToday(turn, report.what).some(
    ({ key }) => orders.get(orderIds.get(key) ?? '')?.vanishedMs === undefined,
  )
}

interface Own {
  readonly key: string
  /** What people are told for it. */
  readonly name: string
  readonly text: string
}

/** One whose number is another order's now is known by its id until a list tells its number. */
const nameOf = (order: OrderRecord): string => toldNumber(order) || order.clientOrderId

/** What we hold that the list of the day must show: known there, and not so new that it may lag behind. */
function ownOfToday({ state, inputs }: Turn, what: QueryKind): readonly Own[] {
  // Around midnight the two sides may live in different days.
  if (exchangeDay(inputs.nowMs) !== state.day) return []
  const untilMs = inputs.nowMs - state.policy.limits.doubtSettleMs
  if (what === 'orders') {
    return [...state.orders.values()]
      .filter(
        (order) => order.day === state.day && order.orderId !== '' && order.updatedMs <= untilMs,
      )
      .map((order) => ({ key: order.orderId, name: nameOf(order), text: orderText(order) }))
  }
  if (what !== 'deals') return []
  return [...state.deals]
    .filter(([, { deal }]) => exchangeDay(deal.timeMs) === state.day && deal.timeMs <= untilMs)
    .map(([key, { deal }]) => ({ key, name: key, text: dealText(deal) }))
}

/** Rows of ours that a list with other rows in it does not show. They stay: nothing is unbooked. */
function unlisted(turn: Turn, what: 'orders' | 'deals', listed: ReadonlySet<string>): Found[] {
  if (!isWhole(turn.state, what)) return []
  const kind = what === 'orders' ? 'order' : 'deal'
  return ownOfToday(turn, what)
    .filter(({ key }) => !listed.has(key))
    .map(({ name, text }) => ({ kind, key: name, ours: text, theirs: '', resolution: 'kept' }))
}

const compareOrders: Comparison<readonly BrokerOrder[]> = (turn, rows) => {
  const before = rows.map((row) => ownOrder(turn, row))
  const numbers = rows.map(({ orderId }) => orderId)
  const missing = rows.length === 0 ? [] : unlisted(turn, 'orders', new Set(numbers))
  return () => [
    ...rows.flatMap((row, i) => orderFound(row, before[i], ownOrder(turn, row))),
    ...missing,
  ]
}

function orderFound(
  row: BrokerOrder,
  before: OrderRecord | undefined,
  after: OrderRecord | undefined,
): readonly Found[] {
  if (after === undefined) return [] // left aside until an order in doubt is decided
  const base = { kind: 'order', key: row.orderId, theirs: reportText(row) } as const
  if (before === undefined && after.formerIds !== undefined) {
    const formerId = after.formerIds.at(-1) // none where it had lost the one that it has again
    const ours = formerId === undefined ? '' : `编号 ${formerId}`
    return [{ ...base, ours, theirs: `编号 ${row.orderId}`, resolution: 'followed' }]
  }
  if (before === undefined) {
    return [{ ...base, ours: '', resolution: after.isRecovered ? 'recovered' : 'adopted' }]
  }
  // Without a number its fate was unknown; that it is found is what everybody waited for.
  if (before.orderId === '' || before.venueStatus === after.venueStatus) return []
  return [{ ...base, ours: orderText(before), resolution: 'followed' }]
}

const compareDeals: Comparison<readonly BrokerDeal[]> = (turn, rows) => {
  const { state } = turn
  const booked = dealsBooked(turn, rows)
  const news = rows.filter((deal) => !booked.has(deal))
  const missing = rows.length === 0 ? [] : unlisted(turn, 'deals', new Set(booked.values()))
  return () => [...news.flatMap((deal) => dealFound(state, deal)), ...missing, ...unfilled(state)]
}

function dealFound(state: AccountState, deal: BrokerDeal): readonly Found[] {
  const key = keyTold(state, deal)
  const booked = key === undefined ? undefined : state.deals.get(key)
  if (key === undefined || booked === undefined) return [] // left aside with its order
  const resolution = booked.strategy === 'external' ? 'adopted' : 'booked_late'
  return [{ kind: 'deal', key, ours: '', theirs: dealText(deal), resolution }]
}

/** Orders that the broker says are filled further than all the deals it lists. */
function unfilled(state: AccountState): readonly Found[] {
  return [...state.orders.values()]
    .filter((order) => order.day === state.day && !isCaughtUp(order))
    .map((order) => ({
      kind: 'order' as const,
      key: nameOf(order),
      ours: `成交 ${order.filledQuantity}`,
      theirs: `成交 ${order.venueFilledQuantity ?? 0}`,
      resolution: 'kept' as const,
    }))
}

const comparePositions: Comparison<readonly BrokerPosition[]> = (turn, rows) => {
  const { state } = turn
  const changed = rows.flatMap((row) =>
    isOutdated(turn, row.code) || isRepo(row.code) ? [] : positionFound(state, row),
  )
  const listed = new Set(rows.map(({ code }) => code))
  const absent = [...state.positions.values()].filter(
    ({ code, quantity }) => !listed.has(code) && quantity + unshownShares(state, code) !== 0,
  )
  return () => [
    ...changed,
    ...absent
      .filter(({ code }) => !state.positions.has(code))
      .map(({ code, quantity }) => ({
        kind: 'position' as const,
        key: code,
        ours: String(quantity),
        theirs: '',
        resolution: 'closed' as const,
      })),
  ]
}

function positionFound(state: AccountState, row: BrokerPosition): readonly Found[] {
  const ours = state.positions.get(row.code)?.quantity
  const expected = (ours ?? 0) + unshownShares(state, row.code)
  if (row.quantity === (ours ?? 0) || row.quantity === expected) return []
  const resolution = ours === undefined ? 'adopted' : row.quantity > 0 ? 'followed' : 'closed'
  const [mine, theirs] = [ours, row.quantity].map((shares) => (shares ? String(shares) : ''))
  return [{ kind: 'position', key: row.code, ours: mine ?? '', theirs: theirs ?? '', resolution }]
}

/** Cash, free and frozen together: orders only move it from one to the other. */
const compareCash: Comparison<Extract<QueryRows, { what: 'asset' }>['rows']> = (
  { state },
  rows,
) => {
  const { asset, assetAtDeal } = state
  if (asset === undefined || assetAtDeal === asset) return () => []
  const [ours, theirs] = [asset, rows[0]].map((row) => cents((row.available + row.frozen) as Money))
  if (ours === theirs) return () => []
  return () => [
    { kind: 'cash', key: 'cash', ours: ours ?? '', theirs: theirs ?? '', resolution: 'followed' },
  ]
}

/** One that stands is written down once, not with every comparison. */
function record(turn: Turn, found: Found, whileAway: boolean): void {
  const { differences, policy } = turn.state
  const kept = [...differences.values()]
  if (found.resolution === 'kept' && kept.some((known) => isSame(known, found))) return
  const id = (kept.at(-1)?.id ?? 0) + 1
  const difference: Difference = { id, timeMs: turn.inputs.nowMs, ...found, whileAway }
  const keepFromId = id - policy.limits.differencesMax + 1
  turn.emit({ kind: 'differenceFound', difference, keepFromId })
  const { kind, key, ours, theirs, resolution } = difference
  turn.warn(`difference: ${kind} ${key} here "${ours}", there "${theirs}": ${resolution}`)
}

const isSame = (a: Found, b: Found): boolean =>
  a.kind === b.kind && a.key === b.key && a.ours === b.ours && a.theirs === b.theirs

const cents = (money: Money): string => toYuan(money).toFixed(2)
const SIDE = { buy: '买入', sell: '卖出' } as const

const orderText = ({ venueStatus, filledQuantity, quantity }: OrderRecord): string =>
  `${VENUE_STATUS[venueStatus]} ${filledQuantity}/${quantity}`
const reportText = ({ status, filledQuantity, quantity }: BrokerOrder): string =>
  `${VENUE_STATUS[status]} ${filledQuantity}/${quantity}`
const dealText = ({ side, quantity, price }: BrokerDeal): string =>
  `${SIDE[side]} ${quantity} @ ${toYuan(price)}`
