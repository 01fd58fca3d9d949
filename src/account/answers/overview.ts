import { worthOf } from '../../domain/equity.ts'
import { normalizeCode } from '../../domain/instrument.ts'
import { type Price, toYuan } from '../../domain/money.ts'
import { tickSizeOf } from '../../domain/rules.ts'
import { closeBefore } from '../model/equity-book.ts'
import { reasonInBoth } from '../model/kill-switch.ts'
import { isUnconfirmed } from '../model/restore.ts'
import type { AccountState } from '../model/state.ts'
import { openOrders } from '../orders/cancel-all.ts'
import { levelInForce, quietMs } from '../orders/triggers.ts'
import { isClientKnown, isInSession } from '../strategies/market-gates.ts'
import type { Sight } from '../turn/turn.ts'
import { accountBlock, attemptsOf, calendarField } from './direct.ts'
import { dayNow, ratioOrNull, todayRow } from './earnings-rows.ts'
import { metricsOf, type PositionRow } from './rows.ts'
import { comparisonOf, named } from './safety.ts'
import { heldRows, type View, type ViewInputs } from './view.ts'

/**
 * The day until now, as the earnings tell it, and as a part of what was there before it: what there is less what the day
 * has brought, so that cash which came or went today is no gain.
 */
export function dayFields(state: AccountState, sight: Sight) {
  const now = dayNow(state, sight)
  const row = todayRow(now, closeBefore(state.equity, now))
  const base =
    now.point === undefined || row.pnl === null ? 0 : toYuan(worthOf(now.point)) - row.pnl
  return {
    day: now.day,
    pnl: row.pnl,
    ratio: ratioOrNull(row.pnl === null || base <= 0 ? null : row.pnl / base),
    method: row.method,
    reason: row.pnl_reason,
  }
}

interface ToldLines {
  readonly sells_at?: number | null
  readonly stop?: number | null
}
/**
 * The stop as pages show it: it is stored to the nearest tick, and the first price that sells, which its line tells, may be
 * one below that.
 */
function stopOf({ stock_code: code, stop_loss_price: stored, why }: PositionRow): number {
  const known = normalizeCode(code)
  const tick = known.ok ? toYuan(tickSizeOf(known.value) as Price) : 0
  const { sells_at: sellsAt, stop } = Object(why) as ToldLines
  const isTold = (at: number | null | undefined): at is number =>
    typeof at === 'number' && at <= stored && stored - at < tick * 1.5
  return [sellsAt, stop].find(isTold) ?? stored
}

/** How far a price stands above the stop, as a part of the price; below it negative. */
const distanceOf = (row: PositionRow): number =>
  (row.current_price - stopOf(row)) / row.current_price

/** Whether a stop of this holding would sell something, by what is known of it. */
const hasStop = (row: PositionRow): boolean =>
  row.volume > 0 && row.stop_profit_enabled && row.stop_loss_price > 0

/** The holding whose price is nearest to its stop, or deepest below it; and how many with a stop have no price. */
export function stopFields(rows: readonly PositionRow[]) {
  const guarded = rows.filter(hasStop)
  const priced = guarded.filter((row) => row.is_priced && row.current_price > 0)
  let nearest: PositionRow | undefined
  for (const row of priced) {
    if (nearest === undefined || distanceOf(row) < distanceOf(nearest)) nearest = row
  }
  return {
    nearest_stop:
      nearest === undefined
        ? null
        : {
            stock_code: nearest.stock_code,
            stock_name: nearest.stock_name,
            price: nearest.current_price,
            stop: stopOf(nearest),
            distance: ratioOrNull(distanceOf(nearest)),
          },
    unpriced_stops: guarded.length - priced.length,
  }
}

/** What they have earned, at the prices of what they are worth. */
function holdingFields(rows: readonly PositionRow[]) {
  const { total_positions, total_cost, total_profit, total_profit_ratio, ...more } = metricsOf(rows)
  const { unpriced_positions, uncosted_positions } = more
  const totals = { total_positions, total_cost, total_profit, total_profit_ratio }
  return { ...totals, unpriced_positions, uncosted_positions }
}

/** How the quotes of the holdings come in. */
function quoteFields(state: AccountState, sight: Sight) {
  const { staleQuoteMs } = state.risk
  const quiet = quietMs(state, sight)
  return {
    quiet_seconds: quiet === undefined ? null : quiet / 1_000,
    quiet_limit_seconds: staleQuoteMs / 1_000,
    is_in_session: isInSession(state, sight.nowMs),
  }
}

function killFields(state: AccountState, sight: Sight) {
  const inForce = levelInForce(state, sight)
  return {
    kill_level: state.killSwitch.level,
    kill_level_in_force: inForce.level,
    kill_reason: inForce.reason,
    ...named('kill_reason', reasonInBoth(inForce)),
  }
}

/** How it goes, for whoever watches many accounts. */
export const overview: View = (inputs: ViewInputs) => {
  const { state } = inputs
  const { restore } = state
  const rows = heldRows(inputs)
  return {
    driver: state.policy.driver,
    simulation_mode: state.simulation !== undefined,
    auto_operation: state.settings.ENABLE_AUTO_OPERATION,
    resting: inputs.resting ?? null,
    ready: isClientKnown(state),
    connected: state.connection.phase === 'connected',
    ...attemptsOf(state),
    account: accountBlock(inputs),
    today: dayFields(state, inputs),
    holdings: holdingFields(rows),
    ...stopFields(rows),
    ...killFields(state, inputs),
    ...quoteFields(state, inputs),
    ...calendarField(state, inputs),
    ...comparisonOf(state),
    restore_waits: restore !== undefined && isUnconfirmed(restore),
    open_orders: openOrders(state).length,
  }
}
