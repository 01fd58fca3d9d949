import type { OrderRecord } from '../../domain/order.ts'
import { isOpen } from '../../domain/order-state.ts'
import type { Earlier } from '../../domain/risk-input.ts'
import { isAlike, type Terms } from '../model/order-book.ts'
import { keepNewest } from '../model/simulation.ts'
import type { AccountState } from '../model/state.ts'
import type { Turn } from '../turn/turn.ts'

/** A person's order; strategies remember theirs and leave no hash of a request. */
export const isOfPerson = ({ requestHash }: Pick<OrderRecord, 'requestHash'>): boolean =>
  requestHash !== ''

/** What a person wants, as far as it is known when it is judged; a preview comes without a request. */
export type Wanted = Terms & Partial<Pick<OrderRecord, 'requestHash'>>

/** Orders of people that a new one of theirs may be the repetition of. */
export function repeatedBy(
  { state, inputs }: Turn,
  wanted: Wanted,
): { readonly doubtfulRepeat: Earlier | undefined; readonly untoldRepeat: Earlier | undefined } {
  return {
    doubtfulRepeat: oldest(state.orders.doubtful(), (order) => isSame(order, wanted)),
    untoldRepeat: oldest(
      state.orders.untold(),
      (order) => isSame(order, wanted) && isUntold(state, order, inputs.nowMs),
    ),
  }
}

/** The same for a request that leads to several orders, and to others each time: only the request is the same. */
export const repeatedRequest = (turn: Turn, requestHash: string): Earlier | undefined => {
  const { state, inputs } = turn
  const isIts = (order: OrderRecord) => order.requestHash === requestHash
  return (
    oldest(state.orders.doubtful(), isIts) ??
    oldest(state.orders.untold(), (order) => isIts(order) && isUntold(state, order, inputs.nowMs))
  )
}

function oldest(
  orders: Iterable<OrderRecord>,
  isMeant: (order: OrderRecord) => boolean,
): OrderRecord | undefined {
  for (const order of orders) if (isOfPerson(order) && isMeant(order)) return order
  return undefined
}

/** By its terms, or by the request: a part of what is held is another quantity each time. */
const isSame = (order: OrderRecord, wanted: Wanted): boolean =>
  isAlike(order, wanted) ||
  (order.requestHash === wanted.requestHash &&
    order.code === wanted.code &&
    order.side === wanted.side)

/** Whoever takes an order for failed that came to nothing is right. */
const hasCome = ({ status, filledQuantity, venueFilledQuantity = 0 }: Outcome): boolean =>
  isOpen(status) || filledQuantity > 0 || venueFilledQuantity > 0
type Outcome = Pick<OrderRecord, 'status' | 'filledQuantity'> & {
  readonly venueFilledQuantity?: number
}

function isUntold({ policy }: AccountState, order: OrderRecord, nowMs: number): boolean {
  const { untoldMs, status } = order
  if (untoldMs === undefined || status === 'inDoubt' || !hasCome(order)) return false
  return nowMs - untoldMs < policy.limits.untoldMs
}

/** By the front: which answers got to their callers after all, and which never will. */
export interface Told {
  /** Client order ids, of orders or of requests for several. */
  readonly told: readonly string[]
  readonly untold: readonly string[]
}

/** Takes down who knows what. What is not known yet is remembered, for an order that comes after the news of it. */
export function noteTold(turn: Turn, { told, untold }: Told, source: string): number {
  const { state, inputs } = turn
  for (const key of told) state.untoldKeys.delete(key)
  const learned = told.flatMap((key) => ordersOf(state, key)).filter(isMarked)
  if (learned.length > 0) turn.emit({ kind: 'orderTold', clientOrderIds: idsOf(learned), source })
  const known = untold.map((key) => [key, ordersOf(state, key)] as const)
  for (const [key, orders] of known) {
    if (orders.length > 0) continue
    keepNewest(state.untoldKeys, state.policy.limits.untoldKeysMax, [key, inputs.nowMs])
  }
  const missed = known.flatMap(([, orders]) => orders).filter(isToMark)
  markUntold(turn, missed, source)
  return learned.length + missed.length
}

