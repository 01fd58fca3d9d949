import { z } from 'zod'
import { ServiceError } from '../../src/domain/errors.ts'
import { IDEMPOTENCY_KEY, ORDER_ID, orderNumber } from '../../src/domain/ids.ts'
import { covers } from '../../src/domain/scope.ts'
import { orderRow } from '../answers/account.ts'
import { withBoth } from '../answers/in-both.ts'
import { number, orderAnswer } from '../answers/orders.ts'
import { within } from '../context.ts'
import { orderIdFor } from '../orders.ts'
import type { HttpRequest } from '../request.ts'
import type { Feature } from './feature.ts'

const oneOrder = orderRow
  .extend({
    order_id: number.nullable().describe('of the trading client; null until it has given one'),
    outcome: orderAnswer.shape.status.describe('as the answer to its request says it'),
    message: z.string(),
  })
  .meta({ id: 'OneOrder' })

/** Who may not place orders is not the one who waits for the news of them. */
const mayHaveSent = ({ caller }: HttpRequest): boolean =>
  caller === undefined || covers(caller.scope, 'trade')

/** What became of one order: for whoever has no number of it, or had no answer. */
export const oneOrderOf: Feature = (on) => [
  on.account.ofAccount({
    method: 'GET',
    path: '/orders/{order_id}',
    scope: 'view',
    summary:
      '单笔委托：按委托编号、client_order_id 或下单时的键查询 (one order, by an id or its key)',
    answer: on.account.envelope.dataAnswer(oneOrder),
    params: z.object({ order_id: z.string() }),
    handle: async ({ request, params: { order_id: id } }, link) => {
      if (!ORDER_ID.test(id))
        throw new ServiceError('UNKNOWN_ORDER', '委托不存在，请核对委托编号 (no such order)')
      const source = on.source(request)
      const telling = on.tellings.of({ link, request, key: id, source })
      const options = within(on.limits.commandTimeoutMs, request)
      // Who has lost the answer knows the order by the key under which it was sent.
      const keyed = IDEMPOTENCY_KEY.test(id) ? orderIdFor(link.accountId, id) : id
      const { row, answer, isUntold } = await link.ask({ kind: 'findOrder', id, keyed }, options)
      const { orderId, state, statusMessage } = answer
      const order_id = orderId === '' ? null : orderNumber(orderId)
      const told = withBoth({ ...row, order_id, outcome: state, message: statusMessage })
      const reply = on.account.envelope.dataReply(told)
      return isUntold && mayHaveSent(request) ? telling.asked(reply, answer) : reply
    },
  }),
]
