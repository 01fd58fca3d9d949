import { z } from 'zod'
import type { OrderAnswer, PlaceOrder } from '../../src/protocol/account.ts'
import * as answers from '../answers/commands.ts'
import { statusReply, within } from '../context.ts'
import { requestHash } from '../json-body.ts'
import {
  askForOrder,
  IN_DOUBT,
  idempotencyKey,
  orderedBy,
  orderedFields,
  orderFields,
  replayedHeader,
} from '../orders.ts'
import type { HttpRequest } from '../request.ts'
import { type Route, route } from '../routes.ts'
import { type DirectContext, linkOf, source } from './context.ts'

/** The body of the gateway's order: one stock, shares and price chosen by the operator. */
const placeBody = z.object({
  ...orderedFields,
  price_type: z.int(),
  price: z.number().min(0).optional(),
  client_order_id: z.string().optional(),
})

/** One order by hand, as a ticket has it: `execute_buy` spends a fixed amount on each of several stocks instead. */
export const placeOrderRoutes = (context: DirectContext): Route[] => [
  route({
    method: 'POST',
    path: '/api/actions/place_order',
    scope: 'trade',
    summary: '手动下单：指定股数和价格 (place one order by hand)',
    answer: answers.executed,
    statuses: [200, 202],
    body: placeBody,
    handle: async ({ request, body }) => {
      const order = orderOf(context, request, body)
      const link = linkOf(context)
      const options = within(link.callTimeoutMs + context.limits.orderGraceMs, request)
      const answer: OrderAnswer | typeof IN_DOUBT = await askForOrder(() =>
        link.ask(order, options),
      )
      if (answer === IN_DOUBT || answer.state === 'unknown') {
        const fields = { success_count: 0, total_count: 1, client_order_id: order.key, orders: [] }
        const unknown = { state: 'unknown', message: '委托结果未知', ...fields }
        return statusReply(context, unknown, { httpStatus: 202 })
      }
      const isTaken = answer.state !== 'rejected'
      return statusReply(
        context,
        {
          message: answer.statusMessage || (isTaken ? '委托已提交' : '委托被拒绝'),
          success_count: isTaken ? 1 : 0,
          total_count: 1,
          client_order_id: answer.clientOrderId,
          orders: [orderFields(answer)],
        },
        { headers: replayedHeader(answer.replayed) },
      )
    },
  }),
]

function orderOf(
  context: DirectContext,
  request: HttpRequest,
  body: z.infer<typeof placeBody>,
): PlaceOrder {
  const ordered = orderedBy(body)
  const order = { ...ordered, strategy: ordered.side === 'buy' ? 'M_real' : 'manual_real' }
  return {
    ...order,
    key: idempotencyKey(request, body.client_order_id, context),
    requestHash: requestHash(order),
    source: source(request),
  }
}
