import type { Money, Price, Quantity } from '../../../domain/money.ts'
import type { OrderRecord, Side } from '../../../domain/order.ts'
import type {
  GridOrderPlan,
  GridSignal,
  GuardRefusal,
  PlanRefusal,
} from '../../../strategy/grid/plan.ts'
import type { GridSession } from '../../../strategy/grid/session.ts'
import type { GridOrder } from '../../model/grid-book.ts'
import {
  type DoorTerms,
  type IntentOutcome,
  type OrderIntent,
  submitIntent,
} from '../../orders/order-intent.ts'
import type { Turn } from '../../turn/turn.ts'
import { bookFills } from './booking.ts'
import { type PlannedOrder, planned } from './planned.ts'

/** A signal of a session with the crossing behind it. */
export interface Crossing extends GridSignal {
  readonly level: number
  readonly peakPrice: Price
  readonly valleyPrice: Price
  readonly callbackPpm: number
  /** The canceled order whose place the new one takes. */
  readonly follows?: { readonly order: OrderRecord; readonly attempt: number }
}

/** Fills of a grid bear the number of their order, also simulated ones. */
const TERMS: DoorTerms = { simulatedPrefix: 'GRID_SIM' }

/** Guards and plan of the grid, then the door. The order is registered with the grid in its own commit. */
export function execute(turn: Turn, session: GridSession, crossing: Crossing): IntentOutcome {
  const isReorder = crossing.follows !== undefined
  const order = planned(turn.state, turn.inputs, session, { signal: crossing, isReorder })
  if ('refused' in order) return refusedBy(order.refused)
  const outcome = submitIntent(turn, intentOf(turn, session, { crossing, order }))
  if (outcome.kind === 'sent') register(turn, session, { ...outcome, crossing, plan: order.plan })
  return outcome
}

const refusedBy = (code: GuardRefusal | PlanRefusal): IntentOutcome => ({
  kind: 'refused',
  refusal: { code, message: code, isPassing: false },
})

function intentOf(
  turn: Turn,
  session: GridSession,
  { crossing, order }: { readonly crossing: Crossing; readonly order: PlannedOrder },
): OrderIntent {
  const { follows, side, triggerPrice } = crossing
  return {
    code: session.code,
    side,
    quantity: order.plan.quantity,
    priceType: order.priceType,
    price: order.price,
    strategy: turn.state.policy.grid.strategyName,
    source: 'grid',
    signalPrice: triggerPrice,
    follows: follows?.order,
    terms: TERMS,
  }
}

interface Planning {
  readonly crossing: Crossing
  readonly plan: GridOrderPlan
}
type Sent = Planning & Extract<IntentOutcome, { kind: 'sent' }>

/** With its crossing, and in simulation mode with the fills that it has already. */
function register(turn: Turn, session: GridSession, sent: Sent): void {
  const { state, inputs } = turn
  const { clientOrderId, fills, plan } = sent
  const { side, level, triggerPrice, peakPrice, valleyPrice, callbackPpm, follows } = sent.crossing
  turn.emit({
    kind: 'gridOrderPlaced',
    coolingFromMs: inputs.nowMs - state.policy.grid.levelCooldownMs,
    order: {
      clientOrderId,
      sessionId: session.id,
      code: session.code,
      side,
      requested: plan.quantity,
      level,
      triggerPrice,
      reservedPrice: plan.reservedPrice,
      peakPrice,
      valleyPrice,
      callbackPpm,
      attempt: follows === undefined ? 0 : follows.attempt + 1,
      parent: follows?.order.clientOrderId ?? '',
      placedMs: inputs.nowMs,
      bookedQuantity: 0 as Quantity,
      bookedAmount: 0 as Money,
      isReorderWanted: false,
      isClosed: false,
    },
  })
  if (fills === undefined) return
  bookFills(turn, clientOrderId, fills)
  turn.emit({ kind: 'gridOrderClosed', clientOrderId, outcome: 'filled' })
}

/** Whether an order of the session on this side is not finished. */
export const hasOpenOrder = (orders: readonly GridOrder[], side: Side): boolean =>
  orders.some((order) => order.side === side)
