/** The clock of the computer cannot be right, so the market clock does not follow it. */
export interface ClockDoubt {
  /** Market clock when the doubt began, epoch ms. */
  readonly sinceMs: number
  /** How far the clock of the computer stands from the market clock, milliseconds; negative: behind. */
  readonly offMs: number
}

/** The one clock of the process: checked system time, or in a replay the time of the latest tick. */
export interface Clock {
  /** Epoch milliseconds of the market. */
  nowMs(): number
  /** Exchange day that is open (`2026-08-11`); absent, it is the calendar day of {@link nowMs}. */
  day?(): string
  /** Present while the market clock does not follow the computer; nothing is bought meanwhile. */
  doubt?(): ClockDoubt | undefined
  /** False in a replay, whose days are those of its ticks, and while {@link doubt} stands. */
  isSure?(): boolean
}
