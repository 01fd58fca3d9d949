import type { StockCode } from '../../../domain/instrument.ts'
import type { Price, Quantity } from '../../../domain/money.ts'
import { PRICE_TYPE } from '../../../domain/order.ts'
import { type Position, thresholdCost } from '../../../domain/position.ts'
import { isFullExit } from '../../../domain/protective.ts'
import type { Quote } from '../../../ports/quotes.port.ts'
import { addPriceOf } from '../../../strategy/stop-profit/add-position.ts'
import type { Gates } from '../../../strategy/stop-profit/gates.ts'
import {
  EMPTY_SLOT,
  emptied,
  type SignalSlot,
  slotAfterFailure,
  slotAfterTick,
  slotOfNow,
} from '../../../strategy/stop-profit/signal-slot.ts'
import {
  evaluateStopProfit,
  type StopProfitState,
} from '../../../strategy/stop-profit/stop-profit.ts'
import {
  type PassInput,
  type PassOrder,
  type PassPolicy,
  runPass,
} from '../../../strategy/stop-profit/stop-profit-pass.ts'
import { stopPrice } from '../../../strategy/stop-profit/trigger-prices.ts'
import {
  kindOf,
  type Verdict,
  type VerdictCode,
  verdict,
} from '../../../strategy/stop-profit/verdicts.ts'
import type { AccountEvent, HoldingFields } from '../../model/events.ts'
import type { AccountState } from '../../model/state.ts'
import type { Cause } from '../../model/trace.ts'
import { assetsNow } from '../../orders/assets.ts'
import { comingShares, freeShares } from '../../orders/available.ts'
import { isOldScale, isScaleUnknown } from '../../orders/ex-day.ts'
import { largestProtective } from '../../orders/largest-protective.ts'
import { submitIntent } from '../../orders/order-intent.ts'
import { boardRuleOf, dayHighOf, displayedStop, highBeforeOf } from '../../orders/quote-rules.ts'
import { changeHolding, positionsOf } from '../../turn/holding.ts'
import type { Turn } from '../../turn/turn.ts'
import { isActedUpon } from '../market-gates.ts'
import { exitsBeside, forgetRefusals, signalIntent } from './follow-up.ts'
import { awaitsSharesMs } from './give-way.ts'
import { type HeldBy, heldBy, replaceTakeProfit, withdrawGrids } from './held-stop.ts'
import { lookAgainMs } from './look-again.ts'
import { forgetStock, memoryOf, slotOf } from './memory.ts'
import { passPolicyOf, pricesOf } from './pass-policy.ts'
import { closedSinceMs, gatesOf } from './stock-gates.ts'
import { type Decision, note } from './trace.ts'

/** Judges one holding at its newest quote, and sends the order that follows, if one does. */
export function evaluate(turn: Turn, code: StockCode, cause: Cause): void {
  const { state, inputs } = turn
  const memory = memoryOf(state)
  memory.evaluateAgainMs.delete(code)
  if (cause === 'change') memory.notified.delete(code)
  const position = positionsOf(state).get(code)
  if (position === undefined) {
    forgetRefusals(state, code)
    return forgetStock(state, code)
  }
  const quote = inputs.quote(code)
  if (quote === undefined || isActedUpon(turn, position, { quote, cause })) return
  if (isOldScale(position, quote)) return
  const sellable = freeShares(state, code)
  const costPrice = thresholdCost(position)
  judge(turn, { position: { ...position, costPrice, sellable }, quote, cause })
}

interface Evaluation {
  /** What may be sold of it is what is left of it now, whatever the broker said last; its cost is that of thresholds. */
  readonly position: Position
  readonly quote: Quote
  readonly cause: Cause
}

