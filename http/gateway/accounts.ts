import { z } from 'zod'
import { registrationSchema } from '../../src/config/account.ts'
import { ServiceError } from '../../src/domain/errors.ts'
import * as answers from '../answers/gateway.ts'
import { v1Reply, within } from '../context.ts'
import { readWhole } from '../read-model.ts'
import type { HttpRequest } from '../request.ts'
import { type Route, route } from '../routes.ts'
import type { AccountLink } from '../service.ts'
import { accountOf, accountsOf, type GatewayContext } from './context.ts'
import { objectOrEmpty } from './probe.ts'

export const accountParams = z.object({ account_id: z.string() })
/** Unknown fields are ignored: existing callers send a session number along. */
const registrationBody = z.object(registrationSchema.shape)

/** Registration, status and health of accounts. */
export const accountRoutes = (context: GatewayContext): Route[] => [
  ...registrationRoutes(context),
  ...statusRoutes(context),
]

function registrationRoutes(context: GatewayContext): Route[] {
  const { service } = context
  return [
    route({
      method: 'POST',
      path: '/api/v1/accounts',
      scope: 'admin',
      summary: '注册账户，重复注册不报错 (register an account; again is no error)',
      answer: answers.registered,
      statuses: [201],
      body: registrationBody,
      handle: async ({ body }) => {
        const { connected, message } = await service.register(body)
        return v1Reply({ account_id: body.account_id, connected, message }, 201)
      },
    }),
    route({
      method: 'GET',
      path: '/api/v1/accounts',
      scope: 'view',
      summary: '账户列表 (accounts)',
      answer: answers.accountList,
      confinesItself: true,
      handle: ({ request }) =>
        v1Reply({
          accounts: accountsOf(context, request.caller).map(({ accountId }) => accountId),
        }),
    }),
    route({
      method: 'DELETE',
      path: '/api/v1/accounts/{account_id}',
      scope: 'admin',
      summary: '注销账户，数据保留 (unregister an account; its data stays)',
      answer: answers.unregistered,
      params: accountParams,
      handle: async ({ params }) => {
        const { accountId } = accountOf(context, params.account_id)
        await service.unregister(accountId)
        return v1Reply({ account_id: accountId })
      },
    }),
    route({
      method: 'POST',
      path: '/api/v1/accounts/{account_id}/restart',
      scope: 'admin',
      summary: '只重启此账户 (restart this account alone)',
      answer: answers.restarted,
      params: accountParams,
      handle: async ({ params }) => {
        const link = accountOf(context, params.account_id)
        await link.restart()
        return v1Reply({ account_id: link.accountId, message: 'restarting' })
      },
    }),
  ]
}

function statusRoutes(context: GatewayContext): Route[] {
  const status = (path: string): Route =>
    route({
      method: 'GET',
      path,
      scope: 'view',
      summary: '账户状态 (status of an account)',
      answer: answers.v1Status,
      params: accountParams,
      handle: ({ request, params }) =>
        readWhole(context, accountOf(context, params.account_id), 'v1Status', request),
    })
  return [
    status('/api/v1/accounts/{account_id}/status'),
    status('/api/v1/health/{account_id}'),
    route({
      method: 'GET',
      path: '/api/v1/health',
      scope: 'open',
      summary: '健康状况，无令牌只有计数 (health; counts only without a token)',
      answer: answers.health,
      handle: async ({ request }) => {
        const caller = context.callerOf(request)
        const links = accountsOf(context, caller)
        const total = links.length
        const healthy = links.filter(({ connected }) => connected).length
        if (caller === undefined) return v1Reply({ total, healthy })
        const rows = await Promise.all(links.map((link) => statusRow(context, link, request)))
        return v1Reply({ total, healthy, accounts: Object.fromEntries(rows) })
      },
    }),
  ]
}

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
    return [accountId, { account_id: accountId, connected, error: error.message, code: error.code }]
  }
}
