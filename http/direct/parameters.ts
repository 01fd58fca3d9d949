import { z } from 'zod'
import type { ConfigChanges } from '../../src/protocol/account.ts'

const percent = (min: number, max: number) => z.number().min(min).max(max)

/**
 * The parameters of `POST /api/config/save`: type and range of each (docs/domain.md 9.2). The same
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

/**
 * The form that the console sends whole: all or nothing, unknown fields are ignored. One error names
 * everything that is wrong with it.
 */
export const parameterForm = z.looseObject({ ...SAVED, ...CHECKED_ONLY }).partial()

/** `{"singleBuyAmount":{"min":1000,"max":100000}, …}` */
export const PARAMETER_RANGES: Readonly<Record<string, { min: number; max: number }>> =
  Object.fromEntries(
    Object.entries(SAVED).flatMap(([name, schema]) =>
      schema instanceof z.ZodNumber
        ? [[name, { min: schema.minValue ?? 0, max: schema.maxValue ?? 0 }]]
        : [],
    ),
  )

/** The parameters of a form that are kept. */
export const changesIn = (form: z.output<typeof parameterForm>): ConfigChanges =>
  Object.fromEntries(
    Object.keys(SAVED).flatMap((name) => {
      const value = form[name as keyof typeof SAVED]
      return value === undefined ? [] : [[name, value]]
    }),
  )
