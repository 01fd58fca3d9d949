import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { renameHeld } from '../config/rename.ts'
import type { ClusterMark } from '../protocol/store.ts'
import { flush } from './flushed.ts'

const NOTE_FILE = 'cluster.json'
const PRIVATE_MODE = 0o600

/** Beside the folder of the database. */
const noteOf = (databaseFolder: string): string => join(dirname(databaseFolder), NOTE_FILE)

/**
 * How the account stands to a cluster, as its database has it by now; null: to none. It is read where the database
 * cannot be read any more, and only there: a disk that refuses it stops nothing.
 */
export function noteCluster(databaseFolder: string, mark: ClusterMark | null): void {
  const file = noteOf(databaseFolder)
  const text = mark === null ? undefined : JSON.stringify(mark)
  if (text === textOf(file)) return
  try {
    if (text === undefined) return rmSync(file, { force: true })
    writeFileSync(`${file}.new`, text, { mode: PRIVATE_MODE })
    flush(`${file}.new`)
    renameHeld(`${file}.new`, file)
    flush(dirname(file))
  } catch {
    // the next claim notes it
  }
}

/** What was noted last; undefined: nothing, or nothing that can be read. */
export function notedCluster(databaseFolder: string): ClusterMark | undefined {
  try {
    return JSON.parse(textOf(noteOf(databaseFolder)) ?? '') as ClusterMark
  } catch {
    return undefined
  }
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}
