import { type CallSnapshot, snapshotOf } from '../src/domain/call-log.ts'
import { ServiceError } from '../src/domain/errors.ts'
import { type FrontContext, within } from './context.ts'
import type { Reply } from './reply.ts'
import type { HttpRequest } from './request.ts'
import type { AccountLink } from './service.ts'

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
