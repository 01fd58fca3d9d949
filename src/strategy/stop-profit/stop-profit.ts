import type { Price, Quantity } from '../../domain/money.ts'
import { NO_BREAKOUT, type Position } from '../../domain/position.ts'
import { closedGate, type Gates } from './gates.ts'
import type { StopProfitSignal } from './stop-profit-signal.ts'
import {
  breakoutPrice,
  exitPrice,
  isPlausibleHigh,
  minimumPrice,
  pullbackPrice,
  type StopProfitPolicy,
  stopPrice,
} from './trigger-prices.ts'
import { kindOf, type Verdict, type VerdictCode, verdict } from './verdicts.ts'

/** What is remembered of a holding from tick to tick; a position has these fields. */
export type StopProfitState = Pick<
  Position,
  'highestPrice' | 'profitTriggered' | 'breakoutTriggered' | 'breakoutHighestPrice'
>

export interface StopProfitInput {
  /** Last price of the tick; 0 = none. */
  readonly price: Price
  /** Highest price of the day so far, for a holding that was there all day; 0 = not known. */
  readonly dayHigh: Price
  /** Average cost of the live position. */
  readonly costPrice: Price
  readonly quantity: Quantity
  /** Shares bought today are not among them (T+1). */
  readonly sellable: Quantity
  readonly gates: Gates
  /** Exits that go beside the open orders of the stock, because all of these are in doubt. */
  readonly exitsBeside: ReadonlySet<StopProfitSignal['type']>
}

/** A signal is there exactly when the kind of the code is `signal`. */
export interface Judgment extends Verdict {
  readonly signal?: StopProfitSignal
}
export type Evaluation = readonly [StopProfitState, Judgment]

/**
 * Judges one tick of one holding: gates, then stop-loss (always first), then the first take-profit
 * while none has filled, afterwards the full exit. `profitTriggered` is never set here: a confirmed
 * fill does that. The same state object comes back when nothing changed.
 *
 * The high rises with every trusted tick, also while a switch is off, and with the high of the day,
 * which tells of what happened while nobody looked. Nothing is detected while
 * nothing may be sold, but the state goes on.
 * Judge again when the position, the policy or a gate changes, not only when a tick comes.
 *
 * Source  docs/domain.md 4.3, 5.5.
 */
export function evaluateStopProfit(
  policy: StopProfitPolicy,
  state: StopProfitState,
  input: StopProfitInput,
): Evaluation {
  const { price, gates } = input
  const closed = closedGate(gates)
  if (price <= 0 && gates.isInSession) return [state, verdict('no_price')]
  if (closed !== undefined && kindOf(closed) === 'skipped') return [state, verdict(closed)]
  const hasPosition = input.quantity > 0 || input.sellable > 0
  const raised = hasPosition ? withHigh(state, input) : state
  if (closed === 'order_open' && hasPosition) return besideOrders(policy, raised, input)
  if (closed !== undefined) return [raised, verdict(closed, { price })]
  if (!hasPosition) return [state, verdict('no_position', { price })]
  return detect(policy, raised, input)
}

/** Only an exit that may go beside what is open; nothing else is detected meanwhile. */
function besideOrders(
  policy: StopProfitPolicy,
  state: StopProfitState,
  input: StopProfitInput,
): Evaluation {
  const [, judgment] = detect(policy, state, input)
  const isExit = judgment.signal !== undefined && input.exitsBeside.has(judgment.signal.type)
  return [state, isExit ? judgment : verdict('order_open', { price: input.price })]
}

function withHigh(
  state: StopProfitState,
  { price, dayHigh, costPrice }: StopProfitInput,
): StopProfitState {
  const high = Math.max(price, dayHigh)
  if (state.highestPrice >= high) return state
  const floor = state.highestPrice > 0 ? 0 : costPrice
  return { ...fieldsOf(state), highestPrice: Math.max(high, floor) as Price }
}

/** A position may be given as state; what comes back are the four fields alone. */
const fieldsOf = (state: StopProfitState): StopProfitState => ({
  highestPrice: state.highestPrice,
  profitTriggered: state.profitTriggered,
  breakoutTriggered: state.breakoutTriggered,
  breakoutHighestPrice: state.breakoutHighestPrice,
})

