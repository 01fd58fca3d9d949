import { docsRoutes } from '../openapi/docs.ts'
import { startPage, startPageRoute, tokenTexts } from '../page.ts'
import type { Route } from '../routes.ts'
import { actionRoutes } from './actions.ts'
import type { DirectContext } from './context.ts'
import { doubtRoutes } from './doubt.ts'
import { effectiveRoutes } from './effective.ts'
import { gridRoutes } from './grid.ts'
import { jobRoutes } from './jobs.ts'
import { logLevelRoutes } from './log-level.ts'
import { marketRoutes } from './market.ts'
import { metricsRoutes } from './metrics.ts'
import { placeOrderRoutes } from './place-order.ts'
import { previewRoutes } from './preview.ts'
import { readRoutes } from './reads.ts'
import { replayRoutes } from './replay.ts'
import { safetyRoutes } from './safety.ts'
import { settingRoutes } from './settings.ts'
import { strategyRoutes } from './strategies.ts'

const LINKS = [
  { href: '/api/connection/status', zh: '交易客户端连接', en: 'connection to the trading client' },
  { href: '/api/status', zh: '账户与开关', en: 'account and switches' },
  { href: '/api/positions-all', zh: '持仓', en: 'positions' },
  { href: '/api/orders', zh: '当日委托', en: "the day's orders" },
  { href: '/api/trade-records', zh: '成交记录', en: 'trade records' },
  { href: '/api/config', zh: '参数', en: 'parameters' },
  { href: '/api/stock_pool/list', zh: '股票池', en: 'stock pool' },
  { href: '/api/audit', zh: '审计日志', en: 'audit journal' },
  { href: '/api/sse', zh: '实时事件', en: 'event stream' },
  { href: '/docs', zh: '接口说明', en: 'description of the interface' },
] as const

/** The route table of direct mode: one account, read and write. */
export function directRoutes(context: DirectContext, isTokenSet: boolean): readonly Route[] {
  const page = startPage({
    title: `Steward · ${context.accountId}`,
    zh: '单账户直连服务正在运行。',
    en: 'The service of this one account is running.',
    ...tokenTexts(isTokenSet),
    links: LINKS,
  })
  const routes = [
    startPageRoute(page),
    ...readRoutes(context),
    ...settingRoutes(context),
    ...actionRoutes(context),
    ...doubtRoutes(context),
    ...effectiveRoutes(context),
    ...placeOrderRoutes(context),
    ...previewRoutes(context),
    ...jobRoutes(context),
    ...gridRoutes(context),
    ...marketRoutes(context),
    ...metricsRoutes(context),
    ...logLevelRoutes(context),
    ...replayRoutes(context),
    ...safetyRoutes(context),
    ...strategyRoutes(context),
  ]
  return [...routes, ...docsRoutes('direct', routes)]
}
