import type { AccountPolicy, RiskPolicy } from '../../src/account/model/policy.ts'
import type { AccountState } from '../../src/account/model/state.ts'
import { emptyState } from '../../src/account/model/state.ts'
import { submitIntent } from '../../src/account/orders/order-intent.ts'
import { type AccountInput, step, stepTogether } from '../../src/account/step.ts'
import type { StrategyManifest } from '../../src/account/strategies/manifest.ts'
import { STRATEGIES } from '../../src/account/strategies/registry.ts'
import {
  type SignalOrder,
  signalIntent,
} from '../../src/account/strategies/stop-profit/follow-up.ts'
import { type Effect, Turn } from '../../src/account/turn/turn.ts'
import { feeRatesOf } from '../../src/domain/fees.ts'
import type { StockCode } from '../../src/domain/instrument.ts'
import type { KillLevel } from '../../src/domain/kill-level.ts'
import type { Money, Price, Quantity } from '../../src/domain/money.ts'
import type { BrokerDeal, BrokerOrder, BrokerPosition } from '../../src/domain/order.ts'
import type { ClockDoubt } from '../../src/ports/clock.port.ts'
import type { Quote } from '../../src/ports/quotes.port.ts'
import type { DriverCommand, DriverEvent, QueryKind } from '../../src/protocol/driver.ts'
import type { PlaceOrder } from '../../src/protocol/orders.ts'
import { RISK_TEMPLATES } from '../../src/strategy/grid/templates.ts'
import { policy as gridPolicy } from '../strategy/grid/fixture.ts'

export const BANK = '600036.SH' as StockCode
/** 2026-08-11 10:00:00 at the exchange. */
export const MORNING_MS = Date.parse('2026-08-11T02:00:00Z')
export const yuan = (amount: number) => Math.round(amount * 10_000) as Price

export const policy: AccountPolicy = {
  accountId: '10000001',
  alias: '',
  clientPath: 'C:/qmt/userdata_mini',
  dataDir: 'C:/steward/data',
  accountType: 'STOCK',
  driver: 'paper',
  isReal: false,
  directPort: 5000,
  isStopProfitModuleOn: true,
  profitTiers: [
    { level: 0.05, coefficient: 0.96 },
    { level: 0.1, coefficient: 0.93 },
  ],
  stopProfit: {
    pullbackRatio: 0.005,
    signalAgeMaxMs: 120_000,
    isFullExitBesideOrders: false,
    isTakeProfitReplaced: false,
    isKeptAlive: true,
    keepAliveMs: 90_000,
    validMs: 300_000,
    triesMax: 3,
    addCooldownMs: 120_000,
  },
  health: {
    isEnabled: true,
    isObserveOnly: true,
    windowMs: 300_000,
    eventsMin: 3,
    eventsMax: 100,
    keysMax: 100,
    healthyScore: 80,
    degradedScore: 60,
    unstableScore: 40,
    tradingScoreMin: 70,
    isFallbackAllowed: false,
    source: 'replay',
    checkEveryMs: 3_000,
  },
  breaker: { isEnabled: true, failuresMax: 3, windowMs: 60_000, breakMs: 300_000, stocksMax: 100 },
  grid: {
    ...gridPolicy,
    defaults: { ...RISK_TEMPLATES.moderate, tradeMode: 'amount' },
    isProfitTriggerRequired: false,
    checkEveryMs: 3_000,
    sessionsKept: 3,
    templatesMax: 5,
  },
  stockPool: ['000001.SZ'],
  simulationBalance: 1_000_000,
  settings: {
    ENABLE_AUTO_OPERATION: false,
    ENABLE_SIMULATION_MODE: false,
    ENABLE_AUTO_TRADING: false,
    ENABLE_GRID_TRADING: true,
    ENABLE_ALLOW_BUY: true,
    ENABLE_ALLOW_SELL: true,
    ENABLE_STOP_LOSS_BUY: true,
    ENABLE_PAUSE_GRID_AFTER_TAKE_PROFIT_FULL: true,
    POSITION_UNIT: 35_000,
    INITIAL_TAKE_PROFIT_RATIO: 0.06,
    INITIAL_TAKE_PROFIT_RATIO_PERCENTAGE: 0.6,
    BUY_GRID_LEVEL_1: 0.93,
    STOP_LOSS_RATIO: -0.075,
    MAX_POSITION_VALUE: 70_000,
    MAX_TOTAL_POSITION_RATIO: 0.95,
  },
  risk: {
    maxOrdersPerSecond: 0,
    maxOrdersPerDay: 0,
    maxProtectiveOrdersPerDay: 0,
    maxOrderValue: 0,
    priceDeviation: 0,
    maxDailyLoss: 0,
    maxRejectsInRow: 0,
    staleQuoteMs: 0,
    refuseDuplicates: false,
  },
  feeRates: feeRatesOf({
    commission: 0.0003,
    commission_min: 5,
    stamp_duty: 0.0005,
    transfer_fee: 0.000_01,
  }),
  isAlwaysOpen: false,
  tempo: 'real',
  pending: {
    isAutoCancel: true,
    timeoutMs: 300_000,
    stopLossTimeoutMs: 30_000,
    isAutoReorder: true,
    priceMode: 'best',
    reordersMax: 3,
    triesMax: 3,
    retryIntervalMs: 1_000,
  },
  limits: {
    callTimeoutMs: 3_000,
    connectTimeoutMs: 30_000,
    reconnectIntervalMs: 60_000,
    reconnectAttemptsMax: 5,
    reconnectWaitMsMax: 3_600_000,
    reconnectSessionWaitMsMax: 15_000,
    reconnectGapMs: 3_000,
    pingIntervalMs: 30_000,
    positionQueryIntervalMs: 10_000,
    openOrdersQueryMs: 1_000,
    holdingsLagMs: 5_000,
    doubtQueryIntervalMs: 2_000,
    formerCallsMs: 0,
    doubtSettleMs: 10_000,
    doubtQuarantineMs: 300_000,
    matchBeforeMs: 5_000,
    matchAfterMs: 30_000,
    cancelRetriesMax: 3,
    cancelsAtOnceMax: 32,
    cancelRetryIntervalMs: 1_000,
    versionHeartbeatMs: 15_000,
    recordsDays: 60,
    ordersKeepDays: 2,
    ordersMax: 2_000,
    denialsMax: 3,
    untoldMs: 300_000,
    untoldKeysMax: 3,
    answeredWithinMs: 40_000,
    settledShownMax: 3,
    pacedOrdersMax: 30,
    pacedWaitMs: 3_000,
    pacedBatchMs: 300_000,
    amendMs: 30_000,
    amendFreezeMs: 5_000,
    amendTriesMax: 5,
    amendRetryMs: 1_000,
    pacedAnswerMs: 1_000,
    missingConfirmations: 2,
    reconcileIntervalMs: 60_000,
    clockStopMs: 60_000,
    quoteAheadMs: 600_000,
    exDayHoldMs: 1_800_000,
    reconcileFreshMs: 120_000,
    restoreAlarmMs: 600_000,
    differencesMax: 5,
    fillNotesMax: 3,
    fillNoteCharsMax: 20,
    decisionsPerStockMax: 20,
    decisionsMax: 10_000,
    refusalRepeatMs: 60_000,
    signalRetryMaxMs: 900_000,
    costSettleMs: 120_000,
    equityMinutesMax: 1_500,
    equityPruneMax: 500,
  },
}

