import { z } from 'zod'
import { bytes, count, decimal, MINUTE_MS, ms, stockCode, whole } from '../../config/fields.ts'
import { exchangeDayStartMs } from '../../domain/exchange-time.ts'
import { priceFromYuan } from '../../domain/money.ts'

const KIB = 1_024
const MIB = 1_024 * KIB

/** The day must exist: `2026-02-30` parses nowhere and would sort wrongly. */
const isDay = (text: string): boolean => {
  if (text === '') return true
  const start = exchangeDayStartMs(text)
  const isShaped = /^\d{4}-\d{2}-\d{2}$/.test(text) && Number.isFinite(start)
  return isShaped && new Date(`${text}T00:00:00Z`).toISOString().startsWith(text)
}

const position = z
  .strictObject({
    stock_code: stockCode().describe('any accepted spelling'),
    stock_name: z.string().max(64).optional().describe('default: the code'),
    volume: z.int().min(1).max(1_000_000_000).describe('shares'),
    available: z.int().min(0).optional().describe('shares sellable at once; default: all'),
    cost_price: z
      .number()
      .gt(0)
      .refine((yuan) => priceFromYuan(yuan).ok, {
        error: 'must be below 1000000 yuan with at most four decimals',
      })
      .describe('yuan'),
    open_date: z
      .string()
      .refine(isDay, { error: 'must be a date such as "2026-08-03"' })
      .default('')
      .describe('first day held; empty = the day the books are opened'),
  })
  .refine(({ available, volume }) => (available ?? 0) <= volume, {
    error: 'must be at most volume',
    path: ['available'],
  })
  .transform(({ stock_name, available, ...rest }) => ({
    ...rest,
    stock_name: stock_name ?? rest.stock_code,
    available: available ?? rest.volume,
  }))

const rateOfTheDay = (text: string) =>
  z.number().min(0).max(0.1).nullable().default(null).describe(text)

const fees = z
  .strictObject({
    commission: decimal({ default: 0.0003, min: 0, max: 0.1 }, 'of the amount, both sides'),
    commission_min: decimal({ default: 5, min: 0, max: 10_000 }, 'least commission; yuan'),
    stamp_duty: rateOfTheDay(
      'of the amount of stock sales; null = the rate of the law on that day, 0.0005 since 2023-08-28',
    ),
    transfer_fee: rateOfTheDay(
      'of the amount of stocks, both sides; null = the rate of that day, 0.00001 since 2022-04-29',
    ),
  })
  .prefault({})

/** What the embedded broker has of an account at its first start, and what it charges. */
export const account = z
  .strictObject({
    cash: decimal({ default: 1_000_000, min: 0, max: 1e11 }, 'yuan at the first start'),
    positions: z
      .array(position)
      .max(1_000)
      .superRefine((rows, context) => {
        rows.forEach(({ stock_code }, index) => {
          if (rows.findIndex((row) => row.stock_code === stock_code) === index) return
          const message = `${stock_code} is listed twice`
          context.addIssue({ code: 'custom', message, path: [index, 'stock_code'] })
        })
      })
      .default([])
      .describe('holdings at the first start'),
    pushes: z
      .enum(['all', 'orders', 'none'])
      .default('all')
      .describe(
        'what is told without being asked: all; orders and deals, but no holdings and no cash; nothing',
      ),
    latency_ms: whole({ default: 0, min: 0, max: 60_000 }, 'delay of every answer; milliseconds'),
    fees,
  })
  .prefault({})
  .describe('the embedded trading client at its first start')

export const limits = z
  .strictObject({
    orders_per_day_max: count(20_000, 1, 1_000_000, 'orders of one account on one day'),
    commands_max: count(4_096, 1, 1_048_576, 'commands of one account that wait'),
    group_commands_max: count(64, 1, 4_096, 'commands of one account in one transaction'),
    delayed_max: count(4_096, 1, 1_048_576, 'batches that wait for latency_ms'),
    keep_days: count(30, 1, 3_650, 'days that the paper client keeps orders and deals'),
    log_bytes: bytes(
      4 * MIB,
      32 * KIB,
      1_024 * MIB,
      'of each of the two files that take first what the embedded client decides',
    ),
    checkpoint_ms: ms(
      5_000,
      1,
      MINUTE_MS,
      'after which what is in them is written to the databases; sooner when they fill up',
    ),
    checkpoint_rest_ms: ms(
      20,
      0,
      MINUTE_MS,
      'between two databases that are written, unless these files fill up',
    ),
    first_quote_wait_ms: ms(1_000, 0, MINUTE_MS, 'for the first quote of a code that was not fed'),
  })
  .prefault({})

export type PaperConfig = z.output<typeof account>
export type PaperPosition = PaperConfig['positions'][number]
export type PaperConfigLimits = z.output<typeof limits>
