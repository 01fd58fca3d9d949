import { z } from 'zod'
import { tradeRecord } from './account.ts'
import { money } from './envelope.ts'

const day = z.string().nullable().describe('YYYY-MM-DD, Asia/Shanghai; null = no bound')

const fill = tradeRecord
  .extend({ is_simulated: z.boolean().describe('of the simulation mode') })
  .meta({ id: 'Fill' })

const sum = z
  .object({
    count: z.int(),
    buy: money.describe('yuan, amounts of purchases'),
    sell: money.describe('yuan, amounts of sales'),
    net: money.describe('yuan, sell less buy, without fees'),
    fees: money,
    without_fee: z.int().describe('fills of orders for which the client reported no fee'),
  })
  .meta({ id: 'FillSum' })

/** `GET …/fills`, newest first. */
export const fillsFields = z
  .object({
    from: day,
    to: day,
    fills: z.array(fill),
    sums: z
      .object({ real: sum, simulated: sum })
      .nullable()
      .describe('of everything that matches, real and simulated money apart; null = not known'),
    sums_reason: z
      .enum(['later_page', 'too_many'])
      .nullable()
      .describe(
        'later_page: only the first page has sums; too_many: more records than limits.account.fills_scan_max would have to be looked at',
      ),
    strategies: z
      .array(z.object({ strategy: z.string(), strategy_label: z.string() }))
      .describe('of the days asked for, as far as they were looked at'),
    pagination: z.object({
      limit: z.int(),
      next_before: z
        .int()
        .nullable()
        .describe('the before of the next page; null = it was the last'),
      has_more: z.boolean(),
    }),
  })
  .meta({ id: 'FillsPage' })
