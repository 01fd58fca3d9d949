import { bookExDay } from '../../domain/cost-book.ts'
import {
  type BoughtToday,
  brokerFactor,
  dayOfPrices,
  type ExDay,
  isFund,
  isSameFactor,
  marketFactor,
  type PriceFactor,
  rescaledHigh,
  SAME,
  scaled,
  scaledCost,
  type Unscaled,
} from '../../domain/ex-day.ts'
import { exchangeDay, exchangeDayStartMs } from '../../domain/exchange-time.ts'
import type { StockCode } from '../../domain/instrument.ts'
import { type Price, shares, toYuan } from '../../domain/money.ts'
import type { BrokerDeal } from '../../domain/order.ts'
import { type Position, thresholdCost } from '../../domain/position.ts'
import { isAfterClose, tradedMs } from '../../domain/session.ts'
import type { Quote } from '../../ports/quotes.port.ts'
import { rescaledSession } from '../../strategy/grid/ex-day.ts'
import type { GridExDay } from '../../strategy/grid/session.ts'
import type { ExDayFields } from '../model/events.ts'
import type { AccountState } from '../model/state.ts'
import type { Turn } from '../turn/turn.ts'
import { unshownShares } from './available.ts'
import { displayedStop } from './quote-rules.ts'

/*
 * Ex-days (除权除息): what a holding and its grid remember is moved to the scale of today's prices. The market says by
 * how much, by its close and the `lastClose` of the day after; where it says nothing the broker does, by cost
 * and shares.
 *
 * Source  docs/domain.md 4.5, docs/decisions/0018.
 */

/** Whether it cannot be judged, because nobody has said yet on which scale its prices are. */
export const isScaleUnknown = ({ exDay }: Pick<Position, 'exDay'>): boolean =>
  exDay?.factor === null

/**
 * Whether a quote is of the scale before an ex-day that the broker told of: one of an earlier day, or one that
 * only repeats the last of it under today's date.
 */
export function isOldScale({ exDay }: Pick<Position, 'exDay'>, quote: Quote): boolean {
  if (exDay === undefined || exDay.source === 'market') return false
  const day = exchangeDay(quote.timeMs)
  if (day !== exDay.day) return day < exDay.day
  const { lastPrice, lastClose, closeBefore = 0, lastCloseBefore } = quote
  return closeBefore > 0 && lastPrice === closeBefore && lastClose === lastCloseBefore
}

/** Whether the quotes of today have been looked at for an ex-day: until then every tick of the stock is. */
export const isCompared = ({ compared, day }: AccountState, code: StockCode): boolean =>
  compared.day === day && compared.codes.has(code)

function noteCompared(state: AccountState, code: StockCode): void {
  const { compared, day } = state
  if (compared.day !== day) {
    compared.day = day
    compared.codes.clear()
  }
  compared.codes.add(code)
}

/** Before a stock is judged, and before a report of it is followed. The same quote again changes nothing. */
export function followExDay(turn: Turn, code: StockCode): void {
  const { state } = turn
  const quote = turn.inputs.quote(code)
  if (quote !== undefined && exchangeDay(quote.timeMs) === state.day) {
    noteCompared(state, code)
    followMarket(turn, code, quote)
  }
  const held = state.positions.get(code)
  if (held !== undefined && isScaleUnknown(held)) believeInTime(turn, held)
}

/** What is new of the ex-day of a holding. */
interface News extends Pick<ExDay, 'day' | 'source' | 'factor' | 'isCostAdjusted'> {
  /** What was known of the same day before. */
  readonly known: ExDay | undefined
  readonly before: Unscaled
}

