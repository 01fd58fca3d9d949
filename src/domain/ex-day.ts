import type { Board } from './data/board-rules.ts'
import { DAY_MS, exchangeDay } from './exchange-time.ts'
import type { StockCode } from './instrument.ts'
import type { Money, Price, Quantity } from './money.ts'
import { boardOf, priceLimits } from './rules.ts'
import { isAfterClose, isTradingDay } from './session.ts'

/** What prices are multiplied by on an ex-day, kept exactly: what was `of` is `to` from then on. */
export interface PriceFactor {
  readonly to: number
  readonly of: number
}

export const SAME: PriceFactor = { to: 1, of: 1 }

export const scaled = (price: Price, { to, of }: PriceFactor): Price =>
  Math.round((price * to) / of) as Price

export const isSameFactor = (one: PriceFactor, other: PriceFactor): boolean =>
  one.to * other.of === other.to * one.of

/** What a holding was on the old scale: every later word about the factor begins here. */
export interface Unscaled {
  readonly highestPrice: Price
  readonly breakoutHighestPrice: Price
  /** As the broker reported it. */
  readonly costPrice: Price
  /** The cost that thresholds went by. */
  readonly thresholdCost: Price
  readonly quantity: Quantity
  /** Of it, what was bought on the day itself before anybody told of it: that is on the new scale. Absent: nothing. */
  readonly bought?: BoughtToday
}

/** Purchases of one day. */
export interface BoughtToday {
  readonly shares: number
  readonly amount: Money
}

/** The cost that thresholds went by, on the new scale. */
export function scaledCost(
  { thresholdCost, quantity, bought }: Unscaled,
  factor: PriceFactor,
): Price {
  const { shares = 0, amount = 0 as Money } = bought ?? {}
  const paidBefore = thresholdCost * quantity - amount
  if (shares === 0 || shares >= quantity || paidBefore <= 0) return scaled(thresholdCost, factor)
  return Math.round(((paidBefore * factor.to) / factor.of + amount) / quantity) as Price
}

/** A day from which a holding is without a right (除权除息日): its prices are on another scale. */
export interface ExDay {
  /** First exchange day of the new prices. */
  readonly day: string
  /** Who said it. `assumed`: nobody did within the limit, and what the broker shows is believed. */
  readonly source: 'market' | 'broker' | 'assumed'
  /** Null: shares have changed, and what prices do is not known yet. */
  readonly factor: PriceFactor | null
  /** The broker reports a cost of the new scale. */
  readonly isCostAdjusted: boolean
  /** When it was first noticed, epoch ms of the market clock. */
  readonly sinceMs: number
  readonly before: Unscaled
}

const FUNDS: ReadonlySet<string> = new Set(['fund', 'starFund'])

/** Shares of funds are put together (合并); those of stocks practically never. */
export const isFund = (code: StockCode): boolean => FUNDS.has(boardOf(code) ?? '')

/**
 * How far `lastClose` may stand from the last price of the day before without an ex-day, as a part of it. A stock's close
 * is the price of its closing auction; in Shanghai that of a fund or bond is the average of the last minute in
 * which it traded. Prices of bonds are without interest, so nothing is ever taken off them.
 *
 * Source  上海证券交易所交易规则 (2018), 收盘价.
 */
const CLOSE_TOLERANCE: Partial<Record<Board, number>> = {
  fund: 0.005,
  starFund: 0.005,
  bond: Number.POSITIVE_INFINITY,
}

/** What a quote tells of an ex-day. Ten-thousandths of a yuan, 0 = not known. */
export interface Closes {
  readonly closeBefore?: Price
  readonly lastCloseBefore?: Price
  readonly lastClose: Price
  readonly lastPrice: Price
}

export interface MarketQuestion {
  readonly code: StockCode
  readonly name: string
  readonly day: string
  /** Shares of before for each one of now, as the broker tells: confirms a price that rises. */
  readonly sharesRatio: number
}

/** Shares that agree with prices to so much confirm them: fractions of shares are dropped, prices rounded. */
const SHARES_TOLERANCE = 0.02

/**
 * What the market says prices are multiplied by today: 1 on an ordinary day, undefined when it says nothing. That
 * is when the close of the day before is not known, when `lastClose` stands as it stood on that day (a feed
 * that does not maintain it), or when today's price could not trade at all under it (a bad one).
 */
export function marketFactor(
  { code, name, day, sharesRatio }: MarketQuestion,
  { closeBefore = 0 as Price, lastCloseBefore, lastClose, lastPrice }: Closes,
): PriceFactor | undefined {
  if (closeBefore <= 0 || lastClose <= 0 || lastClose === lastCloseBefore) return undefined
  if (isCloseKept(code, { closeBefore, lastClose })) return SAME
  const isConfirmed = Math.abs((sharesRatio * closeBefore) / lastClose - 1) <= SHARES_TOLERANCE
  if (lastClose > closeBefore && !isFund(code) && !isConfirmed) return undefined
  const limits = lastPrice > 0 ? priceLimits(code, day, { lastClose, name }) : undefined
  if (limits !== undefined && (lastPrice < limits.low || lastPrice > limits.high)) return undefined
  return { to: lastClose, of: closeBefore }
}

