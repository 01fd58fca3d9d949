import { computed, type Ref, shallowReactive } from 'vue'
import { believed, freshnessOf } from '../shared/freshness.ts'
import { learnNames, type Named } from '../shared/names.ts'
import { clock, type Polled, usePolled } from '../shared/poll.ts'
import { keepSame, listOf, orderKey, positionKey, tradeKey } from '../shared/rows.ts'
import type { StreamState } from '../shared/stream.ts'
import type {
  KillSwitchAnswer,
  OrderRow,
  PositionRow,
  PositionsAll,
  StatusAnswer,
  Switches,
  TradeRow,
} from '../shared/wire.ts'
import { type AccountMoney, moneyOf } from '../shared/wire.ts'
import type { DebugAnswer, Parameters, ReconcileAnswer, StreamEvent } from './wire.ts'

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

/** The last push, and when it came. */
export interface Pushed {
  readonly event: StreamEvent
  readonly atMs: number
}

/** Money as a push says it. */
export function moneyIn(told: NonNullable<StreamEvent['account_info']>): AccountMoney | undefined {
  if (!told.is_known) return undefined
  const isTotal = told.is_total_known
  return {
    cash: told.available,
    frozen: told.frozen_cash,
    market: isTotal ? told.market_value : undefined,
    total: isTotal ? told.total_asset : undefined,
  }
}

/** What follows from the last status and the last push, for as long as they may be believed. */
export function derive(
  live: Ref<Live | undefined>,
  stream: StreamView,
  lastPush: Ref<Pushed | undefined>,
) {
  const status = computed(() => believed(live.value?.status, clock.nowMs))
  /** The last push, while the stream is live and it is no old one. */
  const push = computed(() =>
    stream.state === 'live' && freshnessOf(lastPush.value?.atMs, clock.nowMs) !== 'lost'
      ? lastPush.value
      : undefined,
  )
  const pushed = computed(() => push.value?.event)
  /** The newest word on the switches: the stream's while it is live, else the last status; none once both are lost. */
  const switches = computed<Switches>(() => {
    const settings = status.value?.settings ?? {}
    const told = pushed.value?.monitoring
    if (told === undefined) return settings
    return {
      ...settings,
      isMonitoring: told.isMonitoring,
      enableAutoTrading: told.autoTradingEnabled,
      enableGridTrading: told.gridTradingEnabled,
      allowBuy: told.allowBuy,
      allowSell: told.allowSell,
      simulationMode: told.simulationMode,
    }
  })
  /** When that word came. */
  const switchesAt = computed(() => push.value?.atMs ?? live.value?.status.updatedAt)
  /** The newest word on the money; undefined before the trading client has said anything. */
  const money = computed<AccountMoney | undefined>(() => {
    const told = pushed.value?.account_info
    return told === undefined ? moneyOf(live.value?.status.data) : moneyIn(told)
  })
  const mode = computed<Mode>(() => {
    const driver = live.value?.debug.data?.multi_account_diagnostics?.qmt_trader_class
    if (switches.value.simulationMode === true) return 'simulation'
    if (switches.value.simulationMode !== false || driver === undefined) return 'unknown'
    return driver === 'paper' ? 'paper' : 'live'
  })
  return { status, pushed, switches, switchesAt, money, mode }
}

/** Starts reading everything in {@link Live}. */
export function startPolling(get: <T>(path: string) => Promise<T>): Live {
  const list = <T extends Named>(path: string, everyMs: number, keyOf: (row: T) => string) =>
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
        learnNames(next.data, true)
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
