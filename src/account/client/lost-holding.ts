import { isSameExchangeDay } from '../../domain/exchange-time.ts'
import type { StockCode } from '../../domain/instrument.ts'
import type { BrokerPosition } from '../../domain/order.ts'
import { type Position, UNKNOWN_COST } from '../../domain/position.ts'
import { isDayAfter, tradedMs } from '../../domain/session.ts'
import type { AccountState, LostHolding } from '../model/state.ts'
import { dealtBefore, unshownShares } from '../orders/available.ts'
import { costAfterReport } from '../orders/ex-day-cost.ts'
import type { Turn } from '../turn/turn.ts'
import { isSoldOut } from './shown.ts'
import { besideLaid, noteUnheard } from './unheard-fills.ts'

/*
 * A client that leaves a holding out of its lists for a while shows it again as it was: then it is the same one, with all
 * that is remembered of it, also behind a restart. One of other shares, or at another cost, starts fresh, but for the scale of
 * its cost: without that an ex-day would be taken off an adjusted cost once more, or not at all off one that the broker never
 * adjusts.
 */

/** Shares of a holding that lists lack, and that is not told to be gone: undefined where deals have at some time sold all of it. */
export function leftWhenLost(state: AccountState, code: StockCode): number | undefined {
  const shown = state.positions.get(code)?.quantity ?? 0
  const left = dealtBefore(state, code, shown) ?? shown + unshownShares(state, code)
  return left > 0 && !isSoldOut(state, code) ? left : undefined
}

/** The holding that is shown again just as lists lost it, but for what deals have told of it meanwhile. */
export function foundAgain(turn: Turn, row: BrokerPosition): Position | undefined {
  const lost = turn.state.lost.get(row.code)
  if (lost === undefined || !isLately(turn, lost)) return undefined
  const { held, left, sold, bought } = lost
  if (!held.openDate.startsWith(row.openDate ?? '')) return undefined
  // Deals come in any order: where those of sales are all of it, what is there may have been bought anew.
  if (sold >= left) return undefined
  const gone = besideLaid(turn.state, row.code, left - sold + bought - row.quantity)
  if (gone !== 0 && !isBehind(turn, lost, row)) {
    // A sale that was filled while nobody was there is told by the first list that shows its holding again.
    return noteUnheard(turn, held, { gone, row }) ? held : undefined
  }
  // A purchase is averaged into the cost, and the gain of a sale may have lowered it (摊薄成本).
  const isTraded = row.quantity !== held.quantity
  return isTraded || isOfItsCost(turn, lost, row) ? held : undefined
}

/** Whether some of the shares that deals have sold of it are shown still, as by a list that is seconds behind them. */
const isBehind = (
  { inputs: { nowMs } }: Turn,
  { held, left, sold, bought, sinceMs }: LostHolding,
  { quantity }: BrokerPosition,
): boolean =>
  bought === 0 &&
  quantity > left - sold &&
  quantity <= Math.max(left, held.quantity) &&
  isSameExchangeDay(nowMs, sinceMs)

/** With a day of trading in between it may be another one, and nobody has followed its ex-day. */
const isLately = ({ inputs: { nowMs } }: Turn, { sinceMs }: LostHolding): boolean =>
  isSameExchangeDay(nowMs, sinceMs) || isDayAfter(nowMs, sinceMs)

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
