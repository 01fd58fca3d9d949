import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface, type Interface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { ScriptSettings } from '../../../src/drivers/bigqmt/generate.ts'
import type { PaperConfig } from '../../../src/drivers/paper/config.ts'
import { TerminalDriver } from '../../../src/drivers/terminal/driver.ts'
import { type FileLineLimits, fileLine } from '../../../src/drivers/terminal/file-line.ts'
import type { OpenLine } from '../../../src/drivers/terminal/line.ts'
import { SidecarHost } from '../../../src/drivers/terminal/sidecar-host.ts'
import { socketLine } from '../../../src/drivers/terminal/socket-line.ts'
import type { DriverRig } from '../../contract/driver.ts'
import { freePort } from '../../free-ports.ts'
import { inTime, PATIENCE_MS } from '../../in-time.ts'
import { oneThousandShares, SETTINGS, SH } from '../fixtures/paper.ts'
import { ACCOUNT, LIMITS, Lines, needPython, PYTHON } from '../xt/rig.ts'
import { Terminal } from '../xt/terminal.ts'
import { writeScript } from './joined.ts'

const FAKE = fileURLToPath(new URL('./fake/fake_qmt.py', import.meta.url))
export const TOKEN = 'a-token-of-the-tests'

const FILE_LIMITS: FileLineLimits = {
  tickMs: 10,
  filesMax: 2_048,
  fileBytesMax: 8_388_608,
  fileRetryMs: 2_000,
}

/** Habits of the terminal, see MANNERS in fake_qmt.py. */
export type Manners = Readonly<Record<string, unknown>>

export interface BigqmtRigOptions {
  readonly folder: string
  readonly settings?: PaperConfig
  readonly manners?: Manners
  readonly transport?: 'socket' | 'files'
  readonly accountType?: string
  readonly callTimeoutMs?: number
  /** Of the script. */
  readonly limits?: Readonly<Record<string, number>>
  /** Which the terminal has inside. */
  readonly python?: string
  readonly env?: Readonly<Record<string, string>>
}

/** The full terminal with a script in it, books behind it, and drivers that reach it. */
export class BigqmtRig {
  readonly terminal: Terminal
  readonly port: number
  readonly log = new Lines()
  readonly host: SidecarHost
  /** What the terminal and its script print. */
  readonly panel = new Lines()
  readonly #options: BigqmtRigOptions
  readonly #script: string
  #child: ChildProcess | undefined
  #begun: Interface | undefined
  #isClosed = false
  #told = 0
  /**
   * Journal and files of the script. Not in the folder of the test: that is removed before the test's teardowns
   * end the script, which goes on writing meanwhile.
   */
  readonly scriptFolder = mkdtempSync(join(tmpdir(), 'steward-script-'))

  private constructor(options: BigqmtRigOptions, terminal: Terminal, port: number) {
    this.#options = options
    this.terminal = terminal
    this.port = port
    this.host = this.anotherHost()
    const settings: Partial<ScriptSettings> = {
      account_id: ACCOUNT,
      account_type: options.accountType ?? 'STOCK',
      token: TOKEN,
      version: '0.0.0',
      transport: options.transport ?? 'socket',
      port,
      folder: this.scriptFolder,
      limits: {
        settle_ms: 60_000,
        tick_ms: 10,
        calls_per_tick: 20,
        ms_per_tick: 100,
        beat_ms: 200,
        beats_missed_max: 100,
        handshake_ms: 5_000,
        look_ms: 50,
        proof_ms: 200,
        retry_ms: 50,
        ...options.limits,
      },
    }
    this.#script = writeScript(options.folder, settings)
  }

  static async open(options: BigqmtRigOptions): Promise<BigqmtRig> {
    needPython()
    const { folder, settings = SETTINGS } = options
    const home = mkdtempSync(join(folder, 'terminal-'))
    const terminal = await Terminal.open({ accountId: ACCOUNT, settings, folder: home })
    const rig = new BigqmtRig(options, terminal, await freePort())
    await rig.start()
    return rig
  }

  get pid(): number {
    return this.#child?.pid ?? 0
  }

