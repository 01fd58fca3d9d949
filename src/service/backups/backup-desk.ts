import { spawn } from 'node:child_process'
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type NameFolder, oneNameLater } from '../../cluster/one-name.ts'
import type { Logger } from '../../observability/logger.ts'
import { steadyMs } from '../../runtime/steady.ts'
import { flushNames } from '../../storage/flushed.ts'
import { unfinishedIn } from '../data/data-folder.ts'
import { isWithin } from '../data/within.ts'
import {
  type BackupPlan,
  copyName,
  isDue,
  isPartial,
  newestMs,
  partialName,
  readPlan,
  surplus,
  wholeName,
} from './plan.ts'

const PROGRAM = fileURLToPath(new URL('../../../bin/steward.mjs', import.meta.url))
/** A copy under way, which also keeps other processes from making the same. */
const UNFINISHED = 'steward.part'
const REASON_CHARS_MAX = 500
/** In a row; then it is no passing trouble, and one a day is enough until it is mended. */
const PARTIALS_MAX = 2
/** Exit code of a backup that had to leave something out. */
const LACKS = 1
/** A scanner may hold what was written a moment ago; this thread must not stand still for it. */
const RENAME = { triesMax: 20, pauseMs: 500 } as const
const REMOVE = { recursive: true, force: true, maxRetries: 5, retryDelay: 100 } as const
/** For a copy that is given up to go; a drive that does not answer holds up no stop. */
const STOP_MS = 2_000
const NO_ANSWER =
  '备份目录没有响应，可能是网络盘或移动硬盘断开 (the folder of the copies does not answer, as of a network drive that is gone)'
/** Never made here: below a disk that is not mounted it would lie beside the data, and be lost with it. */
const NOT_THERE =
  '不存在：备份所在的磁盘可能没有挂载；请接上它，或重新执行 steward backup --schedule (is not there, as where its disk is not mounted: mount it, or schedule the backups again)'
const KEPT =
  '旧备份未能删除，可能有程序打开着其中的文件；下次备份后再试 (old backups could not be removed: a program may have their files open; tried again after the next one)'

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
  readonly copy?: (target: string) => Promise<Copied>
  /** Another disk than the real one, for tests. */
  readonly flush?: (path: string) => Promise<void>
  readonly realpath?: NameFolder
}

/** What came of one copy; `partial`: of all that is not damaged. */
export type Copied =
  | { readonly is: 'whole' }
  | { readonly is: 'partial' | 'failed'; readonly reason: string }

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
 * The folder of the copies may be on a drive that hangs: nothing here waits in it but the look.
 */
export class BackupDesk {
  readonly #options: BackupDeskOptions
  #timer: NodeJS.Timeout | undefined
  #looking: Promise<void> | undefined
  /** Since when a copy is made. */
  #makingSinceMs: number | undefined
  /** Of a look that does not end. */
  #isTold = false
  #retryAtMs = 0
  /** Copies in a row that lacked something. */
  #partials = 0
  #figures: BackupFigures = { isScheduled: false, lastMs: 0, failures: 0 }
  readonly #stop = new AbortController()

  constructor(options: BackupDeskOptions) {
    this.#options = options
  }

  get figures(): BackupFigures {
    return this.#figures
  }

