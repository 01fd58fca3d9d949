import type { Price } from '../../domain/money.ts'
import type { Side } from '../../domain/order.ts'
import { PPM } from './ratios.ts'

/** A price level in ten-billionths of a yuan: a price times millionths, so that none is rounded. */
export interface Levels {
  readonly lower: number
  readonly upper: number
}

/** Units of a level in one unit of a price. */
export const LEVEL_UNITS = PPM

/** The two levels around the present center. */
export const levelsOf = (center: Price, intervalPpm: number): Levels => ({
  lower: center * (PPM - intervalPpm),
  upper: center * (PPM + intervalPpm),
})

/** Where the price has been since the last trade. Prices in ten-thousandths of a yuan. */
export interface Tracker {
  readonly lastPrice: Price
  readonly peakPrice: Price
  readonly valleyPrice: Price
  readonly direction: 'rising' | 'falling' | null
  /** The level that was crossed, in units of {@link Levels}; null = none. */
  readonly crossedLevel: number | null
  /** A level was crossed: the order goes out when the price turns back. */
  readonly isWaiting: boolean
}

export const trackerAt = (price: Price): Tracker => ({
  lastPrice: price,
  peakPrice: price,
  valleyPrice: price,
  direction: null,
  crossedLevel: null,
  isWaiting: false,
})

/** After an order that came to nothing: the next crossing counts again. */
export const released = (tracker: Tracker): Tracker => ({
  ...tracker,
  crossedLevel: null,
  isWaiting: false,
})

export interface Track {
  readonly price: Price
  readonly levels: Levels
  readonly callbackPpm: number
  /** The quota is used up: no fall below the lower level counts. Sales are not affected. */
  readonly isQuotaFull: boolean
  readonly isCooling: (level: number) => boolean
}

/** The callback that was measured, when it is large enough. */
export interface TrackerSignal {
  readonly side: Side
  readonly level: number
  readonly peakPrice: Price
  readonly valleyPrice: Price
  readonly callbackPpm: number
}

/** A measured callback may fall short of the wanted one by so much. */
const TOLERANCE_PPM = 100

/**
 * One price: a level that is crossed begins a wait, and the turn back ends it with a signal. While
 * it waits no other crossing counts, so a rise above the upper level ends in a sale however far the
 * price falls afterwards.
 *
 * Source  docs/domain.md 6.5.
 */
export function track(
  before: Tracker,
  input: Track,
): readonly [Tracker, TrackerSignal | undefined] {
  const { price } = input
  let tracker: Tracker = { ...before, lastPrice: price }
  if (tracker.isWaiting) {
    if (tracker.direction === 'rising' && price > tracker.peakPrice) {
      tracker = { ...tracker, peakPrice: price }
    }
    if (tracker.direction === 'falling' && price < tracker.valleyPrice) {
      tracker = { ...tracker, valleyPrice: price }
    }
  } else {
    tracker = crossed(tracker, input)
  }
  return [tracker, signalOf(tracker, input.callbackPpm)]
}

function crossed(tracker: Tracker, { price, levels, isQuotaFull, isCooling }: Track): Tracker {
  const at = price * LEVEL_UNITS
  const waiting = (crossedLevel: number) => ({ ...tracker, crossedLevel, isWaiting: true })
  if (at > levels.upper && !isCooling(levels.upper)) {
    return { ...waiting(levels.upper), direction: 'rising', peakPrice: price }
  }
  if (at < levels.lower && !isQuotaFull && !isCooling(levels.lower)) {
    return { ...waiting(levels.lower), direction: 'falling', valleyPrice: price }
  }
  return tracker
}

function signalOf(tracker: Tracker, wantedPpm: number): TrackerSignal | undefined {
  const { isWaiting, direction, crossedLevel, lastPrice, peakPrice, valleyPrice } = tracker
  if (!isWaiting || direction === null || crossedLevel === null) return undefined
  const isRising = direction === 'rising'
  const from = isRising ? peakPrice : valleyPrice
  const turned = isRising ? peakPrice - lastPrice : lastPrice - valleyPrice
  if (from <= 0 || turned * PPM < leastPpm(wantedPpm) * from) return undefined
  return {
    side: isRising ? 'sell' : 'buy',
    level: crossedLevel,
    peakPrice,
    valleyPrice,
    callbackPpm: Math.round((turned * PPM) / from),
  }
}

const leastPpm = (wantedPpm: number): number => wantedPpm - TOLERANCE_PPM

/** The price at which a wait ends in a signal: the first one at or beyond it. */
export function callbackPrice(tracker: Tracker, wantedPpm: number): Price {
  const isRising = tracker.direction === 'rising'
  const from = isRising ? tracker.peakPrice : tracker.valleyPrice
  const turn = Math.ceil((from * leastPpm(wantedPpm)) / PPM)
  return (isRising ? from - turn : from + turn) as Price
}
