import { ServiceError } from '../../src/domain/errors.ts'
import { covers, type TokenScope } from '../../src/domain/scope.ts'
import type { Caller } from '../message/caller.ts'
import type { Backend } from '../message/errors.ts'
import type { Reply } from '../message/reply.ts'
import type { HttpRequest } from '../message/request.ts'
import type { AccountSource, Asked, Route } from '../message/routes.ts'
import type { Service } from '../port/service.ts'
import { isLoopback } from './address.ts'
import {
  type DirectAccess,
  directCaller,
  type GatewayAccess,
  gatewayCaller,
  refuseAddress,
  refuseForeignPage,
  refusePace,
} from './auth.ts'

/** Who may pass, to which account, and what every answer carries: the difference between the two backends. */
export interface Guard {
  readonly backend: Backend
  /** What every answer to this request carries; the same object for most. */
  headersFor(request: HttpRequest): Readonly<Record<string, string>>
  /** Whether a peer is neither this computer nor a proxy of ours. */
  isStranger(peer: string): boolean
  /** Whether the address may ask at all. A reply ends the request; a ServiceError is thrown. */
  enter(request: HttpRequest): Reply | undefined
  /**
   * Whether this caller may ask now; `route` is what was asked for, if there is such a thing.
   *
   * Errors  throws `RATE_LIMITED`.
   */
  pace(request: HttpRequest, route: Pick<Route, 'isReserved' | 'scope'> | undefined): void
  /**
   * Who it is, for every route that is not open and for every other path under `/api`.
   *
   * Errors  throws `UNAUTHORIZED`, `SCOPE_REFUSED` and what else keeps a caller out.
   */
  authorize(request: HttpRequest, scope: TokenScope): Caller
  /**
   * The account that a request is about, named or standing in; undefined when it is about none, or about all.
   *
   * Errors  throws `UNKNOWN_ACCOUNT`, `SCOPE_REFUSED`; `OTHER_ACCOUNT` to the page of another one; `BAD_REQUEST` when a
   *         header came twice.
   */
  accountOf(route: Route, asked: Asked): string | undefined
}

const COMMON_HEADERS = {
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
} as const

/** What the browser of a listed page is told; `origin` is one of the list, never an echo of anything else. */
const listedHeaders = (origin: string) => ({
  ...COMMON_HEADERS,
  'Access-Control-Allow-Origin': origin,
  'Access-Control-Expose-Headers': CORS_HEADERS['Access-Control-Expose-Headers'],
  Vary: 'Origin',
})

/** Direct mode: this computer, its own pages and the listed ones, and the token when there is one. `own.port` is read late. */
export function directGuard(
  access: DirectAccess & { readonly allowedOrigins: readonly string[] },
  own: { readonly port: number },
  accountId: string,
): Guard {
  const listed = new Map(access.allowedOrigins.map((origin) => [origin, listedHeaders(origin)]))
  // A cache must not give a listed page what was answered to somebody else.
  const others = listed.size === 0 ? COMMON_HEADERS : { ...COMMON_HEADERS, Vary: 'Origin' }
  const isListed = ({ headers, repeated }: HttpRequest) =>
    !repeated.has('origin') && listed.has(headers.get('origin') ?? '')
  return {
    backend: 'direct',
    headersFor: ({ headers }) => listed.get(headers.get('origin') ?? '') ?? others,
    isStranger: (peer) => !isLoopback(peer),
    enter: (request) => {
      throwIf(refuseForeignPage(request, own.port, isListed(request)))
      return isListed(request) && isPreflight(request) ? preflightOf(request) : undefined
    },
    pace: () => {},
    authorize: (request, scope) => {
      const caller = within(directCaller(request, access, performance.now()), scope)
      if (caller.accounts?.has(accountId) ?? true) return caller
      throw new ServiceError(
        'SCOPE_REFUSED',
        '此令牌只限其他账户 (this token is for other accounts)',
      )
    },
    accountOf: ({ scope }, { request }) =>
      scope === 'open' ? undefined : ofItsPage(request, accountId),
  }
}

const CORS_HEADERS = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers':
    'X-Request-Id, ETag, Retry-After, Allow, Idempotency-Replayed, Location',
} as const

const GATEWAY_HEADERS = { ...COMMON_HEADERS, ...CORS_HEADERS }

/** A browser asks whether its page may make a request. */
const isPreflight = ({ method, headers }: HttpRequest): boolean =>
  method === 'OPTIONS' && headers.has('access-control-request-method')

const PREFLIGHT = {
  status: 204,
  headers: {
    'Access-Control-Allow-Methods': 'GET, HEAD, POST, PUT, DELETE, OPTIONS',
    'Access-Control-Allow-Headers':
      'Content-Type, If-None-Match, X-API-Token, X-Account-Id, X-Page-Account, Idempotency-Key, Last-Event-ID, Cache-Control, X-Requested-With',
    'Access-Control-Max-Age': '600',
  },
  body: '',
} as const satisfies Reply

