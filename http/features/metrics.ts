import { z } from 'zod'
import { type CallSnapshot, snapshotOf } from '../../src/domain/call-log.ts'
import { saidOf } from '../../src/domain/error-words.ts'
import { ServiceError } from '../../src/domain/errors.ts'
import type { Spread } from '../../src/runtime/histogram.ts'
import type { Measure } from '../../src/runtime/latency-board.ts'
import { type FrontContext, within } from '../desk/context.ts'
import type { DirectContext } from '../direct/context.ts'
import { accountsOf, type GatewayContext } from '../gateway/context.ts'
import type { Reply } from '../message/reply.ts'
import type { HttpRequest } from '../message/request.ts'
import { type Route, route } from '../message/routes.ts'
import type { AccountLink, Listener, Sight } from '../port/service.ts'
import type { Feature, Mount } from './feature.ts'

const calls = z.int().describe('calls')
const latency = z.number().describe('milliseconds, of the last 1,000 calls')

const callFigures = z
  .object({
    total_calls: calls,
    success_calls: calls,
    error_calls: calls.describe('timeouts included'),
    timeout_calls: calls,
    error_rate: z.number().describe('of the last 100 calls; decimal ratio'),
    avg_latency_ms: latency,
    p50_latency_ms: latency,
    p95_latency_ms: latency,
    last_error_time: z.number().nullable().describe('Unix time, seconds'),
    last_error_msg: z.string().nullable(),
    uptime_seconds: z.number(),
    ops: z.record(
      z.string(),
      z.object({
        total: calls,
        success: calls,
        error: calls,
        timeout: calls,
        error_calls: calls.describe('the same as error'),
      }),
    ),
  })
  .meta({ id: 'CallFigures' })

const fault = z.object({ error: z.string(), code: z.string() }).describe('it cannot answer now')

const callFiguresByAccount = z.record(z.string(), z.union([callFigures, fault]))

const spread = {
  count: z.int().describe('how often, since the process began'),
  p50_ms: z.number().describe('milliseconds, to an eighth'),
  p90_ms: z.number(),
  p99_ms: z.number(),
  max_ms: z.number(),
}

const latencyPath = z
  .object({
    path: z
      .enum(['tick_to_step', 'tick_to_intent', 'step_to_durable', 'durable_to_submit'])
      .describe('on the way of an order; the second counts only ticks that led to one'),
    ...spread,
  })
  .meta({ id: 'LatencyPath' })

const latencyRoute = z
  .object({
    backend: z.enum(['direct', 'gateway']),
    method: z.string().describe('empty: no route took it'),
    route: z.string().describe('as in this description'),
    ...spread,
  })
  .meta({ id: 'LatencyRoute' })

const latencyFields = z.object({
  uptime_seconds: z.int(),
  paths: z
    .array(latencyPath)
    .describe('of this account; empty while another process runs it and has the figures'),
  routes: z
    .array(latencyRoute)
    .describe('of this listener and, for callers of all accounts, the gateway; most asked first'),
})

const prometheusQuery = z.object({
  whole: z
    .enum(['true', 'false'])
    .optional()
    .describe('true: also what another front of this process, or the process of an account, tells'),
})

const gatewayQuery = z.object({
  ...prometheusQuery.shape,
  nodes: z
    .literal('all')
    .optional()
    .describe(
      'all: what every node of the cluster tells, as told_by; steward_cluster_told is 0 for a node that did not answer',
    ),
})

/** Everything that can be counted, of the accounts that the caller may see and of the process. */
export const metrics: Feature = (on) => [
  ...(on.backend === 'gateway' ? callRoutes(on) : latencyRoutes(on)),
  on.backend === 'gateway' ? gatewayText(on) : directText(on),
]

const AS_TEXT = {
  method: 'GET',
  path: '/metrics',
  scope: 'view',
  confinesItself: true,
  summary: 'Prometheus 指标 (metrics as Prometheus reads them)',
  produces: 'text/plain',
} as const

const directText = (on: DirectContext): Route =>
  route({
    ...AS_TEXT,
    query: prometheusQuery,
    handle: ({ request, query }) => {
      const at = { backend: on.backend, isWhole: query.whole === 'true' }
      return prometheusReply(on, request, sightOf(on, request), at)
    },
  })

const gatewayText = (on: GatewayContext): Route =>
  route({
    ...AS_TEXT,
    query: gatewayQuery,
    handle: ({ request, query }) => {
      const sight = sightOf(on, request)
      if (query.nodes === 'all') return replyOfNodes(on, request, sight)
      const at = { backend: on.backend, isWhole: query.whole === 'true' }
      return prometheusReply(on, request, sight, at)
    },
  })

