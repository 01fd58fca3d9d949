import { exchangeDay } from '../../domain/exchange-time.ts'
import { type Price, toYuan } from '../../domain/money.ts'
import type { BrokerPosition } from '../../domain/order.ts'
import type { Position } from '../../domain/position.ts'
import { priceLimits } from '../../domain/rules.ts'
import type { AccountState } from '../model/state.ts'
import { displayedStop } from '../orders/quote-rules.ts'
import { changeHolding } from '../turn/holding.ts'
import type { Turn } from '../turn/turn.ts'

const SOURCE = 'corporate_action'

/**
 * Whether cost has jumped overnight without a deal, further than a price may move in a day: shares
 * were split or given, and old prices say nothing about the new ones. A cash dividend stays below.
 */
export function isCorporateAction(
  { day, shares }: AccountState,
  before: Position,
  row: BrokerPosition,
): boolean {
  if (row.costPrice <= 0 || row.costPrice === before.costPrice) return false
  const hasDealt = (shares.get(row.code)?.deals.length ?? 0) > 0
  if (exchangeDay(before.updatedMs) === day || hasDealt) return false
  const limits = priceLimits(row.code, day, { lastClose: before.costPrice, name: row.name })
  if (limits === undefined) return false
  return row.costPrice < limits.low || row.costPrice > limits.high
}

/**
 * After the report was followed: the high moves with the cost, and the stop levels of the stock
 * rest until a person has looked and turns them on again. The base cost is kept as it was.
 */
export function followCorporateAction(turn: Turn, before: Position): void {
  const { state } = turn
  const { code } = before
  const after = state.positions.get(code)
  if (after === undefined) return
  const ratio = after.costPrice / before.costPrice
  const highestPrice = Math.round(before.highestPrice * ratio) as Price
  const stopLossPrice = displayedStop(state, { ...after, highestPrice })
  const fields = {
    highestPrice,
    stopLossPrice,
    stopProfitEnabled: false,
    actedTickMs: Math.max(after.actedTickMs, ...outdated(turn, before)),
  }
  changeHolding(turn, code, fields, SOURCE)
  const [from, to] = [before.costPrice, after.costPrice].map((cost) => toYuan(cost).toFixed(2))
  turn.error(
    `${code}: cost ${from} became ${to} overnight without a deal; its stop levels rest until they are turned on again`,
  )
}

/** The last quote of an earlier day is one of the old prices: it raises no new high. */
function outdated({ state, inputs }: Turn, { code }: Position): readonly number[] {
  const timeMs = inputs.quote(code)?.timeMs
  return timeMs === undefined || exchangeDay(timeMs) === state.day ? [] : [timeMs + 1]
}
