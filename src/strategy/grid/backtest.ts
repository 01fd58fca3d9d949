import { exchangeDay, exchangeDayNumber } from '../../domain/exchange-time.ts'
import type { Money, Price, Quantity } from '../../domain/money.ts'
import type { Side } from '../../domain/order.ts'
import { type PriceLimits, priceLimits, rulesFor } from '../../domain/rules.ts'
import { sessionAt } from '../../domain/session.ts'
import { type Band, EVERY_TICK } from '../band.ts'
import { gridBand } from './band.ts'
import { type ExitReason, exitOf } from './exits.ts'
import { guardRefusal, planBuy, planSell } from './plan.ts'
import { pnlOf } from './pnl.ts'
import type { GridPolicy } from './policy.ts'
import {
  type GridParameters,
  type GridSession,
  investedOf,
  isCooling,
  newSession,
  tradeCountOf,
  withAcceptance,
  withTrade,
} from './session.ts'
import { levelsOf, released, type TrackerSignal, track } from './tracker.ts'

/** One price of the past. */
export interface PricePoint {
  /** Epoch ms. */
  readonly timeMs: number
  readonly price: Price
}

export interface BacktestSetup {
  readonly policy: GridPolicy
  readonly parameters: GridParameters
  /** Shares held before it begins; all of them may be sold. */
  readonly baseQuantity: Quantity
  /** All fees of an order that turns over this amount on that exchange day. */
  readonly fees: (side: Side, amount: Money, day: string) => Money
  /** The past has no trading hours. */
  readonly isAlwaysOpen: boolean
}

export interface BacktestTrade {
  readonly timeMs: number
  readonly side: Side
  readonly price: Price
  readonly quantity: Quantity
  readonly amount: Money
  readonly fees: Money
  readonly centerAfter: Price
  /** Realized until then, without fees. */
  readonly realized: Money
}

/** Where the grid stood at a moment; `pnl` is that of the ledger, without fees. */
export interface CurvePoint extends PricePoint {
  readonly pnl: Money
  readonly net: Money
}

export interface BacktestResult {
  readonly points: number
  readonly session: GridSession
  readonly lastPrice: Price
  readonly trades: readonly BacktestTrade[]
  readonly fees: Money
  /** At most {@link CURVE_POINTS_MAX}, evenly thinned, the last one included. */
  readonly curve: readonly CurvePoint[]
  /** The deepest fall of the net profit from its highest until then. */
  readonly maxDrawdown: Money
  readonly exit: ExitReason | null
  /** Signals that led to no order, by reason. */
  readonly refusals: Readonly<Record<string, number>>
  /** Days whose first price could not trade by the limits over the one before: an ex-day, a new listing, or a gap. */
  readonly jumps: readonly string[]
}

export const CURVE_POINTS_MAX = 1_000

/**
 * A grid over prices of the past, with the rules of a live one: levels, callbacks, cool-downs,
 * guards, exits, and T+1 where the board has it. An order is filled at once, whole, at the price that set it off; the past
 * knows neither the other side of the book nor what our order would have done to it.
 */
export class Backtest {
  readonly #setup: BacktestSetup
  #session: GridSession | undefined
  #held: number
  #sellable: number
  #dayNumber = Number.NaN
  #day = ''
  #lastClose = 0 as Price
  #lastMs = 0
  #lastPrice = 0 as Price
  #points = 0
  #fees = 0
  #peak = 0
  #maxDrawdown = 0
  #exit: ExitReason | null = null
  #isMissing = false
  /** Between these prices, until that moment, nothing happens. */
  #calm: Calm = NOT_CALM
  #profit: ProfitLine = { fixed: 0, perUnit: 0 }
  readonly #trades: BacktestTrade[] = []
  readonly #refusals = new Map<string, number>()
  readonly #jumps: string[] = []
  #curve: CurvePoint[] = []
  #stride = 1

  constructor(setup: BacktestSetup) {
    this.#setup = setup
    this.#held = setup.baseQuantity
    this.#sellable = setup.baseQuantity
  }

  /** It has ended by itself; further prices change nothing. */
  get hasEnded(): boolean {
    return this.#exit !== null
  }

