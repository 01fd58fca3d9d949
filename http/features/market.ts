import { z } from 'zod'
import { basePeriodOf } from '../../src/domain/bar.ts'
import { normalizeCode, whyNoCode } from '../../src/domain/instrument.ts'
import {
  barPages,
  hasMoreBars,
  historySpan,
  minutesOf,
  rowsAtMost,
  spanOf,
} from '../../src/protocol/history.ts'
import type { QuoteOrigin, Tick } from '../../src/protocol/market.ts'
import { dataAnswer, money } from '../answers/envelope.ts'
import { type FrontContext, timestampOf, within } from '../desk/context.ts'
import { codeOf } from '../desk/orders.ts'
import type { DirectContext } from '../direct/context.ts'
import type { GatewayContext } from '../gateway/context.ts'
import { invalid } from '../message/errors.ts'
import { jsonBytes } from '../message/reply.ts'
import type { HttpRequest } from '../message/request.ts'
import type { Route } from '../message/routes.ts'
import type { AccountLink } from '../port/service.ts'
import type { Feature } from './feature.ts'

const yuan = z.number().describe('yuan')
const level = z.array(z.number()).length(5).describe('0 = none')

const tick = z
  .object({
    time: z.int().describe('epoch milliseconds'),
    stock_code: z.string(),
    lastPrice: yuan,
    open: yuan,
    high: yuan,
    low: yuan,
    lastClose: yuan,
    volume: z.number(),
    amount: money,
    bidPrice: level,
    askPrice: level,
    bidVol: level,
    askVol: level,
  })
  .meta({ id: 'Tick' })

const bar = z
  .object({
    // 17 digits lie above what a JSON number holds exactly in every language, so no bound of ours is said.
    time: z.number().meta({
      type: 'integer',
      format: 'int64',
      minimum: 19_900_101_000_000_000,
      description: 'YYYYMMDDHHMMSSmmm at the exchange, the end of the bar; for a day its midnight',
    }),
    open: yuan,
    high: yuan,
    low: yuan,
    close: yuan,
    volume: z.number(),
    amount: money,
  })
  .meta({ id: 'Bar' })

const tickMap = z
  .record(z.string(), tick)
  .describe('by the spelling asked with; a code without a quote is absent')
const tickErrors = {
  errors: z
    .array(z.string())
    .optional()
    .describe('codes that are none, and why; only when there are'),
}
const barMap = z
  .record(z.string(), z.array(bar))
  .describe('by the suffixed code (600036.SH), whatever the spelling asked with')

const origin = z
  .object({
    source: z.string().describe('market.source of the computer that runs the account'),
    from: z
      .object({
        nodes: z
          .array(z.object({ node: z.string(), source: z.string(), codes: z.int() }))
          .describe('nodes whose quotes go on now, what they have them from, of how many codes'),
        wanted: z.int().describe('codes that are wanted here'),
        silent: z.int().describe('of these, the ones whose quotes do not go on now'),
        is_connected: z.boolean().describe('whether the servers between them are reached'),
      })
      .nullable()
      .describe('null: from a source of its own'),
    given: z.int().describe('codes whose quotes it sends to other nodes'),
  })
  .meta({ id: 'QuoteOrigin' })

const downloadTicket = z.object({
  accepted: z.literal(true),
  job_id: z.string(),
  state: z.string(),
  stock_code: z.string(),
  period: z.string(),
  start_time: z.string(),
  end_time: z.string(),
})

const tickFields = {
  stock_codes: z
    .string()
    .min(1)
    // Suffixed, and each comma as %2C, which is how most libraries write it.
    .describe(
      'codes, separated by commas; an address has room for 160 codes, ask for more in turn',
    ),
}

const historyFields = { stock_code: z.string().min(1).describe('one code'), ...historySpan }
const historyQuery = z.object(historyFields)
type HistoryQuery = z.output<typeof historyQuery>

/** On the gateway: that of `account_id`, else of `X-Account-Id`, else the first. */
const account = { account_id: z.string().optional().describe('whose data connection is used') }