function followMarket(turn: Turn, code: StockCode, quote: Quote): void {
  const { positions, simulation } = turn.state
  const held = positions.get(code)
  const news = held && marketNews(turn.state, held, quote, () => shownPurchases(turn, code))
  if (held !== undefined && news !== undefined) tell(turn, held, news)
  const simulated = simulation?.positions.get(code)
  const simulatedNews = simulated && marketNews(turn.state, simulated, quote)
  if (simulated !== undefined && simulatedNews !== undefined) {
    simulation?.positions.set(code, rescaledSimulated(turn, simulated, simulatedNews))
    rescaleSimulatedCost(simulation, simulated, simulatedNews)
    turn.state.dataVersion += 1
  }
  if (!hasGrid(turn.state, code)) return
  const factor = factorToday(held ?? simulated ?? { code, name: '' }, turn.state.day, quote)
  // Its factor is that of two prices.
  if (factor !== undefined) {
    followGrids(turn, code, { day: turn.state.day, factor, off: factor.of - factor.to })
  }
}

const factorToday = (
  { code, name }: Pick<Position, 'code' | 'name'>,
  day: string,
  quote: Quote,
  sharesRatio = 1,
): PriceFactor | undefined => marketFactor({ code, name, day, sharesRatio }, quote)

const DAY_LENGTH = 10
/** What was bought on the day itself is on its scale. */
const isHeldBefore = ({ openDate }: Position, day: string): boolean =>
  openDate.slice(0, DAY_LENGTH) < day

const knownOf = ({ exDay }: Position, day: string): ExDay | undefined =>
  exDay?.day === day ? exDay : undefined

const unscaled = (holding: Position): Unscaled => ({
  highestPrice: holding.highestPrice,
  breakoutHighestPrice: holding.breakoutHighestPrice,
  costPrice: holding.costPrice,
  thresholdCost: thresholdCost(holding),
  quantity: holding.quantity,
})

function marketNews(
  { day }: AccountState,
  held: Position,
  quote: Quote,
  boughtBefore: () => BoughtToday | undefined = () => undefined,
): News | undefined {
  if (!isHeldBefore(held, day)) return undefined
  const known = knownOf(held, day)
  const { quantity } = known?.before ?? held
  const factor = factorToday(held, day, quote, quantity / held.quantity)
  if (factor === undefined) return undefined
  const isTold =
    known === undefined
      ? isSameFactor(factor, SAME)
      : known.source === 'market' && known.factor !== null && isSameFactor(factor, known.factor)
  if (isTold) return undefined
  const bought = known === undefined ? boughtBefore() : undefined // on most days nobody asks: each tick comes here
  const before = known?.before ?? { ...unscaled(held), ...(bought && { bought }) }
  const isCostAdjusted = known?.isCostAdjusted ?? false
  return { day, source: 'market', factor, isCostAdjusted, known, before }
}

export const NONE = 0 as Price

/** What is written down as effective cost: 0 when it is the broker's own. */
function effectiveCostOf({ before, factor, isCostAdjusted }: Omit<News, 'known'>): Price {
  if (isCostAdjusted) return NONE
  const effective = scaledCost(before, factor ?? SAME)
  return effective === before.costPrice ? NONE : effective
}

function fieldsOf(turn: Turn, holding: Position, news: News): ExDayFields {
  const { known, before, day, source, factor, isCostAdjusted } = news
  const earlier = known?.factor ?? SAME
  const factors = { earlier, factor: factor ?? SAME }
  const { highestPrice, breakoutHighestPrice, effectiveCost = NONE } = holding
  // Deals may have moved it since: then it is on the new scale for the most part.
  const isMoved = known !== undefined && effectiveCost !== effectiveCostOf(known)
  const fields = {
    highestPrice: rescaledHigh({ was: before.highestPrice, now: highestPrice }, factors),
    breakoutHighestPrice: rescaledHigh(
      { was: before.breakoutHighestPrice, now: breakoutHighestPrice },
      factors,
    ),
    effectiveCost: isMoved && !isCostAdjusted ? effectiveCost : effectiveCostOf(news),
    exDay: {
      day,
      source,
      factor,
      isCostAdjusted,
      sinceMs: known?.sinceMs ?? turn.inputs.nowMs,
      before,
    },
  }
  return { ...fields, stopLossPrice: displayedStop(turn.state, { ...holding, ...fields }) }
}

