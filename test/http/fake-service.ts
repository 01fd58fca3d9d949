import type {
  AccountLink,
  Calculations,
  CallOptions,
  ClusterSight,
  Service,
} from '../../http/service.ts'
import { StockIndex } from '../../http/stock-index.ts'
import type { Registration } from '../../src/config/account.ts'
import { ServiceError } from '../../src/domain/errors.ts'
import type { Result } from '../../src/domain/result.ts'
import type {
  AccountReplies,
  AccountRequest,
  Published,
  ReplyTo,
  Resource,
} from '../../src/protocol/account.ts'
import type { BarsPage, MarketReplies, MarketRequest } from '../../src/protocol/market.ts'
import { FakeJobs } from './fake-jobs.ts'
import { FakeMetrics, fakeLogs, REPORT } from './fake-metrics.ts'

/** 2026-08-11 10:00:01 at the exchange. */
export const NOW_MS = Date.UTC(2026, 7, 11, 2, 0, 1)
export const NOW_TEXT = '2026-08-11 10:00:01'

const SWITCHES = { isMonitoring: true, autoTradingEnabled: false, gridTradingEnabled: true }
const ORDER = {
  clientOrderId: '01J00000000000000000000001',
  orderId: '1082131',
  state: 'accepted' as const,
  statusMessage: '',
  replayed: false,
}

const LIMITS = {
  is_real: false,
  limits: [
    {
      name: 'max_order_value',
      value: 50_000,
      file_value: 0,
      changed_at: '2026-08-11 10:00:00',
      changed_by: 'api',
    },
  ],
}

const ANSWERS: { [K in keyof AccountReplies]?: AccountReplies[K] } = {
  placeOrder: ORDER,
  stockNames: { stocks: [] },
  resolveDoubt: ORDER,
  cancelOrder: { result: 0, orderId: '1082131', message: 'asked' },
  executeBuy: { successCount: 1, totalCount: 2, message: 'bought', orders: [ORDER] },
  executeSell: { successCount: 1, totalCount: 1, message: 'sold', orders: [ORDER] },
  saveConfig: { ...SWITCHES, savedCount: 2 },
  setMaster: SWITCHES,
  riskLimits: { fields: LIMITS },
  setRiskLimits: { fields: LIMITS, changedCount: 1 },
  noteFill: { note: '按计划减仓', isChanged: true },
  updateHolding: { message: 'updated' },
  setStopProfit: { message: 'switched', enabled: true },
  initializePositions: { success: true, message: 'done', updatedCount: 3, errorCount: 0 },
  clearRecords: { message: 'cleared', removed: 4 },
  importData: { ...SWITCHES, message: 'imported', appliedCount: 14 },
}

const REPLAY = {
  state: 'playing',
  ticks_played: 3,
  ticks_total: 9,
  bad_lines: 0,
  time: 1_754_875_800_000,
} as const

const TICK = {
  time: 1,
  stock_code: '600036.SH',
  lastPrice: 36.5,
  open: 36,
  high: 37,
  low: 35,
  lastClose: 36,
  volume: 1,
  amount: 2,
  bidPrice: [36.4, 0, 0, 0, 0],
  askPrice: [36.5, 0, 0, 0, 0],
  bidVol: [1, 0, 0, 0, 0],
  askVol: [1, 0, 0, 0, 0],
}

const v1 = (data: object): string => JSON.stringify({ success: true, data, error: null })
const SETTINGS = {
  enableAutoTrading: false,
  enableGridTrading: true,
  allowBuy: true,
  allowSell: true,
}

/** As the actors publish them: those of direct mode lack their end. */
export const RESOURCE_TEXT: Readonly<Record<Resource, string>> = {
  connection: '{"status":"success","connected":true',
  status: '{"status":"success","isMonitoring":false,"settings":{}',
  positions: '{"status":"success","data":{"positions":[1]},"data_version":58,"no_change":false',
  positionsAll: '{"status":"success","data":[1],"data_version":58,"no_change":false',
  orders: '{"status":"success","data":["order"]',
  queuedOrders: '{"status":"success","orders":[],"count":0,"data":{"orders":[],"count":0}',
  tradeRecords: '{"status":"success","data":["record"]',
  config: '{"status":"success","data":{"singleBuyAmount":35000},"ranges":{}',
  debug: '{"status":"success","system_status":{}',
  stockPool: '{"status":"success","data":["300766"]',
  events: '{"account_info":{"available":1},"positions_update":{"version":58,"changed":true}',
  killSwitch: '{"status":"success","level":"off"',
  gridSessions: '{"success":true,"status":"success","sessions":[],"total":0,"data":{}',
  reconcile: '{"status":"success","result":"ok"',
  v1KillSwitch: v1({ level: 'off' }),
  v1Reconcile: v1({ result: 'ok' }),
  v1Status: v1({ account_id: 'A', connected: true }),
  v1Positions: v1({ positions: [] }),
  v1Asset: v1({ 总资产: 1 }),
  v1Orders: v1({ orders: [] }),
  v1QueuedOrders: v1({ orders: [], count: 0 }),
  v1Trades: v1({ trades: [] }),
  overview: JSON.stringify({ driver: 'paper', kill_level: 'off', connected: true }),
  gatewayStatus: JSON.stringify({ status: 'success', account: { id: 'A' }, settings: SETTINGS }),
}

