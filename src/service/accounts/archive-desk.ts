import { setTimeout as delay } from 'node:timers/promises'
import { ServiceError } from '../../domain/errors.ts'
import { exchangeDay } from '../../domain/exchange-time.ts'
import { untilServiceHoursMs } from '../../domain/session.ts'
import type { Logger } from '../../observability/logger.ts'
import type { JournalMark } from '../../protocol/store.ts'
import type { RetentionRules } from '../../storage/archive/retention.ts'
import type { ActorSystem } from '../threads/actor-system.ts'

/** What the desk asks of the threads, for one account. */
export interface ArchiveLine {
  /** Writes the next segment, or finds a written one; null: nothing is due. */
  next(accountId: string, rules: RetentionRules, nowMs: number): Promise<JournalMark | null>
  /** Removes some entries from the database; resolves with how many are left. */
  trim(accountId: string, upTo: JournalMark, limit: number): Promise<number>
  expired(accountId: string, keepDays: number, nowMs: number): Promise<JournalMark | null>
  keepFrom(accountId: string, mark: JournalMark): Promise<null>
  /** Deletes what is noted as no longer kept. */
  drop(accountId: string): Promise<number>
}

/** Segments beside the store, what the database forgets through it. */
export const archiveLine = (system: Pick<ActorSystem, 'archive' | 'records'>): ArchiveLine => ({
  next: (accountId, rules, nowMs) =>
    system.archive({ kind: 'archive', accountId, nowMs, ...rules }),
  trim: (accountId, upTo, limit) => system.records({ kind: 'trim', accountId, upTo, limit }),
  expired: (accountId, keepDays, nowMs) =>
    system.archive({ kind: 'expired', accountId, keepDays, nowMs }),
  keepFrom: (accountId, mark) => system.records({ kind: 'keepFrom', accountId, mark }),
  drop: (accountId) => system.archive({ kind: 'drop', accountId }),
})

interface ArchiveDeskOptions {
  readonly line: ArchiveLine
  /** Accounts that this process runs. */
  readonly owned: () => readonly string[]
  /** Below the floor of free space nothing is moved: what is left is for cancels and the kill switch. */
  readonly isDiskLow: () => boolean
  readonly nowMs: () => number
  readonly log: Logger
  readonly limits: {
    readonly journalKeepDays: number
    readonly journalKeepEntries: number
    readonly journalTrimBatch: number
    readonly journalTrimPauseMs: number
    readonly journalCheckMs: number
    readonly journalRetryMs: number
    readonly auditKeepDays: number
  }
}

/** In trading hours only what is overdue by as much again as is kept is moved: then nobody is here at night. */
const OVERDUE = 2
/** And then so much slower: in smaller transactions, with longer pauses. */
const GENTLER = 5
/** The account is about to leave, or has: the next look finds out. */
const GOING: ReadonlySet<string> = new Set(['STOPPING', 'NOT_OWNER', 'ACTOR_RESTARTING'])

/**
 * Keeps the journals of the databases short: once a day, outside trading hours, each account's old entries move
 * into segments, and segments that are old enough are deleted. One account after the other, and in the store
 * one small transaction after the other with a pause behind each, so that no order waits for it.
 */
export class ArchiveDesk {
  readonly #options: ArchiveDeskOptions
  /** Exchange day of the last whole look at an account, `quiet` or in trading hours. */
  readonly #done = new Map<string, string>()
  readonly #stop = new AbortController()
  #retryAtMs = 0
  #timer: NodeJS.Timeout | undefined
  #looking: Promise<void> | undefined

  constructor(options: ArchiveDeskOptions) {
    this.#options = options
  }

  /** Looks again and again, the first time when the start has long been over. */
  start(): void {
    this.#timer = setInterval(() => void this.check(), this.#options.limits.journalCheckMs)
    this.#timer.unref()
  }

  /** What is under way ends at its next step: whatever has been done stands. */
  async close(): Promise<void> {
    clearInterval(this.#timer)
    this.#stop.abort()
    await this.#looking
  }

  /** One look; several at once are one. */
  check(): Promise<void> {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined
    })
    return this.#looking
  }

  async #look(): Promise<void> {
    const { owned, nowMs, log, limits } = this.#options
    const waitMs = this.#retryAtMs - nowMs()
    if (waitMs > 0 && waitMs <= limits.journalRetryMs) return // longer: the clock was set back
    const accountIds = owned()
    this.#forgetAllBut(new Set(accountIds))
    for (const accountId of accountIds) {
      try {
        await this.#lookAt(accountId)
      } catch (error) {
        if (this.#stop.signal.aborted) return
        if (error instanceof ServiceError && GOING.has(error.code)) continue
        this.#retryAtMs = nowMs() + limits.journalRetryMs
        const text =
          '旧日志归档失败，稍后重试 (old entries of the journal could not be moved; tried again)'
        log.error({ alert: 'archive_failed', accountId, reason: String(error) }, text)
      }
    }
  }

  /** Whoever comes back is looked at once more. */
  #forgetAllBut(owned: ReadonlySet<string>): void {
    for (const known of this.#done.keys()) if (!owned.has(known)) this.#done.delete(known)
  }

  async #lookAt(accountId: string): Promise<void> {
    const { nowMs, limits } = this.#options
    const now = nowMs()
    const isBusy = untilServiceHoursMs(now) === 0
    const turn = `${exchangeDay(now)} ${isBusy ? 'busy' : 'quiet'}`
    if (this.#done.get(accountId) === turn) return
    const factor = isBusy ? OVERDUE : 1
    const keepDays = limits.journalKeepDays * factor
    const keepEntries = limits.journalKeepEntries * factor
    const isRoom = await this.#move(accountId, { keepDays, keepEntries }, { now, isBusy })
    // Also on a disk that is nearly full: what is deleted gives room back.
    if (!isBusy) await this.#expire(accountId, now)
    if (isRoom) this.#done.set(accountId, turn)
  }

  /** All that is due; false while the disk has no room for it: goes on when there is space again. */
  async #move(
    accountId: string,
    rules: RetentionRules,
    { now, isBusy }: { readonly now: number; readonly isBusy: boolean },
  ): Promise<boolean> {
    const { line, isDiskLow } = this.#options
    while (!isDiskLow()) {
      const upTo = await line.next(accountId, rules, now)
      if (upTo === null) return true
      await this.#trim(accountId, upTo, isBusy ? GENTLER : 1)
    }
    return false
  }

  async #trim(accountId: string, upTo: JournalMark, factor: number): Promise<void> {
    const { line, limits } = this.#options
    const { signal } = this.#stop
    const batch = Math.ceil(limits.journalTrimBatch / factor)
    while ((await line.trim(accountId, upTo, batch)) > 0) {
      await delay(limits.journalTrimPauseMs * factor, undefined, { signal })
    }
  }

  async #expire(accountId: string, nowMs: number): Promise<void> {
    const { line, log, limits } = this.#options
    const mark = await line.expired(accountId, limits.auditKeepDays, nowMs)
    if (mark !== null) await line.keepFrom(accountId, mark)
    const dropped = await line.drop(accountId)
    if (mark === null) return
    const text = '已删除到期的日志段 (segments of the journal were old enough and deleted)'
    log.info({ accountId, upTo: mark.seq, segments: dropped }, text)
  }
}
