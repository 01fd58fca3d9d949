/** What a template and a session have in common. Ratios in millionths; `stopLossPpm` is negative. */
export interface GridRates {
  readonly intervalPpm: number
  readonly positionPpm: number
  readonly callbackPpm: number
  readonly maxDeviationPpm: number
  readonly targetProfitPpm: number
  readonly stopLossPpm: number
  readonly durationDays: number
}
