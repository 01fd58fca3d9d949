import { z } from 'zod'
import {
  bytes,
  count,
  counted,
  decimal,
  MINUTE_MS,
  ms,
  stockCode,
  whole,
} from '../../config/fields.ts'
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

const COST_ERROR =
  '须小于 1000000 元，最多四位小数 (must be below 1000000 yuan with at most four decimals)'

const position = z
  .strictObject({
    stock_code: stockCode().describe(
      '股票代码，任何可识别的写法 (stock code in any accepted spelling)',
    ),
    stock_name: z
      .string()
      .max(64)
      .optional()
      .describe('股票名称，默认为代码 (name of the stock; default: the code)'),
    volume: z.int().min(1).max(1_000_000_000).describe('股数 (shares held)'),
    available: z
      .int()
      .min(0)
      .max(1_000_000_000)
      .optional()
      .describe('立即可卖的股数，默认全部 (shares sellable at once; default: all)'),
    cost_price: z
      .number()
      .gt(0)
      .lt(1_000_000, { error: COST_ERROR })
      .refine((yuan) => priceFromYuan(yuan).ok, {
        error: COST_ERROR,
      })
      .describe('成本价，元 (cost price, yuan)'),
    open_date: z
      .string()
      .refine(isDay, { error: '须为日期，例如 "2026-08-03" (must be a date such as "2026-08-03")' })
      .default('')
      .describe('首次持有日，空 = 建账当日 (first day held; empty = the day the books are opened)'),
  })
  .refine(({ available, volume }) => (available ?? 0) <= volume, {
    error: '不得大于 volume (must be at most volume)',
    path: ['available'],
  })
  .transform(({ stock_name, available, ...rest }) => ({
    ...rest,
    stock_name: stock_name ?? rest.stock_code,
    available: available ?? rest.volume,
  }))

const rateOfTheDay = (text: string) =>
  counted(z.number().min(0).max(0.1).nullable().default(null).describe(text), 'ratio')

const fees = z
  .strictObject({
    commission: decimal(
      { default: 0.0003, min: 0, max: 0.1, unit: 'ratio' },
      '佣金占成交额的比例，买卖都收 (commission, of the amount, both sides)',
    ),
    commission_min: decimal(
      { default: 5, min: 0, max: 10_000, unit: 'yuan' },
      '最低佣金 (least commission)',
    ),
    stamp_duty: rateOfTheDay(
      '印花税占股票卖出额的比例，null = 当日法定税率，2023-08-28 起 0.0005 (stamp duty, of the amount of stock sales; null = the rate of the law on that day, 0.0005 since 2023-08-28)',
    ),
    transfer_fee: rateOfTheDay(
      '过户费占股票成交额的比例，买卖都收，null = 当日费率，2022-04-29 起 0.00001 (transfer fee, of the amount of stocks, both sides; null = the rate of that day, 0.00001 since 2022-04-29)',
    ),
  })
  .prefault({})

/** What the embedded broker has of an account at its first start, and what it charges. */
export const account = z
  .strictObject({
    cash: decimal(
      { default: 1_000_000, min: 0, max: 1e11, unit: 'yuan' },
      '首次启动时的现金 (cash at the first start)',
    ),
    positions: z
      .array(position)
      .max(1_000)
      .superRefine((rows, context) => {
        rows.forEach(({ stock_code }, index) => {
          if (rows.findIndex((row) => row.stock_code === stock_code) === index) return
          const message = `${stock_code} 列出了两次 (${stock_code} is listed twice)`
          context.addIssue({ code: 'custom', message, path: [index, 'stock_code'] })
        })
      })
      .default([])
      .describe('首次启动时的持仓 (holdings at the first start)'),
    pushes: z
      .enum(['all', 'orders', 'none'])
      .default('all')
      .describe(
        '主动推送的内容：全部；委托和成交，不含持仓和资金；都不推送 (what is told without being asked: all; orders and deals, but no holdings and no cash; nothing)',
      ),
    latency_ms: whole(
      { default: 0, min: 0, max: 60_000 },
      '每次回答的延迟 (delay of every answer)',
    ),
    fees,
  })
  .prefault({})
  .describe('内置的模拟客户端首次启动时的状态 (the embedded trading client at its first start)')

export const limits = z
  .strictObject({
    orders_per_day_max: count(
      20_000,
      1,
      1_000_000,
      '一个账户一天的委托数 (orders of one account on one day)',
    ),
    commands_max: count(
      4_096,
      1,
      1_048_576,
      '一个账户排队的命令数 (commands of one account that wait)',
    ),
    group_commands_max: count(
      64,
      1,
      4_096,
      '一个账户一次事务处理的命令数 (commands of one account in one transaction)',
    ),
    delayed_max: count(
      4_096,
      1,
      1_048_576,
      '等待 latency_ms 的批次数 (batches that wait for latency_ms)',
    ),
    keep_days: count(
      30,
      1,
      3_650,
      '模拟客户端保留委托和成交的天数 (days that the paper client keeps orders and deals)',
    ),
    log_bytes: bytes(
      4 * MIB,
      32 * KIB,
      1_024 * MIB,
      '先记录模拟客户端决定的两个日志文件各自的大小 (of each of the two files that take first what the embedded client decides)',
    ),
    checkpoint_ms: ms(
      5_000,
      1,
      MINUTE_MS,
      '日志中的内容多久写入数据库，满了会提前 (after which what is in the log is written to the databases; sooner when it fills up)',
    ),
    checkpoint_rest_ms: ms(
      20,
      0,
      MINUTE_MS,
      '写两个数据库之间的间隔，日志快满时不等 (between two databases that are written, unless the log fills up)',
    ),
    first_quote_wait_ms: ms(
      1_000,
      0,
      MINUTE_MS,
      '等待新代码首笔行情的时限 (for the first quote of a code that was not fed)',
    ),
  })
  .prefault({})

export type PaperConfig = z.output<typeof account>
export type PaperPosition = PaperConfig['positions'][number]
export type PaperConfigLimits = z.output<typeof limits>
