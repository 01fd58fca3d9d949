import { MessageChannel, type MessagePort } from 'node:worker_threads'
import type { AccountThreadData } from '../../actors/account/account.thread.ts'
import type { MarketThreadData } from '../../actors/market/market.thread.ts'
import type { PaperIntroduction } from '../../actors/paper/paper.actor.ts'
import type { PaperThreadData } from '../../actors/paper/paper.thread.ts'
import type { StoreThreadData } from '../../actors/store/store.thread.ts'
import { Supervisor } from '../../actors/supervisor/supervisor.actor.ts'
import type { XtIntroduction } from '../../actors/xt/xt.actor.ts'
import type { XtThreadData } from '../../actors/xt/xt.thread.ts'
import type { Config } from '../config/schema.ts'
import { SharedClock } from '../market/clock.ts'
import { createMarketMemory, type MarketMemory } from '../market/memory.ts'
import { QuoteReader } from '../market/quote-board.ts'
import type { LogMemory } from '../observability/log-memory.ts'
import type { Logger } from '../observability/logger.ts'
import type { StoreControl, StoreControlReplies } from '../protocol/store.ts'
import { ActorBoard, createActorBoard } from '../runtime/actor-board.ts'
import { createLatencyBoard, LatencyBoard } from '../runtime/latency-board.ts'
import { Link, portWire } from '../runtime/link.ts'
import type { Thread } from '../runtime/thread.ts'
import { Turns } from '../runtime/turns.ts'
import {
  accountHeap,
  marketLimits,
  paperLimits,
  restartPolicy,
  storeLimits,
  supervisorLimits,
  vitalHeap,
} from './limits.ts'
import { xtMarketParts } from './xt.ts'

export interface HouseOptions {
  readonly config: Config
  readonly log: Logger
  readonly logs: LogMemory
  /** A vital thread is gone: the process must end. */
  readonly onFatal: (reason: string) => void
  /** Only tests break things. */
  readonly allowFaults: boolean
}

/** What an account's thread is started with, apart from what the house itself puts in. */
export type AccountBirth = Pick<
  AccountThreadData,
  'policy' | 'limits' | 'ranges' | 'stockPoolFile' | 'allowFaults' | 'crashAt'
>
interface AccountEvents {
  /** Asked when its turn to start has come. */
  readonly isWanted: () => boolean
  /** A new incarnation: the main thread's end of its line. */
  readonly starting: (front: MessagePort) => void
  readonly down: (reason: string) => void
  readonly up: () => void
  readonly suspended: (reason: string) => void
}

const PAPER_SLOT = 0
/** The trading client of an account: the embedded one, or a sidecar at a real one. */
export interface Clients {
  readonly paper: PaperIntroduction['settings']
  readonly xt: XtIntroduction['settings'] | undefined
}

/** Rows of the actor board besides the accounts: the paper client first, the sidecars last. */
const EXTRA_SLOTS = 2

/**
 * The threads of this process and how they are introduced to each other: store from the start,
 * market and paper client with the first account that this process runs, a thread per account.
 */
export class House {
  readonly board: ActorBoard
  /** How long things take, by slot. */
  readonly latency: LatencyBoard
  readonly quotes: QuoteReader
  readonly clock: SharedClock
  readonly supervisor: Supervisor
  readonly #options: HouseOptions
  readonly #memory: MarketMemory
  readonly #store: Thread
  readonly #storeLine: Link
  readonly #freeSlots: number[]
  #trading: Promise<{ readonly market: Thread; readonly paper: Thread }> | undefined
  #marketLine: Link | undefined
  #sidecars: Promise<Thread> | undefined
  #isMarketOpen = false
  #feeding: Promise<void> | undefined
  /** Threads that start all at once would keep each other from saying that they live. */
  readonly #starts: Turns

