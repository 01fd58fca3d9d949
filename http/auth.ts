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
import { type Caller, OPERATOR } from './caller.ts'
import { Refusal } from './errors.ts'
import type { GuessLimit } from './guess-limit.ts'
import type { RateLimit } from './rate-limit.ts'
import type { HttpRequest } from './request.ts'
import type { TokenBook } from './tokens.ts'

/** Signs of a proxy. `X-Forwarded-For` is not among them: it is ignored unless a proxy is trusted. */
const FORWARDED = ['forwarded', 'via', 'x-real-ip', 'x-forwarded-host'] as const

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

interface TokenAccess {
  readonly tokens: TokenBook
  readonly guesses: GuessLimit
}

/** Whose token this is. Errors  throws `UNAUTHORIZED`, `RATE_LIMITED` for one who tries out many. */
function callerOf(
  request: HttpRequest,
  { tokens, guesses }: TokenAccess,
  { address, nowMs }: { readonly address: string; readonly nowMs: number },
): Caller {
  const verdict = tokens.verdict(request)
  if (verdict.kind === 'none' || verdict.kind === 'ambiguous') throw unauthorized()
  const seconds = guesses.waitSeconds(address, verdict.digest, nowMs)
  if (seconds > 0) throw tooMany(`too many wrong tokens; try again in ${seconds} s`, seconds)
  if (verdict.kind === 'good') {
    guesses.succeeded(address, verdict.digest, nowMs)
    return verdict.caller
  }
  if (verdict.kind === 'expired') {
    throw new ServiceError('UNAUTHORIZED', 'Unauthorized: the token has expired')
  }
  guesses.failed(address, verdict.digest, nowMs)
  throw unauthorized()
}

const tooMany = (text: string, seconds: number): Refusal =>
  new Refusal(new ServiceError('RATE_LIMITED', text), { 'Retry-After': String(seconds) })

export interface DirectAccess extends TokenAccess {
  readonly isPublic: boolean
}

/**
 * Rules 1 to 3 of direct mode, for a request under `/api`. `nowMs` is monotonic.
 *
 * Errors  throws `PUBLIC_MODE`, `UNAUTHORIZED`, `RATE_LIMITED`.
 */
export function directCaller(request: HttpRequest, access: DirectAccess, nowMs: number): Caller {
  if (access.isPublic) {
    throw new ServiceError('PUBLIC_MODE', 'Unauthorized: the interface is closed in public mode')
  }
  if (!access.tokens.isSet) return OPERATOR
  return callerOf(request, access, { address: plainAddress(request.peer), nowMs })
}

/** What is known of the proxies before the gateway. */
export interface ProxyTrust {
  /** `X-Forwarded-For` is ignored entirely unless this is set. */
  readonly isTrusted: boolean
  /** Our own proxies; empty: whoever connects is one. */
  readonly own: AddressList
}

/**
 * The gateway's caller: the TCP peer, or behind a trusted proxy the right-most hop that is none of
 * our proxies. Undefined when a trusted proxy names no address.
 */
export function clientAddress(request: HttpRequest, proxy: ProxyTrust): string | undefined {
  const { headers, repeated } = request
  const peer = plainAddress(request.peer)
  const forwarded = proxy.isTrusted ? headers.get('x-forwarded-for') : undefined
  const isProxy = proxy.own.size === 0 || proxy.own.has(peer)
  if (forwarded === undefined || !isProxy) return peer
  if (repeated.has('x-forwarded-for')) return undefined
  const hops = forwarded.split(',').map((hop) => plainAddress(hop.trim()))
  const client = hops.findLast((hop) => !proxy.own.has(hop)) ?? hops[0] ?? ''
  return isIP(client) === 0 ? undefined : client
}

/** On this computer and not speaking for somebody else. */
function isLocalCaller(request: HttpRequest, proxy: ProxyTrust): boolean {
  const address = clientAddress(request, proxy)
  if (address === undefined || !isLoopback(address)) return false
  const telling = proxy.isTrusted ? [] : FORWARDED
  return !telling.some((name) => request.headers.has(name))
}

export interface GatewayAccess extends TokenAccess {
  readonly proxy: ProxyTrust
  /** Empty = every address. */
  readonly allowed: AddressList
  readonly rate: RateLimit
}

/** Address and rate, for every request that is not a preflight. `nowMs` is monotonic. */
export function refuseAddress(
  request: HttpRequest,
  { proxy, allowed, rate }: GatewayAccess,
  nowMs: number,
): ServiceError | undefined {
  const address = clientAddress(request, proxy)
  const isAllowed =
    allowed.size === 0 ||
    (address !== undefined && (allowed.has(address) || isLocalCaller(request, proxy)))
  if (!isAllowed) return new ServiceError('ADDRESS_REFUSED', 'this address is not allowed')
  const waitSeconds = rate.take(address ?? '', nowMs)
  if (waitSeconds === 0) return undefined
  return tooMany(`too many requests; try again in ${waitSeconds} s`, waitSeconds)
}

/**
 * Rules 1 and 3 of the gateway: a token; where there is none, only the operator on this computer.
 * `nowMs` is monotonic.
 *
 * Errors  throws `UNAUTHORIZED`, `RATE_LIMITED`, `HOST_REFUSED`, `ORIGIN_REFUSED`.
 */
export function gatewayCaller(request: HttpRequest, access: GatewayAccess, nowMs: number): Caller {
  const { proxy } = access
  if (access.tokens.isSet) {
    const address = clientAddress(request, proxy) ?? ''
    return callerOf(request, access, { address, nowMs })
  }
  if (!isLocalCaller(request, proxy)) {
    throw new ServiceError('UNAUTHORIZED', 'Unauthorized: without a token only local callers')
  }
  if (!isLoopbackHost(request.headers.get('host'))) {
    throw new ServiceError('HOST_REFUSED', 'without a token the Host must be loopback')
  }
  const origin = request.headers.get('origin')
  const isForeign = origin !== undefined && loopbackOriginPort(origin) === undefined
  if (isForeign || request.repeated.has('origin') || isCrossSite(request)) throw foreignOrigin()
  return OPERATOR
}

const foreignOrigin = (): ServiceError =>
  new ServiceError('ORIGIN_REFUSED', 'a page of another origin may not call this interface')

const isCrossSite = ({ headers }: HttpRequest): boolean =>
  headers.get('sec-fetch-site') === 'cross-site' && headers.get('sec-fetch-mode') !== 'navigate'
