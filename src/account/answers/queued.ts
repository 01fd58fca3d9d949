import { exchangeTime } from '../../domain/exchange-time.ts'
import { shownCode } from '../../domain/instrument.ts'
import { type Price, toYuan } from '../../domain/money.ts'
import { ORDER_TYPE, PRICE_TYPE } from '../../domain/order.ts'
import type { QueuedOrder } from '../model/order-queue.ts'
import type { AccountState } from '../model/state.ts'
import { nameOf } from '../turn/holding.ts'
import type { View } from './view.ts'

/** Orders that wait for their turn, the first one first, with the settings that make them wait. */
const queued = ({ state }: { readonly state: AccountState }) => ({
  orders: state.queue.map((order, before) => queuedRow(state, order, before)),
  count: state.queue.length,
  max_orders_per_second: state.risk.maxOrdersPerSecond,
  paced_orders_max: state.policy.limits.pacedOrdersMax,
})

function queuedRow(
  state: AccountState,
  { clientOrderId, code, asked, queued: since, until }: QueuedOrder,
  before: number,
) {
  const isBatch = asked.kind === 'executeBuy'
  return {
    client_order_id: clientOrderId,
    /** Of the request for several stocks that it is part of. */
    request_id: isBatch ? asked.key : null,
    stock_code: shownCode(code),
    stock_name: nameOf(state, code),
    order_type: ORDER_TYPE[asked.kind === 'placeOrder' ? asked.side : isBatch ? 'buy' : 'sell'],
    /** Null where it is reckoned when its turn comes. */
    quantity: isBatch ? null : (asked.quantity ?? null),
    price_type: isBatch ? PRICE_TYPE.latest : asked.priceType,
    price: isBatch ? 0 : toYuan(asked.price as Price),
    before,
    queued_at: exchangeTime(since.nowMs),
    until: exchangeTime(until.nowMs),
  }
}

export const queuedOrders: View = (inputs) => {
  const data = queued(inputs)
  return { status: 'success', ...data, data }
}

export const v1QueuedOrders: View = (inputs) => ({
  success: true,
  data: queued(inputs),
  error: null,
})
