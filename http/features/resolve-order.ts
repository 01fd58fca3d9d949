import { z } from 'zod'
import { ServiceError } from '../../src/domain/errors.ts'
import { ORDER_ID, ORDER_NUMBER, orderNumber } from '../../src/domain/ids.ts'
import { statusAnswer } from '../answers/envelope.ts'
import { number } from '../answers/orders.ts'
import { statusReply } from '../desk/context.ts'
import { command, type DirectContext } from '../direct/context.ts'
import type { Route } from '../message/routes.ts'
import type { Feature } from './feature.ts'

const resolved = statusAnswer(
  z.object({
    message: z.string(),
    state: z.string(),
    order_id: number.nullable(),
    client_order_id: z.string(),
  }),
)

const ABSENT = 'absent'

/** The operator decides about an order that no machine could clear up. Direct mode only. */
export const resolveOrder: Feature = (on) => (on.backend === 'direct' ? resolveRoutes(on) : [])

const resolveRoutes = (context: DirectContext): Route[] => [
  context.account.route({
    method: 'POST',
    path: '/orders/{client_order_id}/resolve',
    scope: 'trade',
    summary: '人工认定存疑委托 (decide about an order in doubt)',
    answer: resolved,
    params: z.object({ client_order_id: z.string() }),
    // `absent`, also for one that has ended there, or the broker's number of the order.
    body: z.object({ as: z.string().regex(ORDER_NUMBER) }),
    handle: async ({ request, params, body }) => {
      const clientOrderId = params.client_order_id
      if (!ORDER_ID.test(clientOrderId)) {
        throw new ServiceError(
          'UNKNOWN_ORDER',
          '委托不存在，请核对委托编号 (there is no such order)',
        )
      }
      const orderId = body.as === ABSENT ? '' : body.as
      const answer = await command(context, request, {
        kind: 'resolveDoubt',
        clientOrderId,
        orderId,
      })
      return statusReply(context, {
        message: answer.statusMessage,
        state: answer.state,
        order_id: answer.orderId === '' ? null : orderNumber(answer.orderId),
        client_order_id: answer.clientOrderId,
      })
    },
  }),
]
