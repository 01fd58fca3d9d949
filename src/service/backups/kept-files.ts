import { lstatSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { tokenFileOf } from '../../config/token-file.ts'
import { tokenFileOf as scriptTokenOf } from '../../drivers/bigqmt/settings.ts'
import { SENT_FILE } from '../../drivers/gateway/sent-keys.ts'
import { sentFolder } from '../../drivers/gateway/settings.ts'
import { clientNoteOf } from '../data/client-note.ts'
import { copyWritable } from './plain-files.ts'
import { planFileOf } from './plan.ts'

/** What is no database, cannot be had again, and is not about the hour in which it was written. */
interface KeptFile {
  /** Relative to the data folder. */
  readonly path: string
  /** Relative to the copy. */
  readonly inCopy: string
  /** Lines that say the same however often they stand there: those of both folders count. */
  readonly isJoined: boolean
}

const kept = (path: string, isJoined = false): KeptFile => ({ path, inCopy: path, isJoined })

const keptFiles = (accountIds: readonly string[]): readonly KeptFile[] => [
  kept(tokenFileOf('')),
  // Under another name: a copy that somebody starts to look at it must not copy itself over the real ones.
  { path: planFileOf(''), inCopy: `${planFileOf('')}.saved`, isJoined: false },
  ...accountIds.flatMap((accountId) => [
    kept(join(sentFolder('', accountId), SENT_FILE), true),
    kept(scriptTokenOf('', accountId)),
    kept(clientNoteOf('', accountId)),
    kept(join(accountId, 'stock2buy.json')),
  ]),
]

/**
 * Called after the databases are copied: whatever their books say was sent has its key on file by then. A file that
 * is replaced or removed meanwhile is there whole, or not at all. How many.
 */
export function copyKept(dataDir: string, target: string, accountIds: readonly string[]): number {
  return keptFiles(accountIds).filter(({ path, inCopy }) =>
    copied(join(dataDir, path), join(target, inCopy)),
  ).length
}

/**
 * Into the new data folder, in which those of the folder that it replaces are already: what was withdrawn since the
 * backup stays withdrawn. Keys of orders that were sent are never fewer than in either.
 */
export function putBackKept(backup: string, folder: string, accountIds: readonly string[]): void {
  for (const { path, inCopy, isJoined } of keptFiles(accountIds)) {
    const [from, to] = [join(backup, inCopy), join(folder, path)]
    if (lstatSync(to, { throwIfNoEntry: false }) === undefined) copied(from, to)
    else if (isJoined) addLines(from, to)
  }
}

function copied(from: string, to: string): boolean {
  if (lstatSync(from, { throwIfNoEntry: false }) === undefined) return false
  mkdirSync(dirname(to), { recursive: true, mode: 0o700 })
  try {
    copyWritable(from, to)
    return true
  } catch (error) {
    if (Reflect.get(Object(error), 'code') === 'ENOENT') return false
    throw error
  }
}

/** The younger lines last: they say how the earlier ones went on. */
function addLines(older: string, younger: string): void {
  if (lstatSync(older, { throwIfNoEntry: false }) === undefined) return
  const text = `${readFileSync(older, 'utf8')}\n${readFileSync(younger, 'utf8')}`
  writeFileSync(younger, text, { mode: 0o600 })
}
