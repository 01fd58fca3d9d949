import type { Config } from '../../config/schema.ts'
import { ServiceError } from '../../domain/errors.ts'
import type { Logger } from '../../observability/logger.ts'
import type { AskLimits, CallHeader, Line } from '../../ports/transport.port.ts'
import type { ClusterRequest, RemoteCall, RemoteReply } from '../../protocol/cluster.ts'
import { decode, encode } from '../../protocol/codec.ts'
import { steadyMs } from '../../runtime/steady.ts'
import { FarClocks, type FarTime } from './far-clocks.ts'
import { type Forwarded, mayChange, notKnown, orderKeyOf } from './owner-line.ts'
import { Hearing, RemoteCallers } from './remote-callers.ts'
import { onItsWayMs, type Travelling, travellingIn } from './travelling.ts'

/** Renewals that are further apart than so many times their interval: the servers stood still between them. */
const STANDSTILL_RENEWALS = 1.5
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

export interface NodeCallsDeps {
  /** Life of this node, by which others know who asks. */
  readonly inc: string
  readonly limits: Config['limits']
  readonly log: Logger
  /** To the node that runs the account, and back. */
  readonly ask: (
    call: Extract<ClusterRequest, { kind: 'call' }>,
    timeoutMs: number,
  ) => Promise<Uint8Array>
  /** Whoever answers for the account here. */
  readonly served: (accountId: string) => Served | undefined
}

/**
 * Requests between nodes: those that this one passes on to whoever runs an account, and those that others pass on to it,
 * whose callers may be gone by the time there is an answer.
 */
export class NodeCalls {
  readonly #deps: NodeCallsDeps
  readonly #callers = new Map<string, RemoteCallers>()
  readonly #clocks: FarClocks
  readonly #hearing: Hearing
  #watching: NodeJS.Timeout | undefined

  constructor(deps: NodeCallsDeps) {
    this.#deps = deps
    const { owner_timeout_ms: ownerTimeoutMs, lease_renew_ms: renewMs } = deps.limits.cluster
    this.#clocks = new FarClocks(ownerTimeoutMs)
    this.#hearing = new Hearing(STANDSTILL_RENEWALS * renewMs)
  }

  /** The servers have answered this node. */
  renewed(): void {
    this.#hearing.answered(steadyMs())
  }

  /** Nobody answers for the account here any more: nothing of it is kept. */
  forget(accountId: string): void {
    this.#callers.delete(accountId)
    this.#clocks.forget(accountId)
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
    const { inc: from } = this.#deps
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
    const reply = decode<RemoteReply>(await this.#deps.ask(call, timeoutMs))
    const { epoch, heardMs: ms } = reply
    if (Number.isFinite(ms)) this.#clocks.heard(accountId, { epoch, ms } as FarTime, sentMs)
    return reply
  }

  /** What another node has passed on is answered by whoever runs the account here. */
  async serve({ accountId, body }: RemoteCall): Promise<Uint8Array> {
    return encode(await this.#reply(accountId, travellingIn(body)))
  }

  /** Undefined: another computer asks what nobody here knows. */
  async #reply(accountId: string, travelling: Travelling | undefined): Promise<RemoteReply> {
    const heardMs = steadyMs()
    const served = this.#deps.served(accountId)
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
    const { http, cluster, account } = this.#deps.limits
    const callers =
      this.#callers.get(accountId) ??
      new RemoteCallers(
        {
          answeredWithinMs: http.request_timeout_ms,
          silenceMs: cluster.owner_timeout_ms,
          ordersMax: account.untold_keys_max,
        },
        this.#hearing,
      )
    this.#callers.set(accountId, callers)
    callers.heard(from, key, nowMs)
    if (!callers.isAny) return
    this.#watching ??= setInterval(() => this.#lookForCallers(), cluster.health_poll_ms).unref()
  }

  #lookForCallers(): void {
    for (const [accountId, callers] of this.#callers) {
      // Where another node runs it by now, that one is asked; its start has thought of answers that were lost.
      const isOurs = (this.#deps.served(accountId)?.epoch() ?? 0) > 0
      if (isOurs) this.#untold(accountId, callers.gone())
      if (!isOurs || !callers.isAny) this.#callers.delete(accountId)
    }
    if (this.#callers.size > 0) return
    clearInterval(this.#watching)
    this.#watching = undefined
  }

  /** The answer to this did not get to the node that asked. */
  undelivered(accountId: string, body: Uint8Array): void {
    const travelling = travellingIn(body)
    const key = travelling && keyOf(travelling.request)
    this.#untold(accountId, key === undefined ? [] : [key])
  }

  #untold(accountId: string, keys: readonly string[]): void {
    if (keys.length === 0) return
    const text = 'a computer that passed orders on is gone: their callers may have no answer'
    this.#deps.log.warn({ account: accountId, orders: keys.length }, text)
    this.#deps.served(accountId)?.untold(keys)
  }
}

const TOO_LATE =
  '请求在途中耽搁过久，未执行 (the request was on its way for too long: not executed)'
const tooLate = () => new ServiceError('DEADLINE_PASSED', TOO_LATE)

const keyOf = (request: Forwarded): string | undefined =>
  request.target === 'account' ? orderKeyOf(request.body) : undefined
