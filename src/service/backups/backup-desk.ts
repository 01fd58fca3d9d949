import { spawn } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { err, ok, type Result } from '../../domain/result.ts'
import type { Logger } from '../../observability/logger.ts'
import { type BackupPlan, copyName, isDue, newestMs, readPlan, surplus } from './plan.ts'
import { isWithin } from './schedule-command.ts'

const PROGRAM = fileURLToPath(new URL('../../../bin/steward.mjs', import.meta.url))
/** A copy under way, which also keeps other processes from making the same. */
const UNFINISHED = 'steward.part'
const REASON_CHARS_MAX = 500
/** A scanner may hold what was written a moment ago; this thread must not stand still for it. */
const RENAME = { triesMax: 20, pauseMs: 500 } as const

export interface BackupDeskOptions {
  readonly dataDir: string
  /** Absent: the built-in demo. */
  readonly configFile: string | undefined
  readonly log: Logger
  readonly nowMs: () => number
  readonly limits: {
    /** Between two looks at whether one is due. */
    readonly checkMs: number
    /** After a failure. */
    readonly retryMs: number
    /** For one copy of everything. */
    readonly copyMs: number
  }
  /** Makes one copy; another one for tests. */
  readonly copy?: (target: string) => Promise<Result<null, string>>
}

/** How the scheduled copies go, for metrics. */
export interface BackupFigures {
  readonly isScheduled: boolean
  /** Epoch ms of the newest whole copy that was seen; 0: none. */
  readonly lastMs: number
  readonly failures: number
}

/**
 * Makes the copies of the plan while the service runs, each in a process of its own, which may be slow or die
 * without any harm here. Looks at the plan anew each time, so that it is in force as soon as it is written.
 */
export class BackupDesk {
  readonly #options: BackupDeskOptions
  #timer: NodeJS.Timeout | undefined
  #looking: Promise<void> | undefined
  #retryAtMs = 0
  #figures: BackupFigures = { isScheduled: false, lastMs: 0, failures: 0 }
  readonly #stop = new AbortController()

  constructor(options: BackupDeskOptions) {
    this.#options = options
  }

  get figures(): BackupFigures {
    return this.#figures
  }

  start(): void {
    this.#timer = setInterval(() => void this.check(), this.#options.limits.checkMs)
    this.#timer.unref()
  }

  /** A copy under way is given up: it is none before it is whole. */
  async close(): Promise<void> {
    clearInterval(this.#timer)
    this.#stop.abort()
    await this.#looking
  }

  /** One look; several at once are one. */
  check(): Promise<void> {
    this.#looking ??= this.#look()
      .catch((error: unknown) => this.#failed(error instanceof Error ? error.message : `${error}`))
      .finally(() => {
        this.#looking = undefined
      })
    return this.#looking
  }

  async #look(): Promise<void> {
    const { dataDir, nowMs, limits } = this.#options
    const waitMs = this.#retryAtMs - nowMs()
    const mustWait = waitMs > 0 && waitMs <= limits.retryMs // longer: the clock was set back
    if (mustWait || this.#stop.signal.aborted) return
    const plan = readPlan(dataDir)
    if (!plan.ok) return this.#failed(plan.error)
    this.#figures = { ...this.#figures, isScheduled: plan.value !== undefined }
    if (plan.value === undefined) return
    mkdirSync(plan.value.to, { recursive: true, mode: 0o700 })
    const lastMs = newestMs(readdirSync(plan.value.to), nowMs())
    this.#figures = { ...this.#figures, lastMs }
    if (isDue(plan.value, lastMs, nowMs())) await this.#make(plan.value)
  }

  async #make({ to, keep }: BackupPlan): Promise<void> {
    const { dataDir, nowMs, log, copy = (target) => this.#copy(target) } = this.#options
    const part = join(to, UNFINISHED)
    if (!this.#begins(part)) return
    const made = await copy(part)
    if (this.#stop.signal.aborted) return rmSync(part, { recursive: true, force: true })
    if (!made.ok) {
      rmSync(part, { recursive: true, force: true })
      return this.#failed(made.error)
    }
    const name = copyName(nowMs())
    await renamed(part, join(to, name))
    this.#figures = { ...this.#figures, lastMs: nowMs() }
    const inUse = realpathSync(dataDir)
    const old = surplus(readdirSync(to), keep, nowMs()).filter(
      (each) => !isWithin(realpathSync(join(to, each)), inUse), // a copy that was started where it lies
    )
    for (const each of old) rmSync(join(to, each), { recursive: true, force: true })
    log.info({ copy: join(to, name), removed: old.length }, '定时备份完成 (scheduled backup made)')
  }

  /** Whether it is ours to make: not while another process does, unless that one has died over it. */
  #begins(part: string): boolean {
    const { limits } = this.#options
    if (existsSync(part)) {
      const ageMs = Math.abs(Date.now() - statSync(part).mtimeMs) // a clock may have been set back
      if (ageMs < limits.copyMs * 2) return false
      rmSync(part, { recursive: true, force: true })
    }
    try {
      mkdirSync(part, { mode: 0o700 })
      return true
    } catch (error) {
      if (Reflect.get(Object(error), 'code') === 'EEXIST') return false
      throw error
    }
  }

  #failed(reason: string): void {
    const { log, nowMs, limits } = this.#options
    this.#retryAtMs = nowMs() + limits.retryMs
    this.#figures = { ...this.#figures, failures: this.#figures.failures + 1 }
    const text = '定时备份失败，稍后重试 (the scheduled backup failed and is tried again)'
    log.error({ alert: 'backup_failed', reason }, text)
  }

  #copy(target: string): Promise<Result<null, string>> {
    const { dataDir, configFile, limits } = this.#options
    const args = ['backup', '--to', target, '--data-dir', dataDir]
    const file = configFile === undefined ? [] : ['--config', configFile]
    const child = spawn(process.execPath, [PROGRAM, ...args, ...file], {
      stdio: ['ignore', 'ignore', 'pipe'],
      windowsHide: true,
      timeout: limits.copyMs,
      signal: this.#stop.signal,
    })
    let said = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-REASON_CHARS_MAX)
    })
    return new Promise((done) => {
      child.once('error', (error) => done(err(error.message)))
      child.once('close', (code, signal) =>
        done(code === 0 ? ok(null) : err(said.trim() || `exit ${code ?? signal}`)),
      )
    })
  }
}

/** Errors  throws what the last try has thrown; nothing is left then. */
async function renamed(part: string, whole: string): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return renameSync(part, whole)
    } catch (error) {
      if (tries >= RENAME.triesMax) {
        rmSync(part, { recursive: true, force: true })
        throw error
      }
      await delay(RENAME.pauseMs)
    }
  }
}
