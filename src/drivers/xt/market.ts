import { ServiceError } from '../../domain/errors.ts'
import { exchangeDay } from '../../domain/exchange-time.ts'
import type { FetchBars } from '../../ports/bars.port.ts'
import type { LiveMarket } from '../../ports/market-source.port.ts'
import { barsOf } from '../terminal/bars.ts'
import type { SidecarLog } from '../terminal/launched.ts'
import { TerminalQuotes } from '../terminal/quotes.ts'
import { SidecarHost } from '../terminal/sidecar-host.ts'
import type { XtMarketConfig } from './config.ts'
import { readHistory } from './history.ts'
import {
  isHere,
  marketPlan,
  pythonOf,
  type SidecarPlan,
  whereaboutsOf,
  type XtAccount,
  type XtLimits,
  xtquantPathOf,
} from './settings.ts'

/** What the market thread knows when it opens this market. */
export interface XtMarketSetup {
  readonly dataDir: string
  readonly market: XtMarketConfig
  readonly accounts: readonly XtAccount[]
  readonly limits: XtLimits
  readonly log: SidecarLog
  /** Epoch milliseconds of the market. */
  readonly nowMs: () => number
}

/** Quotes and history of the terminal; nothing is started yet. */
export function openMarket(setup: XtMarketSetup): LiveMarket {
  const { limits, market, accounts, log } = setup
  const plan = marketPlan(setup, market, accounts)
  const whereabouts = whereaboutsOf(plan, [])
  const feed = new TerminalQuotes({
    host: new SidecarHost({ whereabouts, limits: plan.limits, log }),
    limits: {
      pollMs: limits.xt.poll_ms,
      pollTimeoutMs: limits.xt.poll_timeout_ms,
      wantDelayMs: limits.xt.want_delay_ms,
      callTimeoutMs: limits.account.connect_timeout_ms,
      relaunchMsMin: limits.xt.relaunch_min_ms,
      relaunchMsMax: limits.xt.relaunch_max_ms,
    },
    log,
  })
  return { feed, fetch: historyOf(plan, setup) }
}

/** History of the terminal on this computer. */
function historyOf(plan: SidecarPlan, { limits, log, nowMs }: XtMarketSetup): FetchBars {
  if (!isHere(plan)) return historyElsewhere
  const options = {
    python: pythonOf(plan.sidecar),
    xtquantPath: xtquantPathOf(plan),
    log,
    timeoutMs: limits.xt.history_timeout_ms,
    rowsMax: limits.xt.history_rows_max,
    quotePort: plan.quotePort,
    frameBytesMax: plan.limits.frameBytesMax,
  }
  return async ({ code, period, from, to }) => {
    const request = { code, period, start: plain(from), end: plain(to) }
    try {
      await readHistory({ method: 'download', ...request }, options)
      const { bars } = await readHistory({ method: 'bars', ...request }, options)
      return barsOf(bars, period, exchangeDay(nowMs()))
    } catch (error) {
      throw new ServiceError('CONFLICT', error instanceof Error ? error.message : String(error))
    }
  }
}

const historyElsewhere: FetchBars = async () => {
  const text = 'the terminal is on another computer; bars begin with the first quote'
  throw new ServiceError('CONFLICT', text)
}

const plain = (day: string): string => day.replaceAll('-', '')
