import { z } from 'zod'
import type { Resource } from '../../src/protocol/account.ts'
import { auditQuery, statusAudit } from '../audit.ts'
import { readPositions, readStamped } from '../read-model.ts'
import { type Route, route } from '../routes.ts'
import { type DirectContext, linkOf } from './context.ts'

const versionQuery = z.object({ version: z.string().optional() })

/** Everything that can be read in direct mode. */
export function readRoutes(context: DirectContext): Route[] {
  const read = (path: string, resource: Resource): Route =>
    route({
      method: 'GET',
      path,
      scope: 'view',
      handle: ({ request }) => readStamped(context, linkOf(context), resource, request),
    })
  const positions = (path: string, resource: 'positions' | 'positionsAll'): Route =>
    route({
      method: 'GET',
      path,
      scope: 'view',
      query: versionQuery,
      handle: ({ request, query: { version } }) =>
        readPositions(context, linkOf(context), resource, { request, version }),
    })
  return [
    read('/api/connection/status', 'connection'),
    read('/api/status', 'status'),
    read('/api/trade-records', 'tradeRecords'),
    read('/api/orders', 'orders'),
    read('/api/config', 'config'),
    read('/api/debug/status', 'debug'),
    read('/api/stock_pool/list', 'stockPool'),
    positions('/api/positions', 'positions'),
    positions('/api/positions-all', 'positionsAll'),
    route({
      method: 'GET',
      path: '/api/audit',
      scope: 'view',
      query: auditQuery,
      handle: (call) => statusAudit(context, linkOf(context), call),
    }),
    route({
      method: 'GET',
      path: '/api/sse',
      scope: 'view',
      handle: () => context.events.open(),
    }),
  ]
}
