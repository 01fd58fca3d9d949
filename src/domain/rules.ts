import {
  BOARD_OF,
  BOARD_RULES,
  type Board,
  type BoardRule,
  NEW_WITHOUT_LIMIT,
} from './data/board-rules.ts'
import { type FeeRow, STAMP_DUTY, STAMPED, TRANSFER_FEE } from './data/fee-rules.ts'
import { exchangeDay, exchangeTimeOfDayMs, MINUTE_MS } from './exchange-time.ts'
import { exchangeOf, type StockCode } from './instrument.ts'
import { type Price, type Quantity, toYuan, UNITS_PER_YUAN } from './money.ts'
import type { Side } from './order.ts'
import { SESSIONS, sessionAt } from './session.ts'

const PREFIX_LENGTHS = [3, 2, 1] as const
const BP = 10_000

/** The board of a code; undefined for what is not traded here (indexes, B shares, repos). */
export function boardOf(code: StockCode): Board | undefined {
  const exchange = exchangeOf(code)
  for (const length of PREFIX_LENGTHS) {
    const board = BOARD_OF.get(exchange + code.slice(0, length))
    if (board !== undefined) return board
  }
  return undefined
}

/** Newest row that holds on a day; rows are oldest first. */
const rowOf = <T extends { readonly from: string }>(rows: readonly T[], day: string) =>
  rows.findLast(({ from }) => from <= day)

/** The rules of a code on an exchange day; undefined when it could not be traded then. */
export function rulesFor(code: StockCode, day: string): BoardRule | undefined {
  const board = boardOf(code)
  return board && rowOf(BOARD_RULES[board], day)
}

const TICK_SIZE_DEFAULT = 100

/** What holds on most boards, for a code of which nothing is known. */
export const USUAL_RULE = {
  lotMin: 100,
  lotStep: 100,
  quantityMax: 1_000_000,
  tickSize: TICK_SIZE_DEFAULT,
} as const satisfies Partial<BoardRule>

/** What an account may hold although it is not traded here: bonds, repos and, in dollars, B shares of Shanghai. */
const IN_THOUSANDTHS = /^(?:0[12]\d{4}\.SH|1|204|900)/
const TICK_SIZE_FINE = 10

/** The finest step of a price, ten-thousandths of a yuan; a cent for what nothing is known of. It is the same on all days. */
export function tickSizeOf(code: StockCode): number {
  const board = boardOf(code)
  if (board === undefined) return IN_THOUSANDTHS.test(code) ? TICK_SIZE_FINE : TICK_SIZE_DEFAULT
  return BOARD_RULES[board].at(-1)?.tickSize ?? TICK_SIZE_DEFAULT
}

/** The one place that knows how many decimals a price is written with: three for funds, bonds and what else is quoted so, else two. */
export const priceDecimals = (code: StockCode): number =>
  Math.round(Math.log10(UNITS_PER_YUAN / tickSizeOf(code)))

/** A price for people: "36.10" of a stock, "4.100" of a fund. */
export const priceText = (code: StockCode, price: Price): string =>
  toYuan(price).toFixed(priceDecimals(code))

/** Boards on which Shanghai trades continuously until the close. */
const WITHOUT_CLOSING_AUCTION: ReadonlySet<Board> = new Set<Board>(['fund', 'starFund', 'bond'])
const CLOSING_AUCTION_MS = 3 * MINUTE_MS

/**
 * Whether the closing auction of this code runs at a moment (epoch milliseconds): the exchange takes no cancel of it then,
 * and nothing but limits.
 */
export function isInClosingAuction(code: StockCode, epochMs: number): boolean {
  const timeOfDay = exchangeTimeOfDayMs(epochMs)
  const isClosing = timeOfDay >= SESSIONS[1].toMs - CLOSING_AUCTION_MS
  if (!isClosing || sessionAt(epochMs) === 'closed') return false
  const board = boardOf(code)
  const isContinuous = board !== undefined && WITHOUT_CLOSING_AUCTION.has(board)
  return !(isContinuous && exchangeOf(code) === 'SH')
}

/**
 * ST and *ST are in the name of a stock, never in its code; on an ex-day the exchange writes XD, XR or DR before it. An
 * unknown name counts as a plain stock.
 */
export const isUnderRiskWarning = (name: string): boolean => /^(?:XD|XR|DR)?S?\*?ST/.test(name)

/** On its first day the exchange writes N before the name of a stock, and C on those that follow without a limit. */
const NEW_NAME = /^[NC]\p{Script=Han}/u

const isNewWithoutLimit = (code: StockCode, day: string, name: string): boolean => {
  if (!NEW_NAME.test(name)) return false
  const board = boardOf(code)
  const from = board && NEW_WITHOUT_LIMIT[board]
  return from !== undefined && from <= day
}

export interface PriceLimits {
  readonly low: Price
  readonly high: Price
}

/**
 * Lowest and highest price of the day, rounded half up to the tick size, and at least one tick from
 * `lastClose`. Undefined = no limit: none exists, or `lastClose` is not known (0).
 */
