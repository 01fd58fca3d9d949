import type { Registration } from '../../src/config/account.ts'
import type { Period } from '../../src/domain/bar.ts'
import type { CallReport } from '../../src/domain/call-log.ts'
import type { LogLevel } from '../../src/domain/log-level.ts'
import type { Result } from '../../src/domain/result.ts'
import type { AccountRequest, Published, ReplyTo, Resource } from '../../src/protocol/account.ts'
import type { CensusNode, PlaceStanding, RulesApart } from '../../src/protocol/census.ts'
import type { Job, JobOrder } from '../../src/protocol/job.ts'
import type { MarketReplies, MarketRequest } from '../../src/protocol/market.ts'
import type { Spread } from '../../src/runtime/histogram.ts'
import type { Measure } from '../../src/runtime/latency-board.ts'
import type { RequestRow, RequestStats } from './request-stats.ts'

/**
 * All that the front knows of the service behind it. The composition root provides it; the front
 * never sees an actor, a store or a driver.
 */
export interface Service {
  readonly jobs: Jobs
  readonly calculations: Calculations
  readonly stocks: Stocks
  readonly metrics: Metrics
  readonly logs: Logs
  /** Undefined: this process is in no cluster. */
  readonly cluster: ClusterSight | undefined
  /** Accounts in registration order; the first is the default of the gateway. Errors  `ACTOR_RESTARTING` until all are known. */
  accounts(): readonly AccountLink[]
  /** As far as they are known: fewer while the service starts. */
  readonly known: readonly AccountLink[]
  /** Where each account of the configuration has its console, within this time. */
  consoles(timeoutMs: number): Promise<readonly ConsolePlace[]>
  /** Undefined: it is not registered. Errors  `ACTOR_RESTARTING` until all are known. */
  find(accountId: string): AccountLink | undefined
  /** Idempotent: an account that exists is answered as it is. Answers when the first connection attempt has ended or its time is up. */
  register(
    registration: Registration,
  ): Promise<{ readonly connected: boolean; readonly message: string }>
  /** Stops the account's actor and forgets the registration. The data stays on disk. */
  unregister(accountId: string): Promise<void>
}

/** The cluster as it is seen from this node. */
export interface ClusterSight {
  /** Of this process. */
  readonly node: string
  /** Of a moment ago; what cannot be seen is in it as unknown. */
  view(): Promise<ClusterView>
}

export interface ClusterView {
  readonly node: string
  /** Whether the servers tell of the present. */
  readonly isCurrent: boolean
  /** Whether the lease of this node holds; null = it is a gateway, which may run no account. */
  readonly mayAct: boolean | null
  /** In the order of their names. */
  readonly nodes: readonly CensusNode[]
  /** Of those that are there: which would run an account of each other by other rules. */
  readonly apart: readonly RulesApart[]
  /** The accounts of this process in their order, and behind them those of others. */
  readonly places: readonly AccountPlace[]
}

/** Who runs an account. */
export interface AccountPlace {
  readonly accountId: string
  readonly standing: PlaceStanding
  /** The node that runs it, or did when it was last heard of; null = none is known. */
  readonly node: string | null
}

/** Where the console of an account answers on this computer. */
export interface ConsolePlace {
  readonly accountId: string
  /** What people call it; empty = nothing. */
  readonly alias: string
  /** This process serves it; else another one of the same data directory may. */
  readonly isHere: boolean
  /** Undefined while no process serves it, or none that tells where. */
  readonly port: number | undefined
}

/** How much the process writes into its log. */
export interface Logs {
  level(): LogLevel
  /** For all threads of the process, until it ends. */
  setLevel(level: LogLevel): void
}

/** Everything that can be counted. */
export interface Metrics {
  /** Counts the requests of a listener from now on. */
  watch(stats: RequestStats): void
  /** As Prometheus reads it, as far as `sight` lets through, and as far as it is for this listener to tell. */
  exposition(
    sight: Sight,
    at: Listener,
    options: CallOptions,
  ): Promise<{ readonly text: string; readonly contentType: string }>
  /**
   * What all nodes of the cluster tell, each sample with the node that tells it, and who has not answered in time; for
   * who may see everything. Undefined: there is no cluster. Errors  `DEADLINE_EXCEEDED`.
   */
  expositionOfNodes(
    options: CallOptions,
  ): Promise<{ readonly text: string; readonly contentType: string } | undefined>
  /** How long things have taken since the process began, as far as `sight` lets through. */
  latency(sight: Sight): LatencyReport
}

/** What somebody may see. */
export interface Sight {
  readonly sees: (accountId: string) => boolean
  /** Also what several accounts share, such as how the gateway is used. */
  readonly isOfAll: boolean
}

/**
 * Where metrics are asked for. Whoever scrapes every front must count nothing twice: of the process and of
 * the accounts that it runs the gateway tells, direct mode where there is none, and each front of its own requests.
 */
export interface Listener {
  readonly backend: 'direct' | 'gateway'
  /** Everything that may be seen, wherever it is told otherwise. */
  readonly isWhole: boolean
}