const idsOf = (orders: readonly OrderRecord[]): readonly string[] =>
  orders.map(({ clientOrderId }) => clientOrderId)
const isMarked = ({ untoldMs }: OrderRecord): boolean => untoldMs !== undefined
/** What whoever asked for it may take for failed, though it is not. */
const isToMark = (order: OrderRecord): boolean =>
  isOfPerson(order) && !isMarked(order) && order.status !== 'inDoubt' && hasCome(order)

/** The order of a key, or those of a request for several. */
function ordersOf({ orders, batches }: AccountState, key: string): readonly OrderRecord[] {
  return [key, ...(batches.get(key)?.clientOrderIds ?? [])].flatMap((id) => {
    const order = orders.bearing(id)
    return order === undefined ? [] : [order]
  })
}

function markUntold(turn: Turn, orders: readonly OrderRecord[], source: string): void {
  if (orders.length === 0) return
  turn.emit({ kind: 'orderUntold', clientOrderIds: idsOf(orders), source })
}

/** Since when an order of this key is untold although it was only sent now. */
export function untoldFrom({ state, inputs }: Turn, key: string): number | undefined {
  const notedMs = state.untoldKeys.get(key)
  if (notedMs === undefined) return undefined
  state.untoldKeys.delete(key)
  // A request that came after so long is another one, by somebody who waits for its answer.
  return inputs.nowMs - notedMs < state.policy.limits.answeredWithinMs ? inputs.nowMs : undefined
}

/** A request for several orders was taken up after the news that its caller will get no answer. */
export function noteLateRequest(turn: Turn, key: string): void {
  if (untoldFrom(turn, key) === undefined) return
  markUntold(turn, ordersOf(turn.state, key).filter(isToMark), SERVICE)
}
export const SERVICE = 'service'

/** When something was last heard of any order, epoch ms of the market clock. */
export const lastNewsMs = ({ orders }: AccountState): number => {
  let lastMs = Number.NEGATIVE_INFINITY
  for (const { updatedMs } of orders.values()) lastMs = Math.max(lastMs, updatedMs)
  return lastMs
}

/**
 * Whoever was to bring answers is gone, and answers on their way with it: those of orders that wait for
 * one, and of all that were sent so shortly before `untilMs` that theirs may have been on its way.
 */
export function answersLost(turn: Turn, untilMs: number, source: string): number {
  const { orders } = turn.state
  const isUnsure = (order: OrderRecord) =>
    isToMark(order) &&
    order.isTold === undefined &&
    (order.status === 'submitted' || isRecent(turn, order, untilMs))
  const unsure = [...orders.values()].filter(isUnsure)
  markUntold(turn, unsure, source)
  return unsure.length
}

/**
 * Whoever was to bring answers ends in good order, and has said which of them did not arrive: all others did. Written down,
 * because the start that comes next could not know it and would take them for lost.
 */
export function answersGiven(turn: Turn, source: string): number {
  const { orders } = turn.state
  const untilMs = lastNewsMs(turn.state)
  const isGiven = (order: OrderRecord) =>
    isToMark(order) &&
    order.isTold === undefined &&
    order.status !== 'submitted' &&
    isRecent(turn, order, untilMs)
  const given = [...orders.values()].filter(isGiven)
  const clientOrderIds = idsOf(given)
  if (given.length > 0) turn.emit({ kind: 'orderTold', clientOrderIds, isForGood: true, source })
  return given.length
}

/** So young that its answer may have been on its way at that moment. */
const isRecent = ({ state }: Turn, { createdMs }: OrderRecord, untilMs: number): boolean =>
  createdMs >= untilMs - state.policy.limits.answeredWithinMs
