import { z } from 'zod'
import {
  DAY_MS,
  exchangeDay,
  exchangeDayNumber,
  exchangeDayStartMs,
} from '../../src/domain/exchange-time.ts'
import {
  type DaySpan,
  EARNINGS_CURSOR,
  EARNINGS_PAGE_DEFAULT,
  EARNINGS_PAGE_MAX,
  type EarningsPage,
  type EarningsQuestion,
} from '../../src/protocol/earnings.ts'
import * as answers from '../answers/earnings.ts'
import { within } from '../desk/context.ts'
import { dayText } from '../message/day-text.ts'
import { invalid } from '../message/errors.ts'
import type { Reply } from '../message/reply.ts'
import type { HttpRequest } from '../message/request.ts'
import type { AccountLink } from '../port/service.ts'
import type { Feature, Mount } from './feature.ts'
import { statementCsv } from './statement-csv.ts'

/** Days of one question, at most. */
const SPAN_DAYS_MAX = 3_660

const spanQuery = {
  from: dayText.optional().describe('first exchange day'),
  to: dayText.optional().describe('last exchange day; today when left out'),
}
const summaryQuery = z.object(spanQuery)
const pageQuery = z.object({
  ...spanQuery,
  limit: z
    .string()
    .regex(/^\d{1,4}$/, '须为整数 (must be a whole number)')
    .transform(Number)
    .refine(
      (count) => count >= 1 && count <= EARNINGS_PAGE_MAX,
      `须为 1 至 ${EARNINGS_PAGE_MAX} (must be from 1 to ${EARNINGS_PAGE_MAX})`,
    )
    .optional(),
  before: z
    .string()
    .regex(EARNINGS_CURSOR, '须为上一页的 next_before (must be the next_before of an earlier page)')
    .optional(),
})
const equityQuery = z.object({
  ...spanQuery,
  resolution: z.enum(['minute', 'day']).optional().describe('minute: of today; day when left out'),
})
const statementQuery = z.object({
  format: z.enum(['json', 'csv']).optional().describe('csv: the sales, for a spreadsheet'),
})
const month = z
  .string()
  .regex(/^\d{4}-(0[1-9]|1[0-2])$/, '须为月份，例如 2026-08 (must be a month such as 2026-08)')

/** What an account has earned, with what and when; what it was worth. */
export const earnings: Feature = (on) => [
  on.account.ofAccount({
    method: 'GET',
    path: '/earnings',
    scope: 'view',
    summary:
      '收益汇总：今日、已实现、浮动、回撤 (what was earned, with what; this month when left out)',
    answer: on.account.envelope.answer(answers.summaryFields),
    query: summaryQuery,
    handle: ({ request, query }, link) =>
      shown(on, link, request, { about: 'summary', span: spanOf(on, query, monthBefore) }),
  }),
  on.account.ofAccount({
    method: 'GET',
    path: '/earnings/sales',
    scope: 'view',
    summary: '卖出明细与已实现盈亏，最新在前 (sales with what each has realized)',
    answer: on.account.envelope.answer(answers.salesFields),
    query: pageQuery,
    handle: ({ request, query }, link) =>
      shown(on, link, request, {
        about: 'sales',
        span: spanOf(on, query, longBefore),
        page: pageOf(query),
      }),
  }),
  on.account.ofAccount({
    method: 'GET',
    path: '/earnings/closed',
    scope: 'view',
    summary: '已清仓持仓，最新在前 (holdings that were closed)',
    answer: on.account.envelope.answer(answers.closedFields),
    query: pageQuery,
    handle: ({ request, query }, link) =>
      shown(on, link, request, {
        about: 'closed',
        span: spanOf(on, query, longBefore),
        page: pageOf(query),
      }),
  }),
  on.account.ofAccount({
    method: 'GET',
    path: '/equity',
    scope: 'view',
    summary: '资产曲线：当日每分钟，或每日 (points of equity, of minutes today or of days)',
    answer: on.account.envelope.answer(answers.equityFields),
    query: equityQuery,
    handle: ({ request, query }, link) =>
      shown(on, link, request, { about: 'equity', span: pointsOf(on, query) }),
  }),
  on.account.ofAccount({
    method: 'GET',
    path: '/statements/{month}',
    scope: 'view',
    summary: '月度对账单，可为 CSV (statement of a month, also as CSV)',
    answer: on.account.envelope.answer(answers.statementFields),
    alsoProduces: 'text/csv',
    params: z.object({ month }),
    query: statementQuery,
    handle: async ({ request, query, params }, link) => {
      const question = { about: 'statement', month: params.month } as const
      const { fields } = await asked(on, link, request, question)
      if (query.format !== 'csv') return on.account.envelope.reply(fields)
      return statementCsv(params.month, fields as z.output<typeof answers.statementFields>)
    },
  }),
]

async function asked(
  { limits, scans }: Mount,
  link: AccountLink,
  request: HttpRequest,
  question: EarningsQuestion,
) {
  const options = within(limits.readTimeoutMs, request)
  const read = () => link.ask({ kind: 'earningsAsk', question }, options)
  return scans.run(request, read, ({ looked }) => looked)
}

async function shown(
  on: Mount,
  link: AccountLink,
  request: HttpRequest,
  question: EarningsQuestion,
): Promise<Reply> {
  const { fields } = await asked(on, link, request, question)
  return on.account.envelope.reply(fields)
}

interface SpanQuery {
  readonly from?: string | undefined
  readonly to?: string | undefined
}

const monthBefore = (to: string): string => `${to.slice(0, 7)}-01`
const longBefore = (to: string): string =>
  exchangeDay(exchangeDayStartMs(to) - (SPAN_DAYS_MAX - 1) * DAY_MS)

/** Errors  `VALIDATION` for a span that ends before it begins, or is too long. */
function spanOf({ clock }: Mount, query: SpanQuery, fromOf: (to: string) => string): DaySpan {
  const to = query.to ?? exchangeDay(clock.nowMs())
  const from = query.from ?? fromOf(to)
  if (from > to) throw invalid({ from: [`from: 须不晚于 to (must not be after to, ${to})`] })
  const days =
    exchangeDayNumber(exchangeDayStartMs(to)) - exchangeDayNumber(exchangeDayStartMs(from))
  if (days < SPAN_DAYS_MAX) return { from, to }
  throw invalid({
    from: [`from: 最多 ${SPAN_DAYS_MAX} 天 (at most ${SPAN_DAYS_MAX} days up to to)`],
  })
}

/** Errors  `VALIDATION` for days where minutes are asked for: only those of the newest day are kept. */
function pointsOf(on: Mount, query: z.output<typeof equityQuery>): DaySpan | null {
  if (query.resolution !== 'minute') return spanOf(on, query, longBefore)
  const name = query.from === undefined ? 'to' : 'from'
  if (query[name] === undefined) return null
  throw invalid({
    [name]: [`${name}: 分钟点只留当日，请省略 (only minutes of today are kept: leave it out)`],
  })
}

const pageOf = ({
  limit = EARNINGS_PAGE_DEFAULT,
  before = '',
}: z.output<typeof pageQuery>): EarningsPage => ({ limit, before })
