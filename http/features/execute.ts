import { z } from 'zod'
import { PRICE_TYPE } from '../../src/domain/order.ts'
import type { AccountReplies } from '../../src/protocol/account.ts'
import type { ExecuteBuy, ExecuteSell } from '../../src/protocol/orders.ts'
import { executed } from '../answers/orders.ts'
import { statusReply, within } from '../desk/context.ts'
import {
  askForOrder,
  clientKey,
  codeOf,
  DIRECT_LIST,
  IN_DOUBT,
  idempotencyKey,
  orderFields,
  orderPrice,
  priceType,
  replayedHeader,
  shares,
  stockCode,
  unknownFields,
  unknownHeaders,
} from '../desk/orders.ts'
import { type DirectContext, linkOf } from '../direct/context.ts'
import { invalid } from '../message/errors.ts'
import { requestHash } from '../message/json-body.ts'
import type { Reply } from '../message/reply.ts'
import type { HttpRequest } from '../message/request.ts'
import type { Route } from '../message/routes.ts'
import type { Feature } from './feature.ts'

const buyBody = (codesMax: number) =>
  z
    .object({
      strategy: z.string().max(64).default('random_pool'),
      quantity: z.int().positive().max(codesMax),
      stocks: z.array(stockCode).min(1).max(codesMax),
      client_order_id: clientKey.optional(),
    })
    .meta({ examples: [{ strategy: 'custom_stock', quantity: 1, stocks: ['600036.SH'] }] })
/** Strict: without a price it goes at the latest one, and a price that is spelled wrong must not. */
const sellBody = z
  .strictObject({
    stock_code: stockCode,
    quantity: shares.optional(),
    ratio: z.number().gt(0).max(1).optional(),
    price_type: priceType.optional(),
    price: z.number().min(0).optional(),
    client_order_id: clientKey.optional(),
  })
  .meta({ examples: [{ stock_code: '600036.SH', quantity: 100, price_type: 11, price: 38.5 }] })

/** Orders by hand for an amount or a share of a holding. Direct mode only. */
export const execute: Feature = (on) => (on.backend === 'direct' ? executeRoutes(on) : [])

const executeRoutes = (context: DirectContext): Route[] => [
  context.account.route({
    method: 'POST',
    path: '/actions/execute_buy',
    scope: 'trade',
    summary: '手动买入若干只股票 (buy some stocks by hand)',
    answer: executed,
    statuses: [200, 202],
    body: buyBody(context.limits.executeCodesMax),
    handle: ({ request, body }) => {
      const { strategy, quantity: count } = body
      const codes = body.stocks.map((text) => codeOf(text, 'stocks'))
      return answered(context, request, {
        kind: 'executeBuy',
        key: idempotencyKey(request, body.client_order_id, context),
        requestHash: requestHash({ kind: 'executeBuy', strategy, count, codes }),
        strategy,
        count,
        codes,
        keys: [], // the account derives them from the key
        source: context.source(request),
      })
    },
  }),
  context.account.route({
    method: 'POST',
    path: '/actions/execute_sell',
    scope: 'trade',
    summary: '手动卖出 (sell by hand)',
    answer: executed,
    statuses: [200, 202],
    body: sellBody,
    handle: ({ request, body }) => answered(context, request, sellOf(context, request, body)),
  }),
]

function sellOf(
  context: DirectContext,
  request: HttpRequest,
  body: z.infer<typeof sellBody>,
): ExecuteSell {
  const { quantity, ratio, price } = body
  if ((quantity === undefined) === (ratio === undefined)) {
    throw invalid({
      quantity: ['quantity: quantity 与 ratio 须给且只给一个 (give either quantity or ratio)'],
    })
  }
  // Without a price there is nothing to limit: the order goes at the latest price.
  const priceType = body.price_type ?? (price === undefined ? PRICE_TYPE.latest : PRICE_TYPE.limit)
  const code = codeOf(body.stock_code)
  const sale = {
    kind: 'executeSell' as const,
    code,
    ...(quantity !== undefined && { quantity }),
    ...(ratio !== undefined && { ratio }),
    priceType,
    price: orderPrice({ code, priceType }, price),
  }
  return {
    ...sale,
    key: idempotencyKey(request, body.client_order_id, context),
    requestHash: requestHash(sale),
    source: context.source(request),
  }
}

async function answered(
  context: DirectContext,
  request: HttpRequest,
  order: ExecuteBuy | ExecuteSell,
): Promise<Reply> {
  const link = linkOf(context)
  const { executeTimeoutMs, orderStartMs } = context.limits
  const options = { ...within(executeTimeoutMs, request), startWithinMs: orderStartMs }
  const { key, source, requestHash } = order
  const telling = context.tellings.of({ link, request, key, source, requestHash })
  const outcome: AccountReplies['executeBuy'] | typeof IN_DOUBT = await askForOrder({
    request,
    link,
    order,
    options,
    telling,
  })
  if (outcome === IN_DOUBT) {
    const fields = { message: '', success_count: 0, total_count: 0, orders: [] }
    return unknownReply(context, fields, key)
  }
  const { message, successCount, totalCount, orders, queued = [] } = outcome
  const [first] = orders
  const isOne = first !== undefined && orders.length === 1
  const clientOrderId = isOne ? first.clientOrderId : order.key
  const fields = {
    message,
    success_count: successCount,
    total_count: totalCount,
    orders: orders.map(orderFields),
  }
  if (queued.length > 0) {
    return telling.around(queuedReply(context, order.key, { ...fields, queued }), orders)
  }
  if (orders.some(({ state }) => state === 'unknown')) {
    const unknown = unknownReply(context, fields, clientOrderId)
    return telling.around(unknown, orders)
  }
  const isReplayed = orders.length > 0 && orders.every(({ replayed }) => replayed)
  const told = { ...fields, client_order_id: clientOrderId }
  return telling.around(statusReply(context, told, { headers: replayedHeader(isReplayed) }), orders)
}

/** Where what became of an order is told, or of all orders of a request under its id. */
const placeOf = (clientOrderId: string): string => `${DIRECT_LIST}/${clientOrderId}`

function unknownReply(
  context: DirectContext,
  fields: { readonly message: string },
  clientOrderId: string,
): Reply {
  const location = placeOf(clientOrderId)
  const unknown = unknownFields(clientOrderId, location, fields.message)
  const headers = unknownHeaders(location, context.limits)
  return statusReply(context, { ...fields, ...unknown }, { httpStatus: 202, headers })
}

interface Queued {
  readonly queued: NonNullable<AccountReplies['executeBuy']['queued']>
}

/** The time is up and some still wait for their turn: they go on, and their key tells of them, also when none waits any more. */
function queuedReply(context: DirectContext, key: string, fields: Queued): Reply {
  const location = placeOf(key)
  const told = {
    ...fields,
    state: 'queued',
    order_id: null,
    client_order_id: key,
    location,
    queued: fields.queued.map(({ clientOrderId, code }) => ({
      client_order_id: clientOrderId,
      stock_code: code,
    })),
  }
  const headers = unknownHeaders(location, context.limits)
  return statusReply(context, told, { httpStatus: 202, headers })
}
