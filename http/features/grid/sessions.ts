import { z } from 'zod'
import { reportedPrice } from '../../../src/domain/money.ts'
import {
  GRID_PAGE_DEFAULT,
  GRID_PAGE_MAX,
  type GridPage,
  type GridTarget,
} from '../../../src/protocol/grid.ts'
import { type BacktestInput, backtestSpan, firstDay } from '../../../src/protocol/grid-backtest.ts'
import { within } from '../../desk/context.ts'
import { stockCode } from '../../desk/orders.ts'
import { ask, type DirectContext, linkOf } from '../../direct/context.ts'
import type { JsonObject } from '../../message/json-body.ts'
import type { Reply } from '../../message/reply.ts'
import type { HttpRequest } from '../../message/request.ts'
import type { Route } from '../../message/routes.ts'
import { checkedSpan } from '../market.ts'
import * as answers from './answers.ts'
import {
  askGrid,
  commandGrid,
  gridReply,
  ignoredInStart,
  sessionIdOf,
  sessionParams,
  startBody,
  startOf,
} from './context.ts'

const backtestBody = startBody
  .extend(backtestSpan)
  .meta({ examples: [{ stock_code: '600036.SH', max_investment: 10_000, period: '1d' }] })

/** Refused at once where it could not be done: a span that ends before it begins, a market that is no replay. */
async function backtest(
  context: DirectContext,
  request: HttpRequest,
  body: z.infer<typeof backtestBody>,
  sent: JsonObject,
): Promise<Reply> {
  const { source: from, period, start_time, end_time, base_volume, ...start } = body
  const span = { period, start_time: firstDay(from, start_time), end_time }
  checkedSpan(span, context.clock.nowMs())
  if (from === 'replay') {
    const options = within(context.limits.commandTimeoutMs, request)
    await linkOf(context).market({ kind: 'replayStatus' }, options)
  }
  const { fields: plan } = await ask(context, request, {
    kind: 'gridBacktest',
    ...startOf(start),
    baseQuantity: base_volume ?? null,
  })
  const { accountId } = context
  const input: BacktestInput = { ...plan, ...span, source: from }
  const order = { kind: 'grid_backtest', place: 'direct', accountId, input } as const
  const { id, state } = await context.service.jobs.submit(order)
  const code = plan.stock_code
  const message = `已提交回测 ${code} (the backtest of ${code} was taken)`
  return gridReply(context, {
    job_id: id,
    state,
    message,
    ignored: ignoredInStart(sent, backtestBody),
  })
}

/** Strict: what names no grid stops all of them, and a name that is spelled wrong, or is empty, must not. */
const stopBody = z
  .strictObject({
    session_id: z.int().positive().nullish(),
    stock_code: stockCode.nullish(),
  })
  .refine(
    (body) => Object.keys(body).length === 0 || (body.session_id ?? body.stock_code) != null,
    {
      path: ['session_id'],
      error:
        'session_id 与 stock_code 须给出一个；停止全部请发空请求体 (give session_id or stock_code; an empty body stops all)',
    },
  )

/** Sessions of grids: what starts, stops and pauses them. */
export const gridCommandRoutes = (context: DirectContext): Route[] => [
  context.account.route({
    method: 'POST',
    path: '/grid/start',
    scope: 'trade',
    summary: '启动网格 (start a grid)',
    answer: answers.started,
    body: startBody,
    handle: ({ request, body }, { body: sent }) =>
      commandGrid(
        context,
        request,
        { kind: 'gridStart', ...startOf(body) },
        { ignored: ignoredInStart(sent) },
      ),
  }),
  context.account.route({
    method: 'POST',
    path: '/grid/preview',
    scope: 'view',
    summary: '启动前预览：档位、资金、最坏情况 (what a start would lead to)',
    answer: answers.preview,
    body: startBody,
    handle: async ({ request, body }, { body: sent }) => {
      const { fields } = await ask(context, request, { kind: 'gridPreview', ...startOf(body) })
      return gridReply(context, { ...fields, ignored: ignoredInStart(sent) })
    },
  }),
  context.account.route({
    method: 'POST',
    path: '/grid/backtest',
    scope: 'trade',
    summary: '用历史行情回测网格，后台任务 (try a grid on the past, as a job)',
    answer: answers.backtestTicket,
    body: backtestBody,
    handle: ({ request, body }, { body: sent }) => backtest(context, request, body, sent),
  }),
  context.account.route({
    method: 'POST',
    path: '/grid/stop',
    scope: 'trade',
    summary: '停止全部网格；给出会话号或代码时只停一个 (stop every grid, or one)',
    answer: answers.stoppedAny,
    bodyUse: 'optional',
    body: stopBody,
    handle: ({ request, body }) =>
      commandGrid(context, request, { kind: 'gridStop', target: targetOf(body) }),
  }),
  context.account.route({
    method: 'POST',
    path: '/grid/stop/{session_id}',
    scope: 'trade',
    summary: '停止一个网格 (stop one grid)',
    answer: answers.stopped,
    params: sessionParams,
    handle: ({ request, params }) =>
      commandGrid(context, request, {
        kind: 'gridStop',
        target: { by: 'id', sessionId: sessionIdOf(params.session_id) },
      }),
  }),
  context.account.route({
    method: 'POST',
    path: '/grid/session/{session_id}/enabled',
    scope: 'trade',
    summary: '暂停或恢复网格 (pause or resume)',
    answer: answers.switched,
    params: sessionParams,
    body: z.object({ enabled: z.boolean() }),
    handle: ({ request, params, body }) =>
      commandGrid(context, request, {
        kind: 'gridEnable',
        sessionId: sessionIdOf(params.session_id),
        enabled: body.enabled,
      }),
  }),
]

