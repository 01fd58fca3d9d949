import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bench } from './kit/bench.ts'
import { type Figures, measure, type Row, rowOf } from './kit/figures.ts'
import { account, newFolder, removeFolder, settings, writeConfig } from './kit/service.ts'

const ROOT = fileURLToPath(new URL('../', import.meta.url))
const HELLO = fileURLToPath(new URL('./baseline/hello.process.ts', import.meta.url))
const STEWARD = join(ROOT, 'bin', 'steward.mjs')
const QUIET = '--disable-warning=ExperimentalWarning'
const POSITIONS = 100
const ACCOUNTS = [2, 10] as const
const START_MS_MAX = 20_000

/** Milliseconds from the start of the process to its line that says ready; the process is stopped again. */
async function startMs(args: readonly string[], isReady: RegExp): Promise<number> {
  const beganMs = performance.now()
  const child = spawn(process.execPath, [QUIET, ...args], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    // As under the launcher: it stops by itself when this process is gone.
    env: { ...process.env, STEWARD_LAUNCHED: '1' },
  })
  const exited = once(child, 'exit')
  const ms = await untilLine(child, isReady).then(() => performance.now() - beganMs)
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
  const ours = async (): Promise<Figures> => {
    const folder = newFolder()
    const args = [
      STEWARD,
      'up',
      '--config',
      writeConfig(folder, settings(folder, list, { log: { level: 'info' } })),
    ]
    const coldMs = await startMs(args, /"msg":"ready"/)
    const againMs = await startMs(args, /"msg":"ready"/)
    removeFolder(folder)
    return { coldMs, againMs }
  }
  const bare = async (): Promise<Figures> => ({ bareMs: await startMs([HELLO], /ready/) })
  const samples = await measure(rounds, ours, bare)
  const row = (name: string, figure: string) =>
    rowOf({ bench: name, unit: 'ms', figure, baselineFigure: 'bareMs' }, samples)
  return [
    row(`start, ${accounts} accounts, new data`, 'coldMs'),
    row(`start, ${accounts} accounts, again`, 'againMs'),
  ]
}

await bench(async ({ rounds }) => {
  const rows: Row[] = []
  for (const accounts of ACCOUNTS) rows.push(...(await startRows(accounts, rounds)))
  return rows
})
