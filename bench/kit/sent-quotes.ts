import { setTimeout as sleep } from 'node:timers/promises'
import { NatsQuotes } from '../../src/cluster/nats/nats-quotes.ts'
import { QuoteChoice } from '../../src/cluster/protocol/quote-choice.ts'
import type { Tick } from '../../src/protocol/market.ts'
import { encodeQuote, parseQuote } from '../../src/protocol/shared-quotes.ts'
import { percentilesUs, timesUs } from './figures.ts'
import { connectionTo } from './nats-lines.ts'

/** All stocks of a market. */
const CODES = Array.from({ length: 5_500 }, (_, i) => `${600_000 + i}.SH`)
const SWEEPS = 10
const SINGLE = 500
const PATIENCE_MS = 20_000
const AGAIN_MS = 1_000
const LIMITS = { codesMax: CODES.length, gatherMs: 0, retryMs: 50, drainMs: 1_000 }
const RULES = { silenceMs: 10_000, lagMs: 15_000 }
const LEVELS = [35.01, 35.02, 35.03, 35.04, 35.05]
const SELF = { node: 'n1', kind: 'real', source: 'xt' } as const

const tickOf = (stock_code: string, time: number): Tick => ({
  time,
  stock_code,
  lastPrice: 35.01,
  open: 34.9,
  high: 35.4,
  low: 34.8,
  lastClose: 34.95,
  volume: 12_345_600,
  amount: 432_123_456.78,
  bidPrice: LEVELS,
  askPrice: LEVELS,
  bidVol: [100, 200, 300, 400, 500],
  askVol: [100, 200, 300, 400, 500],
})

/** Quotes of every stock from a node on one server to a node on another, written, sent, read and chosen. */
export async function openQuotes(from: readonly string[], to: readonly string[]) {
  const choice = new QuoteChoice(RULES)
  let [taken, wanted, timeMs] = [0, 0, Date.now()]
  let isThere: () => void = () => undefined
  const [giver, taker] = [from, to].map(
    (urls) =>
      new NatsQuotes({
        settings: connectionTo(urls, { noEcho: true }),
        limits: LIMITS,
        onState: () => undefined,
      }),
  ) as [NatsQuotes, NatsQuotes]
  for (const code of CODES) taker.listen(code)
  const opened = [giver, taker].map((quotes) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const quote = (code: string, bytes: Uint8Array) => {
      const read = parseQuote(code, bytes)
      if (read === undefined) return
      const { node, tick } = read
      const isTaken = choice.takes(code, { node, timeMs: tick.time }, performance.now())
      if (!isTaken || tick.time !== timeMs) return // one of a sweep before
      taken += 1
      if (taken === wanted) isThere()
    }
    quotes.open({ quote, opened: resolve })
    return promise
  })
  await Promise.all(opened)
  const send = (code: string) =>
    giver.sendQuote(code, encodeQuote({ ...SELF, tick: tickOf(code, timeMs) }))
  /** How many of them have not come. */
  const sent = async (codes: readonly string[], patienceMs = PATIENCE_MS): Promise<number> => {
    taken = 0
    wanted = codes.length
    timeMs += 1
    const { promise, resolve } = Promise.withResolvers<void>()
    isThere = resolve
    const ended = new AbortController()
    for (const code of codes) send(code)
    await Promise.race([promise, sleep(patienceMs, undefined, ended)])
    ended.abort()
    return wanted - taken
  }
  // The server of the taker tells that of the giver what it listens to.
  while ((await sent(CODES, AGAIN_MS)) > 0);
  return {
    sweep: async () => {
      const startMs = performance.now()
      let lost = 0
      for (let count = 0; count < SWEEPS; count++) lost += await sent(CODES)
      const seconds = (performance.now() - startMs) / 1_000
      return { perSecond: (SWEEPS * CODES.length) / seconds, lost }
    },
    single: async () => percentilesUs(await timesUs(SINGLE, () => sent(CODES.slice(0, 1)))),
    close: () => Promise.all([giver.close(), taker.close()]),
  }
}
