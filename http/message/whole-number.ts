import { z } from 'zod'

/** A whole number written plainly; anything else in an address is a mistake, never rounded. */
export const wholeNumber = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,16}$/, '须为整数 (must be a whole number)')
    .transform(Number)
    .refine(
      (value) => value >= min && value <= max,
      `须为 ${min} 至 ${max} (must be from ${min} to ${max})`,
    )