function judge(turn: Turn, evaluation: Evaluation): void {
  const { state, inputs } = turn
  const { nowMs } = inputs
  const { position, quote } = evaluation
  const { code } = position
  const memory = memoryOf(state)
  const policy = passPolicyOf(state)
  const { gates, health } = gatesOf(state, position, { nowMs, quote })
  const againMs = lookAgainMs(state, code, { gates, health, quote, nowMs })
  if (againMs !== undefined) memory.evaluateAgainMs.set(code, againMs)
  if (isScaleUnknown(position) && gates.isInSession)
    return holdBack(turn, evaluation, { gates, health })
  const isBreakerOpen = state.quoteTrust.isBreakerOpen(nowMs)
  const beside = exitsBeside(state, code, nowMs)
  const [judged, judgment] = evaluateStopProfit(policy, position, {
    price: quote.lastPrice,
    dayHigh: Math.max(dayHighOf(position, quote), highBeforeOf(position, quote)) as Price,
    costPrice: position.costPrice,
    quantity: position.quantity,
    sellable: position.sellable,
    gates,
    exitsBeside: beside,
  })
  const { costPrice } = position
  const waiting = slotOfNow(policy, slotOf(state, position), { state: judged, costPrice })
  const slot = slotAfterTick(policy, waiting, { judgment, nowMs })
  const input = passInput(turn, evaluation, { gates, policy, beside, isBreakerOpen })
  const [passed, result] = runPass(policy, { position: judged, slot }, input)
  memory.slots.set(code, passed.slot)
  const sinceMs = closedSinceMs(state, judgment.code, code)
  const isActing = result.intent !== undefined
  const hold = holdOf(turn, evaluation, { gates, policy, code: judgment.code, isActing })
  const decision: Decision = {
    timeMs: nowMs,
    code,
    cause: evaluation.cause,
    gates,
    health,
    isBreakerOpen,
    inputs: inputsOf(state, evaluation),
    verdicts: [...verdictsOf(judgment, result.verdicts), ...hold.verdicts],
    ...(hold.heldBy && { heldBy: hold.heldBy }),
    ...(sinceMs !== undefined && { closedSinceMs: sinceMs }),
    ...(judgment.code === 'quote_refused' && againMs !== undefined && { judgedFromMs: againMs }),
  }
  remember(turn, evaluation, passed.position, isActing)
  const kind = kindOf(judgment.code)
  if (kind === 'closed' && beside.size === 0) notify(turn, evaluation, hold)
  // Its gates may have been opened by time alone: nothing that was said of them holds its stop back any more.
  if (kind !== 'closed' && kind !== 'skipped') memory.notified.delete(code)
  if (result.intent === undefined) return note(state, decision, hold.isNews)
  note(state, act(turn, { intent: result.intent, policy, decision }))
}

/** Steps of a pass that were not even near: they say nothing that the evaluation did not say. */
const NOT_NEAR: ReadonlySet<VerdictCode> = new Set<VerdictCode>([
  'no_signal',
  'add_off',
  'add_stop_first',
  'add_after_profit',
  'add_drop_small',
  'add_stop_reached',
])

/** What an evaluation showed comes first, then what became of it. */
function verdictsOf(judgment: Verdict, passed: readonly Verdict[]): readonly Verdict[] {
  const { code, price, threshold } = judgment
  const isTold = (each: Verdict) =>
    NOT_NEAR.has(each.code) || each.code === code || kindOf(each.code) === 'skipped'
  return [{ code, price, threshold }, ...passed.filter((each) => !isTold(each))]
}

/** Nobody has said on which scale its prices are: nothing of it moves, nor is sold. */
function holdBack(
  { state, inputs }: Turn,
  evaluation: Evaluation,
  standing: Pick<Decision, 'gates' | 'health'>,
): void {
  const { position, quote, cause } = evaluation
  const { code } = position
  note(state, {
    timeMs: inputs.nowMs,
    code,
    cause,
    ...standing,
    isBreakerOpen: state.quoteTrust.isBreakerOpen(inputs.nowMs),
    inputs: inputsOf(state, evaluation),
    verdicts: [verdict('ex_day_unknown', { price: quote.lastPrice })],
  })
}

const inputsOf = (state: AccountState, { position, quote }: Evaluation): Decision['inputs'] => ({
  price: quote.lastPrice,
  quoteMs: quote.timeMs,
  costPrice: positionsOf(state).get(position.code)?.costPrice ?? position.costPrice,
  effectiveCost: position.costPrice,
  ...(position.exDay && { exDay: position.exDay }),
  quantity: position.quantity,
  sellable: position.sellable,
  highestPrice: position.highestPrice,
  profitTriggered: position.profitTriggered,
  breakoutTriggered: position.breakoutTriggered,
  breakoutHighestPrice: position.breakoutHighestPrice,
})

