import { z } from 'zod'
import type { Row, TiersRow } from '../domain/settings/row.ts'
import { CONSTANTS, type ConstantName, type Constants } from '../domain/settings/table.ts'
import { counted, stockCode } from './fields.ts'
import { twinText } from './twins.ts'

const ratio = z.number().gt(0).lt(1)
const share = z.number().gt(0).max(1)
const timeOfDay = z.string().regex(/^([01]?\d|2[0-3]):[0-5]\d(:[0-5]\d)?$/, {
  error: '须为时刻，例如 "15:30:00" (must be a time of day such as "15:30:00")',
})
const tiersOf = ({ entriesMax }: TiersRow) =>
  z
    .array(z.tuple([ratio, ratio]))
    .max(entriesMax)
    .refine((rows) => rows.every((row, i) => i === 0 || row[0] > (rows[i - 1]?.[0] ?? 0)), {
      error: '各档须逐行增大 (levels must rise from row to row)',
    })

/** What a row of the table accepts. */
function acceptedBy(row: Row): z.ZodType {
  switch (row.kind) {
    case 'flag':
      return z.boolean()
    case 'decimal':
      return z.number().min(row.min).max(row.max)
    case 'whole':
      return z.int().min(row.min).max(row.max)
    case 'choice':
      return z.enum(row.options)
    case 'pattern':
      return z.string().regex(row.pattern, { error: row.error })
    case 'time':
      return timeOfDay
    case 'url':
      return z.url()
    case 'code':
      return stockCode()
    case 'codes':
      return z.array(stockCode()).max(row.entriesMax)
    case 'wholes':
      return z.array(z.int().min(row.min).max(row.max)).max(row.entriesMax)
    case 'tiers':
      return tiersOf(row)
    case 'levels':
      return z.tuple([share, z.number().min(row.counts.min).max(row.counts.max), share])
  }
}

/** What a row says in both languages, in one string. */
function describedBy(row: Row): string {
  const [zh, en] = twinText(row)
  return `${row.text[0]}${zh} (${row.text[1]}${en})`
}

/** The field of the file that a row is. */
export function fieldOf(row: Row): z.ZodType {
  const value = acceptedBy(row)
  const field = row.default === undefined ? value.optional() : value.prefault(row.default)
  const described = field.describe(describedBy(row))
  return 'unit' in row ? counted(described, row.unit) : described
}

/** A default, checked like a given value, makes the key optional in the file; a value without one stays open. */
type Field<V> = undefined extends V
  ? z.ZodOptional<z.ZodType<NonNullable<V>>>
  : z.ZodPrefault<z.ZodType<V>>
const fields = Object.fromEntries(CONSTANTS.map(([name, row]) => [name, fieldOf(row)])) as {
  [K in ConstantName]: Field<Constants[K]>
}

/** Every constant of the strategies under the name that existing configurations know. */
export const strategySchema = z.strictObject(fields).prefault({})

/** The strategy of one account: the simulation mode is decided. */
export type StrategyConfig = Omit<Constants, 'ENABLE_SIMULATION_MODE'> & {
  readonly ENABLE_SIMULATION_MODE: boolean
}
