import { z } from 'zod'
import { ServiceError } from '../../src/domain/errors.ts'
import { ACCOUNT_ID } from '../../src/domain/ids.ts'
import { KILL_LEVELS, type KillLevel } from '../../src/domain/kill-level.ts'
import { fault } from '../answers/overview.ts'
import { within } from '../desk/context.ts'
import { invalid } from '../message/errors.ts'
import { faultOf } from '../message/in-both.ts'
import type { HttpRequest } from '../message/request.ts'
import type { AccountLink } from '../port/service.ts'
import type { Feature, Mount } from './feature.ts'
import { killReason } from './kill-switch.ts'

/** More than any process has. */
const ACCOUNTS_MAX = 4_096

/** Strict: what names no account stops all of them, and a name that is spelled wrong must not. */
const body = z
  .strictObject({
    level: z.enum(['entries', 'all', 'cancel_all']),
    reason: killReason,
    accounts: z
      .array(z.string().regex(ACCOUNT_ID, '须为账号 (must be the number of an account)'))
      .min(1)
      .max(ACCOUNTS_MAX)
      .optional()
      .describe('all that the caller may see when left out'),
  })
  .meta({ examples: [{ level: 'entries', reason: 'lunch' }] })

const level = z.enum(KILL_LEVELS)
const outcome = z
  .object({
    account_id: z.string(),
    alias: z.string(),
    result: z
      .enum(['done', 'failed', 'unreachable'])
      .describe(
        'done: it stops at least that much now; failed: it refused; unreachable: it did not answer, and may still have done it',
      ),
    level: level.nullable().describe('as it stands now; null = not known'),
    level_in_force: level.nullable(),
    open_orders: z.int().nullable(),
    fault: fault.nullable(),
  })
  .meta({ id: 'StopOutcome' })

const fields = z
  .object({
    level,
    is_complete: z.boolean().describe('every account has done it'),
    done: z.int(),
    failed: z.int(),
    unreachable: z.int(),
    accounts: z.array(outcome),
  })
  .meta({ id: 'StopAllAnswer' })

type Outcome = z.output<typeof outcome>

/** Nobody knows whether these accounts have heard; the others have said no. */
const UNHEARD: ReadonlySet<string> = new Set([
  'ACTOR_RESTARTING',
  'ACCOUNT_PARKED',
  'ACCOUNT_SUSPENDED',
  'CALL_TIMEOUT',
  'DEADLINE_EXCEEDED',
  'DEADLINE_PASSED',
  'MAILBOX_FULL',
  'NOT_OWNER',
  'OVERLOADED',
  'STOPPING',
])

/**
 * Raises the kill switch of many accounts with one request. Each is asked for itself, within a time of its own, and
 * answered for itself; a level is never lowered, so that asking again does no harm.
 */
export const stopAll: Feature = (on) => [
  on.common.route({
    method: 'POST',
    path: on.backend === 'gateway' ? '/kill-switch' : '/kill-switch/all',
    scope: 'admin',
    confinesItself: true,
    isReserved: true,
    summary:
      '一次急停多个账户，只升不降；207 表示没有全部完成 (stop all accounts at once, never lowers; 207: not all of them have)',
    answer: on.common.envelope.answer(fields),
    statuses: [200, 207],
    body,
    handle: async ({ request, body: { level, reason, accounts: named } }) => {
      const links = linksOf(on, request, named)
      const accounts = await Promise.all(
        links.map((link) => raise(on, link, request, { level, reason })),
      )
      const count = (result: Outcome['result']) =>
        accounts.filter((one) => one.result === result).length
      const done = count('done')
      const isComplete = done === accounts.length
      const reply = on.common.envelope.reply({
        level,
        is_complete: isComplete,
        done,
        failed: count('failed'),
        unreachable: count('unreachable'),
        accounts,
      })
      return isComplete ? reply : { ...reply, status: 207 }
    },
  }),
]

/** Those that were named, or all; nothing is done while one of them is not there for the caller. */
function linksOf(
  { service }: Mount,
  { caller }: HttpRequest,
  named: readonly string[] | undefined,
): readonly AccountLink[] {
  const seen = service
    .accounts()
    .filter(({ accountId }) => caller?.accounts?.has(accountId) ?? true)
  if (named === undefined) {
    if (seen.length > 0) return seen
    throw new ServiceError('UNKNOWN_ACCOUNT', '没有注册任何账户 (no account is registered)')
  }
  const unknown = named.filter((id) => !seen.some(({ accountId }) => accountId === id))
  if (unknown.length > 0) {
    const text = `accounts: 此处没有账户 ${unknown.join('、')}，未执行任何操作 (not here: ${unknown.join(', ')}; nothing was done)`
    throw invalid({ accounts: [text] })
  }
  return seen.filter(({ accountId }) => named.includes(accountId))
}

async function raise(
  on: Mount,
  link: AccountLink,
  request: HttpRequest,
  { level, reason }: { readonly level: KillLevel; readonly reason: string },
): Promise<Outcome> {
  const { accountId: account_id, alias } = link
  try {
    const set = await link.ask(
      { kind: 'setKillSwitch', level, reason, source: on.source(request), isRaiseOnly: true },
      within(on.limits.stopAllTimeoutMs, request),
    )
    const now = stands.parse(set.fields)
    return { account_id, alias, result: 'done', ...now, fault: null }
  } catch (error) {
    const told = faultOf(failureOf(error))
    const result = UNHEARD.has(told.code) ? 'unreachable' : 'failed'
    const unknown = { level: null, level_in_force: null, open_orders: null }
    return { account_id, alias, result, ...unknown, fault: told }
  }
}

const stands = z.object({ level, level_in_force: level, open_orders: z.int() })

/** A bug in one account must not hide what the others have done. */
const failureOf = (error: unknown): ServiceError =>
  error instanceof ServiceError
    ? error
    : new ServiceError('INTERNAL', '服务内部错误，详情见日志 (internal error)')
