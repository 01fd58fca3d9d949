import { ServiceError } from '../../domain/errors.ts'
import type { OrderRecord } from '../../domain/order.ts'
import type { OrderAnswer } from '../../protocol/account.ts'
import type { Waiting } from '../model/state.ts'
import type { Turn } from './turn.ts'

/**
 * Where an order stands, in the words of an answer. The text of the broker belongs to it
 * when it refused the order; what it says later of one that it took would make the answer to a
 * repeated request another one than the first.
 */
export function answerOf(order: OrderRecord, replayed: boolean): OrderAnswer {
  const { clientOrderId, orderId, status } = order
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

function tally({ total, refusals = [] }: Waiting, orders: readonly OrderAnswer[]): unknown {
  const successCount = orders.filter(({ state }) => state === 'accepted').length
  const unknown = orders.filter(({ state }) => state === 'unknown').length
  const doubt = unknown > 0 ? `，${unknown} 笔结果未知` : ''
  const reasons = refusals.length > 0 ? `；未提交: ${refusals.join('；')}` : ''
  const message = `已提交 ${successCount}/${total} 笔委托${doubt}${reasons}`
  return { successCount, totalCount: total, message, orders }
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