  private constructor(
    options: HouseOptions,
    parts: Pick<House, 'board' | 'supervisor'>,
    store: Thread,
    line: Link,
  ) {
    const { limits } = options.config
    this.#options = options
    this.#starts = new Turns(limits.runtime.starts_at_once)
    this.board = parts.board
    this.latency = new LatencyBoard(createLatencyBoard(parts.board.slots))
    this.supervisor = parts.supervisor
    this.#store = store
    this.#storeLine = line
    this.#memory = createMarketMemory({
      codesMax: limits.market.codes_max,
      actorSlots: limits.accounts_max + EXTRA_SLOTS,
    })
    this.quotes = new QuoteReader(this.#memory)
    this.clock = new SharedClock(this.#memory)
    this.#freeSlots = Array.from({ length: limits.accounts_max }, (_, i) => limits.accounts_max - i)
  }

  /** Starts the store thread. Errors  rejects when the data directory cannot be written. */
  static async open(options: HouseOptions): Promise<House> {
    const { config, log, onFatal } = options
    const { limits } = config
    const board = new ActorBoard(createActorBoard(limits.accounts_max + EXTRA_SLOTS))
    const supervisor = new Supervisor({
      board,
      log,
      onFatal,
      nowMs: () => performance.now(),
      random: Math.random,
      limits: supervisorLimits(limits),
    })
    const control = new MessageChannel()
    const data: StoreThreadData = { dataDir: config.data_dir, limits: storeLimits(limits) }
    const store = await supervisor.startVital({
      name: 'store',
      entry: 'actors/store/store.thread.ts',
      data,
      ports: { control: control.port2 },
      resourceLimits: vitalHeap(limits),
    })
    const line = new Link(portWire(control.port1), {
      peer: 'store',
      limits: { openAsksMax: limits.runtime.open_asks_max },
    })
    return new House(options, { board, supervisor }, store, line)
  }

  /** Ownership and process-wide records. */
  records<K extends StoreControl['kind']>(
    request: Extract<StoreControl, { kind: K }>,
  ): Promise<StoreControlReplies[K]> {
    const timeoutMs = this.#options.config.limits.store.read_timeout_ms
    return this.#storeLine.ask(request, { timeoutMs })
  }

  /** The market of this process, for the front. Started when it is first asked for. */
  async market(): Promise<Link> {
    await this.#tradingThreads()
    if (this.#marketLine === undefined) throw new Error('the market has no line to the front')
    return this.#marketLine
  }

  /** Row of the actor board for an account; undefined when `limits.accounts_max` are taken. */
  takeSlot(): number | undefined {
    return this.#freeSlots.pop()
  }
  giveBackSlot(slot: number): void {
    this.#freeSlots.push(slot)
  }

  /**
   * Starts an account that this process owns, when its turn has come and it is still wanted. Resolves
   * when it is ready, or suspended.
   */
  async startAccount(
    slot: number,
    birth: AccountBirth,
    clients: Clients,
    events: AccountEvents,
  ): Promise<void> {
    await this.#tradingThreads()
    const endTurn = await this.#starts.take()
    try {
      // One that has to be started again does not keep the others waiting.
      if (events.isWanted()) await this.#startChild(slot, birth, clients, { ...events, endTurn })
    } finally {
      endTurn()
    }
    if (this.#isMarketOpen) await this.#feed()
  }

  async #startChild(
    slot: number,
    birth: AccountBirth,
    clients: Clients,
    events: AccountEvents & { readonly endTurn: () => void },
  ): Promise<void> {
    const threads = await this.#tradingThreads()
    const { paper, xt } = clients
    const sidecars = xt === undefined ? undefined : await this.#sidecarThread()
    const { accountId } = birth.policy
    const name = `account/${accountId}`
    const { limits } = this.#options.config
    const withdraw = () => {
      this.#store.introduce(name, null, { accountId })
      threads.market.introduce(`link:${name}`, null, { slot })
      threads.market.introduce(`events:${name}`, null, { slot })
      ;(sidecars ?? threads.paper).introduce(name, null)
    }
    await this.supervisor.startChild({
      name,
      slot,
      entry: 'actors/account/account.thread.ts',
      policy: restartPolicy(limits),
      resourceLimits: accountHeap(limits),
      prepare: (incarnation) => {
        const front = new MessageChannel()
        const store = new MessageChannel()
        const market = new MessageChannel()
        const tape = new MessageChannel()
        const driver = new MessageChannel()
        events.starting(front.port1)
        this.#store.introduce(name, store.port1, { accountId })
        threads.market.introduce(`link:${name}`, market.port1, { slot })
        threads.market.introduce(`events:${name}`, tape.port1, { slot })
        if (sidecars !== undefined && xt !== undefined) {
          const introduction: XtIntroduction = { accountId, settings: xt }
          sidecars.introduce(name, driver.port1, introduction)
        } else {
          const introduction: PaperIntroduction = { accountId, slot, settings: paper }
          threads.paper.introduce(name, driver.port1, introduction)
        }
        const data: AccountThreadData = {
          ...birth,
          slot,
          incarnation,
          actorBoard: this.board.memory,
          market: this.#memory,
          latency: this.latency.memory,
          logs: this.#options.logs,
        }
        return {
          data,
          ports: {
            front: front.port2,
            store: store.port2,
            market: market.port2,
            events: tape.port2,
            driver: driver.port2,
          },
        }
      },
      down: (reason) => {
        events.endTurn()
        withdraw()
        events.down(reason)
      },
      up: events.up,
      suspended: events.suspended,
    })
  }

  async stopAccount(accountId: string): Promise<void> {
    await this.supervisor.stopChild(`account/${accountId}`)
  }

  /** The accounts that start with the process are settled: the market feeds as soon as one is run here. */
  async openMarket(isNeeded: boolean): Promise<void> {
    this.#isMarketOpen = true
    if (isNeeded) await this.#feed()
  }

  #feed(): Promise<void> {
    this.#feeding ??= this.market().then(async (market) => {
      const timeoutMs = this.#options.config.limits.runtime.start_timeout_ms
      await market.ask<null>({ kind: 'start' }, { timeoutMs })
    })
    return this.#feeding
  }

  async close(): Promise<void> {
    await this.supervisor.stopAll()
  }

  /** Started with the first account at a real trading client. */
  #sidecarThread(): Promise<Thread> {
    const { limits } = this.#options.config
    const slot = limits.accounts_max + 1
    const data: XtThreadData = {
      actorBoard: this.board.memory,
      slot,
      lingerMs: limits.xt.linger_ms,
      heartbeatIntervalMs: limits.runtime.heartbeat_interval_ms,
      logs: this.#options.logs,
    }
    this.#sidecars ??= this.supervisor.startVital({
      name: 'xt',
      entry: 'actors/xt/xt.thread.ts',
      slot,
      data,
      ports: {},
      resourceLimits: vitalHeap(limits),
    })
    return this.#sidecars
  }

  #tradingThreads() {
    this.#trading ??= this.#startTrading()
    return this.#trading
  }

  async #startTrading() {
    const { config } = this.#options
    const { limits } = config
    const tape = { link: new MessageChannel(), events: new MessageChannel() }
    const records = new MessageChannel()
    const front = new MessageChannel()
    this.#serveRecords(records.port1)
    const marketData: MarketThreadData = {
      memory: this.#memory,
      board: this.board.memory,
      config: config.market,
      ...xtMarketParts(config),
      limits: marketLimits(limits),
      recordTimeoutMs: limits.store.read_timeout_ms,
      logs: this.#options.logs,
      dataDir: config.data_dir,
      latency: this.latency.memory,
    }
    const paperData: PaperThreadData = {
      dataDir: config.data_dir,
      actorBoard: this.board.memory,
      market: this.#memory,
      limits: paperLimits(limits),
    }
    const [market, paper] = await Promise.all([
      this.supervisor.startVital({
        name: 'market',
        entry: 'actors/market/market.thread.ts',
        data: marketData,
        ports: { records: records.port2 },
        resourceLimits: vitalHeap(limits),
      }),
      this.supervisor.startVital({
        name: 'paper',
        entry: 'actors/paper/paper.thread.ts',
        slot: PAPER_SLOT,
        data: paperData,
        ports: { market: tape.link.port1, events: tape.events.port1 },
        resourceLimits: vitalHeap(limits),
      }),
    ])
    market.introduce('link:paper', tape.link.port2, { slot: PAPER_SLOT })
    market.introduce('events:paper', tape.events.port2, { slot: PAPER_SLOT })
    market.introduce('link:front', front.port2)
    this.#marketLine = new Link(portWire(front.port1), {
      peer: 'market',
      limits: { openAsksMax: limits.runtime.open_asks_max },
    })
    return { market, paper }
  }

  /** The market keeps its place among the process-wide records, through the one store thread. */
  #serveRecords(port: MessagePort): void {
    new Link(portWire(port), {
      peer: 'market',
      limits: { openAsksMax: this.#options.config.limits.runtime.open_asks_max },
      answer: (body) => this.records(body as Extract<StoreControl, { kind: 'get' | 'put' }>),
    })
  }
}
