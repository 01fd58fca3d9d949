import type { Price, Quantity } from '../../domain/money.ts'
import { isCaughtUp, isNamed, type OrderRecord } from '../../domain/order.ts'
import { isOpen } from '../../domain/order-state.ts'
import { isInClosingAuction } from '../../domain/rules.ts'
import { nextOpenMs, opensAgainToday, sessionAt } from '../../domain/session.ts'
import type { AccountState } from '../model/state.ts'
import type { Turn } from '../turn/turn.ts'
import { freeCash, freeShares } from './available.ts'
import { sendCancel } from './cancels.ts'
import type { IntentOutcome } from './order-intent.ts'

/** How the orders of one strategy are followed from the moment they are sent until nothing more follows from them. */
export interface FollowUpPolicy {
  /** Client order ids of the orders that are not finished with, the oldest first. */
  readonly working: (state: AccountState) => ReadonlySet<string>
  /** How long an order may wait, milliseconds of the market clock; Infinity = for ever. */
  readonly timeLimitMs: (state: AccountState, order: OrderRecord) => number
  /** Whether an order that has fills is canceled for its age. */
  readonly isFilledCanceled: boolean
  /** Who cancels it then, in the journal. */
  readonly timeoutSource: string
  /** Whether a cancel at this moment could help nothing, so that the order keeps its place in the queue. */
  readonly keepsPlace?: (turn: Turn, order: OrderRecord) => boolean
  /** Before that cancel: whether the order is to be marked as one whose rest is sent again. */
  readonly timedOut: (turn: Turn, order: OrderRecord) => boolean
  /** Who wants an order canceled whatever its age; undefined = nobody. */
  readonly cancelSource?: (state: AccountState, order: OrderRecord) => string | undefined
  /** An order has ended and all its fills are known: books what is not booked yet. */
  readonly book?: (turn: Turn, order: OrderRecord) => void
  /** What of an ended order is to be sent again; undefined = nothing was ever to be. */
  readonly restOf: (turn: Turn, order: OrderRecord) => Rest | undefined
  /** How long a rest waits for the cash or shares that its canceled order had frozen. */
  readonly freezeMs: (state: AccountState) => number
  /** Tries of a rest that is refused for now, and the market time between two. */
  readonly retry: (state: AccountState) => {
    readonly triesMax: number
    readonly intervalMs: number
  }
  /** Sends it, by the door. */
  readonly resubmit: (turn: Turn, order: OrderRecord, rest: RestOrder) => IntentOutcome
  /** Nothing more follows from the order. */
  readonly ended: (turn: Turn, order: OrderRecord, ending: Ending) => void
}

/** What is still to be had, and the price at which it takes cash. */
export interface RestOrder {
  readonly quantity: Quantity
  readonly price: Price
}
/** What becomes of a rest that was to be sent again: an order, nothing any more, or nothing yet. */
export type Rest = RestOrder | { readonly dropped: string } | 'later'

/** There was nothing to send again, it was sent, or it is given up. */
export type Ending =
  | { readonly kind: 'over' | 'resubmitted' }
  | { readonly kind: 'dropped'; readonly reason: string }

/**
 * After every input: orders whose time is up are canceled, and the rest of those that are canceled
 * is sent again once all their fills are known. No cancel is asked of a broker that is away.
 */
export function followUp(turn: Turn, policy: FollowUpPolicy): void {
  const working = policy.working(turn.state)
  if (working.size === 0) return
  const ids = [...working]
  for (const id of ids) watchAge(turn, policy, turn.state.orders.get(id))
  for (const id of ids) seeOff(turn, policy, turn.state.orders.get(id))
}

/** Orders of signals that are not finished with, the oldest first. */
export const trackedOrders = (state: AccountState): readonly OrderRecord[] =>
  [...state.tracked].flatMap((id) => state.orders.get(id) ?? [])

/**
 * The next moment of the market clock at which something is to be done; Infinity when there is none.
 * What was due at `nowMs` was done then, and is checked again after every input.
 */
export function nextFollowUpMs(state: AccountState, nowMs: number, policy: FollowUpPolicy): number {
  let next = Number.POSITIVE_INFINITY
  const consider = (timeMs: number) => {
    if (timeMs > nowMs) next = Math.min(next, timeMs)
  }
  for (const id of policy.working(state)) {
    const order = state.orders.get(id)
    if (order !== undefined) consider(timeIsUpMs(state, policy, order))
    // Nothing is sent while nobody is connected, and that it is over is an input.
    if (order !== undefined && state.isReady && mayLeaveRest(order)) {
      consider(nextLookMs(state, policy, { order, nowMs }))
    }
    consider(state.reorderTries.get(id)?.nextMs ?? nowMs)
  }
  return next
}