  start(): void {
    this.#timer = setInterval(() => {
      this.#tellOfHanging()
      void this.check()
    }, this.#options.limits.checkMs)
    this.#timer.unref()
  }

  /** A copy under way is given up: it is none before it is whole. */
  async close(): Promise<void> {
    clearInterval(this.#timer)
    this.#stop.abort()
    const timer = new AbortController()
    const late = delay(STOP_MS, undefined, { signal: timer.signal })
    await Promise.race([this.#looking, late.catch(() => undefined)])
    timer.abort()
  }

  /** One look; several at once are one. */
  check(): Promise<void> {
    this.#looking ??= this.#look()
      .catch((error: unknown) => this.#failed(error instanceof Error ? error.message : `${error}`))
      .finally(() => {
        this.#looking = undefined
        this.#makingSinceMs = undefined
        this.#isTold = false
      })
    return this.#looking
  }

  /** Once for each look. A copy has its time: whoever makes it is ended then, unless the drive keeps him, or what follows. */
  #tellOfHanging(): void {
    if (this.#looking === undefined || this.#isTold) return
    const sinceMs = this.#makingSinceMs
    if (sinceMs !== undefined && steadyMs() - sinceMs < this.#options.limits.copyMs * 2) return
    this.#isTold = true
    this.#failed(NO_ANSWER)
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
    const names = await namesIn(plan.value.to)
    if (names === undefined) return this.#failed(`${plan.value.to} ${NOT_THERE}`)
    this.#figures = { ...this.#figures, lastMs: newestMs(names, nowMs()) }
    const tried = this.#partials < PARTIALS_MAX ? names : names.map(wholeName)
    if (!isDue(plan.value, newestMs(tried, nowMs()), nowMs())) return
    this.#makingSinceMs = steadyMs()
    await this.#make(plan.value)
  }

  async #make({ to, keep }: BackupPlan): Promise<void> {
    const { nowMs, log, copy = (target) => this.#copy(target), flush = flushNames } = this.#options
    const part = join(to, UNFINISHED)
    if (!(await this.#begins(part))) return
    const made = await copy(part).catch(notBegun)
    if (this.#stop.signal.aborted) return void (await isRemoved(part))
    if (made.is === 'failed') {
      this.#failed(made.reason) // before: what holds a half copy is not why it is one
      return void (await isRemoved(part))
    }
    const name = made.is === 'whole' ? copyName(nowMs()) : partialName(nowMs())
    await renamed(part, join(to, name))
    await flush(to) // before one that it replaces goes
    const names = await readdir(to)
    const partials = names.filter((each) => isPartial(each) && each !== name)
    // The last whole ones have what is damaged now: none of them goes for a copy without it.
    const old = made.is === 'whole' ? surplus(names, keep, nowMs()) : []
    const removed = await this.#remove(to, [...partials, ...old])
    if (made.is === 'partial') return this.#lacks(made.reason)
    this.#partials = 0
    this.#figures = { ...this.#figures, lastMs: nowMs() }
    log.info({ copy: join(to, name), removed }, '定时备份完成 (scheduled backup made)')
  }

  /**
   * But a copy that was started where it lies. One that somebody has open keeps none of the others, and fails no backup.
   * Resolves with how many are gone.
   */
  async #remove(to: string, names: readonly string[]): Promise<number> {
    const { dataDir, realpath } = this.#options
    const inUse = await oneNameLater(dataDir, realpath)
    const kept: string[] = []
    let removed = 0
    for (const path of names.map((name) => join(to, name))) {
      if (isWithin(await oneNameLater(path, realpath), inUse)) continue
      if (await isRemoved(path)) removed += 1
      else kept.push(path)
    }
    if (kept.length > 0) this.#options.log.warn({ kept }, KEPT)
    return removed
  }

  /** Whether it is ours to make: not while another process does, unless that one has died over it. */
  async #begins(part: string): Promise<boolean> {
    const { limits } = this.#options
    const there = await statOf(part)
    if (there !== undefined) {
      const ageMs = Math.abs(Date.now() - there.mtimeMs) // a clock may have been set back
      if (ageMs < limits.copyMs * 2) return false
      await rm(part, REMOVE)
    }
    try {
      await mkdir(part, { mode: 0o700 })
      return true
    } catch (error) {
      if (Reflect.get(Object(error), 'code') === 'EEXIST') return false
      throw error
    }
  }

  #lacks(reason: string): void {
    const { nowMs, limits } = this.#options
    this.#partials += 1
    this.#retryAtMs = nowMs() + limits.retryMs
    this.#figures = { ...this.#figures, failures: this.#figures.failures + 1 }
    const text =
      '定时备份缺少未能备份的账户，其余已备份，此前的完整备份保留 (the scheduled backup lacks what could not be copied; the rest is copied, and older whole copies stay)'
    this.#options.log.error({ alert: 'backup_failed', reason }, text)
  }

  #failed(reason: string): void {
    const { log, nowMs, limits } = this.#options
    this.#retryAtMs = nowMs() + limits.retryMs
    this.#figures = { ...this.#figures, failures: this.#figures.failures + 1 }
    const text = '定时备份失败，稍后重试 (the scheduled backup failed and is tried again)'
    log.error({ alert: 'backup_failed', reason }, text)
  }

  async #copy(target: string): Promise<Copied> {
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
    const { stderr } = child as Partial<typeof child> // without descriptors there is none, and why is told below
    stderr?.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-REASON_CHARS_MAX)
    })
    return new Promise((done) => {
      const failed = (reason: string) => done({ is: 'failed', reason })
      child.once('error', (error) => {
        if (!this.#stop.signal.aborted) failed(error.message) // else it is ending: what it has open cannot be removed yet
      })
      child.once('close', async (code, signal) => {
        if (code === 0) return done({ is: 'whole' })
        const reason = said.trim() || `exit ${code ?? signal}`
        const isRest = code === LACKS && (await isAbsent(unfinishedIn(target)))
        return isRest ? done({ is: 'partial', reason }) : failed(reason)
      })
    })
  }
}

/** Whether nothing is left of it; what is left of a copy that has begun to go is damaged, and says so when it is used. */
const isRemoved = (path: string): Promise<boolean> =>
  rm(path, REMOVE).then(
    () => true,
    () => false,
  )

/** Without memory for its process the system refuses it at once. What was made for the copy must go, as of each that fails. */
const notBegun = (error: unknown): Copied => ({
  is: 'failed',
  reason: error instanceof Error ? error.message : String(error),
})

/** Undefined where there is nothing. */
const statOf = (path: string) => stat(path).catch(unlessAbsent)
const namesIn = (folder: string) => readdir(folder).catch(unlessAbsent)

function unlessAbsent(error: unknown): undefined {
  if (Reflect.get(Object(error), 'code') !== 'ENOENT') throw error
}

/** Not where nobody can look: then a copy counts as one that was cut off. */
const isAbsent = (path: string): Promise<boolean> =>
  statOf(path).then(
    (there) => there === undefined,
    () => false,
  )

/** Errors  throws what the last try has thrown; nothing is left then, as far as nobody holds it. */
async function renamed(part: string, whole: string): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await rename(part, whole)
    } catch (error) {
      if (tries >= RENAME.triesMax) {
        await isRemoved(part)
        throw error
      }
      await delay(RENAME.pauseMs)
    }
  }
}
