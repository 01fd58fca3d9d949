import { exchangeTime } from '../../domain/exchange-time.ts'
import type { OrderRecord } from '../../domain/order.ts'
import { isOpen } from '../../domain/order-state.ts'
import { calendarNotice } from '../../domain/session.ts'
import { PARAMETER_RANGES, shownSettings } from '../../domain/settings/parameters.ts'
import type { AccountState } from '../model/state.ts'
import { isSettled } from '../orders/assets.ts'
import { assetOf, nameOf } from '../turn/holding.ts'
import type { Sight } from '../turn/turn.ts'
import {
  balance,
  dayOrders,
  metricsOf,
  orderRow,
  type PositionRow,
  recordRow,
  settledOrders,
  shortRow,
} from './rows.ts'
import { heldParts, heldRows, seconds, type View, type ViewInputs } from './view.ts'

/** Direct mode: `status`, the fields where existing clients read them, and `data` besides. */
const answer = (fields: object, data: unknown = fields): object => ({
  status: 'success',
  ...fields,
  data,
})

/** Since when the trading client is missed, why, and when it is tried next; times in seconds. */
export const attemptsOf = ({ connection }: AccountState) => ({
  disconnected_since: seconds(connection.disconnectedAtMs),
  failures: connection.failures,
  last_failure: connection.lastFailure === '' ? null : connection.lastFailure,
  next_attempt_at: seconds(connection.nextAttemptMs),
  waiting_for_terminal: connection.nextAttemptMs !== undefined,
})

/** The connection to the trading client, as the status shows it. */
export const linkBlock = (state: AccountState) => ({
  connected: state.connection.phase === 'connected',
  ...attemptsOf(state),
})

/**
 * Names the account also before the trading client has told anything: that is how a page knows whose it is. A simulation
 * needs no client: existing clients ask here whether the account can be worked with.
 */
export const connection: View = ({ state }) => {
  const link = linkBlock(state)
  const connected = link.connected || state.simulation !== undefined
  return answer({ account_id: state.policy.accountId, ...link, connected })
}

/** The switches as `settings` shows them. */
export const switches = ({ settings }: AccountState) => ({
  isMonitoring: settings.ENABLE_AUTO_OPERATION,
  enableAutoTrading: settings.ENABLE_AUTO_TRADING,
  autoTradingEnabled: settings.ENABLE_AUTO_TRADING,
  enableGridTrading: settings.ENABLE_GRID_TRADING,
  gridTradingEnabled: settings.ENABLE_GRID_TRADING,
  // The monitor is this actor: whoever reads this has just been answered by it.
  positionMonitorRunning: true,
  allowBuy: settings.ENABLE_ALLOW_BUY,
  allowSell: settings.ENABLE_ALLOW_SELL,
  simulationMode: settings.ENABLE_SIMULATION_MODE,
})

/** Whether the sum of cash and holdings is one: both of the same moment, and every holding at a price. */
const isTotalKnown = (state: AccountState, rows: readonly PositionRow[]): boolean =>
  isSettled(state) && rows.every((row) => row.is_priced)

/** Account block of the status; before the first report the id is `--` and the numbers are zero. */
export function accountBlock(inputs: ViewInputs) {
  const { state } = inputs
  const isKnown = assetOf(state) !== undefined
  const rows = heldRows(inputs)
  const { available, frozen, marketValue, total } = balance(state, rows)
  return {
    id: isKnown ? state.policy.accountId : '--',
    alias: state.policy.alias,
    availableBalance: isKnown ? available : 0,
    maxHoldingValue: isKnown ? marketValue : 0,
    totalAssets: isKnown ? total : 0,
    frozenCash: isKnown ? frozen : 0,
    isKnown,
    isTotalKnown: isTotalKnown(state, rows),
    timestamp: isKnown ? exchangeTime(toldMs(inputs)) : '',
  }
}

/** Of when the cash is that is shown: simulated cash is always of now. */
const toldMs = ({ state, nowMs }: ViewInputs): number =>
  state.simulation === undefined && state.assetAtMs > 0 ? state.assetAtMs : nowMs

/** The end of the known holidays, where days have sessions. */
export const calendarField = ({ policy }: AccountState, { nowMs }: Sight) => ({
  calendar_notice: (policy.isAlwaysOpen ? undefined : calendarNotice(nowMs)) ?? null,
})

/** Switches of which some may not be known here: null. */
type ShownSwitches = { readonly [Name in keyof ReturnType<typeof switches>]: boolean | null }

/** What `/api/status` tells on both backends; older clients know each of two switches by another name. */
export const statusFields = (inputs: ViewInputs, settings: ShownSwitches) => ({
  isMonitoring: settings.isMonitoring,
  positionMonitorRunning: settings.positionMonitorRunning,
  enableAutoTrading: settings.enableAutoTrading,
  autoTradingEnabled: settings.autoTradingEnabled,
  enableGridTrading: settings.enableGridTrading,
  gridTradingEnabled: settings.gridTradingEnabled,
  account: accountBlock(inputs),
  connection: linkBlock(inputs.state),
  ...calendarField(inputs.state, inputs),
  settings,
})

export const status: View = (inputs) => answer(statusFields(inputs, switches(inputs.state)))