  /** The next price, not older than the one before. Allocates nothing while nothing happens. */
  take(timeMs: number, price: Price): void {
    if (this.hasEnded || price <= 0) return
    if (!this.#setup.isAlwaysOpen && sessionAt(timeMs) === 'closed') return
    if (exchangeDayNumber(timeMs) !== this.#dayNumber) this.#turnDay({ timeMs, price })
    const { low, high, untilMs } = this.#calm
    if (price < low || price > high || timeMs > untilMs) this.#evaluate({ timeMs, price })
    this.#points += 1
    this.#lastMs = timeMs
    this.#lastPrice = price
    this.#note(timeMs, price)
  }

  result(): BacktestResult {
    const [timeMs, price] = [this.#lastMs, this.#lastPrice]
    const session = this.#session ?? this.#begin({ timeMs, price })
    const last = curvePoint(session, { timeMs, price, fees: this.#fees })
    const noted = this.#curve.at(-1)
    // The prices of a bar share its time: one of them may be noted, and be another than the last.
    const isNoted = noted?.timeMs === timeMs && noted.price === price && noted.net === last.net
    return {
      points: this.#points,
      session: this.hasEnded ? session : seenAt(session, price),
      lastPrice: price,
      trades: this.#trades,
      fees: this.#fees as Money,
      curve: isNoted || this.#points === 0 ? this.#curve : [...this.#curve, last],
      maxDrawdown: this.#maxDrawdown as Money,
      exit: this.#exit,
      refusals: Object.fromEntries(this.#refusals),
      jumps: this.#jumps,
    }
  }

  #begin({ timeMs, price }: PricePoint): GridSession {
    const { parameters } = this.#setup
    const centerPrice = parameters.centerPrice > 0 ? parameters.centerPrice : price
    return newSession({ ...parameters, centerPrice }, { id: 1, nowMs: timeMs, price })
  }

  #turnDay({ timeMs, price }: PricePoint): void {
    this.#dayNumber = exchangeDayNumber(timeMs)
    this.#day = exchangeDay(timeMs)
    this.#lastClose = this.#lastPrice
    this.#sellable = this.#held
    const limits = this.#limits()
    if (limits !== undefined && (price < limits.low || price > limits.high)) {
      this.#jumps.push(this.#day)
    }
  }

  #evaluate(point: PricePoint): void {
    const begun = this.#session
    this.#session = begun === undefined ? this.#begin(point) : seenAt(begun, this.#lastPrice)
    this.#judge(this.#session, point)
    const session = this.#session
    this.#profit = profitLineOf(session)
    // A holding that is gone must be missed twice in a row.
    this.#calm = this.#held === 0 ? NOT_CALM : { ...gridBand(session), untilMs: session.endMs }
  }

  #judge(session: GridSession, point: PricePoint): void {
    const { timeMs: nowMs, price } = point
    const isCleared = this.#held === 0 && this.#isMissing
    this.#isMissing = this.#held === 0
    const exit = exitOf(session, { price, nowMs, isCleared })
    if (exit !== undefined) {
      this.#exit = exit
      this.#session = { ...session, status: 'stopped', stopReason: exit, stopMs: nowMs }
      return
    }
    const { levelCooldownMs: cooldownMs } = this.#setup.policy
    const [tracker, signal] = track(session.tracker, {
      price,
      levels: levelsOf(session.currentCenter, session.intervalPpm),
      callbackPpm: session.callbackPpm,
      isQuotaFull: investedOf(session) >= session.maxInvestment,
      isCooling: (level) => isCooling(session, { level, nowMs, cooldownMs }),
    })
    this.#session = { ...session, tracker }
    if (signal !== undefined) this.#act(this.#session, point, signal)
  }

  #act(session: GridSession, point: PricePoint, signal: TrackerSignal): void {
    const reason = this.#trade(session, point, signal)
    if (reason === undefined) return
    this.#refusals.set(reason, (this.#refusals.get(reason) ?? 0) + 1)
    this.#session = { ...session, tracker: released(session.tracker) }
  }

  #trade(
    session: GridSession,
    { timeMs, price }: PricePoint,
    { side, level }: TrackerSignal,
  ): string | undefined {
    const { policy, parameters, fees: feesOf } = this.#setup
    const limits = this.#limits()
    const rule = rulesFor(parameters.code, this.#day) ?? USUAL_RULE
    const crossing = { sessionId: session.id, side, triggerPrice: price, timeMs }
    const seen = { nowMs: timeMs, latestPrice: price, limits, isHeld: true, isSellingOut: false }
    const refusal = guardRefusal(policy, session, { signal: crossing, ...seen })
    if (refusal !== undefined) return refusal
    const plan = (side === 'buy' ? planBuy : planSell)(policy, session, {
      nowMs: timeMs,
      triggerPrice: price,
      latestPrice: price,
      highLimit: limits?.high ?? (0 as Price),
      rule,
      reserved: 0 as Money,
      sellable: this.#sellable as Quantity,
      isReorder: false,
    })
    if ('refused' in plan) return plan.refused
    const { quantity } = plan
    const amount = (quantity * price) as Money
    const fees = feesOf(side, amount, this.#day)
    const order = { side, level, triggerPrice: price, nowMs: timeMs }
    const coolingFromMs = timeMs - policy.levelCooldownMs
    const accepted = withAcceptance(session, { ...order, coolingFromMs })
    const tradeId = String(tradeCountOf(session) + 1)
    const trade = { side, quantity, amount, tradeId, orderId: tradeId, timeMs }
    const after = withTrade(accepted, trade).session
    this.#session = after
    this.#fees += fees
    const change = side === 'buy' ? quantity : -quantity
    this.#held += change
    if (side === 'sell' || rule.settlementDays === 0) this.#sellable += change
    this.#trades.push({
      timeMs,
      side,
      price,
      quantity,
      amount,
      fees,
      centerAfter: after.currentCenter,
      realized: after.ledger.realized,
    })
    return undefined
  }

