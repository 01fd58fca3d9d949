import { exchangeTime } from '../../domain/exchange-time.ts'
import { isRepo, type StockCode } from '../../domain/instrument.ts'
import type { Price } from '../../domain/money.ts'
import type { BrokerPosition } from '../../domain/order.ts'
import { NO_BREAKOUT, type Position, thresholdCost, UNKNOWN_COST } from '../../domain/position.ts'
import { tickSizeOf } from '../../domain/rules.ts'
import { sessionAt } from '../../domain/session.ts'
import { seenName } from '../../domain/stock-filter.ts'
import { unshownShares } from '../orders/available.ts'
import { followBroker, followExDay } from '../orders/ex-day.ts'
import { costAfterReport } from '../orders/ex-day-cost.ts'
import { displayedStop, markPrice } from '../orders/quote-rules.ts'
import { nameOf, rememberName } from '../turn/holding.ts'
import type { Turn } from '../turn/turn.ts'
import { isWhole } from './left-out.ts'
import { foundAgain, leftWhenLost, scaleOfFound } from './lost-holding.ts'
import { isBoughtAgain, isOutdated, listEnded, noteShares } from './shown.ts'
import { awaitsList, besideLaid, noteCleared, noteUnheard } from './unheard-fills.ts'

/**
 * A holding as the broker sees it now. Quantity 0 is a closed holding: what is bought again starts fresh, also where both
 * happened while nobody looked. Some terminals list money that is lent among the holdings: it is none, or a stop would
 * compare its rate with its cost.
 */
export function onPositionReport(turn: Turn, row: BrokerPosition): void {
  if (isOutdated(turn, row.code)) return // the next one, which is asked for already
  const before = turn.state.positions.get(row.code)?.quantity ?? 0
  if (turn.asked !== undefined || !awaitsList(turn, row)) followPosition(turn, row)
  noteShares(turn, row, before)
}

function followPosition(turn: Turn, row: BrokerPosition): void {
  const { state } = turn
  followExDay(turn, row.code)
  if (isBoughtAgain(turn, row)) closePosition(turn, row.code)
  const before = state.positions.get(row.code)
  state.missing.delete(row.code)
  if (row.quantity <= 0 || isRepo(row.code)) {
    // What lists have only lacked until now was sold after all.
    if (before !== undefined) noteCleared(turn, before, goneOf(turn, before, row.quantity))
    if (before !== undefined || state.lost.has(row.code)) closePosition(turn, row.code)
    return
  }
  followHeld(turn, before, row)
}

function followHeld(turn: Turn, before: Position | undefined, row: BrokerPosition): void {
  const known = before ?? foundAgain(turn, row)
  const position = known === undefined ? opened(turn, row) : updated(turn, known, row)
  if (before !== undefined && !isChanged(before, position)) return
  const isSold =
    before !== undefined &&
    noteUnheard(turn, before, { gone: goneOf(turn, before, row.quantity), row })
  const { nowMs } = turn.inputs
  turn.emit({
    kind: 'positionReported',
    position: { ...position, updatedMs: nowMs, reportedMs: nowMs },
  })
  turn.state.dataVersion += 1
  if (before === undefined) return turn.after({ kind: 'bands' })
  // What is gone by a sale tells of no ex-day.
  if (!isSold || position.costPrice !== before.costPrice) followBroker(turn, before)
  followExDay(turn, row.code) // shares may confirm what the market says
}

/** Shares that a report lacks, and no deal has told of. */
const goneOf = ({ state }: Turn, { code, quantity }: Position, left: number): number =>
  besideLaid(state, code, quantity + unshownShares(state, code) - left)

function closePosition(turn: Turn, code: StockCode, left?: number): void {
  rememberName(turn.state, code)
  turn.emit({ kind: 'positionClosed', code, ...(left !== undefined && { left }) })
  turn.state.dataVersion += 1
  turn.after({ kind: 'bands' })
}

function isChanged(before: Position, after: Position): boolean {
  return (
    before.quantity !== after.quantity ||
    before.sellable !== after.sellable ||
    before.costPrice !== after.costPrice ||
    before.name !== after.name ||
    before.stopLossPrice !== after.stopLossPrice
  )
}

function opened(turn: Turn, row: BrokerPosition): Position {
  const quote = turn.inputs.quote(row.code)
  const costPrice = Math.max(row.costPrice, UNKNOWN_COST) as Price
  const scale = scaleOfFound(turn, row)
  // Its high is of today's prices, whatever the scale of its cost.
  const floor = thresholdCost({ costPrice, ...scale }) || costPrice
  const highestPrice = Math.max(floor, quote?.lastPrice ?? 0) as Price
  const holding = { costPrice, highestPrice, profitTriggered: false, ...scale }
  return {
    code: row.code,
    name: seenName(row.name) || nameOf(turn.state, row.code),
    quantity: row.quantity,
    sellable: row.sellable,
    baseCostPrice: row.costPrice,
    ...holding,
    stopLossPrice: displayedStop(turn.state, { code: row.code, ...holding }),
    breakoutTriggered: false,
    breakoutHighestPrice: 0 as Price,
    stopProfitEnabled: true,
    openDate:
      row.openDate === undefined ? exchangeTime(turn.inputs.nowMs) : `${row.openDate} 00:00:00`,
    actedTickMs: quote?.timeMs ?? 0,
    updatedMs: turn.inputs.nowMs,
  }
}

