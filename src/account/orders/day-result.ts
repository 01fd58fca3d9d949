import { minuteOf } from '../../domain/bar-time.ts'
import { exchangeDay, exchangeDayStartMs } from '../../domain/exchange-time.ts'
import { type FeeRates, feesOf } from '../../domain/fees.ts'
import type { StockCode } from '../../domain/instrument.ts'
import type { Money } from '../../domain/money.ts'
import type { BrokerDeal } from '../../domain/order.ts'
import type { Position } from '../../domain/position.ts'
import { boardOf } from '../../domain/rules.ts'
import { isBeforeAuction } from '../../domain/session.ts'
import type { Quote } from '../../ports/quotes.port.ts'
import type { AccountState } from '../model/state.ts'
import { positionsOf } from '../turn/holding.ts'
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
  let result = 0
  for (const code of new Set([...positionsOf(state).keys(), ...dealt.keys()])) {
    const each = resultOf(state, sight, code, dealt.get(code))
    if (each === undefined) return undefined
    result += each
  }
  return result as Money
}

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
  const untold = today.filter(({ fee }) => fee === 0)
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

function resultOf(
  state: AccountState,
  sight: Sight,
  code: StockCode,
  dealt: Dealt = NOTHING_DEALT,
): number | undefined {
  const held = positionsOf(state).get(code)
  if (held === undefined && dealt.quantity === 0) return dealt.cash
  const marks = marksOf(state, sight, code, held)
  return marks && valueResult({ held, dealt, ...marks })
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
  const isOfToday = hasTraded(state, seen) && exchangeDay(seen.timeMs) === exchangeDay(nowMs)
  const price = held === undefined ? seen.lastPrice : markPrice(held, seen)
  return { price, close: isOfToday ? seen.lastClose : price }
}

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
  minuteOf(timeMs, policy.isAlwaysOpen) !== undefined

/**
 * The same of the account at the broker, for the loss of the day: what nobody quotes is worth its cost all day, and a fee
 * that no deal has told is reckoned, because it is paid. Undefined also where a deal cannot be read: it has moved shares
 * and cash, and is in no sum of deals.
 */
export function brokerResult(state: AccountState, sight: Sight): Money | undefined {
  if (state.leftOut.has('deals') && mayHaveDealt(state, sight.nowMs)) return undefined
  const { byStock: dealt, feesUntold } = dealtToday(state, sight.nowMs)
  let result = -feesUntold
  for (const code of new Set([...state.positions.keys(), ...dealt.keys()])) {
    const each = brokerResultOf(state, sight, code, dealt.get(code))
    if (each === undefined) return undefined
    result += each
  }
  return result as Money
}

const mayHaveDealt = ({ policy }: AccountState, nowMs: number): boolean =>
  policy.isAlwaysOpen || !isBeforeAuction(nowMs)

function brokerResultOf(
  state: AccountState,
  sight: Sight,
  code: StockCode,
  dealt: Dealt = NOTHING_DEALT,
): number | undefined {
  const held = state.positions.get(code)
  if (held === undefined && dealt.quantity === 0) return dealt.cash
  const unquoted = held && { price: held.costPrice, close: held.costPrice }
  const marks = marksOf(state, sight, code, held) ?? unquoted
  return marks && valueResult({ held, dealt, ...marks })
}

/** What a stock had gained since the close before as the first price of it was seen: that is no part of a day that begins then. */
export function gainedBefore(state: AccountState, sight: Sight, code: StockCode): number {
  const held = state.positions.get(code)
  const marks = marksOf(state, sight, code, held)
  if (marks === undefined) return 0
  const { quantity } = dealtToday(state, sight.nowMs).byStock.get(code) ?? NOTHING_DEALT
  return ((held?.quantity ?? 0) - quantity) * (marks.price - marks.close)
}
