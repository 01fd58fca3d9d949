import { MessageChannel, type MessagePort } from 'node:worker_threads'
import type { AccountThreadData } from '../../../actors/account/account.thread.ts'
import type { OrderCheckMemory } from '../../../actors/account/order-check.ts'
import { Supervisor } from '../../../actors/supervisor/supervisor.actor.ts'
import { accountWord } from '../../cluster/protocol/order-check.ts'
import type { AccountConfig, Config } from '../../config/schema.ts'
import { METER_CELLS } from '../../domain/call-log.ts'
import { ServiceError } from '../../domain/errors.ts'
import type { HostFarewell, HostIntroduction } from '../../drivers/host.ts'
import type { CorporateAction } from '../../drivers/paper/corporate-action.ts'
import { SharedClock } from '../../market/clock.ts'
import { createMarketMemory, type MarketMemory } from '../../market/memory.ts'
import { QuoteReader } from '../../market/quote-board.ts'
import type { LogMemory } from '../../observability/log-memory.ts'
import type { Logger } from '../../observability/logger.ts'
import type { QuoteOrigin } from '../../protocol/market.ts'
import type {
  ReaderControl,
  ReaderControlReplies,
  StoreControl,
  StoreControlReplies,
} from '../../protocol/store.ts'
import { ActorBoard, createActorBoard } from '../../runtime/actor-board.ts'
import { createLatencyBoard, LatencyBoard } from '../../runtime/latency-board.ts'
import { Link, portWire } from '../../runtime/link.ts'
import { Semaphore } from '../../runtime/semaphore.ts'
import { steadyMs } from '../../runtime/steady.ts'
import { createTallyBoard, TallyBoard } from '../../runtime/tally-board.ts'
import { ClusterDesk, type ClusterDeskOptions } from '../lines/cluster-desk.ts'
import { Again } from '../process/again.ts'
import type { OnFatal } from '../process/fatal.ts'
import { accountHeap, restartPolicy, supervisorLimits } from '../settings/limits.ts'
import type { Scope } from '../settings/scope.ts'
import { AccountRows } from './account-rows.ts'
import { type OpenStore, openStore } from './open-store.ts'
import { Reading } from './reading.ts'
import type { StoreWatch } from './store-watch.ts'
import { HOST_SLOTS, Trading } from './trading.ts'

export interface ActorSystemOptions {
  readonly config: Config
  readonly scope: Scope
  readonly log: Logger
  readonly logs: LogMemory
  /** A vital thread is gone, or the life of this node is over: the process must end. */
  readonly onFatal: OnFatal
  /** In a cluster, with each renewal: until when this process may act. */
  readonly onLease?: ((untilMs: number) => void) | undefined
  /** Only tests break things. */
  readonly allowFaults: boolean
  /** What becomes of shares and costs at the embedded broker, for tests. */
  readonly corporateActions?: readonly CorporateAction[]
}

/** What an account's thread is started with, apart from what the actor system itself puts in. */
export type AccountSpawnOptions = Pick<
  AccountThreadData,
  'policy' | 'isReal' | 'limits' | 'stockPoolFile' | 'allowFaults' | 'crashAt'
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

/** What it takes to start an account here. */
interface AccountStart {
  /** Row of the actor board. */
  readonly slot: number
  readonly spawn: AccountSpawnOptions
  /** As configured. */
  readonly account: AccountConfig
}

/** The account is not only between two of its threads. */
const GONE: HostFarewell = { isGone: true }

/**
 * The threads of this process and how they are introduced to each other: store from the start,
 * market and paper client with the first account that this process runs, a thread per account.
 */
export class ActorSystem {
  readonly board: ActorBoard
  /** How long things take, by slot. */
  readonly latency: LatencyBoard
  /** How often its trading client was called, by slot. */
  readonly tallies: TallyBoard
  /** Of the boards, those of accounts. */
  readonly rows: AccountRows
  readonly quotes: QuoteReader
  readonly clock: SharedClock
  readonly supervisor: Supervisor
  readonly #options: ActorSystemOptions
  readonly #memory: MarketMemory
  readonly #store: OpenStore
  readonly #reading: Reading
  #trading: Promise<Trading> | undefined
  #isMarketOpen = false
  readonly #feeding: Again
  #joined: { readonly check: OrderCheckMemory; readonly desk: ClusterDesk } | undefined
  /** Threads that start all at once would keep each other from saying that they live. */
  readonly #starts: Semaphore

