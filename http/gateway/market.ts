import { z } from 'zod'
import { ServiceError } from '../../src/domain/errors.ts'
import { historySpan } from '../../src/protocol/history.ts'
import { v1Answer } from '../answers/envelope.ts'
import { macdAnswer } from '../answers/macd.ts'
import { barMap, downloadTicket, tickMap } from '../answers/market.ts'
import { v1Reply } from '../context.ts'
import { checkedSpan, historyFields, readHistory, readTicks, tickFields } from '../history.ts'
import { MacdDesk, macdQuery } from '../macd.ts'
import { codeOf } from '../orders.ts'
import { jsonBytes } from '../reply.ts'
import type { HttpRequest } from '../request.ts'
import { type Route, route } from '../routes.ts'
import type { AccountLink } from '../service.ts'
import { accountOf, chosenAccount, type GatewayContext } from './context.ts'

const account = { account_id: z.string().optional().describe('whose data connection is used') }
const tickQuery = z.object({ ...tickFields, ...account })
const historyQuery = z.object({ ...historyFields, ...account })
const downloadBody = z.object({ stock_code: z.string().min(1), ...historySpan, ...account })

/** Quotes and history through the connection of one account. */
export function marketRoutes(context: GatewayContext): Route[] {
  /** That of `account_id`, else of `X-Account-Id`, else the first. Errors  `UNKNOWN_ACCOUNT`. */
  const linkOf = (request: HttpRequest, accountId: string | undefined): AccountLink => {
    const link =
      accountId === undefined ? chosenAccount(context, request) : accountOf(context, accountId)
    if (link === undefined) throw new ServiceError('UNKNOWN_ACCOUNT', 'no account is registered')
    return link
  }
  const macd = new MacdDesk(context)
  return [
    route({
      method: 'GET',
      path: '/api/macd/advice',
      scope: 'view',
      summary: 'MACD 建议：底仓与网格方向 (advice for base position and grid)',
      answer: macdAnswer,
      query: macdQuery,
      handle: ({ request, query }) => macd.answer(linkOf(request, undefined), query.code, request),
    }),
    route({
      method: 'GET',
      path: '/api/v1/market/tick',
      scope: 'view',
      summary: '实时行情 (quotes)',
      answer: v1Answer(tickMap),
      query: tickQuery,
      handle: async ({ request, query }) => {
        const link = linkOf(request, query.account_id)
        return v1Reply(await readTicks(context, link, query.stock_codes, request))
      },
    }),
    route({
      method: 'GET',
      path: '/api/v1/market/history',
      scope: 'view',
      summary: '历史 K 线 (bars)',
      answer: v1Answer(barMap),
      query: historyQuery,
      handle: async ({ request, query }) => {
        const link = linkOf(request, query.account_id)
        const { json } = await readHistory(context, link, query, request)
        return jsonBytes(200, `{"success":true,"data":${json},"error":null}`)
      },
    }),
    route({
      method: 'POST',
      path: '/api/v1/market/download',
      scope: 'trade',
      summary: '下载历史行情，后台任务 (download history, as a job)',
      answer: v1Answer(downloadTicket),
      body: downloadBody,
      handle: async ({ request, body: { account_id, stock_code, ...span } }) => {
        const { accountId } = linkOf(request, account_id)
        checkedSpan(span, context.clock.nowMs())
        const input = { stock_code: codeOf(stock_code), ...span }
        const order = { kind: 'download', place: 'gateway', accountId, input } as const
        const { id, state } = await context.service.jobs.submit(order)
        return v1Reply({ accepted: true, job_id: id, state, ...input })
      },
    }),
  ]
}
