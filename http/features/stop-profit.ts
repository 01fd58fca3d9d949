import { z } from 'zod'
import type { NumberRow } from '../../src/domain/settings/row.ts'
import { SETTINGS } from '../../src/domain/settings/table.ts'
import { money, ratio, v1Answer } from '../answers/envelope.ts'
import { v1Reply } from '../desk/context.ts'
import { accountsOf, type GatewayContext } from '../gateway/context.ts'
import { invalid } from '../message/errors.ts'
import { ignored, ignoredIn } from '../message/ignored.ts'
import type { Route } from '../message/routes.ts'
import type { Feature } from './feature.ts'

const moduleConfig = z.object({
  enabled: z.boolean(),
  stop_loss_ratio: ratio,
  initial_take_profit_ratio: ratio,
  initial_take_profit_pullback_ratio: ratio,
  initial_take_profit_sell_ratio: ratio,
  monitor_interval: z.number().describe('seconds'),
})

const moduleRow = z.object({
  stock_code: z.string(),
  highest_price: money,
  profit_triggered: z.boolean(),
  profit_breakout_triggered: z.boolean(),
  breakout_highest_price: money,
  last_price: money,
})

const gatewayStopProfit = v1Answer(
  z.object({
    running: z.boolean(),
    reason: z.string().optional().describe('while it is not running'),
    config: moduleConfig.extend({ signal_dedup_seconds: z.number() }),
    positions: z.record(z.string(), z.record(z.string(), moduleRow)),
  }),
)
const moduleMessage = v1Answer(z.object({ message: z.string(), config: moduleConfig, ignored }))
const moduleToggled = v1Answer(z.object({ enabled: z.boolean(), message: z.string() }))

/** A ratio of the module has the range of the setting that an account has for it. */
const within = ({ min, max }: NumberRow) => z.number().min(min).max(max).optional()
const moduleBody = z.object({
  enabled: z.boolean().optional(),
  stop_loss_ratio: within(SETTINGS.STOP_LOSS_RATIO),
  initial_take_profit_ratio: within(SETTINGS.INITIAL_TAKE_PROFIT_RATIO),
  initial_take_profit_pullback_ratio: within(SETTINGS.INITIAL_TAKE_PROFIT_PULLBACK_RATIO),
  initial_take_profit_sell_ratio: within(SETTINGS.INITIAL_TAKE_PROFIT_RATIO_PERCENTAGE),
  monitor_interval: within(SETTINGS.MONITOR_LOOP_INTERVAL),
})
const toggleQuery = z.object({
  enabled: z.enum(['true', 'false']).optional().describe('true where nothing is said at all'),
})
const toggleBody = z.object({ enabled: z.boolean().optional().describe('in place of the query') })

/** Seconds within which one account and stock gives no second signal of a type: one order at a time. */
const DEDUP_SECONDS = 60

/** The gateway's own dynamic take-profit and stop-loss. */
export const stopProfit: Feature = (on) => (on.backend === 'gateway' ? moduleRoutes(on) : [])

function moduleRoutes(context: GatewayContext): Route[] {
  const { stopProfit } = context
  return [
    context.common.route({
      method: 'GET',
      path: '/stop-profit/status',
      scope: 'view',
      summary: '网关动态止盈止损的运行状态 (stop-profit of the gateway)',
      answer: gatewayStopProfit,
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
    context.common.route({
      method: 'POST',
      path: '/stop-profit/config',
      scope: 'admin',
      summary: '设置网关止盈止损参数，不保存 (its parameters, not persisted)',
      answer: moduleMessage,
      bodyUse: 'optional',
      body: moduleBody,
      handle: async ({ request, body }, { body: sent }) => {
        await stopProfit.change(given(body), context.source(request))
        return v1Reply({
          message: '止盈止损参数已更新 (updated)',
          config: stopProfit.config,
          ignored: ignoredIn(sent, moduleBody),
        })
      },
    }),
    context.common.route({
      method: 'POST',
      path: '/stop-profit/toggle',
      scope: 'admin',
      summary: '启停网关止盈止损 (switch it on or off)',
      answer: moduleToggled,
      query: toggleQuery,
      bodyUse: 'optional',
      body: toggleBody,
      handle: async ({ request, query, body }, { query: asked, body: sent }) => {
        const enabled = wantedBy(query, body, Object.keys({ ...asked, ...sent }).length > 0)
        await stopProfit.change({ enabled }, context.source(request))
        return v1Reply({ enabled, message: enabled ? '已启用 (on)' : '已停用 (off)' })
      },
    }),
  ]
}

/**
 * Nothing at all is on, as callers are used to. Whoever says something else, in another place or under another name,
 * may have meant off: that sells nothing.
 *
 * Errors  `VALIDATION`.
 */
function wantedBy(
  query: z.output<typeof toggleQuery>,
  body: z.output<typeof toggleBody>,
  isSaid: boolean,
): boolean {
  const inQuery = query.enabled === undefined ? undefined : query.enabled === 'true'
  const wanted = inQuery ?? body.enabled
  const isUnclear = wanted === undefined ? isSaid : wanted !== (body.enabled ?? wanted)
  if (!isUnclear) return wanted ?? true
  throw invalid({
    enabled: [
      'enabled: 请写 ?enabled=true 或 ?enabled=false (say ?enabled=true or ?enabled=false)',
    ],
  })
}

type Given = {
  readonly [K in keyof z.output<typeof moduleBody>]: NonNullable<z.output<typeof moduleBody>[K]>
}

/** What the caller left out stays as it is. */
const given = (body: z.output<typeof moduleBody>): Partial<Given> =>
  Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined))
