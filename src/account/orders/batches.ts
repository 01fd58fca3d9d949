import type { ExecuteBuy } from '../../protocol/account.ts'
import type { Waiting } from '../model/state.ts'
import { finish } from '../turn/replies.ts'
import type { Turn } from '../turn/turn.ts'
import { joinKnown, known } from './orders.ts'

/**
 * A request for several stocks that came before under this key: answered with the orders it led to
 * and nothing is sent, also when a stock that was refused then could be bought now. False when it is new.
 *
 * Errors  throws `IDEMPOTENCY_MISMATCH`.
 */
export function joinBatch(
  turn: Turn,
  { key, keys, requestHash }: ExecuteBuy,
  ref: number,
): boolean {
  // Before the first event: a refusal must not come in the middle of the orders.
  for (const id of [key, ...keys]) known(turn, id, requestHash)
  const batch = turn.state.batches.get(key)
  if (batch === undefined) return false
  const waiting: Waiting = { ref, kind: 'executeBuy', total: batch.total, answers: new Map() }
  waiting.refusals = batch.refusals
  for (const id of batch.clientOrderIds) {
    const order = turn.state.orders.get(id)
    if (order !== undefined) joinKnown(waiting, turn, order)
  }
  finish(turn, waiting)
  return true
}

/**
 * Remembers what the request led to, in the commit of its orders: those that were sent and those
 * that a rule refused. With none of either nothing was done.
 */
export function keepBatch(
  turn: Turn,
  { key, keys, requestHash, source }: ExecuteBuy,
  { answers, total, refusals = [] }: Waiting,
): void {
  const clientOrderIds = [...answers.keys()]
  const isRefusalKept = keys.some((id) => turn.state.denials.has(id))
  if (clientOrderIds.length === 0 && !isRefusalKept) return
  const createdMs = turn.inputs.nowMs
  const batch = { requestHash, clientOrderIds, total, refusals, createdMs }
  turn.emit({ kind: 'batchPlaced', key, batch, source })
}
