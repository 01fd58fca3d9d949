import type { PriceFactor } from '../../domain/ex-day.ts'
import { DAY_MS } from '../../domain/exchange-time.ts'
import type { StockCode } from '../../domain/instrument.ts'
import type { Money, Price, Quantity } from '../../domain/money.ts'
import type { Side } from '../../domain/order.ts'
import {
  averagePrice,
  bookTrade,
  EMPTY_LEDGER,
  type Ledger,
  type LedgerChange,
  type LedgerTrade,
  openCostOf,
} from './ledger.ts'
import type { GridRates } from './ratios.ts'
import type { RiskLevel } from './templates.ts'
import { type Tracker, trackerAt } from './tracker.ts'

export type TradeMode = 'amount' | 'shares'

/** What a session is started with. */
export interface GridParameters extends GridRates {
  readonly code: StockCode
  readonly centerPrice: Price
  readonly tradeMode: TradeMode
  /** Shares of each trade in `shares` mode. */
  readonly fixedQuantity: Quantity
  /** The quota, and what profit is measured against. */
  readonly maxInvestment: Money
  readonly riskLevel: RiskLevel
  readonly templateName: string | null
}

/** `stopping`: the end is decided, but an order of it is not finished. */
export type GridStatus = 'active' | 'stopping' | 'stopped'

/** A level at which an order was taken, and when; it rests for a while. */
export interface CooledLevel {
  readonly level: number
  readonly atMs: number
}

/** The prices by which a session trades. */
export type GridPrices = Pick<GridSession, 'centerPrice' | 'currentCenter' | 'tracker'>

/** An ex-day that a session has followed. */
export interface GridExDay {
  /** First exchange day of the new prices. */
  readonly day: string
  readonly factor: PriceFactor
  /** What a share is worth less by it, as the ledger has it; absent where an earlier release has left the ledger as it was. */
  readonly off?: number
  /** On the old scale: every later word about the factor begins here. */
  readonly before: GridPrices
}

/** A pause, which a person ends. */
export interface GridPause {
  /** Epoch ms of the market clock. */
  readonly sinceMs: number
  /** As the journal has it: somebody, or the kind of sale that emptied the holding. */
  readonly source: string
}

/** One grid: all that its decisions rest on. Times are epoch ms of the market clock, 0 = never. */
export interface GridSession extends GridParameters {
  readonly id: number
  /** Begun in simulation mode; it acts in that mode only, and its ledger has simulated fills only. */
  readonly isSimulated: boolean
  readonly status: GridStatus
  /** False: paused by a person or by a full exit of the holding. */
  readonly isEnabled: boolean
  /** While it is paused: since when, and who wanted it. Absent for a pause of an earlier release. */
  readonly pause?: GridPause
  /** Price of the last booked trade. */
  readonly currentCenter: Price
  readonly tracker: Tracker
  /** The last ex-day that it followed; absent before the first. */
  readonly exDay?: GridExDay
  readonly ledger: Ledger
  readonly buyCount: number
  readonly sellCount: number
  readonly buyAmount: Money
  readonly sellAmount: Money
  /** Fees of all its trades. Absent before the first, and for good where one trade was booked without. */
  readonly fees?: Money
  readonly buyQuantity: Quantity
  readonly sellQuantity: Quantity
  readonly lastBuyMs: number
  readonly lastSellMs: number
  /** Price that set off the last sale; 0 = none. */
  readonly lastSellTrigger: Price
  readonly cooled: readonly CooledLevel[]
  /** Since when the holding is gone; 0 = it is there. */
  readonly missingSinceMs: number
  /** Newest quote that changed something; it is not acted upon twice. */
  readonly actedTickMs: number
  readonly startMs: number
  readonly endMs: number
  readonly stopMs: number
  readonly stopReason: string
}

export interface Origin {
  readonly id: number
  readonly nowMs: number
  /** The price at that moment. */
  readonly price: Price
  readonly isSimulated?: boolean
}

