import type { Price } from '../../domain/money.ts'
import { summaryOf } from './ledger.ts'
import { PPM, ratioOf } from './ratios.ts'
import { type GridSession, investedOf } from './session.ts'
import { callbackPrice, LEVEL_UNITS, levelsOf } from './tracker.ts'

/** Both ends included: inside, no tick changes anything. `low > high` = every tick may. */
export interface PriceBand {
  readonly low: number
  readonly high: number
}

/** The prices at which nothing happens to an active session. Rather too narrow than too wide. */
export function gridBand(session: GridSession): PriceBand {
  const bands = [trackerBand(session), deviationBand(session), profitBand(session)]
  return {
    low: Math.max(...bands.map(({ low }) => low)),
    high: Math.min(...bands.map(({ high }) => high)),
  }
}

const HIGHEST = Number.MAX_SAFE_INTEGER

function trackerBand(session: GridSession): PriceBand {
  const { tracker, callbackPpm } = session
  if (!tracker.isWaiting) {
    const { lower, upper } = levelsOf(session.currentCenter, session.intervalPpm)
    const isFull = investedOf(session) >= session.maxInvestment
    return {
      low: isFull ? 0 : Math.ceil(lower / LEVEL_UNITS),
      high: Math.floor(upper / LEVEL_UNITS),
    }
  }
  const turn = callbackPrice(tracker, callbackPpm)
  return tracker.direction === 'rising'
    ? { low: turn + 1, high: tracker.peakPrice }
    : { low: tracker.valleyPrice, high: turn - 1 }
}

function deviationBand({ centerPrice, currentCenter, maxDeviationPpm }: GridSession): PriceBand {
  // The center itself is too far off: the next look ends the session, whatever the price.
  if (Math.abs(currentCenter - centerPrice) * PPM > maxDeviationPpm * centerPrice) return EVERY
  return {
    low: Math.ceil((currentCenter * (PPM - maxDeviationPpm)) / PPM),
    high: Math.floor((currentCenter * (PPM + maxDeviationPpm)) / PPM),
  }
}

const EVERY: PriceBand = { low: HIGHEST, high: 0 }
/** So many units of price are given away to rounding. */
const SLACK = 2

/** Profit rises with the price by the shares that the grid holds. */
function profitBand(session: GridSession): PriceBand {
  const { buyCount, sellCount, maxInvestment, ledger } = session
  if (buyCount === 0) return { low: 0, high: HIGHEST }
  const { openQuantity, openCost, realized } = summaryOf(ledger, 0 as Price)
  const priceOf = (ppm: number) =>
    (ratioOf(ppm) * maxInvestment - realized + openCost) / openQuantity
  if (openQuantity === 0) {
    const profit = realized / maxInvestment
    const hasEnded =
      (sellCount > 0 && profit >= at(session.targetProfitPpm, -1)) ||
      profit <= at(session.stopLossPpm, 1)
    return hasEnded ? EVERY : { low: 0, high: HIGHEST }
  }
  return {
    low: Math.floor(priceOf(session.stopLossPpm)) + SLACK,
    high: sellCount > 0 ? Math.ceil(priceOf(session.targetProfitPpm)) - SLACK : HIGHEST,
  }
}

const NEARLY = 1e-6
const at = (ppm: number, sign: 1 | -1): number => ratioOf(ppm) + sign * NEARLY
