import { exchangeDay } from '../../src/domain/exchange-time.ts'
import type { StockCode } from '../../src/domain/instrument.ts'
import { type Price, UNITS_PER_YUAN } from '../../src/domain/money.ts'
import { startWalk, stepWalk } from '../../src/market/walk.ts'
import { codeAt, costAt } from './service.ts'

/** Of the simulated market of a bench: what it does is known before it does it. */
export const WALK_SEED = 1
/** Near the smallest loss that is sold: walks from the cost price come there by themselves. */
export const STOP_RATIO = 0.021

/** At this price or below a holding at its cost price is sold, ten-thousandths of a yuan. */
export const stopOf = (index: number): Price =>
  Math.floor(costAt(index) * UNITS_PER_YUAN * (1 - STOP_RATIO)) as Price

/** Ticks after its first one with which the price of a code, which begins at its cost, first reaches its stop; undefined: not in so many. */
export function stepOfFall(index: number, stepsMax: number): number | undefined {
  const day = exchangeDay(Date.now())
  const code = `${codeAt(index)}.SH` as StockCode
  const stop = stopOf(index)
  let walk = startWalk({ code, seed: WALK_SEED, day, hint: costAt(index) * UNITS_PER_YUAN })
  for (let step = 1; step <= stepsMax; step++) {
    walk = stepWalk(walk, day)
    if (walk.price <= stop) return step
  }
  return undefined
}

export interface Wanted {
  /** Codes that do not fall, up to so many steps after the last. */
  readonly staying: number
  readonly calmSteps: number
  /** Codes that fall from the first step to the last. */
  readonly falling: number
  readonly firstStep: number
  readonly lastStep: number
}

interface Fall {
  readonly at: number
  readonly step: number
}

/** The first codes that walk as is wanted, those that fall in the order in which they do. Throws when there are too few. */
export function codesThatWalk(wanted: Wanted) {
  const { staying, calmSteps, falling, firstStep, lastStep } = wanted
  const stays: number[] = []
  const falls: Fall[] = []
  for (let at = 0; stays.length < staying || falls.length < falling; at++) {
    if (at === CODES_MAX) throw new Error('too few codes walk so')
    const step = stepOfFall(at, lastStep + calmSteps)
    if (step === undefined) stays.push(at)
    else if (step >= firstStep && step <= lastStep) falls.push({ at, step })
  }
  const first = falls.slice(0, falling).sort((left, right) => left.step - right.step)
  return { staying: stays.slice(0, staying), falling: first.map(({ at }) => at) }
}
/** Of the main board: from 600000 on. */
const CODES_MAX = 15_000
