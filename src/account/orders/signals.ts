import { POLICY, type ServiceError } from '../../domain/errors.ts'
import type { StockCode } from '../../domain/instrument.ts'
import type { Price, Quantity } from '../../domain/money.ts'
import {
  isCaughtUp,
  type OrderChain,
  type OrderRecord,
  PRICE_TYPE,
  type Side,
  type SignalType,
} from '../../domain/order.ts'
import { isOpen } from '../../domain/order-state.ts'
import { rulesFor } from '../../domain/rules.ts'
import type { Turn } from '../turn/turn.ts'
import { approve, freeShares } from './approval.ts'
import { sendCancel } from './cancels.ts'
import { freshId } from './fresh-id.ts'
import { submit } from './orders.ts'
import { chainRest, overdue, reorderPrice, strategyOf, trackedOrders } from './pending.ts'

/** What a strategy wants done. */
export interface Signal {
  readonly signalType: SignalType
  readonly code: StockCode
  readonly side: Side
  readonly quantity: Quantity
  readonly priceType: number
  /** 0 unless the price type takes one. */
  readonly price: Price
  /** Price at which the wish arose; 0 = none. */
  readonly signalPrice: Price
}

/**
 * The strategies' door: one order for one wish, followed until the wish is fulfilled or given up.
 * Nothing is sent while an earlier order of a signal on the same stock and side is not finished,
 * nor right after the counter has refused one.
 * Returns the client order id, or undefined when it was not sent.
 */
export function submitSignal(turn: Turn, signal: Signal): string | undefined {
  const { signalPrice, ...order } = signal
  const { code, side, quantity } = order
  const earlier = trackedOrders(turn.state).find(
    (tracked) => tracked.code === code && tracked.side === side,
  )
  if (earlier !== undefined) {
    turn.warn(`${signal.signalType} ${code}: order ${earlier.clientOrderId} is not finished`)
    return undefined
  }
  if (wasJustRefused(turn, signal)) {
    turn.warn(`${signal.signalType} ${code}: the counter refused the last one a moment ago`)
    return undefined
  }
  const clientOrderId = freshId(turn)
  const chain: OrderChain = {
    rootClientOrderId: clientOrderId,
    targetQuantity: quantity,
    attempt: 0,
    follows: '',
    signalPrice,
  }
  const refusal = send(turn, { ...order, clientOrderId }, chain)
  if (refusal === undefined) return clientOrderId
  turn.warn(`${signal.signalType} ${code} not sent: ${refusal.message}`)
  return undefined
}

/**
 * The counter refused an order of a signal on this stock and side, and no newer report of the
 * holdings can have come: the same wish would be refused again, and again, as fast as it answers.
 */
function wasJustRefused({ state, inputs }: Turn, { code, side }: Signal): boolean {
  const sinceMs = inputs.nowMs - state.policy.limits.positionQueryIntervalMs
  return [...state.orders.values()].some(
    (order) =>
      order.signalType !== undefined &&
      order.status === 'rejected' &&
      order.code === code &&
      order.side === side &&
      order.updatedMs > sinceMs,
  )
}

type Wish = Omit<Signal, 'signalPrice'> & { readonly clientOrderId: string }

function send(
  turn: Turn,
  { signalType, ...order }: Wish,
  chain: OrderChain,
): ServiceError | undefined {
  const strategy = strategyOf(signalType, chain.attempt)
  const approved = approve(turn, { ...order, requestHash: '', strategy, source: strategy })
  if (!approved.ok) return approved.error
  submit(turn, approved.value, { signalType, chain })
  return undefined
}

/**
 * After every input, while the trading client answers: orders of signals whose time is up are
 * canceled, and the rest of those that are canceled is sent again once all their fills are known.
 */
export function tendSignals(turn: Turn): void {
  const { state, inputs } = turn
  if (state.tracked.size === 0 || !state.isReady) return
  for (const order of overdue(state, inputs.nowMs)) cancelOverdue(turn, order)
  for (const order of trackedOrders(state)) {
    if (order.isReorderWanted !== true || isOpen(order.status)) continue
    // The counter may have filled more than its deals have told: sending the rest now could be too much.
    if (isCaughtUp(order)) reorder(turn, order)
  }
}

