import { isSameExchangeDay } from '../../domain/exchange-time.ts'
import type { StockCode } from '../../domain/instrument.ts'
import type { BrokerDeal, BrokerPosition } from '../../domain/order.ts'
import { type Position, UNKNOWN_COST } from '../../domain/position.ts'
import { isDayAfter, tradedMs } from '../../domain/session.ts'
import { keepNewest } from '../model/simulation.ts'
import type { AccountState, LostHolding } from '../model/state.ts'
import { unshownShares } from '../orders/available.ts'
import { costAfterReport } from '../orders/ex-day.ts'
import type { Turn } from '../turn/turn.ts'
import { isSoldOut } from './shown.ts'

/*
 * A client that leaves a holding out of its lists for a while shows it again as it was: then it is the same one, with all
 * that is remembered of it. One of other shares, or at another cost, starts fresh, but for the scale of its cost: without
 * that an ex-day would be taken off an adjusted cost once more, or not at all off one that the broker never adjusts. In
 * memory only.
 */

/** A holding that is about to be closed because lists lack it, and deals have at no time sold all of it. */
export function noteLost({ state, inputs }: Turn, code: StockCode): void {
  const held = state.positions.get(code)
  const left = (held?.quantity ?? 0) + unshownShares(state, code)
  if (held === undefined || left <= 0 || isSoldOut(state, code)) return
  const deals = new Set(Array.from(dealsOf(state, code), ([key]) => key))
  keepNewest(state.lost, LOST_MAX, [code, { held, left, deals, sinceMs: inputs.nowMs }])
}
/** More are not shown again. */
const LOST_MAX = 100

function* dealsOf(
  { deals }: AccountState,
  code: StockCode,
): Iterable<readonly [key: string, deal: BrokerDeal]> {
  for (const [key, { deal }] of deals) if (deal.code === code) yield [key, deal]
}

/** The holding that is shown again just as lists lost it, but for what deals that were told since have sold of it. */
export function foundAgain(turn: Turn, row: BrokerPosition): Position | undefined {
  const { lost: all } = turn.state
  const lost = all.get(row.code)
  if (lost === undefined || !isLately(turn, lost)) return undefined
  const { held } = lost
  if (!held.openDate.startsWith(row.openDate ?? '')) return undefined
  if (row.quantity !== leftOf(turn, lost)) return undefined
  // The gain of a sale may have lowered the cost (摊薄成本).
  const isSold = row.quantity < held.quantity
  if (!isSold && !isOfItsCost(turn, lost, row)) return undefined
  all.delete(row.code)
  return held
}

/** With a day of trading in between it may be another one, and nobody has followed its ex-day. */
const isLately = ({ inputs: { nowMs } }: Turn, { sinceMs }: LostHolding): boolean =>
  isSameExchangeDay(nowMs, sinceMs) || isDayAfter(nowMs, sinceMs)

/** Shares that deals have left of it; NaN where one has bought. */
function leftOf({ state }: Turn, { held, left, deals }: LostHolding): number {
  let there = left
  for (const [key, { side, quantity }] of dealsOf(state, held.code)) {
    if (!deals.has(key)) there -= side === 'buy' ? Number.NaN : quantity
  }
  return there
}

/**
 * A row without a cost is no news of it. But new shares may be shown without theirs at first, and a cost of others would sell
 * them: nothing tells them apart once it was traded on another day, unless the client tells when they were bought.
 */
function isOfItsCost(
  { inputs: { nowMs } }: Turn,
  { held, sinceMs }: LostHolding,
  { costPrice, openDate }: BrokerPosition,
): boolean {
  if (costPrice > UNKNOWN_COST) return costPrice === held.costPrice
  return (
    openDate !== undefined || isSameExchangeDay(nowMs, sinceMs) || tradedMs(sinceMs, nowMs) === 0
  )
}

/** What is known of the scale of a cost that is shown again; nothing of what was bought since. */
export function scaleOfFound(
  turn: Turn,
  row: BrokerPosition,
): Pick<Position, 'effectiveCost' | 'exDay'> {
  const { lost, day } = turn.state
  const { held: before, left } = lost.get(row.code) ?? {}
  lost.delete(row.code)
  if (before?.exDay === undefined) return {}
  const { exDay, effectiveCost = 0 } = before
  const { costPrice, quantity, openDate = '' } = row
  if (openDate >= exDay.day) return {}
  const isSame = costPrice === before.costPrice && quantity === left
  // On another day another cost is that of deals that nobody has told of.
  if (!isSame && (openDate === '' || exDay.day !== day)) return {}
  return {
    exDay,
    ...(effectiveCost > 0 && { effectiveCost: effectiveCost as Position['costPrice'] }),
    ...costAfterReport(turn, before, row),
  }
}
