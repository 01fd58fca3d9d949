import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { bench } from './kit/bench.ts'
import { type Figures, measure, type Row, rowOf } from './kit/figures.ts'
import { writeRecords } from './kit/records.ts'
import {
  account,
  accountAt,
  newFolder,
  removeFolder,
  settings,
  writeConfig,
} from './kit/service.ts'
import { useShipped } from './kit/shipped.ts'

const ROOT = fileURLToPath(new URL('../', import.meta.url))
const HELLO = fileURLToPath(new URL('./baseline/hello.process.ts', import.meta.url))
const STEWARD = join(ROOT, 'bin', 'steward.mjs')
const QUIET = '--disable-warning=ExperimentalWarning'
const POSITIONS = 100
const ACCOUNTS = 10
/** Of all accounts together, spread over a year. */
const RECORDS = 100_000
const RECORD_DAYS = 365
const START_MS_MAX = 20_000

/** After which what was compiled is kept for the next starts. */
const COMPILED_MS = 4_000

/** Milliseconds from the start of the process to its line that says ready; the process is stopped again, after a while. */
async function startMs(args: readonly string[], isReady: RegExp, liveMs = 0): Promise<number> {
  const beganMs = performance.now()
  const child = spawn(process.execPath, [QUIET, ...args], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    // As under the launcher: it stops by itself when this process is gone.
    env: { ...process.env, STEWARD_LAUNCHED: '1' },
  })
  const exited = once(child, 'exit')
  const ms = await untilLine(child, isReady).then(() => performance.now() - beganMs)
  await delay(liveMs)
  child.kill('SIGTERM')
  await exited
  return ms
}

function untilLine(child: ChildProcess, isReady: RegExp): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const timer = setTimeout(() => {
    child.kill('SIGKILL')
    reject(new Error('the process did not become ready'))
  }, START_MS_MAX)
  let text = ''
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk
    if (isReady.test(text)) resolve()
  })
  child.once('exit', (code) => reject(new Error(`the process ended with code ${code}: ${text}`)))
  return promise.finally(() => clearTimeout(timer))
}

async function startRows(accounts: number, rounds: number): Promise<readonly Row[]> {
  const list = Array.from({ length: accounts }, (_, index) => account(index, POSITIONS))
  const config = (folder: string) => settings(folder, list, { log: { level: 'info' } })
  const start = (folder: string, liveMs = 0) => {
    const args = [STEWARD, 'up', '--config', writeConfig(folder, config(folder))]
    return startMs(args, /"msg":"ready"/, liveMs)
  }
  const lived = newFolder()
  for (let index = 0; index < accounts; index++) {
    const count = RECORDS / accounts
    await writeRecords(lived, { accountId: accountAt(index), count, days: RECORD_DAYS })
  }
  await start(lived, COMPILED_MS) // its broker has no books yet, and nobody has run this code since the set-up
  const ours = async (): Promise<Figures> => {
    const folder = newFolder()
    const coldMs = await start(folder)
    const againMs = await start(folder)
    removeFolder(folder)
    return { coldMs, againMs, livedMs: await start(lived) }
  }
  const bare = async (): Promise<Figures> => ({ bareMs: await startMs([HELLO], /ready/) })
  const samples = await measure(rounds, ours, bare)
  removeFolder(lived)
  const row = (name: string, figure: string) =>
    rowOf({ bench: name, unit: 'ms', figure, baselineFigure: 'bareMs' }, samples)
  return [
    row(`start, ${accounts} accounts, new data`, 'coldMs'),
    row(`start, ${accounts} accounts, again`, 'againMs'),
    row(`start, ${accounts} accounts, ${RECORDS} records`, 'livedMs'),
  ]
}

await bench(async ({ rounds }) => {
  await useShipped()
  return startRows(ACCOUNTS, rounds)
})
