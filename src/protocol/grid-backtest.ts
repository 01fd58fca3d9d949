import { z } from 'zod'
import { PERIODS } from '../domain/bar.ts'
import { dayText, historySpan, START_DEFAULT } from './history.ts'

/** What a caller may say besides the fields of a start. */
export const backtestSpan = {
  source: z
    .enum(['bars', 'replay'])
    .default('bars')
    .describe('stored bars, or the whole file of the replay'),
  ...historySpan,
  start_time: dayText
    .default('')
    .describe('YYYYMMDD; empty = 20200101 of stored bars, the beginning of a replay'),
  period: z.enum(PERIODS).default('1m'),
  base_volume: z
    .int()
    .min(0)
    .max(100_000_000)
    .nullish()
    .describe('shares held before it begins; what is held now when left out'),
}

/** Before any recording: an exchange was opened in December of that year. */
const START_OF_ALL = '19900101'
/** First day of a backtest, also where a caller says none: then the whole file of a replay is meant. */
export const firstDay = (source: 'bars' | 'replay', start_time: string): string =>
  start_time || (source === 'replay' ? START_OF_ALL : START_DEFAULT)

const whole = z.int()

/** Input of the job: everything reckoned out, so that it gives the same whenever it is done. */
export const backtestInput = z.object({
  source: z.enum(['bars', 'replay']),
  period: z.enum(PERIODS),
  start_time: z.string(),
  end_time: z.string(),
  stock_code: z.string(),
  /** Parameters of the session, prices in ten-thousandths of a yuan, ratios in millionths. */
  parameters: z.looseObject({ code: z.string(), maxInvestment: whole, centerPrice: whole }),
  policy: z.looseObject({ strategyName: z.string() }),
  feeRates: z.looseObject({ commissionPpm: whole }),
  baseQuantity: whole,
  isAlwaysOpen: z.boolean(),
})
export type BacktestInput = z.output<typeof backtestInput>
/** The part of it that the account knows. */
export type BacktestPlan = Omit<BacktestInput, 'source' | 'period' | 'start_time' | 'end_time'>
