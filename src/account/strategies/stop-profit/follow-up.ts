import { strict as assert } from 'node:assert'
import type { StockCode } from '../../../domain/instrument.ts'
import { boardLots } from '../../../domain/lot.ts'
import { moneyFromYuan, type Price, type Quantity } from '../../../domain/money.ts'
import { type OrderRecord, PRICE_TYPE, type SignalType } from '../../../domain/order.ts'
import { type Position, thresholdCost } from '../../../domain/position.ts'
import { FULL_EXITS, type FullExit, isFullExit } from '../../../domain/protective.ts'
import type { RiskOrder } from '../../../domain/risk-input.ts'
import { lotError } from '../../../domain/rules.ts'
import { opensAgainToday } from '../../../domain/session.ts'
import { whyNoRest } from '../../../strategy/stop-profit/add-position.ts'
import { minimumPrice } from '../../../strategy/stop-profit/trigger-prices.ts'
import { sentenceOf } from '../../../strategy/stop-profit/verdicts.ts'
import { dayInForce } from '../../model/days.ts'
import { SIGNAL_OWNER } from '../../model/order-book.ts'
import type { AccountState } from '../../model/state.ts'
import { assetsNow } from '../../orders/assets.ts'
import { comingShares, freeShares, isTakenOff, unshownShares } from '../../orders/available.ts'
import {
  type FollowUpPolicy,
  isMarketClosed,
  isPartSought,
  isStuck,
  type Rest,
  type RestOrder,
  trackedOrders,
} from '../../orders/follow-up.ts'
import { largestProtective } from '../../orders/largest-protective.ts'
import {
  type DoorTerms,
  type IntentOutcome,
  type OrderIntent,
  refusalKey,
  submitIntent,
} from '../../orders/order-intent.ts'
import { oldQuoteLeftMs } from '../../orders/pace.ts'
import { boardRuleOf } from '../../orders/quote-rules.ts'
import { isStopHeld } from '../../orders/selling-out.ts'
import { positionsOf } from '../../turn/holding.ts'
import type { Sight, Turn } from '../../turn/turn.ts'
import { areSwitchesOn } from './gateway-module.ts'
import { givesWay } from './give-way.ts'
import { canceledBefore, keepsPlace } from './keep-place.ts'
import { memoryOf } from './memory.ts'
import { passPolicyOf } from './pass-policy.ts'
import { NO_PRICE, priceOfRest, unpriced } from './rest-price.ts'

const NAMES: Readonly<Record<SignalType, string>> = {
  stop_loss: 'stop_loss',
  take_profit_half: 'auto_partial',
  take_profit_full: 'auto_full',
  add_position: 'add_position',
}

/** One order of a signal at a time for a stock and side; an exit goes beside what is in doubt. */
const TERMS: DoorTerms = {
  findUnfinished: (state, { code, side, signalType }) =>
    trackedOrders(state).find(
      (order) =>
        order.code === code && order.side === side && !mayGoBeside(state, order, signalType),
    )?.clientOrderId,
}

/**
 * Whether an exit may be sent beside an order: nobody knows whether the broker has that one, and it is not
 * the same wish, which would be sold twice; or the holdings of now show what it has taken, if it lives.
 */
const mayGoBeside = (
  state: AccountState,
  order: OrderRecord,
  signalType: SignalType | undefined,
): boolean =>
  order.status === 'inDoubt' &&
  isFullExit(signalType) &&
  (order.signalType !== signalType || isTakenOff(state, order))

const NONE: ReadonlySet<FullExit> = new Set()

/**
 * A stop-loss has the orders of grids withdrawn. Where that cannot be done it sells what they have not taken, rather
 * than wait for them until the close.
 */
const isNoMatter = (state: AccountState, order: OrderRecord, nowMs: number): boolean =>
  state.grid.orders.has(order.clientOrderId) && isStuck(state, order, nowMs)

/** Exits that the open orders of a stock do not keep back. */
export function exitsBeside(
  state: AccountState,
  code: StockCode,
  nowMs: number,
): ReadonlySet<FullExit> {
  if (state.simulation !== undefined || unshownShares(state, code) !== 0) return NONE
  let isAny = false
  let exits: readonly FullExit[] = FULL_EXITS
  for (const order of ordersOf(state, code)) {
    isAny = true
    const isOverlooked = isNoMatter(state, order, nowMs)
    exits = exits.filter(
      (exit) => (isOverlooked && exit === 'stop_loss') || mayGoBeside(state, order, exit),
    )
    if (exits.length === 0) return NONE // by the first one nearly always, however many there are
  }
  return isAny ? new Set(exits) : NONE
}

