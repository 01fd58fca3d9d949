import { exchangeTime } from '../../domain/exchange-time.ts'
import { type InBoth, inBoth } from '../../domain/in-both.ts'
import { shownCode } from '../../domain/instrument.ts'
import { type Money, toYuan } from '../../domain/money.ts'
import { type OrderRecord, toldNumber, tradeType } from '../../domain/order.ts'
import type { Difference, ReconcileRun } from '../model/differences.ts'
import { reasonInBoth } from '../model/kill-switch.ts'
import { isUnconfirmed, NOTHING_SINCE } from '../model/restore.ts'
import type { AccountState } from '../model/state.ts'
import { openOrders } from '../orders/cancel-all.ts'
import { protectiveCount } from '../orders/protective-limit.ts'
import { holdsNow, levelInForce, lossOfDay, quietMs } from '../orders/triggers.ts'
import { isClientKnown, isInSession } from '../strategies/market-gates.ts'
import type { Outlook } from '../strategies/standing.ts'
import { nameOf } from '../turn/holding.ts'
import type { Sight } from '../turn/turn.ts'
import type { View } from './view.ts'

const timeText = (epochMs: number): string | null => (epochMs === 0 ? null : exchangeTime(epochMs))
const yuan = (money: Money | undefined): number | null =>
  money === undefined ? null : toYuan(money)

/** A text in each language, beside the text itself. */
export const named = <N extends string>(name: N, { zh, en }: InBoth) =>
  ({ [`${name}_zh`]: zh, [`${name}_en`]: en }) as Record<`${N}_zh` | `${N}_en`, string>

/** The kill switch and its triggers, under their wire names. `limit` 0 = off. */
export function killSwitchFields(state: AccountState, sight: Outlook) {
  const { level, sinceMs, reason, source } = state.killSwitch
  const inForce = levelInForce(state, sight)
  return {
    level,
    since: timeText(sinceMs),
    reason,
    ...named('reason', reasonInBoth(state.killSwitch)),
    source,
    /** What stops orders now: the level, or a hold that goes by itself. */
    level_in_force: inForce.level,
    reason_in_force: inForce.reason,
    ...named('reason_in_force', reasonInBoth(inForce)),
    holds: holdsNow(state, sight).map((hold) => ({
      name: hold.name,
      level: hold.level,
      since: exchangeTime(hold.sinceMs),
      reason: hold.reason,
      ...named('reason', inBoth(hold.reason)),
    })),
    open_orders: openOrders(state).length,
    resting: sight.resting ?? null,
    is_in_session: isInSession(state, sight.nowMs),
    is_ready: isClientKnown(state),
    triggers: triggersOf(state, sight),
  }
}

function triggersOf(state: AccountState, sight: Sight) {
  const { maxRejectsInRow, maxDailyLoss, staleQuoteMs } = state.risk
  const { dayTotal } = state
  const isToday = dayTotal.day !== '' && dayTotal.day === state.day
  const quiet = quietMs(state, sight)
  const protective = protectiveCount(state, sight.nowMs)
  return [
    {
      name: 'max_rejects_in_row',
      raises: 'all',
      clears_itself: false,
      unit: 'orders',
      limit: maxRejectsInRow,
      actual: state.rejectsInRow,
    },
    {
      name: 'max_daily_loss',
      raises: 'entries',
      clears_itself: false,
      unit: 'yuan',
      limit: maxDailyLoss,
      actual: maxDailyLoss === 0 ? null : yuan(lossOfDay(state, sight)),
      first_total: isToday ? yuan(dayTotal.total) : null,
      /** Fires again at this loss, after a person has lowered the level. */
      next_at: maxDailyLoss === 0 ? null : maxDailyLoss + (isToday ? toYuan(dayTotal.firedAt) : 0),
    },
    {
      name: 'stale_market',
      raises: 'entries',
      clears_itself: true,
      unit: 'seconds',
      limit: staleQuoteMs / 1_000,
      actual: quiet === undefined ? null : quiet / 1_000,
    },
    {
      name: 'clock_jump',
      raises: 'entries',
      clears_itself: true,
      unit: 'seconds',
      limit: state.policy.limits.clockStopMs / 1_000,
      actual: (sight.clockDoubt?.offMs ?? 0) / 1_000,
    },
    {
      /** Raises no level: at the limit protective sales are refused, and from 80 % on a person is told. */
      name: 'max_protective_orders_per_day',
      raises: 'off',
      clears_itself: true,
      unit: 'orders',
      limit: protective.limit,
      actual: protective.count,
    },
  ]
}