function updated(turn: Turn, before: Position, row: BrokerPosition): Position {
  // A report without a cost is no news of it: the first cost may be far from what an average or an ex-day made of it.
  const costPrice = row.costPrice > UNKNOWN_COST ? row.costPrice : before.costPrice
  const after = {
    ...before,
    name: seenName(row.name) || before.name,
    quantity: row.quantity,
    sellable: row.sellable,
    costPrice,
    baseCostPrice: before.baseCostPrice > UNKNOWN_COST ? before.baseCostPrice : row.costPrice,
    // Over a cost that nobody has told there is none; earlier releases saw one over a cent.
    ...(thresholdCost(before) === 0 && NO_BREAKOUT),
    ...costAfterReport(turn, before, { costPrice, quantity: row.quantity }),
  }
  const stopLossPrice = displayedStop(turn.state, after)
  return isStopMoved(turn, before, { costPrice, stopLossPrice })
    ? { ...after, stopLossPrice }
    : after
}

/**
 * A cost that moves by no more than a tick leaves the stop that is shown, until many such moves have made it another one.
 * One that a person has written, which is known by being none of the formula, stands until the cost moves at once.
 */
function isStopMoved(
  { state }: Turn,
  before: Position,
  after: Pick<Position, 'costPrice' | 'stopLossPrice'>,
): boolean {
  const isOther = (one: Price, other: Price) => Math.abs(one - other) > tickSizeOf(before.code)
  if (isOther(after.costPrice, before.costPrice)) return true
  const isWritten = isOther(before.stopLossPrice, displayedStop(state, before))
  return !isWritten && isOther(after.stopLossPrice, before.stopLossPrice)
}

/** A list with fewer than this part of the holdings is a fault of the client until it lasts. */
const SHORT_LIST = 0.3
/** So many times as often as another one a short list is confirmed before it is believed. */
const SHORT_LIST_PATIENCE = 10
/** And so many times an empty one beside a market value of the holdings: most of an hour, by the default of the polls. */
const DENIED_PATIENCE = 100

/**
 * A whole list of holdings: rows as above, and what is missing in several lists in a row is gone.
 * One short list proves nothing; clients send those right after a reconnect. An empty one counts in
 * trading hours only and while no order is open, and counts little while the client says itself that there are holdings.
 *
 * Source  docs/domain.md 4.4; what lasts is believed in the end, because a holding that does not exist would be sold
 *         again and again, and no comparison would succeed.
 */
export function onPositionList(turn: Turn, rows: readonly BrokerPosition[]): void {
  const { state } = turn
  const known = state.positions.size
  for (const row of rows) onPositionReport(turn, row)
  listEnded(turn, rows)
  if (rows.length === 0 && !mayBeEmpty(turn)) return
  if (!isWhole(state, 'positions')) return
  const proof = DENIED_PATIENCE / patienceOf(turn, rows, known)
  const confirmed = state.policy.limits.missingConfirmations * DENIED_PATIENCE
  const listed = new Set(rows.map(({ code }) => code))
  for (const [code, held] of [...state.positions]) {
    if (listed.has(code)) continue
    const proven = (state.missing.get(code) ?? 0) + proof
    state.missing.set(code, proven)
    if (proven < confirmed) continue
    state.missing.delete(code)
    noteCleared(turn, held, goneOf(turn, held, 0))
    closePosition(turn, code, leftWhenLost(state, code))
  }
}

function patienceOf(turn: Turn, rows: readonly BrokerPosition[], known: number): number {
  if (rows.length === 0) return isDenied(turn) ? DENIED_PATIENCE : 1
  return rows.length < known * SHORT_LIST ? SHORT_LIST_PATIENCE : 1
}

const mayBeEmpty = ({ state, inputs }: Turn): boolean =>
  (state.policy.isAlwaysOpen || sessionAt(inputs.nowMs) === 'open') && state.orders.openCount === 0

/**
 * Whether the client counts what our books hold in its market value, and lists none of it: for minutes after its login
 * its lists may be behind. A value of little of it is of something that is in no list, such as shares of Hong Kong.
 */
function isDenied({ state, inputs }: Turn): boolean {
  let held = 0
  for (const position of state.positions.values()) {
    const { code, quantity } = position
    held += (quantity + unshownShares(state, code)) * markPrice(position, inputs.quote(code))
  }
  return held > 0 && (state.asset?.marketValue ?? 0) >= held * SHORT_LIST
}
