import { setTimeout as delay } from 'node:timers/promises'
import { bench } from './kit/bench.ts'
import { type Figures, type Row, rowOf } from './kit/figures.ts'
import { LatencyWindow, windowRow } from './kit/latency.ts'
import { slotsOf } from './kit/playing.ts'
import {
  accountOf,
  codeAt,
  newFolder,
  range,
  removeFolder,
  serve,
  settings,
} from './kit/service.ts'

const ACCOUNTS = 8
/** Held by one account alone. */
const CODES_EACH = 625
const TICKS_EVERY_MS = 100
const ROUND_MS = 2_500

/** An account whose stocks nobody else holds. */
const holder = (index: number): object =>
  accountOf(index, { codes: range(index * CODES_EACH, CODES_EACH), isOfToday: true })

// No baseline: the bare write of a board is the one of `tick`.
await bench(async ({ rounds }) => {
  const folder = newFolder()
  const list = Array.from({ length: ACCOUNTS }, (_, index) => holder(index))
  const market = { source: 'simulated', interval_ms: TICKS_EVERY_MS }
  const { service, link } = await serve(folder, settings(folder, list, { market }))
  const { quotes, latency } = service.system
  const codes = Array.from({ length: ACCOUNTS * CODES_EACH }, (_, at) => `${codeAt(at)}.SH`)
  const slots = await slotsOf(link(0), codes)
  // Each write of a row raises its sequence number twice.
  const ticks = (): number => quotes.stamp(slots) / 2
  const due = (codes.length * 1_000) / TICKS_EVERY_MS
  const accounts = Array.from({ length: ACCOUNTS }, (_, index) => index + 1)
  const all = new LatencyWindow(latency, accounts)
  const round = async (window: LatencyWindow): Promise<Figures> => {
    const [before, cpu, startMs] = [ticks(), process.cpuUsage(), performance.now()]
    window.open()
    await delay(ROUND_MS)
    window.close()
    const seconds = (performance.now() - startMs) / 1_000
    const { user, system } = process.cpuUsage(cpu)
    const perSecond = (ticks() - before) / seconds
    return {
      perSecond,
      lost: Math.max(0, 1 - perSecond / due),
      cores: (user + system) / 1e6 / seconds,
    }
  }
  await round(new LatencyWindow(latency, accounts)) // warms up
  const ours: Figures[] = []
  const windows: LatencyWindow[] = []
  for (let at = 0; at < rounds; at++) {
    const own = new LatencyWindow(latency, accounts)
    own.open()
    ours.push(await round(all))
    own.close()
    windows.push(own)
  }
  await service.stop()
  removeFolder(folder)
  const name = `ticks, ${due} a second to ${ACCOUNTS} accounts`
  const { count } = all.histogram('tickToStep')
  const samples = { ours, baseline: [] }
  const note = `${codes.length} codes, each held by one account and bought today, so that every new high is looked at at once; through the market's own thread: source, board, bands, wake-up; ${count} looks of accounts, by the service's own histogram, to an eighth, all rounds together`
  const step = (part: number, text = ''): Row => {
    const bench = `${name}, tick to step, p${part * 100}`
    return windowRow({ bench, measure: 'tickToStep', part, note: text }, all, windows)
  }
  const lostNote = 'of those due; the source leaves out what comes too late'
  return [
    step(0.5, note),
    step(0.99),
    step(0.999),
    rowOf(
      { bench: `${name}, lost`, unit: 'of those due', figure: 'lost', note: lostNote },
      samples,
    ),
    rowOf({ bench: `${name}, processor time`, unit: 'cores', figure: 'cores' }, samples),
  ]
})
