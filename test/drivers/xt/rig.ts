import { execFileSync } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { PaperConfig } from '../../../src/drivers/paper/config.ts'
import { TerminalDriver } from '../../../src/drivers/terminal/driver.ts'
import type { SidecarLog } from '../../../src/drivers/terminal/launched.ts'
import { SidecarHost } from '../../../src/drivers/terminal/sidecar-host.ts'
import { type SidecarPlan, whereaboutsOf } from '../../../src/drivers/xt/settings.ts'
import type { DriverRig } from '../../contract/driver.ts'
import { inTime, PATIENCE_MS } from '../../in-time.ts'
import { oneThousandShares, SETTINGS, SH } from '../fixtures/paper.ts'
import { Terminal } from './terminal.ts'

export const ACCOUNT = '10000001'
/** The folder with the stand-in for xtquant. */
export const FAKE = fileURLToPath(new URL('./fake', import.meta.url))

/** The interpreter of these tests; every one that is listed is tried by `pythons.test.ts`. */
export const PYTHON = process.env['STEWARD_TEST_PYTHON'] ?? 'python3'

/** Where a Python of these tests finds numpy and pandas, and where it finds that it has none. */
const TABLES = fileURLToPath(new URL('./fake/tables', import.meta.url))
export const NO_TABLES = fileURLToPath(new URL('./fake/no-tables', import.meta.url))

/** Throws with the mend when there is no Python: these tests prove nothing without one. */
export function needPython(): void {
  process.env['PYTHONPATH'] ??= TABLES
  try {
    execFileSync(PYTHON, ['-c', 'import sys; sys.exit(sys.version_info < (3, 8))'])
  } catch {
    throw new Error(
      `these tests need Python 3.8 or later as "${PYTHON}": install python3 (Debian: apt-get install python3)`,
    )
  }
}

/** Releases whose manners the stand-in can have (`fake/xtquant/_manner.py`); the newest by default. */
export const RELEASES = ['2022-09', '2023-03', '2024-04', '2024-05', '2025-03', '250516'] as const
export type Release = (typeof RELEASES)[number]

export const LIMITS: SidecarPlan['limits'] = {
  frameBytesMax: 8_388_608,
  beatMs: 200,
  beatsMissedMax: 100,
  handshakeTimeoutMs: 5_000,
  callsMax: 256,
  heldTimeoutMs: 10_000,
}

export interface RigOptions {
  readonly folder: string
  /** Of every sidecar that is started until the rig is closed. */
  readonly release?: Release
  readonly accountType?: string
  readonly settings?: PaperConfig
  readonly role?: SidecarPlan['role']
  readonly python?: string
  readonly callTimeoutMs?: number
  readonly own?: Partial<SidecarPlan['own']>
  readonly attach?: { readonly port: number; readonly tokenFile: string }
  /** Of the service; those of the sidecar are its own. */
  readonly beats?: Pick<SidecarPlan['limits'], 'beatMs' | 'beatsMissedMax'>
}

/** What a sidecar said, for tests that look at it. */
export class Lines implements SidecarLog {
  readonly all: string[] = []
  readonly #waiting = new Set<() => void>()

  info(_: object, message: string): void {
    this.all.push(message)
    for (const wake of this.#waiting) wake()
    this.#waiting.clear()
  }
  /** The first line that matches, now or later. */
  async until(pattern: RegExp): Promise<string> {
    for (;;) {
      const found = this.all.find((line) => pattern.test(line))
      if (found !== undefined) return found
      const coming = new Promise<void>((resolve) => this.#waiting.add(resolve))
      await inTime(coming, `a line of the sidecar like ${pattern}`)
    }
  }
  warn(fields: object, message: string): void {
    this.info(fields, message)
  }
  error(fields: object, message: string): void {
    this.info(fields, message)
  }
}

export function planOf(options: RigOptions, terminal: Terminal): SidecarPlan {
  const { folder, role = 'trade', python = PYTHON, own, attach } = options
  return {
    role,
    sidecar: {
      python,
      xtquant_path: FAKE,
      attach: attach === undefined ? '' : String(attach.port),
      token_file: attach?.tokenFile ?? '',
    },
    clientPath: terminal.clientPath,
    folder: join(folder, 'journal'),
    quotePort: terminal.port,
    launchTimeoutMs: 20_000,
    limits: LIMITS,
    own: {
      frame_bytes_max: 8_388_608,
      beat_ms: 200,
      beats_missed_max: 100,
      handshake_ms: 5_000,
      idle_exit_ms: 10_000,
      calls_max: 256,
      leaks_max: 3,
      stuck_order_call_ms: 120_000,
      quotes_behind_max: 3,
      quotes_patience_max: 256,
      resubscribe_min_ms: 0,
      subscribe_timeout_ms: 10_000,
      refusal_text_ms: 1_000,
      ...own,
    },
  }
}

/** A terminal with books, a sidecar at it, and drivers that reach it. */
export class XtRig {
  readonly terminal: Terminal
  readonly host: SidecarHost
  readonly log = new Lines()
  readonly #options: RigOptions

  private constructor(options: RigOptions, terminal: Terminal) {
    this.terminal = terminal
    this.#options = options
    this.host = this.anotherHost()
  }

  static async open(options: RigOptions): Promise<XtRig> {
    needPython()
    const { folder, settings = SETTINGS } = options
    const home = mkdtempSync(join(folder, 'terminal-'))
    const terminal = await Terminal.open({ accountId: ACCOUNT, settings, folder: home })
    if (options.release !== undefined) process.env['FAKE_XT_MANNER'] = options.release
    return new XtRig(options, terminal)
  }

  /** As another process of the service would have. */
  anotherHost(): SidecarHost {
    const plan = planOf(this.#options, this.terminal)
    const whereabouts = whereaboutsOf(plan, [[ACCOUNT, '****0001']])
    const limits = { ...LIMITS, ...this.#options.beats }
    return new SidecarHost({ whereabouts, limits, log: this.log })
  }

  driver({
    host = this.host,
    epoch = 1,
    callTimeoutMs = this.#options.callTimeoutMs ?? PATIENCE_MS,
  } = {}): TerminalDriver {
    return new TerminalDriver({
      accountId: ACCOUNT,
      accountType: this.#options.accountType ?? 'STOCK',
      clientPath: this.terminal.clientPath,
      host,
      epoch,
      log: this.log,
      nowMs: Date.now,
      limits: { callTimeoutMs, connectTimeoutMs: PATIENCE_MS, heldEventsMax: 1_000 },
    })
  }

  async close(): Promise<void> {
    delete process.env['FAKE_XT_MANNER']
    this.host.close()
    await this.terminal.close()
  }
}

/** For the contract suite. */
export async function openXtRig(folder: string, release?: Release): Promise<DriverRig> {
  const rig = await XtRig.open({
    folder,
    settings: oneThousandShares(),
    callTimeoutMs: 3_000,
    ...(release !== undefined && { release }),
  })
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
