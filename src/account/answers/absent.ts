import type { Resource } from '../../protocol/account.ts'

/** Whether an answer is open-ended follows from the views; these are the ones that are never refused. */
type Shown = Partial<Record<Resource, (account: Absent) => string>>

/** An account that cannot be asked. */
interface Absent {
  readonly accountId: string
  readonly alias: string
  /** Why, for people. */
  readonly problem: string
}

/** What is not known of the attempts to connect. */
const NO_ATTEMPTS = {
  disconnected_since: null,
  failures: 0,
  last_failure: null,
  next_attempt_at: null,
  waiting_for_terminal: false,
}

const NO_CONNECTION = { connected: false, ...NO_ATTEMPTS }

const nothingOf = ({ alias }: Absent) => ({
  isMonitoring: null,
  positionMonitorRunning: null,
  enableAutoTrading: null,
  autoTradingEnabled: null,
  enableGridTrading: null,
  gridTradingEnabled: null,
  account: {
    id: '--',
    alias,
    availableBalance: 0,
    maxHoldingValue: 0,
    totalAssets: 0,
    frozenCash: 0,
    isKnown: false,
    isTotalKnown: false,
    timestamp: '',
  },
  connection: NO_CONNECTION,
  settings: {
    isMonitoring: null,
    enableAutoTrading: null,
    autoTradingEnabled: null,
    enableGridTrading: null,
    gridTradingEnabled: null,
    positionMonitorRunning: null,
    allowBuy: null,
    allowSell: null,
    simulationMode: null,
  },
})

/** Ends before the time, which the front appends. */
const openEnded = (fields: object): string =>
  JSON.stringify({ status: 'success', ...fields, data: fields }).slice(0, -1)

const SHOWN: Shown = {
  connection: ({ accountId, problem }) =>
    openEnded({ account_id: accountId, ...NO_CONNECTION, problem }),
  status: (account) => openEnded({ ...nothingOf(account), problem: account.problem }),
  gatewayStatus: (account) =>
    JSON.stringify({ status: 'success', ...nothingOf(account), problem: account.problem }),
  v1Status: ({ accountId, problem }) => {
    const data = {
      account_id: accountId,
      connected: false,
      reconnecting: false,
      reconnect_attempts: 0,
      last_ping_ok_time: null,
      connected_at: null,
      data_feed_available: false,
      trading_available: false,
      xtdata_available: false,
      xttrader_available: false,
      ready: false,
      simulation_mode: null,
      ...NO_ATTEMPTS,
      problem,
    }
    return JSON.stringify({ success: true, data, error: null })
  },
}

/**
 * What the status routes answer of an account that starts, restarts or is parked: not connected, its
 * switches unknown, and why. Undefined for what only the account itself can answer.
 */
export function absentAnswer(resource: Resource, account: Absent): Uint8Array | undefined {
  const text = SHOWN[resource]?.(account)
  return text === undefined ? undefined : Buffer.from(text)
}