/** That the books were put back from a backup, what was found since, and whether a person has seen it. */
function restoreRow(state: AccountState) {
  const { restore } = state
  if (restore === undefined) return null
  const { mark, comparedMs, confirmedMs = comparedMs, since = NOTHING_SINCE } = restore
  return {
    mark,
    found: exchangeTime(restore.foundMs),
    compared: timeText(comparedMs),
    confirmed: timeText(confirmedMs),
    waits_for_person: isUnconfirmed(restore),
    epoch: restore.fromEpoch,
    client_epoch: restore.clientEpoch === 0 ? null : restore.clientEpoch,
    placed_since: since.orders.flatMap((id) => {
      const order = state.orders.get(id)
      return order === undefined ? [] : [placedRow(state, order)]
    }),
    placed_since_total: since.ordersTotal,
    deals_since: since.deals,
  }
}

const placedRow = (state: AccountState, order: OrderRecord) => ({
  time: exchangeTime(order.createdMs),
  order_id: toldNumber(order),
  client_order_id: order.clientOrderId,
  stock_code: shownCode(order.code),
  stock_name: nameOf(state, order.code),
  trade_type: tradeType(order.side),
  price: toYuan(order.price),
  volume: order.quantity,
  traded_volume: order.filledQuantity,
  state: order.status,
  strategy: order.strategy,
  is_ours: order.isRecovered === true,
})

/** What the comparisons have found, under its wire names. */
export function reconcileFields(state: AccountState) {
  const { run, lastRun, differences } = state
  return {
    result: lastRun === undefined ? 'pending' : resultOf(lastRun),
    is_running: run !== undefined,
    last_run: lastRun === undefined ? null : runRow(lastRun),
    restore: restoreRow(state),
    interval_seconds: state.policy.limits.reconcileIntervalMs / 1_000,
    differences: [...differences.values()].reverse().map(differenceRow),
    orders_in_doubt: inDoubt(state.orders).map((order) => ({
      client_order_id: order.clientOrderId,
      order_id: toldNumber(order) || null,
      stock_code: shownCode(order.code),
      stock_name: nameOf(state, order.code),
      trade_type: tradeType(order.side),
      volume: order.quantity,
      // A cancel of one that the client has lost sight of is a change that clears up nothing.
      since: exchangeTime(order.vanishedMs ?? order.updatedMs),
    })),
  }
}

/** What the last comparison came to, and how many orders nobody knows the fate of. */
export const comparisonOf = ({ lastRun, orders }: AccountState) => ({
  reconcile: lastRun === undefined ? ('pending' as const) : resultOf(lastRun),
  differences: lastRun?.found ?? 0,
  orders_in_doubt: inDoubt(orders).length,
})

const inDoubt = (orders: AccountState['orders']): readonly OrderRecord[] =>
  [...orders.values()].filter(({ status }) => status === 'inDoubt')

/** A report that is missing counts more than what the others showed. */
const resultOf = ({ failed, found }: ReconcileRun): 'ok' | 'differences' | 'unavailable' =>
  failed.length > 0 ? 'unavailable' : found > 0 ? 'differences' : 'ok'

const runRow = (run: ReconcileRun) => ({
  time: exchangeTime(run.atMs),
  duration_ms: run.durationMs,
  cause: run.cause,
  result: resultOf(run),
  differences: run.found,
  failed_reports: run.failed.map(({ what, reason }) => ({
    report: what,
    reason,
    ...named('reason', inBoth(reason)),
  })),
})

const differenceRow = (difference: Difference) => ({
  id: difference.id,
  time: exchangeTime(difference.timeMs),
  kind: difference.kind,
  key: difference.key,
  ours: difference.ours === '' ? null : difference.ours,
  theirs: difference.theirs === '' ? null : difference.theirs,
  resolution: difference.resolution,
  while_away: difference.whileAway,
})

const status = (fields: object): object => ({ status: 'success', ...fields, data: fields })
const success = (data: object): object => ({ success: true, data, error: null })

export const killSwitch: View = (inputs) => status(killSwitchFields(inputs.state, inputs))
export const v1KillSwitch: View = (inputs) => success(killSwitchFields(inputs.state, inputs))
export const reconcile: View = ({ state }) => status(reconcileFields(state))
export const v1Reconcile: View = ({ state }) => success(reconcileFields(state))
