import { createHash, randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { resolve } from 'node:path'
import { MessageChannel, type MessagePort } from 'node:worker_threads'
import type { OrderCheckMemory } from '../../../actors/account/order-check.ts'
import type { ClusterThreadData } from '../../../actors/cluster/cluster.thread.ts'
import type { Supervisor } from '../../../actors/supervisor/supervisor.actor.ts'
import type { SeatListener } from '../../cluster/cluster-ownership.ts'
import { calendarFrom } from '../../cluster/protocol/calendar.ts'
import type { Config } from '../../config/schema.ts'
import { tradingRules } from '../../config/trading-rules.ts'
import { calendarDigest } from '../../market/closed-days.ts'
import type { Logger } from '../../observability/logger.ts'
import type { Line } from '../../ports/transport.port.ts'
import type {
  ClusterReplies,
  ClusterRequest,
  ClusterTold,
  RemoteCall,
  RemoteMetrics,
} from '../../protocol/cluster.ts'
import { HISTOGRAM_BYTES, Histogram } from '../../runtime/histogram.ts'
import { Link, portWire } from '../../runtime/link.ts'
import { FOREVER_MS } from '../../runtime/steady.ts'
import type { OnFatal } from '../process/fatal.ts'
import { ownVersion } from '../process/program-folder.ts'
import { clusterThread } from '../settings/cluster-limits.ts'
import { NodeCalls, type Served } from './node-calls.ts'
import { beginLife, type NodeLivesDeps } from './node-lives.ts'

const FOLDER_DIGITS = 12
/** They wait for servers that are away, for days if need be. */
const UNHURRIED: ReadonlySet<ClusterRequest['kind']> = new Set(['join', 'about', 'room'])

type Registrations = Extract<ClusterTold, { kind: 'registrations' }>

interface Seat {
  readonly listener: SeatListener
  readonly served: Served
}

export interface ClusterDeskOptions {
  readonly config: Config
  readonly supervisor: Supervisor
  readonly log: Logger
  /** What every account looks at before it tells a trading client anything. */
  readonly check: OrderCheckMemory
  readonly onFatal: OnFatal
  /** The process-wide records, which keep the lives of this node. */
  readonly records: NodeLivesDeps['records']
  /** A renewal: the steady time until which this node may act now. */
  readonly onLease?: ((untilMs: number) => void) | undefined
}

/** The metrics of this node, for another one. */
type TellMetrics = (timeoutMs: number) => Promise<string>

/** What the main thread has of the cluster: its thread, and who of the accounts hears of what. */
export class ClusterDesk {
  readonly #options: ClusterDeskOptions
  readonly #seats = new Map<string, Seat>()
  #registrations: Registrations | undefined
  #follower: ((told: Registrations) => void) | undefined
  readonly #inc = randomUUID()
  readonly #listeners = new Map<string, Set<() => void>>()
  readonly #link: Link
  readonly #calls: NodeCalls
  readonly #appends = new SharedArrayBuffer(HISTOGRAM_BYTES)
  /** How long it takes until a quorum keeps a commit of an account of this node. */
  readonly appends = new Histogram(this.#appends)
  #mayAct = false
  #tellMetrics: TellMetrics = async () => ''
  /** They are tried again and again: what has not changed is said once. */
  #lastOfServers = ''
  /** Said of servers without room, until a journal flows again. */
  #lastFull = ''

  private constructor(options: ClusterDeskOptions, port: MessagePort) {
    this.#options = options
    const { limits } = options.config
    this.#link = new Link(portWire(port), {
      peer: 'cluster',
      limits: { openAsksMax: limits.runtime.open_asks_max },
      answer: (body) => this.#answer(body as RemoteCall | RemoteMetrics),
      tell: (body) => this.#told(body as ClusterTold),
    })
    this.#calls = new NodeCalls({
      inc: this.#inc,
      limits,
      log: options.log,
      ask: (call, timeoutMs) => this.ask(call, timeoutMs),
      served: (accountId) => this.#seats.get(accountId)?.served,
    })
  }

  /** Starts its thread, which reaches the servers by itself; `journal` is the store's line to it. */
  static async open(options: ClusterDeskOptions, journal: MessagePort): Promise<ClusterDesk> {
    const control = new MessageChannel()
    const desk = new ClusterDesk(options, control.port1)
    const { config, supervisor, check, records, log } = options
    const { cluster } = config
    if (cluster === undefined) throw new Error('this process is in no cluster')
    const { node, role } = cluster
    const inc = desk.#inc
    const before = role === 'gateway' ? undefined : await beginLife(inc, { records, log })
    const days = calendarDigest(config.closed_days, calendarFrom(Date.now()))
    const rules = tradingRules(config)
    const self = { node, inc, host: placeOf(config.data_dir), before, v: ownVersion(), days, rules }
    const { words, origin } = check
    const shared = { words, origin, appends: desk.#appends }
    const data: ClusterThreadData = { ...clusterThread(config, cluster), ...shared, self }
    await supervisor.startVital({
      name: 'cluster',
      entry: 'actors/cluster/cluster.thread.ts',
      data,
      ports: { control: control.port2, journal },
    })
    return desk
  }

  /** Whether the lease of this node holds. */
  get mayAct(): boolean {
    return this.#mayAct
  }

  /** Name of this computer. */
  get node(): string {
    return this.#options.config.cluster?.node ?? ''
  }

  /** Until the answer is called nodes that ask for the account are answered by this seat; then nothing of it is kept. */
  listen(accountId: string, seat: Seat): () => void {
    this.#seats.set(accountId, seat)
    return () => {
      if (this.#seats.get(accountId) !== seat) return
      this.#seats.delete(accountId)
      this.#calls.forget(accountId)
    }
  }

  /** Other nodes are told this. */
  serveMetrics(tell: TellMetrics): void {
    this.#tellMetrics = tell
  }

  /** Hears of all accounts that were registered at run time: what is known now, and each change. */
  follow(listener: (told: Registrations) => void): void {
    this.#follower = listener
    if (this.#registrations !== undefined) listener(this.#registrations)
  }

  /** The disk of this computer has no room, or has some again: who waits for the servers hears of it when they come. */
  setFull(isFull: boolean): void {
    this.ask({ kind: 'room', isFull }).catch(() => undefined) // its thread is over, and with it this process
  }

  /** Without `timeoutMs` what a join begins with waits until the servers were reached, whatever else is asked as long as a database may take. */
  ask<K extends ClusterRequest['kind']>(
    request: Extract<ClusterRequest, { kind: K }>,
    timeoutMs = UNHURRIED.has(request.kind)
      ? FOREVER_MS
      : this.#options.config.limits.store.open_timeout_ms,
  ): Promise<ClusterReplies[K]> {
    return this.#link.ask(request, { timeoutMs })
  }

  /**
   * Calls when the servers have kept something of an account, by no means always. One subscription serves all that
   * listen, and ends with the last of them.
   */
  onNews(accountId: string, listener: () => void): () => void {
    const listeners = this.#listeners.get(accountId) ?? new Set()
    this.#listeners.set(accountId, listeners)
    if (listeners.size === 0) this.#follow(accountId, true)
    listeners.add(listener)
    return () => {
      if (!listeners.delete(listener) || listeners.size > 0) return
      this.#listeners.delete(accountId)
      this.#follow(accountId, false)
    }
  }

  /** Without it whoever listens hears nothing, and looks by itself. */
  #follow(accountId: string, isOn: boolean): void {
    this.ask({ kind: 'follow', accountId, isOn }).catch(() => undefined)
  }

  /** To whichever node runs the account. */
  lineTo(accountId: string): Line {
    return this.#calls.lineTo(accountId)
  }

  async #answer(body: RemoteCall | RemoteMetrics): Promise<Uint8Array | string> {
    if ('accountId' in body) return this.#calls.serve(body)
    return this.#tellMetrics(body.metricsWithinMs)
  }

  #stalled({ accountId, isStalled }: Extract<ClusterTold, { kind: 'stalled' }>): void {
    this.#seats.get(accountId)?.listener.stalled(isStalled)
    if (!isStalled) this.#lastFull = ''
    this.#options.log.warn(
      { account: accountId },
      isStalled ? 'the journal is not answered: no order goes out' : 'the journal flows again',
    )
  }

  #heardOfServers(text: string): void {
    if (text !== this.#lastOfServers) this.#options.log.info({}, `servers of the cluster: ${text}`)
    this.#lastOfServers = text
  }

  #haveNoRoom(text: string): void {
    if (text !== this.#lastFull) this.#options.log.error({ alert: 'cluster_full' }, text)
    this.#lastFull = text
  }

  #told(told: ClusterTold): void {
    const { log, onFatal, onLease } = this.#options
    switch (told.kind) {
      case 'owned':
        return this.#seats.get(told.accountId)?.listener.owned(told.epoch)
      case 'lost':
        log.warn({ account: told.accountId, reason: told.reason }, 'account is not ours any more')
        return this.#seats.get(told.accountId)?.listener.lost(told.reason)
      case 'regressed':
        log.error({ alert: 'journal_regressed', account: told.accountId }, told.text)
        return this.#seats.get(told.accountId)?.listener.regressed(told.text)
      case 'otherClient':
        return log.error(
          { alert: 'trading_client_differs', account: told.accountId, node: told.node },
          OTHER_CLIENT,
        )
      case 'placed':
        return this.#seats.get(told.accountId)?.listener.placed(told.at)
      case 'registrations':
        this.#registrations = told
        return this.#follower?.(told)
      case 'undelivered':
        return this.#calls.undelivered(told.accountId, told.body)
      case 'news':
        for (const listener of this.#listeners.get(told.accountId) ?? []) listener()
        return
      case 'stalled':
        return this.#stalled(told)
      case 'lease':
        if (told.mayAct !== this.#mayAct) log.info({ mayAct: told.mayAct }, 'lease of this node')
        this.#mayAct = told.mayAct
        if (!told.mayAct) return
        this.#calls.renewed()
        return onLease?.(told.untilMs)
      case 'foreign':
        return log.error({ alert: 'node_name_taken', host: told.host }, NAME_TAKEN)
      case 'otherDays':
        return log.error(
          { alert: 'closed_days_differ', node: told.node, version: told.version },
          OTHER_DAYS,
        )
      case 'servers':
        return this.#heardOfServers(told.text)
      case 'full':
        return this.#haveNoRoom(told.text)
      case 'dead':
        return onFatal(`this life of the node is over: ${told.why}`, 'over')
    }
  }
}

