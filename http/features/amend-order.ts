import { z } from 'zod'
import { ServiceError } from '../../src/domain/errors.ts'
import { ORDER_ID } from '../../src/domain/ids.ts'
import type { AmendAnswer } from '../../src/protocol/orders.ts'
import { orderAnswer } from '../answers/orders.ts'
import { within } from '../desk/context.ts'
import {
  clientKey,
  idempotencyKey,
  orderFields,
  priceOf,
  replayedHeader,
  shares,
} from '../desk/orders.ts'
import { invalid } from '../message/errors.ts'
import { withBoth } from '../message/in-both.ts'
import { requestHash } from '../message/json-body.ts'
import type { Feature } from './feature.ts'

const amended = z
  .object({
    order_id: z.string().describe('the order that is changed'),
    client_order_id: z.string().describe('of the order that takes its place'),
    state: z
      .enum(['canceling', 'sent', 'dropped'])
      .describe('canceling: its end is waited for; dropped: nothing takes its place'),
    order: orderAnswer.nullable().describe('the order that takes its place, once it was sent'),
    message: z.string(),
  })
  .meta({ id: 'AmendedOrder' })

/** Strict: what is left out stays as it was, and what is spelled wrong must not. */
const body = z
  .strictObject({
    price: z.number().positive().optional().describe('a limit, yuan; absent: that of the order'),
    order_volume: shares
      .optional()
      .describe('shares that both orders together may fill; absent: as many as before'),
    client_order_id: clientKey.optional(),
  })
  .meta({ examples: [{ price: 36.5, order_volume: 200 }] })

const WORDS = {
  canceling:
    '正在撤单，撤成后以新条件重新报出 (its cancel is under way; the rest is sent anew after it)',
  sent: '新委托已发出 (the order in its place was sent)',
} as const

/**
 * Changes an open order: it is canceled, and once its end and all its fills are known, what is left is sent anew. The
 * answer does not wait for that; the order of the new key tells the rest.
 */
export const amendOrder: Feature = (on) => [
  on.account.ofAccount({
    method: 'POST',
    path: '/orders/{order_id}/amend',
    scope: 'trade',
    summary: '改单：撤单后以新价格、新数量重报 (change an order: cancel it and send the rest anew)',
    answer: on.account.envelope.answer(amended),
    params: z.object({ order_id: z.string() }),
    body,
    handle: async ({ request, params: { order_id: orderId }, body: wanted }, link) => {
      if (!ORDER_ID.test(orderId))
        throw new ServiceError(
          'UNKNOWN_ORDER',
          '委托不存在，请核对委托编号 (there is no such order)',
        )
      const terms = termsOf(wanted)
      const { accountId } = link
      const key = idempotencyKey(request, wanted.client_order_id, { accountId, newKey: on.newKey })
      const hash = requestHash({ kind: 'amendOrder', orderId, ...terms })
      const source = on.source(request)
      const answer = await link.ask(
        { kind: 'amendOrder', orderId, key, requestHash: hash, ...terms, source },
        { ...within(on.limits.commandTimeoutMs, request), startWithinMs: on.limits.orderStartMs },
      )
      const reply = on.account.envelope.reply(fieldsOf(answer))
      return { ...reply, headers: { ...reply.headers, ...replayedHeader(answer.replayed) } }
    },
  }),
]

/** Errors  throws `VALIDATION` when there is nothing to change, or the price is none. */
function termsOf({ price: yuan, order_volume: quantity }: z.infer<typeof body>) {
  if (yuan === undefined && quantity === undefined) {
    throw invalid({
      price: ['price: 请给出 price、order_volume 或两者 (give a price, an order_volume, or both)'],
    })
  }
  return {
    ...(yuan !== undefined && { price: priceOf(yuan, 'price') }),
    ...(quantity !== undefined && { quantity }),
  }
}

const fieldsOf = ({ orderId, clientOrderId, outcome, reason, order }: AmendAnswer) =>
  withBoth({
    order_id: orderId,
    client_order_id: clientOrderId,
    state: outcome,
    order: order === undefined ? null : orderFields(order),
    message: outcome === 'dropped' ? reason : WORDS[outcome],
  })