/** Of accounts and requests of every computer: no token of some accounts is shown it. */
async function replyOfNodes(
  { service, limits }: FrontContext,
  request: HttpRequest,
  { isOfAll }: Sight,
): Promise<Reply> {
  if (!isOfAll) {
    throw new ServiceError(
      'SCOPE_REFUSED',
      '此令牌只限部分账户：去掉 nodes=all (this token is for some accounts only: leave nodes=all out)',
    )
  }
  const all = await service.metrics.expositionOfNodes(within(limits.readTimeoutMs, request))
  if (all === undefined) {
    throw new ServiceError(
      'NOT_FOUND',
      '本机不在集群中：去掉 nodes=all (this computer is in no cluster: leave nodes=all out)',
    )
  }
  return { status: 200, headers: { 'Content-Type': all.contentType }, body: all.text }
}

function latencyRoutes(on: DirectContext): Route[] {
  const { common, service } = on
  const { answer, reply } = common.envelope
  return [
    common.route({
      method: 'GET',
      path: '/latency',
      scope: 'view',
      summary:
        '耗时分布：行情到报出，HTTP 按路由 (how long things take: tick to submit, HTTP by route)',
      answer: answer(latencyFields),
      handle: ({ request }) => reply(latencyFigures({ service }, sightOf(on, request))),
    }),
  ]
}

/** How the gateway is used is of all accounts together: only who may see all of them is shown it. */
const sightOf = (on: Mount, request: HttpRequest): Sight => ({
  sees: on.sees(request),
  isOfAll: request.caller?.accounts === undefined,
})

/** How the calls to the brokers go. */
function callRoutes(on: GatewayContext): Route[] {
  const { answer, dataAnswer, reply } = on.common.envelope
  return [
    on.common.route({
      method: 'GET',
      path: '/metrics',
      scope: 'view',
      confinesItself: true,
      summary: '调用统计，按账户 (calls to the trading clients, by account)',
      answer: dataAnswer(callFiguresByAccount),
      handle: async ({ request }) =>
        reply(await callSnapshots(on, accountsOf(on, request.caller), request)),
    }),
    on.common.ofAccount({
      method: 'GET',
      path: '/metrics/{account_id}',
      scope: 'view',
      summary: '单个账户的调用统计 (calls to the trading client of an account)',
      answer: answer(callFigures),
      handle: async ({ request }, link) => reply(await callSnapshot(on, link, request)),
    }),
  ]
}

type LatencyFigures = z.infer<typeof latencyFields>

/** The figures of one account. Errors  those of the account: what is not known is not shown as nothing. */
async function callSnapshot(
  { limits }: FrontContext,
  link: AccountLink,
  request: HttpRequest,
): Promise<CallSnapshot> {
  const reports = await link.calls(within(limits.readTimeoutMs, request))
  return snapshotOf(reports, Date.now())
}

/** The figures of several accounts; one that cannot answer says so and the others are there. */
async function callSnapshots(
  context: FrontContext,
  links: readonly AccountLink[],
  request: HttpRequest,
) {
  const rows = await Promise.all(
    links.map(async (link) => {
      const snapshot = await callSnapshot(context, link, request).catch(faultOf)
      return [link.accountId, snapshot] as const
    }),
  )
  return Object.fromEntries(rows)
}

function faultOf(error: unknown): { readonly error: string; readonly code: string } {
  if (!(error instanceof ServiceError)) throw error
  return { error: saidOf(error), code: error.code }
}

/** How long things have taken, of the accounts that the caller may see. */
function latencyFigures({ service }: Pick<FrontContext, 'service'>, sight: Sight): LatencyFigures {
  const { uptimeSeconds, paths, routes } = service.metrics.latency(sight)
  return {
    uptime_seconds: Math.floor(uptimeSeconds),
    paths: paths.map(({ measure, ...spread }) => ({
      path: PATHS[measure],
      ...inMilliseconds(spread),
    })),
    routes: routes.map(({ backend, method, path, ...spread }) => ({
      backend,
      method,
      route: path,
      ...inMilliseconds(spread),
    })),
  }
}

/** The four in the words of the clients. */
const PATHS: Readonly<Record<Measure, LatencyFigures['paths'][number]['path']>> = {
  tickToStep: 'tick_to_step',
  tickToIntent: 'tick_to_intent',
  commit: 'step_to_durable',
  commitToSubmit: 'durable_to_submit',
}

const inMilliseconds = ({ count, p50, p90, p99, max }: Spread) => ({
  count,
  p50_ms: p50,
  p90_ms: p90,
  p99_ms: p99,
  max_ms: max,
})

/** The text that Prometheus reads, of the accounts that the caller may see. */
async function prometheusReply(
  { service, limits }: FrontContext,
  request: HttpRequest,
  sight: Sight,
  at: Listener,
): Promise<Reply> {
  const { text, contentType } = await service.metrics.exposition(
    sight,
    at,
    within(limits.readTimeoutMs, request),
  )
  return { status: 200, headers: { 'Content-Type': contentType }, body: text }
}
