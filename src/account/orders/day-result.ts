import { exchangeDay, exchangeDayNumber, exchangeDayStartMs } from '../../domain/exchange-time.ts'
import { type FeeRates, feesOf } from '../../domain/fees.ts'
import { FeesTold } from '../../domain/fees-told.ts'
import type { StockCode } from '../../domain/instrument.ts'
import type { Money, Price } from '../../domain/money.ts'
import type { BrokerDeal } from '../../domain/order.ts'
import type { Position } from '../../domain/position.ts'
import { boardOf } from '../../domain/rules.ts'
import { isBeforeAuction, isOnTradingDay } from '../../domain/session.ts'
import type { Quote } from '../../ports/quotes.port.ts'
import type { AccountState } from '../model/state.ts'
import type { Sight } from '../turn/turn.ts'
import { isQuoted, markPrice } from './quote-rules.ts'

/** What today's deals of a stock have moved. */
interface Dealt {
  quantity: number
  /** Proceeds less purchases, less the fees of both. */
  cash: number
}

/**
 * What the day has brought, from holdings and deals alone: what everything is worth now against what it was at the
 * close before, with what was bought and sold in between, after fees. Cash that comes or goes without a deal is
 * no part of it. Undefined where a price or the close before is missing, and in a simulation, whose
 * deals are not kept.
 */
export function dayResult(state: AccountState, sight: Sight): Money | undefined {
  if (state.simulation !== undefined) return undefined
  const { byStock: dealt } = dealtToday(state, sight.nowMs)
  let result = -gainedOfFound(state, sight.nowMs)
  for (const code of movedCodes(state, dealt)) {
    const held = state.positions.get(code)
    const marks = marksOf(state, sight, code, held)
    const each = resultOf(state, code, marks, dealt.get(code))
    if (each === undefined) return undefined
    result += each
  }
  return result as Money
}

/** Stocks that were dealt in on this day, by the calendar: what the day has brought cannot be told without their quotes. */
export const dealtCodes = (state: AccountState, nowMs: number): Iterable<StockCode> =>
  dealtToday(state, nowMs).byStock.keys()

/** What the deals of a day come to. */
interface DealtOfDay {
  readonly day: string
  /** How many deals were known: each is booked once and kept for the day. */
  readonly size: number
  readonly byStock: ReadonlyMap<StockCode, Dealt>
  /** Fees that no deal has told, as they are charged: by order. */
  readonly feesUntold: number
}

/** Summed up once for each deal, and not with each price. */
const DEALT = new WeakMap<AccountState['deals'], DealtOfDay>()

/**
 * By the calendar and the time of the deal, whenever it was told: where nothing trades no day opens, and what was
 * dealt on an earlier day is in the close of that day already.
 */
function dealtToday(state: AccountState, nowMs: number): DealtOfDay {
  const { deals, policy } = state
  const day = exchangeDay(nowMs)
  const known = DEALT.get(deals)
  if (known?.day === day && known.size === deals.size) return known
  const startMs = exchangeDayStartMs(day)
  const today: BrokerDeal[] = []
  for (const { deal } of deals.values()) {
    if (deal.timeMs >= startMs && !isNoHolding(deal.code)) today.push(deal)
  }
  const fees = new FeesTold(today)
  const untold = today.filter((deal) => !fees.isTold(deal))
  const feesUntold = feesOfOrders(policy.feeRates, day, untold)
  const dealt = { day, size: deals.size, byStock: byStockOf(today), feesUntold }
  DEALT.set(deals, dealt)
  return dealt
}

function byStockOf(deals: readonly BrokerDeal[]): ReadonlyMap<StockCode, Dealt> {
  const byStock = new Map<StockCode, Dealt>()
  for (const deal of deals) {
    const sum = byStock.get(deal.code) ?? { quantity: 0, cash: 0 }
    const sign = deal.side === 'buy' ? 1 : -1
    sum.quantity += sign * deal.quantity
    sum.cash -= sign * deal.amount + deal.fee
    byStock.set(deal.code, sum)
  }
  return byStock
}

function feesOfOrders(rates: FeeRates, day: string, deals: readonly BrokerDeal[]): number {
  const orders = new Map<string, BrokerDeal>()
  for (const deal of deals) {
    const key = `${deal.code} ${deal.orderId}`
    const amount = ((orders.get(key)?.amount ?? 0) + deal.amount) as Money
    orders.set(key, { ...deal, amount })
  }
  return [...orders.values()].reduce((sum, deal) => sum + feesOf(rates, { ...deal, day }), 0)
}

/** Reverse repos, indexes and B shares. */
const isNoHolding = (code: StockCode): boolean => boardOf(code) === undefined

/** Undefined where the stock has no marks, and shares of it count. */
function resultOf(
  state: AccountState,
  code: StockCode,
  marks: Marks | undefined,
  dealt: Dealt = NOTHING_DEALT,
): number | undefined {
  const held = state.positions.get(code)
  if (marks === undefined) {
    return held === undefined && dealt.quantity === 0 ? dealt.cash : undefined
  }
  const came = untoldShares(state, code)
  const moved = { quantity: dealt.quantity + came, cash: dealt.cash - came * marks.price }
  return valueResult({ held, dealt: moved, ...marks })
}
const NOTHING_DEALT: Dealt = { quantity: 0, cash: 0 }

