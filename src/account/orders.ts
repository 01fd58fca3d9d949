import { ServiceError } from '../domain/errors.ts'
import { normalizeCode, type StockCode } from '../domain/instrument.ts'
import type { Money, Price, Quantity } from '../domain/money.ts'
import type { OrderRecord, Side, VenueOrder } from '../domain/order.ts'
import { isOpen } from '../domain/order-state.ts'
import { answerOf } from './replies.ts'
import type { Waiting } from './state.ts'
import type { Turn } from './turn.ts'

/** An order that somebody wants, before the account has agreed. */
export interface WantedOrder {
  readonly clientOrderId: string
  readonly requestHash: string
  readonly code: StockCode
  readonly side: Side
  readonly quantity: Quantity
  readonly priceType: number
  readonly price: Price
  readonly strategy: string
  readonly source: string
}

/** A stock code that a caller wrote, in any accepted spelling.
 *
 * Errors  `CODE_INVALID`, `UNKNOWN_EXCHANGE`. */
export function codeOf(text: string): StockCode {
  const code = normalizeCode(text)
  if (code.ok) return code.value
  throw new ServiceError(code.error, `stock_code: ${text.slice(0, 20)} is not a known stock code`)
}

/** Why this account does not send an order now, or undefined. Cancels are never asked. */
export function denial(turn: Turn, code: StockCode, side: Side): ServiceError | undefined {
  const { state } = turn
  const { settings } = state
  if (side === 'buy' && !settings.ENABLE_ALLOW_BUY) {
    return new ServiceError('BUY_NOT_ALLOWED', '买入权限已关闭 (allowBuy is off)')
  }
  if (side === 'sell' && !settings.ENABLE_ALLOW_SELL) {
    return new ServiceError('SELL_NOT_ALLOWED', '卖出权限已关闭 (allowSell is off)')
  }
  if (!state.isReady) {
    return new ServiceError('NOT_CONNECTED', '交易客户端未就绪 (the trading client is not ready)')
  }
  const doubtful = [...state.orders.values()].find(
    (order) => order.status === 'inDoubt' && order.code === code && order.side === side,
  )
  if (doubtful !== undefined) {
    const text = `order ${doubtful.clientOrderId} on ${code} is in doubt; wait until it is found`
    return new ServiceError('ORDER_IN_DOUBT_HELD', text)
  }
  if (state.orders.size >= state.policy.limits.ordersMax) {
    return new ServiceError('OVERLOADED', 'too many orders today; see limits.account.orders_max')
  }
  return undefined
}

/** An order already known under this key: the same answer again, or a conflict when the body differs. */
export function known(
  turn: Turn,
  clientOrderId: string,
  requestHash: string,
): OrderRecord | undefined {
  const order = turn.state.orders.get(clientOrderId)
  if (order !== undefined && order.requestHash !== requestHash) {
    const text = 'this key was used for another order; choose a new Idempotency-Key'
    throw new ServiceError('IDEMPOTENCY_MISMATCH', text)
  }
  return order
}

/** Writes the intent and sends the order once that is durable. The answer comes back as a driver event. */
export function submit(turn: Turn, wanted: WantedOrder): void {
  const { state, inputs } = turn
  const { source, requestHash, ...venue } = wanted
  const order: VenueOrder = venue
  turn.emit({
    kind: 'orderSubmitted',
    source,
    order: {
      ...order,
      orderId: '',
      status: 'submitted',
      venueStatus: 48,
      statusMessage: '',
      filledQuantity: 0 as Quantity,
      filledAmount: 0 as Money,
      createdMs: inputs.nowMs,
      updatedMs: inputs.nowMs,
      day: state.day,
      requestHash,
    },
  })
  turn.call(
    { kind: 'submit', clientOrderId: order.clientOrderId },
    (callId) => ({ kind: 'submit', callId, order }),
    state.policy.limits.callTimeoutMs,
  )
}

/** Joins a request to an order that is known already: answered at once unless it is still under way. */
export function joinKnown(waiting: Waiting, turn: Turn, order: OrderRecord): void {
  const isUnderWay = [...turn.state.calls.values()].some(
    (call) => call.kind === 'submit' && call.clientOrderId === order.clientOrderId,
  )
  waiting.answers.set(order.clientOrderId, isUnderWay ? undefined : answerOf(order, true))
}

/** Cancels by the trading client's number. Never refused by a switch; the intent is durable first. */
export function cancel(turn: Turn, orderId: string, ref: number | undefined): void {
  const { state } = turn
  const clientOrderId = state.orderIds.get(orderId)
  const order = clientOrderId === undefined ? undefined : state.orders.get(clientOrderId)
  if (order === undefined) {
    return turn.refuse(
      ref,
      new ServiceError('UNKNOWN_ORDER', `委托 ${orderId} 不存在 (no such order)`),
    )
  }
  if (!isOpen(order.status)) {
    const message = `委托已终结 (${order.status}): nothing to cancel`
    return turn.reply(ref, { result: -1, orderId, message })
  }
  if (state.connection.phase !== 'connected') {
    return turn.refuse(
      ref,
      new ServiceError('NOT_CONNECTED', 'the trading client is not connected'),
    )
  }
  const event = 'requestCancel'
  turn.emit({
    kind: 'orderMoved',
    clientOrderId: order.clientOrderId,
    event,
    orderId: '',
    message: '',
  })
  turn.call(
    { kind: 'cancel', clientOrderId: order.clientOrderId, ref },
    (callId) => ({ kind: 'cancel', callId, orderId }),
    state.policy.limits.callTimeoutMs,
  )
}