interface Standing {
  readonly gates: Gates
  readonly policy: PassPolicy
  readonly beside: ReturnType<typeof exitsBeside>
  readonly isBreakerOpen: boolean
}

function passInput(
  turn: Turn,
  { position, quote }: Evaluation,
  { gates, policy, beside, isBreakerOpen }: Standing,
): PassInput {
  const { state, inputs } = turn
  const { code } = position
  const { settings } = state
  const isNear = quote.lastPrice <= addPriceOf(policy, position)
  return {
    nowMs: inputs.nowMs,
    gates,
    holding: position,
    price: quote.lastPrice,
    coming: isNear ? comingShares(state, code) : (0 as Quantity),
    rule: boardRuleOf(code, state.day),
    largestSale: (sellable) => largestProtective(turn, { code, ...AT_LATEST }, sellable),
    hasPendingOrder: hasOpenOrder(state, code),
    exitsBeside: beside,
    isBuyAllowed: settings.ENABLE_ALLOW_BUY,
    isSellAllowed: settings.ENABLE_ALLOW_SELL,
    isBreakerOpen,
    isTotalKnown: () => assetsNow(state, inputs) !== undefined,
    isSimulation: state.simulation !== undefined,
    lastAddMs: () => lastAddMs(state, code),
  }
}

/** A simulation has no open orders: what it does is done at once. */
const hasOpenOrder = ({ simulation, orders }: AccountState, code: StockCode): boolean =>
  simulation === undefined && orders.hasOpen(code)

/** Also one of an earlier life of this thread: its order is known. */
function lastAddMs(state: AccountState, code: StockCode): number {
  let last = memoryOf(state).lastAddMs.get(code) ?? 0
  for (const order of state.orders.values()) {
    if (order.signalType === 'add_position' && order.code === code) {
      last = Math.max(last, order.createdMs)
    }
  }
  return last
}

/** Writes down what the evaluation has changed, and with an order always which tick it acted upon. */
function remember(
  turn: Turn,
  { position, quote }: Evaluation,
  after: StopProfitState,
  isActing: boolean,
): void {
  const isChanged = after !== position
  if (!isChanged && !(isActing && quote.timeMs > position.actedTickMs)) return
  const fields: HoldingFields = {
    ...(isChanged ? changedFields(position, after) : {}),
    ...(after.highestPrice === position.highestPrice
      ? {}
      : { stopLossPrice: displayedStop(turn.state, { ...position, ...after }) }),
    actedTickMs: quote.timeMs,
  }
  changeHolding(turn, position.code, fields, 'market')
}

function changedFields(position: Position, after: StopProfitState): HoldingFields {
  const { highestPrice, breakoutTriggered, breakoutHighestPrice } = after
  return {
    ...(highestPrice === position.highestPrice ? {} : { highestPrice }),
    ...(breakoutTriggered === position.breakoutTriggered ? {} : { breakoutTriggered }),
    ...(breakoutHighestPrice === position.breakoutHighestPrice ? {} : { breakoutHighestPrice }),
  }
}

/** Beyond its band a stock that may not act would be evaluated with every tick, for nothing. */
function notify({ state }: Turn, { position, quote, cause }: Evaluation, hold: Hold): void {
  const { code } = position
  const { low, high } = pricesOf(state, positionsOf(state).get(code) ?? position)
  const isBeyond = quote.lastPrice < low || quote.lastPrice > high
  if (isBeyond && cause !== 'change' && !hold.isWatched) {
    memoryOf(state).notified.set(code, hold.lowestTold)
  }
}

/** What an unfinished order of the stock means for the stock's stop-loss. */
interface Hold {
  readonly heldBy?: HeldBy
  readonly verdicts: readonly Verdict[]
  /** To be noted, whatever asked for the evaluation. */
  readonly isNews: boolean
  /** Every tick is looked at: the take-profit gives way as soon as the rules let the stop-loss pass. */
  readonly isWatched: boolean
  /** Down to this price there is nothing more to say: the fall to the stop is said for itself. */
  readonly lowestTold: Price
}
const NO_HOLD: Hold = { verdicts: [], isNews: false, isWatched: false, lowestTold: 0 as Price }

interface Judged extends Pick<Standing, 'gates' | 'policy'> {
  readonly code: VerdictCode
  /** An order follows from it. */
  readonly isActing: boolean
}

