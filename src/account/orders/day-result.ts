import { minuteOf } from '../../domain/bar-time.ts'
import { exchangeDay } from '../../domain/exchange-time.ts'
import type { StockCode } from '../../domain/instrument.ts'
import type { Money } from '../../domain/money.ts'
import { boardOf } from '../../domain/rules.ts'
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
  const dealt = dealtToday(state, sight.nowMs)
  let result = 0
  for (const code of new Set([...positionsOf(state).keys(), ...dealt.keys()])) {
    const each = resultOf(state, sight, code, dealt.get(code))
    if (each === undefined) return undefined
    result += each
  }
  return result as Money
}

/**
 * By the calendar and the time of the deal, whenever it was told: where nothing trades no day opens, and what was
 * dealt on an earlier day is in the close of that day already.
 */
function dealtToday(state: AccountState, nowMs: number): ReadonlyMap<StockCode, Dealt> {
  const today = exchangeDay(nowMs)
  const dealt = new Map<StockCode, Dealt>()
  for (const { deal } of state.deals.values()) {
    if (exchangeDay(deal.timeMs) < today || boardOf(deal.code) === undefined) continue
    const sum = dealt.get(deal.code) ?? { quantity: 0, cash: 0 }
    const sign = deal.side === 'buy' ? 1 : -1
    sum.quantity += sign * deal.quantity
    sum.cash -= sign * deal.amount + deal.fee
    dealt.set(deal.code, sum)
  }
  return dealt
}

function resultOf(
  state: AccountState,
  { quote, nowMs }: Sight,
  code: StockCode,
  dealt: Dealt = { quantity: 0, cash: 0 },
): number | undefined {
  const held = positionsOf(state).get(code)
  const seen = quote(code)
  const before = (held?.quantity ?? 0) - dealt.quantity
  if (held === undefined && before === 0) return dealt.cash
  if (seen === undefined || !isQuoted(seen)) return undefined
  // A quote of what was before is the close before, and its own close before is another one's.
  const isOfToday = hasTraded(state, seen) && exchangeDay(seen.timeMs) === exchangeDay(nowMs)
  const price = held === undefined ? seen.lastPrice : markPrice(held, seen)
  const close = isOfToday ? seen.lastClose : price
  if (before !== 0 && close <= 0) return undefined
  return (held?.quantity ?? 0) * price - before * close + dealt.cash
}

/** Before the auction a terminal repeats the day before under the time of now, and on a closed day the exchange tests. */
const hasTraded = ({ policy }: AccountState, { timeMs }: Quote): boolean =>
  minuteOf(timeMs, policy.isAlwaysOpen) !== undefined
