import { z } from 'zod'
import * as answers from '../answers/strategies.ts'
import { sourceOf, v1Reply } from '../context.ts'
import { type Route, route } from '../routes.ts'
import { accountsOf, type GatewayContext } from './context.ts'

const moduleBody = z.object({
  enabled: z.boolean().optional(),
  stop_loss_ratio: z.number().min(-0.2).max(-0.01).optional(),
  initial_take_profit_ratio: z.number().min(0.01).max(0.2).optional(),
  initial_take_profit_pullback_ratio: z.number().min(0.0001).max(0.2).optional(),
  initial_take_profit_sell_ratio: z.number().min(0.01).max(1).optional(),
  monitor_interval: z.number().min(0.1).max(60).optional(),
})
const toggleQuery = z.object({ enabled: z.enum(['true', 'false']).default('true') })

/** Seconds within which one account and stock gives no second signal of a type: one order at a time. */
const DEDUP_SECONDS = 60

/** The gateway's own dynamic take-profit and stop-loss. */
export function stopProfitRoutes(context: GatewayContext): Route[] {
  const { stopProfit } = context
  return [
    route({
      method: 'GET',
      path: '/api/v1/stop-profit/status',
      scope: 'view',
      summary: '网关动态止盈止损的运行状态 (stop-profit of the gateway)',
      answer: answers.gatewayStopProfit,
      confinesItself: true,
      handle: async ({ request }) => {
        const { config } = stopProfit
        return v1Reply({
          running: config.enabled,
          ...(config.enabled ? {} : { reason: '未启用 (switched off)' }),
          config: { ...config, signal_dedup_seconds: DEDUP_SECONDS },
          positions: await stopProfit.positions(accountsOf(context, request.caller)),
        })
      },
    }),
    route({
      method: 'POST',
      path: '/api/v1/stop-profit/config',
      scope: 'admin',
      summary: '设置网关止盈止损参数，不保存 (its parameters, not persisted)',
      answer: answers.moduleMessage,
      bodyUse: 'optional',
      body: moduleBody,
      handle: async ({ request, body }) => {
        await stopProfit.change(given(body), sourceOf('gateway', request))
        return v1Reply({ message: '止盈止损参数已更新 (updated)', config: stopProfit.config })
      },
    }),
    route({
      method: 'POST',
      path: '/api/v1/stop-profit/toggle',
      scope: 'admin',
      summary: '启停网关止盈止损 (switch it on or off)',
      answer: answers.moduleToggled,
      query: toggleQuery,
      handle: async ({ request, query }) => {
        const enabled = query.enabled === 'true'
        await stopProfit.change({ enabled }, sourceOf('gateway', request))
        return v1Reply({ enabled, message: enabled ? '已启用 (on)' : '已停用 (off)' })
      },
    }),
  ]
}

type Given = {
  readonly [K in keyof z.output<typeof moduleBody>]: NonNullable<z.output<typeof moduleBody>[K]>
}

/** What the caller left out stays as it is. */
const given = (body: z.output<typeof moduleBody>): Partial<Given> =>
  Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined))
