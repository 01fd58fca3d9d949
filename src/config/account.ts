import { z } from 'zod'
import { exchangeDayStartMs } from '../domain/exchange-time.ts'
import { ACCOUNT_ID, RESERVED_ACCOUNT_IDS } from '../domain/ids.ts'
import { priceFromYuan } from '../domain/money.ts'
import { decimal, whole } from './fields.ts'
import { stockCode } from './strategy-carried.ts'
import { accountSidecar } from './xt.ts'

const accountId = z
  .string()
  .regex(ACCOUNT_ID, { error: 'must be 1 to 32 letters, digits, "_" or "-"' })
  .refine((id) => !RESERVED_ACCOUNT_IDS.has(id.toLowerCase()), {
    error: 'this name is reserved for a folder of the service',
  })

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

const fees = z
  .strictObject({
    commission: decimal({ default: 0.0003, min: 0, max: 0.1 }, 'of the amount, both sides'),
    commission_min: decimal({ default: 5, min: 0, max: 10_000 }, 'least commission; yuan'),
    stamp_duty: z
      .number()
      .min(0)
      .max(0.1)
      .nullable()
      .default(0.0005)
      .describe('of the amount of stock sales; null = the rate of the law on that day'),
    transfer_fee: decimal({ default: 0.000_01, min: 0, max: 0.1 }, 'of the amount, both sides'),
  })
  .prefault({})

const paper = z
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
    latency_ms: whole({ default: 0, min: 0, max: 60_000 }, 'delay of every answer; milliseconds'),
    fees,
  })
  .prefault({})

/** What `POST /api/v1/accounts` takes, with the names, ranges and defaults of the file. */
export const registrationSchema = z.strictObject({
  account_id: accountId.describe('names a folder, so it is kept to safe characters'),
  qmt_path: z
    .string()
    .trim()
    .min(1)
    .max(1_024)
    .refine((path) => !/\p{Cc}/u.test(path), { error: 'must not have control characters' })
    .describe('data folder of the trading client'),
  account_type: z.enum(['STOCK', 'FUTURE']).default('STOCK').describe('kind of account'),
  call_timeout: decimal({ default: 3, min: 0.05, max: 600 }, 'of one call; seconds'),
  reconnect_interval: decimal({ default: 60, min: 0.05, max: 3_600 }, 'first wait; seconds'),
  max_reconnect_attempts: whole({ default: 5, min: 0, max: 20 }, 'steps of the back-off'),
})

export const accountSchema = z.strictObject({
  ...registrationSchema.shape,
  driver: z
    .enum(['paper', 'xt'])
    .optional()
    .describe('default: "xt" on an xt market, else "paper"'),
  paper: paper.describe('the embedded trading client at its first start'),
  xt: accountSidecar.describe('the sidecar at the real trading client'),
})

export type DriverKind = 'paper' | 'xt'
export type ParsedAccount = z.output<typeof accountSchema>
/** One account, the driver decided. */
export type AccountConfig = Omit<ParsedAccount, 'driver'> & { readonly driver: DriverKind }
export type PaperConfig = AccountConfig['paper']
export type PaperPosition = PaperConfig['positions'][number]
export type RegistrationFields = z.output<typeof registrationSchema>

/** A real market brings its real client; everything else is played on paper. */
export const defaultDriver = (marketSource: string): DriverKind =>
  marketSource === 'xt' ? 'xt' : 'paper'

/** The configuration of an account that is registered at run time: the fields given, the rest as by default. */
export const registerDefaults = (
  registration: Readonly<RegistrationFields>,
  marketSource: string,
): AccountConfig => ({
  ...accountSchema.parse({ ...registration }),
  driver: defaultDriver(marketSource),
})