/** Whether the prices of a day are on the scale of the day before, by what the market has seen of both. */
export function isCloseKept(
  code: StockCode,
  { closeBefore = 0 as Price, lastClose }: Pick<Closes, 'closeBefore' | 'lastClose'>,
): boolean {
  const board = boardOf(code)
  const tolerance = (board && CLOSE_TOLERANCE[board]) ?? 0
  return closeBefore > 0 && Math.abs(lastClose - closeBefore) <= tolerance * closeBefore
}

type Reported = Pick<Unscaled, 'costPrice' | 'quantity'>

/** A cost that moves by less is one of fees, which some brokers settle over night. */
const COST_MOVE_MIN = 0.001
/** What is held is worth the same before and after, but for what was paid out, rounding and fees. */
const WORTH_TOLERANCE = 0.005

/**
 * What the broker's cost and shares say, when no deal explains their change: null when shares have changed and the
 * cost has not (yet), undefined when it is no ex-day. A sale or purchase that is not known yet changes
 * what all shares together have cost, and is none of these.
 */
export function brokerFactor(
  before: Reported,
  after: Reported,
  isConsolidable: boolean,
): PriceFactor | null | undefined {
  const { costPrice: of, quantity: had } = before
  const { costPrice: to, quantity: has } = after
  if (of <= 0 || to <= 0 || had <= 0) return undefined
  if (Math.abs(to - of) < COST_MOVE_MIN * of) {
    return has > had || (has < had && isConsolidable) ? null : undefined
  }
  const worth = (to * has) / (of * had)
  const isSplit = to < of && has >= had && worth <= 1 + WORTH_TOLERANCE
  const isConsolidation = to > of && has < had && Math.abs(worth - 1) <= WORTH_TOLERANCE
  return isSplit || isConsolidation ? { to, of } : undefined
}

/** No row of closed days is longer. */
const CLOSED_DAYS_MAX = 30

/** The exchange day whose prices a change in the books of now is about: after the close it is the next one. */
export function dayOfPrices(nowMs: number): string {
  let dayMs = isAfterClose(nowMs) ? nowMs + DAY_MS : nowMs
  for (let more = 0; more < CLOSED_DAYS_MAX && !isTradingDay(exchangeDay(dayMs)); more++) {
    dayMs += DAY_MS
  }
  return exchangeDay(dayMs)
}

/**
 * A remembered high on the new scale. What was said `earlier` of the factor counts no more: it begins with what the
 * high `was` before; what was reached since is of the new scale already, and a high that was given up is gone.
 */
export function rescaledHigh(
  { was, now }: { readonly was: Price; readonly now: Price },
  { earlier, factor }: { readonly earlier: PriceFactor; readonly factor: PriceFactor },
): Price {
  const then = scaled(was, earlier)
  if (now < then) return now
  return Math.max(scaled(was, factor), now > then ? now : 0) as Price
}

/** A holding whose cost the broker has changed beside deals that would explain a change. */
export interface Dealt {
  /** Shares before and after. */
  readonly had: number
  readonly has: number
  /** Average price of the deals, not rounded. */
  readonly price: number
}

/** What a cost becomes by deals: the average of purchases; a sale leaves it, or its gain lowers it (摊薄成本). */
function costsAfter(cost: Price, { had, has, price }: Dealt): readonly number[] {
  if (has <= 0 || has === had) return [cost]
  const mixed = (had * cost + (has - had) * price) / has
  return has > had ? [mixed] : [cost, mixed]
}

const distance = (cost: Price, candidates: readonly number[]): number =>
  Math.min(...candidates.map((each) => Math.abs(each - cost)))

/**
 * The effective cost after the broker has reported another one beside deals: 0 when that one is nearer to what the
 * deals have made of the adjusted cost than to what they have made of the unadjusted one.
 */
export function effectiveAfterDeals(
  costs: { readonly before: Price; readonly effective: Price; readonly after: Price },
  dealt: Dealt,
): Price {
  const { before, effective, after } = costs
  const [plain, adjusted] = [costsAfter(before, dealt), costsAfter(effective, dealt)]
  if (distance(after, adjusted) < distance(after, plain)) return 0 as Price
  // What was taken off is a sum of money; over more shares it is less for each.
  const isKept = distance(after, plain) === Math.abs(after - before)
  const part = isKept || dealt.has <= 0 ? 1 : dealt.had / dealt.has
  return Math.max(1, Math.round(after - (before - effective) * part)) as Price
}