interface Marks {
  /** What a share is worth now, and what it was at the close before. */
  readonly price: number
  readonly close: number
}

function marksOf(
  state: AccountState,
  { quote, nowMs }: Sight,
  code: StockCode,
  held: Position | undefined,
): Marks | undefined {
  const seen = quote(code)
  if (seen === undefined || !isQuoted(seen)) return undefined
  // A quote of what was before is the close before, and its own close before is another one's.
  const isOfToday =
    exchangeDayNumber(seen.timeMs) === exchangeDayNumber(nowMs) && hasTraded(state, seen)
  const price = markPrice(held ?? COSTLESS, seen)
  return { price, close: isOfToday ? seen.lastClose : price }
}

/** What is quoted is never worth its cost. */
const COSTLESS = { costPrice: 0 as Price }

interface Stock extends Marks {
  readonly held: Position | undefined
  readonly dealt: Dealt
}

function valueResult({ held, dealt, price, close }: Stock): number | undefined {
  const quantity = held?.quantity ?? 0
  const before = quantity - dealt.quantity
  if (before !== 0 && close <= 0) return undefined
  return quantity * price - before * close + dealt.cash
}

/** Before the auction a terminal repeats the day before under the time of now, and on a closed day the exchange tests. */
const hasTraded = ({ policy }: AccountState, { timeMs }: Quote): boolean =>
  policy.isAlwaysOpen || (!isBeforeAuction(timeMs) && isOnTradingDay(timeMs))

/**
 * The same of the account at the broker, for the loss of the day: what nobody quotes is worth its cost all day, and a fee
 * that no deal has told is reckoned, because it is paid. Undefined also where a deal cannot be read: it has moved shares
 * and cash, and is in no sum of deals.
 */
export function brokerResult(state: AccountState, sight: Sight): Money | undefined {
  if (state.leftOut.has('deals') && mayHaveDealt(state, sight.nowMs)) return undefined
  const { byStock: dealt, feesUntold } = dealtToday(state, sight.nowMs)
  let result = -feesUntold - gainedOfFound(state, sight.nowMs)
  for (const code of movedCodes(state, dealt)) {
    const held = state.positions.get(code)
    const unquoted = held && { price: held.costPrice, close: held.costPrice }
    const marks = marksOf(state, sight, code, held) ?? unquoted
    const each = resultOf(state, code, marks, dealt.get(code))
    if (each === undefined) return undefined
    result += each
  }
  return result as Money
}

/** Each once, and with each tick: what is held, what was sold by today's deals, and what is gone without one. */
function* movedCodes(
  { positions, costs }: AccountState,
  dealt: DealtOfDay['byStock'],
): Iterable<StockCode> {
  yield* positions.keys()
  for (const code of dealt.keys()) if (!positions.has(code)) yield code
  for (const code of costs.books.keys()) if (!positions.has(code) && !dealt.has(code)) yield code
}

const mayHaveDealt = ({ policy }: AccountState, nowMs: number): boolean =>
  policy.isAlwaysOpen || !isBeforeAuction(nowMs)

/**
 * Shares that the client shows and no deal explains yet; negative where they are gone. A list of holdings may be a minute
 * ahead of the deals: what was bought in a fallen market has lost nothing. Until a deal comes they move at the price of now.
 */
function untoldShares({ earnings, positions, costs }: AccountState, code: StockCode): number {
  if (earnings.sinceMs === 0) return 0
  const came = (positions.get(code)?.quantity ?? 0) - (costs.books.get(code)?.quantity ?? 0)
  return came === 0 || isNoHolding(code) ? 0 : came
}

/** What shares that no deal explains had gained on this day until they were taken as the client shows them. */
const gainedOfFound = ({ earnings: { found } }: AccountState, nowMs: number): number =>
  found !== undefined && found.day === exchangeDay(nowMs) ? found.gained : 0

/** What those have gained since the close before: no part of the day where they are taken as they are. */
export function gainedUntold(state: AccountState, sight: Sight, code: StockCode): number {
  return untoldShares(state, code) * gainOf(marksOf(state, sight, code, state.positions.get(code)))
}

/** Of a share since the close before; 0 while that is not known. */
const gainOf = (marks: Marks | undefined): number =>
  marks === undefined || marks.close <= 0 ? 0 : marks.price - marks.close

/**
 * What a stock had gained since the close before as the first price of it was seen: that is no part of a day that begins
 * then. Shares that no deal explains yet are in no result of it either.
 */
export function gainedBefore(state: AccountState, sight: Sight, code: StockCode): number {
  const held = state.positions.get(code)
  const { quantity } = dealtToday(state, sight.nowMs).byStock.get(code) ?? NOTHING_DEALT
  const before = (held?.quantity ?? 0) - quantity - untoldShares(state, code)
  return before * gainOf(marksOf(state, sight, code, held))
}
