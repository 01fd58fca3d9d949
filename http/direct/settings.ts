import { z } from 'zod'
import type { ConfigChanges } from '../../src/protocol/account.ts'
import * as answers from '../answers/commands.ts'
import { statusReply } from '../desk/context.ts'
import { codeOf, priceOf, stockCode } from '../desk/orders.ts'
import { ignoredIn } from '../message/ignored.ts'
import type { JsonObject } from '../message/json-body.ts'
import type { Reply } from '../message/reply.ts'
import type { HttpRequest } from '../message/request.ts'
import { type Route, route } from '../message/routes.ts'
import { command, type DirectContext, switches } from './context.ts'
import { changesIn, isOfForm, parameterForm } from './parameters.ts'
import { riskLimitRoutes } from './risk-limits.ts'

const updateBody = z
  .object({
    stock_code: stockCode,
    profit_triggered: z.boolean().optional(),
    highest_price: z.number().min(0).optional(),
    stop_loss_price: z
      .number()
      .min(0)
      .optional()
      .describe(
        'for display, until the high, the flag, the ratio or the cost changes, or a restart: sales follow the parameters',
      ),
  })
  .meta({ examples: [{ stock_code: '600036', highest_price: 36.5 }] })
const switchBody = z.object({ stock_code: stockCode, enabled: z.boolean() })

/** Switches, parameters, what is remembered about holdings, and the records. */
export const settingRoutes = (context: DirectContext): Route[] => [
  ...parameterRoutes(context),
  ...riskLimitRoutes(context),
  ...holdingRoutes(context),
  ...dataRoutes(context),
]

function parameterRoutes(context: DirectContext): Route[] {
  const master = (path: string, on: boolean): Route =>
    route({
      method: 'POST',
      path,
      scope: 'admin',
      summary: on ? '打开总开关 (master switch on)' : '关闭总开关 (master switch off)',
      answer: answers.masterSwitch,
      handle: async ({ request }) => {
        const report = await command(context, request, { kind: 'setMaster', on })
        const message = on
          ? '自动操作已启动 (automatic operation is on)'
          : '自动操作已停止 (automatic operation is off)'
        return statusReply(context, { message, ...switches(report) })
      },
    })
  return [
    master('/api/monitor/start', true),
    master('/api/monitor/stop', false),
    route({
      method: 'POST',
      path: '/api/config/save',
      scope: 'admin',
      summary: '保存参数，要么全部要么都不 (save parameters, all or nothing)',
      answer: answers.savedConfig,
      body: parameterForm,
      handle: async ({ request, body }, { body: sent }) => {
        const changes = changesIn(body)
        const report = await command(context, request, { kind: 'saveConfig', changes })
        const ignored = unsavedOf(sent, changes)
        const { savedCount, warnings = [] } = report
        const told = warnings.map((text) => `；请注意：${text}`).join('')
        return statusReply(context, {
          message: `${savedText(savedCount)}${mistakesText(ignored)}${told}`,
          ...switches(report),
          saved_count: savedCount,
          failed_count: 0,
          ignored,
          ...(warnings.length > 0 && { warnings }),
        })
      },
    }),
  ]
}

/** What a form holds and nobody keeps: unknown names, and parameters that the file alone decides. */
const unsavedOf = (form: JsonObject, changes: ConfigChanges): string[] =>
  Object.keys(form).filter((name) => !Object.hasOwn(changes, name))

const savedText = (count: number): string => `已保存 ${count} 项参数 (${count} parameters saved)`

/** A form that is sent whole holds fields that nobody keeps; only a name that none of them has is a mistake. */
function mistakesText(unsaved: readonly string[]): string {
  const names = unsaved.filter((name) => !isOfForm(name))
  if (names.length === 0) return ''
  return `，${names.length} 项不认识、未保存 (${names.length} unknown, not saved): ${names.slice(0, NAMED_MAX).join(', ')}`
}
/** Names in a message; all of them stand in `ignored`. */
const NAMED_MAX = 5

async function initialize(
  context: DirectContext,
  request: HttpRequest,
  form: JsonObject,
): Promise<Reply> {
  const changes = changesIn(form)
  const report = await command(context, request, { kind: 'initializePositions', changes })
  const { success, message, updatedCount, errorCount } = report
  return statusReply(
    context,
    {
      success,
      message,
      updated_count: updatedCount,
      error_count: errorCount,
      ignored: unsavedOf(form, changes),
    },
    { status: success ? 'success' : 'error' },
  )
}

function holdingRoutes(context: DirectContext): Route[] {
  return [
    route({
      method: 'POST',
      path: '/api/initialize_positions',
      scope: 'admin',
      summary: '按交易客户端重建持仓 (initialize positions)',
      answer: answers.initializedPositions,
      handle: ({ request }) => initialize(context, request, {}),
    }),
    route({
      method: 'POST',
      path: '/api/holdings/init',
      scope: 'admin',
      summary: '按表单参数重建持仓 (rebuild holdings, with the parameters of a form)',
      answer: answers.initializedPositions,
      bodyUse: 'optional',
      body: parameterForm,
      handle: ({ request }, { body: sent }) => initialize(context, request, sent),
    }),
    route({
      method: 'POST',
      path: '/api/holdings/update',
      scope: 'admin',
      summary: '修改持仓参数 (update what is remembered about a holding)',
      answer: answers.updatedHolding,
      body: updateBody,
      handle: async ({ request, body }, { body: sent }) => {
        const { profit_triggered: triggered, highest_price: high, stop_loss_price: stop } = body
        const { message } = await command(context, request, {
          kind: 'updateHolding',
          code: codeOf(body.stock_code),
          ...(triggered !== undefined && { profitTriggered: triggered }),
          ...(high !== undefined && { highestPrice: priceOf(high, 'highest_price') }),
          ...(stop !== undefined && { stopLossPrice: priceOf(stop, 'stop_loss_price') }),
        })
        return statusReply(context, { message, ignored: ignoredIn(sent, updateBody) })
      },
    }),
    route({
      method: 'POST',
      path: '/api/holdings/stop_profit',
      scope: 'admin',
      summary: '单只股票的自动止盈开关 (take-profit switch of one stock)',
      answer: answers.stopProfitSwitch,
      body: switchBody,
      handle: async ({ request, body }) => {
        const { message, enabled } = await command(context, request, {
          kind: 'setStopProfit',
          code: codeOf(body.stock_code),
          enabled: body.enabled,
        })
        return statusReply(context, { message, enabled })
      },
    }),
  ]
}

function dataRoutes(context: DirectContext): Route[] {
  const clear = (path: string, scope: 'today' | 'all'): Route =>
    route({
      method: 'POST',
      path,
      scope: 'admin',
      summary:
        scope === 'today'
          ? '清除当日成交记录 (clear the trade records of the day)'
          : '清除全部成交记录，持仓不变 (delete all trade records, positions untouched)',
      answer: answers.clearedRecords,
      handle: async ({ request }) => {
        const report = await command(context, request, { kind: 'clearRecords', scope })
        return statusReply(context, { message: report.message, removed: report.removed })
      },
    })
  return [
    clear('/api/logs/clear', 'today'),
    clear('/api/data/clear_buysell', 'all'),
    route({
      method: 'POST',
      path: '/api/data/import',
      scope: 'admin',
      summary: '从账户数据库重新加载 (reload from the account database)',
      answer: answers.importedData,
      handle: async ({ request }) => {
        const report = await command(context, request, { kind: 'importData' })
        const { message, appliedCount } = report
        return statusReply(context, { message, applied_count: appliedCount, ...switches(report) })
      },
    }),
  ]
}
