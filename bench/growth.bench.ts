import { bench } from './kit/bench.ts'
import { type Figures, type Row, rowOf } from './kit/figures.ts'
import { JOURNAL_ENTRIES, writeJournal } from './kit/journal.ts'
import { LatencyWindow } from './kit/latency.ts'
import { Load } from './kit/load.ts'
import { QUOTES_EVERY_MS, READ_PATH } from './kit/reads.ts'
import { account, newFolder, removeFolder, serve, settings } from './kit/service.ts'
import { ServiceProcess } from './kit/service-process.ts'

const ACCOUNTS = [1, 8, 32, 100, 300] as const
const POSITIONS = [10, 100, 1_000] as const
/** For first reports to be worked off and heaps to settle. */
const SETTLE_MS = 3_000
const REST_MS = 2_000
const READ_MS = 1_500
const PAGES = 50

type Samples = readonly Figures[]

async function roundsOf(rounds: number, once: () => Promise<Figures>): Promise<Samples> {
  const all: Figures[] = []
  for (let round = 0; round < rounds; round++) all.push(await once())
  return all
}

const rowsOf = (
  axis: string,
  ours: Samples,
  figures: Readonly<Record<string, readonly [name: string, unit: string]>>,
): readonly Row[] =>
  Object.entries(figures).map(([figure, [name, unit]]) =>
    rowOf({ bench: `growth, ${axis}, ${name}`, unit, figure }, { ours, baseline: [] }),
  )

/** A process as a user starts it, from nothing. */
async function byAccounts(accounts: number): Promise<Figures> {
  const folder = newFolder()
  const run = await ServiceProcess.start(folder, accounts)
  try {
    const startMs = await run.readyMs()
    await run.live(SETTLE_MS)
    return { startMs, residentMb: run.residentMb() }
  } finally {
    await run.stop().finally(() => removeFolder(folder))
  }
}

/** One account whose prices all move ten times a second. */
async function byPositions(positions: number): Promise<Figures> {
  const folder = newFolder()
  const market = { source: 'simulated', interval_ms: QUOTES_EVERY_MS }
  const config = settings(folder, [account(0, positions)], { market })
  const { service, directPorts } = await serve(folder, config)
  const window = new LatencyWindow(service.system.latency, [1])
  const { quotes } = service.system
  const before = { cpu: process.cpuUsage(), writes: quotes.writes() }
  window.open()
  await new Promise((resolve) => setTimeout(resolve, REST_MS))
  window.close()
  const { user, system } = process.cpuUsage(before.cpu)
  const tickUs = (user + system) / (quotes.writes() - before.writes)
  const load = new Load()
  const job = { method: 'GET', path: READ_PATH, ports: directPorts, connections: 1 } as const
  const read = await load.run({ ...job, ms: READ_MS, paceMs: QUOTES_EVERY_MS / 2 })
  await load.close()
  await service.stop()
  removeFolder(folder)
  const step = window.histogram('tickToStep')
  return {
    readUs: read['p50Us'] ?? 0,
    tickUs,
    stepMs: step.quantile(0.5),
    stepP99Ms: step.quantile(0.99),
  }
}

/** One account with a long past: its start, a page from the end of its journal and one from its middle. */
async function byJournal(rounds: number): Promise<Samples> {
  const folder = newFolder()
  const first = await ServiceProcess.start(folder, 1)
  await first.readyMs().finally(() => first.stop())
  await writeJournal(folder)
  const load = new Load()
  const samples = await roundsOf(rounds, async () => {
    const run = await ServiceProcess.start(folder, 1)
    try {
      const startMs = await run.readyMs()
      const port = Number(new URL(run.urls[1] ?? '').port)
      const page = async (query: string): Promise<number> => {
        const job = { method: 'GET', ports: [port], connections: 1, ms: READ_MS } as const
        const { p50Us = 0 } = await load.run({
          ...job,
          path: `/api/audit${query}`,
          requests: PAGES,
        })
        return p50Us / 1_000
      }
      const lastMs = await page('')
      return { startMs, lastMs, middleMs: await page(`?before=${JOURNAL_ENTRIES / 2}`) }
    } finally {
      await run.stop()
    }
  })
  await load.close()
  removeFolder(folder)
  return samples
}

await bench(async ({ rounds }) => {
  const rows: Row[] = []
  for (const accounts of ACCOUNTS) {
    const ours = await roundsOf(rounds, () => byAccounts(accounts))
    const figures = { startMs: ['start', 'ms'], residentMb: ['resident', 'MB'] } as const
    rows.push(...rowsOf(`accounts: ${accounts}`, ours, figures))
  }
  for (const positions of POSITIONS) {
    const ours = await roundsOf(rounds, () => byPositions(positions))
    const figures = {
      readUs: ['a fresh read', 'µs'],
      tickUs: ['processor time', 'µs/tick'],
      stepMs: ['tick to step, p50', 'ms'],
      stepP99Ms: ['tick to step, p99', 'ms'],
    } as const
    rows.push(...rowsOf(`positions: ${positions}`, ours, figures))
  }
  const figures = {
    startMs: ['start', 'ms'],
    lastMs: ['last audit page', 'ms'],
    middleMs: ['audit page in the middle', 'ms'],
  } as const
  rows.push(...rowsOf(`journal: ${JOURNAL_ENTRIES}`, await byJournal(rounds), figures))
  return rows
})
