import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import t from 'tap'
import { TerminalQuotes } from '../../../src/drivers/terminal/quotes.ts'
import type { SidecarClient } from '../../../src/drivers/terminal/sidecar-client.ts'
import type { SidecarHost } from '../../../src/drivers/terminal/sidecar-host.ts'
import { silentLogger } from '../../../src/observability/logger.ts'
import { inTime } from '../../in-time.ts'

const LIMITS = {
  pollMs: 1,
  wantDelayMs: 1,
  callTimeoutMs: 1_000,
  relaunchMsMin: 1,
  relaunchMsMax: 1,
}
const WARM_LOOKS = 500
/** In each of several windows: what is kept grows in all of them, and what other files leave in the process does not. */
const WINDOWS = 3
const LOOKS = 1_500
/** Of a look. A look every three seconds with as much makes some megabytes a day. */
const BYTES_MAX = 100

setFlagsFromString('--expose_gc')
const collect = runInNewContext('gc') as () => void
const heapBytes = (): number => {
  collect()
  return process.memoryUsage().heapUsed
}

/** Quotes at a sidecar that is never lost, and a way to wait for so many looks. */
function endlessQuotes() {
  let count = 0
  let wake: () => void = () => undefined
  const call = async () => {
    count += 1
    wake()
    return { ok: true, value: { ticks: 1, renewals: 0 } } as const
  }
  const host = {
    listen: () => undefined,
    open: async () => ({ call }) as unknown as SidecarClient,
    close: () => undefined,
  } as unknown as SidecarHost
  const quotes = new TerminalQuotes({ host, limits: LIMITS, log: silentLogger })
  const looked = (wanted: number): Promise<void> =>
    new Promise((resolve) => {
      wake = () => {
        if (count >= wanted) resolve()
      }
    })
  return { quotes, looked }
}

t.test('F801 a connection that stands for months keeps nothing of each look', async (t) => {
  const { quotes, looked } = endlessQuotes()
  t.teardown(() => quotes.stop())
  quotes.start(() => undefined)
  await inTime(looked(WARM_LOOKS), 'the first looks')
  const kept: number[] = []
  for (let window = 1; window <= WINDOWS; window++) {
    const before = heapBytes()
    await inTime(looked(WARM_LOOKS + window * LOOKS), 'all looks')
    kept.push((heapBytes() - before) / LOOKS)
  }
  const bytes = Math.min(...kept)
  t.ok(bytes < BYTES_MAX, `${bytes.toFixed(0)} bytes of each`)
})
