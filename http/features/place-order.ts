import { z } from 'zod'
import { PRICE_TYPE } from '../../src/domain/order.ts'
import { BY_HAND } from '../../src/domain/trade-record.ts'
import type { OrderAnswer, PlaceOrder } from '../../src/protocol/orders.ts'
import { v1Answer } from '../answers/envelope.ts'
import { executed, orderAnswer, unknownOrder } from '../answers/orders.ts'
import { statusReply, v1Reply, within } from '../desk/context.ts'
import {
  askForOrder,
  clientKey,
  DIRECT_LIST,
  IN_DOUBT,
  idempotencyKey,
  orderedBy,
  orderedFields,
  orderFields,
  priceType,
  refusalFields,
  replayedHeader,
  sideBy,
  unknownFields,
  unknownHeaders,
} from '../desk/orders.ts'
import { type DirectContext, linkOf } from '../direct/context.ts'
import type { GatewayContext } from '../gateway/context.ts'
import { requestHash } from '../message/json-body.ts'
import { json, type Reply } from '../message/reply.ts'
import type { HttpRequest } from '../message/request.ts'
import type { Route } from '../message/routes.ts'
import type { AccountLink } from '../port/service.ts'
import type { Feature, Mount } from './feature.ts'

/** One order: a stock, shares and a price. What has come of it is told differently by each backend. */
export const placeOrder: Feature = (on) => [
  on.backend === 'direct' ? directRoute(on) : gatewayRoute(on),
]

/** 100 shares at the latest price. */
export const ORDER_EXAMPLE = {
  stock_code: '600036.SH',
  order_type: 23,
  order_volume: 100,
  price_type: 5,
  price: 0,
}
/** Strict: without a key of the caller each request is another order, and one that is spelled wrong must not be. */
const directBody = z
  .strictObject({
    ...orderedFields,
    price_type: priceType,
    price: z.number().min(0).optional(),
    client_order_id: clientKey.optional(),
  })
  .meta({ examples: [ORDER_EXAMPLE] })
type DirectBody = z.infer<typeof directBody>

/** As a ticket has it: `execute_buy` spends a fixed amount on each of several stocks instead. */
const directRoute = (on: DirectContext): Route =>
  on.account.route({
    method: 'POST',
    path: '/actions/place_order',
    scope: 'trade',
    summary: '手动下单：指定股数和价格 (place one order by hand)',
    answer: executed,
    statuses: [200, 202],
    body: directBody,
    handle: async ({ request, body }) => {
      const order = orderOf({ on, accountId: on.accountId, request }, body, BY_HAND)
      return place({ on, link: linkOf(on), order, request }, (answer) => directReply(on, answer), {
        list: DIRECT_LIST,
        unknown: (fields, headers) => {
          const none = { success_count: 0, total_count: 1, orders: [] }
          return statusReply(on, { ...none, ...fields }, { httpStatus: 202, headers })
        },
      })
    },
  })

function directReply(on: DirectContext, answer: OrderAnswer): Reply {
  const isTaken = answer.state !== 'rejected'
  return statusReply(
    on,
    {
      message:
        answer.statusMessage ||
        (isTaken ? '委托已提交 (the order is sent)' : '委托被拒绝 (the order is refused)'),
      success_count: isTaken ? 1 : 0,
      total_count: 1,
      client_order_id: answer.clientOrderId,
      orders: [orderFields(answer)],
    },
    { headers: replayedHeader(answer.replayed) },
  )
}

/** Documented fields that change nothing here are accepted, so that existing callers work. */
export const gatewayBody = z
  .object({
    ...orderedFields,
    price_type: priceType.default(PRICE_TYPE.limit),
    price: z.number().min(0).optional(),
    strategy_name: z.string().max(256).optional(),
    order_remark: z.string().max(256).optional(),
    client_order_id: clientKey.optional(),
  })
  .meta({ examples: [ORDER_EXAMPLE] })
type GatewayBody = z.infer<typeof gatewayBody>

