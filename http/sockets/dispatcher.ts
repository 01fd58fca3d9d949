import { setImmediate } from 'node:timers/promises'
import { ServiceError } from '../../src/domain/errors.ts'
import { maskAddresses } from '../../src/domain/mask.ts'
import type { Guard } from '../access/guard.ts'
import type { FrontLimits } from '../desk/context.ts'
import type { Caller } from '../message/caller.ts'
import { errorReply, Refusal } from '../message/errors.ts'
import { type JsonObject, parseJsonObject } from '../message/json-body.ts'
import { type Reply, type StreamReply, writeReply } from '../message/reply.ts'
import {
  announcesBody,
  type Entrance,
  framingFault,
  type HttpRequest,
  isApiPath,
  type RawRequest,
  ReceivedRequest,
} from '../message/request.ts'
import { type Match, parseQuery, type Route, type RouteTable } from '../message/routes.ts'
import type { RequestStats } from '../port/request-stats.ts'
import { tooLarge } from './body-collector.ts'
import type { Door } from './door.ts'
import { Exchange, type RawResponse } from './exchange.ts'
import { Load } from './load.ts'
import { OpenBodies } from './open-bodies.ts'
import type { Pages } from './static.ts'

/** Where the front writes what a person should know. */
export interface FrontLog {
  warn(fields: Readonly<Record<string, unknown>>, message: string): void
  error(fields: Readonly<Record<string, unknown>>, message: string): void
}

interface DispatcherOptions {
  readonly guard: Guard
  readonly table: RouteTable
  /** Answered before the table is asked, and never under `/api`. */
  readonly pages?: Pages | undefined
  readonly limits: FrontLimits
  readonly log: FrontLog
  readonly stats: RequestStats
  /** Told after each answer that had to be waited for. */
  readonly door: Pick<Door, 'settle'>
  readonly clock: { nowMs(): number }
  /** Makes request ids unique across listeners and starts. */
  readonly idPrefix: string
}

type Outcome = Reply | StreamReply
/** What a request came to, and the row of the route table that took it, once one has. */
interface Taken {
  route: Route | undefined
}
type Found = Extract<Match, { kind: 'found' }> & { readonly caller: Caller | undefined }
const LOGGED_PATH_MAX = 256
const BODYLESS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])
const NO_BODY: JsonObject = {}
const NO_BYTES = new Uint8Array()
/** What the pages have for a verb that they do not take. */
const PAGE_FILE: Match = { kind: 'otherMethod', allow: 'GET, HEAD, OPTIONS' }

/**
 * What happens to every request, in order: address, route, token, rate, body, schema, room for it, route
 * function, one answer. Nothing that goes wrong on the way leaves a request without an answer, and
 * no refusal waits for a body. A request takes room from others only once all of it is there.
 *
 * A request without a body that nothing has to be waited for is answered before the library's own
 * callback returns: it needs no deadline, cannot be abandoned, and costs little more than its bytes.
 */
export class Dispatcher {
  readonly #options: DispatcherOptions
  #count = 0
  #open = 0
  readonly #load: Load
  readonly #bodies: OpenBodies
  #isStopping = false
  #drained: () => void = () => {}

  constructor(options: DispatcherOptions) {
    this.#options = options
    this.#load = new Load(options.limits)
    this.#bodies = new OpenBodies(options.limits)
  }

  /** Never throws. */
  serve(raw: RawResponse, rawRequest: RawRequest, entrance?: Entrance): void {
    const { guard, idPrefix } = this.#options
    const startMs = performance.now()
    this.#count += 1
    this.#open += 1
    const id = `${idPrefix}-${this.#count.toString(36)}`
    const request = new ReceivedRequest(id, raw, rawRequest, entrance)
    const taken: Taken = { route: undefined }
    const fault = framingFault(request)
    if (fault !== undefined) {
      void this.#refuseFraming(this.#exchange(raw, request, startMs, taken), fault)
    } else if (announcesBody(request)) {
      const exchange = this.#exchange(raw, request, startMs, taken)
      void this.#settle(exchange, this.#afterBody(exchange, taken))
    } else {
      const outcome = this.#outcome(request, taken)
      const isToClose = this.#endsAfter(request)
      // The library takes a HEAD that ends its connection at once for one that was not answered at all.
      const isUnseen = isToClose && request.method === 'HEAD'
      if (outcome instanceof Promise || 'stream' in outcome || isUnseen) {
        void this.#settle(this.#exchange(raw, request, startMs, taken), outcome)
        return
      }
      writeReply(raw, request, outcome, guard.headersFor(request), isToClose)
      const elapsedMs = performance.now() - startMs
      this.#finished(request, taken, { status: outcome.status, isStream: false, elapsedMs })
    }
  }