/** Says which order keeps a stop-loss back, and lets the stop-loss take its place where that is wanted. */
function holdOf(
  turn: Turn,
  { position, quote }: Evaluation,
  { gates, policy, code: verdictCode, isActing }: Judged,
): Hold {
  const { state, inputs, events } = turn
  const { code, costPrice } = position
  const memory = memoryOf(state)
  const againMs = awaitsSharesMs(state, code, inputs.nowMs)
  if (againMs !== undefined) memory.evaluateAgainMs.set(code, againMs)
  if (isActing || state.simulation !== undefined) {
    state.heldStops.delete(code)
    return NO_HOLD
  }
  if (verdictCode !== 'order_open') {
    const outcome = withdrawGrids(turn, { position, quote }, { gates, policy })
    if (outcome !== 'canceled') return NO_HOLD
    return { ...NO_HOLD, verdicts: [verdict('grid_withdrawn', { price: quote.lastPrice })] }
  }
  const held = heldBy(turn, { position, quote }, { gates, policy })
  if (held === undefined) return NO_HOLD
  const outcome = replaceTakeProfit(turn, code)
  const stop = costPrice > 0 ? stopPrice(policy, costPrice) : 0
  return {
    heldBy: held,
    verdicts:
      outcome === 'canceled' ? [verdict('take_profit_replaced', { price: quote.lastPrice })] : [],
    isNews: events.some(
      ({ event }) => isUsedUp(event) && event.clientOrderId === held.clientOrderId,
    ),
    isWatched: outcome === 'refused',
    lowestTold: (quote.lastPrice > stop ? stop + 1 : 0) as Price,
  }
}

const isUsedUp = (event: AccountEvent): event is Extract<AccountEvent, { kind: 'orderKept' }> =>
  event.kind === 'orderKept' && event.keptFor === 'used_up'

const AT_LATEST = { priceType: PRICE_TYPE.latest, price: 0 as Price } as const

/** Only the second is full, or a quote or a list is to come: it is looked at again when there is a place, or that has come. */
const NO_TRY: ReadonlySet<string> = new Set(['ORDER_RATE', 'never_sent', 'part_untold'])

/**
 * The slot after its signal was refused. An exit that an old quote has shown does not wait for the next one, which shows it
 * again unless the price has recovered since.
 */
const failed = (
  policy: PassPolicy,
  slot: SignalSlot,
  { isPast, nowMs }: { readonly isPast: boolean; readonly nowMs: number },
): SignalSlot => (isPast ? emptied(slot) : slotAfterFailure(policy, slot, nowMs))

interface Act {
  readonly intent: PassOrder
  readonly policy: PassPolicy
  readonly decision: Decision
}

/** Sends the one order of an evaluation, unless the door refuses it. */
function act(turn: Turn, { intent, policy, decision }: Act): Decision {
  const { state, inputs } = turn
  const { nowMs } = inputs
  const { code } = decision
  const { signalType, side, quantity, target, signalPrice } = intent
  const memory = memoryOf(state)
  const order = { code, side, quantity, target, ...AT_LATEST }
  const outcome = submitIntent(turn, signalIntent({ ...order, signalType, signalPrice }))
  const slot = memory.slots.get(code) ?? EMPTY_SLOT
  const isTried = outcome.kind === 'sent' || !NO_TRY.has(outcome.refusal.code)
  if (side === 'buy' && isTried) memory.lastAddMs.set(code, nowMs)
  if (outcome.kind === 'refused') {
    const isPast = outcome.refusal.code === 'STALE_QUOTE' && isFullExit(signalType)
    if (side === 'sell' && isTried) memory.slots.set(code, failed(policy, slot, { isPast, nowMs }))
    const verdicts = [...decision.verdicts, verdict('order_refused', { price: signalPrice })]
    const { code: reason, message, untilMs } = outcome.refusal
    if (untilMs !== undefined) memory.evaluateAgainMs.set(code, untilMs)
    return { ...decision, verdicts, refusal: { code: reason, message }, refusedSide: side }
  }
  if (side === 'sell') memory.slots.set(code, emptied(slot))
  const { clientOrderId } = outcome
  const made = { ...decision, order: { clientOrderId, signalType, side, quantity } }
  turn.emit({ kind: 'decisionMade', clientOrderId, decision: made })
  return made
}
