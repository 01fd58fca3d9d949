import { ServiceError } from '../src/domain/errors.ts'
import { covers, type TokenScope } from '../src/domain/scope.ts'
import {
  type DirectAccess,
  directCaller,
  type GatewayAccess,
  gatewayCaller,
  refuseAddress,
  refuseForeignPage,
} from './auth.ts'
import type { Caller } from './caller.ts'
import type { Backend } from './errors.ts'
import { directPlace, type Place } from './place.ts'
import type { Reply } from './reply.ts'
import type { HttpRequest } from './request.ts'

/** Who may pass, and what every answer carries: the difference between the two backends. */
export interface Guard {
  readonly backend: Backend
  readonly commonHeaders: Readonly<Record<string, string>>
  /** Before a route is looked for. A reply ends the request; a ServiceError is thrown. */
  enter(request: HttpRequest): Reply | undefined
  /**
   * Who it is, for every route that is not open and for every other path under `/api`.
   *
   * Errors  throws `UNAUTHORIZED`, `SCOPE_REFUSED` and what else keeps a caller out.
   */
  authorize(request: HttpRequest, scope: TokenScope): Caller
  readonly place: Place
}

const COMMON_HEADERS = {
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
} as const

/** Direct mode: this computer, this origin, and the token when there is one. `own.port` is read late. */
export function directGuard(
  access: DirectAccess,
  own: { readonly port: number },
  accountId: string,
): Guard {
  return {
    backend: 'direct',
    commonHeaders: COMMON_HEADERS,
    enter: (request) => {
      throwIf(refuseForeignPage(request, own.port))
      return undefined
    },
    authorize: (request, scope) => {
      const caller = within(directCaller(request, access, performance.now()), scope)
      if (caller.accounts?.has(accountId) ?? true) return caller
      throw new ServiceError('SCOPE_REFUSED', 'this token is for other accounts')
    },
    place: directPlace(accountId),
  }
}

const CORS_HEADERS = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': 'X-Request-Id, ETag, Retry-After, Allow, Idempotency-Replayed',
} as const

const PREFLIGHT: Reply = {
  status: 204,
  headers: {
    'Access-Control-Allow-Methods': 'GET, HEAD, POST, PUT, DELETE, OPTIONS',
    'Access-Control-Allow-Headers':
      'Content-Type, If-None-Match, X-API-Token, X-Account-Id, Idempotency-Key',
    'Access-Control-Max-Age': '600',
  },
  body: '',
}

/** The gateway: preflights first, then address, rate and token. */
export function gatewayGuard(access: GatewayAccess, place: Place): Guard {
  return {
    backend: 'gateway',
    commonHeaders: { ...COMMON_HEADERS, ...CORS_HEADERS },
    enter: (request) => {
      if (request.method === 'OPTIONS') return PREFLIGHT
      throwIf(refuseAddress(request, access, performance.now()))
      return undefined
    },
    authorize: (request, scope) => within(gatewayCaller(request, access, performance.now()), scope),
    place,
  }
}

function within(caller: Caller, scope: TokenScope): Caller {
  if (covers(caller.scope, scope)) return caller
  const text = `this token may ${caller.scope}; what was asked for needs ${scope}`
  throw new ServiceError('SCOPE_REFUSED', text)
}

function throwIf(refusal: Error | undefined): void {
  if (refusal !== undefined) throw refusal
}
