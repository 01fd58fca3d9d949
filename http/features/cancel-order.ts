import { z } from 'zod'
import { ServiceError } from '../../src/domain/errors.ts'
import { ORDER_ID, orderNumber } from '../../src/domain/ids.ts'
import { statusAnswer, v1Answer } from '../answers/envelope.ts'
import { number } from '../answers/orders.ts'
import { statusReply, v1Reply, within } from '../desk/context.ts'
import { type DirectContext, linkOf } from '../direct/context.ts'
import type { GatewayContext } from '../gateway/context.ts'
import type { HttpRequest } from '../message/request.ts'
import type { Route } from '../message/routes.ts'
import type { AccountLink } from '../port/service.ts'
import type { Feature, Mount } from './feature.ts'

/** Takes an order back, as far as it is not filled. */
export const cancelOrder: Feature = (on) => [
  on.backend === 'direct' ? directRoute(on) : gatewayRoute(on),
]

/**
 * The trading client's number, or ours, which rows of orders without a number carry in its place, or what
 * an order of somebody else is called: by the trading client where that lists it without a number, or here,
 * where several have its number. Words, and what is short, are mistakes. No look ahead in it: those who make requests from the description cannot follow one.
 */
const EITHER_ID =
  /^(\d{1,18}|[A-Za-z]{0,12}\d[A-Za-z0-9]{4,51}|(?:sysid:|row:|external-)[A-Za-z0-9_.:-]{1,101})$/
const canceled = statusAnswer(
  z.object({
    message: z.string(),
    result: z
      .int()
      .describe(
        '0 = the trading client took the request, or it waits until the client lists the number of the order; -1 = it did not',
      ),
    order_id: z.string(),
  }),
)

const directRoute = (on: DirectContext): Route =>
  on.account.route({
    method: 'POST',
    path: '/orders/{order_id}/cancel',
    scope: 'trade',
    isReserved: true,
    summary: '撤单 (cancel an order)',
    answer: canceled,
    params: z.object({ order_id: z.string() }),
    handle: async ({ request, params: { order_id: orderId } }) => {
      if (!ORDER_ID.test(orderId))
        throw new ServiceError(
          'UNKNOWN_ORDER',
          '委托不存在，请核对委托编号 (there is no such order)',
        )
      const reply = await cancel(on, linkOf(on), orderId, request)
      const { result, message } = reply
      return statusReply(
        on,
        { message, result, order_id: reply.orderId },
        { status: result === 0 ? 'success' : 'error' },
      )
    },
  })

const gatewayRoute = (on: GatewayContext): Route =>
  on.account.ofAccount({
    method: 'DELETE',
    path: '/orders/{order_id}',
    scope: 'trade',
    isReserved: true,
    summary: '撤单 (cancel an order)',
    answer: v1Answer(z.object({ result: z.int(), order_id: number, message: z.string() })),
    params: z.object({
      order_id: z.string().regex(EITHER_ID, '须为委托编号 (must be the number of an order)'),
    }),
    handle: async ({ request, params }, link) => {
      const { result, message, orderId } = await cancel(on, link, params.order_id, request)
      return v1Reply({ result, order_id: orderNumber(orderId), message })
    },
  })

const cancel = (on: Mount, link: AccountLink, orderId: string, request: HttpRequest) =>
  link.ask(
    { kind: 'cancelOrder', orderId, source: on.source(request) },
    within(link.callTimeoutMs + on.limits.orderGraceMs, request),
  )