/** What is open or followed of a stock; some come twice. */
function* ordersOf(state: AccountState, code: StockCode): Iterable<OrderRecord> {
  yield* state.orders.openOf(code)
  for (const order of trackedOrders(state)) if (order.code === code) yield order
}

/** What of a signal's order differs from one to the next. */
export interface SignalOrder extends RiskOrder {
  readonly signalType: SignalType
  /** As {@link OrderIntent} has it. */
  readonly target?: Quantity | undefined
  /** Price at which it arose; 0 = none. */
  readonly signalPrice: Price
}

/** The order that a signal asks for, under the name that the broker and the records know. */
export function signalIntent(order: SignalOrder): OrderIntent {
  const strategy = NAMES[order.signalType]
  return { ...order, strategy, source: strategy, terms: TERMS }
}

/** What is bought again starts fresh. */
export function forgetRefusals({ refusals }: AccountState, code: StockCode): void {
  refusals.delete(refusalKey(SIGNAL_OWNER, code))
}

/** Orders of signals have a time limit; the rest of those that it ends is sent again, at the price of then. */
export const followSignals: FollowUpPolicy = {
  working: ({ tracked }) => tracked,
  timeLimitMs: ({ policy }, { signalType }) => {
    const { isAutoCancel, stopLossTimeoutMs, timeoutMs } = policy.pending
    if (!isAutoCancel) return Number.POSITIVE_INFINITY
    return signalType === 'stop_loss' ? stopLossTimeoutMs : timeoutMs
  },
  isFilledCanceled: true,
  timeoutSource: 'pending_timeout',
  keepsPlace,
  timedOut: ({ state }) => state.policy.pending.isAutoReorder,
  restOf,
  freezeMs: ({ policy }) => policy.pending.timeoutMs,
  retry: ({ policy: { pending } }) => ({
    triesMax: pending.triesMax,
    intervalMs: pending.retryIntervalMs,
  }),
  resubmit,
  ended: (turn, { clientOrderId }, ending) => {
    memoryOf(turn.state).ends.delete(clientOrderId)
    if (ending.kind !== 'dropped') return
    turn.emit({ kind: 'reorderDropped', clientOrderId, reason: ending.reason })
  },
}

function restOf(turn: Turn, order: OrderRecord): Rest | undefined {
  return isPartOfMore(order) ? nextPartOf(turn, order) : canceledRest(turn, order)
}

/** A doubt may last for hours, and so may assets that nobody knows: no stop waits for what waits for these. */
const unlessStopHeld = ({ state, inputs }: Turn, { code }: OrderRecord, rest: Rest): Rest =>
  rest === 'later' && isStopHeld(state, inputs, code) ? { dropped: STOP_FIRST } : rest

const isPartOfMore = ({ hasNextPart, status }: OrderRecord): boolean =>
  hasNextPart === true && status === 'filled'

/**
 * What one order could not hold of a first take-profit follows with its fill, at the price of then, as long as the signal
 * would still be executed at that price. What is dropped goes with the rest of the holding.
 */
function nextPartOf(turn: Turn, order: OrderRecord): Rest {
  const { state, inputs } = turn
  const { code, chain } = order
  if (!state.isReady) return 'later'
  const over = whyGivenUp(turn, order)
  if (over !== undefined) return { dropped: over }
  if (isMarketClosed(state, inputs.nowMs)) return 'later'
  const price = priceOfRest(turn, order, chain?.signalPrice ?? NO_PRICE)
  if (price === 0) return unpriced(turn, order)
  const held = positionsOf(state).get(code)
  const cost = held === undefined ? NO_PRICE : thresholdCost(held)
  const last = inputs.quote(code)?.lastPrice ?? price
  if (cost === 0 || last < minimumPrice(passPolicyOf(state), cost)) return { dropped: TOO_CHEAP }
  const quantity = orderable(order, chainRest(state, order), state.day)
  if (quantity === 0) return { dropped: NOTHING_LEFT }
  const rest = besideDoubt(state, order, withinValue(turn, order, { quantity, price }))
  return unlessStopHeld(turn, order, withinShown(turn, order, rest))
}
const TOO_CHEAP = 'the price is below the minimum of the first take-profit'

