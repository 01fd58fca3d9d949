import type { Price } from '../domain/money.ts'
import type { Instrument } from '../ports/market-source.port.ts'

/** Limits of one day for the quote board, ten-thousandths of a yuan. */
export interface BoardLimits {
  /** Exchange day for which they were told, counted from 1970-01-01. */
  readonly dayNumber: number
  /** The close of the day before from which they follow: only a quote that agrees with it is under them. */
  readonly lastClose: Price
  readonly low: Price
  readonly high: Price
}

/** Limits that can be ones; undefined when a source has none to tell, or tells what cannot be. */
export function boardLimits(
  { lastClose, lowerLimit, upperLimit }: Instrument,
  dayNumber: number,
): BoardLimits | undefined {
  const isSound = lowerLimit > 0 && lowerLimit <= lastClose && lastClose <= upperLimit
  return isSound ? { dayNumber, lastClose, low: lowerLimit, high: upperLimit } : undefined
}