function detect(
  policy: StopProfitPolicy,
  state: StopProfitState,
  input: StopProfitInput,
): Evaluation {
  const { price, costPrice } = input
  if (costPrice <= 0) return [state, verdict('no_cost', { price })]
  const stop = stopPrice(policy, costPrice)
  if (price <= stop) return [state, stopLoss(policy, { ...input, stop })]
  if (state.profitTriggered) return [state, fullExit(policy, state, input)]
  return state.breakoutTriggered
    ? afterBreakout(policy, state, input)
    : beforeBreakout(policy, state, input)
}

const LOSS_SHARE_MIN = 0.5

function stopLoss(
  { stopLossRatio }: StopProfitPolicy,
  { price, costPrice, sellable, stop }: StopProfitInput & { readonly stop: Price },
): Judgment {
  const at = { price, threshold: stop }
  const loss = (costPrice - price) / costPrice
  if (loss < LOSS_SHARE_MIN * Math.abs(stopLossRatio)) return verdict('loss_implausible', at)
  if (sellable <= 0) return verdict('nothing_sellable', at)
  const signal = { type: 'stop_loss', price, costPrice, stopPrice: stop } as const
  return { ...verdict('stop_loss', at), signal }
}

function beforeBreakout(
  policy: StopProfitPolicy,
  state: StopProfitState,
  { price, costPrice }: StopProfitInput,
): Evaluation {
  const at = { price, threshold: breakoutPrice(policy, costPrice) }
  if (price < at.threshold) return [state, verdict('no_breakout', at)]
  const armed = { ...fieldsOf(state), breakoutTriggered: true, breakoutHighestPrice: price }
  return [armed, verdict('breakout_started', at)]
}

function afterBreakout(
  policy: StopProfitPolicy,
  state: StopProfitState,
  { price, costPrice, sellable }: StopProfitInput,
): Evaluation {
  const high = Math.max(state.breakoutHighestPrice, price) as Price
  const threshold = pullbackPrice(policy, high)
  const because = (code: VerdictCode) => verdict(code, { price, threshold })
  if (price > threshold) {
    const isRaised = high > state.breakoutHighestPrice
    const next = isRaised ? { ...fieldsOf(state), breakoutHighestPrice: high } : state
    return [next, because('pullback_small')]
  }
  const minimum = minimumPrice(policy, costPrice)
  if (price < minimum) {
    return [withoutBreakout(state), verdict('below_minimum', { price, threshold: minimum })]
  }
  if (sellable <= 0) return [state, because('nothing_sellable')]
  const { sellRatio } = policy
  const signal = { type: 'take_profit_half', price, costPrice, sellRatio } as const
  return [state, { ...because('take_profit_half'), signal }]
}

/** The state that waits for a new breakout. */
export const withoutBreakout = (state: StopProfitState): StopProfitState => ({
  ...fieldsOf(state),
  ...NO_BREAKOUT,
})

const EXIT_TO_HIGH_MAX = 1.1

function fullExit(
  policy: StopProfitPolicy,
  state: StopProfitState,
  { price, costPrice, sellable }: StopProfitInput,
): Judgment {
  const highestPrice = highFor(state, { price, costPrice })
  const exit = exitPrice(policy, { costPrice, highestPrice })
  const at = { price, threshold: exit }
  if (sellable <= 0) return verdict('nothing_sellable', at)
  if (exit <= 0 || exit > highestPrice * EXIT_TO_HIGH_MAX) return verdict('exit_implausible', at)
  if (price > exit) return verdict('above_exit', at)
  const signal = { type: 'take_profit_full', price, costPrice } as const
  return { ...verdict('take_profit_full', at), signal }
}

/** The high of an exit: a damaged one counts for nothing. */
const highFor = (
  { highestPrice }: StopProfitState,
  { price, costPrice }: Pick<StopProfitInput, 'price' | 'costPrice'>,
): Price =>
  isPlausibleHigh(highestPrice, costPrice) ? highestPrice : (Math.max(costPrice, price) as Price)

/**
 * Whether the price of a signal would still be a reason for it, by the cost, the parameters and the high as they are now. A
 * first take-profit has been looked at against the minimum of now before it is sold.
 */
export function isStillMeant(
  policy: StopProfitPolicy,
  state: StopProfitState,
  { signal, costPrice }: { readonly signal: StopProfitSignal; readonly costPrice: Price },
): boolean {
  const { type, price } = signal
  if (type === 'stop_loss') return price <= stopPrice(policy, costPrice)
  if (type === 'take_profit_half') return !state.profitTriggered
  const highestPrice = highFor(state, { price, costPrice })
  return state.profitTriggered && price <= exitPrice(policy, { costPrice, highestPrice })
}
