import type { Price } from '../../domain/money.ts'
import { ANY_PRICE, type Band, EVERY_TICK, intersection } from '../band.ts'
import { isCenterTooFar } from './exits.ts'
import { summaryOf } from './ledger.ts'
import { PPM, ratioOf } from './ratios.ts'
import { type GridSession, investedOf } from './session.ts'
import { callbackPrice, LEVEL_UNITS, levelsOf } from './tracker.ts'

/** The prices at which nothing happens to an active session. Rather too narrow than too wide. */
export const gridBand = (session: GridSession): Band =>
  intersection(intersection(trackerBand(session), deviationBand(session)), profitBand(session))

const bandOf = (low: number, high: number): Band => ({ low: low as Price, high: high as Price })

function trackerBand(session: GridSession): Band {
  const { tracker, callbackPpm } = session
  if (!tracker.isWaiting) {
    const { lower, upper } = levelsOf(session.currentCenter, session.intervalPpm)
    const isFull = investedOf(session) >= session.maxInvestment
    return bandOf(isFull ? 0 : Math.ceil(lower / LEVEL_UNITS), Math.floor(upper / LEVEL_UNITS))
  }
  const turn = callbackPrice(tracker, callbackPpm)
  return tracker.direction === 'rising'
    ? bandOf(turn + 1, tracker.peakPrice)
    : bandOf(tracker.valleyPrice, turn - 1)
}

function deviationBand(session: GridSession): Band {
  const { currentCenter, maxDeviationPpm } = session
  // The center itself is too far off: the next look ends the session, whatever the price.
  if (isCenterTooFar(session)) return EVERY_TICK
  return bandOf(
    Math.ceil((currentCenter * (PPM - maxDeviationPpm)) / PPM),
    Math.floor((currentCenter * (PPM + maxDeviationPpm)) / PPM),
  )
}

/** So many units of price are given away to rounding. */
const SLACK = 2

/** Profit rises with the price by the shares that the grid holds. */
function profitBand(session: GridSession): Band {
  const { buyCount, sellCount, maxInvestment, ledger } = session
  if (buyCount === 0) return ANY_PRICE
  const { openQuantity, openCost, realized } = summaryOf(ledger, 0 as Price)
  const priceOf = (ppm: number) =>
    (ratioOf(ppm) * maxInvestment - realized + openCost) / openQuantity
  if (openQuantity === 0) {
    const profit = realized / maxInvestment
    const hasEnded =
      (sellCount > 0 && profit >= at(session.targetProfitPpm, -1)) ||
      profit <= at(session.stopLossPpm, 1)
    return hasEnded ? EVERY_TICK : ANY_PRICE
  }
  return bandOf(
    Math.floor(priceOf(session.stopLossPpm)) + SLACK,
    sellCount > 0 ? Math.ceil(priceOf(session.targetProfitPpm)) - SLACK : ANY_PRICE.high,
  )
}

const NEARLY = 1e-6
const at = (ppm: number, sign: 1 | -1): number => ratioOf(ppm) + sign * NEARLY
