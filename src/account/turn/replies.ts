import { ServiceError } from '../../domain/errors.ts'
import { isNumberTaken, type OrderRecord } from '../../domain/order.ts'
import type { OrderAnswer, OrdersAnswer } from '../../protocol/orders.ts'
import type { QueuedOrder } from '../model/order-queue.ts'
import type { Waiting } from '../model/waiting.ts'
import type { Turn } from './turn.ts'

/**
 * Where an order stands, in the words of an answer. The text of the broker belongs to it
 * when it refused the order; what it says later of one that it took would make the answer to a
 * repeated request another one than the first.
 */
export function answerOf(order: OrderRecord, replayed: boolean): OrderAnswer {
  const { clientOrderId, status } = order
  // Whoever reads none takes it for refused.
  const orderId = isNumberTaken(order) ? clientOrderId : order.orderId
  const statusMessage = status === 'rejected' ? order.statusMessage : ''
  return { clientOrderId, orderId, state: answerState(order), statusMessage, replayed }
}

function answerState({ status, orderId }: OrderRecord): OrderAnswer['state'] {
  if (status === 'inDoubt' || status === 'submitted') return 'unknown'
  // Refused by the broker under a number is an order that was taken and shows 57; without one it was not.
  return status === 'rejected' && orderId === '' ? 'rejected' : 'accepted'
}

/** Tells every request that waits for this order, and answers those that have all they waited for. */
export function orderAnswered(turn: Turn, clientOrderId: string): void {
  const order = turn.state.orders.get(clientOrderId)
  if (order === undefined) return
  for (const waiting of [...turn.state.waiting]) {
    if (!waiting.answers.has(clientOrderId) || waiting.answers.get(clientOrderId)) continue
    waiting.answers.set(clientOrderId, answerOf(order, isReplay(waiting, order)))
    finish(turn, waiting)
  }
}

const isReplay = ({ replays }: Waiting, { clientOrderId }: OrderRecord): boolean =>
  replays?.has(clientOrderId) ?? false

/** Whether a request waits for what becomes of this order. */
export const isAwaited = ({ answers }: Waiting, clientOrderId: string): boolean =>
  answers.has(clientOrderId) && answers.get(clientOrderId) === undefined

/**
 * An order is not sent: who asked for it hears why. That sales are switched off is answered like a sale that sold
 * nothing.
 */
export function orderNotSent(turn: Turn, clientOrderId: string, error: ServiceError): void {
  for (const waiting of [...turn.state.waiting]) {
    if (!isAwaited(waiting, clientOrderId)) continue
    waiting.answers.delete(clientOrderId)
    if (waiting.kind === 'executeSell' && error.code === 'SELL_NOT_ALLOWED') {
      waiting.refusals = [error.message]
      finish(turn, waiting)
    } else {
      turn.state.waiting.delete(waiting)
      turn.refuse(waiting.ref, error)
    }
  }
}

/** Some orders of a request for several are not sent, for one reason: the request goes on without them. */
export function someNotSent(turn: Turn, ids: readonly string[], reason: string): void {
  for (const waiting of [...turn.state.waiting]) {
    const awaited = ids.filter((id) => isAwaited(waiting, id))
    if (awaited.length === 0) continue
    for (const id of awaited) waiting.answers.delete(id)
    waiting.refusals = [...(waiting.refusals ?? []), reason]
    finish(turn, waiting)
  }
}

/** Their time is up: requests for several stocks are told what has come of them, and what is still queued. */
export function answerWithQueued(turn: Turn): void {
  const { state, inputs } = turn
  for (const waiting of [...state.waiting]) {
    if (inputs.wallMs < (waiting.answerByMs ?? Number.POSITIVE_INFINITY)) continue
    const queued = state.queue.filter(({ clientOrderId }) => isAwaited(waiting, clientOrderId))
    if (queued.length === 0) continue // the trading client answers soon, or its time is up too
    state.waiting.delete(waiting)
    const orders = [...waiting.answers].flatMap(([id, answer]) => {
      const order = state.orders.get(id)
      return answer ?? (order === undefined ? [] : answerOf(order, isReplay(waiting, order)))
    })
    turn.reply(waiting.ref, tally(waiting, orders, queued))
  }
}

/** Answers a request once all its orders have an answer; a request without orders at once. */
export function finish(turn: Turn, waiting: Waiting): void {
  const answers = [...waiting.answers.values()]
  if (answers.some((answer) => answer === undefined)) {
    turn.state.waiting.add(waiting)
    return
  }
  turn.state.waiting.delete(waiting)
  const orders = answers.filter((answer) => answer !== undefined)
  turn.reply(waiting.ref, waiting.kind === 'placeOrder' ? orders[0] : tally(waiting, orders))
}

/** What came of a request for several orders, in numbers and in words. */
export function tally(
  { total, refusals = [] }: Pick<Waiting, 'total' | 'refusals'>,
  orders: readonly OrderAnswer[],
  queued: readonly QueuedOrder[] = [],
): OrdersAnswer {
  const successCount = orders.filter(({ state }) => state === 'accepted').length
  const unknown = orders.filter(({ state }) => state === 'unknown').length
  const waiting = queued.length
  const doubt = unknown > 0 ? `，${unknown} 笔结果未知 (${unknown} with an unknown outcome)` : ''
  const reasons = refusals.length > 0 ? `；未提交 (not sent)：${refusals.join('；')}` : ''
  const waits = waiting > 0 ? `，${waiting} 笔排队中 (${waiting} waiting for their turn)` : ''
  const sent = `已提交 ${successCount}/${total} 笔委托 (${successCount} of ${total} orders sent)`
  const message = `${sent}${waits}${doubt}${reasons}`
  const ids = queued.map(({ clientOrderId, code }) => ({ clientOrderId, code }))
  return {
    successCount,
    totalCount: total,
    message,
    orders,
    ...(ids.length > 0 && { queued: ids }),
  }
}

/** The connection is gone: open answers become "unknown", which is what they are. */
export function failWaiting(turn: Turn, reason: string): void {
  for (const waiting of [...turn.state.waiting]) {
    for (const [id, answer] of waiting.answers) {
      const order = turn.state.orders.get(id)
      if (answer !== undefined) continue
      if (order === undefined) turn.refuse(waiting.ref, new ServiceError('NOT_CONNECTED', reason))
      else waiting.answers.set(id, answerOf(order, isReplay(waiting, order)))
    }
    finish(turn, waiting)
  }
}