/** Placed: the order. In doubt (202): its state. Refused by the client without a number: `success` false. */
const placed = z.union([
  v1Answer(orderAnswer),
  v1Answer(z.object(unknownOrder)),
  z.object({
    success: z.literal(false),
    data: z.null(),
    error: z.string(),
    message: z.string(),
    detail: z.string(),
    client_order_id: z.string(),
    refusal_code: z.string(),
    refusal_explanation: z.string(),
  }),
])

const gatewayRoute = (on: GatewayContext): Route =>
  on.account.ofAccount({
    method: 'POST',
    path: '/orders',
    scope: 'trade',
    summary: '下单；同一 Idempotency-Key 只有一笔 (place an order; one key is one order)',
    answer: placed,
    statuses: [201, 202],
    body: gatewayBody,
    handle: async ({ request, body }, link) => {
      const { accountId } = link
      const order = orderOf({ on, accountId, request }, body, BY_GATEWAY)
      return place({ on, link, order, request }, gatewayReply, {
        list: `/api/v1/accounts/${accountId}/orders`,
        unknown: (fields, headers) => v1Reply(fields, 202, headers),
      })
    },
  })

function gatewayReply(answer: OrderAnswer): Reply {
  const { clientOrderId, statusMessage } = answer
  const headers = replayedHeader(answer.replayed)
  if (answer.orderId !== '') return v1Reply(orderFields(answer), 201, headers)
  // Not taken and without a number: existing callers look for `success` false here, not for a 4xx.
  return json(
    201,
    {
      success: false,
      data: null,
      error: statusMessage,
      message: statusMessage,
      detail: statusMessage,
      client_order_id: clientOrderId,
      ...refusalFields(statusMessage),
    },
    headers,
  )
}

interface Placed {
  readonly on: Mount
  readonly link: AccountLink
  readonly order: PlaceOrder
  readonly request: HttpRequest
}

/** How an order in doubt is answered, and below which address its order is found. */
interface Unknown {
  readonly list: string
  readonly unknown: (fields: object, headers: Readonly<Record<string, string>>) => Reply
}

/** It is answered once the trading client has spoken, for which it may have to wait for its turn first. */
async function place(
  { on, link, order, request }: Placed,
  known: (answer: OrderAnswer) => Reply,
  { list, unknown }: Unknown,
): Promise<Reply> {
  const { key, source, requestHash } = order
  const telling = on.tellings.of({ link, request, key, source, requestHash })
  const { orderGraceMs, orderStartMs, pacedWaitMs } = on.limits
  const options = {
    ...within(link.callTimeoutMs + orderGraceMs + pacedWaitMs, request),
    startWithinMs: orderStartMs,
  }
  const answer = await askForOrder({ request, link, order, options, telling })
  if (answer !== IN_DOUBT && answer.state !== 'unknown') {
    return telling.around(known(answer), [answer])
  }
  const [id, isReplayed] =
    answer === IN_DOUBT ? [key, false] : [answer.clientOrderId, answer.replayed]
  const location = `${list}/${id}`
  const headers = { ...unknownHeaders(location, on.limits), ...replayedHeader(isReplayed) }
  return unknown(unknownFields(id, location), headers)
}

/** What orders that come in at the gateway are stored under (docs/domain.md 4.7). */
const BY_GATEWAY = { buy: BY_HAND.buy, sell: 'manual' } as const

function orderOf(
  { on, accountId, request }: { on: Mount; accountId: string; request: HttpRequest },
  body: DirectBody | GatewayBody,
  strategies: Readonly<Record<'buy' | 'sell', string>>,
): PlaceOrder {
  const side = sideBy(body.order_type)
  const ordered = orderedBy({ ...body, side })
  const order = { kind: 'placeOrder' as const, ...ordered, strategy: strategies[side] }
  return {
    ...order,
    key: idempotencyKey(request, body.client_order_id, { accountId, newKey: on.newKey }),
    requestHash: requestHash(order),
    source: on.source(request),
  }
}