const countOf = (page: BarsPage | undefined) => ({
  count: page?.bars.length ?? 0,
  next: page?.next ?? null,
})

/** An account that answers from tables; a test replaces what it wants to be different. */
export class FakeLink implements AccountLink {
  readonly accountId: string
  alias = ''
  readonly configIndex: number | undefined
  callTimeoutMs = 200
  connected = true
  isReduced = false
  isHeld = false
  isOutOfRoom = false
  isUnconfirmed = false
  /** As of an account that runs elsewhere; a number is of one that runs here. */
  doubtsOfAnswers: number | undefined
  restarts = 0
  dataVersion = 58
  /** The account's own: moves with whatever changes in it. */
  version = 1
  readonly asked: AccountRequest[] = []
  /** Pages of history by the `after` that they are asked with. */
  pages: Record<string, BarsPage> = {
    '': { source: 'simulated', bars: [new Uint8Array()], next: null },
  }
  readonly marketAsked: MarketRequest[] = []
  listing = (_known: string): MarketReplies['listing'] => ({ version: '', day: null })
  readonly options: CallOptions[] = []
  readonly texts: Record<Resource, string> = { ...RESOURCE_TEXT }
  /** Called before every answer; may throw or wait. */
  before: (kind: string) => Promise<void> | void = () => {}
  readonly answers: Partial<AccountReplies> = { ...ANSWERS }

  constructor(accountId: string, configIndex?: number) {
    this.accountId = accountId
    this.configIndex = configIndex
  }

  async ask<R extends AccountRequest>(request: R, options: CallOptions): Promise<ReplyTo<R>> {
    this.asked.push(request)
    this.options.push(options)
    await this.before(request.kind)
    return this.answers[request.kind] as ReplyTo<R>
  }

  /** How often it was said that an answer was missed of which the account may not hear. */
  unsaid = 0
  answerUnsaid(): void {
    this.unsaid += 1
  }

  readonly withdrawn: string[] = []
  withdraw(correlationId: string): void {
    this.withdrawn.push(correlationId)
  }

  async read(resource: Resource, options: CallOptions): Promise<Published> {
    this.options.push(options)
    await this.before(resource)
    const { dataVersion, version } = this
    const bytes = Buffer.from(this.texts[resource])
    return { resource, bytes, version, quoteSlots: [], quoteStamp: 0, dataVersion }
  }

  async market<R extends MarketRequest>(
    request: R,
    options: CallOptions,
  ): Promise<MarketReplies[R['kind']]> {
    this.marketAsked.push(request)
    this.options.push(options)
    await this.before(request.kind)
    const answer =
      request.kind === 'ticks'
        ? { ticks: { '600036.SH': TICK } }
        : request.kind === 'bars'
          ? this.pages[request.after ?? '']
          : request.kind === 'barCount'
            ? countOf(this.pages[request.after ?? ''])
            : request.kind === 'listing'
              ? this.listing(request.known)
              : REPLAY
    return answer as unknown as MarketReplies[R['kind']]
  }

  readonly listeners = new Set<() => void>()
  onNews(listener: () => void): () => void {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  async calls(options: CallOptions) {
    this.options.push(options)
    await this.before('calls')
    return [REPORT]
  }

  async restart(): Promise<void> {
    this.restarts += 1
  }

  get lastAsked(): AccountRequest | undefined {
    return this.asked.at(-1)
  }
}

export class FakeService implements Service {
  readonly jobs = new FakeJobs()
  readonly metrics = new FakeMetrics()
  readonly logs = fakeLogs()
  cluster: ClusterSight | undefined
  advice: Result<object, string> = { ok: true, value: { trend: '上升趋势(强)', cat: 0 } }
  readonly calculations: Calculations = {
    macd: async () => this.advice,
    bars: async ({ period, from, to, bars }) => ({
      rows: bars.length,
      json: bars.map(() => JSON.stringify({ period, from, to })).join(','),
    }),
    sounds: async (names) => {
      this.spoken.push(names)
      return names.map((name) => this.sounds[name] ?? '')
    },
  }
  /** How names are spoken, and what was asked of it. */
  sounds: Readonly<Record<string, string>> = {}
  readonly spoken: (readonly string[])[] = []
  readonly stocks = new StockIndex(this.calculations, 1_000)
  readonly links: FakeLink[]
  readonly registered: Registration[] = []

  constructor(links: readonly FakeLink[]) {
    this.links = [...links]
  }
  accounts(): readonly AccountLink[] {
    return this.links
  }
  get known(): readonly AccountLink[] {
    return this.links
  }
  async consoles() {
    return this.links.map(({ accountId, alias, configIndex }) => {
      const isHere = configIndex !== undefined
      return { accountId, alias, isHere, port: isHere ? 5_000 + configIndex : undefined }
    })
  }
  find(accountId: string): AccountLink | undefined {
    return this.links.find((link) => link.accountId === accountId)
  }
  async register(registration: Registration): Promise<{ connected: boolean; message: string }> {
    this.registered.push(registration)
    return { connected: false, message: 'not connected yet' }
  }
  async unregister(accountId: string): Promise<void> {
    const index = this.links.findIndex((link) => link.accountId === accountId)
    this.links.splice(index, 1)
  }
}

export const restarting = (): ServiceError => new ServiceError('ACTOR_RESTARTING', 'restarting')
