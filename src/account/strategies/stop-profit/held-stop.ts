import type { StockCode } from '../../../domain/instrument.ts'
import type { Price, Quantity } from '../../../domain/money.ts'
import { type OrderRecord, PRICE_TYPE } from '../../../domain/order.ts'
import { isOpen } from '../../../domain/order-state.ts'
import type { Position } from '../../../domain/position.ts'
import { firstRefusal } from '../../../domain/risk.ts'
import type { Quote } from '../../../ports/quotes.port.ts'
import type { Gates } from '../../../strategy/stop-profit/gates.ts'
import { evaluateStopProfit } from '../../../strategy/stop-profit/stop-profit.ts'
import type { PassPolicy } from '../../../strategy/stop-profit/stop-profit-pass.ts'
import type { StopLossSignal } from '../../../strategy/stop-profit/stop-profit-signal.ts'
import { stopPrice } from '../../../strategy/stop-profit/trigger-prices.ts'
import { validateSignal } from '../../../strategy/stop-profit/validate-signal.ts'
import { leavesOf } from '../../model/order-book.ts'
import { riskInput } from '../../orders/approval.ts'
import { cancel, canEnd, timeIsUpMs, trackedOrders } from '../../orders/follow-up.ts'
import { largestProtective } from '../../orders/largest-protective.ts'
import type { Turn } from '../../turn/turn.ts'
import { followSignals } from './follow-up.ts'
import { awaitsSharesMs, filledOf, isTakeProfit } from './give-way.ts'
import { memoryOf } from './memory.ts'

/** The order of a signal that keeps the other signals of its stock back. */
export interface HeldBy {
  readonly clientOrderId: string
  /** The broker's number; empty while it is not known. */
  readonly orderId: string
  readonly strategy: string
  /** When its time is up at the latest, by the market clock; absent where nobody ends it. */
  readonly untilMs?: number
  /** So often has it been sent again that it is not canceled for its age any more. */
  readonly isLast: boolean
  /** A stop-loss would be sent now, were it not for this order. */
  readonly isStopHeld: boolean
}

interface Judged {
  readonly position: Position
  readonly quote: Quote
}

/**
 * What keeps a stock back that is free to be judged but for its own orders, and whether a stop-loss would be
 * sent otherwise. Remembers that one; forgets it when it is not wanted any more.
 */
export function heldBy(
  turn: Turn,
  judged: Judged,
  standing: { readonly gates: Gates; readonly policy: PassPolicy },
): HeldBy | undefined {
  const { state, inputs } = turn
  const { code } = judged.position
  const { heldStops } = state
  const { evaluateAgainMs } = memoryOf(state)
  const order = trackedOrders(state).find((one) => one.code === code)
  // What has ended is known as it was held; its shares are waited for.
  const isAwaited = awaitsSharesMs(state, code, inputs.nowMs) !== undefined
  if (order !== undefined || !isAwaited) heldStops.delete(code)
  if (order === undefined) return undefined
  const { clientOrderId, orderId, strategy, signalType, filledQuantity: filled } = order
  const whole = judged.position.sellable + askedBy(trackedOrders(state), code)
  const signal =
    signalType === 'stop_loss' ? undefined : stopWanted(turn, judged, { ...standing, whole })
  if (signal !== undefined) {
    heldStops.set(code, { threshold: signal.stopPrice, orders: [clientOrderId], whole, filled })
    // A rest that waits gives way with the next look at it, which no other price need bring.
    const lookMs = inputs.nowMs + state.policy.pending.retryIntervalMs
    if (!isOpen(order.status)) evaluateAgainMs.set(code, lookMs)
  }
  const isLast = order.keptFor === 'used_up'
  const untilMs = isLast ? Infinity : timeIsUpMs(state, followSignals, order)
  return {
    clientOrderId,
    orderId,
    strategy,
    ...(Number.isFinite(untilMs) && { untilMs }),
    isLast,
    isStopHeld: signal !== undefined,
  }
}

/** Most looks end here, however many orders are open: `stopWanted` would say no whatever is sellable. */
const isAboveStop = (policy: PassPolicy, { position, quote }: Judged): boolean =>
  position.costPrice <= 0 || quote.lastPrice > stopPrice(policy, position.costPrice)

/** Shares that the open sales among these orders still ask for. */
function askedBy(orders: readonly OrderRecord[], code: StockCode): number {
  let shares = 0
  for (const order of orders) {
    const isSale = order.code === code && order.side === 'sell' && isOpen(order.status)
    if (isSale) shares += leavesOf(order)
  }
  return shares
}

interface Whole {
  readonly gates: Gates
  readonly policy: PassPolicy
  readonly whole: number
}

