import { strict as assert } from 'node:assert'
import { ServiceError } from '../../domain/errors.ts'
import { exchangeDay } from '../../domain/exchange-time.ts'
import { normalizeCode, type StockCode, whyNoCode } from '../../domain/instrument.ts'
import type { Money, Quantity } from '../../domain/money.ts'
import {
  isNamed,
  type NewOrder,
  type OrderRecord,
  type OrderTerms,
  PRICE_TYPE,
  toldNumber,
} from '../../domain/order.ts'
import { isOpen } from '../../domain/order-state.ts'
import { isWithdrawnKey } from '../model/kept-denial.ts'
import type { AccountState } from '../model/state.ts'
import type { Waiting } from '../model/waiting.ts'
import { answerOf } from '../turn/replies.ts'
import type { Turn } from '../turn/turn.ts'
import type { ApprovedOrder } from './approval.ts'
import { sendCancel } from './cancels.ts'
import { orderNamed } from './named-order.ts'
import { queuedUnder, withdraw } from './order-queue.ts'
import { markSent } from './order-rate.ts'
import {
  type OrderOrigin,
  type SimulatedOrder,
  simulatedBefore,
  simulateOrder,
} from './simulate-order.ts'
import { untoldFrom } from './untold.ts'

/** A stock code that a caller wrote, in any accepted spelling.
 *
 * Errors  `CODE_INVALID`, `UNKNOWN_EXCHANGE`. */
export function codeOf(text: string): StockCode {
  const code = normalizeCode(text)
  if (code.ok) return code.value
  const why = `stock_code: “${text.slice(0, 20)}” ${whyNoCode(code.error)}`
  throw new ServiceError(code.error, why, { stock_code: [why] })
}

/** A request under a key, with what it says of the order that it wants. */
export interface KeyedRequest {
  readonly key: string
  readonly requestHash: string
  readonly terms: Partial<OrderTerms>
}

/**
 * An order already known under this key: the same answer again, or a conflict when the body differs.
 * Where the hash of the body was lost with an older database, its terms are compared.
 *
 * Errors  throws `IDEMPOTENCY_MISMATCH`. */
export function known(
  turn: Turn,
  { key, requestHash, terms }: KeyedRequest,
): OrderRecord | undefined {
  const { orders, batches, denials, simulation } = turn.state
  mustBeSame(queuedUnder(turn.state, key)?.asked, requestHash)
  const order = orders.bearing(key)
  if (order === undefined && amendedUnder(turn.state, key) !== undefined) throw mismatch()
  if (order !== undefined && isHashLost(order)) {
    if (!isLike(order, terms)) throw mismatch()
    return order
  }
  const denial = denials.get(key)
  // One that was withdrawn refuses whatever comes under it.
  const refused = denial !== undefined && isWithdrawnKey(denial) ? undefined : denial
  mustBeSame(order ?? batches.get(key) ?? refused, requestHash)
  mustBeSame(simulation?.answers.get(key), requestHash)
  mustBeSame(simulation?.batches.get(key), requestHash)
  return order
}

/** The order that is being changed, and in whose place one with this id is to come. */
export const amendedUnder = (
  { amending, orders }: AccountState,
  key: string,
): OrderRecord | undefined =>
  [...amending].map((id) => orders.get(id)).find((order) => order?.amendment?.clientOrderId === key)

function mustBeSame(kept: { readonly requestHash: string } | undefined, requestHash: string): void {
  if (kept !== undefined && kept.requestHash !== requestHash) throw mismatch()
}

/** The row of the trading client is all that is known of the request. */
export const isHashLost = ({ isRecovered, remark }: OrderRecord): boolean =>
  isRecovered === true || remark !== undefined

/** Clients show other price types than they were given, and the prices that they made of them. */
function isLike(
  order: OrderRecord,
  { code, side, quantity, priceType, price }: Partial<OrderTerms>,
) {
  const isLimit = priceType === PRICE_TYPE.limit
  return (
    (code ?? order.code) === order.code &&
    (side ?? order.side) === order.side &&
    (quantity ?? order.quantity) === order.quantity &&
    (!isLimit || price === order.price)
  )
}

const mismatch = () =>
  new ServiceError(
    'IDEMPOTENCY_MISMATCH',
    '此键已用于另一笔委托，请换用新的 Idempotency-Key (this key was used for another order; choose a new Idempotency-Key)',
  )

/**
 * Writes the order down and sends it once that is durable. The answer comes back as a driver event;
 * in simulation mode the order is filled at once, and the answer is returned.
 */
