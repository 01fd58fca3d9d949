import { createHash, timingSafeEqual } from 'node:crypto'
import { isIP } from 'node:net'
import { ServiceError } from '../src/domain/errors.ts'
import {
  type AddressList,
  isLoopback,
  isLoopbackHost,
  loopbackOriginPort,
  parseHost,
  plainAddress,
} from './address.ts'
import { Refusal } from './errors.ts'
import type { RateLimit } from './rate-limit.ts'
import type { HttpRequest } from './request.ts'

const TOKEN_HEADER = 'x-api-token'
/** Signs of a proxy. `X-Forwarded-For` is not among them: it is ignored unless a proxy is trusted. */
const FORWARDED = ['forwarded', 'via', 'x-real-ip', 'x-forwarded-host'] as const

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

/** The one token of a backend, kept as its hash. Comparing takes the same time for every guess. */
export class TokenCheck {
  readonly #hash: Buffer
  readonly isSet: boolean

  constructor(token: string) {
    this.isSet = token !== ''
    this.#hash = digest(token)
  }

  /** True only for exactly one header with the right token, when there is a token at all. */
  accepts({ headers, repeated }: HttpRequest): boolean {
    const isEqual = timingSafeEqual(digest(headers.get(TOKEN_HEADER) ?? ''), this.#hash)
    return this.isSet && isEqual && !repeated.has(TOKEN_HEADER)
  }
}

const unauthorized = (): ServiceError =>
  new ServiceError('UNAUTHORIZED', 'Unauthorized: X-API-Token is missing or wrong')

/**
 * Direct mode answers this computer only, and no page of another origin: a name that resolves to
 * loopback, or a page opened in the operator's browser, must not become the operator.
 */
export function refuseForeignPage(request: HttpRequest, ownPort: number): ServiceError | undefined {
  const { headers } = request
  const host = parseHost(headers.get('host') ?? '')
  if (!isLoopbackHost(headers.get('host'))) {
    return new ServiceError('HOST_REFUSED', 'this address answers as localhost only')
  }
  const origin = headers.get('origin')
  const port = origin === undefined ? undefined : loopbackOriginPort(origin)
  const isOwn = origin === undefined || (port !== undefined && [ownPort, host?.port].includes(port))
  if (!isOwn || request.repeated.has('origin') || isCrossSite(request)) return foreignOrigin()
  return undefined
}

export interface DirectAccess {
  readonly token: TokenCheck
  readonly isPublic: boolean
}

/** Rules 1 to 3 of direct mode, for a request under `/api`. */
export function refuseDirect(
  request: HttpRequest,
  { token, isPublic }: DirectAccess,
): ServiceError | undefined {
  if (isPublic) {
    return new ServiceError('PUBLIC_MODE', 'Unauthorized: the interface is closed in public mode')
  }
  return !token.isSet || token.accepts(request) ? undefined : unauthorized()
}

/** The gateway's caller: undefined when a trusted proxy names no address. */
export function clientAddress(request: HttpRequest, trustProxy: boolean): string | undefined {
  const { headers, repeated } = request
  const hops = trustProxy ? headers.get('x-forwarded-for') : undefined
  if (hops === undefined) return plainAddress(request.peer)
  const last = plainAddress((hops.split(',').at(-1) ?? '').trim())
  return isIP(last) === 0 || repeated.has('x-forwarded-for') ? undefined : last
}

/** On this computer and not speaking for somebody else. */
function isLocalCaller(request: HttpRequest, trustProxy: boolean): boolean {
  const address = clientAddress(request, trustProxy)
  if (address === undefined || !isLoopback(address)) return false
  const telling = trustProxy ? [] : FORWARDED
  return !telling.some((name) => request.headers.has(name))
}

export interface GatewayAccess {
  readonly token: TokenCheck
  readonly trustProxy: boolean
  /** Empty = every address. */
  readonly allowed: AddressList
  readonly rate: RateLimit
}

/** Address and rate, for every request that is not a preflight. `nowMs` is monotonic. */
export function refuseAddress(
  request: HttpRequest,
  { trustProxy, allowed, rate }: GatewayAccess,
  nowMs: number,
): ServiceError | undefined {
  const address = clientAddress(request, trustProxy)
  const isAllowed =
    allowed.size === 0 ||
    (address !== undefined && (allowed.has(address) || isLocalCaller(request, trustProxy)))
  if (!isAllowed) return new ServiceError('ADDRESS_REFUSED', 'this address is not allowed')
  const waitSeconds = rate.take(address ?? '', nowMs)
  if (waitSeconds === 0) return undefined
  const error = new ServiceError('RATE_LIMITED', `too many requests; try again in ${waitSeconds} s`)
  return new Refusal(error, { 'Retry-After': String(waitSeconds) })
}

/** Rules 1 and 3 of the gateway: the token; without one only the operator on this computer. */
export function refuseGateway(
  request: HttpRequest,
  { token, trustProxy }: GatewayAccess,
): ServiceError | undefined {
  const isAccepted = token.accepts(request)
  if (token.isSet) return isAccepted ? undefined : unauthorized()
  if (!isLocalCaller(request, trustProxy)) {
    return new ServiceError('UNAUTHORIZED', 'Unauthorized: without a token only local callers')
  }
  if (!isLoopbackHost(request.headers.get('host'))) {
    return new ServiceError('HOST_REFUSED', 'without a token the Host must be loopback')
  }
  const origin = request.headers.get('origin')
  const isForeign = origin !== undefined && loopbackOriginPort(origin) === undefined
  return isForeign || request.repeated.has('origin') || isCrossSite(request)
    ? foreignOrigin()
    : undefined
}

const foreignOrigin = (): ServiceError =>
  new ServiceError('ORIGIN_REFUSED', 'a page of another origin may not call this interface')

const isCrossSite = ({ headers }: HttpRequest): boolean =>
  headers.get('sec-fetch-site') === 'cross-site' && headers.get('sec-fetch-mode') !== 'navigate'