/** The stop-loss that would be sent, if the shares of the stock's own sales were free. */
function stopWanted(
  { inputs }: Turn,
  { position, quote }: Judged,
  { gates, policy, whole }: Whole,
): StopLossSignal | undefined {
  const { costPrice, quantity } = position
  const sellable = whole as Quantity
  const [, { signal }] = evaluateStopProfit(policy, position, {
    price: quote.lastPrice,
    dayHigh: 0 as Price,
    costPrice,
    quantity,
    sellable,
    gates: { ...gates, isFreeOfOrders: true },
    exitsBeside: new Set(),
  })
  if (signal?.type !== 'stop_loss') return undefined
  const [, fault] = validateSignal(policy, position, {
    waiting: { signal, sinceMs: inputs.nowMs },
    nowMs: inputs.nowMs,
    holding: { quantity, sellable, costPrice },
    hasPendingOrder: false,
  })
  return fault === undefined ? signal : undefined
}

/**
 * `STOP_LOSS_REPLACES_TAKE_PROFIT`: cancels the resting take-profit that keeps a stop-loss back, for good. Only
 * when it is all that keeps it back, and every rule would let the stop-loss pass: a take-profit must not be given
 * up for nothing. The stop-loss itself is sent once the end of the other is known, and its shares are free.
 *
 * Whether it was canceled; `refused` when a rule keeps the stop-loss back, which no event may tell of.
 */
export function replaceTakeProfit(turn: Turn, code: StockCode): 'canceled' | 'refused' | undefined {
  const { state, inputs } = turn
  const held = state.heldStops.get(code)
  if (!state.policy.stopProfit.isTakeProfitReplaced || held === undefined) return undefined
  const [order, ...others] = state.orders.openOf(code)
  if (order === undefined || others.length > 0) return undefined
  if (!isTakeProfit(order) || !canEnd(state, order, inputs.nowMs)) return undefined
  if (!wouldPass(turn, code, held.whole as Quantity)) return 'refused'
  cancel(turn, order, { source: 'stop_loss', isRestWanted: false, isReplaced: true })
  return 'canceled'
}

/**
 * A stop-loss that nothing keeps back but orders of grids and people. Those of grids are withdrawn, for good, when
 * there are no others and every rule would let it pass; it is sent once their end is known and all shares are free,
 * because a list that is behind would split it in two. Returns like {@link replaceTakeProfit}.
 */
export function withdrawGrids(
  turn: Turn,
  judged: Judged,
  standing: { readonly gates: Gates; readonly policy: PassPolicy },
): 'canceled' | 'refused' | undefined {
  const { state, inputs } = turn
  const { code } = judged.position
  const { heldStops } = state
  heldStops.delete(code)
  if (isAboveStop(standing.policy, judged)) return undefined
  const open = [...state.orders.openOf(code)]
  // Of what is in doubt the shares may never be free again.
  const sure = open.filter(({ status }) => status !== 'inDoubt')
  const whole = judged.position.sellable + askedBy(sure, code)
  const signal = sure.length > 0 ? stopWanted(turn, judged, { ...standing, whole }) : undefined
  if (signal === undefined) return undefined
  const orders = sure.map(({ clientOrderId }) => clientOrderId)
  const filled = filledOf(state, orders)
  heldStops.set(code, { threshold: signal.stopPrice, orders, whole, filled })
  const isOfGrid = ({ clientOrderId }: OrderRecord) => state.grid.orders.has(clientOrderId)
  const isOurs = (one: OrderRecord) => canEnd(state, one, inputs.nowMs)
  const inTheWay = sure.filter((one) => isOurs(one) || one.isReorderWanted === true)
  if (inTheWay.length === 0 || !open.every(isOfGrid)) return undefined
  if (!wouldPass(turn, code, whole as Quantity)) return 'refused'
  for (const order of inTheWay) withdraw(turn, order)
  return 'canceled'
}

/** Also of one that is being canceled for its age nothing is sent again. */
function withdraw(turn: Turn, order: OrderRecord): void {
  if (canEnd(turn.state, order, turn.inputs.nowMs)) {
    return cancel(turn, order, { source: 'stop_loss', isRestWanted: false, isReplaced: true })
  }
  const { clientOrderId } = order
  turn.emit({ kind: 'reorderDropped', clientOrderId, reason: 'a stop-loss takes its place' })
}

/** What the rules would say to the stop-loss, with the shares and the terms of what gives way out of its way. */
function wouldPass(turn: Turn, code: StockCode, sellable: Quantity): boolean {
  const terms = { code, priceType: PRICE_TYPE.latest, price: 0 as Price } as const
  const quantity = largestProtective(turn, terms, sellable)
  const order = { ...terms, side: 'sell', quantity, signalType: 'stop_loss' } as const
  const input = riskInput(turn, order, true)
  const free = { sellable, sellableReserved: 0 as Quantity, duplicate: undefined }
  return firstRefusal({ ...input, ...free }) === undefined
}
