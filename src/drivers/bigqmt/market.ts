import type { BasePeriod } from '../../domain/bar.ts'
import { ServiceError } from '../../domain/errors.ts'
import { DAY_MS, exchangeDay, exchangeDayStartMs } from '../../domain/exchange-time.ts'
import type { BarsWanted, FetchBars } from '../../ports/bars.port.ts'
import type { LiveMarket } from '../../ports/market-source.port.ts'
import { barsOf, type HistoryBar } from '../terminal/bars.ts'
import type { SidecarLog } from '../terminal/launched.ts'
import { TerminalQuotes } from '../terminal/quotes.ts'
import type { SidecarClient } from '../terminal/sidecar-client.ts'
import { SidecarHost } from '../terminal/sidecar-host.ts'
import type { BigqmtMarketConfig } from './config.ts'
import { type BigqmtAccount, type BigqmtLimits, hostLimits, whereaboutsOf } from './settings.ts'

/** What the market thread knows when it opens this market. */
export interface BigqmtMarketSetup {
  readonly dataDir: string
  readonly market: BigqmtMarketConfig
  readonly accounts: readonly BigqmtAccount[]
  readonly limits: BigqmtLimits
  readonly log: SidecarLog
  /** Epoch milliseconds of the market. */
  readonly nowMs: () => number
}

/** Quotes and history of the terminal in which the script of an account runs. */
export function openMarket(setup: BigqmtMarketSetup): LiveMarket {
  const { limits, log } = setup
  const account = tellerOf(setup)
  if (account === undefined) throw new Error('market.account: no account with driver "bigqmt"')
  const host = new SidecarHost({
    whereabouts: whereaboutsOf(setup, account, 'market'),
    limits: hostLimits(limits),
    log,
  })
  const feed = new TerminalQuotes({
    host,
    limits: {
      pollMs: limits.bigqmt.poll_ms,
      wantDelayMs: limits.bigqmt.want_delay_ms,
      callTimeoutMs: limits.account.connect_timeout_ms,
      relaunchMsMin: limits.bigqmt.relaunch_min_ms,
      relaunchMsMax: limits.bigqmt.relaunch_max_ms,
    },
    log,
  })
  return { feed, fetch: historyOf(host, setup) }
}

/** Whose script tells the quotes. */
export const tellerOf = ({
  market,
  accounts,
}: Pick<BigqmtMarketSetup, 'market' | 'accounts'>): BigqmtAccount | undefined =>
  accounts.find(
    ({ driver, account_id: id }) =>
      driver === 'bigqmt' && (market.account === '' || market.account === id),
  )

function historyOf(host: SidecarHost, { limits, nowMs }: BigqmtMarketSetup): FetchBars {
  const { history_bars_max: barsMax, history_timeout_ms: timeoutMs } = limits.bigqmt
  return async (wanted) => {
    const endMs = performance.now() + timeoutMs
    const rows: HistoryBar[] = []
    try {
      const client = await host.open(0)
      for (const [start, end] of slicesOf(wanted, barsMax)) {
        const leftMs = Math.round(endMs - performance.now())
        if (leftMs <= 0) throw new Error(`not finished within ${timeoutMs} ms`)
        const slice = { code: wanted.code, period: wanted.period, start, end }
        rows.push(...(await readSlice(client, slice, leftMs)))
      }
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      throw new ServiceError('CONFLICT', `history of ${wanted.code} ${wanted.period}: ${reason}`)
    }
    return barsOf(rows, wanted.period, exchangeDay(nowMs()))
  }
}

async function readSlice(
  client: SidecarClient,
  slice: object,
  timeoutMs: number,
): Promise<readonly HistoryBar[]> {
  const answer = await client.call('history', slice, timeoutMs)
  if (!answer.ok) throw new Error(answer.error.message)
  const { rows } = answer.value
  if (!Array.isArray(rows)) throw new Error('the script answered no rows')
  return rows as HistoryBar[] // of our own script, which has proved itself
}

const BARS_OF_DAY: Readonly<Record<BasePeriod, number>> = { '1m': 241, '1d': 1 }

/** Days as the terminal writes them, few enough that it stands still for a moment only. */
export function slicesOf(
  { period, from, to }: Pick<BarsWanted, 'period' | 'from' | 'to'>,
  barsMax: number,
): readonly (readonly [start: string, end: string])[] {
  const stepMs = Math.max(1, Math.floor(barsMax / BARS_OF_DAY[period])) * DAY_MS
  const lastMs = exchangeDayStartMs(to)
  const slices: [string, string][] = []
  for (let startMs = exchangeDayStartMs(from); startMs <= lastMs; startMs += stepMs) {
    slices.push([plain(startMs), plain(Math.min(startMs + stepMs - DAY_MS, lastMs))])
  }
  return slices
}

const plain = (epochMs: number): string => exchangeDay(epochMs).replaceAll('-', '')
