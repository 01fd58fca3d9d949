import { z } from 'zod'
import type { ConfigChanges } from '../../src/protocol/account.ts'
import { invalid } from '../errors.ts'
import type { JsonObject } from '../json-body.ts'

const percent = (min: number, max: number) => z.number().min(min).max(max)

/**
 * The parameters of `POST /api/config/save`: type and range of each (domain facts, 3.9). The same
 * table gives the ranges that the gateway's fixed configuration shows.
 */
const SAVED = {
  singleBuyAmount: z.number().min(1_000).max(100_000),
  firstProfitSell: percent(1, 20),
  stockGainSellPencent: percent(1, 100),
  stopLossBuy: percent(1, 20),
  stopLossBuyEnabled: z.boolean(),
  stockStopLoss: percent(1, 20),
  singleStockMaxPosition: z.number().min(10_000).max(100_000),
  totalMaxPosition: z.number().min(50_000).max(1_000_000),
  allowBuy: z.boolean(),
  allowSell: z.boolean(),
  globalAllowGridTrading: z.boolean(),
  pauseGridAfterTakeProfitFull: z.boolean(),
  globalAllowBuySell: z.boolean(),
  globalAutoOperation: z.boolean(),
  simulationMode: z.boolean(),
} as const satisfies Record<string, z.ZodNumber | z.ZodBoolean>

/** Checked like the others and then dropped: the file alone decides them. */
const CHECKED_ONLY = {
  connectPort: z.int().min(1).max(65_535),
  firstProfitSellEnabled: z.boolean(),
} as const

const ALL: ReadonlyMap<string, z.ZodType<number | boolean>> = new Map<
  string,
  z.ZodType<number | boolean>
>([...Object.entries(SAVED), ...Object.entries(CHECKED_ONLY)])

/** `{"singleBuyAmount":{"min":1000,"max":100000}, …}` */
export const PARAMETER_RANGES: Readonly<Record<string, { min: number; max: number }>> =
  Object.fromEntries(
    Object.entries(SAVED).flatMap(([name, schema]) =>
      schema instanceof z.ZodNumber
        ? [[name, { min: schema.minValue ?? 0, max: schema.maxValue ?? 0 }]]
        : [],
    ),
  )

/**
 * All or nothing: the known parameters of a form, or one error that names everything wrong with it.
 * Unknown fields are ignored, because the console sends its whole form.
 *
 * Errors  throws `VALIDATION`.
 */
export function parseParameters(body: JsonObject): ConfigChanges {
  const changes: Record<string, number | boolean> = {}
  const details: Record<string, string[]> = {}
  for (const [name, value] of Object.entries(body)) {
    const parsed = ALL.get(name)?.safeParse(value)
    if (parsed === undefined) continue
    if (!parsed.success) {
      details[name] = parsed.error.issues.map(({ message }) => `${name}: ${message}`)
    } else if (name in SAVED) {
      changes[name] = parsed.data
    }
  }
  if (Object.keys(details).length > 0) throw invalid(details)
  return changes
}
