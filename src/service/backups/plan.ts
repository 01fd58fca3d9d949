import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { renameHeld } from '../../config/rename.ts'
import {
  DAY_MS,
  exchangeDay,
  exchangeDayStartMs,
  exchangeTime,
  exchangeTimeOfDayMs,
  MINUTE_MS,
} from '../../domain/exchange-time.ts'
import { err, ok, type Result } from '../../domain/result.ts'
import { isTradingDay } from '../../domain/session.ts'
import { flush } from '../../storage/flushed.ts'

/** Beside the databases, so that every process of the data folder goes by the same one. */
const PLAN_FILE = 'backup-plan.json'
export const planFileOf = (dataDir: string): string => join(dataDir, PLAN_FILE)
/** Copies that an update makes first, beside the data folder. */
export const beforeUpdateIn = (dataDir: string): string =>
  join(dirname(dataDir), 'backups-before-update')
const TIME = /^([01]\d|2[0-3]):[0-5]\d$/

/** When copies are made by the service itself, where, and how many are kept. */
export interface BackupPlan {
  /** Time of day at the exchange, `15:40`. */
  readonly at: string
  /** Absolute folder of the copies. */
  readonly to: string
  readonly keep: number
}

/** As it is on disk. */
function isPlan(value: unknown): value is BackupPlan {
  if (typeof value !== 'object' || value === null) return false
  const { version, at, to, keep } = value as Readonly<Record<string, unknown>>
  const isWhole = typeof keep === 'number' && Number.isInteger(keep) && keep >= 1
  return (
    version === 1 && isWhole && typeof to === 'string' && typeof at === 'string' && TIME.test(at)
  )
}

export const KEEP_DEFAULT = 14
/** No copy is made from here to there on a trading day: the disk belongs to the orders then. */
const BUSY = { fromMs: 9 * 60 * MINUTE_MS, untilMs: (15 * 60 + 10) * MINUTE_MS } as const

/** What is wrong with a time of day, for the one who typed it; undefined: nothing. */
export function timeProblem(at: string): string | undefined {
  if (!TIME.test(at)) return '--schedule 应为 HH:MM，如 15:40 (a time of day such as 15:40)'
  const ms = timeOfDayMs(at)
  return ms >= BUSY.fromMs && ms < BUSY.untilMs
    ? '--schedule 不能在 09:00–15:10 之间，请选收盘后，如 15:40 (not in trading hours: choose a time after the close)'
    : undefined
}

const timeOfDayMs = (at: string): number => {
  const [hours = 0, minutes = 0] = at.split(':').map(Number)
  return (hours * 60 + minutes) * MINUTE_MS
}

/** Undefined while there is none. The error is one line. */
export function readPlan(dataDir: string): Result<BackupPlan | undefined, string> {
  const path = planFileOf(dataDir)
  try {
    const plan: unknown = JSON.parse(readFileSync(path, 'utf8'))
    if (!isPlan(plan)) throw new SyntaxError('not a plan')
    const { at, to, keep } = plan
    return ok({ at, to, keep })
  } catch (error) {
    if (Reflect.get(Object(error), 'code') === 'ENOENT') return ok(undefined)
    return err(
      `${path} 无法读取，请重新执行 steward backup --schedule (cannot be read; schedule it again)`,
    )
  }
}

/**
 * In one step: a service that reads it meanwhile finds the old one or the new one. It is on disk when this returns.
 *
 * Errors  throws what the system says; the old one is in force then, or the new one, which a power cut may undo: what
 * {@link readPlan} tells.
 */
export function writePlan(
  dataDir: string,
  plan: BackupPlan | undefined,
  flushOne: (path: string) => void = flush,
): void {
  const path = planFileOf(dataDir)
  if (plan === undefined) {
    rmSync(path, { force: true })
    return flushOne(dataDir)
  }
  const draft = `${path}.${process.pid}` // of two commands at once the later one counts
  try {
    writeFileSync(draft, `${JSON.stringify({ version: 1, ...plan }, null, 2)}\n`, { mode: 0o600 })
    flushOne(draft)
    renameHeld(draft, path)
    flushOne(dataDir)
  } catch (error) {
    rmSync(draft, { force: true, maxRetries: 5 }) // nobody looks for it again
    throw error
  }
}

const NAME = /^steward-(\d{4})(\d\d)(\d\d)-(\d\d)(\d\d)(\d\d)$/

/** `steward-20261122-154000`, by the time at the exchange. */
export const copyName = (epochMs: number): string =>
  `steward-${exchangeTime(epochMs).replaceAll(/[-:]/g, '').replace(' ', '-')}`

/** When a folder of this name was made; undefined: it is not one of these copies. */
export function copyMs(name: string): number | undefined {
  const [whole, year, month, day, hours, minutes, seconds] = NAME.exec(name) ?? []
  if (whole === undefined) return undefined
  const dayMs = exchangeDayStartMs(`${year}-${month}-${day}`)
  return dayMs + ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1_000
}

const PARTIAL = '.partial'

/** Of a copy that lacks what is damaged: it is there for all the rest, and takes the place of no whole one. */
export const partialName = (epochMs: number): string => copyName(epochMs) + PARTIAL
export const isPartial = (name: string): boolean =>
  name.endsWith(PARTIAL) && copyMs(wholeName(name)) !== undefined

/** The name that it would have without a lack. */
export const wholeName = (name: string): string =>
  name.endsWith(PARTIAL) ? name.slice(0, -PARTIAL.length) : name

/** Made under a clock that was wrong: nobody knows how old such a copy is. */
const isAhead = (madeMs: number, nowMs: number): boolean => madeMs > nowMs + DAY_MS

/** The newest of the whole copies among the names of a folder, epoch ms; 0: there is none. */
export const newestMs = (names: readonly string[], nowMs: number): number =>
  Math.max(0, ...names.map((name) => copyMs(name) ?? 0).filter((ms) => !isAhead(ms, nowMs)))

/**
 * The copies beyond those that are kept, the oldest first. Nothing else in the folder is touched. One that seems to
 * come from the future goes before all others: it would be the newest for ever, and they would go.
 */
export function surplus(names: readonly string[], keep: number, nowMs: number): readonly string[] {
  const copies = names.filter((name) => copyMs(name) !== undefined).sort()
  const ahead = copies.filter((name) => isAhead(copyMs(name) ?? 0, nowMs))
  return [...ahead, ...copies.filter((name) => !ahead.includes(name))].slice(0, -keep)
}

/**
 * Whether a copy is to be made now. A time that was missed, because nothing ran or it failed, is caught up
 * with, but never in the hours of trading.
 */
export function isDue(plan: BackupPlan, lastMs: number, nowMs: number): boolean {
  if (isBusy(nowMs)) return false
  const today = exchangeDayStartMs(exchangeDay(nowMs)) + timeOfDayMs(plan.at)
  const due = today <= nowMs ? today : today - DAY_MS
  return lastMs < due || isAhead(lastMs, nowMs)
}

const isBusy = (nowMs: number): boolean => {
  const ms = exchangeTimeOfDayMs(nowMs)
  return ms >= BUSY.fromMs && ms < BUSY.untilMs && isTradingDay(exchangeDay(nowMs))
}