/** This computer and its data: a configuration that was copied elsewhere is another place, and waits. */
function placeOf(dataDir: string): string {
  const folder = createHash('sha256').update(resolve(dataDir)).digest('hex').slice(0, FOLDER_DIGITS)
  return `${hostname()}/${folder}`
}

const NAME_TAKEN =
  '另一台电脑（或从本机复制的电脑）正以本节点的名字运行，在它停止之前本节点不运行任何账户：请给每台电脑各自的 cluster.node (another computer, or a copy of this one, runs under the name of this node, which runs no account until that one is silent: give each computer a cluster.node of its own)'

const OTHER_CLIENT =
  '该节点上运行此账户的交易客户端与本机配置的不是一类（一个是真实的，一个是内置模拟的）：本机不会接管它，那台停下时止盈止损无人执行。请让能运行它的节点的 driver（不写时随 market.source）相同，然后重启改过的 (that node runs the account by another kind of trading client than is configured here, one of them a real one, the other the embedded one: it is not taken over here, so that neither profits are taken nor losses stopped while that node is down. Make its driver, which follows market.source where it is not said, the same at all nodes that may run it, and restart those that were changed)'

const OTHER_DAYS =
  '该节点的休市日与本机不同，账户换到另一台后会按另一份日历运行：请让所有节点和网关的 closed_days 相同、程序版本一致，然后重启改过的 (the exchange of that node is closed on other days than here, so an account that moves lives by another calendar: make closed_days and the version of the program the same everywhere, and restart those that were changed)'
