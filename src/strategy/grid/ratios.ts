/** Ratios inside the grid are whole millionths: 0.05 is 50_000, so comparisons are exact. */
export const PPM = 1_000_000

/** A decimal ratio (0.05 = 5 %) in millionths. With {@link ratioOf} the only place that converts. */
export const ppmOf = (ratio: number): number => Math.round(ratio * PPM)

/** Millionths as the decimal ratio that is shown. */
export const ratioOf = (ppm: number): number => ppm / PPM

/** `part` of `whole` of an amount, rounded half up, exact for any safe integers. */
export function shareOf(amount: number, part: number, whole: number): number {
  if (part === whole) return amount
  const [product, divisor] = [
    2n * BigInt(amount) * BigInt(part) + BigInt(whole),
    2n * BigInt(whole),
  ]
  const isBelow = product % divisor < 0n // division of BigInts cuts towards zero
  return Number(product / divisor - (isBelow ? 1n : 0n))
}

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
