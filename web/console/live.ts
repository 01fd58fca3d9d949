import { computed, type Ref, shallowReactive } from 'vue'
import { believed, freshnessOf } from '../shared/freshness.ts'
import { keepsakeOf } from '../shared/keepsake.ts'
import { learnNames } from '../shared/names.ts'
import { clock, type Polled, usePolled } from '../shared/poll.ts'
import { keepSame, listOf, orderKey, positionKey, unlessSame } from '../shared/rows.ts'
import type {
  FillsPage,
  KillSwitchAnswer,
  OrderRow,
  PositionRow,
  PositionsAll,
  StatusAnswer,
  Switches,
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
  /** The newest fills, for the names of stocks that are held no more. */
  lately: Polled<FillsPage>
  kill: Polled<KillSwitchAnswer>
  books: Polled<ReconcileAnswer>
  config: Polled<Parameters>
  debug: Polled<DebugAnswer>
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
export function derive(live: Ref<Live | undefined>, lastPush: Ref<Pushed | undefined>) {
  const status = computed(() => believed(live.value?.status, clock.nowMs))
  /** A line that stands still, or is late, brings no news of what was answered since. */
  const isOvertaken = ({ event, atMs }: Pushed): boolean => {
    const { timestamp = '' } = status.value ?? {}
    if (event.timestamp !== timestamp) return event.timestamp < timestamp
    return (live.value?.status.updatedAt ?? 0) > atMs
  }
  /** The last push, while it is the newest word: also when its line has broken since, what was answered before it is older. */
  const push = computed(() => {
    const told = lastPush.value
    const isOld = freshnessOf(told?.atMs, clock.nowMs) === 'lost'
    if (told === undefined || isOld) return undefined
    return isOvertaken(told) ? undefined : told
  })
  const pushed = computed(() => push.value?.event)
  /** The newest word on the switches, by the clock of the service: the stream's or the last status; none once both are lost. */
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

type Get = <T>(path: string) => Promise<T>
interface Readers {
  readonly get: Get
  /** A reader of its own for each block, which is not sent again what has not changed. */
  readonly again: () => Get
}

/** Of fills that name stocks; the newest of each stock is among them, or it was sold long ago. */
const NAMING_FILLS = 200

/**
 * Starts reading everything in {@link Live}: what something on every screen depends on. Orders are counted in the rail and can be
 * canceled from anywhere, positions are what a ticket sells; fills are read by the screens that show them. Short
 * answers that say the time of the service are always read whole.
 */
export function startPolling({ get, again }: Readers): Live {
  const plain = <T>(path: string, everyMs: number) =>
    usePolled<T>({ everyMs, load: () => get<T>(path) })
  const kept = <T>(path: string, everyMs: number) => {
    const read = again()
    return usePolled<T>({ everyMs, load: () => read<T>(path) })
  }
  const [readPositions, readOrders, readFills] = [again(), again(), again()]
  return shallowReactive({
    status: usePolled<StatusAnswer>({
      everyMs: 9_000,
      load: () => get<StatusAnswer>('/api/status'),
      keepsake: keepsakeOf('status'),
    }),
    positions: usePolled<PositionsAll>({
      everyMs: 10_000,
      keepsake: keepsakeOf('positions'),
      load: unlessSame(
        () => readPositions<PositionsAll>('/api/positions-all'),
        (next, before) => {
          learnNames(next.data, true)
          return { ...next, data: keepSame<PositionRow>(before?.data, next.data, positionKey) }
        },
      ),
    }),
    orders: usePolled<readonly OrderRow[]>({
      everyMs: 2_500,
      keepsake: keepsakeOf('orders'),
      load: listOf<OrderRow>(() => readOrders('/api/orders'), orderKey),
    }),
    lately: usePolled<FillsPage>({
      everyMs: 60_000,
      load: unlessSame(
        () => readFills<{ data: FillsPage }>(`/api/fills?limit=${NAMING_FILLS}`),
        ({ data }) => {
          learnNames(data.fills)
          return data
        },
      ),
    }),
    kill: plain<KillSwitchAnswer>('/api/kill-switch', 9_000),
    books: kept<ReconcileAnswer>('/api/reconcile', 15_000),
    config: kept<Parameters>('/api/config', 30_000),
    debug: kept<DebugAnswer>('/api/debug/status', 60_000),
  })
}
