import { z } from 'zod'
import { normalizeCode } from '../domain/instrument.ts'
import type { Unit } from '../domain/settings/row.ts'
import { TOKEN } from '../domain/token.ts'

export const MINUTE_MS = 60_000
export const HOUR_MS = 3_600_000

interface Range<T> {
  readonly default: T
  readonly min: number
  readonly max: number
  /** Where the name of the setting does not say it. */
  readonly unit?: Unit
}

/** What numbers count, where that does not stand in the name of the setting. */
const units = z.registry<{ readonly unit: Unit }>()
export const counted = <S extends z.ZodType>(schema: S, unit: Unit): S => {
  units.add(schema, { unit })
  return schema
}
export const unitOf = (schema: z.core.$ZodType): Unit | undefined => units.get(schema)?.unit

/** A number inside a closed range. `text` is shown to users: `中文 (english)`. */
export const decimal = (range: Range<number>, text: string) => {
  const field = z.number().min(range.min).max(range.max).default(range.default).describe(text)
  return range.unit === undefined ? field : counted(field, range.unit)
}

/** A whole number inside a closed range. */
export const whole = (range: Range<number>, text: string) =>
  z.int().min(range.min).max(range.max).default(range.default).describe(text)

/** Limits: a whole number whose unit its name says. */
export const ms = (value: number, min: number, max: number, text: string) =>
  whole({ default: value, min, max }, text)
export const bytes = (value: number, min: number, max: number, text: string) =>
  whole({ default: value, min, max }, text)
export const count = (value: number, min: number, max: number, text: string) =>
  whole({ default: value, min, max }, text)

export const flag = (value: boolean, text: string) => z.boolean().default(value).describe(text)

/**
 * A file or folder. JSON reads `D:\new` as a line break, and says nothing: who forgets to double a backslash would
 * name what no system has.
 */
export const filePath = (text = z.string()) =>
  text.refine((path) => !/\p{Cc}/u.test(path), {
    error:
      '含有控制字符：路径里的 \\ 请写成 / 或 \\\\ (has control characters: write / or \\\\ for each \\ of a path)',
  })

/** Any accepted spelling of a stock code, normalized. */
export const stockCode = () =>
  z.string().transform((text, context) => {
    const code = normalizeCode(text)
    if (code.ok) return code.value
    const error =
      code.error === 'UNKNOWN_EXCHANGE'
        ? '无法判断交易所，请加 .SH、.SZ 或 .BJ (no exchange is known for this code; add .SH, .SZ or .BJ)'
        : '须为证券代码，例如 "600036.SH" (must be a stock code such as "600036.SH")'
    context.addIssue({ code: 'custom', message: error })
    return z.NEVER
  })

export const TOKEN_ERROR =
  '只能用可见的 ASCII 字符，不能有空格 (must be visible ASCII characters without spaces)'
export const token = () => z.string().regex(TOKEN, { error: TOKEN_ERROR })
