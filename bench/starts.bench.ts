import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { bench } from './kit/bench.ts'
import { type Figures, type Row, rowOf } from './kit/figures.ts'
import { startHogs } from './kit/hogs.ts'
import { accountAt, newFolder, removeFolder, writeConfig } from './kit/service.ts'

const STEWARD = fileURLToPath(new URL('../bin/steward.mjs', import.meta.url))
const QUIET = '--disable-warning=ExperimentalWarning'
/** Accounts, and how often they start from nothing. */
const STARTS = [
  [100, 3],
  [300, 1],
] as const
const HOGS = 4
const START_MS_MAX = 900_000
const STOP_MS_MAX = 60_000
/** For which the service must live on, beside the same load. */
const LIVE_MS = 10_000
const TROUBLES_MAX = 5

interface LogLine {
  readonly msg?: string
  readonly alert?: string
  readonly reason?: string
}

/** What the service is asked to start with: every limit but the number of accounts is that of a user. */
const settings = (folder: string, accounts: number): object => ({
  data_dir: join(folder, 'data'),
  accounts: Array.from({ length: accounts }, (_, index) => ({
    account_id: accountAt(index),
    qmt_path: 'C:/qmt/userdata_mini',
    paper: { cash: 1_000_000, positions: [] },
  })),
  market: { source: 'simulated' },
  direct: { base_port: 0 },
  gateway: { host: '127.0.0.1', port: 0 },
  log: { level: 'info' },
  limits: { accounts_max: Math.max(128, accounts) },
})

/** One run of the service, until it is stopped. */
class Run {
  readonly #child: ChildProcess
  readonly #exited: Promise<unknown[]>
  readonly #beganMs = performance.now()
  readonly #ready = Promise.withResolvers<number>()
  readonly #troubles: string[] = []
  /** Actors that were late, and waited for. */
  lates = 0

  constructor(config: string) {
    this.#child = spawn(process.execPath, [QUIET, STEWARD, 'up', '--config', config], {
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
      // As under the launcher: it stops by itself when this process is gone.
      env: { ...process.env, STEWARD_LAUNCHED: '1' },
    })
    this.#exited = once(this.#child, 'exit')
    createInterface({ input: this.#child.stdout as Readable }).on('line', (line) =>
      this.#hear(line),
    )
  }

  /** Milliseconds to its line that says ready. Rejects when the process ends, or an account crashed. */
  async readyMs(): Promise<number> {
    const over = this.#exited.then(([code, signal]) => {
      throw new Error(`the process ended: ${code ?? signal}; ${this.#troubles.join('; ')}`)
    })
    const late = new AbortController()
    const patience = delay(START_MS_MAX, undefined, { signal: late.signal }).then(
      () => Promise.reject(new Error('it is not ready in time')),
      () => 0,
    )
    const ms = await Promise.race([this.#ready.promise, over, patience])
    late.abort()
    await Promise.race([over, delay(LIVE_MS)])
    over.catch(() => undefined)
    if (this.#troubles.length > 0) throw new Error(this.#troubles.join('; '))
    return ms
  }

  /** Errors  when it does not end as it should. */
  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    this.#child.kill('SIGTERM')
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), STOP_MS_MAX)
    const [code, signal] = await this.#exited
    clearTimeout(timer)
    if (code === null) throw new Error(`its stop ended with ${signal}`) // one that takes long is given up
  }

  #hear(line: string): void {
    const { msg = '', alert, reason } = parse(line)
    if (msg === 'ready') this.#ready.resolve(performance.now() - this.#beganMs)
    if (msg.startsWith('an actor is late')) this.lates += 1
    const isTrouble = alert !== undefined || msg.startsWith('actor crashed')
    if (isTrouble && this.#troubles.length < TROUBLES_MAX) this.#troubles.push(`${msg}: ${reason}`)
  }
}

/** From nothing to ready beside busy processes, and then for a while: nothing may die. */
async function start(accounts: number): Promise<Figures> {
  const folder = newFolder()
  const endHogs = await startHogs(HOGS, START_MS_MAX + LIVE_MS + STOP_MS_MAX)
  const run = new Run(writeConfig(folder, settings(folder, accounts)))
  try {
    const ms = await run.readyMs()
    process.stderr.write(
      `bench: ${accounts} accounts: ready in ${ms.toFixed(0)} ms, ${run.lates} waited for\n`,
    )
    return { ms }
  } finally {
    await run.stop().finally(endHogs)
    removeFolder(folder)
  }
}

function parse(line: string): LogLine {
  try {
    return JSON.parse(line) as LogLine
  } catch {
    return {}
  }
}

await bench(async () => {
  const rows: Row[] = []
  for (const [accounts, times] of STARTS) {
    const ours: Figures[] = []
    for (let time = 0; time < times; time++) ours.push(await start(accounts))
    const name = `start, ${accounts} accounts beside ${HOGS} busy processes`
    const note = 'from nothing, and then 10 s; nothing may die'
    rows.push(rowOf({ bench: name, unit: 'ms', figure: 'ms', note }, { ours, baseline: [] }))
  }
  return rows
})