/** No broker adjusts it: its cost moves with the prices, its shares stay. */
function rescaledSimulated(turn: Turn, held: Position, news: News): Position {
  const { before, known, factor } = news
  const then = scaled(before.costPrice, known?.factor ?? SAME)
  const costPrice =
    held.costPrice === then ? scaled(before.costPrice, factor ?? SAME) : held.costPrice
  const adjusted = { ...held, costPrice }
  return { ...adjusted, ...fieldsOf(turn, adjusted, { ...news, isCostAdjusted: true }) }
}

function rescaleSimulatedCost(
  simulation: AccountState['simulation'],
  { code, quantity }: Position,
  { day, source, factor }: News,
): void {
  const book = simulation?.costs.get(code)
  if (book === undefined || factor === null) return
  simulation?.costs.set(code, bookExDay(book, { day, source, factor, quantity }))
}

function tell(turn: Turn, held: Position, news: News): void {
  const { code } = held
  const fields = fieldsOf(turn, held, news)
  const { shares: bought } = boughtOn(turn, code, news.day)
  turn.emit({ kind: 'exDayFollowed', code, fields, ...(bought > 0 && { bought }) })
  turn.state.dataVersion += 1
  const { day, source, factor } = news
  const [from, to] = [toYuan(held.highestPrice), toYuan(fields.highestPrice)]
  const what = factor === null ? 'not known yet' : `${factor.to} / ${factor.of}`
  turn.info(
    `${code}: ${day} 除权除息，最高价 ${from} → ${to} (ex-day, prices × ${what}, says the ${source})`,
  )
}

function hasGrid({ grid }: AccountState, code: StockCode): boolean {
  for (const id of grid.live) if (grid.sessions.get(id)?.code === code) return true
  return false
}

function followGrids(
  turn: Turn,
  code: StockCode,
  exDay: Pick<GridExDay, 'day' | 'factor' | 'off'>,
): void {
  const { day, factor } = exDay
  const { grid } = turn.state
  for (const id of [...grid.live]) {
    const session = grid.sessions.get(id)
    if (session?.code !== code || exchangeDay(session.startMs) >= day) continue
    const known = session.exDay?.day === day ? session.exDay : { factor: SAME, off: 0 }
    // Of a factor that the broker told, or an earlier release knew, the market tells what a share has lost.
    const isSameOff = exDay.off === undefined || exDay.off === known.off
    if (isSameFactor(known.factor, factor) && isSameOff) continue
    const prices = rescaledSession(session, { ...exDay, hasTraded: hasTradedOn(grid, id, day) })
    turn.emit({ kind: 'gridRescaled', sessionId: id, ...prices })
  }
}

/** Whether anything is booked of a session's orders of that day, or of a later one. */
function hasTradedOn({ orders }: AccountState['grid'], id: number, day: string): boolean {
  for (const { sessionId, bookedQuantity, placedMs } of orders.values()) {
    if (sessionId === id && bookedQuantity > 0 && exchangeDay(placedMs) >= day) return true
  }
  return false
}

/**
 * Shares that came without a word about prices are believed once these have been traded for a while, or a deal explains
 * them. Clients show them on the evening before: until the day of the prices nobody can have said what these do.
 */