  /** Refuses new requests; resolves when the open ones are answered, or their time is up: with false. */
  async drain(): Promise<boolean> {
    this.#isStopping = true
    if (this.#open === 0) return true
    return new Promise<boolean>((resolve) => {
      const timer = setTimeout(() => resolve(false), this.#options.limits.drainTimeoutMs)
      this.#drained = () => {
        clearTimeout(timer)
        resolve(true)
      }
    })
  }

  /** For what has to be waited for. To be called before the library's callback returns. */
  #exchange(raw: RawResponse, request: ReceivedRequest, startMs: number, taken: Taken): Exchange {
    const { guard, limits, door } = this.#options
    return new Exchange(raw, request, {
      startMs,
      limits,
      commonHeaders: guard.headersFor(request),
      late: () =>
        this.#errorReply(
          new ServiceError('DEADLINE_EXCEEDED', '未在时限内得到答复，结果未知 (no answer in time)'),
        ),
      settled: (how) => door.settle(request.peer, how),
      streaming: () => this.#left(),
      finished: (end) => this.#finished(request, taken, end),
    })
  }

  /**
   * Where the next request begins is anybody's guess, so there must be none on this connection.
   * While this one waits for its answer, the library ends the connection at a second one; with
   * the answer given at once it would go on and take what follows for a request.
   */
  async #refuseFraming(exchange: Exchange, fault: string): Promise<void> {
    await setImmediate()
    exchange.answer(this.#errorReply(new ServiceError('BAD_REQUEST', fault)), true)
  }

  async #settle(exchange: Exchange, outcome: Outcome | Promise<Outcome>): Promise<void> {
    try {
      const reply = await outcome
      if ('stream' in reply) exchange.stream(reply)
      else exchange.answer(reply, this.#endsAfter(exchange.request))
    } catch (error) {
      const reply = this.#refusal(exchange.request, error)
      await exchange.refuse(reply, this.#endsAfter(exchange.request))
    }
  }

  /** Who is not known keeps no connection: those that are kept are not counted by address. */
  #endsAfter(request: HttpRequest): boolean {
    if (this.#isStopping) return true
    return request.caller === undefined && this.#options.guard.isStranger(request.peer)
  }

  /** What went wrong, as an answer. What is no {@link ServiceError} is a bug of ours. */
  #refusal(request: HttpRequest, error: unknown): Reply {
    if (error instanceof ServiceError) return this.#errorReply(error)
    this.#options.log.error({ requestId: request.id, err: error }, 'a request met a bug')
    return this.#errorReply(
      new ServiceError('INTERNAL', '服务内部错误，详情见日志 (internal error)'),
    )
  }

  /** Of a request without a body. Never throws; the promise may reject. */
  #outcome(request: ReceivedRequest, taken: Taken): Outcome | Promise<Outcome> {
    try {
      const admitted = this.#admit(request)
      return 'route' in admitted ? this.#handle(request, admitted, NO_BYTES, taken) : admitted
    } catch (error) {
      return this.#refusal(request, error)
    }
  }

  async #afterBody(exchange: Exchange, taken: Taken): Promise<Outcome> {
    const { request } = exchange
    const admitted = this.#admit(request)
    if ('route' in admitted) taken.route = admitted.route
    this.#checkAnnounced(request)
    if (!('route' in admitted)) {
      await exchange.refuse(admitted, this.#endsAfter(request))
      return admitted
    }
    const { limits } = this.#options
    const bytes = await exchange.body({
      bytesMax: limits.bodyBytesMax,
      timeoutMs: limits.bodyTimeoutMs,
      wait: () => this.#bodies.enter(request.peer),
    })
    return this.#handle(request, admitted, bytes, taken)
  }

  /** What the head says of the body, before any of it is read. */
  #checkAnnounced({ method, headers }: HttpRequest): void {
    const { bodyBytesMax } = this.#options.limits
    if (BODYLESS.has(method)) {
      throw new ServiceError('BAD_REQUEST', `${method} 请求不能带请求体 (${method} takes no body)`)
    }
    if (Number(headers.get('content-length') ?? 0) > bodyBytesMax) throw tooLarge(bodyBytesMax)
  }

  #handle(
    request: ReceivedRequest,
    { route, params, caller }: Found,
    bytes: Uint8Array,
    taken: Taken,
  ): Outcome | Promise<Outcome> {
    taken.route = route
    request.caller = caller
    const body = this.#parseBody(request, route, bytes)
    const query = parseQuery(request.query)
    const accountId = this.#options.guard.accountOf(route, { request, params, query, body })
    const incoming = { request, params, query, body, accountId }
    const place = this.#load.placeFor(route, accountId)
    const outcome = route.handle(incoming)
    return outcome instanceof Promise ? this.#load.during(place, accountId, outcome) : outcome
  }

  /** The route, if the request may have it; a reply that ends it here; or a thrown refusal. */
  #admit(request: HttpRequest): Found | Reply {
    const { guard, pages } = this.#options
    if (this.#isStopping)
      throw new ServiceError('STOPPING', '服务正在停止 (the service is stopping)')
    const early = guard.enter(request)
    if (early !== undefined) return early
    const match = this.#match(request)
    guard.pace(request, 'route' in match ? match.route : undefined)
    const isApi = isApiPath(request.path)
    return (isApi ? undefined : pages?.find(request)) ?? this.#allowed(request, match, isApi)
  }

  #allowed(request: HttpRequest, match: Match | ServiceError, isApi: boolean): Found | Reply {
    if (match instanceof ServiceError) throw match
    if (match.kind === 'otherMethod' && request.method === 'OPTIONS') {
      return { status: 204, headers: { Allow: match.allow }, body: '' }
    }
    const scope = match.kind === 'found' ? match.route.scope : 'view'
    const needsToken = scope !== 'open' && (match.kind === 'found' || isApi)
    const caller = needsToken ? this.#options.guard.authorize(request, scope) : undefined
    if (match.kind === 'found') return { ...match, caller }
    if (match.kind === 'notFound') return this.#stray(request, isApi)
    const text = `此地址只支持 ${match.allow} (this address has other methods: ${match.allow})`
    throw new Refusal(new ServiceError('METHOD_NOT_ALLOWED', text), { Allow: match.allow })
  }

  /** What the table says; an address that cannot be read is refused only once the caller has been counted. */
  #match({ method, path, query }: HttpRequest): Match | ServiceError {
    const { limits, table, pages } = this.#options
    if (path.length + query.length > limits.urlBytesMax) {
      return new ServiceError(
        'BAD_REQUEST',
        `地址超过 ${limits.urlBytesMax} 字节，请把要查的内容分几次请求 (the address is longer than ${limits.urlBytesMax} bytes; ask in several requests, for fewer codes each, say)`,
      )
    }
    try {
      const match = table.find(method, path)
      return match.kind === 'notFound' && pages?.has(path) ? PAGE_FILE : match
    } catch (error) {
      if (error instanceof ServiceError) return error
      throw error
    }
  }

  /** An address that no route knows may still be one of the page's own. */
  #stray(request: HttpRequest, isApi: boolean): Reply {
    const page = isApi ? undefined : this.#options.pages?.fallback(request)
    if (page === undefined)
      throw new ServiceError(
        'NOT_FOUND',
        '此地址不存在，接口列表见 /docs (there is nothing here; /docs has all there is)',
      )
    return page
  }

  #parseBody(request: HttpRequest, { bodyUse }: Route, bytes: Uint8Array): JsonObject {
    if (bodyUse === 'none') return NO_BODY
    if (bytes.length === 0) {
      if (bodyUse === 'optional') return NO_BODY
      throw new ServiceError('BAD_JSON', '请求体须为 JSON 对象 (the body must be a JSON object)')
    }
    const type = request.headers.get('content-type') ?? ''
    if (request.repeated.has('content-type') || !/^application\/json\s*(;|$)/i.test(type)) {
      throw new ServiceError(
        'NOT_JSON',
        '请求头 Content-Type 须为 application/json (Content-Type must be application/json)',
      )
    }
    const coding = request.headers.get('content-encoding') ?? ''
    // What is not unpacked here must not be read as if nobody had packed it. A charset, which is often named so, packs nothing.
    if (request.repeated.has('content-encoding') || !/^(identity|utf-?8)?$/i.test(coding)) {
      throw new ServiceError(
        'NOT_JSON',
        '请求体不能压缩，请去掉请求头 Content-Encoding (the body must not be packed; leave Content-Encoding out)',
      )
    }
    return parseJsonObject(bytes, this.#options.limits)
  }

  /** The body of the answer to bytes that are no request. */
  unreadable(): string {
    const error = new ServiceError(
      'BAD_REQUEST',
      '无法读懂的请求 (this is no request that can be read)',
    )
    return String(this.#errorReply(error).body)
  }

  #errorReply(error: ServiceError): Reply {
    const { guard, clock, limits } = this.#options
    const { retryAfterSeconds } = limits
    return errorReply(error, { backend: guard.backend, nowMs: clock.nowMs(), retryAfterSeconds })
  }

  /** Answered, gone, or become a stream, which has its own limits. */
  #left(): void {
    this.#open -= 1
    if (this.#open === 0) this.#drained()
  }

  #finished(
    request: HttpRequest,
    { route }: Taken,
    end: { status: number; isStream: boolean; elapsedMs: number },
  ): void {
    if (!end.isStream) this.#left()
    // A stream lasts as long as its client likes, which says nothing of the service.
    if (!end.isStream) this.#options.stats.observe(route, end.status, end.elapsedMs)
    if (end.status < 400) return
    this.#options.log.warn(
      {
        requestId: request.id,
        method: request.method.slice(0, 16),
        path: maskAddresses(request.path.slice(0, LOGGED_PATH_MAX)),
        status: end.status,
        ms: Math.round(end.elapsedMs),
      },
      'request refused',
    )
  }
}