  /** Starts the terminal, which loads the script. Resolves when the script has begun. */
  async start(env: Readonly<Record<string, string>> = this.#options.env ?? {}): Promise<void> {
    const manners = JSON.stringify({
      account_id: ACCOUNT,
      account_type: this.#options.accountType ?? 'STOCK',
      ...this.#options.manners,
    })
    const { python = PYTHON } = this.#options
    const child = spawn(python, [FAKE, this.#script, String(this.terminal.port), manners], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, PYTHONIOENCODING: 'utf-8', ...env },
    })
    this.#child = child
    this.#begun = createInterface({ input: child.stdout })
    this.#begun.on('line', (line) => this.panel.info({}, line))
    createInterface({ input: child.stderr }).on('line', (line) => this.panel.info({}, line))
    const seen = this.panel.all.length
    const isBegun = () => this.panel.all.slice(seen).some((line) => line.startsWith('{"ready"'))
    while (!isBegun()) {
      if (child.exitCode !== null) throw new Error(this.panel.all.slice(seen).join('\n'))
      await inTime(Promise.race([once(this.#begun, 'line'), once(child, 'exit')]), 'a terminal')
    }
  }

  /** Ends the terminal as a crash does. */
  async kill(): Promise<void> {
    const child = this.#child
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGKILL')
    await inTime(once(child, 'exit'), 'the end of the terminal')
  }

  /** Until the terminal has ended by itself. */
  async ended(): Promise<void> {
    const child = this.#child
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    await inTime(once(child, 'exit'), 'the end of the terminal')
  }

  /** Has the terminal do something, see `_obey` in fake_qmt.py. Resolves when it has; a freeze, when it begins. */
  async tell(op: string, fields: object = {}): Promise<void> {
    this.#told += 1
    const number = this.#told
    this.terminal.push('qmt', { op, number, ...fields })
    await this.panel.until(new RegExp(`^done ${number}$`))
  }

  /** A way to the script. */
  line(role: 'trade' | 'market'): OpenLine {
    const { transport } = this.#options
    if (transport !== 'files') return socketLine({ ...LIMITS, host: '127.0.0.1', port: this.port })
    return fileLine({ folder: join(this.scriptFolder, 'files'), role, limits: FILE_LIMITS })
  }

  /** As another process of the service would have; the source of quotes has one of its own. */
  anotherHost(role: 'trade' | 'market' = 'trade'): SidecarHost {
    const whereabouts = {
      kind: 'attach',
      role,
      line: this.line(role),
      token: () => TOKEN,
    } as const
    return new SidecarHost({ whereabouts, limits: LIMITS, log: this.log })
  }

  driver({
    host = this.host,
    epoch = 1,
    callTimeoutMs = this.#options.callTimeoutMs ?? PATIENCE_MS,
  } = {}): TerminalDriver {
    return new TerminalDriver({
      accountId: ACCOUNT,
      accountType: this.#options.accountType ?? 'STOCK',
      clientPath: '',
      host,
      epoch,
      log: this.log,
      nowMs: Date.now,
      limits: { callTimeoutMs, connectTimeoutMs: PATIENCE_MS, heldEventsMax: 1_000 },
    })
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    this.host.close()
    await this.kill()
    await this.terminal.close()
    rmSync(this.scriptFolder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 })
  }
}

/** For the contract suite. */
export async function openBigqmtRig(
  folder: string,
  parts: Partial<BigqmtRigOptions> = {},
): Promise<DriverRig> {
  const settings = oneThousandShares()
  const rig = await BigqmtRig.open({ folder, settings, callTimeoutMs: 3_000, ...parts })
  const tick = async ({ bid, ask }: { bid: number; ask: number }) => {
    const book = { last: ask, lastClose: 10, ask: [[ask, 9_000]], bid: [[bid, 9_000]] } as const
    rig.terminal.tick(SH, book)
  }
  await tick({ bid: 9.99, ask: 10 })
  const hold = () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    rig.terminal.fault = (method) => (method === 'order' ? { until: promise } : undefined)
    return () => {
      rig.terminal.fault = () => undefined
      resolve()
    }
  }
  return { driver: rig.driver(), code: SH, tick, hold, close: () => rig.close() }
}