const mayLeaveRest = (order: OrderRecord): boolean => !isOpen(order.status) && isCaughtUp(order)

/**
 * What a rest waits for may come without an input of the account, as a quote does within its band. Counted from the end of
 * its order, so that a replay finds the same moments again, whatever else the account is asked.
 */
function nextLookMs(
  state: AccountState,
  policy: FollowUpPolicy,
  { order, nowMs }: { readonly order: OrderRecord; readonly nowMs: number },
): number {
  if (isMarketClosed(state, nowMs)) return nextOpenMs(nowMs)
  const { intervalMs } = policy.retry(state)
  if (intervalMs === 0) return nowMs
  const looks = Math.floor((nowMs - order.updatedMs) / intervalMs) + 1
  return order.updatedMs + looks * intervalMs
}

/** Market time from which an order has waited too long; Infinity when it may wait. */
export function timeIsUpMs(
  state: AccountState,
  policy: FollowUpPolicy,
  order: OrderRecord,
): number {
  const isFilled = order.filledQuantity > 0 || (order.venueFilledQuantity ?? 0) > 0
  const isWatched = mayCancel(state, order) && (policy.isFilledCanceled || !isFilled)
  if (!isWatched) return Number.POSITIVE_INFINITY
  const firstMs = order.createdMs + policy.timeLimitMs(state, order)
  return Math.max(firstMs, state.nextLooks.get(order.clientOrderId) ?? firstMs)
}

/**
 * When an order is canceled for its age at the latest, if that helps then: with the first of its looks at which the
 * exchange takes a cancel. Infinity when none comes any more on its day.
 */
export function canceledByMs(
  state: AccountState,
  policy: FollowUpPolicy,
  order: OrderRecord,
): number {
  const upMs = timeIsUpMs(state, policy, order)
  if (!Number.isFinite(upMs)) return upMs
  const limitMs = policy.timeLimitMs(state, order)
  let lookMs = upMs
  while (isMarketClosed(state, lookMs) || isBarred(state, order, lookMs)) {
    if (!opensAgainToday(lookMs)) return Number.POSITIVE_INFINITY
    lookMs = lookAfterMs(order, { limitMs, nowMs: nextOpenMs(lookMs) - 1 })
  }
  return lookMs
}

/** When its time limit has passed once more. */
function lookAfterMs(
  { createdMs }: OrderRecord,
  { limitMs, nowMs }: { readonly limitMs: number; readonly nowMs: number },
): number {
  const everyMs = Math.max(1, limitMs)
  return createdMs + (Math.floor((nowMs - createdMs) / everyMs) + 1) * everyMs
}

/**
 * An order that keeps its place is looked at again when its time limit has passed once more, and not with
 * every input before: a replay must find the same moments again, whatever else the account is asked.
 */
function lookLater(turn: Turn, policy: FollowUpPolicy, order: OrderRecord): void {
  const { state, inputs } = turn
  const { nextLooks, orders } = state
  for (const id of [...nextLooks.keys()]) {
    if (!isOpen(orders.get(id)?.status ?? 'expired')) nextLooks.delete(id)
  }
  const limitMs = policy.timeLimitMs(state, order)
  nextLooks.set(order.clientOrderId, lookAfterMs(order, { limitMs, nowMs: inputs.nowMs }))
}

/** Taken by the broker, not about to end, and not left to a person. What is in doubt is not canceled. */
export const mayCancel = ({ cancels, cancelsGivenUp }: AccountState, order: OrderRecord): boolean =>
  isNamed(order) &&
  (order.status === 'accepted' || order.status === 'partiallyFilled') &&
  !cancels.has(order.clientOrderId) &&
  !cancelsGivenUp.has(order.clientOrderId)

function watchAge(turn: Turn, policy: FollowUpPolicy, order: OrderRecord | undefined): void {
  const { state, inputs } = turn
  if (order === undefined || !state.isReady || !mayCancel(state, order)) return
  const source = policy.cancelSource?.(state, order)
  if (source !== undefined) return cancel(turn, order, { source, isRestWanted: false })
  if (timeIsUpMs(state, policy, order) > inputs.nowMs) return
  const isKept =
    isMarketClosed(state, inputs.nowMs) ||
    isBarred(state, order, inputs.nowMs) ||
    policy.keepsPlace?.(turn, order) === true
  if (isKept) return lookLater(turn, policy, order)
  const isRestWanted = policy.timedOut(turn, order)
  cancel(turn, order, { source: policy.timeoutSource, isRestWanted })
}

/** Nothing waits in vain then, and nothing may be sent instead: its place in the queue would be given up for nothing. */
export const isMarketClosed = ({ policy }: AccountState, nowMs: number): boolean =>
  !policy.isAlwaysOpen && sessionAt(nowMs) === 'closed'

