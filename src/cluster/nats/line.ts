import {
  createInbox,
  errors,
  headers,
  type Msg,
  type NatsConnection,
  type PublishOptions,
  type Subscription,
} from '@nats-io/transport-node'
import { type ConnectionSettings, type ConnectionState, openConnection } from './connect.ts'
import { EngineError } from './engine-error.ts'

export interface LineLimits {
  /** Calls without an answer on this connection at a time; more are refused. */
  readonly requestsMax: number
  /** How long a closing connection may take to send what it still has. ms */
  readonly drainMs: number
  /** Messages that are watched for whether anybody was there to take them; the oldest are taken for delivered. */
  readonly watchedMax: number
}

/** Headers of a message, each once. */
export type Headers = Readonly<Record<string, string>>

/** Status of a message with which the server says that nobody listens. */
const NO_RESPONDERS = 503

interface Request {
  readonly timeoutMs: number
  readonly headers?: Headers
}

/** Ends what it was given for. May be called twice. */
export type Stop = () => void

const NOT_CONNECTED =
  '与集群服务器的连接已断开，未发送任何内容；恢复连接后再试 (no connection to the servers of the cluster, nothing was sent: try again once it is back)'
const NOBODY = '没有接收方，未执行任何操作 (nobody listens there, nothing was executed)'
const OVERLOADED =
  '等待集群服务器答复的请求过多，本次未发送 (too many requests wait for the servers of the cluster; this one was not sent)'
const SILENT = '集群服务器未在限时内答复 (the servers of the cluster did not answer in time)'
const REFUSED =
  '集群服务器不允许此操作：请核对该用户的权限 (the servers of the cluster do not allow this: check the permissions of the user)'

/**
 * One connection to the servers, whose calls all end. The client keeps what is sent while it reconnects and sends it
 * later, when nobody waits for it any more; so nothing is given to it then.
 */
export class Line {
  readonly connection: NatsConnection
  readonly #limits: LineLimits
  readonly #inboxPrefix: string
  readonly #reopened = new Set<() => void>()
  #isOpen = true
  /** Ends of the calls that wait for an answer. */
  readonly #waiting = new Set<(error: EngineError) => void>()
  /** What is to be done when nobody was there to take a message, by the subject on which the server says so. */
  readonly #watched = new Map<string, () => void>()
  #inbox: string | undefined
  #sent = 0

  private constructor(connection: NatsConnection, limits: LineLimits, inboxPrefix: string) {
    this.connection = connection
    this.#limits = limits
    this.#inboxPrefix = inboxPrefix
  }

  /** Errors  ConnectionError. */
  static async open(
    settings: ConnectionSettings,
    limits: LineLimits,
    onState: (state: ConnectionState) => void,
  ): Promise<Line> {
    let line: Line | undefined
    const connection = await openConnection(settings, (state) => {
      if (line !== undefined) line.#note(state)
      onState(state)
    })
    line = new Line(connection, limits, settings.inboxPrefix)
    return line
  }

  /** Whether what is sent now goes to a server now. */
  get isOpen(): boolean {
    return this.#isOpen && !this.connection.isClosed()
  }

  /** Errors  EngineError: `unavailable` when nothing was executed, `ambiguous` when that is not known. */
  async request(subject: string, bytes: Uint8Array, request: Request): Promise<Msg> {
    if (!this.isOpen) throw new EngineError('unavailable', NOT_CONNECTED)
    if (this.#waiting.size >= this.#limits.requestsMax) {
      throw new EngineError('unavailable', OVERLOADED)
    }
    const lost = Promise.withResolvers<never>()
    this.#waiting.add(lost.reject)
    try {
      const answer = this.connection.request(subject, bytes, {
        timeout: request.timeoutMs,
        ...headersOf(request.headers),
      })
      return await Promise.race([answer, lost.promise])
    } catch (error) {
      throw failedRequest(error)
    } finally {
      this.#waiting.delete(lost.reject)
    }
  }

  /** Sends it, or drops it where there is no connection: for what may be lost. */
  publish(subject: string, bytes: Uint8Array, named?: Headers): void {
    if (this.isOpen) this.#send(subject, bytes, headersOf(named))
  }

