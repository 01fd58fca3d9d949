import { z } from 'zod'
import { ServiceError } from '../../src/domain/errors.ts'
import { IDEMPOTENCY_KEY, ORDER_ID, orderNumber } from '../../src/domain/ids.ts'
import { covers } from '../../src/domain/scope.ts'
import type { FoundByKey, FoundPart, FoundRequest, OrderAnswer } from '../../src/protocol/orders.ts'
import { orderRow } from '../answers/account.ts'
import { number, orderAnswer } from '../answers/orders.ts'
import { within } from '../desk/context.ts'
import { orderFields, orderIdFor } from '../desk/orders.ts'
import { withBoth } from '../message/in-both.ts'
import type { HttpRequest } from '../message/request.ts'
import type { Feature } from './feature.ts'

const oneOrder = orderRow
  .extend({
    order_id: number.nullable().describe('of the trading client; null until it has given one'),
    outcome: orderAnswer.shape.status.describe('as the answer to its request says it'),
    message: z.string(),
  })
  .meta({ id: 'OneOrder' })

const requestOfKey = z
  .object({
    client_order_id: z.string().describe('of the request'),
    order_id: number.nullable().describe('where the request is for one order and it has a number'),
    state: z
      .enum(['sent', 'queued', 'canceling', 'refused', 'withdrawn'])
      .describe(
        'queued: some wait for their turn; canceling: sent after the order before it has ended; refused, withdrawn: nothing was sent',
      ),
    outcome: orderAnswer.shape.status.describe(
      'unknown: it goes on, ask again; accepted: of at least one order; rejected: of none',
    ),
    code: z.string().nullable().describe('why the order of this key was refused, and will be'),
    message: z.string(),
    success_count: z.int(),
    total_count: z.int().describe('stocks that were asked for'),
    orders: z
      .array(
        orderAnswer
          .extend({
            stock_code: orderRow.shape.stock_code.optional(),
            trade_type: orderRow.shape.trade_type.optional(),
            volume: orderRow.shape.volume.optional(),
            traded_volume: orderRow.shape.traded_volume.optional(),
            state: orderRow.shape.state.optional(),
          })
          .meta({ id: 'OrderOfRequest' }),
      )
      .describe('that were sent; what is not there of them the simulation mode does not know'),
    queued: z
      .array(z.object({ client_order_id: z.string(), stock_code: z.string() }))
      .describe('still to be sent, the first one first'),
    not_sent: z.array(z.string()).describe('what was not sent, with the reason'),
  })
  .meta({ id: 'RequestOfKey' })

/** Who may not place orders is not the one who waits for the news of them. */
const mayHaveSent = ({ caller }: HttpRequest): boolean =>
  caller === undefined || covers(caller.scope, 'trade')

/** What became of one order, or of the request of a key: for whoever has no number of it, or had no answer. */
export const oneOrderOf: Feature = (on) => [
  on.account.ofAccount({
    method: 'GET',
    path: '/orders/{order_id}',
    scope: 'view',
    summary:
      '单笔委托，或一个请求的结果：按委托编号、client_order_id 或下单时的键查询 (one order, or what became of a request: by an id or its key)',
    answer: on.account.envelope.dataAnswer(z.union([oneOrder, requestOfKey])),
    params: z.object({ order_id: z.string() }),
    handle: async ({ request, params: { order_id: id } }, link) => {
      if (!ORDER_ID.test(id))
        throw new ServiceError('UNKNOWN_ORDER', '委托不存在，请核对委托编号 (no such order)')
      const source = on.source(request)
      const telling = on.tellings.of({ link, request, key: id, source })
      const options = within(on.limits.commandTimeoutMs, request)
      // Who has lost the answer knows the order by the key under which it was sent.
      const keyed = IDEMPOTENCY_KEY.test(id) ? orderIdFor(link.accountId, id) : id
      const found = await link.ask({ kind: 'findOrder', id, keyed }, options)
      const isOrder = 'row' in found
      const answers = isOrder ? [found.answer] : found.request.orders.map(({ answer }) => answer)
      const told = isOrder ? orderTold(found) : requestTold(found.request)
      const reply = on.account.envelope.dataReply(told)
      return found.isUntold && mayHaveSent(request) ? telling.asked(reply, answers) : reply
    },
  }),
]

const numberOf = (orderId: string) => (orderId === '' ? null : orderNumber(orderId))

const orderTold = ({ row, answer }: Extract<FoundByKey, { row: object }>) =>
  withBoth({
    ...row,
    order_id: numberOf(answer.orderId),
    outcome: answer.state,
    message: answer.statusMessage,
  })

function requestTold(found: FoundRequest) {
  const { clientOrderId, state, code, message, totalCount, successCount, refusals } = found
  const { orders, queued = [] } = found
  const [only] = totalCount === 1 ? orders : []
  return withBoth({
    client_order_id: clientOrderId,
    order_id: numberOf(only?.answer.orderId ?? ''),
    state,
    outcome: outcomeOf(found),
    code,
    message,
    success_count: successCount,
    total_count: totalCount,
    orders: orders.map(partTold),
    queued: queued.map((each) => ({ client_order_id: each.clientOrderId, stock_code: each.code })),
    not_sent: refusals,
  })
}

function partTold({ answer, row }: FoundPart) {
  if (row === undefined) return orderFields(answer)
  const { stock_code, trade_type, volume, traded_volume, state } = row
  return { ...orderFields(answer), stock_code, trade_type, volume, traded_volume, state }
}

/** In the three words that one order is told with: as long as something may still come of it, nobody knows. */
function outcomeOf({ state, orders }: FoundRequest): OrderAnswer['state'] {
  const isOpen = state === 'queued' || state === 'canceling'
  if (isOpen || orders.some(({ answer }) => answer.state === 'unknown')) return 'unknown'
  return orders.some(({ answer }) => answer.state === 'accepted') ? 'accepted' : 'rejected'
}
