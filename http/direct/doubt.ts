import { z } from 'zod'
import { ServiceError } from '../../src/domain/errors.ts'
import { IDEMPOTENCY_KEY } from '../../src/domain/ids.ts'
import { resolved } from '../answers/commands.ts'
import { statusReply } from '../context.ts'
import { orderNumber } from '../orders.ts'
import { type Route, route } from '../routes.ts'
import { command, type DirectContext, source } from './context.ts'

const ABSENT = 'absent'

/** The operator decides about an order that no machine could clear up. */
export const doubtRoutes = (context: DirectContext): Route[] => [
  route({
    method: 'POST',
    path: '/api/orders/{client_order_id}/resolve',
    scope: 'trade',
    summary: '人工认定存疑委托 (decide about an order in doubt)',
    answer: resolved,
    params: z.object({ client_order_id: z.string() }),
    // `absent`, or the trading client's number of the order.
    body: z.object({ as: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/) }),
    handle: async ({ request, params, body }) => {
      const clientOrderId = params.client_order_id
      if (!IDEMPOTENCY_KEY.test(clientOrderId)) {
        throw new ServiceError('UNKNOWN_ORDER', 'there is no such order')
      }
      const orderId = body.as === ABSENT ? '' : body.as
      const answer = await command(context, request, {
        kind: 'resolveDoubt' as const,
        clientOrderId,
        orderId,
        source: source(request),
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
