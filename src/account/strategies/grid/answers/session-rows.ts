import { exchangeTimeIso } from '../../../../domain/exchange-time.ts'
import { type Money, type Price, toYuan } from '../../../../domain/money.ts'
import { summaryOf } from '../../../../strategy/grid/ledger.ts'
import { deviationsOf, type PnlSnapshot, pnlOf } from '../../../../strategy/grid/pnl.ts'
import { ratioOf } from '../../../../strategy/grid/ratios.ts'
import {
  feesOf,
  type GridSession,
  investedOf,
  tradeCountOf,
} from '../../../../strategy/grid/session.ts'
import { LEVEL_UNITS, levelsOf, type Tracker } from '../../../../strategy/grid/tracker.ts'

/** Sessions in the shapes in which existing clients read them (docs/domain.md 6.16). Ratios are decimals. */

const DAY_MS = 86_400_000
const time = (epochMs: number): string | null => (epochMs > 0 ? exchangeTimeIso(epochMs) : null)
const levelInYuan = (level: number): number => toYuan((level / LEVEL_UNITS) as Price)

/** Profit and loss at a price; 0 marks at the present center. */
export const snapshotOf = (session: GridSession, price: Price): PnlSnapshot =>
  pnlOf({ session, ledger: session.ledger, price, held: undefined })

/** The same after fees; null where an earlier release has not noted them. The totals that exits look at are without. */
function netOf(session: GridSession, pnl: PnlSnapshot) {
  const fees = feesOf(session)
  return {
    fees: fees === undefined ? null : toYuan(fees),
    net_pnl: fees === undefined ? null : toYuan((pnl.total - fees) as Money),
  }
}

export const pnlRow = (session: GridSession, pnl: PnlSnapshot) => ({
  stock_code: session.code,
  session_id: session.id,
  method: pnl.method,
  method_detail: pnl.methodDetail,
  mark_price: toYuan(pnl.mark),
  profit_ratio: pnl.profitRatio,
  total_pnl_ratio: pnl.profitRatio,
  total_pnl: toYuan(pnl.total),
  realized_pnl: toYuan(pnl.realized),
  unrealized_pnl: toYuan(pnl.unrealized),
  ...netOf(session, pnl),
  cash_flow_profit: toYuan(pnl.cashFlow),
  cash_flow_ratio: pnl.cashFlowRatio,
  open_volume: pnl.openQuantity,
  matched_volume: pnl.matchedQuantity,
  unmatched_volume: pnl.unmatchedQuantity,
  has_ledger: pnl.hasLedger,
  is_degraded: pnl.isDegraded,
  denominator: toYuan(pnl.denominator),
  denominator_type: pnl.denominatorType,
})

/** What a session was started with. */
export const parametersRow = (session: GridSession) => ({
  center_price: toYuan(session.centerPrice),
  price_interval: ratioOf(session.intervalPpm),
  position_ratio: ratioOf(session.positionPpm),
  callback_ratio: ratioOf(session.callbackPpm),
  trade_mode: session.tradeMode,
  fixed_volume: session.fixedQuantity,
  max_investment: toYuan(session.maxInvestment),
  max_deviation: ratioOf(session.maxDeviationPpm),
  target_profit: ratioOf(session.targetProfitPpm),
  stop_loss: ratioOf(session.stopLossPpm),
})

/** Its `config`; the days are those that are left, in whole numbers. */
export const configRow = (session: GridSession, nowMs: number) => ({
  stock_code: session.code,
  enabled: session.isEnabled,
  ...parametersRow(session),
  duration_days: Math.floor((session.endMs - nowMs) / DAY_MS),
})

const countsRow = (session: GridSession) => ({
  trade_count: tradeCountOf(session),
  buy_count: session.buyCount,
  sell_count: session.sellCount,
})

const profitFields = (session: GridSession, price: Price) => {
  const pnl = snapshotOf(session, price)
  return {
    profit_ratio: pnl.profitRatio,
    grid_profit: toYuan(pnl.total),
    pnl_snapshot: pnlRow(session, pnl),
  }
}

/** Its `stats`, to the field as existing clients read them. */
export function statsRow(session: GridSession, price: Price) {
  const mark = snapshotOf(session, price).mark
  const { deviation, center, market, effective } = deviationsOf(session, mark)
  return {
    center_price: toYuan(session.centerPrice),
    current_center_price: toYuan(session.currentCenter),
    ...countsRow(session),
    ...profitFields(session, price),
    current_investment: toYuan(investedOf(session)),
    max_investment: toYuan(session.maxInvestment),
    start_time: time(session.startMs),
    end_time: time(session.endMs),
    deviation_ratio: deviation,
    center_deviation_ratio: center,
    market_deviation_ratio: market,
    effective_deviation_ratio: effective,
    market_price: toYuan(mark),
  }
}

