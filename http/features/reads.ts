import { z } from 'zod'
import type { Resource } from '../../src/protocol/account.ts'
import * as answers from '../answers/account.ts'
import { dataAnswer, errorBody } from '../answers/envelope.ts'
import { eventStream } from '../answers/events.ts'
import { statusReply, timestampOf, within } from '../desk/context.ts'
import { noAccountError } from '../desk/mount.ts'
import { readPositions, readStamped } from '../desk/read-model.ts'
import type { GatewayContext } from '../gateway/context.ts'
import { objectOrEmpty, type RuntimeSwitches } from '../gateway/probe.ts'
import { errorReply } from '../message/errors.ts'
import { json, type Reply } from '../message/reply.ts'
import type { HttpRequest } from '../message/request.ts'
import type { Route, RouteDoc } from '../message/routes.ts'
import type { AccountLink } from '../port/service.ts'
import type { Feature, Mount } from './feature.ts'

/** An answer, or what is answered as long as there is no account at all. */
const noAccountOr = <T extends z.ZodType>(answer: T) => z.union([answer, errorBody])

type Doc = Pick<RouteDoc, 'summary' | 'answer'>
const versionQuery = z.object({ version: z.string().optional() })

/** What an account shows of itself under `/api`: on both backends, and some of it in direct mode alone. */
export const reads: Feature = (on) => [...accountReads(on), ...bookReads(on), ...ownReads(on)]

/** A read model as the account has published it. */
function readOf(
  on: Mount,
  path: string,
  resource: Resource,
  { withoutAccount = emptyList, ...doc }: Doc & { withoutAccount?: (on: Mount) => Reply },
): Route {
  return on.chosen.ofAccount({
    method: 'GET',
    path,
    scope: 'view',
    isConditional: true,
    ...doc,
    // The gateway takes a version with each of these; only the positions below look at it.
    ...(on.backend === 'gateway' && { query: versionQuery }),
    withoutAccount: () => withoutAccount(on),
    handle: ({ request }, link) => readStamped(on, link, resource, request),
  })
}

const accountReads = (on: Mount): Route[] => [
  readOf(on, '/connection/status', 'connection', {
    summary: '交易客户端连接状态 (connection to the trading client)',
    answer: answers.connection,
    withoutAccount: () => statusReply(on, { connected: false }),
  }),
  on.backend === 'gateway'
    ? gatewayStatus(on)
    : readOf(on, '/status', 'status', {
        summary: '账户与开关总览 (account and switches)',
        answer: answers.status,
      }),
]

/** Holdings, orders and fills. */
function bookReads(on: Mount): Route[] {
  const isGateway = on.backend === 'gateway'
  const positions = (
    path: string,
    resource: 'positions' | 'positionsAll',
    { withoutAccount, ...doc }: Doc & { withoutAccount: (on: Mount) => Reply },
  ): Route =>
    on.chosen.ofAccount({
      method: 'GET',
      path,
      scope: 'view',
      isConditional: true,
      ...doc,
      query: versionQuery,
      withoutAccount: () => withoutAccount(on),
      handle: ({ request, query: { version } }, link) =>
        readPositions(on, link, resource, { request, version }),
    })
  return [
    positions('/positions', 'positions', {
      summary: '持仓与汇总；version 未变时只答 no_change (positions and totals)',
      answer: isGateway ? noAccountOr(answers.positions) : answers.positions,
      withoutAccount: noAccountReply,
    }),
    positions('/positions-all', 'positionsAll', {
      summary: '全部持仓明细 (all position details)',
      answer: isGateway
        ? z.union([answers.positionsAll, dataAnswer(z.array(z.never()))])
        : answers.positionsAll,
      withoutAccount: emptyList,
    }),
    readOf(on, '/orders', 'orders', {
      summary:
        '当日委托，在途在前；模拟模式没有委托 (the orders of the day, in flight first; a simulation has none)',
      answer: answers.orders,
    }),
    readOf(on, '/trade-records', 'tradeRecords', {
      summary: '成交记录，最新在前 (confirmed fills, newest first)',
      answer: answers.tradeRecords,
    }),
  ]
}

/** What only the process of the account itself has. */
function ownReads(on: Mount): readonly Route[] {
  if (on.backend === 'gateway') return []
  return [
    readOf(on, '/config', 'config', {
      summary: '参数及其范围 (parameters and their ranges)',
      answer: answers.config,
    }),
    readOf(on, '/debug/status', 'debug', {
      summary: '诊断信息，账号已脱敏 (diagnostics, account ids masked)',
      answer: answers.debug,
    }),
    readOf(on, '/stock_pool/list', 'stockPool', {
      summary: '股票池 (stock pool)',
      answer: answers.stockPool,
    }),
    on.account.route({
      method: 'GET',
      path: '/sse',
      scope: 'view',
      summary: '实时事件流 (event stream)',
      produces: 'text/event-stream',
      stream: eventStream,
      handle: ({ request }) => on.events.open(request),
    }),
  ]
}

const emptyList = (on: Mount): Reply =>
  json(200, { status: 'success', data: [], timestamp: timestampOf(on) })

/** An error as any other; but whoever looks at a gateway without an account has asked nothing wrong. */
function noAccountReply({ backend, clock, limits }: Mount): Reply {
  const { retryAfterSeconds } = limits
  const context = { backend, nowMs: clock.nowMs(), retryAfterSeconds }
  return { ...errorReply(noAccountError(), context), status: 200 }
}

const gatewayStatus = (on: GatewayContext): Route =>
  on.chosen.ofAccount({
    method: 'GET',
    path: '/status',
    scope: 'view',
    summary: '账户与开关总览；未知为 null (account and switches)',
    answer: noAccountOr(answers.status),
    query: versionQuery,
    withoutAccount: () => noAccountReply(on),
    handle: ({ request }, link) => knownStatus(on, link, request),
  })

async function knownStatus(
  context: GatewayContext,
  link: AccountLink,
  request: HttpRequest,
): Promise<Reply> {
  const [{ bytes }, switches] = await Promise.all([
    link.read('gatewayStatus', within(context.limits.readTimeoutMs, request)),
    context.probe.switchesOf(link),
  ])
  const shown = objectOrEmpty(JSON.parse(Buffer.from(bytes).toString('utf8')))
  const { status, data: _, ...fields } = shown
  const data = withSwitches(fields, switches)
  return json(200, { status, ...data, data, timestamp: timestampOf(context) })
}

/** The runtime switches come from the direct-mode process only, over whatever stands there. */
function withSwitches(
  shown: Record<string, unknown>,
  switches: RuntimeSwitches,
): Record<string, unknown> {
  const settings = { ...objectOrEmpty(shown['settings']), ...switches }
  const { isMonitoring, positionMonitorRunning } = switches
  return { ...shown, isMonitoring, positionMonitorRunning, settings }
}
