import { z } from 'zod'
import { AUDIT_LIMIT_MAX, type AuditQuery } from '../../src/protocol/account.ts'
import { auditEntry } from '../answers/audit-entry.ts'
import { within } from '../desk/context.ts'
import { invalid } from '../message/errors.ts'
import { wholeNumber } from '../message/whole-number.ts'
import type { Feature } from './feature.ts'

const fields = z
  .object({
    entries: z.array(auditEntry),
    total: z.int().describe('number of the last entry'),
    pagination: z.object({
      limit: z.int(),
      next_before: z.int().nullable(),
      next_after: z.int().nullable(),
      has_more: z.boolean(),
    }),
  })
  .meta({ id: 'AuditPage' })

const LIMIT_DEFAULT = 50

/** `?limit=&before=&after=&kind=&quiet=` */
const query = z.object({
  limit: wholeNumber(1, AUDIT_LIMIT_MAX).optional(),
  before: wholeNumber(1, Number.MAX_SAFE_INTEGER).optional(),
  after: wholeNumber(0, Number.MAX_SAFE_INTEGER - 1).optional(),
  kind: z.string().optional(),
  quiet: z
    .enum(['true', 'false'])
    .optional()
    .describe('true: without the highs and stop prices that the market moves by itself'),
})
/** The journal of an account, a page at a time. It comes as finished text. */
export const audit: Feature = ({ account, limits, scans }) => [
  account.ofAccount({
    method: 'GET',
    path: '/audit',
    scope: 'view',
    summary: '审计日志的一页 (a page of the audit journal)',
    answer: account.envelope.answer(fields),
    query,
    handle: async ({ request, query: asked }, link) => {
      const page = wanted(asked)
      const read = () => link.ask(page, within(limits.readTimeoutMs, request))
      const { bytes } = await scans.run(request, read, ({ looked }) => looked)
      return account.envelope.textReply(bytes)
    },
  }),
]

function wanted({
  limit = LIMIT_DEFAULT,
  before,
  after,
  kind = '',
  quiet,
}: z.output<typeof query>): AuditQuery {
  if (before !== undefined && after !== undefined) {
    throw invalid({ after: ['after: before 与 after 只能给一个 (give either before or after)'] })
  }
  const kinds = kind.split(',').map((name) => name.trim())
  return {
    kind: 'audit',
    limit,
    ...(before !== undefined && { before }),
    ...(after !== undefined && { after }),
    kinds: [...new Set(kinds.filter((name) => name !== ''))],
    ...(quiet === 'true' && { quiet: true }),
  }
}