export function submit(
  turn: Turn,
  approved: ApprovedOrder,
  origin: OrderOrigin = {},
): SimulatedOrder | undefined {
  const { state, inputs } = turn
  markSent(turn)
  if (state.simulation !== undefined) return simulateOrder(turn, state.simulation, approved, origin)
  const { simulatedPrefix: _, ...ofSignal } = origin
  const { source, requestHash, signalType: _signalType, ...venue } = approved
  const order: NewOrder = venue
  const { clientOrderId: id } = order
  assert(state.orders.bearing(id) === undefined, `order ${id} was sent before`)
  const untoldMs = untoldFrom(turn, order.clientOrderId)
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
      day: exchangeDay(inputs.nowMs),
      requestHash,
      ...(untoldMs !== undefined && { untoldMs }),
      ...ofSignal,
    },
  })
  turn.call(
    {
      kind: 'submit',
      clientOrderId: order.clientOrderId,
      quoteMs: inputs.quote(order.code)?.timeMs,
    },
    (callId) => ({ kind: 'submit', callId, order }),
    state.policy.limits.callTimeoutMs,
  )
  return undefined
}

/** Joins a request to the order that came before under its key, and says whether there is one.
 * The request has its answer then, or waits for it.
 *
 * Errors  throws `IDEMPOTENCY_MISMATCH`. */
export function joinEarlier(waiting: Waiting, turn: Turn, request: KeyedRequest): boolean {
  const { key } = request
  const earlier = known(turn, request)
  const simulated = simulatedBefore(turn, key)
  if (simulated !== undefined) {
    waiting.answers.set(key, simulated)
    return true
  }
  if (queuedUnder(turn.state, key) !== undefined) {
    waiting.replays = (waiting.replays ?? new Set()).add(key)
    waiting.answers.set(key, undefined)
    return true
  }
  if (earlier === undefined) return false
  joinKnown(waiting, turn, earlier)
  return true
}

/** Joins a request to an order that is known already: answered at once unless it is still under way. */
export function joinKnown(waiting: Waiting, turn: Turn, order: OrderRecord): void {
  const isUnderWay = turn.isUnderWay('submit', order.clientOrderId)
  waiting.replays = (waiting.replays ?? new Set()).add(order.clientOrderId)
  waiting.answers.set(order.clientOrderId, isUnderWay ? undefined : answerOf(order, true))
}

/** An order that waits for its turn has no number yet; its own id will do. */
const isWithdrawn = (turn: Turn, id: string, source = ''): boolean =>
  id !== '' && withdraw(turn, id, source).length > 0

/**
 * Cancels by the broker's number, or by ours. Never refused by a switch; the intent is durable first.
 *
 * Errors  throws `CONFLICT` where several open orders have that number.
 */
export function cancel(turn: Turn, id: string, ref: number | undefined, source?: string): void {
  const { state } = turn
  const order = orderNamed(state, id)
  if (order === undefined && isWithdrawn(turn, id, source)) {
    return turn.reply(ref, {
      result: 0,
      orderId: id,
      message: '排队中已撤销 (withdrawn from the queue)',
    })
  }
  if (order === undefined) {
    return turn.refuse(ref, new ServiceError('UNKNOWN_ORDER', `委托 ${id} 不存在 (no such order)`))
  }
  if (!isOpen(order.status)) {
    const message = `委托已终结，无可撤部分 (the order has ended: nothing to cancel; ${order.status})`
    return turn.reply(ref, { result: -1, orderId: toldNumber(order) || id, message })
  }
  if (order.orderId === '') {
    const text = `委托 ${id} 结果未知，尚无委托编号，暂不能撤单 (in doubt, and without a number to cancel it by)`
    return turn.refuse(ref, new ServiceError('ORDER_IN_DOUBT_HELD', text))
  }
  if (!isNamed(order)) {
    const text = `委托 ${id} 在交易客户端没有编号，请在下单的终端撤单 (the trading client lists it without a number: cancel it where it was placed)`
    return turn.refuse(ref, new ServiceError('CONFLICT', text))
  }
  if (state.connection.phase !== 'connected') {
    return turn.refuse(
      ref,
      new ServiceError('NOT_CONNECTED', '交易客户端未连接 (the trading client is not connected)'),
    )
  }
  // The status of one in doubt does not say so, and a client that has lost sight of it may take a cancel that comes to nothing.
  const isCancelWanted = order.status === 'inDoubt'
  turn.moveOrder(order.clientOrderId, 'requestCancel', {
    ...(source !== undefined && { source }),
    ...(isCancelWanted && { isCancelWanted }),
  })
  sendCancel(turn, order, { ref, isPersistent: false })
}