/** Quotes and history through the data connection of one account. */
export const market: Feature = (on) => {
  const { common } = on
  const isGateway = on.backend === 'gateway'
  return [
    common.ofAccount({
      method: 'GET',
      path: '/market/tick',
      scope: 'view',
      summary: '实时行情；首次查询的代码稍等其首个行情 (quotes; a new code waits for its first)',
      answer: common.envelope.dataAnswer(tickMap, tickErrors),
      query: isGateway ? z.object({ ...tickFields, ...account }) : z.object(tickFields),
      handle: async ({ request, query }, link) => {
        const asked = askedCodes(query.stock_codes, on.limits.tickCodesMax)
        const ticks = await readTicks(on, link, asked.codes, request)
        return common.envelope.dataReply(
          ticks,
          asked.errors.length > 0 ? { errors: asked.errors } : {},
        )
      },
    }),
    common.ofAccount({
      method: 'GET',
      path: '/market/source',
      scope: 'view',
      summary: '行情来自哪里 (where the quotes come from)',
      answer: common.envelope.answer(origin),
      query: isGateway ? z.object(account) : z.object({}),
      handle: async ({ request }, link) => {
        const told = await link.market({ kind: 'origin' }, within(on.limits.readTimeoutMs, request))
        return common.envelope.reply(originRow(told))
      },
    }),
    isGateway ? gatewayHistory(on) : directHistory(on),
    ...(isGateway ? [download(on)] : []),
  ]
}

const originRow = ({ source, from, given }: QuoteOrigin): z.input<typeof origin> => ({
  source,
  from:
    from === undefined
      ? null
      : {
          nodes: [...from.nodes],
          wanted: from.wanted,
          silent: from.silent,
          is_connected: from.isConnected,
        },
  given,
})

/** Also says where the bars come from. */
const directHistory = (on: DirectContext): Route =>
  on.common.ofAccount({
    method: 'GET',
    path: '/market/history',
    scope: 'view',
    summary: '历史 K 线；source 标明数据来源 (bars and where they come from)',
    answer: dataAnswer(barMap).extend({ source: z.string().describe('simulated or replay') }),
    query: historyQuery,
    handle: async ({ request, query }, link) => {
      const { json: data, source } = await readHistory(on, link, query, request)
      const rest = `"source":"${source}","timestamp":"${timestampOf(on)}"`
      return jsonBytes(200, `{"status":"success","data":${data},${rest}}`)
    },
  })

const gatewayHistory = (on: GatewayContext): Route =>
  on.common.ofAccount({
    method: 'GET',
    path: '/market/history',
    scope: 'view',
    summary: '历史 K 线 (bars)',
    answer: on.common.envelope.dataAnswer(barMap),
    query: historyQuery.extend(account),
    handle: async ({ request, query }, link) => {
      const { json } = await readHistory(on, link, query, request)
      return jsonBytes(200, `{"success":true,"data":${json},"error":null}`)
    },
  })

const download = ({ common, clock, service }: GatewayContext): Route =>
  common.ofAccount({
    method: 'POST',
    path: '/market/download',
    scope: 'trade',
    summary: '下载历史行情，后台任务 (download history, as a job)',
    answer: common.envelope.answer(downloadTicket),
    body: z.object({ stock_code: z.string().min(1), ...historySpan, ...account }),
    handle: async ({ body: { account_id: _named, stock_code, ...span } }, { accountId }) => {
      checkedSpan(span, clock.nowMs())
      const input = { stock_code: codeOf(stock_code), ...span }
      const order = { kind: 'download', place: 'gateway', accountId, input } as const
      const { id, state } = await service.jobs.submit(order)
      return common.envelope.reply({ accepted: true, job_id: id, state, ...input })
    },
  })

interface History {
  /** Finished JSON: an object of the code, with its exchange, and its bars. */
  readonly json: string
  readonly source: string
}

