import { ORDER_TYPE, type Side } from '../src/domain/order.ts'
import type { OrderPreview, PreviewOrder } from '../src/protocol/account.ts'
import { invalid } from './errors.ts'
import { codeOf, limitPrice } from './orders.ts'

/** What a caller asks about, in the words of the body. */
export interface PreviewBody {
  readonly stock_code: string
  readonly side: Side
  readonly order_volume: number
  readonly price_type: number
  readonly price?: number | undefined
}

/** A body into the question to the account. Errors  throws the same as placing the order. */
export function previewOf(body: PreviewBody): PreviewOrder {
  const { side, order_volume: quantity, price_type: priceType } = body
  const price = limitPrice(priceType, body.price)
  if (!Number.isSafeInteger(price * quantity)) {
    throw invalid({ order_volume: ['order_volume: price times volume is too large'] })
  }
  return { kind: 'previewOrder', code: codeOf(body.stock_code), side, quantity, priceType, price }
}

/** The answer of both backends: the order as it was understood, the verdict, rule by rule. */
export const previewFields = (asked: PreviewOrder, preview: OrderPreview) => ({
  stock_code: asked.code,
  side: asked.side,
  order_type: ORDER_TYPE[asked.side],
  quantity: asked.quantity,
  price_type: asked.priceType,
  ...preview,
})
