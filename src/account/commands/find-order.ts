import { ServiceError } from '../../domain/errors.ts'
import type { OrderRecord } from '../../domain/order.ts'
import type { FindOrder, FoundByKey, FoundPart, FoundRequest } from '../../protocol/orders.ts'
import { orderRow } from '../answers/rows.ts'
import type { Batch } from '../model/events.ts'
import { isWithdrawnKey } from '../model/kept-denial.ts'
import type { AccountState } from '../model/state.ts'
import { batchUnder, OTHERS_LOST, recoveredParts } from '../orders/batches.ts'
import { orderNamed } from '../orders/named-order.ts'
import { queuedUnder } from '../orders/order-queue.ts'
import { amendedUnder } from '../orders/orders.ts'
import { mustHaveCompared } from '../orders/withdraw-key.ts'
import { nameOf } from '../turn/holding.ts'
import { answerOf, tally } from '../turn/replies.ts'

/**
 * One order by its number or its key, and under a key also what became of a request that is no single order: whoever
 * is told that there is none takes the request for lost, and orders again under another key.
 *
 * Errors  throws `UNKNOWN_ORDER`; `CONFLICT` where several open orders have that number; `NOT_CONNECTED`,
 *         `RECONCILE_REQUIRED` for what these books do not know while they may lack an order that the broker has.
 */
export function findOrder(state: AccountState, { id, keyed = id, parts }: FindOrder): FoundByKey {
  const { orders } = state
  const named = orderNamed(state, id) ?? orders.bearing(id)
  const order = named ?? orders.bearing(keyed)
  if (order !== undefined) {
    return { row: rowOf(state, order), answer: answerOf(order, true), isUntold: isUntold(order) }
  }
  const found = requestUnder(state, keyed, parts)
  if (found !== undefined) return found
  mustHaveCompared(state)
  const refused = refusedUnder(state, keyed)
  if (refused !== undefined) return { request: refused, isUntold: false }
  throw new ServiceError('UNKNOWN_ORDER', `委托 ${id} 不存在${NOTHING_CAME}`)
}

const NOTHING_CAME =
  '：没有以此编号或键到达的请求；若请求可能仍在途中，换用新键之前请先以 POST …/orders/<键>/withdraw 作废此键 (no such order: no request has come under this number or key. Where it may still be on its way, withdraw the key by POST …/orders/<key>/withdraw before another one is used)'

/** What was taken under the key: several orders, one that still waits, or one of the simulation. */
function requestUnder(
  state: AccountState,
  key: string,
  parts: readonly string[] | undefined,
): FoundByKey | undefined {
  const batch = batchUnder(state, key)
  if (batch !== undefined) return ofBatch(state, key, batch)
  const queued = queuedUnder(state, key)
  if (queued !== undefined) {
    const waits = { ...tally(ONE, [], [queued]), clientOrderId: key, orders: [], refusals: [] }
    return { request: { ...waits, state: 'queued', code: null }, isUntold: false }
  }
  if (amendedUnder(state, key) !== undefined) {
    return { request: { ...none(key, CANCELING), state: 'canceling', code: null }, isUntold: false }
  }
  if (state.simulation?.answers.has(key) === true)
    return ofOrders(state, key, { ids: [key], ...ONE })
  const recovered = recoveredParts(state, parts).map(({ clientOrderId }) => clientOrderId)
  if (recovered.length === 0) return undefined
  return ofOrders(state, key, { ids: recovered, total: recovered.length, refusals: [OTHERS_LOST] })
}

const ONE = { total: 1, refusals: [] }
const CANCELING =
  '原委托正在撤单，撤成后才报出此委托 (the order before it is being canceled; this one is sent after it)'

const ofBatch = (state: AccountState, key: string, batch: Batch): FoundByKey =>
  ofOrders(state, key, { ids: batch.clientOrderIds, waiting: batch.queued ?? [], ...batch })

interface Parts {
  readonly ids: readonly string[]
  /** Of those that wait for their turn. */
  readonly waiting?: readonly string[]
  readonly total: number
  readonly refusals: readonly string[]
}

function ofOrders(
  state: AccountState,
  key: string,
  { ids, waiting = [], total, refusals }: Parts,
): FoundByKey {
  const found = ids.flatMap((id) => partOf(state, id))
  const queued = waiting.flatMap((id) => queuedUnder(state, id) ?? [])
  const answers = found.map(({ answer }) => answer)
  const request: FoundRequest = {
    ...tally({ total, refusals }, answers, queued),
    clientOrderId: key,
    state: queued.length > 0 ? 'queued' : found.length > 0 ? 'sent' : 'refused',
    code: null,
    orders: found,
    refusals,
  }
  const records = ids.flatMap((id) => state.orders.bearing(id) ?? [])
  return { request, isUntold: records.some(isUntold) }
}

function partOf(state: AccountState, id: string): FoundPart | readonly [] {
  const order = state.orders.bearing(id)
  if (order !== undefined) return { answer: answerOf(order, true), row: rowOf(state, order) }
  const simulated = state.simulation?.answers.get(id)
  return simulated === undefined ? [] : { answer: { ...simulated.answer, replayed: true } }
}

/** What a refusal that is kept means: the same request is refused again, and nothing was sent. */
function refusedUnder({ denials }: AccountState, key: string): FoundRequest | undefined {
  const kept = denials.get(key)
  if (kept === undefined) return undefined
  const { code, message } = kept
  const is = isWithdrawnKey(kept) ? 'withdrawn' : 'refused'
  return { ...none(key, message), state: is, code, refusals: [message] }
}

const none = (clientOrderId: string, message: string) => ({
  clientOrderId,
  successCount: 0,
  totalCount: 1,
  message,
  orders: [],
  refusals: [],
})

const rowOf = (state: AccountState, order: OrderRecord) =>
  orderRow(order, nameOf(state, order.code))
const isUntold = ({ untoldMs }: OrderRecord): boolean => untoldMs !== undefined
