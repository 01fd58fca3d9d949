import {
  type Dirent,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { ServiceError } from '../domain/errors.ts'
import { LOG_FILE } from './log/folder.ts'
import { MARK_FILE, openReadOnly } from './open-environment.ts'
import { DATA_FILE } from './openable.ts'

/** At the root of a disk, of its file system and of root alone: never data. */
export const LOST_AND_FOUND = 'lost+found'
/** Databases lie a few folders deep; deeper is not ours. */
const DEPTH_MAX = 4
/** Where an operator may have put a link in place of a folder, because its disk is faster or has more room. */
const PLACE = /^[A-Za-z0-9_-]+$|^[^/]+\/db$|^service\/bars(\/[^/]+)?$|^paper\/[^/]+(\/db)?$/
const SHARED: ReadonlySet<string> = new Set(['paper', 'service'])

/** Folders of all databases below `dataDir`, relative to it, in alphabetical order. The lock of a log is none. */
export function databasesIn(dataDir: string, list: List = LIST): readonly string[] {
  return walk(dataDir, '', DEPTH_MAX, list).sort()
}

/** What is in a folder. Errors  of the system. */
export type List = (folder: string) => readonly Dirent[]
export const LIST: List = (folder) => readdirSync(folder, { withFileTypes: true })

function walk(dataDir: string, folder: string, depth: number, list: List): string[] {
  const entries = listed(dataDir, folder, list)
  const has = (file: string) => entries.some(({ name }) => name === file)
  if (has(LOG_FILE)) return []
  const found = has(DATA_FILE) ? [folder] : []
  if (depth === 0) return found
  const deeper = entries
    .filter(({ name }) => !name.startsWith('.') && name !== LOST_AND_FOUND) // what a probe has left
    .map((entry) => ({ entry, path: join(folder, entry.name) }))
    .filter(({ entry, path }) => entry.isDirectory() || isLinkedFolder(dataDir, path))
    .flatMap(({ path }) => walk(dataDir, path, depth - 1, list))
  return [...found, ...deeper]
}

/**
 * What a service removes while it is looked at is not there. What a folder holds is known by its list alone: one that this
 * user may not look into is said by `list`, and is for who asks to judge.
 */
function listed(dataDir: string, folder: string, list: List): readonly Dirent[] {
  try {
    return list(join(dataDir, folder))
  } catch (error) {
    if (folder !== '' && Reflect.get(Object(error), 'code') === 'ENOENT') return []
    throw error
  }
}

/** Whether it is a link that stands for a folder of the data. Others lead out of it, or round in a circle. */
export function isLinkedFolder(dataDir: string, folder: string): boolean {
  if (!isLinkAtPlace(dataDir, folder)) return false
  const path = join(dataDir, folder)
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return false
  return folder !== basename(folder) || SHARED.has(folder) || existsSync(join(path, 'db'))
}

/** Links in place of accounts, or of their databases, that lead nowhere now: what lies behind them cannot be read. */
export const deadLinksIn = (dataDir: string): readonly string[] =>
  readdirSync(dataDir)
    .flatMap((name) => [name, join(name, 'db')])
    .filter((folder) => isLinkAtPlace(dataDir, folder) && !existsSync(join(dataDir, folder)))

function isLinkAtPlace(dataDir: string, folder: string): boolean {
  if (!PLACE.test(folder.replaceAll('\\', '/'))) return false
  try {
    return lstatSync(join(dataDir, folder)).isSymbolicLink() // so are junctions
  } catch {
    return false // nothing is there, or what is above it is a file
  }
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
      `${target} 里已有数据库，请换一个文件夹 (already holds a database; choose another folder)`,
    )
  }
  try {
    mkdirSync(target, { recursive: true, mode: 0o700 })
    const environment = openReadOnly(folder, [])
    try {
      await environment.copyTo(target)
    } finally {
      await environment.close()
    }
    writeFileSync(join(target, MARK_FILE), '', { mode: 0o600 })
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new ServiceError('STORE_FAILED', `cannot copy ${folder}: ${why}`, undefined, error)
  }
}