function canceledRest(turn: Turn, order: OrderRecord): Rest | undefined {
  const { state, inputs } = turn
  const { chain, side, signalType } = order
  if (order.isReorderWanted !== true || chain === undefined || signalType === undefined) {
    return undefined
  }
  if (!state.isReady) return 'later'
  const { reordersMax } = state.policy.pending
  const over = whyOver(turn, order)
  if (over !== undefined) return { dropped: over }
  const quantity = orderable(order, chainRest(state, order), state.day)
  if (quantity === 0) return { dropped: NOTHING_LEFT }
  const resent = Math.max(chain.attempt, canceledBefore(turn.state, order, turn.inputs.nowMs))
  // One that was never sent has used up nothing.
  const attempts = order.isTooLate ? resent - 1 : resent
  if (attempts >= reordersMax) return { dropped: `sent again ${attempts} times already` }
  if (isMarketClosed(state, inputs.nowMs)) return 'later'
  if (oldQuoteLeftMs(turn, order.code) > 0) return 'later'
  const price = priceOfRest(turn, order, chain.signalPrice)
  if (price === 0) return unpriced(turn, order)
  const beside = besideDoubt(state, order, withinValue(turn, order, { quantity, price }))
  const rest = side === 'buy' ? withinCap(turn, order, beside) : withinShown(turn, order, beside)
  return unlessStopHeld(turn, order, rest)
}

/** The price has moved: of a sale no more is sent than one order may be worth at this one. */
function withinValue(turn: Turn, order: OrderRecord, rest: RestOrder): RestOrder {
  if (order.side === 'buy') return rest
  const terms = { code: order.code, ...pricedAs(order, rest) }
  return { ...rest, quantity: largestProtective(turn, terms, rest.quantity) }
}

/** A rest has a limit; the next part goes as the one before it. */
const pricedAs = (
  order: OrderRecord,
  { price }: RestOrder,
): Pick<RiskOrder, 'priceType' | 'price'> =>
  isPartOfMore(order)
    ? { priceType: PRICE_TYPE.latest, price: NO_PRICE }
    : { priceType: PRICE_TYPE.limit, price }

/** What a filled, refused or expired order leaves over is not sent again, nor that of another day, nor what is switched off. */
function whyOver(turn: Turn, order: OrderRecord): string | undefined {
  return order.status === 'canceled' || order.isTooLate
    ? whyGivenUp(turn, order)
    : `the order ended as ${order.status}`
}

function whyGivenUp(turn: Turn, order: OrderRecord): string | undefined {
  const { state, inputs } = turn
  if (!areSwitchesOn(state, order.code)) return 'it is switched off'
  if (givesWay(turn, order)) return STOP_FIRST
  return isDayOver(state, order, inputs.nowMs) ? 'its day is over' : undefined
}

/** By the calendar, or because nothing is traded on it any more. */
const isDayOver = (state: AccountState, { day }: OrderRecord, nowMs: number): boolean =>
  day < dayInForce(state, nowMs) || (isMarketClosed(state, nowMs) && !opensAgainToday(nowMs))

const STOP_FIRST = 'a stop-loss takes its place'
const NOTHING_LEFT = 'nothing is left to send'

/**
 * Others may have sold of it meanwhile. Once a list must show all that the order had frozen, what is free is all
 * there is, and a stop does not wait for more.
 */
function withinShown(turn: Turn, order: OrderRecord, rest: Rest): Rest {
  if (rest === 'later' || 'dropped' in rest) return rest
  const free = freeShares(turn.state, order.code)
  if (free >= rest.quantity) return inLots(turn, order, { rest, free })
  if (free === 0 || !isShownSince(turn, order)) return rest
  return { ...rest, quantity: free }
}

/**
 * A fill may leave a part over that the board does not let go beside the odd remainder of the holding, by the shares that
 * are free as far as is known, and by those that the broker has freed with the cancel.
 */
function inLots(
  turn: Turn,
  order: OrderRecord,
  { rest, free }: { readonly rest: RestOrder; readonly free: Quantity },
): Rest {
  const { code, side } = order
  const rule = boardRuleOf(code, turn.state.day)
  const { quantity } = rest
  const isTaken = (sellable: Quantity) => lotError(rule, { side, quantity, sellable }) === undefined
  if (isTaken(free) && isTaken(freedWith(turn, order, free))) return rest
  const whole = boardLots(quantity, rule)
  return whole === 0 ? { dropped: NOTHING_LEFT } : { ...rest, quantity: whole }
}

/** What may be sold at the broker once it has freed what the order had frozen: never more than is held. */
function freedWith(turn: Turn, order: OrderRecord, free: Quantity): Quantity {
  const { state } = turn
  const { code, quantity, filledQuantity } = order
  if (isShownSince(turn, order)) return free
  const held = (positionsOf(state).get(code)?.quantity ?? 0) + unshownShares(state, code)
  return Math.max(free, Math.min(held, free + quantity - filledQuantity)) as Quantity
}

