import { z } from 'zod'
import { registrationSchema } from '../../src/config/account.ts'
import { saidOf } from '../../src/domain/error-words.ts'
import { ServiceError } from '../../src/domain/errors.ts'
import { attempts } from '../answers/account.ts'
import { clusterCounts, countFields } from '../answers/cluster.ts'
import { time, v1Answer } from '../answers/envelope.ts'
import { timestampOf, v1Reply, within } from '../desk/context.ts'
import { readWhole } from '../desk/read-model.ts'
import { accountsOf, type GatewayContext, maySee } from '../gateway/context.ts'
import { objectOrEmpty } from '../gateway/probe.ts'
import { json } from '../message/reply.ts'
import type { HttpRequest } from '../message/request.ts'
import type { Route } from '../message/routes.ts'
import { isResting } from '../port/resting.ts'
import type { AccountLink } from '../port/service.ts'
import type { Feature } from './feature.ts'

const epochSeconds = z.number().describe('Unix time, seconds').nullable()

/** The account status object that existing clients read; the availability flags in both spellings. */
const accountStatus = z
  .object({
    account_id: z.string(),
    connected: z.boolean(),
    reconnecting: z.boolean(),
    reconnect_attempts: z.int().describe('cumulative'),
    last_ping_ok_time: epochSeconds,
    connected_at: epochSeconds,
    data_feed_available: z.boolean(),
    trading_available: z.boolean(),
    xtdata_available: z.boolean(),
    xttrader_available: z.boolean(),
    ready: z.boolean(),
    simulation_mode: z
      .boolean()
      .nullable()
      .describe('true: its orders are filled here and reach no broker; null = not known'),
    ...attempts,
    problem: z.string().optional().describe('why it cannot be asked now, or is parked'),
  })
  .meta({ id: 'AccountStatus' })

/** Instead of the status of an account that could not answer. */
const accountFault = z.object({
  account_id: z.string(),
  connected: z.boolean(),
  error: z.string(),
  code: z.string(),
})

const registered = v1Answer(
  z.object({ account_id: z.string(), connected: z.boolean(), message: z.string() }),
)
const aliases = z
  .record(z.string(), z.string())
  .optional()
  .describe('what people call the accounts that have a name, when one has')
const listFields = z.object({ accounts: z.array(z.string()), aliases })
const accountList = v1Answer(listFields)
const unregistered = v1Answer(z.object({ account_id: z.string() }))
const restarted = v1Answer(z.object({ account_id: z.string(), message: z.string() }))
const v1Status = v1Answer(accountStatus)
const health = v1Answer(
  z.object({
    total: z.int(),
    healthy: z
      .int()
      .describe(
        'connected, and neither crashed too often, nor on a disk that is nearly full, nor with a disk or a journal of its cluster that does not answer, nor with a restore that nobody has confirmed: of the others no stop is sent',
      ),
    accounts: z
      .record(z.string(), z.union([accountStatus, accountFault]))
      .optional()
      .describe('with a token only'),
    cluster: clusterCounts.optional().describe('with a token, in a cluster'),
  }),
)

const compatibleAccounts = z.object({
  status: z.literal('success'),
  success: z.literal(true),
  data: listFields,
  timestamp: time,
})

/** Unknown fields are ignored: existing callers send a session number along. */
const registrationBody = z
  .object(registrationSchema.shape)
  .meta({ examples: [{ account_id: '30000003', qmt_path: 'C:/qmt/userdata_mini' }] })

/** Registration, status and health of accounts. Gateway only. */
export const accounts: Feature = (on) =>
  on.backend === 'gateway'
    ? [...registrationRoutes(on), ...listRoutes(on), ...statusRoutes(on)]
    : []

