import { docsRoutes } from '../openapi/docs.ts'
import { startPage, startPageRoute, tokenTexts } from '../page.ts'
import type { Route } from '../routes.ts'
import { accountRoutes } from './accounts.ts'
import { compatibleRoutes } from './compatible.ts'
import type { GatewayContext } from './context.ts'
import { gridRoutes } from './grid.ts'
import { jobRoutes } from './jobs.ts'
import { logLevelRoutes } from './log-level.ts'
import { marketRoutes } from './market.ts'
import { metricsRoutes } from './metrics.ts'
import { previewRoutes } from './preview.ts'
import { safetyRoutes } from './safety.ts'
import { stopProfitRoutes } from './stop-profit.ts'
import { tradingRoutes } from './trading.ts'

const LINKS = [
  { href: '/docs', zh: '接口说明', en: 'description of the interface' },
  { href: '/api/v1/health', zh: '健康状况（无需令牌）', en: 'health (no token needed)' },
  { href: '/api/v1/accounts', zh: '账户列表', en: 'accounts' },
  { href: '/api/status', zh: '账户与开关', en: 'account and switches' },
  { href: '/api/positions-all', zh: '持仓', en: 'positions' },
  { href: '/api/orders', zh: '当日委托', en: "the day's orders" },
  { href: '/api/trade-records', zh: '成交记录', en: 'trade records' },
  {
    href: '/api/v1/market/tick?stock_codes=600036.SH',
    zh: '实时行情',
    en: 'quotes',
  },
] as const

/** The route table of the gateway: all accounts, `/api/v1` and the compatible reads. */
export function gatewayRoutes(context: GatewayContext, isTokenSet: boolean): readonly Route[] {
  const page = startPage({
    title: 'Steward · Gateway',
    zh: '多账户网关正在运行。',
    en: 'The gateway for all accounts is running.',
    ...tokenTexts(isTokenSet),
    links: LINKS,
  })
  const routes = [
    startPageRoute(page),
    ...accountRoutes(context),
    ...previewRoutes(context), // before the path of one order, which would take it for a number
    ...tradingRoutes(context),
    ...marketRoutes(context),
    ...metricsRoutes(context),
    ...logLevelRoutes(context),
    ...jobRoutes(context),
    ...gridRoutes(context),
    ...compatibleRoutes(context),
    ...safetyRoutes(context),
    ...stopProfitRoutes(context),
  ]
  return [...routes, ...docsRoutes('gateway', routes)]
}
