import { z } from 'zod'
import * as answers from '../answers/account.ts'
import { dataAnswer } from '../answers/envelope.ts'
import { compatibleAccounts, compatibleStatus, noAccountOr } from '../answers/gateway.ts'
import { type FrontContext, statusReply, timestampOf, within } from '../context.ts'
import { PARAMETER_RANGES } from '../direct/parameters.ts'
import { readPositions, readStamped } from '../read-model.ts'
import { json, type Reply } from '../reply.ts'
import type { HttpRequest } from '../request.ts'
import { type Route, type RouteDoc, route } from '../routes.ts'
import type { AccountLink } from '../service.ts'
import { accountsOf, chosenAccount, type GatewayContext } from './context.ts'
import { objectOrEmpty, type RuntimeSwitches } from './probe.ts'

/**
 * The gateway holds no parameters of its own and shows the fixed defaults. The two switches that only
 * a running process knows have no default: they are unknown.
 */
const FIXED_CONFIG = {
  singleBuyAmount: 35_000,
  firstProfitSell: 6,
  firstProfitSellEnabled: true,
  stockGainSellPencent: 60,
  allowBuy: true,
  allowSell: true,
  stopLossBuy: 7,
  stopLossBuyEnabled: true,
  stockStopLoss: 7.5,
  StopLossEnabled: true,
  singleStockMaxPosition: 70_000,
  totalMaxPosition: 950_000,
  connectPort: 5_000,
  totalAccounts: '127.0.0.1',
  globalAutoOperation: null,
  globalAllowBuySell: false,
  globalAllowGridTrading: true,
  pauseGridAfterTakeProfitFull: true,
  simulationMode: null,
} as const

const versionQuery = z.object({ version: z.string().optional() })

/** The reads of direct mode that the gateway repeats for the account of `X-Account-Id`. */
export function compatibleRoutes(context: GatewayContext): Route[] {
  const read = (path: string, doc: Doc, answer: Answer, empty: Empty): Route =>
    route({
      method: 'GET',
      path,
      scope: 'view',
      ...doc,
      query: versionQuery,
      handle: ({ request, query: { version } }) => {
        const link = chosenAccount(context, request)
        return link === undefined ? empty(context) : answer(link, { request, version })
      },
    })
  return [
    ...constantRoutes(context),
    read(
      '/api/connection/status',
      {
        summary: '交易客户端连接状态 (connection to the trading client)',
        answer: answers.connection,
      },
      (link, { request }) => readStamped(context, link, 'connection', request),
      () => statusReply(context, { connected: false }),
    ),
    read(
      '/api/status',
      { summary: '账户与开关总览；未知为 null (account and switches)', answer: compatibleStatus },
      (link, { request }) => status(context, link, request),
      noAccount,
    ),
    read(
      '/api/positions',
      {
        summary: '持仓与汇总；version 未变时只答 no_change (positions and totals)',
        answer: noAccountOr(answers.positions),
      },
      (link, asked) => readPositions(context, link, 'positions', asked),
      noAccount,
    ),
    read(
      '/api/positions-all',
      {
        summary: '全部持仓明细 (all position details)',
        answer: z.union([answers.positionsAll, dataAnswer(z.array(z.never()))]),
      },
      (link, asked) => readPositions(context, link, 'positionsAll', asked),
      emptyList,
    ),
    read(
      '/api/orders',
      {
        summary: '当日委托，在途在前 (the orders of the day, in flight first)',
        answer: answers.orders,
      },
      (link, { request }) => readStamped(context, link, 'orders', request),
      emptyList,
    ),
    read(
      '/api/trade-records',
      {
        summary: '成交记录，最新在前 (confirmed fills, newest first)',
        answer: answers.tradeRecords,
      },
      (link, { request }) => readStamped(context, link, 'tradeRecords', request),
      emptyList,
    ),
  ]
}

type Doc = Pick<RouteDoc, 'summary' | 'answer'>
type Empty = (context: FrontContext) => Reply
type Answer = (
  link: AccountLink,
  asked: { readonly request: HttpRequest; readonly version: string | undefined },
) => Reply | Promise<Reply>

function constantRoutes(context: GatewayContext): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/accounts',
      scope: 'view',
      confinesItself: true,
      summary: '账户列表 (accounts)',
      answer: compatibleAccounts,
      handle: ({ request }) =>
        json(200, {
          status: 'success',
          success: true,
          data: { accounts: accountsOf(context, request.caller).map(({ accountId }) => accountId) },
          timestamp: timestampOf(context),
        }),
    }),
    route({
      method: 'GET',
      path: '/api/config',
      scope: 'view',
      summary: '固定的默认参数，只读 (the fixed defaults, read-only)',
      answer: answers.config,
      handle: ({ request }) => {
        chosenAccount(context, request) // an unknown account has no configuration, not even a fixed one
        return json(200, {
          status: 'success',
          data: FIXED_CONFIG,
          ranges: PARAMETER_RANGES,
          timestamp: timestampOf(context),
        })
      },
    }),
  ]
}

const emptyList = (context: FrontContext): Reply =>
  json(200, { status: 'success', data: [], timestamp: timestampOf(context) })

function noAccount(context: FrontContext): Reply {
  const error = 'no account is registered'
  const timestamp = timestampOf(context)
  return json(200, { status: 'error', error, message: error, data: null, timestamp })
}

async function status(
  context: GatewayContext,
  link: AccountLink,
  request: HttpRequest,
): Promise<Reply> {
  const [{ bytes }, switches] = await Promise.all([
    link.read('gatewayStatus', within(context.limits.readTimeoutMs, request)),
    context.probe.switchesOf(link),
  ])
  const shown = objectOrEmpty(JSON.parse(Buffer.from(bytes).toString('utf8')))
  const merged = withSwitches(shown, switches)
  const data = 'data' in shown ? withSwitches(objectOrEmpty(shown['data']), switches) : merged
  return json(200, { timestamp: timestampOf(context), ...merged, data })
}

/** The runtime switches come from the direct-mode process only, over whatever stands there. */
function withSwitches(
  shown: Record<string, unknown>,
  switches: RuntimeSwitches,
): Record<string, unknown> {
  const settings = { ...objectOrEmpty(shown['settings']), ...switches }
  return { ...shown, isMonitoring: switches.isMonitoring, settings }
}
