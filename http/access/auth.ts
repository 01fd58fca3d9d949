import { isIP } from 'node:net'
import { ServiceError } from '../../src/domain/errors.ts'
import { type Caller, OPERATOR } from '../message/caller.ts'
import { Refusal } from '../message/errors.ts'
import type { HttpRequest } from '../message/request.ts'
import {
  type AddressList,
  addressGroup,
  isLoopback,
  isLoopbackHost,
  loopbackOriginPort,
  parseHost,
  plainAddress,
} from './address.ts'
import type { GuessLimit } from './guess-limit.ts'
import type { RateLimit } from './rate-limit.ts'
import type { TokenBook } from './tokens.ts'

/** Signs of a proxy or a tunnel, besides every `X-Forwarded-…`. */
const FORWARDED: ReadonlySet<string> = new Set([
  'forwarded',
  'via',
  'x-real-ip',
  'cf-connecting-ip',
])

/** The first header that says that somebody else speaks through the peer. */
function forwardingHeader({ headers }: HttpRequest): string | undefined {
  for (const name of headers.keys()) {
    if (FORWARDED.has(name) || name.startsWith('x-forwarded-')) return name
  }
  return undefined
}

/**
 * Without a token whoever is on this computer is the operator. A tunnel or proxy on this computer makes
 * everybody out there look like that.
 */
function refuseForwarded(request: HttpRequest, token: string, other = ''): void {
  if (request.entrance === 'proxies') {
    const text = `未设令牌时代理端口不作答，请先设置 ${token} (without a token nobody is answered at the port for proxies: anybody may stand behind them; set ${token})`
    throw new ServiceError('FORWARDED_REFUSED', text)
  }
  const header = forwardingHeader(request)
  if (header === undefined) return
  const text = `未设令牌时不接受带 ${header} 的请求，请先设置 ${token} (without a token a request with ${header} is refused: somebody else may stand behind it; set ${token}${other})`
  throw new ServiceError('FORWARDED_REFUSED', text)
}

const unauthorized = (): ServiceError =>
  new ServiceError(
    'UNAUTHORIZED',
    '令牌缺失或错误，请在请求头 X-API-Token 中给出令牌 (Unauthorized: X-API-Token is missing or wrong)',
  )

/**
 * Direct mode answers this computer only, and no page of another origin: a name that resolves to
 * loopback, or a page opened in the operator's browser, must not become the operator, unless its origin
 * is listed.
 */
export function refuseForeignPage(
  request: HttpRequest,
  ownPort: number,
  isListed: boolean,
): ServiceError | undefined {
  if (!isLoopbackHost(request.headers.get('host'))) {
    return new ServiceError(
      'HOST_REFUSED',
      '此地址只接受本机访问，请用 127.0.0.1 或 localhost (this address answers as localhost only)',
    )
  }
  return isListed || isOwnPage(request, ownPort) ? undefined : foreignOrigin()
}

