import type { StockCode } from '../../../domain/instrument.ts'
import type { OrderRecord } from '../../../domain/order.ts'
import { isOpen } from '../../../domain/order-state.ts'
import type { AccountState } from '../../model/state.ts'
import { freeShares } from '../../orders/available.ts'
import { isStopHeld } from '../../orders/selling-out.ts'
import type { Turn } from '../../turn/turn.ts'
import { memoryOf } from './memory.ts'

export const isTakeProfit = ({ signalType }: OrderRecord): boolean =>
  signalType === 'take_profit_half' || signalType === 'take_profit_full'

/** A take-profit gives way: its rest is not sent again while a stop-loss waits for its end. */
export const givesWay = (turn: Turn, order: OrderRecord): boolean =>
  turn.state.policy.stopProfit.isTakeProfitReplaced &&
  isTakeProfit(order) &&
  isStopHeld(turn.state, turn.inputs, order.code)

/**
 * After every input: remembers of sales that kept a stop-loss back that they have ended, and when; and has the
 * stocks judged whose shares need not be waited for any more.
 */
export function noteFreed(turn: Turn): void {
  for (const { event } of turn.events) {
    if (event.kind !== 'orderMoved' && event.kind !== 'orderReported') continue
    const order = turn.state.orders.get(event.clientOrderId)
    const wasOpen = event.before !== undefined && isOpen(event.before)
    if (order !== undefined && wasOpen && !isOpen(order.status)) noteEnd(turn, order)
  }
  const { state, inputs, stirred } = turn
  const { freed } = memoryOf(state)
  for (const code of freed.keys()) {
    if (awaitsSharesMs(state, code, inputs.nowMs) !== undefined) continue
    freed.delete(code)
    stirred.add(code)
  }
}

/** Of one that was filled the report of the holding is waited for, as after any fill. */
function noteEnd(turn: Turn, order: OrderRecord): void {
  const { state, inputs } = turn
  const { freed } = memoryOf(state)
  const held = state.heldStops.get(order.code)
  // One whose rest is sent again, at once or later, goes on instead.
  const isOver = order.isReorderWanted !== true && !state.orders.hasOpen(order.code)
  const gaveWay = order.isReplaced === true || (held !== undefined && isOver)
  const isAnothers = order.signalType === undefined && order.side === 'sell'
  if (!(isTakeProfit(order) || isAnothers) || !gaveWay || order.status === 'filled') return
  const { pending, limits } = state.policy
  freed.set(order.code, {
    at: turn.tick().at,
    listedMs: inputs.nowMs + limits.holdingsLagMs,
    untilMs: inputs.nowMs + pending.timeoutMs,
    held: held?.orders.includes(order.clientOrderId) ? held : undefined,
  })
}

/** Shares that these orders have filled together. */
export const filledOf = ({ orders }: AccountState, ids: readonly string[]): number =>
  ids.reduce((sum, id) => sum + (orders.get(id)?.filledQuantity ?? 0), 0)

/**
 * When the shares of an ended sale are looked for again, epoch ms; undefined when nothing is waited for.
 * A list that is behind would show but a part of them, and the stop-loss would be split in two.
 */
export function awaitsSharesMs(
  state: AccountState,
  code: StockCode,
  nowMs: number,
): number | undefined {
  const freed = memoryOf(state).freed.get(code)
  if (freed === undefined || nowMs >= freed.untilMs) return undefined
  const { held, at, listedMs, untilMs } = freed
  if (held !== undefined) {
    const filled = filledOf(state, held.orders) - held.filled
    if (freeShares(state, code) >= held.whole - filled) return undefined
  }
  if (nowMs < listedMs) return listedMs
  const listedAt = state.shares.get(code)?.listed?.at ?? 0
  if (listedAt > at) return undefined
  return Math.min(untilMs, nowMs + state.policy.limits.positionQueryIntervalMs)
}
