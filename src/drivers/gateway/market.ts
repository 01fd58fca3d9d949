import { setTimeout as sleep } from 'node:timers/promises'
import { ServiceError } from '../../domain/errors.ts'
import { exchangeDay } from '../../domain/exchange-time.ts'
import type { FetchBars } from '../../ports/bars.port.ts'
import type { LiveMarket, MarketSource } from '../../ports/market-source.port.ts'
import type { Tick } from '../../protocol/market.ts'
import { barsOf } from '../terminal/bars.ts'
import { dataOf, wordsOf } from './answers.ts'
import type { GatewayMarketConfig } from './config.ts'
import type { GatewayLog } from './peer-account.ts'
import { type PeerAnswer, PeerClient } from './peer-client.ts'
import { barRowsOf, tickOf } from './quote-rows.ts'
import { addressOf, clientLimits, type GatewayLimitsSection } from './settings.ts'

/** What the market thread knows when it opens this market. */
export interface GatewayMarketSetup {
  readonly market: GatewayMarketConfig
  readonly limits: Pick<GatewayLimitsSection, 'gateway'>
  readonly log: GatewayLog
  /** Epoch milliseconds of the market. */
  readonly nowMs: () => number
}

/** Quotes and history of another gateway; nothing is asked yet. */
export function openMarket(setup: GatewayMarketSetup): LiveMarket {
  const ask = asking(setup)
  return { feed: new GatewayQuotes(ask, setup), fetch: historyOf(ask, setup) }
}

type Ask = (
  path: string,
  query: Readonly<Record<string, string>>,
  timeoutMs: number,
) => Promise<PeerAnswer>

/** The token is read anew after an answer that refuses it: it may have been replaced. */
function asking({ market, limits }: GatewayMarketSetup): Ask {
  let client: PeerClient | undefined
  return async (path, query, timeoutMs) => {
    client ??= new PeerClient(addressOf(market), clientLimits(limits.gateway))
    const { account_id: account } = market
    const all = { ...query, ...(account !== '' && { account_id: account }) }
    const text = new URLSearchParams(all).toString()
    const answer = await client.ask({
      method: 'GET',
      path: `/api/v1/market/${path}?${text}`,
      timeoutMs,
    })
    if (answer.kind === 'answered' && answer.status === 401) {
      client.close()
      client = undefined
    }
    return answer
  }
}

/**
 * Quotes of another gateway, looked at again and again, in parts of so many codes. While it is away there are no
 * ticks, and those who trade see that by their age: what comes again unchanged is not told again.
 */
class GatewayQuotes implements MarketSource {
  readonly #ask: Ask
  readonly #setup: GatewayMarketSetup
  readonly #wanted = new Set<string>()
  readonly #told = new Map<string, string>()
  /** Codes whose last look was a moment ago: what has changed since is of now. */
  readonly #followed = new Set<string>()
  /** When each was looked at last, by the clock of the market. */
  readonly #lookedMs = new Map<string, number>()
  readonly #stopping = new AbortController()
  #emit: ((tick: Tick) => Promise<void> | void) | undefined
  #running: Promise<void> = Promise.resolve()
  #wake: () => void = () => undefined
  #isBack: () => void = () => undefined
  /** No quote has come yet, or none since a look failed. */
  #isAway = true

  constructor(ask: Ask, setup: GatewayMarketSetup) {
    this.#ask = ask
    this.#setup = setup
  }

  want(code: string): void {
    if (this.#wanted.has(code)) return
    this.#wanted.add(code)
    this.#wake()
  }

  start(emit: (tick: Tick) => Promise<void> | void, isBack = this.#isBack): void {
    if (this.#emit !== undefined) return
    this.#emit = emit
    this.#isBack = isBack
    this.#running = this.#run()
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    this.#wake()
    await this.#running
  }

  async #run(): Promise<void> {
    let failures = 0
    while (!this.#stopping.signal.aborted) {
      const woken = new Promise<void>((resolve) => {
        this.#wake = resolve
      })
      const problem = await this.#look().catch((error: unknown) => String(error))
      if (this.#stopping.signal.aborted) return
      failures = problem === '' ? 0 : failures + 1
      const waitMs = this.#waitMs(failures)
      if (problem !== '') {
        this.#isAway = true
        this.#followed.clear()
        this.#setup.log.warn({ reason: problem, waitMs }, 'no quotes of the other gateway')
      }
      await Promise.race([woken, this.#pause(waitMs)])
    }
  }

  /** After so many looks in a row that failed; one that succeeds is followed by the next as always. */
  #waitMs(failures: number): number {
    const { quotes_poll_ms: pollMs, quotes_retry_max_ms: retryMs } = this.#setup.limits.gateway
    return failures === 0 ? pollMs : Math.min(pollMs * 2 ** (failures - 1), retryMs)
  }

  /** Why there are none; empty when there are. */
  async #look(): Promise<string> {
    const { quotes_codes_max: codesMax, request_timeout_ms: timeoutMs } = this.#setup.limits.gateway
    const codes = [...this.#wanted]
    for (let from = 0; from < codes.length; from += codesMax) {
      const part = codes.slice(from, from + codesMax)
      const answer = await this.#ask('tick', { stock_codes: part.join(',') }, timeoutMs)
      if (this.#stopping.signal.aborted) return ''
      if (answer.kind === 'lost' || answer.status !== 200) return wordsOf(answer)
      for (const code of part) await this.#tell(code, dataOf(answer)[code])
    }
    return ''
  }

  async #tell(code: string, row: unknown): Promise<void> {
    if (row === undefined) return void this.#followed.delete(code)
    const text = JSON.stringify(row)
    const isOfNow = this.#followed.has(code)
    this.#followed.add(code)
    const nowMs = this.#setup.nowMs()
    const lastMs = this.#lookedMs.get(code)
    this.#lookedMs.set(code, nowMs)
    if (this.#told.get(code) === text) return
    this.#told.set(code, text)
    const tick = tickOf(code, row, { nowMs, isOfNow, lastMs })
    if (tick === undefined) return
    if (this.#isAway) {
      this.#isAway = false
      this.#isBack()
    }
    await this.#emit?.(tick)
  }

  #pause(delayMs: number): Promise<void> {
    return sleep(delayMs, undefined, { signal: this.#stopping.signal }).catch(() => undefined)
  }
}

/** Bars of the other gateway, as far as it has them. */
function historyOf(ask: Ask, { limits, nowMs }: GatewayMarketSetup): FetchBars {
  const { history_timeout_ms: timeoutMs, history_rows_max: rowsMax } = limits.gateway
  return async ({ code, period, from, to }) => {
    const days = { start_time: plain(from), end_time: plain(to) }
    const answer = await ask('history', { stock_code: code, period, ...days }, timeoutMs).catch(
      (error: unknown) => failed(error),
    )
    if (answer.kind === 'lost' || answer.status !== 200) {
      throw new ServiceError('CONFLICT', `the other gateway: ${wordsOf(answer)}`)
    }
    const rows = barRowsOf(dataOf(answer)[code])
    if (rows.length > rowsMax) throw new ServiceError('CONFLICT', 'too many bars')
    return barsOf(rows, period, exchangeDay(nowMs()))
  }
}

const failed = (error: unknown): PeerAnswer => ({
  kind: 'lost',
  message: error instanceof Error ? error.message : String(error),
  mayHaveArrived: false,
})

const plain = (day: string): string => day.replaceAll('-', '')