/** Errors  `VALIDATION`, also when more is asked for than one answer may hold. */
async function readHistory(
  { clock, limits, service }: FrontContext,
  link: AccountLink,
  query: HistoryQuery,
  request: HttpRequest,
): Promise<History> {
  const code = codeOf(query.stock_code)
  const span = checkedSpan(query, clock.nowMs())
  const options = within(limits.readTimeoutMs, request)
  const stretch = { code, period: basePeriodOf(span.period), from: span.from, to: span.to }
  // What may be too much is counted first: to put it together takes seconds, and all for a refusal.
  const storedMax = limits.historyBarsMax * minutesOf(span.period)
  const isTooMuch =
    rowsAtMost(span) > limits.historyBarsMax &&
    (await hasMoreBars((body) => link.market(body, options), stretch, storedMax))
  if (isTooMuch) throw tooManyBars(limits)
  const pieces: string[] = []
  let rows = 0
  let source = ''
  const pages = barPages((body) => link.market(body, options), stretch)
  for await (const page of pages) {
    const made = await service.calculations.bars({ ...span, bars: page.bars })
    if (made.rows > 0) pieces.push(made.json)
    rows += made.rows
    source = page.source
    if (rows > limits.historyBarsMax) throw tooManyBars(limits)
  }
  return { json: `{"${code}":[${pieces.join(',')}]}`, source }
}

const tooManyBars = ({ historyBarsMax }: Pick<FrontContext['limits'], 'historyBarsMax'>) =>
  invalid({
    start_time: [
      `start_time: 超过 ${historyBarsMax} 根，请把 start_time 改晚、end_time 改早，或换用更长的周期 (more than ${historyBarsMax} bars; give a later start_time, an earlier end_time or a longer period)`,
    ],
  })

/** Errors  `VALIDATION` when it ends before it begins. */
export function checkedSpan(query: Omit<HistoryQuery, 'stock_code'>, nowMs: number) {
  const span = spanOf(query, nowMs)
  const { start_time, end_time } = query
  if (end_time !== '' && start_time > end_time) {
    throw invalid({ end_time: ['end_time: 不能早于 start_time (is before start_time)'] })
  }
  return span
}

/** Quotes under the spellings that they were asked with: callers look for exactly those. */
async function readTicks(
  { limits }: FrontContext,
  link: AccountLink,
  asked: ReadonlyMap<string, string>,
  request: HttpRequest,
): Promise<Readonly<Record<string, Tick>>> {
  const { firstQuoteWaitMs, readTimeoutMs } = limits
  const waitMs = Math.min(firstQuoteWaitMs, readTimeoutMs / 2)
  const codes = [...new Set(asked.values())]
  const options = within(readTimeoutMs, request)
  const { ticks } = await link.market({ kind: 'ticks', codes, waitMs }, options)
  const rows = [...asked].flatMap(([spelling, code]) => {
    const tick = ticks[code]
    return tick === undefined ? [] : [[spelling, tick] as const]
  })
  return Object.fromEntries(rows)
}

interface AskedCodes {
  /** Spelling to code. */
  readonly codes: ReadonlyMap<string, string>
  /** What is wrong with the others: one bad code does not refuse the rest. */
  readonly errors: readonly string[]
}

/** Errors  `VALIDATION` for none or too many; the error of the first code when none of them is one. */
function askedCodes(text: string, codesMax: number): AskedCodes {
  const spellings = requestedCodes(text, codesMax)
  const codes = new Map<string, string>()
  const errors: string[] = []
  for (const spelling of spellings) {
    const code = normalizeCode(spelling)
    if (code.ok) codes.set(spelling, code.value)
    else errors.push(`stock_codes: '${spelling}' ${whyNoCode(code.error)}`)
  }
  const [first = ''] = spellings
  if (codes.size === 0) codeOf(first, 'stock_codes') // throws
  return { codes, errors }
}

function requestedCodes(text: string, codesMax: number): readonly string[] {
  const codes = text.split(',').map((code) => code.trim())
  const named = [...new Set(codes.filter((code) => code !== ''))]
  if (named.length > 0 && named.length <= codesMax) return named
  throw invalid({
    stock_codes: [`stock_codes: 请给出 1 至 ${codesMax} 个代码 (name from 1 to ${codesMax} codes)`],
  })
}
