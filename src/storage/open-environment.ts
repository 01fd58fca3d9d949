import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { RootDatabase } from 'lmdb'
import { ServiceError } from '../domain/errors.ts'
import { Environment, type TableKey } from './environment.ts'
import { freeBytesIn, mustHoldLocks } from './free-space.ts'
import { lmdb } from './lmdb.ts'
import { DATA_FILE, LOCK_FILE, mustBeOpenable } from './openable.ts'
import { areUsedUp, mustSpareDescriptors, noDescriptors } from './spare-descriptors.ts'

/** Named databases in one environment; every table and the store's own bookkeeping fit. */
const NAMED_DATABASES_MAX = 32
/** Written once the first transaction is on disk: from then on an empty database means lost data. */
export const MARK_FILE = 'created'

/**
 * noSubdir is spelled out because its default depends on a dot in the path. safeRestore never trusts
 * what was not flushed. Without overlapping syncs a commit is on disk when it returns, everywhere.
 * What is written in one turn is batched by LMDB under a promise of its own, which nobody can take: it would end the
 * thread where the disk refuses a commit. Every write here is in a transaction, so there is nothing to batch.
 */
const OPTIONS = {
  noSubdir: false,
  safeRestore: true,
  overlappingSync: false,
  eventTurnBatching: false,
  maxDbs: NAMED_DATABASES_MAX,
  encoding: 'binary',
} as const

/**
 * Opens or creates the environment in `folder` (mode 0700, and its parents too).
 *
 * Errors  `STORE_FAILED` with one clear message: not writable, not a database, emptied. `DISK_FULL`: no room for a new one.
 *         `OVERLOADED`: no descriptors.
 */
export function openEnvironment(folder: string, tables: readonly string[]): Environment {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const mark = join(folder, MARK_FILE)
    const data = join(folder, DATA_FILE)
    const isMarked = existsSync(mark)
    if (isMarked && !hasBytes(data)) throw new Error(`${DATA_FILE} is missing or empty`)
    mustBeOpenable(folder)
    mustHoldLocks(join(folder, LOCK_FILE), () => freeBytesIn(folder))
    mustSpareDescriptors(folder)
    const root = lmdb().open<Uint8Array, TableKey>({ path: folder, ...OPTIONS })
    const environment = over(root, { folder, tables })
    if (!isMarked) writeFileSync(mark, '', { mode: 0o600 })
    return environment
  } catch (error) {
    if (error instanceof ServiceError) throw error
    if (areUsedUp(error)) throw noDescriptors(error)
    const why = error instanceof Error ? error.message : String(error)
    const text = `cannot open the database in ${folder}: ${why}`
    throw new ServiceError('STORE_FAILED', text, undefined, error)
  }
}

interface Over {
  readonly folder: string
  readonly tables: readonly string[]
  readonly isReadOnly?: boolean
}

/** What cannot be used is let go of: somebody tries again, or puts the files back, which Windows refuses while they are open. */
function over(
  root: RootDatabase<Uint8Array, TableKey>,
  { folder, tables, isReadOnly }: Over,
): Environment {
  try {
    return new Environment(folder, root, tables, isReadOnly)
  } catch (error) {
    root.close().catch(() => undefined) // what is wrong with it is told by the error before
    throw error
  }
}

/**
 * Opens the environment in `folder` for reading, beside whoever writes it. Creates nothing.
 *
 * Errors  `STORE_FAILED`: there is none, or it is no database. `OVERLOADED`: no descriptors.
 */
export function openReadOnly(folder: string, tables: readonly string[]): Environment {
  if (!hasBytes(join(folder, DATA_FILE))) {
    throw new ServiceError('STORE_FAILED', `there is no database in ${folder}`)
  }
  try {
    mustBeOpenable(folder)
    mustSpareDescriptors(folder)
    const root = lmdb().open<Uint8Array, TableKey>({ path: folder, ...OPTIONS, readOnly: true })
    return over(root, { folder, tables, isReadOnly: true })
  } catch (error) {
    if (error instanceof ServiceError) throw error
    const text = `cannot read the database in ${folder}: ${error instanceof Error ? error.message : error}`
    throw new ServiceError('STORE_FAILED', text, undefined, error)
  }
}

/** Whether anything was ever stored in `folder`, also when it is lost now. */
export const hasEnvironment = (folder: string): boolean =>
  existsSync(join(folder, MARK_FILE)) || existsSync(join(folder, DATA_FILE))

const hasBytes = (file: string) => existsSync(file) && statSync(file).size > 0