export function newSession(parameters: GridParameters, origin: Origin): GridSession {
  const { id, nowMs, price, isSimulated = false } = origin
  return {
    ...parameters,
    isSimulated,
    id,
    status: 'active',
    isEnabled: true,
    currentCenter: parameters.centerPrice,
    tracker: trackerAt(price),
    ledger: EMPTY_LEDGER,
    buyCount: 0,
    sellCount: 0,
    buyAmount: 0 as Money,
    sellAmount: 0 as Money,
    buyQuantity: 0 as Quantity,
    sellQuantity: 0 as Quantity,
    lastBuyMs: 0,
    lastSellMs: 0,
    lastSellTrigger: 0 as Price,
    cooled: [],
    missingSinceMs: 0,
    actedTickMs: 0,
    startMs: nowMs,
    endMs: nowMs + parameters.durationDays * DAY_MS,
    stopMs: 0,
    stopReason: '',
  }
}

/** Quota in use: what the grid has bought and still holds, at cost, never shown above the quota. */
export const investedOf = ({ ledger, maxInvestment }: GridSession): Money =>
  Math.min(openCostOf(ledger), maxInvestment) as Money

export const tradeCountOf = ({ buyCount, sellCount }: GridSession): number => buyCount + sellCount

/** What its trades have cost in fees; undefined where one was booked by a release that did not note it. */
export const feesOf = (session: GridSession): Money | undefined =>
  session.fees ?? (tradeCountOf(session) === 0 ? (0 as Money) : undefined)

/** A session after a trade that cost this; one whose fee nobody noted makes the sum unknown for good. */
export function withFee(
  before: GridSession,
  after: GridSession,
  fee: Money | undefined,
): GridSession {
  const { fees: _, ...rest } = after
  const known = feesOf(before)
  return known === undefined || fee === undefined ? rest : { ...rest, fees: (known + fee) as Money }
}

/** A session after a booked fill: counters, books, and the center and the tracker at its price. */
export function withTrade(
  session: GridSession,
  trade: LedgerTrade,
): Omit<LedgerChange, 'ledger'> & { readonly session: GridSession } {
  const { ledger, ...rows } = bookTrade(session.ledger, trade)
  const price = averagePrice(trade.amount, trade.quantity)
  const counted = COUNT[trade.side](session, trade)
  return {
    ...rows,
    session: { ...session, ...counted, ledger, currentCenter: price, tracker: trackerAt(price) },
  }
}

const COUNT: Readonly<
  Record<Side, (session: GridSession, trade: LedgerTrade) => Partial<GridSession>>
> = {
  buy: (session, { amount, quantity }) => ({
    buyCount: session.buyCount + 1,
    buyAmount: (session.buyAmount + amount) as Money,
    buyQuantity: (session.buyQuantity + quantity) as Quantity,
  }),
  sell: (session, { amount, quantity }) => ({
    sellCount: session.sellCount + 1,
    sellAmount: (session.sellAmount + amount) as Money,
    sellQuantity: (session.sellQuantity + quantity) as Quantity,
  }),
}

export interface Acceptance {
  readonly side: Side
  readonly level: number
  readonly triggerPrice: Price
  readonly nowMs: number
  /** Levels that have rested since then, or before, are forgotten. */
  readonly coolingFromMs: number
}

/** The stamps that an order which goes out leaves behind. */
export function withAcceptance(session: GridSession, order: Acceptance): GridSession {
  const { side, level, triggerPrice, nowMs, coolingFromMs } = order
  const young = session.cooled.filter(
    (cooled) => cooled.level !== level && cooled.atMs > coolingFromMs,
  )
  const stamps =
    side === 'buy' ? { lastBuyMs: nowMs } : { lastSellMs: nowMs, lastSellTrigger: triggerPrice }
  return { ...session, ...stamps, cooled: [...young, { level, atMs: nowMs }] }
}

/** Paused or resumed by somebody. */
export function switched(
  { pause: _, ...session }: GridSession,
  {
    isEnabled,
    tracker,
    by,
  }: Pick<GridSession, 'isEnabled' | 'tracker'> & { readonly by: GridPause },
): GridSession {
  return { ...session, isEnabled, tracker, ...(!isEnabled && { pause: by }) }
}

/** Whether an order at this level is too fresh for another one. */
export const isCooling = (
  { cooled }: Pick<GridSession, 'cooled'>,
  { level, nowMs, cooldownMs }: { level: number; nowMs: number; cooldownMs: number },
): boolean => cooled.some((entry) => entry.level === level && nowMs - entry.atMs < cooldownMs)
