import { settingRoutes } from './direct/settings.ts'
import { accountEvents } from './features/account-events.ts'
import { accounts } from './features/accounts.ts'
import { amendOrder } from './features/amend-order.ts'
import { audit } from './features/audit.ts'
import { cancelOrder } from './features/cancel-order.ts'
import { clientReads } from './features/client-reads.ts'
import { decisions } from './features/decisions.ts'
import { earnings } from './features/earnings.ts'
import { effectiveSettings } from './features/effective-settings.ts'
import { execute } from './features/execute.ts'
import type { Feature, Mount } from './features/feature.ts'
import { fillNote } from './features/fill-note.ts'
import { fills } from './features/fills.ts'
import { firstStart } from './features/first-start.ts'
import { grid } from './features/grid/grid.ts'
import { instruments } from './features/instruments.ts'
import { jobs } from './features/jobs.ts'
import { killSwitch } from './features/kill-switch.ts'
import { logLevel } from './features/log-level.ts'
import { macd } from './features/macd.ts'
import { market } from './features/market.ts'
import { metrics } from './features/metrics.ts'
import { nodes } from './features/nodes.ts'
import { oneOrderOf } from './features/one-order.ts'
import { overview } from './features/overview.ts'
import { placeOrder } from './features/place-order.ts'
import { preview } from './features/preview.ts'
import { queuedOrders } from './features/queued-orders.ts'
import { reads } from './features/reads.ts'
import { reconcile } from './features/reconcile.ts'
import { replay } from './features/replay.ts'
import { resolveOrder } from './features/resolve-order.ts'
import { directStartPage, gatewayStartPage } from './features/start-page.ts'
import { stopAll } from './features/stop-all.ts'
import { stopProfit } from './features/stop-profit.ts'
import { withdrawOrder } from './features/withdraw-order.ts'
import { fixedConfig } from './gateway/compatible.ts'
import type { Route } from './message/routes.ts'
import { docsRoutes } from './openapi/docs.ts'

const parameters: Feature = (on) => (on.backend === 'direct' ? settingRoutes(on) : fixedConfig(on))

/** All that is served, in the order of the description. A new endpoint is a file and a line here. */
const FEATURES: readonly Feature[] = [
  accounts,
  overview,
  nodes,
  reads,
  clientReads,
  accountEvents,
  parameters,
  execute,
  placeOrder,
  preview,
  oneOrderOf,
  queuedOrders,
  withdrawOrder,
  amendOrder,
  cancelOrder,
  resolveOrder,
  grid,
  decisions,
  stopProfit,
  killSwitch,
  stopAll,
  reconcile,
  audit,
  earnings,
  fills,
  fillNote,
  market,
  instruments,
  macd,
  jobs,
  metrics,
  replay,
  logLevel,
  effectiveSettings,
  firstStart,
]

/** The routes of one backend. */
export function routesOf(on: Mount, isTokenSet: boolean): readonly Route[] {
  const startPage =
    on.backend === 'direct'
      ? directStartPage(on.accountId, isTokenSet)
      : gatewayStartPage(isTokenSet)
  const routes = [startPage, ...FEATURES.flatMap((feature) => feature(on))]
  return [...routes, ...docsRoutes(on.backend, routes)]
}
