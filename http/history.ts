import { z } from 'zod'
import { basePeriodOf } from '../src/domain/bar.ts'
import { barPages, historySpan, spanOf } from '../src/protocol/history.ts'
import type { Tick } from '../src/protocol/market.ts'
import { type FrontContext, within } from './context.ts'
import { invalid } from './errors.ts'
import { codeOf } from './orders.ts'
import type { HttpRequest } from './request.ts'
import type { AccountLink } from './service.ts'

export const historyFields = { stock_code: z.string().min(1).describe('one code'), ...historySpan }
const historyQuery = z.object(historyFields)
type HistoryQuery = z.output<typeof historyQuery>

interface History {
  /** Finished JSON: an object of the code, in each spelling that the caller may look for, and its bars. */
  readonly json: string
  readonly source: string
}

/** Errors  `VALIDATION`, also when more is asked for than one answer may hold. */
export async function readHistory(
  { clock, limits, service }: FrontContext,
  link: AccountLink,
  query: HistoryQuery,
  request: HttpRequest,
): Promise<History> {
  const code = codeOf(query.stock_code)
  const span = checkedSpan(query, clock.nowMs())
  const options = within(limits.readTimeoutMs, request)
  const pieces: string[] = []
  let rows = 0
  let source = ''
  const pages = barPages((body) => link.market(body, options), {
    code,
    period: basePeriodOf(span.period),
    from: span.from,
    to: span.to,
  })
  for await (const page of pages) {
    const made = await service.calculations.bars({ ...span, bars: page.bars })
    if (made.rows > 0) pieces.push(made.json)
    rows += made.rows
    source = page.source
    if (rows > limits.historyBarsMax) {
      const text = `start_time: more than ${limits.historyBarsMax} bars; ask for fewer days`
      throw invalid({ start_time: [text] })
    }
  }
  const bars = `[${pieces.join(',')}]`
  const spellings = [...new Set([code, query.stock_code])]
  const entries = spellings.map((spelling) => `${JSON.stringify(spelling)}:${bars}`)
  return { json: `{${entries.join(',')}}`, source }
}

/** Errors  `VALIDATION` when it ends before it begins. */
export function checkedSpan(query: Omit<HistoryQuery, 'stock_code'>, nowMs: number) {
  const span = spanOf(query, nowMs)
  const { start_time, end_time } = query
  if (end_time !== '' && start_time > end_time) {
    throw invalid({ end_time: ['end_time: is before start_time'] })
  }
  return span
}

export const tickFields = {
  stock_codes: z.string().min(1).describe('codes, separated by commas'),
}

/** Quotes under the spellings that they were asked with: callers look for exactly those. */
export async function readTicks(
  { limits }: FrontContext,
  link: AccountLink,
  stockCodes: string,
  request: HttpRequest,
): Promise<Readonly<Record<string, Tick>>> {
  const asked = requestedCodes(stockCodes, limits.tickCodesMax)
  const codes = asked.map((text) => codeOf(text, 'stock_codes'))
  const options = within(limits.readTimeoutMs, request)
  const { ticks } = await link.market({ kind: 'ticks', codes }, options)
  const rows = asked.flatMap((text, index) => {
    const tick = ticks[codes[index] ?? '']
    return tick === undefined ? [] : [[text, tick] as const]
  })
  return Object.fromEntries(rows)
}

function requestedCodes(text: string, codesMax: number): readonly string[] {
  const codes = text.split(',').map((code) => code.trim())
  const named = [...new Set(codes.filter((code) => code !== ''))]
  if (named.length > 0 && named.length <= codesMax) return named
  throw invalid({ stock_codes: [`stock_codes: name from 1 to ${codesMax} codes`] })
}