/** No page, or one that this very port has served: another program's page on this computer is a stranger. */
function isOwnPage(request: HttpRequest, ownPort: number): boolean {
  const { headers, repeated } = request
  if (repeated.has('origin') || isCrossSite(request)) return false
  const origin = headers.get('origin')
  if (origin === undefined) return true
  const port = loopbackOriginPort(origin)
  return port !== undefined && [ownPort, parseHost(headers.get('host') ?? '')?.port].includes(port)
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
  if (seconds > 0)
    throw tooMany(
      `错误的令牌过多，请 ${seconds} 秒后再试 (too many wrong tokens; try again in ${seconds} s)`,
      seconds,
    )
  if (verdict.kind === 'good') {
    guesses.succeeded(address, verdict.digest, nowMs)
    return verdict.caller
  }
  if (verdict.kind === 'expired') {
    throw new ServiceError(
      'UNAUTHORIZED',
      '令牌已过期，请换用新的令牌 (Unauthorized: the token has expired)',
    )
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
 * Errors  throws `PUBLIC_MODE`, `FORWARDED_REFUSED`, `UNAUTHORIZED`, `RATE_LIMITED`.
 */
export function directCaller(request: HttpRequest, access: DirectAccess, nowMs: number): Caller {
  if (access.isPublic) {
    throw new ServiceError(
      'PUBLIC_MODE',
      '公开模式下接口已关闭 (Unauthorized: the interface is closed in public mode)',
    )
  }
  if (!access.tokens.isSet) {
    refuseForwarded(request, 'SVC_API_TOKEN')
    return OPERATOR
  }
  return callerOf(request, access, { address: plainAddress(request.peer), nowMs })
}

/** What is known of the proxies before the gateway. */
export interface ProxyTrust {
  /** `X-Forwarded-For` is ignored entirely unless this is set. */
  readonly isTrusted: boolean
  /** Our own proxies: nobody else is believed. */
  readonly own: AddressList
}

const isProxied = ({ peer }: HttpRequest, { isTrusted, own }: ProxyTrust): boolean =>
  isTrusted && own.has(plainAddress(peer))

/**
 * The gateway's caller: the TCP peer, or behind a trusted proxy the right-most hop that is none of
 * our proxies. Undefined when a trusted proxy names no address, and at the port for proxies when there is
 * none that is trusted: who connects there is never the caller.
 */
export function clientAddress(request: HttpRequest, proxy: ProxyTrust): string | undefined {
  const { headers, repeated } = request
  const forwarded = isProxied(request, proxy) ? headers.get('x-forwarded-for') : undefined
  if (forwarded === undefined) {
    return request.entrance === 'proxies' ? undefined : plainAddress(request.peer)
  }
  if (repeated.has('x-forwarded-for')) return undefined
  const hops = forwarded.split(',').map((hop) => plainAddress(hop.trim()))
  const client = hops.findLast((hop) => !proxy.own.has(hop)) ?? hops[0] ?? ''
  return isIP(client) === 0 ? undefined : client
}

/**
 * On this computer and not speaking for somebody else; of a caller behind a proxy of ours the proxy tells. Never by
 * the port for proxies: one that was put there as it comes passes on whatever address a caller claims.
 */
function isLocalCaller(request: HttpRequest, proxy: ProxyTrust): boolean {
  if (request.entrance === 'proxies') return false
  const address = clientAddress(request, proxy)
  if (address === undefined || !isLoopback(address)) return false
  return isProxied(request, proxy) || forwardingHeader(request) === undefined
}

export interface GatewayAccess extends TokenAccess {
  readonly proxy: ProxyTrust
  /** Empty = every address. */
  readonly allowed: AddressList
  readonly rates: GatewayRates
}

/** Who may ask how often: each has buckets of its own. */
export interface GatewayRates {
  /** By token and address: nobody else can spend them. */
  readonly known: RateLimit
  /** By address, of callers without a good token. */
  readonly strangers: RateLimit
  /** Beyond these, for what must get through. */
  readonly reserved: RateLimit
}

/** Whether the address may ask at all, for every request that is not a preflight. */
export function refuseAddress(
  request: HttpRequest,
  { proxy, allowed }: GatewayAccess,
): ServiceError | undefined {
  if (allowed.size === 0) return undefined
  const address = clientAddress(request, proxy)
  const isAllowed = address !== undefined && (allowed.has(address) || isLocalCaller(request, proxy))
  return isAllowed
    ? undefined
    : new ServiceError(
        'ADDRESS_REFUSED',
        '此地址不在允许名单 gateway.allowed_ips 中 (this address is not allowed)',
      )
}

/** Whether this caller may ask now. `route` is what was asked for; `nowMs` is monotonic. */
export function refusePace(
  request: HttpRequest,
  access: GatewayAccess,
  route: { readonly isReserved: boolean; readonly scope: string } | undefined,
  nowMs: number,
): ServiceError | undefined {
  const { known, strangers, reserved } = access.rates
  const address = addressGroup(clientAddress(request, access.proxy) ?? '')
  const token = knownAs(request, access)
  const seconds =
    token === undefined ? strangers.take(address, nowMs) : known.take(`${token} ${address}`, nowMs)
  if (seconds === 0) return undefined
  const mayPass = route?.isReserved === true && (token !== undefined || route.scope === 'open')
  if (mayPass && reserved.take(`${token ?? ''} ${address}`, nowMs) === 0) return undefined
  return tooMany(
    `请求过于频繁，请 ${seconds} 秒后再试 (too many requests; try again in ${seconds} s)`,
    seconds,
  )
}

/** A name for the token of a caller who has a good one, and for the operator where there is none. */
function knownAs(request: HttpRequest, { tokens, proxy }: GatewayAccess): string | undefined {
  if (!tokens.isSet) return isLocalCaller(request, proxy) ? 'operator' : undefined
  const verdict = tokens.verdict(request)
  return verdict.kind === 'good' ? verdict.digest : undefined
}

/**
 * Rules 1 and 3 of the gateway: a token; where there is none, only the operator on this computer.
 * `nowMs` is monotonic.
 *
 * Errors  throws `UNAUTHORIZED`, `RATE_LIMITED`, `FORWARDED_REFUSED`, `HOST_REFUSED`, `ORIGIN_REFUSED`.
 */
export function gatewayCaller(request: HttpRequest, access: GatewayAccess, nowMs: number): Caller {
  const { proxy } = access
  if (access.tokens.isSet) {
    const address = clientAddress(request, proxy) ?? ''
    return callerOf(request, access, { address, nowMs })
  }
  if (request.entrance === 'proxies' || !isProxied(request, proxy)) {
    refuseForwarded(request, 'GW_API_TOKEN', ', or name the proxy in gateway.proxies')
  }
  if (!isLocalCaller(request, proxy)) {
    throw new ServiceError(
      'UNAUTHORIZED',
      '未设令牌时只接受本机访问，请先设置 GW_API_TOKEN (Unauthorized: without a token only local callers)',
    )
  }
  if (!isLoopbackHost(request.headers.get('host'))) {
    throw new ServiceError(
      'HOST_REFUSED',
      '未设令牌时请求头 Host 须为本机 (without a token the Host must be loopback)',
    )
  }
  if (!isLocalPage(request)) throw foreignOrigin()
  return OPERATOR
}

/** No page, or one that a program on this computer serves: `localhost` and `127.0.0.1` are different sites to a browser. */
function isLocalPage(request: HttpRequest): boolean {
  const origin = request.headers.get('origin')
  if (origin === undefined) return !isCrossSite(request)
  return !request.repeated.has('origin') && loopbackOriginPort(origin) !== undefined
}

const foreignOrigin = (): ServiceError =>
  new ServiceError(
    'ORIGIN_REFUSED',
    '其他来源的网页不能调用此接口 (a page of another origin may not call this interface)',
  )

const isCrossSite = ({ headers }: HttpRequest): boolean =>
  headers.get('sec-fetch-site') === 'cross-site' && headers.get('sec-fetch-mode') !== 'navigate'
