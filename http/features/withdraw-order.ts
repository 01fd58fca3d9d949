import { z } from 'zod'
import { ServiceError } from '../../src/domain/errors.ts'
import { IDEMPOTENCY_KEY } from '../../src/domain/ids.ts'
import { orderAnswer } from '../answers/orders.ts'
import { within } from '../desk/context.ts'
import { orderFields, orderIdFor } from '../desk/orders.ts'
import type { Feature } from './feature.ts'

const withdrawn = z
  .object({
    client_order_id: z.string(),
    withdrawn: z
      .boolean()
      .describe('true: nothing came under this key, and nothing that comes will'),
    order: orderAnswer.nullable().describe('the order of this key; null: there is none'),
    code: z.string().nullable().describe('why an order of this key was refused, and will be'),
    message: z.string(),
  })
  .meta({ id: 'WithdrawnKey' })

/**
 * For a caller who has no answer and must know: after it there is an order under the key, or there never will be.
 * An order that is there is not canceled by it.
 */
export const withdrawOrder: Feature = (on) => [
  on.account.ofAccount({
    method: 'POST',
    path: '/orders/{order_id}/withdraw',
    scope: 'trade',
    isReserved: true,
    summary:
      '作废未到达的委托键：已有委托则返回其结果 (give up an order without an answer, by its key)',
    answer: on.account.envelope.answer(withdrawn),
    params: z.object({ order_id: z.string() }),
    handle: async ({ request, params }, link) => {
      const { accountId } = link
      if (!IDEMPOTENCY_KEY.test(params.order_id)) {
        throw new ServiceError('UNKNOWN_ORDER', '没有这个键的委托 (no such key)')
      }
      const source = on.source(request)
      const key = orderIdFor(accountId, params.order_id)
      const telling = on.tellings.of({ link, request, key, source })
      const options = within(on.limits.commandTimeoutMs, request)
      const found = await link.ask({ kind: 'withdrawKey', key, source }, options)
      const base = { client_order_id: key, withdrawn: found.state === 'withdrawn' }
      if (found.state !== 'ordered') {
        const code = found.state === 'refused' ? found.code : null
        return on.account.envelope.reply({ ...base, order: null, code, message: found.message })
      }
      const { answer, isUntold } = found
      const order = orderFields(answer)
      const reply = on.account.envelope.reply({
        ...base,
        order,
        code: null,
        message: answer.statusMessage,
      })
      return isUntold ? telling.asked(reply, [answer]) : reply
    },
  }),
]
