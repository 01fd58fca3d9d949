import { z } from 'zod'
import { IDEMPOTENCY_KEY } from '../../src/domain/ids.ts'
import { time } from '../answers/envelope.ts'
import { within } from '../desk/context.ts'
import { idempotencyKey } from '../desk/orders.ts'
import type { Feature } from './feature.ts'

const row = z
  .object({
    client_order_id: z.string(),
    request_id: z.string().nullable().describe('of the request for several stocks it is part of'),
    stock_code: z.string().describe('6 digits; with its exchange where these name another stock'),
    stock_name: z.string(),
    order_type: z.int().describe('23 buy, 24 sell'),
    quantity: z.int().nullable().describe('shares; null: reckoned when its turn comes'),
    price_type: z.int(),
    price: z.number().describe('yuan; 0 = none'),
    before: z.int().describe('orders that leave before it'),
    queued_at: time,
    until: time.describe('later it is not sent'),
  })
  .meta({ id: 'QueuedOrder' })

const queue = z.object({
  orders: z.array(row).describe('the first one first'),
  count: z.int(),
  max_orders_per_second: z.int().describe('risk.max_orders_per_second; 0 = off'),
  paced_orders_max: z.int().describe('limits.account.paced_orders_max'),
})

const withdrawn = z.object({
  message: z.string(),
  canceled: z.int(),
  client_order_ids: z.array(z.string()),
})

/** Strict: what names no order takes out all of them, and a name that is spelled wrong must not. */
const body = z.strictObject({
  client_order_id: z
    .string()
    .regex(IDEMPOTENCY_KEY)
    .optional()
    .describe('of one order, or the key of a request for several; without it all of them'),
})

/** Orders of people that wait for their turn under `risk.max_orders_per_second`: shown, and taken back. */
export const queuedOrders: Feature = ({ account, limits, source, newKey }) => {
  const { answer, reply, read } = account.envelope
  return [
    account.ofAccount({
      method: 'GET',
      path: '/orders/queued',
      scope: 'view',
      isConditional: true,
      summary: '排队等待发出的委托 (orders that wait for their turn)',
      answer: answer(queue),
      handle: ({ request }, link) =>
        read({ status: 'queuedOrders', v1: 'v1QueuedOrders' }, link, request),
    }),
    account.ofAccount({
      method: 'POST',
      path: '/orders/queued/cancel',
      scope: 'trade',
      isReserved: true,
      bodyUse: 'optional',
      summary: '撤销排队中的委托：一笔、一个批次或全部 (take orders that wait out of the queue)',
      answer: answer(withdrawn),
      body,
      handle: async ({ request, body: { client_order_id: id } }, link) => {
        const { accountId } = link
        const clientOrderId =
          id === undefined ? '' : idempotencyKey(request, id, { accountId, newKey })
        const { clientOrderIds: ids } = await link.ask(
          { kind: 'cancelQueued', clientOrderId, source: source(request) },
          within(limits.commandTimeoutMs, request),
        )
        const message = `已撤销 ${ids.length} 笔排队委托 (taken out of the queue)`
        return reply({ message, canceled: ids.length, client_order_ids: ids })
      },
    }),
  ]
}
