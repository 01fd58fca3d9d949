import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Environment } from '../environment.ts'
import { isThere, namesIn } from '../listing.ts'
import { openEnvironment } from '../open-environment.ts'

const LOCK_FOLDER = 'lock'
/** Making it is a transaction, so that the environment is on disk before anybody relies on it. */
const LOCK_TABLE = 'lock'
/** A file for each key whose database may name the log. */
export const MEMBERS_FOLDER = 'members'

const SEGMENT = /^\d+\.log$/
export const segmentFile = (number: number): string => `${number}.log`
/** Every log has it. */
export const LOG_FILE = segmentFile(0)

/** Process number, its start in epoch milliseconds, and something that nobody else draws. */
const NAME = /^(\d+)-(\d+)-[0-9a-f]{8}$/
/** By which two computations of the start of one process may differ. */
const START_TOLERANCE_MS = 5_000

const startedAtMs = () => Math.round(Date.now() - process.uptime() * 1_000)

export const newLogName = (): string =>
  `${process.pid}-${startedAtMs()}-${randomBytes(4).toString('hex')}`

/**
 * Names of the logs below `root`. What is only begun, or half removed, is none, nor is what this user may not look at.
 *
 * Errors  of {@link namesIn}.
 */
export function logsIn(root: string): readonly string[] {
  const isSeen = (name: string) => existsSync(join(root, name, LOG_FILE))
  return namesIn(root).filter((name) => NAME.test(name) && isSeen(name))
}

/** Whether a folder is that of a log. Errors  of {@link isThere}. */
export const isLog = (folder: string): boolean => isThere(join(folder, LOG_FILE))

export const lockFolder = (folder: string): string => join(folder, LOCK_FOLDER)

/** It denies what is being removed as well, while another program holds it. */
const isWindows = process.platform === 'win32'

/**
 * Of a log that this user may not look at, as after a run as root, nobody knows that it is gone. Errors  of the system.
 */
export function mustBeSeen(folder: string): void {
  if (!isWindows) statSync(join(folder, LOG_FILE), { throwIfNoEntry: false })
}

/**
 * The lock of a log: an LMDB environment of which only the write transaction counts. Opening it is one, and stops
 * this thread while another process has it.
 */
export const openLock = (folder: string): Environment =>
  openEnvironment(lockFolder(folder), [LOCK_TABLE])

/** Errors  of {@link namesIn}. */
export const segmentsOf = (folder: string): readonly string[] =>
  namesIn(folder).filter((name) => SEGMENT.test(name))

/** Whether a database may name the log. Where nothing says so, one may. */
export function hasMembers(folder: string): boolean {
  const members = join(folder, MEMBERS_FOLDER)
  return !existsSync(members) || readdirSync(members).length > 0
}

/** Of one that nobody can look into now, what is in it may be needed. */
function isNeeded(folder: string): boolean {
  try {
    return isLog(folder) && hasMembers(folder)
  } catch {
    return true
  }
}

/** What was begun, or half removed, or left by everybody, of processes that are gone. Errors  of {@link namesIn}. */
export function leftoversIn(root: string): readonly string[] {
  const names = namesIn(root)
  return [
    ...names.filter((name) => {
      const [, log, ending] = /^(.*)\.(new|gone)$/.exec(name) ?? []
      return log !== undefined && NAME.test(log) && (ending === 'gone' || isDead(log))
    }),
    ...names.filter((name) => NAME.test(name) && isDead(name) && !isNeeded(join(root, name))),
  ]
}

/**
 * Removes what nobody needs any more, a file or a folder. What another program holds, as a virus scanner does on Windows,
 * stays: it is in nobody's way, and a later claim or start tries again.
 */
export function removeIfFree(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true })
  } catch {
    // held by another program
  }
}

/** Removes what {@link leftoversIn} finds, as far as nobody holds it. Errors  of {@link namesIn}. */
export function removeLeftovers(root: string): void {
  for (const name of leftoversIn(root)) removeIfFree(join(root, name))
}

export const isOfOtherProcess = (name: string): boolean =>
  Number(NAME.exec(name)?.[1]) !== process.pid

/**
 * Whether the process of a log is gone. A number that was given to another process since counts as alive:
 * then the log stays a while longer.
 */
export function isDead(name: string): boolean {
  const [, pid, startMs] = NAME.exec(name) ?? []
  if (pid === undefined) return false
  if (Number(pid) === process.pid) {
    return Math.abs(Number(startMs) - startedAtMs()) > START_TOLERANCE_MS
  }
  try {
    process.kill(Number(pid), 0)
    return false
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH'
  }
}