/** An account without threads: inputs go in, events and effects come out, the clock is a field. */
export class Bench {
  readonly state: AccountState
  readonly #strategies: readonly StrategyManifest[]
  readonly quotes = new Map<StockCode, Quote>()
  readonly journal: Turn['events'] = []
  nowMs = MORNING_MS
  wallMs = MORNING_MS
  clockDoubt: ClockDoubt | undefined
  #ref = 0

  constructor(state: AccountState = emptyState(policy), strategies = STRATEGIES) {
    this.state = state
    this.#strategies = strategies
  }

  input(input: AccountInput): readonly Effect[] {
    return this.work(this.turn(), input)
  }

  /** What the broker says in one breath. */
  together(inputs: readonly AccountInput[]): readonly Effect[] {
    const turn = this.turn()
    stepTogether(turn, inputs, this.#strategies)
    this.journal.push(...turn.events)
    return turn.effects
  }

  /** What a signal wants goes through the door; then comes what follows every input. */
  signal(order: SignalOrder): readonly Effect[] {
    const turn = this.turn()
    submitIntent(turn, signalIntent(order))
    return this.work(turn, { kind: 'alarm' })
  }

  turn(): Turn {
    const { nowMs, wallMs, clockDoubt } = this
    const quote = (code: StockCode) => this.quotes.get(code)
    return new Turn(this.state, { nowMs, wallMs, quote, clockDoubt })
  }

  /** An input in a turn that somebody has looked at. */
  work(turn: Turn, input: AccountInput): readonly Effect[] {
    step(turn, input, this.#strategies)
    this.journal.push(...turn.events)
    return turn.effects
  }

  /** Started, connected and reconciled with an empty broker. */
  ready(positions: readonly BrokerPosition[] = []): this {
    const [connect] = commands(this.input({ kind: 'started', incarnation: 1, day: '2026-08-11' }))
    const callId = connect?.callId ?? 0
    const queries = commands(
      this.input({
        kind: 'driver',
        event: { kind: 'connectAnswered', callId, result: { ok: true, value: null } },
      }),
    )
    this.answerQueries(queries, { positions })
    return this
  }

  /** Answers queries; what is not given is empty, and cash is a million. */
  answerQueries(
    queries: readonly DriverCommand[],
    rows: {
      orders?: readonly BrokerOrder[]
      deals?: readonly BrokerDeal[]
      positions?: readonly BrokerPosition[]
    } = {},
  ): readonly Effect[] {
    return queries.flatMap((query) => {
      if (query.kind !== 'query') return []
      const asset = { available: 10_000_000_000, frozen: 0, marketValue: 0, total: 10_000_000_000 }
      const all: Record<QueryKind, unknown> = {
        orders: [],
        deals: [],
        positions: [],
        ...rows,
        asset: [asset],
      }
      const value = { what: query.what, rows: all[query.what] } as never
      const { callId, what } = query
      const event = { kind: 'queryAnswered', callId, what, result: { ok: true, value } } as const
      return this.input({ kind: 'driver', event })
    })
  }

  place(order: Partial<PlaceOrder> = {}): readonly Effect[] {
    this.#ref += 1
    return this.input({ kind: 'request', ref: this.#ref, request: { ...ORDER, ...order } })
  }
}

export const KEY = '01ARZ3NDEKTSV4RRFFQ69G5FAV'
export const ORDER: PlaceOrder = {
  kind: 'placeOrder',
  key: KEY,
  requestHash: 'h1',
  code: BANK,
  side: 'buy',
  quantity: 100,
  priceType: 11,
  price: yuan(36.5),
  strategy: 'manual',
  source: 'test',
}

export const commands = (effects: readonly Effect[]): readonly DriverCommand[] =>
  effects.flatMap((effect) => (effect.kind === 'call' ? [effect.command] : []))
export const replies = (effects: readonly Effect[]): readonly unknown[] =>
  effects.flatMap((effect) => (effect.kind === 'reply' ? [effect.value] : []))
export const refusals = (effects: readonly Effect[]): readonly string[] =>
  effects.flatMap((effect) => (effect.kind === 'refuse' ? [effect.error.code] : []))

export const brokerOrder = (row: Partial<BrokerOrder> = {}): BrokerOrder => ({
  orderId: '1001',
  clientOrderId: KEY,
  code: BANK,
  side: 'buy',
  quantity: 100 as Quantity,
  priceType: 11,
  price: yuan(36.5),
  filledQuantity: 0 as Quantity,
  filledAmount: 0 as Money,
  status: 50,
  statusMessage: '',
  timeMs: MORNING_MS,
  strategy: 'manual',
  ...row,
})

export const brokerDeal = (row: Partial<BrokerDeal> = {}): BrokerDeal => ({
  dealId: 'd1',
  orderId: '1001',
  clientOrderId: KEY,
  code: BANK,
  side: 'buy',
  quantity: 100 as Quantity,
  price: yuan(36.5),
  amount: (yuan(36.5) * 100) as Money,
  fee: 50_000 as Money,
  timeMs: MORNING_MS,
  strategy: 'manual',
  ...row,
})

export const brokerPosition = (row: Partial<BrokerPosition> = {}): BrokerPosition => ({
  code: BANK,
  name: '招商银行',
  quantity: 1_000 as Quantity,
  sellable: 1_000 as Quantity,
  costPrice: yuan(35.1),
  ...row,
})

export const quote = (lastPrice: number, timeMs = MORNING_MS): Quote => ({
  timeMs,
  lastPrice: yuan(lastPrice),
  open: yuan(lastPrice),
  high: yuan(lastPrice),
  low: yuan(lastPrice),
  lastClose: yuan(36),
  bid: [yuan(lastPrice)],
  ask: [yuan(lastPrice)],
  bidVolume: [0],
  askVolume: [0],
  volume: 0,
  amount: 0,
})

/** Client order ids that differ in their last two characters, 0 … 99. */
export const keyOf = (n: number) => `${KEY.slice(0, -2)}${String(n).padStart(2, '0')}`
/** An account with other limits of the pre-trade rules. */
export const withRisk = (risk: Partial<RiskPolicy>) =>
  new Bench(emptyState({ ...policy, risk: { ...policy.risk, ...risk } }))
/** An operator sets the kill switch. */
export const set = (bench: Bench, level: KillLevel, reason = 'by hand') =>
  bench.input({
    kind: 'request',
    ref: 900,
    request: { kind: 'setKillSwitch', level, reason, source: 'operator' },
  })
/** Something that the broker says. */
export const driver = (bench: Bench, event: DriverEvent) => bench.input({ kind: 'driver', event })
/** It pushes a row of an order. */
export const push = (bench: Bench, row: Partial<BrokerOrder>) =>
  driver(bench, { kind: 'orderPushed', order: brokerOrder(row) })

/** A holding that may be sold, with a fresh quote. */
export function holder(risk: Partial<RiskPolicy> = {}): Bench {
  const bench = withRisk(risk).ready([brokerPosition()])
  bench.quotes.set(BANK, quote(36, bench.nowMs))
  return bench
}
/** An open order of ours, known by this number. */
export function rest(bench: Bench, n: number, row: Partial<BrokerOrder> = {}): void {
  bench.place({ key: keyOf(n) })
  push(bench, { orderId: String(n), clientOrderId: keyOf(n), ...row })
}

/** A million in cash and a thousand shares at 36 yuan when the day begins. */
export function loser(maxDailyLoss = 5_000): Bench {
  const bench = withRisk({ maxDailyLoss })
  bench.quotes.set(BANK, quote(36))
  return bench.ready([brokerPosition()])
}

/** The holding is quoted at this price, and the account looks. */
export const fall = (bench: Bench, price: number) => {
  bench.quotes.set(BANK, quote(price, bench.nowMs))
  return bench.input({ kind: 'quotes', crossed: [BANK] })
}