/** A cancel would be refused until the tries are used up, and a person asked to do what nobody can. */
const isBarred = ({ policy }: AccountState, { code }: OrderRecord, nowMs: number): boolean =>
  !policy.isAlwaysOpen && isInClosingAuction(code, nowMs)

/** Whether a cancel of the order makes sense at this moment. */
export const canEnd = (state: AccountState, order: OrderRecord, nowMs: number): boolean =>
  mayCancel(state, order) && !isBarred(state, order, nowMs)

/** It works, and nobody here can end it: the tries are used up, or the exchange takes no cancel now. */
export const isStuck = (state: AccountState, order: OrderRecord, nowMs: number): boolean =>
  (order.status === 'accepted' || order.status === 'partiallyFilled') &&
  (state.cancelsGivenUp.has(order.clientOrderId) ||
    (mayCancel(state, order) && isBarred(state, order, nowMs)))

interface Cancel {
  /** Who wants it, in the journal. */
  readonly source: string
  readonly isRestWanted: boolean
  /** Another order takes its place. */
  readonly isReplaced?: boolean
}

/** The intent to cancel is durable first; the machinery of cancels sees to it, over a restart too. */
export function cancel(
  turn: Turn,
  order: OrderRecord,
  { source, isRestWanted, isReplaced = false }: Cancel,
): void {
  turn.moveOrder(order.clientOrderId, 'requestCancel', {
    source,
    ...(isRestWanted && { isReorderWanted: true as const }),
    ...(isReplaced && { isReplaced: true as const }),
  })
  sendCancel(turn, order, { isPersistent: true })
}

function seeOff(turn: Turn, policy: FollowUpPolicy, order: OrderRecord | undefined): void {
  // The counter may have filled more than its deals have told: sending the rest now could be too much.
  if (order === undefined || isOpen(order.status) || !isCaughtUp(order)) return
  policy.book?.(turn, order)
  const rest = policy.restOf(turn, order)
  if (rest === undefined) return policy.ended(turn, order, { kind: 'over' })
  if (rest === 'later') return
  if ('dropped' in rest) return drop(turn, policy, { order, reason: rest.dropped })
  if (isDeferred(turn, policy, { order, rest })) return
  resubmit(turn, policy, { order, rest })
}

/** Whether the end of an order tells of a part, and a list of deals is still to say how much: its rest waits for that. */
export const isPartSought = (
  { partEnds }: AccountState,
  { clientOrderId }: Pick<OrderRecord, 'clientOrderId'>,
): boolean => partEnds.has(clientOrderId)

interface Resubmission {
  readonly order: OrderRecord
  readonly rest: RestOrder
}

/** The last refusal is too fresh, or the broker is not free yet. */
function isDeferred(turn: Turn, policy: FollowUpPolicy, again: Resubmission): boolean {
  const { state, inputs } = turn
  const { order, rest } = again
  const { nowMs } = inputs
  const tried = state.reorderTries.get(order.clientOrderId)
  if (tried !== undefined && nowMs < tried.nextMs) return true
  // What the canceled order had frozen is free again only with the next report, which is on its way.
  if (nowMs >= order.updatedMs + policy.freezeMs(state)) return false
  return order.side === 'sell'
    ? freeShares(state, order.code) < rest.quantity
    : (freeCash(turn) ?? 0) < rest.quantity * rest.price
}

function resubmit(turn: Turn, policy: FollowUpPolicy, { order, rest }: Resubmission): void {
  const { reorderTries } = turn.state
  const { clientOrderId } = order
  const outcome = policy.resubmit(turn, order, rest)
  if (outcome.kind === 'sent') {
    reorderTries.delete(clientOrderId)
    return policy.ended(turn, order, { kind: 'resubmitted' })
  }
  const { code, isPassing, message, untilMs } = outcome.refusal
  const tried = reorderTries.get(clientOrderId)?.count ?? 0
  // Only the second is full: that is no try, and it has the next place.
  if (code === 'ORDER_RATE' && untilMs !== undefined) {
    reorderTries.set(clientOrderId, { count: tried, nextMs: untilMs })
    return
  }
  const { triesMax, intervalMs } = policy.retry(turn.state)
  const count = tried + 1
  // A refusal that may pass by itself is asked about again, a few times, by the market clock.
  if (isPassing && count < triesMax) {
    reorderTries.set(clientOrderId, { count, nextMs: turn.inputs.nowMs + intervalMs })
  } else drop(turn, policy, { order, reason: message })
}

function drop(
  turn: Turn,
  policy: FollowUpPolicy,
  { order, reason }: { readonly order: OrderRecord; readonly reason: string },
): void {
  turn.state.reorderTries.delete(order.clientOrderId)
  policy.ended(turn, order, { kind: 'dropped', reason })
  turn.warn(`order ${order.clientOrderId} is not sent again: ${reason}`)
}