/** Whether a list that cannot be behind its end has come; that is counted from the first look at it on, also after a restart. */
function isShownSince(turn: Turn, { clientOrderId, code }: OrderRecord): boolean {
  const { state } = turn
  const { ends } = memoryOf(state)
  const end = ends.get(clientOrderId) ?? turn.tick()
  ends.set(clientOrderId, end)
  const { at, wallMs } = state.shares.get(code)?.listed ?? end
  return at > end.at && wallMs - end.wallMs >= state.policy.limits.holdingsLagMs
}

/** The price has moved since it was sent first: no more is bought than the cap of the stock allows at this one. */
function withinCap({ state, inputs }: Turn, order: OrderRecord, rest: Rest): Rest {
  if (rest === 'later' || 'dropped' in rest) return rest
  // Until fills show in holding and cash nobody knows how much all holdings are.
  if (assetsNow(state, inputs) === undefined) return 'later'
  const { code } = order
  const held = positionsOf(state).get(code)
  const why =
    held === undefined ? 'nothing is held any more' : whyNotMore(state, inputs, { held, rest })
  if (why !== undefined) return { dropped: why }
  const there = (held?.quantity ?? 0) + comingShares(state, code)
  const most = Math.floor(moneyFromYuan(state.settings.MAX_POSITION_VALUE) / rest.price)
  const quantity = orderable(order, Math.min(rest.quantity, most - there), state.day)
  return quantity === 0
    ? { dropped: 'no room is left below MAX_POSITION_VALUE' }
    : { ...rest, quantity }
}

/** A purchase that would be sold again at once, or lower no cost, is not wanted any more. */
function whyNotMore(
  state: AccountState,
  { quote }: Sight,
  { held, rest }: { readonly held: Position; readonly rest: RestOrder },
): string | undefined {
  const holding = { ...held, costPrice: thresholdCost(held) }
  const price = quote(held.code)?.lastPrice ?? rest.price
  const seen = { price, paid: rest.price, holding }
  const over = whyNoRest(passPolicyOf(state), held, seen)
  return over && sentenceOf(over, held.code)
}

/**
 * While another order of the stock and side is in doubt only an exit goes on, with what is left; and while nobody has said
 * how much of this one was filled. It sells no more than there is.
 */
function besideDoubt(state: AccountState, order: OrderRecord, rest: RestOrder): Rest {
  const { code, side, signalType } = order
  if (isPartSought(state, order) && !isFullExit(signalType)) return 'later'
  const doubtful = [...state.orders.doubtful()].filter(
    (other) => other.code === code && other.side === side,
  )
  if (doubtful.length === 0) return rest
  if (!doubtful.every((other) => mayGoBeside(state, other, signalType))) return 'later'
  const quantity = Math.min(rest.quantity, freeShares(state, code)) as Quantity
  return quantity === 0 ? 'later' : { ...rest, quantity }
}

/** Shares of an intent that are still to be had: its target less the fills of all its orders. */
export function chainRest(state: AccountState, { chain }: OrderRecord): number {
  let rest: number = chain?.targetQuantity ?? 0
  for (const other of state.orders.values()) {
    if (other.chain?.rootClientOrderId === chain?.rootClientOrderId) rest -= other.filledQuantity
  }
  return Math.max(0, rest)
}

/** A purchase goes in whole lots; a sale may end with an odd remainder. */
const orderable = ({ code, side }: OrderRecord, rest: number, day: string): Quantity =>
  side === 'sell' ? (rest as Quantity) : boardLots(rest, boardRuleOf(code, day))

function resubmit(turn: Turn, order: OrderRecord, rest: RestOrder): IntentOutcome {
  const { code, side, signalType, chain } = order
  const { quantity } = rest
  assert(signalType !== undefined && chain !== undefined, 'only a signal leaves a rest')
  const strategy = isPartOfMore(order) ? NAMES[signalType] : `reorder_${signalType}`
  return submitIntent(turn, {
    code,
    side,
    quantity,
    ...pricedAs(order, rest),
    strategy,
    source: strategy,
    signalType,
    signalPrice: chain.signalPrice,
    follows: order,
    target: targetBeyond(turn.state, order, quantity),
    terms: TERMS,
  })
}

/** Of a first take-profit more follows while more is wanted than this order is of, and free to be sold. */
function targetBeyond(
  state: AccountState,
  order: OrderRecord,
  quantity: Quantity,
): Quantity | undefined {
  const isMore = chainRest(state, order) > quantity && freeShares(state, order.code) > quantity
  return order.signalType === 'take_profit_half' && isMore ? order.chain?.targetQuantity : undefined
}
