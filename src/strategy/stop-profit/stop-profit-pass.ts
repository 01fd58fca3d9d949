import type { Price, Quantity } from '../../domain/money.ts'
import type { Side, SignalType } from '../../domain/order.ts'
import { type AddPolicy, addPosition, scenarioOf } from './add-position.ts'
import { closedGate, type Gates } from './gates.ts'
import { type LotRule, partQuantity, saleQuantity } from './order-size.ts'
import {
  emptied,
  type SignalSlot,
  type SlotPolicy,
  slotAfterFailure,
  waitingSignal,
} from './signal-slot.ts'
import type { StopProfitState } from './stop-profit.ts'
import type { StopProfitSignal } from './stop-profit-signal.ts'
import { type Holding, type ValidationPolicy, validateSignal } from './validate-signal.ts'
import { kindOf, type Verdict, type VerdictCode, verdict } from './verdicts.ts'

export interface PassPolicy extends AddPolicy, ValidationPolicy, SlotPolicy {}

/** What is remembered of a stock between two passes. */
export interface PassState {
  readonly position: StopProfitState
  readonly slot: SignalSlot
}

export interface PassInput {
  readonly nowMs: number
  readonly gates: Gates
  readonly holding: Holding | undefined
  /** Last price; 0 = none. */
  readonly price: Price
  /** Shares that purchases may still add to what the holding shows. */
  readonly coming: Quantity
  readonly rule: LotRule
  /** The most of so many free shares that one sale may be of. */
  readonly largestSale: (sellable: Quantity) => Quantity
  /** A tracked order, or one at the broker, is under way; unknown counts as true. */
  readonly hasPendingOrder: boolean
  /** Exits that it does not keep back: all that is under way is in doubt, and reserved. */
  readonly exitsBeside: ReadonlySet<SignalType>
  readonly isBuyAllowed: boolean
  /** The market data breaker stops purchases; it stops no sale. */
  readonly isBreakerOpen: boolean
  readonly isSellAllowed: boolean
  /** As {@link AddInput} has them. */
  readonly isTotalKnown: () => boolean
  readonly isSimulation: boolean
  readonly lastAddMs: () => number
}

/** The one order of a pass. A waiting signal stays until the order has been taken (`emptied`) or refused (`slotAfterFailure`). */
export interface PassOrder {
  readonly signalType: SignalType
  readonly side: Side
  readonly quantity: Quantity
  /**
   * What is wanted altogether, where one order may not be of all of it and nothing would find the rest again: a first
   * take-profit, of which the next part follows. Other exits are detected anew.
   */
  readonly target?: Quantity
  /** Price at which it arose. */
  readonly signalPrice: Price
}

export interface PassResult {
  /** One per step that was taken, in order; the last one decided. */
  readonly verdicts: readonly Verdict[]
  readonly intent?: PassOrder
}

interface Outcome {
  readonly state: PassState
  readonly verdict: Verdict
  readonly intent?: PassOrder
}
type Step = (policy: PassPolicy, state: PassState, input: PassInput) => Outcome | undefined

/**
 * One look at one stock: execute the waiting signal, or buy more, in the order of the scenario. The
 * first step that leads to an order ends the pass, so there is never more than one.
 *
 * Source  docs/domain.md 5.8–5.11.
 */
export function runPass(
  policy: PassPolicy,
  state: PassState,
  input: PassInput,
): readonly [PassState, PassResult] {
  const closed = closedGate(input.gates)
  // Open orders are judged step by step: a full exit may be allowed beside them.
  if (closed !== undefined && closed !== 'order_open') {
    const isDropped = kindOf(closed) === 'closed'
    const slot = isDropped ? emptied(state.slot) : state.slot
    return [{ ...state, slot }, { verdicts: [verdict(closed)] }]
  }
  const verdicts: Verdict[] = []
  let current = state
  for (const step of STEPS[scenarioOf(policy)]) {
    const outcome = step(policy, current, input)
    if (outcome === undefined) continue
    current = outcome.state
    verdicts.push(outcome.verdict)
    if (outcome.intent !== undefined) return [current, { verdicts, intent: outcome.intent }]
  }
  return [current, { verdicts: verdicts.length > 0 ? verdicts : [verdict('no_signal')] }]
}

const takeProfit: Step = (policy, state, input) => sell(policy, state, { ...input, isStop: false })
const stopLoss: Step = (policy, state, input) => sell(policy, state, { ...input, isStop: true })

const STEPS = {
  add_position_first: [takeProfit, buyMore, stopLoss],
  stop_loss_first: [stopLoss, takeProfit],
} as const satisfies Readonly<Record<ReturnType<typeof scenarioOf>, readonly Step[]>>

function sell(
  policy: PassPolicy,
  state: PassState,
  input: PassInput & { readonly isStop: boolean },
): Outcome | undefined {
  const waiting = waitingSignal(policy, state.slot, input.nowMs)
  if (waiting === undefined || (waiting.signal.type === 'stop_loss') !== input.isStop) {
    return undefined
  }
  const { signal } = waiting
  const hasOrder = input.hasPendingOrder || !input.gates.isFreeOfOrders
  const hasPendingOrder = hasOrder && !input.exitsBeside.has(signal.type)
  const live = { nowMs: input.nowMs, holding: input.holding, hasPendingOrder }
  const [position, fault] = validateSignal(policy, state.position, { waiting, ...live })
  const next = { ...state, position }
  const because = (code: VerdictCode) => verdict(code, { price: signal.price })
  if (fault !== undefined) return notSent(policy, next, { nowMs: input.nowMs, fault })
  if (!input.isSellAllowed) return { state: next, verdict: because('sell_not_permitted') }
  const sellable = input.holding?.sellable ?? (0 as Quantity)
  const wanted = saleQuantity(signal, sellable, input.rule)
  const quantity = Math.min(wanted, input.largestSale(sellable)) as Quantity
  if (quantity <= 0) {
    return notSent(policy, next, { nowMs: input.nowMs, fault: because('nothing_to_sell') })
  }
  const target = targetOf(signal, sellable, input.rule)
  const intent: PassOrder = {
    signalType: signal.type,
    side: 'sell',
    quantity,
    ...(target > quantity && { target }),
    signalPrice: signal.price,
  }
  return { state: next, verdict: because('order_sell'), intent }
}

/** What orders that follow each other are to sell together; 0 where a signal finds the rest again. */
const targetOf = (signal: StopProfitSignal, sellable: Quantity, rule: LotRule): Quantity =>
  (signal.type === 'take_profit_half'
    ? Math.min(sellable, partQuantity(signal.sellRatio, sellable, rule))
    : 0) as Quantity

const notSent = (
  policy: PassPolicy,
  state: PassState,
  { nowMs, fault }: { readonly nowMs: number; readonly fault: Verdict },
): Outcome => {
  const isFailed = kindOf(fault.code) === 'failed'
  const slot = isFailed ? slotAfterFailure(policy, state.slot, nowMs) : state.slot
  return { state: { ...state, slot }, verdict: fault }
}

function buyMore(policy: PassPolicy, state: PassState, input: PassInput): Outcome | undefined {
  const { holding, price } = input
  if (holding === undefined) return undefined
  const hasPendingOrder = input.hasPendingOrder || !input.gates.isFreeOfOrders
  const found = addPosition(policy, state.position, { ...input, holding, hasPendingOrder })
  if (typeof found === 'object') return { state, verdict: found }
  const intent: PassOrder = {
    signalType: 'add_position',
    side: 'buy',
    quantity: found,
    signalPrice: price,
  }
  return { state, verdict: verdict('order_buy', { price }), intent }
}
