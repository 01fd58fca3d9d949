import { z } from 'zod'
import { ORDER_TYPE, PRICE_TYPE, type Side, sideOf } from '../../src/domain/order.ts'
import { money } from '../answers/envelope.ts'
import { within } from '../desk/context.ts'
import { orderedBy, orderType, priceType, shares, sideBy, stockCode } from '../desk/orders.ts'
import { type DirectContext, linkOf } from '../direct/context.ts'
import type { GatewayContext } from '../gateway/context.ts'
import { invalid } from '../message/errors.ts'
import { withBoth } from '../message/in-both.ts'
import type { Reply } from '../message/reply.ts'
import type { HttpRequest } from '../message/request.ts'
import type { Route } from '../message/routes.ts'
import type { AccountLink } from '../port/service.ts'
import type { Feature, Mount } from './feature.ts'
import { gatewayBody, ORDER_EXAMPLE } from './place-order.ts'

const yuan = z.number()
const levels = z
  .array(z.object({ price: yuan, volume: z.int().nullable().describe('shares; null = not known') }))
  .describe('best first; only levels that there are')
const limitValue = z.union([z.number(), z.string(), z.null()])
const fields = z
  .object({
    stock_code: z.string(),
    side: z.enum(['buy', 'sell']),
    order_type: orderType,
    quantity: z.int().describe('shares'),
    price_type: priceType,
    allowed: z.boolean(),
    code: z.string().nullable().describe('of the first rule that refuses'),
    message: z.string(),
    rules: z.array(
      z.object({
        name: z.string(),
        code: z.string(),
        ok: z.boolean(),
        status: z.enum(['pass', 'refused', 'off']),
        message: z.string(),
        limit: limitValue,
        actual: limitValue,
      }),
    ),
    price: z.number().describe('the worst at which the order may trade, yuan; 0 = not known'),
    amount: money,
    fees: z.object({ commission: money, stamp_duty: money, transfer_fee: money, total: money }),
    stock_name: z.string().nullable().describe('null = nobody has told it'),
    quote: z
      .object({
        time: z.int().describe('epoch milliseconds of the market'),
        age_seconds: z.number().describe('by the clock of the market'),
        last_price: yuan.describe('0 = halted'),
        last_close: yuan.describe('0 = not known'),
        limit_up: yuan.nullable().describe('null = none, or not known'),
        limit_down: yuan.nullable(),
        ask: levels,
        bid: levels,
      })
      .nullable()
      .describe('by which the rules have judged; null = there is none, and they could not'),
    quantity_max: z
      .int()
      .nullable()
      .describe(
        'most shares that such an order may be of: cash with fees, or sellable; null = not known',
      ),
    lot_min: z.int().describe('fewest shares of a purchase'),
    lot_step: z.int(),
    tick_size: yuan.describe('finest step of a price, yuan'),
    price_types: z
      .array(
        z.object({
          type: z.int(),
          takes_price: z.boolean().describe('the limit, or the worst price of a market order'),
        }),
      )
      .describe('what this stock can be ordered by'),
  })
  .meta({ id: 'OrderPreview' })

/** What would become of an order. Sends nothing. */
export const preview: Feature = (on) => [
  on.backend === 'direct' ? directRoute(on) : gatewayRoute(on),
]

const about = ({ account }: Mount) =>
  ({
    method: 'POST',
    path: '/orders/preview',
    scope: 'view',
    summary: '委托预览：逐条风控规则、金额、费用 (what an order would meet; sends nothing)',
    answer: account.envelope.answer(fields),
  }) as const

/** The body of the gateway's order, or the words of `execute_sell`. */
const directBody = z
  .object({
    stock_code: stockCode,
    order_type: orderType.optional(),
    side: z.enum(['buy', 'sell']).optional(),
    order_volume: shares.optional(),
    quantity: shares.optional(),
    price_type: priceType.optional(),
    price: z.number().min(0).optional(),
  })
  .meta({ examples: [ORDER_EXAMPLE] })
type DirectBody = z.infer<typeof directBody>

const directRoute = (on: DirectContext): Route =>
  on.account.route({
    ...about(on),
    body: directBody,
    handle: ({ request, body }) => {
      const { stock_code, price } = body
      // Without a price there is nothing to limit: the order would go at the latest price.
      const ofPrice = price === undefined ? PRICE_TYPE.latest : PRICE_TYPE.limit
      const ordered = orderedBy({
        stock_code,
        price,
        side: sideIn(body),
        order_volume: volumeIn(body),
        price_type: body.price_type ?? ofPrice,
      })
      return ask(on, linkOf(on), ordered, request)
    },
  })

function sideIn({ order_type, side }: DirectBody): Side {
  const byType = order_type === undefined ? side : sideOf(order_type)
  if (byType === undefined || (side !== undefined && side !== byType)) {
    throw invalid({
      order_type: [
        'order_type: 请给出 23 或 side "buy"、24 或 side "sell" (give 23 or side "buy", 24 or side "sell")',
      ],
    })
  }
  return byType
}

function volumeIn({ order_volume, quantity }: DirectBody): number {
  const volume = order_volume ?? quantity
  if (volume === undefined || (quantity !== undefined && quantity !== volume)) {
    throw invalid({ order_volume: ['order_volume: 请给出股数 (give the number of shares)'] })
  }
  return volume
}

/** By the body that would place it; nothing is sent, so it needs no key. */
const previewBody = gatewayBody.omit({ client_order_id: true }).meta({ examples: [ORDER_EXAMPLE] })

const gatewayRoute = (on: GatewayContext): Route =>
  on.account.ofAccount({
    ...about(on),
    body: previewBody,
    handle: ({ request, body }, link) =>
      ask(on, link, orderedBy({ ...body, side: sideBy(body.order_type) }), request),
  })

/** The order as it was understood, the verdict, rule by rule. */
async function ask(
  { account, limits }: Mount,
  link: AccountLink,
  ordered: ReturnType<typeof orderedBy>,
  request: HttpRequest,
): Promise<Reply> {
  const asked = { kind: 'previewOrder', ...ordered } as const
  const verdict = await link.ask(asked, within(limits.commandTimeoutMs, request))
  return account.envelope.reply({
    stock_code: asked.code,
    side: asked.side,
    order_type: ORDER_TYPE[asked.side],
    quantity: asked.quantity,
    price_type: asked.priceType,
    ...verdict,
    rules: verdict.rules.map(withBoth),
  })
}
