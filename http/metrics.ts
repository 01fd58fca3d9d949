import type { z } from 'zod'
import { type CallSnapshot, snapshotOf } from '../src/domain/call-log.ts'
import { ServiceError } from '../src/domain/errors.ts'
import type { Spread } from '../src/runtime/histogram.ts'
import type { Measure } from '../src/runtime/latency-board.ts'
import type { latencyFields } from './answers/metrics.ts'
import { type FrontContext, within } from './context.ts'
import type { Reply } from './reply.ts'
import type { HttpRequest } from './request.ts'
import type { AccountLink } from './service.ts'

type LatencyFigures = z.infer<typeof latencyFields>

/** The figures of one account. Errors  those of the account: what is not known is not shown as nothing. */
export async function callSnapshot(
  { limits }: FrontContext,
  link: AccountLink,
  request: HttpRequest,
): Promise<CallSnapshot> {
  const reports = await link.calls(within(limits.readTimeoutMs, request))
  return snapshotOf(reports, Date.now())
}

/** The figures of several accounts; one that cannot answer says so and the others are there. */
export async function callSnapshots(
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
  return { error: error.message, code: error.code }
}

/** How long things have taken, of the accounts that the caller may see. */
export function latencyFigures(
  { service }: Pick<FrontContext, 'service'>,
  sees: (accountId: string) => boolean,
): LatencyFigures {
  const { uptimeSeconds, paths, routes } = service.metrics.latency(sees)
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
export async function prometheusReply(
  { service, limits }: FrontContext,
  request: HttpRequest,
  sees: (accountId: string) => boolean,
): Promise<Reply> {
  const { text, contentType } = await service.metrics.exposition(
    sees,
    within(limits.readTimeoutMs, request),
  )
  return { status: 200, headers: { 'Content-Type': contentType }, body: text }
}
