import { z } from 'zod'
import type { OrderAnswer, PlaceOrder, Resource } from '../../src/protocol/account.ts'
import { v1Audit as auditAnswer, placed, v1Canceled } from '../answers/commands.ts'
import { v1Asset, v1Orders, v1Positions, v1Trades } from '../answers/gateway.ts'
import { auditQuery, v1Audit } from '../audit.ts'
import { sourceOf, v1Reply, within } from '../context.ts'
import { requestHash } from '../json-body.ts'
import {
  askForOrder,
  IN_DOUBT,
  idempotencyKey,
  orderedBy,
  orderedFields,
  orderFields,
  orderNumber,
  refusalFields,
  replayedHeader,
} from '../orders.ts'
import { readWhole } from '../read-model.ts'
import { json, type Reply } from '../reply.ts'
import type { HttpRequest } from '../request.ts'
import { type Route, type RouteDoc, route } from '../routes.ts'
import { accountParams } from './accounts.ts'
import { accountOf, type GatewayContext } from './context.ts'

/** Stored for every order that comes in here, whatever name the caller gives his strategy. */
const STRATEGY = { buy: 'M_real', sell: 'manual' } as const
const LIMIT_ORDER = 11

/** Documented fields that change nothing here are accepted, so that existing callers work. */
export const orderBody = z.object({
  ...orderedFields,
  price_type: z.int().default(LIMIT_ORDER),
  price: z.number().min(0).optional(),
  strategy_name: z.string().max(256).optional(),
  order_remark: z.string().max(256).optional(),
  client_order_id: z.string().optional(),
})

/** Orders of one account on `/api/v1`, and what the trading client reports of it. */
export function tradingRoutes(context: GatewayContext): Route[] {
  const read = (name: string, resource: Resource, doc: Pick<RouteDoc, 'summary' | 'answer'>) =>
    route({
      method: 'GET',
      path: `/api/v1/accounts/{account_id}/${name}`,
      scope: 'view',
      ...doc,
      params: accountParams,
      handle: ({ request, params }) =>
        readWhole(context, accountOf(context, params.account_id), resource, request),
    })
  return [
    read('positions', 'v1Positions', { summary: '持仓 (positions)', answer: v1Positions }),
    read('asset', 'v1Asset', { summary: '资金 (asset)', answer: v1Asset }),
    read('orders', 'v1Orders', { summary: '当日委托 (orders of the day)', answer: v1Orders }),
    read('trades', 'v1Trades', { summary: '当日成交 (fills of the day)', answer: v1Trades }),
    route({
      method: 'GET',
      path: '/api/v1/accounts/{account_id}/audit',
      scope: 'view',
      summary: '审计日志的一页 (a page of the audit journal)',
      answer: auditAnswer,
      params: accountParams,
      query: auditQuery,
      handle: ({ request, params, query }) =>
        v1Audit(context, accountOf(context, params.account_id), { request, query }),
    }),
    route({
      method: 'POST',
      path: '/api/v1/accounts/{account_id}/orders',
      scope: 'trade',
      summary: '下单；同一 Idempotency-Key 只有一笔 (place an order; one key is one order)',
      answer: placed,
      statuses: [201, 202],
      params: accountParams,
      body: orderBody,
      handle: ({ request, params, body }) => place(context, request, params.account_id, body),
    }),
    route({
      method: 'DELETE',
      path: '/api/v1/accounts/{account_id}/orders/{order_id}',
      scope: 'trade',
      summary: '撤单 (cancel an order)',
      answer: v1Canceled,
      params: z.object({
        account_id: z.string(),
        order_id: z.string().regex(/^\d{1,18}$/, 'must be an integer'),
      }),
      handle: async ({ request, params }) => {
        const link = accountOf(context, params.account_id)
        const reply = await link.ask(
          {
            kind: 'cancelOrder',
            orderId: params.order_id,
            source: sourceOf('gateway', request),
          },
          within(link.callTimeoutMs + context.limits.orderGraceMs, request),
        )
        const { result, message } = reply
        return v1Reply({ result, order_id: orderNumber(reply.orderId), message })
      },
    }),
  ]
}

async function place(
  context: GatewayContext,
  request: HttpRequest,
  accountId: string,
  body: z.infer<typeof orderBody>,
): Promise<Reply> {
  const link = accountOf(context, accountId)
  const order = orderOf(context, request, { accountId, body })
  const options = within(link.callTimeoutMs + context.limits.orderGraceMs, request)
  const answer: OrderAnswer | typeof IN_DOUBT = await askForOrder(() => link.ask(order, options))
  if (answer === IN_DOUBT) return v1Reply({ state: 'unknown', client_order_id: order.key }, 202)
  const { clientOrderId, statusMessage } = answer
  const headers = replayedHeader(answer.replayed)
  if (answer.state === 'unknown') {
    return v1Reply({ state: 'unknown', client_order_id: clientOrderId }, 202, headers)
  }
  if (answer.orderId !== '') return v1Reply(orderFields(answer), 201, headers)
  // Not taken and without a number: existing callers look for `success` false here, not for a 4xx.
  const refusal = { error: statusMessage, message: statusMessage, detail: statusMessage }
  return json(
    201,
    {
      success: false,
      data: null,
      ...refusal,
      client_order_id: clientOrderId,
      ...refusalFields(statusMessage),
    },
    headers,
  )
}

function orderOf(
  context: GatewayContext,
  request: HttpRequest,
  { accountId, body }: { accountId: string; body: z.infer<typeof orderBody> },
): PlaceOrder {
  const ordered = orderedBy(body)
  const order = { ...ordered, strategy: STRATEGY[ordered.side] }
  return {
    ...order,
    key: idempotencyKey(request, body.client_order_id, { accountId, newKey: context.newKey }),
    requestHash: requestHash(order),
    source: sourceOf('gateway', request),
  }
}
