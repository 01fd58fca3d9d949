import { z } from 'zod'
import { ORDER_TYPE, sideOf } from '../../src/domain/order.ts'
import type { OrderAnswer, PlaceOrder } from '../../src/protocol/account.ts'
import * as answers from '../answers/commands.ts'
import { statusReply, within } from '../context.ts'
import { invalid } from '../errors.ts'
import { requestHash } from '../json-body.ts'
import {
  askForOrder,
  codeOf,
  IN_DOUBT,
  idempotencyKey,
  limitPrice,
  orderFields,
  replayedHeader,
} from '../orders.ts'
import type { HttpRequest } from '../request.ts'
import { type Route, route } from '../routes.ts'
import { type DirectContext, linkOf, source } from './context.ts'

/** The body of the gateway's order: one stock, shares and price chosen by the operator. */
const placeBody = z.object({
  stock_code: z.string().min(1).max(32),
  order_type: z.int().refine((type) => sideOf(type) !== undefined, 'must be 23 (buy) or 24 (sell)'),
  order_volume: z.int().positive().max(100_000_000),
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
  const { order_type: type, order_volume: quantity, price_type: priceType } = body
  const price = limitPrice(priceType, body.price)
  if (!Number.isSafeInteger(price * quantity)) {
    throw invalid({ order_volume: ['order_volume: price times volume is too large'] })
  }
  const side = type === ORDER_TYPE.buy ? ('buy' as const) : ('sell' as const)
  const order = {
    kind: 'placeOrder' as const,
    code: codeOf(body.stock_code),
    ...{ side, quantity, priceType, price },
    strategy: side === 'buy' ? 'M_real' : 'manual_real',
  }
  return {
    ...order,
    key: idempotencyKey(request, body.client_order_id, context),
    requestHash: requestHash(order),
    source: source(request),
  }
}