  private constructor(
    options: ActorSystemOptions,
    parts: Pick<ActorSystem, 'board' | 'supervisor'>,
    store: OpenStore,
  ) {
    const { limits } = options.config
    this.#options = options
    this.#starts = new Semaphore(limits.runtime.starts_at_once)
    this.board = parts.board
    this.latency = new LatencyBoard(createLatencyBoard(parts.board.slots))
    this.tallies = new TallyBoard(createTallyBoard(parts.board.slots, METER_CELLS), METER_CELLS)
    this.supervisor = parts.supervisor
    this.#store = store
    this.#reading = new Reading(options.config, options.log)
    this.#feeding = new Again({
      work: () => this.#feed(),
      failed: (err) => options.log.error({ alert: 'no_quotes', err }, 'the market is asked again'),
      pauseMs: limits.runtime.restart_backoff_max_ms,
    })
    this.#memory = createMarketMemory({
      codesMax: limits.market.codes_max,
      actorSlots: limits.accounts_max + HOST_SLOTS,
    })
    this.quotes = new QuoteReader(this.#memory)
    this.clock = new SharedClock(this.#memory)
    this.rows = new AccountRows(limits.accounts_max, this)
  }

  /** Starts the store thread. Errors  rejects when the data directory cannot be written. */
  static async open(options: ActorSystemOptions): Promise<ActorSystem> {
    const { config, log, onFatal } = options
    const { limits } = config
    const board = new ActorBoard(createActorBoard(limits.accounts_max + HOST_SLOTS))
    let store: OpenStore | undefined
    const supervisor = new Supervisor({
      board,
      log,
      onFatal,
      nowMs: () => performance.now(),
      random: Math.random,
      isStoreLate: () => store?.watch.isLate === true,
      limits: supervisorLimits(limits),
    })
    store = await openStore(supervisor, { ...options, board })
    const system = new ActorSystem(options, { board, supervisor }, store)
    if (store.journal !== undefined) await system.#joinCluster(store.journal)
    return system
  }

  /** Whether the disk of the accounts answers. */
  get storeWatch(): StoreWatch {
    return this.#store.watch
  }

  /** Undefined: this process is in no cluster. */
  get cluster(): ClusterDesk | undefined {
    return this.#joined?.desk
  }

  /** Its thread is vital: without it nobody knows whether this process may act. */
  async #joinCluster(journal: MessagePort): Promise<void> {
    const { config, log, onFatal, onLease } = this.#options
    const words = new SharedArrayBuffer(
      Int32Array.BYTES_PER_ELEMENT * accountWord(this.board.slots),
    )
    const origin = { monoMs: Math.round(steadyMs()), wallMs: Date.now() }
    const { intent_ttl_ms: intentTtlMs } = config.limits.cluster
    const check: OrderCheckMemory = { words, origin, intentTtlMs }
    const records: ClusterDeskOptions['records'] = (request) => this.records(request)
    const options = { config, supervisor: this.supervisor, log, onFatal, onLease, check, records }
    this.#joined = { check, desk: await ClusterDesk.open(options, journal) }
  }

  /** Ownership and process-wide records: see {@link StoreLine}. */
  records<K extends StoreControl['kind']>(
    request: Extract<StoreControl, { kind: K }>,
  ): Promise<StoreControlReplies[K]> {
    return this.#store.line.ask(request)
  }

  /** The market of this process, for the front. Started when it is first asked for. */
  async market(): Promise<Link> {
    const { marketLine } = await this.#openTrading()
    return marketLine
  }

  /** Where the quotes come from; undefined while no market was needed, or when it cannot say now. */
  async quoteOrigin(): Promise<QuoteOrigin | undefined> {
    if (this.#trading === undefined) return undefined
    const timeoutMs = this.#options.config.limits.market.ask_timeout_ms
    try {
      const { marketLine } = await this.#trading
      return await marketLine.ask<QuoteOrigin>({ kind: 'origin' }, { timeoutMs })
    } catch (error) {
      if (error instanceof ServiceError) return undefined
      throw error
    }
  }

  /**
   * Starts an account that this process owns, when its turn has come and it is still wanted. Resolves
   * when it is ready, or suspended.
   */
  async startAccount(start: AccountStart, events: AccountEvents): Promise<void> {
    await this.#openTrading()
    const endTurn = await this.#starts.take()
    try {
      // One that has to be started again does not keep the others waiting.
      await this.#startChild(start, { ...events, endTurn })
    } finally {
      endTurn()
    }
    if (this.#isMarketOpen) await this.#feeding.begin()
  }

  async #startChild(
    { slot, spawn, account }: AccountStart,
    events: AccountEvents & { readonly endTurn: () => void },
  ): Promise<void> {
    const trading = await this.#openTrading()
    const host = await trading.host(account.driver)
    const { accountId } = spawn.policy
    const name = `account/${accountId}`
    const { limits } = this.#options.config
    const withdraw = () => {
      this.#store.thread.introduce(name, null, { accountId })
      this.#reading.introduce(name, null, accountId)
      trading.market.introduce(`link:${name}`, null, { slot })
      trading.market.introduce(`events:${name}`, null, { slot })
      host.introduce(name, null)
    }
    if (!events.isWanted()) return // in the same turn as the start: nothing can be left behind
    await this.supervisor.startChild({
      name,
      slot,
      entry: 'actors/account/account.thread.ts',
      policy: restartPolicy(limits),
      resourceLimits: accountHeap(limits, this.rows.taken),
      canBeReduced: true,
      prepare: (_, isReduced) => {
        const front = new MessageChannel()
        const store = new MessageChannel()
        const reader = new MessageChannel()
        const market = new MessageChannel()
        const tape = new MessageChannel()
        const driver = new MessageChannel()
        events.starting(front.port1)
        this.#store.thread.introduce(name, store.port1, { accountId })
        this.#reading.introduce(name, reader.port1, accountId)
        trading.market.introduce(`link:${name}`, market.port1, { slot })
        trading.market.introduce(`events:${name}`, tape.port1, { slot })
        const introduction: HostIntroduction<AccountConfig> = { slot, account }
        host.introduce(name, driver.port1, introduction)
        const data: AccountThreadData = {
          ...spawn,
          slot,
          incarnation: this.rows.startsOf(slot),
          isReduced,
          actorBoard: this.board.memory,
          market: this.#memory,
          latency: this.latency.memory,
          tallies: this.tallies.memory,
          logs: this.#options.logs,
          ...(this.#joined && { orderCheck: this.#joined.check }),
        }
        return {
          data,
          ports: {
            front: front.port2,
            store: store.port2,
            reader: reader.port2,
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

  /** Also one that is only starting, or that was never started here. Nothing of it is kept open. */
  async stopAccount({ account_id: accountId, driver }: AccountConfig): Promise<void> {
    const name = `account/${accountId}`
    if (!this.supervisor.has(name)) return
    await this.supervisor.stopChild(name)
    this.supervisor.forget(name)
    const host = await (await this.#openTrading()).host(driver)
    host.introduce(name, null, GONE)
  }

  /** The process cannot go on. */
  fail(reason: string): void {
    this.#options.onFatal(reason)
  }

  /** The accounts that start with the process are settled: the market feeds as soon as one is run here. */
  async openMarket(isNeeded: boolean): Promise<void> {
    this.#isMarketOpen = true
    if (isNeeded) await this.#feeding.begin()
  }

  async #feed(): Promise<void> {
    const timeoutMs = this.#options.config.limits.runtime.start_patience_ms
    await (await this.market()).ask<null>({ kind: 'start' }, { timeoutMs })
  }

  /** Work on the segments of an account's journal, beside the store. */
  archive<K extends 'archive' | 'expired' | 'drop'>(
    request: Extract<ReaderControl, { kind: K }>,
  ): Promise<ReaderControlReplies[K]> {
    return this.#reading.archive(request)
  }

  /** This process is done with an account: its database is closed, by the one who reads it first. */
  async leaveBooks(accountId: string): Promise<void> {
    await this.#reading.leave(accountId)
    await this.records({ kind: 'leave', accountId })
  }

  async close(): Promise<void> {
    this.#feeding.close()
    await this.#reading.close()
    await this.supervisor.stopAll()
    this.#store.watch.close() // last: a stop is given up by what it has seen
  }

  #openTrading(): Promise<Trading> {
    this.#trading ??= this.#newTrading().catch((error: unknown) => {
      this.#trading = undefined // whoever needs it next tries again
      throw error
    })
    return this.#trading
  }

  #newTrading(): Promise<Trading> {
    const { config, scope, logs, corporateActions } = this.#options
    return Trading.open({
      config,
      scope,
      logs,
      supervisor: this.supervisor,
      board: this.board.memory,
      memory: this.#memory,
      latency: this.latency.memory,
      serveRecords: (port) => this.#serveRecords(port),
      corporateActions,
    })
  }

  /** The market keeps its place among the process-wide records, through the one store thread. */
  #serveRecords(port: MessagePort): void {
    new Link(portWire(port), {
      peer: 'market',
      limits: { openAsksMax: this.#options.config.limits.runtime.open_asks_max },
      answer: (body) =>
        this.records(body as Extract<StoreControl, { kind: 'get' | 'put' | 'list' }>),
    })
  }
}
