import { z } from 'zod'
import type { Resource } from '../../src/protocol/account.ts'
import * as answers from '../answers/account.ts'
import { audit } from '../answers/commands.ts'
import { auditQuery, statusAudit } from '../audit.ts'
import { readPositions, readStamped } from '../read-model.ts'
import { type Route, type RouteDoc, route } from '../routes.ts'
import { type DirectContext, linkOf } from './context.ts'

type Doc = Pick<RouteDoc, 'summary' | 'answer'>
const versionQuery = z.object({ version: z.string().optional() })

/** Everything that can be read in direct mode. */
export function readRoutes(context: DirectContext): Route[] {
  const read = (path: string, resource: Resource, doc: Doc): Route =>
    route({
      method: 'GET',
      path,
      scope: 'view',
      ...doc,
      handle: ({ request }) => readStamped(context, linkOf(context), resource, request),
    })
  const positions = (path: string, resource: 'positions' | 'positionsAll', doc: Doc): Route =>
    route({
      method: 'GET',
      path,
      scope: 'view',
      ...doc,
      query: versionQuery,
      handle: ({ request, query: { version } }) =>
        readPositions(context, linkOf(context), resource, { request, version }),
    })
  return [
    read('/api/connection/status', 'connection', {
      summary: '交易客户端连接状态 (connection to the trading client)',
      answer: answers.connection,
    }),
    read('/api/status', 'status', {
      summary: '账户与开关总览 (account and switches)',
      answer: answers.status,
    }),
    read('/api/trade-records', 'tradeRecords', {
      summary: '成交记录，最新在前 (confirmed fills, newest first)',
      answer: answers.tradeRecords,
    }),
    read('/api/orders', 'orders', {
      summary: '当日委托，在途在前 (the orders of the day, in flight first)',
      answer: answers.orders,
    }),
    read('/api/config', 'config', {
      summary: '参数及其范围 (parameters and their ranges)',
      answer: answers.config,
    }),
    read('/api/debug/status', 'debug', {
      summary: '诊断信息，账号已脱敏 (diagnostics, account ids masked)',
      answer: answers.debug,
    }),
    read('/api/stock_pool/list', 'stockPool', {
      summary: '股票池 (stock pool)',
      answer: answers.stockPool,
    }),
    positions('/api/positions', 'positions', {
      summary: '持仓与汇总；version 未变时只答 no_change (positions and totals)',
      answer: answers.positions,
    }),
    positions('/api/positions-all', 'positionsAll', {
      summary: '全部持仓明细 (all position details)',
      answer: answers.positionsAll,
    }),
    route({
      method: 'GET',
      path: '/api/audit',
      scope: 'view',
      summary: '审计日志的一页 (a page of the audit journal)',
      answer: audit,
      query: auditQuery,
      handle: (call) => statusAudit(context, linkOf(context), call),
    }),
    route({
      method: 'GET',
      path: '/api/sse',
      scope: 'view',
      summary: '实时事件流 (event stream)',
      produces: 'text/event-stream',
      handle: ({ request }) => context.events.open(request),
    }),
  ]
}
