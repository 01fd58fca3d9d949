import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { accountOf, range, writeConfig } from './service.ts'
import { useShipped } from './shipped.ts'

const STEWARD = fileURLToPath(new URL('../../bin/steward.mjs', import.meta.url))
const QUIET = '--disable-warning=ExperimentalWarning'
const START_MS_MAX = 900_000
const STOP_MS_MAX = 60_000
const TROUBLES_MAX = 5
/** The default of `limits.accounts_max`. */
const ACCOUNTS_MAX = 128

interface LogLine {
  readonly msg?: string
  readonly alert?: string
  readonly reason?: string
  readonly urls?: readonly string[]
}

/** A configuration file is not longer than a megabyte, and a position is some 80 bytes of it. */
const POSITIONS_MAX = 12_000

/** Of each of so many accounts: 100, or what one configuration file holds. */
export const positionsOf = (accounts: number): number =>
  Math.min(100, Math.floor(POSITIONS_MAX / accounts))

/** What it is started with: every limit is that of a user, but the number of accounts where there are more. */
const processSettings = (folder: string, accounts: number): object => ({
  data_dir: join(folder, 'data'),
  accounts: range(0, accounts).map((index) =>
    accountOf(index, { codes: range(0, positionsOf(accounts)) }),
  ),
  market: { source: 'simulated' },
  direct: { base_port: 0 },
  gateway: { host: '127.0.0.1', port: 0 },
  ...(accounts > ACCOUNTS_MAX && { limits: { accounts_max: accounts } }),
})

/** The service as a user starts it: `bin/steward.mjs` in a process of its own, until it is stopped. */
export class ServiceProcess {
  readonly #child: ChildProcess
  readonly #exited: Promise<unknown[]>
  readonly #beganMs = performance.now()
  readonly #ready = Promise.withResolvers<number>()
  readonly #troubles: string[] = []
  /** Actors that were late, and waited for. */
  lates = 0
  /** Base addresses, gateway first; empty before it is ready. */
  urls: readonly string[] = []

  private constructor(config: string) {
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

  /** Begins now; a folder that was used before is gone on with. */
  static async start(folder: string, accounts: number): Promise<ServiceProcess> {
    await useShipped()
    return new ServiceProcess(writeConfig(folder, processSettings(folder, accounts)))
  }

  /** Milliseconds to its line that says ready. Rejects when the process ends, or an account crashed, until then. */
  async readyMs(): Promise<number> {
    const late = new AbortController()
    const patience = delay(START_MS_MAX, undefined, { signal: late.signal }).then(
      () => Promise.reject(new Error('it is not ready in time')),
      () => 0,
    )
    const ms = await Promise.race([this.#ready.promise, this.#over(), patience])
    late.abort()
    this.#complain()
    return ms
  }

  /** Looks on for so long. Rejects when the process ends, or an account crashed. */
  async live(ms: number): Promise<void> {
    await Promise.race([this.#over(), delay(ms)])
    this.#complain()
  }

  /** What its memory takes; pages of database files count, which the system takes back. 0 where nobody tells. */
  residentMb(): number {
    if (process.platform !== 'linux') return 0
    const status = readFileSync(`/proc/${this.#child.pid}/status`, 'utf8')
    return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1_024
  }

  /** Errors  rejects when it does not end as it should. */
  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    this.#child.kill('SIGTERM')
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), STOP_MS_MAX)
    const [code, signal] = await this.#exited
    clearTimeout(timer)
    if (code === null) throw new Error(`its stop ended with ${signal}`) // one that takes long is given up
  }

  #over(): Promise<never> {
    const over = this.#exited.then(([code, signal]) => {
      throw new Error(`the process ended: ${code ?? signal}; ${this.#troubles.join('; ')}`)
    })
    over.catch(() => undefined) // told to whoever waits
    return over
  }

  #complain(): void {
    if (this.#troubles.length > 0) throw new Error(this.#troubles.join('; '))
  }

  #hear(line: string): void {
    const { msg = '', alert, reason, urls } = parse(line)
    if (msg === 'ready') {
      this.urls = urls ?? []
      this.#ready.resolve(performance.now() - this.#beganMs)
    }
    if (msg.startsWith('an actor is late')) this.lates += 1
    const isTrouble = alert !== undefined || msg.startsWith('actor crashed')
    if (isTrouble && this.#troubles.length < TROUBLES_MAX) this.#troubles.push(`${msg}: ${reason}`)
  }
}

function parse(line: string): LogLine {
  try {
    return JSON.parse(line) as LogLine
  } catch {
    return {}
  }
}