export const positions: View = (inputs) => {
  const rows = heldRows(inputs)
  const data = { positions: rows.map(shortRow), metrics: metricsOf(rows), positions_all: rows }
  return { status: 'success', data, data_version: inputs.state.dataVersion, no_change: false }
}

/** What follows the lists. */
const versionText = ({ state }: ViewInputs): string =>
  `,"data_version":${state.dataVersion},"no_change":false}`

export function* positionsParts(inputs: ViewInputs): Iterable<Uint8Array> {
  yield Buffer.from('{"status":"success","data":{"positions":')
  yield* heldParts(inputs, 'short')
  yield Buffer.from(`,"metrics":${JSON.stringify(metricsOf(heldRows(inputs)))},"positions_all":`)
  yield* heldParts(inputs, 'full')
  yield Buffer.from(`}${versionText(inputs)}`)
}

export function* positionsAllParts(inputs: ViewInputs): Iterable<Uint8Array> {
  yield Buffer.from('{"status":"success","data":')
  yield* heldParts(inputs, 'full')
  yield Buffer.from(versionText(inputs))
}

export const positionsAll: View = (inputs) => ({
  status: 'success',
  data: heldRows(inputs),
  data_version: inputs.state.dataVersion,
  no_change: false,
})

export const orders: View = (inputs) => ({
  status: 'success',
  data: listedOrders(inputs).map((order) => orderRow(order, nameOf(inputs.state, order.code))),
})

/**
 * A simulation fills its orders at once and has none to list, and beside its holdings and cash the real ones would be
 * taken for its own. But what a start has left unfinished at the trading client is shown in any mode.
 */
function listedOrders(inputs: ViewInputs): readonly OrderRecord[] {
  const all = dayOrders(inputs)
  return inputs.state.simulation === undefined ? all : all.filter(({ status }) => isOpen(status))
}

export const tradeRecords: View = ({ state, records }) => ({
  status: 'success',
  data: records.map((record) => recordRow(record, state.fillNotes.get(record.id))),
})

export const config: View = ({ state }) => ({
  status: 'success',
  data: {
    ...shownSettings(state.settings),
    firstProfitSellEnabled: state.policy.isStopProfitModuleOn,
    StopLossEnabled: true,
    connectPort: state.policy.directPort,
    totalAccounts: '127.0.0.1',
  },
  ranges: PARAMETER_RANGES,
})

const masked = (text: string): string =>
  text.length <= 4 ? text : '*'.repeat(text.length - 4) + text.slice(-4)

export const debug: View = ({ state }) => {
  const { settings, policy } = state
  const isConnected = state.connection.phase === 'connected'
  return answer({
    system_status: {
      ENABLE_AUTO_OPERATION: settings.ENABLE_AUTO_OPERATION,
      ENABLE_AUTO_TRADING: settings.ENABLE_AUTO_TRADING,
      ENABLE_GRID_TRADING: settings.ENABLE_GRID_TRADING,
      ENABLE_POSITION_MONITOR: true,
      ENABLE_ALLOW_BUY: settings.ENABLE_ALLOW_BUY,
      ENABLE_ALLOW_SELL: settings.ENABLE_ALLOW_SELL,
      ENABLE_SIMULATION_MODE: settings.ENABLE_SIMULATION_MODE,
    },
    multi_account_diagnostics: {
      // Accounts come from the configuration file, and logs go to standard output.
      env_QMT_ACCOUNT_ID: null,
      env_QMT_PATH: null,
      config_account_id: masked(policy.accountId),
      config_QMT_PATH: policy.clientPath,
      config_DATA_DIR: policy.dataDir,
      config_DB_PATH: `${policy.dataDir}/${masked(policy.accountId)}`,
      config_WEB_PORT: policy.directPort,
      config_LOG_FILE: null,
      qmt_trader_is_none: !isConnected,
      qmt_trader_class: policy.driver,
      qmt_trader_path: policy.clientPath,
      qmt_trader_account: masked(policy.accountId),
      qmt_acc_account_id: masked(policy.accountId),
      qmt_connected: isConnected,
    },
    actor: {
      is_ready: state.isReady,
      journal_seq: state.seq,
      open_calls: state.calls.size,
      orders: state.orders.size,
      positions: state.positions.size,
      day: state.day,
    },
  })
}

export const stockPool: View = ({ stockPool: codes }) => ({ status: 'success', data: codes })

/** Payload of the event stream (docs/domain.md 10.4). */
export const events: View = (inputs) => {
  const { state } = inputs
  const rows = heldRows(inputs)
  const { available, frozen, marketValue, total } = balance(state, rows)
  const shown = switches(state)
  const settled = settledOrders(inputs)
  return {
    account_info: {
      available,
      market_value: marketValue,
      total_asset: total,
      frozen_cash: frozen,
      is_known: assetOf(state) !== undefined,
      is_total_known: isTotalKnown(state, rows),
    },
    monitoring: {
      isMonitoring: shown.isMonitoring,
      autoTradingEnabled: shown.autoTradingEnabled,
      gridTradingEnabled: shown.gridTradingEnabled,
      allowBuy: shown.allowBuy,
      allowSell: shown.allowSell,
      simulationMode: shown.simulationMode,
    },
    positions_update: { version: state.dataVersion, changed: true },
    // Only when there is something to tell: existing clients see no other event than before.
    ...(settled.length > 0 && { settled_orders: settled }),
  }
}
