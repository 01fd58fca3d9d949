import { z } from 'zod'

interface Range<T> {
  readonly default: T
  readonly min: number
  readonly max: number
}

/** A number inside a closed range. `text` says meaning and unit and is shown to users. */
export const decimal = (range: Range<number>, text: string) =>
  z.number().min(range.min).max(range.max).default(range.default).describe(text)

/** A whole number inside a closed range. */
export const whole = (range: Range<number>, text: string) =>
  z.int().min(range.min).max(range.max).default(range.default).describe(text)

export const flag = (value: boolean, text: string) => z.boolean().default(value).describe(text)

/** `15:30` or `15:30:00`, a time of day at the exchange. */
export const timeOfDay = (value: string, text: string) =>
  z
    .string()
    .regex(/^([01]?\d|2[0-3]):[0-5]\d(:[0-5]\d)?$/, {
      error: 'must be a time of day such as "15:30:00"',
    })
    .default(value)
    .describe(text)

/** What fits into an HTTP header and can be typed: a token with a space could never match. */
const TOKEN = /^[\x21-\x7e]*$/
export const TOKEN_ERROR = 'must be visible ASCII characters without spaces'
export const isToken = (text: string): boolean => TOKEN.test(text)
export const token = () => z.string().regex(TOKEN, { error: TOKEN_ERROR })