function targetOf({ session_id, stock_code }: z.infer<typeof stopBody>): GridTarget {
  if (session_id) return { by: 'id', sessionId: session_id }
  return stock_code ? { by: 'code', code: stock_code } : { by: 'all' }
}

const pageQuery = z.object({ limit: z.string().optional(), offset: z.string().optional() })
const ledgerQuery = pageQuery.extend({ current_price: z.string().optional() })

/** What cannot be read counts as not given; what is too large is cut. */
function pageOf({ limit, offset }: z.infer<typeof pageQuery>): GridPage {
  const rows = wholeOf(limit)
  return {
    limit: rows === 0 ? GRID_PAGE_DEFAULT : Math.min(rows, GRID_PAGE_MAX),
    offset: wholeOf(offset),
  }
}
const wholeOf = (text = ''): number => (/^\d{1,9}$/.test(text) ? Number(text) : 0)

/** Six digits are a stock, and so is every other spelling of one; fewer digits are a session. */
const isSession = (key: string): boolean => /^\d{1,9}$/.test(key) && key.length !== 6

const codeParams = z.object({ stock_code: stockCode })

/** What can be read about one session or stock. */
export const gridReadRoutes = (context: DirectContext): Route[] => [
  context.account.route({
    method: 'GET',
    path: '/grid/session/{key}',
    scope: 'view',
    summary: '按代码或会话号查询网格 (a grid by stock or number)',
    answer: answers.sessionFound,
    params: z.object({ key: stockCode }),
    handle: ({ request, params: { key } }) =>
      askGrid(
        context,
        request,
        isSession(key)
          ? { about: 'session', sessionId: Number(key) }
          : { about: 'stock', code: key },
      ),
  }),
  context.account.route({
    method: 'GET',
    path: '/grid/trades/{session_id}',
    scope: 'view',
    summary: '网格成交 (booked fills of a grid)',
    answer: answers.trades,
    params: sessionParams,
    query: pageQuery,
    handle: ({ request, params, query }) =>
      askGrid(context, request, {
        about: 'trades',
        sessionId: sessionIdOf(params.session_id),
        page: pageOf(query),
      }),
  }),
  context.account.route({
    method: 'GET',
    path: '/grid/ledger/{session_id}',
    scope: 'view',
    summary: '网格真实账本 (the ledger of a grid)',
    answer: answers.ledger,
    params: sessionParams,
    query: ledgerQuery,
    handle: ({ request, params, query }) =>
      askGrid(context, request, {
        about: 'ledger',
        sessionId: sessionIdOf(params.session_id),
        page: pageOf(query),
        price: reportedPrice(Number(query.current_price ?? 0)),
      }),
  }),
  context.account.route({
    method: 'GET',
    path: '/grid/status/{stock_code}',
    scope: 'view',
    summary: '网格快速状态 (quick status of a stock)',
    answer: answers.quickStatus,
    params: codeParams,
    handle: ({ request, params: { stock_code: code } }) =>
      askGrid(context, request, { about: 'status', code, echo: code }),
  }),
  ...checkboxRoutes(context),
]

const CODES_MAX = 500

const checkboxRoutes = (context: DirectContext): Route[] => [
  context.account.route({
    method: 'GET',
    path: '/grid/checkbox-states',
    scope: 'view',
    summary: '各股网格勾选状态 (check states of all stocks)',
    answer: answers.checkboxes,
    query: z.object({ stock_codes: z.string().optional() }),
    handle: ({ request, query }) => {
      const codes = (query.stock_codes ?? '').split(',').map((text) => text.trim())
      const asked = codes.filter((text) => text !== '').slice(0, CODES_MAX)
      return askGrid(context, request, { about: 'checkboxes', codes: asked })
    },
  }),
  context.account.route({
    method: 'GET',
    path: '/grid/checkbox-state/{stock_code}',
    scope: 'view',
    summary: '单只股票网格勾选状态 (check state of one stock)',
    answer: answers.checkbox,
    params: codeParams,
    handle: ({ request, params: { stock_code: code } }) =>
      askGrid(context, request, { about: 'checkbox', code }),
  }),
]
