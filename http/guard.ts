import {
  type DirectAccess,
  type GatewayAccess,
  refuseAddress,
  refuseDirect,
  refuseForeignPage,
  refuseGateway,
} from './auth.ts'
import type { Backend } from './errors.ts'
import type { Reply } from './reply.ts'
import type { HttpRequest } from './request.ts'

/** Who may pass, and what every answer carries: the difference between the two backends. */
export interface Guard {
  readonly backend: Backend
  readonly commonHeaders: Readonly<Record<string, string>>
  /** Before a route is looked for. A reply ends the request; a ServiceError is thrown. */
  enter(request: HttpRequest): Reply | undefined
  /** For every route that is not open, and for every other path under `/api`. Throws. */
  authorize(request: HttpRequest): void
}

const COMMON_HEADERS = {
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
} as const

/** Direct mode: this computer, this origin, and the token when there is one. `own.port` is read late. */
export function directGuard(access: DirectAccess, own: { readonly port: number }): Guard {
  return {
    backend: 'direct',
    commonHeaders: COMMON_HEADERS,
    enter: (request) => {
      throwIf(refuseForeignPage(request, own.port))
      return undefined
    },
    authorize: (request) => throwIf(refuseDirect(request, access)),
  }
}

const CORS_HEADERS = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': 'X-Request-Id, Retry-After, Allow, Idempotency-Replayed',
} as const

const PREFLIGHT: Reply = {
  status: 204,
  headers: {
    'Access-Control-Allow-Methods': 'GET, HEAD, POST, PUT, DELETE, OPTIONS',
    'Access-Control-Allow-Headers': 'Content-Type, X-API-Token, X-Account-Id, Idempotency-Key',
    'Access-Control-Max-Age': '600',
  },
  body: '',
}

/** The gateway: preflights first, then address, rate and token. */
export function gatewayGuard(access: GatewayAccess): Guard {
  return {
    backend: 'gateway',
    commonHeaders: { ...COMMON_HEADERS, ...CORS_HEADERS },
    enter: (request) => {
      if (request.method === 'OPTIONS') return PREFLIGHT
      throwIf(refuseAddress(request, access, performance.now()))
      return undefined
    },
    authorize: (request) => throwIf(refuseGateway(request, access)),
  }
}

function throwIf(refusal: Error | undefined): void {
  if (refusal !== undefined) throw refusal
}