/**
 * To any page, which needs a token for all that matters: any header. A browser does not count
 * `Authorization` to the star, and one that does not know the star takes the names.
 */
const PREFLIGHT_OF_ANYBODY: Reply = {
  ...PREFLIGHT,
  headers: {
    ...PREFLIGHT.headers,
    'Access-Control-Allow-Headers': `Authorization, *, ${PREFLIGHT.headers['Access-Control-Allow-Headers']}`,
  },
}

const NEARER = 'Access-Control-Request-Private-Network'
/** To a page that comes from a network farther away than this computer; some browsers ask for that by itself. */
const PREFLIGHT_NEARER: Reply = {
  ...PREFLIGHT,
  headers: { ...PREFLIGHT.headers, 'Access-Control-Allow-Private-Network': 'true', Vary: NEARER },
}
const preflightOf = ({ headers }: HttpRequest): Reply =>
  headers.get(NEARER.toLowerCase()) === 'true' ? PREFLIGHT_NEARER : PREFLIGHT

/** The gateway: preflights first, then address, token and rate. */
export function gatewayGuard(access: GatewayAccess, accounts: Service['accounts']): Guard {
  return {
    backend: 'gateway',
    headersFor: () => GATEWAY_HEADERS,
    isStranger: (peer) => !isLoopback(peer) && !access.proxy.own.has(peer),
    enter: (request) => {
      if (request.method === 'OPTIONS') return PREFLIGHT_OF_ANYBODY
      throwIf(refuseAddress(request, access))
      return undefined
    },
    pace: (request, route) => throwIf(refusePace(request, access, route, performance.now())),
    authorize: (request, scope) => within(gatewayCaller(request, access, performance.now()), scope),
    accountOf: (route, asked) => ofItsPage(asked.request, gatewayAccount(route, asked, accounts)),
  }
}

/**
 * Never another account than the one that was named; where none is named, the first stands in.
 *
 * A caller whose token names accounts sees these and no others: another one does not exist for it, its
 * first one stands in, and what is about all accounts is refused unless the route keeps to the caller's
 * accounts by itself.
 */
function gatewayAccount(
  { scope, confinesItself, accountIn }: Route,
  asked: Asked,
  accounts: Service['accounts'],
): string | undefined {
  if (scope === 'open' || confinesItself) return undefined
  const named = namedAccount(accountIn, asked)
  const only = asked.request.caller?.accounts
  if (only !== undefined) {
    if (accountIn === 'none') {
      throw new ServiceError(
        'SCOPE_REFUSED',
        '此令牌只限部分账户，不能操作全部 (this token is for some accounts only, not for all)',
      )
    }
    const accountId = named ?? accounts().find((link) => only.has(link.accountId))?.accountId
    if (accountId !== undefined && only.has(accountId)) return accountId
    throw new ServiceError(
      'UNKNOWN_ACCOUNT',
      '没有注册这个账户，请核对账号 (no such account is registered)',
    )
  }
  if (named !== undefined || accountIn === 'none') return named
  return headerAccount(asked.request) ?? accounts()[0]?.accountId
}

function namedAccount(source: AccountSource, asked: Asked): string | undefined {
  if (source === 'none') return undefined
  if (source === 'header') return headerAccount(asked.request)
  const name: unknown = asked[source]['account_id']
  return typeof name === 'string' ? name : undefined
}

const headerAccount = (request: HttpRequest) => onlyOne(request, 'X-Account-Id')

/** Errors  throws `BAD_REQUEST` where a header that names an account came twice. */
function onlyOne({ headers, repeated }: HttpRequest, header: string): string | undefined {
  const name = header.toLowerCase()
  if (!repeated.has(name)) return headers.get(name) || undefined
  const text = `请求头 ${header} 只能有一个 (more than one ${header})`
  throw new ServiceError('BAD_REQUEST', text)
}

/** A page that is left open says whose it is: its port may serve another account by now. */
function ofItsPage(request: HttpRequest, accountId: string | undefined): string | undefined {
  const page = onlyOne(request, 'X-Page-Account')
  if (page === undefined || accountId === undefined || page === accountId) return accountId
  const text =
    '此页面属于另一个账户，请重新载入页面 (this page belongs to another account; load it again)'
  throw new ServiceError('OTHER_ACCOUNT', text)
}

function within(caller: Caller, scope: TokenScope): Caller {
  if (covers(caller.scope, scope)) return caller
  const text = `此令牌的权限是 ${caller.scope}，此请求需要 ${scope} (this token may ${caller.scope}; what was asked for needs ${scope})`
  throw new ServiceError('SCOPE_REFUSED', text)
}

function throwIf(refusal: Error | undefined): void {
  if (refusal !== undefined) throw refusal
}