/** Times in milliseconds. */
export interface LatencyReport {
  /** Of the process. */
  readonly uptimeSeconds: number
  /** Each step on the way of an order, of the accounts that run in this process. */
  readonly paths: readonly (Spread & { readonly accountId: string; readonly measure: Measure })[]
  /** Each route that was ever asked for, most asked first. */
  readonly routes: readonly (Spread &
    Pick<RequestRow, 'method' | 'path'> &
    Pick<RequestStats, 'backend'>)[]
}

/** Work that is too long for the thread of the front and that a caller waits for. */
export interface Calculations {
  /** A page of stored bars into those of a period; `json` is the inside of an array. Errors  `OVERLOADED`, `DEADLINE_EXCEEDED`. */
  bars(wanted: {
    readonly bars: readonly Uint8Array[]
    readonly period: Period
    readonly from: string
    readonly to: string
  }): Promise<{ readonly rows: number; readonly json: string }>
  /** What the MACD of stored days until `lastDay` says, or a line on why there is nothing to say. Same errors. */
  macd(wanted: {
    readonly bars: readonly Uint8Array[]
    readonly lastDay: string
  }): Promise<Result<object, string>>
  /** How names are spoken, packed (`src/domain/stock-search.ts`), in their order. Same errors. */
  sounds(names: readonly string[]): Promise<readonly string[]>
}

/** Stocks as people look for them. */
export interface Stocks {
  /** The best first. Errors  those of the account, of its market and of {@link Calculations}. */
  find(link: AccountLink, query: StockQuery, options: CallOptions): Promise<FoundStocks>
}

export interface StockQuery {
  /** Code, name or how it is spoken, or the beginning of one of them. */
  readonly text: string
  readonly limit: number
}

export interface FoundStock {
  readonly code: string
  readonly name: string
  readonly isHeld: boolean
}

export interface FoundStocks {
  readonly stocks: readonly FoundStock[]
  /** Exchange day of the list; null = the shipped one, because the market has told none. */
  readonly day: string | null
}

/** Long work with progress, of every process of the data directory. */
export interface Jobs {
  /** Answers when the job will be done whatever happens to the process. Errors  `OVERLOADED`, `STOPPING`. */
  submit(order: JobOrder): Promise<Job>
  /** Newest first. */
  list(): Promise<readonly Job[]>
  /** `result` is null until the job is done. */
  find(id: string): Promise<{ readonly job: Job; readonly result: unknown } | undefined>
  /** Errors  `UNKNOWN_JOB`; `CONFLICT` when it has ended. */
  cancel(id: string): Promise<Job>
}

export interface CallOptions {
  /** Milliseconds from now; every ask ends by then. */
  readonly timeoutMs: number
  /** Not begun within this, it is refused with `DEADLINE_PASSED`; absent: within `timeoutMs`. */
  readonly startWithinMs?: number
  readonly correlationId: string
}

/** One account, wherever it runs: in a thread of this process or in the process that owns it. */
export interface AccountLink {
  readonly accountId: string
  /** What people call it; empty = nothing. */
  readonly alias: string
  /** Position in the configuration file; undefined for accounts registered at run time. */
  readonly configIndex: number | undefined
  /** Of `call_timeout`, in milliseconds. */
  readonly callTimeoutMs: number
  /** It has crashed too often and runs with less: reads, cancels and the kill switch. As it was when its process was last looked at. */
  readonly isReduced: boolean
  /** Its disk, or the journal of its cluster, does not answer: nothing that it decides is written down, and no order goes out before it is. As it was when its process was last looked at. */
  readonly isHeld: boolean
  /** Its disk has so little room left that only reads, cancels and the kill switch are served. As it was when its process was last looked at. */
  readonly isOutOfRoom: boolean
  /** A person has still to confirm what its restore has found, and nothing is sent before. As it was when its process was last looked at. */
  readonly isUnconfirmed: boolean
  /** Connected to its broker, as far as known, without asking. */
  readonly connected: boolean
  /**
   * Changes whenever the account may have taken an answer that has arrived for lost: it was started anew, or has
   * marked an order as untold. Undefined where that cannot be seen from here.
   */
  readonly doubtsOfAnswers: number | undefined
  /** Errors  a `ServiceError`: `ACTOR_RESTARTING`, `MAILBOX_FULL`, `DEADLINE_EXCEEDED` or one of the request itself. */
  ask<R extends AccountRequest>(request: R, options: CallOptions): Promise<ReplyTo<R>>
  /** It may never hear that an answer to one of its orders did not arrive. */
  answerUnsaid(): void
  /** Who asked under this id has gone: what has not left for the broker yet is not to. */
  withdraw(correlationId: string): void
  /**
   * The finished bytes of a read model, current when they are answered; at once when they are in memory.
   * Same errors as {@link ask}.
   */
  read(resource: Resource, options: CallOptions): Published | Promise<Published>
  /**
   * Calls when something was written down about the account, wherever that is told: by no means always. Ends with
   * what it returns.
   */
  onNews(listener: () => void): () => void
  /** The market of the process that runs this account. */
  market<R extends MarketRequest>(
    request: R,
    options: CallOptions,
  ): Promise<MarketReplies[R['kind']]>
  /** What was called of the broker and its market data, by place. Same errors as {@link ask}. */
  calls(options: CallOptions): Promise<readonly CallReport[]>
  /** Restarts the account's actor alone; resolves when the restart has begun. */
  restart(): Promise<void>
}