function cancelOverdue(turn: Turn, order: OrderRecord): void {
  const { clientOrderId } = order
  const isReorder = turn.state.policy.pending.isAutoReorder
  turn.emit({
    kind: 'orderMoved',
    clientOrderId,
    event: 'requestCancel',
    orderId: '',
    message: '',
    source: 'pending_timeout',
    ...(isReorder && { isReorderWanted: true as const }),
  })
  sendCancel(turn, order, { isPersistent: true })
}

function reorder(turn: Turn, order: OrderRecord): void {
  const { state } = turn
  const { chain, signalType } = order
  if (chain === undefined || signalType === undefined) return
  const plan = planOf(turn, order, chain)
  if ('dropped' in plan) return drop(turn, order, plan.dropped)
  if (isHeld(turn, order, plan)) return
  const wish: Wish = {
    clientOrderId: freshId(turn),
    signalType,
    code: order.code,
    side: order.side,
    quantity: plan.quantity,
    priceType: PRICE_TYPE.limit,
    price: plan.price,
  }
  const next = { ...chain, attempt: chain.attempt + 1, follows: order.clientOrderId }
  const refusal = send(turn, wish, next)
  if (refusal === undefined) state.reorderTries.delete(order.clientOrderId)
  else if (!isTriedLater(turn, order, refusal)) drop(turn, order, refusal.message)
}

/** A refusal that may pass by itself is asked about again, a few times, by the market clock. */
function isTriedLater(turn: Turn, { clientOrderId }: OrderRecord, refusal: ServiceError): boolean {
  const { reorderTries, policy } = turn.state
  const { triesMax, retryIntervalMs } = policy.pending
  const count = (reorderTries.get(clientOrderId)?.count ?? 0) + 1
  if (POLICY[refusal.code].retry === 'never' || count >= triesMax) return false
  reorderTries.set(clientOrderId, { count, nextMs: turn.inputs.nowMs + retryIntervalMs })
  return true
}

interface Order {
  readonly quantity: Quantity
  readonly price: Price
}
type Plan = Order | { readonly dropped: string }

function planOf({ state, inputs }: Turn, order: OrderRecord, chain: OrderChain): Plan {
  const { reordersMax, priceMode } = state.policy.pending
  // What a filled, refused or expired order leaves over is not sent again, nor that of another day.
  if (order.status !== 'canceled') return { dropped: `the order ended as ${order.status}` }
  if (order.day !== state.day) return { dropped: 'its day is over' }
  const quantity = orderable(order, chainRest(state, order), state.day)
  if (quantity === 0) return { dropped: 'nothing is left to send' }
  if (chain.attempt >= reordersMax) return { dropped: `sent again ${chain.attempt} times already` }
  const { side } = order
  const { signalPrice } = chain
  const price = reorderPrice(priceMode, { side, signalPrice }, inputs.quote(order.code))
  return price === 0 ? { dropped: 'no usable price' } : { quantity, price }
}

/** A purchase goes in whole lots; a sale may end with an odd remainder. */
function orderable({ code, side }: OrderRecord, rest: number, day: string): Quantity {
  if (side === 'sell') return rest as Quantity
  const { lotMin, lotStep } = rulesFor(code, day) ?? { lotMin: 100, lotStep: 100 }
  const whole = rest - (rest % lotStep)
  return (whole < lotMin ? 0 : whole) as Quantity
}

/** The last refusal is too fresh, something on this stock and side is in doubt, or the counter is not free yet. */
function isHeld(turn: Turn, order: OrderRecord, plan: Order): boolean {
  const { state, inputs } = turn
  const tried = state.reorderTries.get(order.clientOrderId)
  if (tried !== undefined && inputs.nowMs < tried.nextMs) return true
  const isDoubtful = [...state.orders.doubtful()].some(
    ({ code, side }) => code === order.code && side === order.side,
  )
  if (isDoubtful) return true
  // What the canceled order had frozen is free again only with the next report, which is on its way.
  const isLate = inputs.nowMs >= order.updatedMs + state.policy.pending.timeoutMs
  return !isLate && !isAffordable(turn, order, plan)
}

function isAffordable({ state }: Turn, { code, side }: OrderRecord, plan: Order): boolean {
  if (side === 'sell') return freeShares(state, code) >= plan.quantity
  return (state.asset?.available ?? 0) >= plan.quantity * plan.price
}

function drop(turn: Turn, { clientOrderId }: OrderRecord, reason: string): void {
  turn.state.reorderTries.delete(clientOrderId)
  turn.emit({ kind: 'reorderDropped', clientOrderId, reason })
  turn.warn(`order ${clientOrderId} is not sent again: ${reason}`)
}
