import type { OrderAnswer } from '../../protocol/orders.ts'

/** A request that waits until all its orders have been answered. */
export interface Waiting {
  readonly ref: number
  readonly kind: 'placeOrder' | 'executeBuy' | 'executeSell'
  readonly total: number
  /** Client order id → answer, in the order of the request; undefined while it is open. */
  readonly answers: Map<string, OrderAnswer | undefined>
  /** Those that an earlier request had placed already. */
  replays?: Set<string>
  /** What was not sent, with the reason, for people. */
  refusals?: readonly string[]
  /** Wall clock: by then it is answered with what is still queued. */
  answerByMs?: number
}
