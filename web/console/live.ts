import { computed, type Ref, shallowReactive } from 'vue'
import { type Polled, usePolled } from '../shared/poll.ts'
import { keepSame, listOf, orderKey, positionKey, tradeKey } from '../shared/rows.ts'
import type { StreamState } from '../shared/stream.ts'
import type {
  OrderRow,
  PositionRow,
  PositionsAll,
  StatusAnswer,
  Switches,
  TradeRow,
} from '../shared/wire.ts'
import type {
  DebugAnswer,
  KillSwitchAnswer,
  Parameters,
  ReconcileAnswer,
  StreamEvent,
} from './wire.ts'

/** Whether the account trades real money, as far as the page can know. */
export type Mode = 'live' | 'simulation' | 'paper' | 'unknown'

/** What is read again and again for as long as the page is open. */
export interface Live {
  status: Polled<StatusAnswer>
  positions: Polled<PositionsAll>
  orders: Polled<readonly OrderRow[]>
  trades: Polled<readonly TradeRow[]>
  kill: Polled<KillSwitchAnswer>
  books: Polled<ReconcileAnswer>
  config: Polled<Parameters>
  debug: Polled<DebugAnswer>
}

interface StreamView {
  readonly state: StreamState
}

/** What follows from the last status and the last push. */
export function derive(
  live: Ref<Live | undefined>,
  stream: StreamView,
  pushed: Ref<StreamEvent | undefined>,
) {
  /** The newest word on the switches: the stream's while it is live, else the last status. */
  const switches = computed<Switches>(() => {
    const settings = live.value?.status.data?.settings ?? {}
    const push = stream.state === 'live' ? pushed.value?.monitoring : undefined
    if (push === undefined) return settings
    return {
      ...settings,
      isMonitoring: push.isMonitoring,
      enableAutoTrading: push.autoTradingEnabled,
      enableGridTrading: push.gridTradingEnabled,
      allowBuy: push.allowBuy,
      allowSell: push.allowSell,
      simulationMode: push.simulationMode,
    }
  })
  const mode = computed<Mode>(() => {
    const driver = live.value?.debug.data?.multi_account_diagnostics?.qmt_trader_class
    if (switches.value.simulationMode === true) return 'simulation'
    if (switches.value.simulationMode !== false || driver === undefined) return 'unknown'
    return driver === 'paper' ? 'paper' : 'live'
  })
  return { switches, mode }
}

/** Starts reading everything in {@link Live}. */
export function startPolling(get: <T>(path: string) => Promise<T>): Live {
  const list = <T extends object>(path: string, everyMs: number, keyOf: (row: T) => string) =>
    usePolled<readonly T[]>({
      everyMs,
      load: listOf(() => get(path), keyOf),
    })
  const plain = <T>(path: string, everyMs: number) =>
    usePolled<T>({ everyMs, load: () => get<T>(path) })
  return shallowReactive({
    status: plain<StatusAnswer>('/api/status', 9_000),
    positions: usePolled<PositionsAll>({
      everyMs: 10_000,
      load: async (before) => {
        const next = await get<PositionsAll>(
          `/api/positions-all?version=${before?.data_version ?? 0}`,
        )
        if (next.no_change && before !== undefined) return before
        return { ...next, data: keepSame<PositionRow>(before?.data, next.data, positionKey) }
      },
    }),
    orders: list<OrderRow>('/api/orders', 2_500, orderKey),
    trades: list<TradeRow>('/api/trade-records', 5_000, tradeKey),
    kill: plain<KillSwitchAnswer>('/api/kill-switch', 9_000),
    books: plain<ReconcileAnswer>('/api/reconcile', 15_000),
    config: plain<Parameters>('/api/config', 30_000),
    debug: plain<DebugAnswer>('/api/debug/status', 60_000),
  })
}
