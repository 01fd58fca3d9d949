/** Prices on each side of a quote. */
export const LEVELS = 5

/** Where a field stands in a row of the quote board, in float64. Prices are integers of ten-thousandths. */
export const AT = {
  time: 0,
  lastPrice: 1,
  open: 2,
  high: 3,
  low: 4,
  lastClose: 5,
  volume: 6,
  amount: 7,
  bid: 8,
  ask: 8 + LEVELS,
  bidVolume: 8 + 2 * LEVELS,
  askVolume: 8 + 3 * LEVELS,
  closeBefore: 8 + 4 * LEVELS,
  lastCloseBefore: 9 + 4 * LEVELS,
  /** Price that is the close of the day should no other follow; negative: it is too early for that. */
  close: 10 + 4 * LEVELS,
  /** Limits that the source told, the day for which it did, and the close of the day before from which they follow. */
  lowerLimit: 11 + 4 * LEVELS,
  upperLimit: 12 + 4 * LEVELS,
  limitDay: 13 + 4 * LEVELS,
  limitClose: 14 + 4 * LEVELS,
  /** Of the newest quote of a day on which the exchange trades: on others it tests its systems. */
  tradedMs: 15 + 4 * LEVELS,
  tradedLastClose: 16 + 4 * LEVELS,
  /** Highest price of that day by what its close has told so far, and of the trading day before it. */
  tradedHigh: 17 + 4 * LEVELS,
  highBefore: 18 + 4 * LEVELS,
  end: 19 + 4 * LEVELS,
} as const
