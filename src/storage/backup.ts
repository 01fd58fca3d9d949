import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ServiceError } from '../domain/errors.ts'
import { DATA_FILE, MARK_FILE } from './environment.ts'
import { lmdb } from './lmdb.ts'
import { isLog } from './log/folder.ts'

/** Databases lie a few folders deep; deeper is not ours. */
const DEPTH_MAX = 4

/** Folders of all databases below `dataDir`, relative to it, in alphabetical order. The lock of a log is none. */
export function databasesIn(dataDir: string): readonly string[] {
  return walk(dataDir, '', DEPTH_MAX).sort()
}

function walk(dataDir: string, folder: string, depth: number): string[] {
  if (isLog(join(dataDir, folder))) return []
  const found = existsSync(join(dataDir, folder, DATA_FILE)) ? [folder] : []
  if (depth === 0) return found
  const deeper = readdirSync(join(dataDir, folder), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.')) // what a probe has left
    .flatMap(({ name }) => walk(dataDir, join(folder, name), depth - 1))
  return [...found, ...deeper]
}

/**
 * Copies a database as it stands at one moment, also while another process writes it. A copy of the
 * file itself is not that: pages of different moments mix in it.
 *
 * Errors  `STORE_FAILED` when it cannot be read, or `target` has one already or cannot be written.
 */
export async function backUp(folder: string, target: string): Promise<void> {
  if (existsSync(join(target, DATA_FILE))) {
    throw new ServiceError(
      'STORE_FAILED',
      `${target} already holds a database; choose another folder`,
    )
  }
  try {
    mkdirSync(target, { recursive: true, mode: 0o700 })
    const root = lmdb().open({ path: folder, noSubdir: false, encoding: 'binary', readOnly: true })
    try {
      await root.backup(target, false)
    } finally {
      await root.close()
    }
    writeFileSync(join(target, MARK_FILE), '', { mode: 0o600 })
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new ServiceError('STORE_FAILED', `cannot copy ${folder}: ${why}`, undefined, error)
  }
}
