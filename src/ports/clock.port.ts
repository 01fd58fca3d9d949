/** The one clock of the process: system time, or in a replay the time of the latest tick. */
export interface Clock {
  /** Epoch milliseconds of the market. */
  nowMs(): number
}