const registrationRoutes = ({ common, service }: GatewayContext): Route[] => [
  common.route({
    method: 'POST',
    path: '/accounts',
    scope: 'admin',
    summary: '注册账户，重复注册不报错 (register an account; again is no error)',
    answer: registered,
    statuses: [201],
    body: registrationBody,
    handle: async ({ body }) => {
      const { connected, message } = await service.register(body)
      return v1Reply({ account_id: body.account_id, connected, message }, 201)
    },
  }),
  common.ofAccount({
    method: 'DELETE',
    path: '/accounts/{account_id}',
    scope: 'admin',
    summary: '注销账户，数据保留 (unregister an account; its data stays)',
    answer: unregistered,
    handle: async (_call, { accountId }) => {
      await service.unregister(accountId)
      return v1Reply({ account_id: accountId })
    },
  }),
  common.ofAccount({
    method: 'POST',
    path: '/accounts/{account_id}/restart',
    scope: 'admin',
    summary: '只重启此账户 (restart this account alone)',
    answer: restarted,
    handle: async (_call, link) => {
      await link.restart()
      return v1Reply({ account_id: link.accountId, message: '正在重启账户 (the account restarts)' })
    },
  }),
]

/** The list under both of its addresses. */
function listRoutes(on: GatewayContext): Route[] {
  const listFor = ({ caller }: HttpRequest) => {
    const links = accountsOf(on, caller)
    const named = links.filter(({ alias }) => alias !== '')
    const aliases = Object.fromEntries(named.map(({ accountId, alias }) => [accountId, alias]))
    return {
      accounts: links.map(({ accountId }) => accountId),
      ...(named.length > 0 && { aliases }),
    }
  }
  const summary = '账户列表 (accounts)'
  return [
    on.common.route({
      method: 'GET',
      path: '/accounts',
      scope: 'view',
      summary,
      answer: accountList,
      confinesItself: true,
      handle: ({ request }) => v1Reply(listFor(request)),
    }),
    on.chosen.route({
      method: 'GET',
      path: '/accounts',
      scope: 'view',
      confinesItself: true,
      summary,
      answer: compatibleAccounts,
      handle: ({ request }) =>
        json(200, {
          status: 'success',
          success: true,
          data: listFor(request),
          timestamp: timestampOf(on),
        }),
    }),
  ]
}

function statusRoutes(on: GatewayContext): Route[] {
  const status = (path: string, isReserved?: true): Route =>
    on.common.ofAccount({
      method: 'GET',
      path,
      scope: 'view',
      isConditional: true,
      ...(isReserved && { isReserved }),
      summary: '账户状态 (status of an account)',
      answer: v1Status,
      handle: ({ request }, link) => readWhole(on, link, 'v1Status', request),
    })
  return [
    status('/accounts/{account_id}/status'),
    status('/health/{account_id}', true),
    on.common.route({
      method: 'GET',
      path: '/health',
      scope: 'open',
      tellsMore: true,
      isReserved: true,
      summary: '健康状况，无令牌只有计数 (health; counts only without a token)',
      answer: health,
      handle: async ({ request }) => {
        const caller = on.callerOf(request)
        const links = toldOf(on.service).filter(({ accountId }) => maySee(caller)(accountId))
        const total = links.length
        const healthy = links.filter((link) => link.connected && !isResting(link)).length
        if (caller === undefined) return v1Reply({ total, healthy })
        const rows = await Promise.all(links.map((link) => statusRow(on, link, request)))
        const sees = (accountId: string) => caller.accounts?.has(accountId) ?? true
        const view = await on.service.cluster?.view()
        const cluster = view && { cluster: countFields(view, sees) }
        return v1Reply({ total, healthy, accounts: Object.fromEntries(rows), ...cluster })
      },
    }),
  ]
}

/**
 * Whoever watches the process is answered while it starts, with those that are known by then, none of them healthy.
 * Errors  `ACTOR_RESTARTING` while none is: nobody is to take 0 of 0 for all well.
 */
const toldOf = (service: GatewayContext['service']): readonly AccountLink[] =>
  service.known.length > 0 ? service.known : service.accounts()

/** One account that cannot answer must not hide the health of the others. */
async function statusRow(
  { limits }: GatewayContext,
  link: AccountLink,
  request: HttpRequest,
): Promise<[string, unknown]> {
  const { accountId } = link
  try {
    const { bytes } = await link.read('v1Status', within(limits.readTimeoutMs, request))
    const { data } = objectOrEmpty(JSON.parse(Buffer.from(bytes).toString('utf8')))
    return [accountId, data]
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    const { connected } = link
    return [accountId, { account_id: accountId, connected, error: saidOf(error), code: error.code }]
  }
}
