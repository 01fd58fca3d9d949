import { z } from 'zod'
import { PRICE_TYPE, type Side, sideOf } from '../../src/domain/order.ts'
import { preview } from '../answers/commands.ts'
import { statusReply } from '../context.ts'
import { invalid } from '../errors.ts'
import { previewFields, previewOf } from '../preview.ts'
import { type Route, route } from '../routes.ts'
import { command, type DirectContext } from './context.ts'

const shares = z.int().positive().max(100_000_000)

/** The body of the gateway's order, or the words of `execute_sell`. */
const previewBody = z.object({
  stock_code: z.string().min(1).max(32),
  order_type: z.int().optional(),
  side: z.enum(['buy', 'sell']).optional(),
  order_volume: shares.optional(),
  quantity: shares.optional(),
  price_type: z.int().optional(),
  price: z.number().min(0).optional(),
})
type PreviewFields = z.infer<typeof previewBody>

/** What would become of an order. Sends nothing. */
export const previewRoutes = (context: DirectContext): Route[] => [
  route({
    method: 'POST',
    path: '/api/orders/preview',
    scope: 'view',
    summary: '委托预览：逐条风控规则、金额、费用 (what an order would meet; sends nothing)',
    answer: preview,
    body: previewBody,
    handle: async ({ request, body }) => {
      const { stock_code, price } = body
      // Without a price there is nothing to limit: the order would go at the latest price.
      const ofPrice = price === undefined ? PRICE_TYPE.latest : PRICE_TYPE.limit
      const asked = previewOf({
        stock_code,
        price,
        side: sideIn(body),
        order_volume: volumeIn(body),
        price_type: body.price_type ?? ofPrice,
      })
      return statusReply(context, previewFields(asked, await command(context, request, asked)))
    },
  }),
]

function sideIn({ order_type, side }: PreviewFields): Side {
  const byType = order_type === undefined ? side : sideOf(order_type)
  if (byType === undefined || (side !== undefined && side !== byType)) {
    throw invalid({ order_type: ['order_type: give 23 or side "buy", 24 or side "sell"'] })
  }
  return byType
}

function volumeIn({ order_volume, quantity }: PreviewFields): number {
  const volume = order_volume ?? quantity
  if (volume === undefined || (quantity !== undefined && quantity !== volume)) {
    throw invalid({ order_volume: ['order_volume: give the number of shares'] })
  }
  return volume
}
