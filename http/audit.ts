import { z } from 'zod'
import { AUDIT_LIMIT_MAX, type AuditQuery } from '../src/protocol/account.ts'
import { type FrontContext, timestampOf, within } from './context.ts'
import { invalid } from './errors.ts'
import { jsonBytes, type Reply } from './reply.ts'
import type { HttpRequest } from './request.ts'
import type { AccountLink } from './service.ts'

const LIMIT_DEFAULT = 50

/** A whole number written plainly; anything else in an address is a mistake, never rounded. */
const wholeNumber = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,16}$/, 'must be a whole number')
    .transform(Number)
    .refine((value) => value >= min && value <= max, `must be from ${min} to ${max}`)

/** `?limit=&before=&after=&kind=&quiet=` of both backends. */
export const auditQuery = z.object({
  limit: wholeNumber(1, AUDIT_LIMIT_MAX).optional(),
  before: wholeNumber(1, Number.MAX_SAFE_INTEGER).optional(),
  after: wholeNumber(0, Number.MAX_SAFE_INTEGER - 1).optional(),
  kind: z.string().optional(),
  quiet: z
    .enum(['true', 'false'])
    .optional()
    .describe('true: without the highs and stop prices that the market moves by itself'),
})
type Asked = z.output<typeof auditQuery>

interface AuditRead {
  readonly request: HttpRequest
  readonly query: Asked
}

/** A page of the audit journal as JSON text, the fields of the page and nothing around them. */
async function page(
  { limits }: FrontContext,
  link: AccountLink,
  { request, query }: AuditRead,
): Promise<Uint8Array> {
  const { bytes } = await link.ask(wanted(query), within(limits.readTimeoutMs, request))
  return bytes
}

function wanted({ limit = LIMIT_DEFAULT, before, after, kind = '', quiet }: Asked): AuditQuery {
  if (before !== undefined && after !== undefined) {
    throw invalid({ after: ['after: give either before or after'] })
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

/** In the envelope of the `status` family: the page under `data`, and its fields at top level. */
export async function statusAudit(
  context: FrontContext,
  link: AccountLink,
  read: AuditRead,
): Promise<Reply> {
  const bytes = Buffer.from(await page(context, link, read))
  const fields = bytes.subarray(1, -1) // the page is an object with fields in it
  const end = `,"timestamp":"${timestampOf(context)}"}`
  const [begin, data] = [Buffer.from('{"status":"success",'), Buffer.from(',"data":')]
  return jsonBytes(200, Buffer.concat([begin, fields, data, bytes, Buffer.from(end)]))
}

/** In the envelope of `/api/v1`. */
export async function v1Audit(
  context: FrontContext,
  link: AccountLink,
  read: AuditRead,
): Promise<Reply> {
  const bytes = await page(context, link, read)
  const parts = [Buffer.from('{"success":true,"data":'), bytes, Buffer.from(',"error":null}')]
  return jsonBytes(200, Buffer.concat(parts))
}
