import type { OrderRecord } from '../../domain/order.ts'
import type { ExecuteBuy } from '../../protocol/orders.ts'
import type { Batch } from '../model/events.ts'
import { keepNewest } from '../model/simulation.ts'
import type { AccountState } from '../model/state.ts'
import type { Waiting } from '../model/waiting.ts'
import { finish } from '../turn/replies.ts'
import type { Turn } from '../turn/turn.ts'
import { isHashLost, joinEarlier, joinKnown, known } from './orders.ts'
import { noteLateRequest } from './untold.ts'

/**
 * A request for several stocks that came before under this key: answered with the orders it led to
 * and nothing is sent, also when a stock that was refused then could be bought now. False when it is new.
 *
 * Errors  throws `IDEMPOTENCY_MISMATCH`.
 */
export function joinBatch(
  turn: Turn,
  request: ExecuteBuy,
  asker: Pick<Waiting, 'ref' | 'answerByMs'>,
): boolean {
  const { key, keys, requestHash } = request
  // Before the first event: a refusal must not come in the middle of the orders.
  const terms = { side: 'buy' } as const
  const orders = [key, ...keys].map((id) => known(turn, { key: id, requestHash, terms }))
  const batch = batchOf(turn, key)
  const recovered = orders.flatMap((order) => (order && isHashLost(order) ? [order] : []))
  if (batch === undefined && recovered.length > 0)
    return joinRecovered(turn, request, asker.ref, recovered)
  if (batch === undefined) return false
  const { total, refusals } = batch
  const waiting: Waiting = { ...asker, kind: 'executeBuy', total, answers: new Map(), refusals }
  for (const id of batch.clientOrderIds) joinEarlier(waiting, turn, { key: id, requestHash, terms })
  for (const id of batch.queued ?? []) waiting.answers.set(id, undefined)
  finish(turn, waiting)
  return true
}

/** Under its key, or under that of one of its orders: a caller that gave none was told only of that one. */
function batchOf({ state }: Turn, key: string): Batch | undefined {
  for (const batches of [state.batches, state.simulation?.batches]) {
    const batch = batches?.get(key)
    if (batch !== undefined) return batch
    if (!state.orders.has(key) && state.simulation?.answers.has(key) !== true) continue
    for (const each of batches?.values() ?? []) if (each.clientOrderIds.includes(key)) return each
  }
  return undefined
}

/** Of a request of which only the orders are known that the trading client has shown. */
export const OTHERS_LOST =
  '其余股票在数据恢复前的结果未知，未再提交 (not sent again after a restore)'

/** What became of a request for several stocks, under its own key. */
export const batchUnder = ({ batches, simulation }: AccountState, key: string): Batch | undefined =>
  batches.get(key) ?? simulation?.batches.get(key)

/** Orders of a request whose own record was lost with an older database: the trading client has shown them since. */
export const recoveredParts = (
  { orders }: AccountState,
  parts: readonly string[] = [],
): readonly OrderRecord[] => {
  const found = parts.flatMap((id) => orders.bearing(id) ?? [])
  return [...new Set(found)].filter(isHashLost)
}

/**
 * What became of the request was lost with an older database, but some of its orders are at the
 * trading client: it was carried out. The others were refused then, or never sent; they are not now.
 */
function joinRecovered(
  turn: Turn,
  { codes, count }: ExecuteBuy,
  ref: number,
  orders: readonly OrderRecord[],
): boolean {
  const total = Math.min(count, codes.length)
  const waiting: Waiting = { ref, kind: 'executeBuy', total, answers: new Map() }
  for (const order of new Set(orders)) joinKnown(waiting, turn, order)
  if (waiting.answers.size < total) {
    waiting.refusals = [OTHERS_LOST]
  }
  finish(turn, waiting)
  return true
}

/**
 * Remembers what the request led to, in the commit of its orders: those that were sent, those that wait for their
 * turn, and those that a rule refused. With none of either nothing was done. A simulation remembers it as long as itself.
 */
export function keepBatch(
  turn: Turn,
  { key, keys, requestHash, source }: ExecuteBuy,
  { answers, total, refusals = [] }: Waiting,
): void {
  const waiting = new Set(turn.state.queue.map(({ clientOrderId }) => clientOrderId))
  const clientOrderIds = [...answers.keys()].filter((id) => !waiting.has(id))
  const queued = [...answers.keys()].filter((id) => waiting.has(id))
  const isRefusalKept = keys.some((id) => turn.state.denials.has(id))
  if (answers.size === 0 && !isRefusalKept) return
  const createdMs = turn.inputs.nowMs
  const kept = { requestHash, clientOrderIds, total, refusals, createdMs }
  const batch = queued.length === 0 ? kept : { ...kept, queued }
  const { simulation, policy } = turn.state
  if (simulation !== undefined) {
    return keepNewest(simulation.batches, policy.limits.ordersMax, [key, batch])
  }
  turn.emit({ kind: 'batchPlaced', key, batch, source })
  noteLateRequest(turn, key)
}