function believeInTime(turn: Turn, held: Position): void {
  const { exDay, code } = held
  if (exDay === undefined) return
  const { policy } = turn.state
  const sinceMs = Math.max(exchangeDayStartMs(exDay.day), exDay.sinceMs)
  const { nowMs } = turn.inputs
  const heldBackMs = policy.isAlwaysOpen ? nowMs - sinceMs : tradedMs(sinceMs, nowMs)
  const isLate = heldBackMs >= policy.limits.exDayHoldMs
  if (!isLate && !hasDealt(turn, code)) return
  const { day, before } = exDay
  tell(turn, held, {
    day,
    source: 'assumed',
    factor: SAME,
    isCostAdjusted: false,
    known: exDay,
    before,
  })
  if (!isLate) return
  turn.error(
    `${code}: 持股数已变而除权除息价未知，按券商现值继续，请核对 (its shares changed from ${shares(before.quantity)} to ${shares(held.quantity)} and nobody said what its prices do; what the broker shows is believed, please look; limits.account.ex_day_hold_ms)`,
  )
}

/** Deals of today that may explain what the broker shows of a stock; after the close they are all shown. */
export const dealsOf = ({ state, inputs }: Turn, code: StockCode): readonly BrokerDeal[] => {
  const today = exchangeDay(inputs.nowMs)
  const deals = [...state.deals.values()].map(({ deal }) => deal)
  return deals.filter((deal) => deal.code === code && exchangeDay(deal.timeMs) === today)
}

/** By deals that are booked already. */
function boughtOn({ state }: Turn, code: StockCode, day: string): BoughtToday {
  const bought = { shares: 0, amount: 0 }
  for (const { deal } of state.deals.values()) {
    if (deal.code !== code || deal.side !== 'buy' || exchangeDay(deal.timeMs) !== day) continue
    bought.shares += deal.quantity
    bought.amount += deal.amount
  }
  return bought as BoughtToday
}

/** What the holding has of today's purchases, as after a start: only where it shows all that is booked. */
function shownPurchases(turn: Turn, code: StockCode): BoughtToday | undefined {
  const { state } = turn
  if (unshownShares(state, code) !== 0) return undefined
  const bought = boughtOn(turn, code, state.day)
  return bought.shares > 0 ? bought : undefined
}

export const hasDealt = (turn: Turn, code: StockCode): boolean =>
  (turn.state.shares.get(code)?.deals.length ?? 0) > 0 ||
  (!isAfterClose(turn.inputs.nowMs) && dealsOf(turn, code).length > 0)

export type Row = Pick<Position, 'costPrice' | 'quantity'>

/** After a report was followed: what the broker tells of an ex-day counts until the market does. */
export function followBroker(turn: Turn, before: Position): void {
  const { state, inputs } = turn
  const held = state.positions.get(before.code)
  if (held === undefined || isSameRow(before, held) || isLateAdjustment(before, held)) return
  const { code } = held
  const day = dayOfPrices(inputs.nowMs)
  const known = knownOf(held, day)
  if (known?.source === 'market' || !isHeldBefore(held, day)) return
  if (isToldByMarket(turn, held, day) || hasDealt(turn, code)) return
  const first = known?.before ?? unscaled(before)
  const factor = brokerFactor(first, held, isFund(code))
  if (factor === undefined || isSaid(known, factor)) return
  const isCostAdjusted = factor !== null
  tell(turn, held, { day, source: 'broker', factor, isCostAdjusted, known, before: first })
  if (factor !== null) followGrids(turn, code, { day, factor })
}

/** The cost of an ex-day that the market told of has come at last, perhaps on a later day: that is no second one. */
const isLateAdjustment = (before: Position, held: Position): boolean =>
  (before.effectiveCost ?? NONE) > 0 && (held.effectiveCost ?? NONE) <= 0

const isSameRow = (one: Row, other: Row): boolean =>
  one.costPrice === other.costPrice && one.quantity === other.quantity

function isSaid(known: ExDay | undefined, factor: PriceFactor | null): boolean {
  if (known === undefined) return false
  if (known.factor === null || factor === null) return known.factor === factor
  return isSameFactor(known.factor, factor)
}

function isToldByMarket({ inputs }: Turn, held: Position, day: string): boolean {
  const quote = inputs.quote(held.code)
  if (quote === undefined || exchangeDay(quote.timeMs) !== day) return false
  return factorToday(held, day, quote) !== undefined
}