export function priceLimits(
  code: StockCode,
  day: string,
  { lastClose, name = '' }: { readonly lastClose: Price; readonly name?: string },
): PriceLimits | undefined {
  const rule = rulesFor(code, day)
  const limitBp = isUnderRiskWarning(name) ? rule?.riskLimitBp : rule?.limitBp
  if (rule === undefined || limitBp == null || lastClose <= 0) return undefined
  if (isNewWithoutLimit(code, day, name)) return undefined
  const { tickSize } = rule
  const at = (bp: number) => Math.floor((2 * lastClose * bp + tickSize * BP) / (2 * tickSize * BP))
  const low = Math.min(at(BP - limitBp) * tickSize, lastClose - tickSize)
  const high = Math.max(at(BP + limitBp) * tickSize, lastClose + tickSize)
  return { low: Math.max(tickSize, low) as Price, high: high as Price }
}

/** What of a quote tells the limits of a day. */
export interface LimitsSeen {
  readonly lastClose: Price
  readonly name: string
  /** Epoch milliseconds of the quote; absent = limits that were told are not of a known day. */
  readonly timeMs?: number
  /** Told by the terminal for the day of the quote; 0 or absent = it has not. */
  readonly lowerLimit?: Price
  readonly upperLimit?: Price
}

/**
 * The limits of a day: those that the terminal told for that very day, which knows of listings and risk warnings, else
 * those of the table.
 */
export function limitsOfDay(
  code: StockCode,
  day: string,
  seen: LimitsSeen,
): PriceLimits | undefined {
  const { timeMs, lowerLimit = 0 as Price, upperLimit = 0 as Price } = seen
  const isTold = lowerLimit > 0 && upperLimit > 0
  const isOfDay = timeMs !== undefined && exchangeDay(timeMs) === day
  return isTold && isOfDay ? { low: lowerLimit, high: upperLimit } : priceLimits(code, day, seen)
}

/**
 * The limits of the day as an order has to keep them; undefined also when the market itself trades beyond them: then
 * its limits are others (a new listing, a fund that follows a 20 % board).
 */
export function limitsInForce(
  code: StockCode,
  day: string,
  seen: LimitsSeen & { readonly lastPrice: Price },
): PriceLimits | undefined {
  const limits = limitsOfDay(code, day, seen)
  const { lastPrice } = seen
  if (limits === undefined || lastPrice <= 0) return limits
  return lastPrice < limits.low || lastPrice > limits.high ? undefined : limits
}

export const isOnTick = ({ tickSize }: BoardRule, price: Price): boolean => price % tickSize === 0

export type LotError =
  /** Not a positive whole number. */
  | 'NOT_A_QUANTITY'
  | 'BELOW_MINIMUM'
  | 'NOT_A_MULTIPLE'
  /** An odd remainder may be sold, but only whole and in one order. */
  | 'ODD_REMAINDER_SPLIT'
  | 'ABOVE_MAXIMUM'

export interface LotQuestion {
  readonly side: Side
  readonly quantity: Quantity
  /** What may be sold now; only read for sales. */
  readonly sellable: Quantity
}

type LotRule = Pick<BoardRule, 'lotMin' | 'lotStep' | 'quantityMax'>

/** What is wrong with a quantity by the rules of the board; undefined when nothing is. */
export function lotError(rule: LotRule, question: LotQuestion): LotError | undefined {
  const { side, quantity, sellable } = question
  if (!Number.isSafeInteger(quantity) || quantity <= 0) return 'NOT_A_QUANTITY'
  if (quantity > rule.quantityMax) return 'ABOVE_MAXIMUM'
  const { lotMin, lotStep } = rule
  if (quantity >= lotMin && (quantity - lotMin) % lotStep === 0) return undefined
  const isRemainder = side === 'sell' && takesRemainder(rule, quantity, sellable)
  if (isRemainder) return undefined
  const hasOddPart = side === 'sell' && lotStep > 1 && sellable % lotStep > 0
  if (hasOddPart) return 'ODD_REMAINDER_SPLIT'
  return quantity < lotMin ? 'BELOW_MINIMUM' : 'NOT_A_MULTIPLE'
}

/** Boards with whole lots: the part below a lot goes whole. Others: all, once it is below the minimum. */
function takesRemainder({ lotMin, lotStep }: LotRule, quantity: number, sellable: number) {
  if (lotStep === 1) return sellable < lotMin && quantity === sellable
  return quantity % lotStep === sellable % lotStep
}

/** Stamp duty on a sale, in millionths of the amount; 0 for purchases, funds and bonds. */
export function stampDutyPpm(code: StockCode, side: Side, day: string): number {
  const board = boardOf(code)
  if (side === 'buy' || board === undefined || !STAMPED.has(board)) return 0
  return rateOf(STAMP_DUTY, day)
}

/** Transfer fee on either side, in millionths of the amount; 0 for funds and bonds. */
export function transferFeePpm(code: StockCode, day: string): number {
  const board = boardOf(code)
  return rateOf((board && TRANSFER_FEE[board]) ?? [], day)
}

const rateOf = (rows: readonly FeeRow[], day: string): number =>
  (rowOf(rows, day) ?? rows[0])?.ppm ?? 0
