import { fewestShares } from '../../domain/lot.ts'
import {
  type Money,
  marketValue,
  moneyFromYuan,
  notional,
  type Price,
  type Quantity,
} from '../../domain/money.ts'
import { type LotRule, purchaseQuantity } from './order-size.ts'
import { RATIO_TOLERANCE } from './protect.ts'
import type { StopProfitState } from './stop-profit.ts'
import { highestUpTo, type StopProfitPolicy, stopPrice } from './trigger-prices.ts'
import type { Holding } from './validate-signal.ts'
import { type Verdict, type VerdictCode, verdict } from './verdicts.ts'

export interface AddPolicy extends StopProfitPolicy {
  /** `ENABLE_STOP_LOSS_BUY`. */
  readonly isAddOn: boolean
  /** `BUY_GRID_LEVELS[1]`: price over cost at which is bought, 0.93. */
  readonly addLevel: number
  /** `POSITION_UNIT`. */
  readonly addAmount: Money
  /** `MAX_POSITION_VALUE`. */
  readonly positionValueMax: Money
  /** Between two purchases of one stock: 120 000. */
  readonly addCooldownMs: number
}

/** Which comes first when a price falls: buying more, or giving up. */
export type Scenario = 'add_position_first' | 'stop_loss_first'

/** Source  docs/domain.md 5.8. */
export const scenarioOf = ({ addLevel, stopLossRatio }: AddPolicy): Scenario =>
  1 - addLevel < Math.abs(stopLossRatio) - RATIO_TOLERANCE
    ? 'add_position_first'
    : 'stop_loss_first'

/** At this price or below, but above the stop, more is bought; 0 when it never is. */
export function addPriceOf(
  policy: AddPolicy,
  { costPrice, profitTriggered }: { readonly costPrice: Price; readonly profitTriggered: boolean },
): Price {
  const isPossible =
    policy.isAddOn && !profitTriggered && scenarioOf(policy) === 'add_position_first'
  if (!isPossible || costPrice <= 0) return 0 as Price
  return highestUpTo(costPrice * policy.addLevel, costPrice)
}

export interface AddInput {
  readonly nowMs: number
  /** Last price; 0 = none. */
  readonly price: Price
  readonly holding: Holding
  /** Shares that purchases may still add to what the holding shows: open ones, and fills that no list shows. */
  readonly coming: Quantity
  readonly rule: LotRule
  readonly hasPendingOrder: boolean
  readonly isBuyAllowed: boolean
  /** Some stock's quotes cannot be right: nothing is bought for a while. */
  readonly isBreakerOpen: boolean
  /**
   * Whether it is known what all assets together are worth; what waits for that is bought a little later. Asked only where
   * nothing else keeps a purchase back: whoever answers looks at every holding.
   */
  readonly isTotalKnown: () => boolean
  /** Simulation buys nothing where a real account buys the fewest shares. */
  readonly isSimulation: boolean
  /** Epoch milliseconds of the last purchase of this stock, sent or tried; 0 = none. Asked as seldom: of every order. */
  readonly lastAddMs: () => number
}

const ROOM_MIN = moneyFromYuan(1_000)

/**
 * How many shares are bought to lower the cost, or why nothing is.
 *
 * Source  docs/domain.md 5.11.
 */
export function addPosition(
  policy: AddPolicy,
  state: StopProfitState,
  input: AddInput,
): Quantity | Verdict {
  return whyNoDrop(policy, state, input) ?? whyNotNow(policy, input) ?? purchase(policy, input)
}

type Seen = Pick<AddInput, 'price' | 'holding'>

function whyNoDrop(policy: AddPolicy, state: StopProfitState, seen: Seen): Verdict | undefined {
  const never = whyNever(policy, state, seen)
  if (never !== undefined) return never
  const { price, holding } = seen
  const threshold = addPriceOf(policy, { ...holding, profitTriggered: false })
  if (price > threshold) return verdict('add_drop_small', { price, threshold })
  return whyGivenUp(policy, seen)
}

function whyNever(
  policy: AddPolicy,
  { profitTriggered }: StopProfitState,
  { price, holding }: Seen,
): Verdict | undefined {
  const off = (code: VerdictCode) => verdict(code, { price })
  if (!policy.isAddOn) return off('add_off')
  if (scenarioOf(policy) === 'stop_loss_first') return off('add_stop_first')
  if (profitTriggered) return off('add_after_profit')
  if (holding.quantity <= 0) return off('no_position')
  if (price <= 0) return off('no_price')
  return holding.costPrice <= 0 ? off('no_cost') : undefined
}

/** What the stop gives up is not bought. */
function whyGivenUp(policy: AddPolicy, { price, holding }: Seen): Verdict | undefined {
  const stop = stopPrice(policy, holding.costPrice)
  return price <= stop ? verdict('add_stop_reached', { price, threshold: stop }) : undefined
}

/**
 * Why the rest of a purchase that was canceled is not bought any more. The price may have risen since it was wanted, but
 * `paid`, what a share of it would cost, still has to lower the cost.
 */
export function whyNoRest(
  policy: AddPolicy,
  state: StopProfitState,
  { paid, ...seen }: Seen & { readonly paid: Price },
): Verdict | undefined {
  const over = whyNever(policy, state, seen) ?? whyGivenUp(policy, seen)
  if (over !== undefined) return over
  const { costPrice } = seen.holding
  return paid < costPrice
    ? undefined
    : verdict('add_drop_small', { price: paid, threshold: costPrice })
}

function whyNotNow(policy: AddPolicy, input: AddInput): Verdict | undefined {
  const { price, nowMs } = input
  const not = (code: VerdictCode) => verdict(code, { price })
  if (roomOf(policy, input) < ROOM_MIN) return not('add_room_small')
  if (!input.isBuyAllowed) return not('add_not_permitted')
  if (input.isBreakerOpen) return not('breaker_open')
  if (input.hasPendingOrder) return not('add_pending_order')
  if (!input.isTotalKnown()) return not('add_total_unknown')
  const lastAddMs = input.lastAddMs()
  const isRecent = lastAddMs > 0 && nowMs - lastAddMs < policy.addCooldownMs
  return isRecent ? not('add_cooling_down') : undefined
}

/** Under the cap of the stock at this price; what is on its way counts as held. */
const roomOf = ({ positionValueMax }: AddPolicy, { price, holding, coming }: AddInput): number =>
  positionValueMax - marketValue(price, (holding.quantity + coming) as Quantity)

/** Never more than the room, also where the board asks for more shares than the amount buys. */
function purchase(policy: AddPolicy, input: AddInput): Quantity | Verdict {
  const { price, rule } = input
  const room = roomOf(policy, input)
  const bought = purchaseQuantity(Math.min(policy.addAmount, room) as Money, price, rule)
  if (bought > 0) return bought
  if (input.isSimulation) return verdict('add_below_lot', { price })
  const least = fewestShares(rule)
  return notional(price, least) <= room ? least : verdict('add_room_below_lot', { price })
}
