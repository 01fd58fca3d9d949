import { createHash, randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { resolve } from 'node:path'
import { MessageChannel, type MessagePort } from 'node:worker_threads'
import type { OrderCheckMemory } from '../../actors/account/order-check.ts'
import type { ClusterThreadData } from '../../actors/cluster/cluster.thread.ts'
import type { Supervisor } from '../../actors/supervisor/supervisor.actor.ts'
import type { SeatListener } from '../cluster/cluster-ownership.ts'
import type { Config } from '../config/schema.ts'
import { ServiceError } from '../domain/errors.ts'
import type { Logger } from '../observability/logger.ts'
import type { AskLimits, CallHeader, Line } from '../ports/transport.port.ts'
import type {
  ClusterReplies,
  ClusterRequest,
  ClusterTold,
  RemoteCall,
  RemoteMetrics,
  RemoteReply,
} from '../protocol/cluster.ts'
import { decode, encode } from '../protocol/codec.ts'
import { HISTOGRAM_BYTES, Histogram } from '../runtime/histogram.ts'
import { Link, portWire } from '../runtime/link.ts'
import { steadyMs } from '../runtime/steady.ts'
import { clusterThread } from './cluster-limits.ts'
import { FarClocks, type FarTime } from './far-clocks.ts'
import type { OnFatal } from './fatal.ts'
import { beginLife, type NodeLivesDeps } from './node-lives.ts'
import { type Forwarded, mayChange, notKnown, orderKeyOf } from './owner-line.ts'
import { ownVersion } from './program-folder.ts'
import { RemoteCallers } from './remote-callers.ts'
import { onItsWayMs, type Travelling, travellingIn } from './travelling.ts'

/** The longest timer there is. */
const FOREVER_MS = 2 ** 31 - 1
const FOLDER_DIGITS = 12
/** They wait for servers that are away, for days if need be. */
const UNHURRIED: ReadonlySet<ClusterRequest['kind']> = new Set(['join', 'about', 'room'])
/** What a node cannot date is sent again with its clock; once more, and it has moved meanwhile. */
const SENDS_MAX = 2
const MOVED =
  '账户正在换到另一个节点，未执行任何操作，请稍后再试 (the account is moving to another computer, nothing was executed: try again)'

/** Answers other nodes while the account is run here. */
export interface Served {
  /** 0 while it is not. */
  readonly epoch: () => number
  readonly answer: (body: unknown, call: CallHeader) => Promise<unknown>
  /** The answers to the orders of these keys did not get to their clients. */
  readonly untold: (keys: readonly string[]) => void
}

type Registrations = Extract<ClusterTold, { kind: 'registrations' }>['all']

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
  #follower: ((all: Registrations) => void) | undefined
  readonly #callers = new Map<string, RemoteCallers>()
  readonly #clocks: FarClocks
  readonly #inc = randomUUID()
  readonly #listeners = new Map<string, Set<() => void>>()
  readonly #link: Link
  #watching: NodeJS.Timeout | undefined
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
    this.#clocks = new FarClocks(limits.cluster.owner_timeout_ms)
    this.#link = new Link(portWire(port), {
      peer: 'cluster',
      limits: { openAsksMax: limits.runtime.open_asks_max },
      answer: (body) => this.#answer(body as RemoteCall | RemoteMetrics),
      tell: (body) => this.#told(body as ClusterTold),
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
    const self = { node, inc, host: placeOf(config.data_dir), before, v: ownVersion() }
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
      this.#callers.delete(accountId)
      this.#clocks.forget(accountId)
    }
  }

  /** Other nodes are told this. */
  serveMetrics(tell: TellMetrics): void {
    this.#tellMetrics = tell
  }

  /** Hears of all accounts that were registered at run time: what is known now, and each change. */
  follow(listener: (all: Registrations) => void): void {
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
    return { ask: (body, limits) => this.#remote(accountId, body as Forwarded, limits) }
  }

  /**
   * What may change something is begun by a node that can tell how long it was on its way: servers that stood still
   * deliver what they had taken before. So it may have to be sent a second time, with what the first answer has told.
   */
  async #remote<T>(accountId: string, request: Forwarded, limits: AskLimits): Promise<T> {
    const askedMs = steadyMs()
    for (let sends = 1; sends <= SENDS_MAX; sends++) {
      const { isUndated, value, error } = await this.#send(accountId, request, {
        ...limits,
        askedMs,
      })
      if (error !== undefined) throw ServiceError.fromWire(error)
      if (isUndated !== true) return value as T
    }
    throw new ServiceError('NOT_OWNER', MOVED)
  }

  async #send(
    accountId: string,
    request: Forwarded,
    { askedMs, ...limits }: AskLimits & { readonly askedMs: number },
  ): Promise<RemoteReply> {
    const sentMs = steadyMs()
    const timeoutMs = Math.max(1, limits.timeoutMs - (sentMs - askedMs))
    const startWithinMs = Math.max(0, (limits.startWithinMs ?? limits.timeoutMs) - sentMs + askedMs)
    const { correlationId = '' } = limits
    const sentAt = this.#clocks.at(accountId, sentMs) ?? null
    const from = this.#inc
    const travelling: Travelling = {
      request,
      timeoutMs,
      startWithinMs,
      correlationId,
      from,
      sentAt,
    }
    const body = encode(travelling)
    const call = { kind: 'call', accountId, body, isWrite: mayChange(request) } as const
    const reply = decode<RemoteReply>(await this.ask(call, timeoutMs))
    const { epoch, heardMs: ms } = reply
    if (Number.isFinite(ms)) this.#clocks.heard(accountId, { epoch, ms } as FarTime, sentMs)
    return reply
  }

  async #answer(body: RemoteCall | RemoteMetrics): Promise<Uint8Array | string> {
    if ('accountId' in body) return this.#serve(body)
    return this.#tellMetrics(body.metricsWithinMs)
  }

  async #serve({ accountId, body }: RemoteCall): Promise<Uint8Array> {
    return encode(await this.#reply(accountId, travellingIn(body)))
  }

  /** Undefined: another computer asks what nobody here knows. */
  async #reply(accountId: string, travelling: Travelling | undefined): Promise<RemoteReply> {
    const heardMs = steadyMs()
    const served = this.#seats.get(accountId)?.served
    const epoch = served?.epoch() ?? 0
    if (served === undefined || epoch === 0) return { epoch: 0 }
    if (travelling === undefined) return { epoch, error: notKnown().toWire() }
    const { request, timeoutMs, startWithinMs, correlationId, from } = travelling
    const wayMs = onItsWayMs(travelling, { epoch, ms: heardMs })
    if (wayMs === undefined && mayChange(request)) return { epoch, heardMs, isUndated: true }
    const sentMs = heardMs - (wayMs ?? 0)
    const call: CallHeader = {
      lane: 'request',
      deadlineMs: sentMs + timeoutMs,
      startByMs: sentMs + startWithinMs,
      correlationId,
    }
    if (call.startByMs < heardMs) return { epoch, heardMs, error: tooLate().toWire() }
    this.#heard(accountId, { from, key: keyOf(request) }, heardMs)
    try {
      return { epoch, heardMs, value: await served.answer(request, call) }
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
      return { epoch, heardMs, error: error.toWire() }
    }
  }

  /** Once something may have to be told, it is looked whether its caller goes on asking. */
  #heard(
    accountId: string,
    { from, key }: { readonly from: string; readonly key: string | undefined },
    nowMs: number,
  ): void {
    const { http, cluster, account } = this.#options.config.limits
    const callers =
      this.#callers.get(accountId) ??
      new RemoteCallers({
        answeredWithinMs: http.request_timeout_ms,
        silenceMs: cluster.owner_timeout_ms,
        ordersMax: account.untold_keys_max,
      })
    this.#callers.set(accountId, callers)
    callers.heard(from, key, nowMs)
    if (!callers.isAny) return
    this.#watching ??= setInterval(() => this.#lookForCallers(), cluster.health_poll_ms).unref()
  }

  #lookForCallers(): void {
    for (const [accountId, callers] of this.#callers) {
      this.#untold(accountId, callers.gone(steadyMs()))
      if (!callers.isAny) this.#callers.delete(accountId)
    }
    if (this.#callers.size > 0) return
    clearInterval(this.#watching)
    this.#watching = undefined
  }

  #undelivered(accountId: string, body: Uint8Array): void {
    const travelling = travellingIn(body)
    const key = travelling && keyOf(travelling.request)
    this.#untold(accountId, key === undefined ? [] : [key])
  }

  #untold(accountId: string, keys: readonly string[]): void {
    if (keys.length === 0) return
    const text = 'a computer that passed orders on is gone: their callers may have no answer'
    this.#options.log.warn({ account: accountId, orders: keys.length }, text)
    this.#seats.get(accountId)?.served.untold(keys)
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
      case 'placed':
        return this.#seats.get(told.accountId)?.listener.placed(told.at)
      case 'registrations':
        this.#registrations = told.all
        return this.#follower?.(told.all)
      case 'undelivered':
        return this.#undelivered(told.accountId, told.body)
      case 'news':
        for (const listener of this.#listeners.get(told.accountId) ?? []) listener()
        return
      case 'stalled':
        return this.#stalled(told)
      case 'lease':
        if (told.mayAct !== this.#mayAct) log.info({ mayAct: told.mayAct }, 'lease of this node')
        this.#mayAct = told.mayAct
        return told.mayAct ? onLease?.(told.untilMs) : undefined
      case 'foreign':
        return log.error({ alert: 'node_name_taken', host: told.host }, NAME_TAKEN)
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

const TOO_LATE =
  '请求在途中耽搁过久，未执行 (the request was on its way for too long: not executed)'
const tooLate = () => new ServiceError('DEADLINE_PASSED', TOO_LATE)

const keyOf = (request: Forwarded): string | undefined =>
  request.target === 'account' ? orderKeyOf(request.body) : undefined
