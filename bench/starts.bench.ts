import { bench } from './kit/bench.ts'
import { type Figures, type Row, rowOf } from './kit/figures.ts'
import { startHogs } from './kit/hogs.ts'
import { newFolder, removeFolder } from './kit/service.ts'
import { positionsOf, ServiceProcess } from './kit/service-process.ts'

const QUIET_ACCOUNTS = [10, 100, 300] as const
/** Accounts, and how often they start beside busy processes: what is asked is whether they do. */
const BUSY_STARTS = [
  [10, 5],
  [100, 3],
  [300, 1],
] as const
const HOGS = 4
const HOG_MS_MAX = 1_000_000
/** After which what was compiled is kept for the next starts. */
const COMPILED_MS = 4_000
/** For which the service must live on, beside the same load. */
const LIVE_MS = 10_000

/** From nothing to ready, and then for a while: nothing may die. */
async function start(accounts: number, liveMs: number): Promise<Figures> {
  const folder = newFolder()
  const run = await ServiceProcess.start(folder, accounts)
  try {
    const ms = await run.readyMs()
    await run.live(liveMs)
    process.stderr.write(
      `bench: ${accounts} accounts: ready in ${ms.toFixed(0)} ms, ${run.lates} waited for\n`,
    )
    return { ms }
  } finally {
    await run.stop().finally(() => removeFolder(folder))
  }
}

async function startBusy(accounts: number): Promise<Figures> {
  const endHogs = await startHogs(HOGS, HOG_MS_MAX)
  return start(accounts, LIVE_MS).finally(endHogs)
}

async function startsOf(times: number, once: () => Promise<Figures>): Promise<readonly Figures[]> {
  const all: Figures[] = []
  for (let time = 0; time < times; time++) all.push(await once())
  return all
}

const rowsOf = (name: string, note: string, ours: readonly Figures[]): Row =>
  rowOf({ bench: name, unit: 'ms', figure: 'ms', note }, { ours, baseline: [] })

await bench(async ({ rounds }) => {
  const rows: Row[] = []
  await start(2, COMPILED_MS) // code that nobody has run since the set-up is compiled
  for (const accounts of QUIET_ACCOUNTS) {
    const ours = await startsOf(rounds, () => start(accounts, 0))
    rows.push(
      rowsOf(
        `starts, ${accounts} accounts from nothing`,
        `${positionsOf(accounts)} positions each`,
        ours,
      ),
    )
  }
  for (const [accounts, times] of BUSY_STARTS) {
    const ours = await startsOf(times, () => startBusy(accounts))
    const note = `${times} times, then ${LIVE_MS / 1_000} s; nothing may die`
    rows.push(rowsOf(`starts, ${accounts} accounts beside ${HOGS} busy processes`, note, ours))
  }
  return rows
})
