import { parseAddress } from '../../src/config/xt.ts'
import type { XtQuotesLimits } from '../../src/drivers/xt/quotes.ts'
import { type SidecarPlan, whereaboutsOf } from '../../src/drivers/xt/settings.ts'
import { SidecarHost } from '../../src/drivers/xt/sidecar-host.ts'
import type { MarketLog } from '../../src/market/saved.ts'

/** What the market thread needs for the quotes of the real market. */
export interface XtMarketParts {
  readonly plan: SidecarPlan
  readonly limits: XtQuotesLimits
  readonly history: {
    /** Of one history request, milliseconds. */
    readonly timeoutMs: number
    /** Bars in its answer. */
    readonly rowsMax: number
  }
}

/** The sidecar for quotes: a process of its own, because one process speaks to one terminal. */
export function openMarketHost({ plan }: XtMarketParts, log: MarketLog): SidecarHost {
  const address = parseAddress(plan.sidecar.attach)
  return new SidecarHost({
    whereabouts: whereaboutsOf(plan, address, []),
    limits: plan.limits,
    log,
  })
}
