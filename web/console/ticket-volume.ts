import type { PreviewAnswer } from './wire.ts'

/** Shares of the most that a button orders, percent. */
export const PARTS = [25, 50, 75, 100] as const

/** What the service says of the volume of an order. */
export type Lots = Pick<PreviewAnswer, 'quantity_max' | 'lot_min' | 'lot_step'>

/**
 * So many percent of the most that may be ordered, in lots; all of it is what the service says, odd shares included.
 * Never more than that, and undefined where it is not known or nothing.
 */
export function partOf(
  percent: number,
  { quantity_max: most, lot_min: least, lot_step: step }: Lots,
): number | undefined {
  if (most === null || most <= 0) return undefined
  if (percent === 100) return most
  const steps = Math.floor(((most * percent) / 100 - least) / step)
  return steps < 0 ? Math.min(least, most) : least + steps * step
}