  /** Whether it was taken. A connection that is closing takes what answers others until it has heard them all. */
  #send(subject: string, bytes: Uint8Array, options: PublishOptions): boolean {
    try {
      this.connection.publish(subject, bytes, options)
      return true
    } catch (error) {
      if (!isClosing(error)) throw error
      return false
    }
  }

  /**
   * As `publish`. `onNobody` is called when the server says that nobody listens there: whoever was to get it is gone.
   * That it is not called proves nothing.
   */
  deliver(
    subject: string,
    bytes: Uint8Array,
    { headers: named, onNobody }: { readonly headers?: Headers | undefined; onNobody: () => void },
  ): void {
    if (!this.isOpen) return onNobody()
    const reply = `${this.#listenForNobody()}.${++this.#sent}`
    this.#watched.set(reply, onNobody)
    const [oldest] = this.#watched.keys()
    if (this.#watched.size > this.#limits.watchedMax && oldest !== undefined) {
      this.#watched.delete(oldest)
    }
    if (this.#send(subject, bytes, { reply, ...headersOf(named) })) return
    this.#watched.delete(reply)
    onNobody()
  }

  #listenForNobody(): string {
    if (this.#inbox !== undefined) return this.#inbox
    this.#inbox = createInbox(this.#inboxPrefix)
    this.subscribe(`${this.#inbox}.*`, ({ subject, headers: said }) => {
      const onNobody = this.#watched.get(subject)
      this.#watched.delete(subject)
      if (said?.code === NO_RESPONDERS) onNobody?.()
    })
    return this.#inbox
  }

  /**
   * `onMessage` must not throw. The subscription outlives a lost connection; what was sent meanwhile is lost. On one that
   * is closing nothing is heard.
   */
  subscribe(subject: string, onMessage: (message: Msg) => void): Stop {
    if (this.connection.isDraining() || this.connection.isClosed()) return () => undefined
    const subscription: Subscription = this.connection.subscribe(subject, {
      callback: (error, message) => {
        if (error === null) onMessage(message)
      },
    })
    return () => {
      if (!this.connection.isClosed()) subscription.unsubscribe()
    }
  }

  /** A subject that only this user may listen to. */
  newInbox(inboxPrefix: string): string {
    return createInbox(inboxPrefix)
  }

  /** Called after each reconnect, when the subscriptions are there again. */
  onReopened(listener: () => void): Stop {
    this.#reopened.add(listener)
    return () => this.#reopened.delete(listener)
  }

  /** Sends what waits, within the limit, and closes. */
  async close(): Promise<void> {
    if (this.connection.isClosed()) return
    const late = Promise.withResolvers<void>()
    const timer = setTimeout(late.resolve, this.#limits.drainMs)
    const drained = this.isOpen ? this.connection.drain() : this.connection.close()
    await Promise.race([drained.catch(() => undefined), late.promise])
    clearTimeout(timer)
    if (!this.connection.isClosed()) await this.connection.close()
  }

  #note({ state }: ConnectionState): void {
    if (state === 'disconnected' || state === 'reconnecting' || state === 'closed') {
      this.#isOpen = false
      // Answers would come to the connection that is gone: who waits may look at once what became of it.
      for (const lose of this.#waiting) lose(new EngineError('ambiguous', SILENT))
    }
    if (state !== 'connected') return
    this.#isOpen = true
    for (const listener of this.#reopened) listener()
  }
}

const isClosing = (error: unknown): boolean =>
  error instanceof errors.DrainingConnectionError || error instanceof errors.ClosedConnectionError

function headersOf(named: Headers | undefined) {
  if (named === undefined) return {}
  const made = headers()
  for (const [name, value] of Object.entries(named)) made.set(name, value)
  return { headers: made }
}

function failedRequest(error: unknown): EngineError {
  if (error instanceof EngineError) return error
  if (error instanceof errors.RequestError && error.isNoResponders()) {
    return new EngineError('unavailable', NOBODY, NO_RESPONDERS)
  }
  if (error instanceof errors.PermissionViolationError) {
    return new EngineError('unavailable', REFUSED)
  }
  if (error instanceof errors.TimeoutError) return new EngineError('ambiguous', SILENT)
  const words = error instanceof Error ? error.message : String(error)
  // It may have been sent before the connection ended.
  return new EngineError('ambiguous', `${SILENT} “${words}”`)
}