  #limits(): PriceLimits | undefined {
    return priceLimits(this.#setup.parameters.code, this.#day, { lastClose: this.#lastClose })
  }

  #note(timeMs: number, price: Price): void {
    const net = this.#profit.fixed + this.#profit.perUnit * price - this.#fees
    if (net > this.#peak) this.#peak = net
    if (this.#peak - net > this.#maxDrawdown) this.#maxDrawdown = this.#peak - net
    if ((this.#points - 1) % this.#stride === 0) this.#draw({ timeMs, price })
  }

  #draw({ timeMs, price }: PricePoint): void {
    if (this.#session === undefined) return
    this.#curve.push(curvePoint(this.#session, { timeMs, price, fees: this.#fees }))
    if (this.#curve.length < CURVE_POINTS_MAX) return
    this.#curve = this.#curve.filter((_, index) => index % 2 === 0)
    this.#stride *= 2
  }
}

interface Calm extends Band {
  readonly untilMs: number
}

const NOT_CALM: Calm = { ...EVERY_TICK, untilMs: 0 }

/** Profit between two looks: so much, and so much for each unit of the price. */
interface ProfitLine {
  readonly fixed: number
  readonly perUnit: number
}

const totalOf = (session: GridSession, price: Price): Money =>
  pnlOf({ session, ledger: session.ledger, price, held: undefined }).total

/** The books stand still between two looks, so profit is a straight line over the price: two points of it suffice. */
function profitLineOf(session: GridSession): ProfitLine {
  const [atOne, atTwo] = [totalOf(session, 1 as Price), totalOf(session, 2 as Price)]
  return { fixed: 2 * atOne - atTwo, perUnit: atTwo - atOne }
}

function curvePoint(
  session: GridSession,
  { timeMs, price, fees }: PricePoint & { readonly fees: number },
): CurvePoint {
  const pnl = totalOf(session, price)
  return { timeMs, price, pnl, net: (pnl - fees) as Money }
}

/** The tracker has followed the price through a calm. */
const seenAt = (session: GridSession, lastPrice: Price): GridSession => ({
  ...session,
  tracker: { ...session.tracker, lastPrice },
})

const USUAL_RULE = { lotMin: 100, quantityMax: 1_000_000, settlementDays: 1 }
