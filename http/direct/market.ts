import { z } from 'zod'
import { dataAnswer } from '../answers/envelope.ts'
import { macdAnswer } from '../answers/macd.ts'
import { barMap, tickMap } from '../answers/market.ts'
import { timestampOf } from '../context.ts'
import { historyFields, readHistory, readTicks, tickFields } from '../history.ts'
import { MacdDesk, macdQuery } from '../macd.ts'
import { json, jsonBytes } from '../reply.ts'
import { type Route, route } from '../routes.ts'
import { type DirectContext, linkOf } from './context.ts'

/** Quotes and history for the charts of the console. */
export function marketRoutes(context: DirectContext): Route[] {
  const macd = new MacdDesk(context)
  return [
    route({
      method: 'GET',
      path: '/api/macd/advice',
      scope: 'view',
      summary: 'MACD 建议：底仓与网格方向 (advice for base position and grid)',
      answer: macdAnswer,
      query: macdQuery,
      handle: ({ request, query }) => macd.answer(linkOf(context), query.code, request),
    }),
    route({
      method: 'GET',
      path: '/api/market/tick',
      scope: 'view',
      summary: '实时行情 (quotes)',
      answer: dataAnswer(tickMap),
      query: z.object(tickFields),
      handle: async ({ request, query }) => {
        const data = await readTicks(context, linkOf(context), query.stock_codes, request)
        return json(200, { status: 'success', data, timestamp: timestampOf(context) })
      },
    }),
    route({
      method: 'GET',
      path: '/api/market/history',
      scope: 'view',
      summary: '历史 K 线；source 标明数据来源 (bars and where they come from)',
      answer: dataAnswer(barMap).extend({ source: z.string().describe('simulated or replay') }),
      query: z.object(historyFields),
      handle: async ({ request, query }) => {
        const { json: data, source } = await readHistory(context, linkOf(context), query, request)
        const rest = `"source":"${source}","timestamp":"${timestampOf(context)}"`
        return jsonBytes(200, `{"status":"success","data":${data},${rest}}`)
      },
    }),
  ]
}