export function levelsRow(session: GridSession) {
  const { lower, upper } = levelsOf(session.currentCenter, session.intervalPpm)
  return {
    lower: levelInYuan(lower),
    center: toYuan(session.currentCenter),
    upper: levelInYuan(upper),
  }
}

/** The tracker as it stands at a price; what it follows is written down only when it matters. */
export const trackerRow = ({ tracker }: { readonly tracker: Tracker }, price: Price) => ({
  last_price: toYuan(price > 0 ? price : tracker.lastPrice),
  peak_price: toYuan(tracker.peakPrice),
  valley_price: toYuan(tracker.valleyPrice),
  direction: tracker.direction,
  crossed_level: tracker.crossedLevel === null ? null : levelInYuan(tracker.crossedLevel),
  waiting_callback: tracker.isWaiting,
})

export function statusStatsRow(session: GridSession, price: Price) {
  return {
    ...countsRow(session),
    ...profitFields(session, price),
    deviation_ratio: deviationsOf(session, price).deviation,
  }
}

/** One session in full. */
export const detailRow = (session: GridSession, price: Price) => ({
  id: session.id,
  stock_code: session.code,
  status: session.status,
  enabled: session.isEnabled,
  ...parametersRow(session),
  current_center_price: toYuan(session.currentCenter),
  current_investment: toYuan(investedOf(session)),
  ...countsRow(session),
  total_buy_amount: toYuan(session.buyAmount),
  total_sell_amount: toYuan(session.sellAmount),
  ...profitFields(session, price),
  deviation_ratio: deviationsOf(session, price).deviation,
  start_time: time(session.startMs),
  end_time: time(session.endMs),
  grid_levels: levelsRow(session),
  tracker_state: trackerRow(session, price),
})

/** One row of the list of all sessions, marked at the present center. */
export const listRow = (session: GridSession) => ({
  session_id: session.id,
  stock_code: session.code,
  status: session.status,
  enabled: session.isEnabled,
  simulated: session.isSimulated,
  center_price: toYuan(session.centerPrice),
  current_center_price: toYuan(session.currentCenter),
  ...countsRow(session),
  ...profitFields(session, 0 as Price),
  current_investment: toYuan(investedOf(session)),
  max_investment: toYuan(session.maxInvestment),
  deviation_ratio: deviationsOf(session, 0 as Price).deviation,
  ...timesRow(session),
})

const timesRow = (session: GridSession) => ({
  start_time: time(session.startMs),
  end_time: time(session.endMs),
  stop_time: time(session.stopMs),
  stop_reason: session.stopReason === '' ? null : session.stopReason,
})

/** The row of the session table, under the names of its columns. */
export const storedRow = (session: GridSession) => ({
  id: session.id,
  session_id: session.id,
  stock_code: session.code,
  status: session.status,
  enabled: session.isEnabled,
  ...parametersRow(session),
  current_center_price: toYuan(session.currentCenter),
  current_investment: toYuan(investedOf(session)),
  ...countsRow(session),
  total_buy_amount: toYuan(session.buyAmount),
  total_sell_amount: toYuan(session.sellAmount),
  total_buy_volume: session.buyQuantity,
  total_sell_volume: session.sellQuantity,
  ...timesRow(session),
  risk_level: session.riskLevel,
  template_name: session.templateName,
  simulated: session.isSimulated,
})

export function summaryRow(session: GridSession, mark: Price) {
  const summary = summaryOf(session.ledger, mark)
  const yuan = (money: Money) => toYuan(money)
  return {
    has_ledger: summary.hasLedger,
    lot_count: summary.lotCount,
    match_count: summary.matchCount,
    bought_volume: summary.boughtQuantity,
    open_volume: summary.openQuantity,
    matched_volume: summary.matchedQuantity,
    unmatched_volume: summary.unmatchedQuantity,
    open_cost: yuan(summary.openCost),
    open_market_value: yuan(summary.openMarketValue),
    realized_pnl: yuan(summary.realized),
    unrealized_pnl: yuan(summary.unrealized),
    true_pnl: yuan(summary.truePnl),
  }
}
