import {
  chmodSync,
  copyFileSync,
  type Dirent,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { isLinkedFolder } from '../../storage/backup.ts'
import { isLog } from '../../storage/log/folder.ts'

interface Way {
  readonly from: string
  readonly to: string
}

/**
 * Plain files of a data folder, without the folders named. Sockets and locks of processes that are gone stay behind,
 * and so do logs: what they hold came after the backup. A link stays one, unless it stands for a folder of the data:
 * databases are written anew, and not into what is put aside.
 */
export function copyFiles(way: Way, except: ReadonlySet<string>): void {
  for (const { path, entry } of plainFiles(way.from, except)) copyFile(way, path, entry)
}

/** Bytes of all that {@link copyFiles} would copy. */
export const bytesOfFiles = (from: string, except: ReadonlySet<string>): number =>
  plainFiles(from, except).reduce(
    (sum, { path }) => sum + (lstatSync(join(from, path), { throwIfNoEntry: false })?.size ?? 0),
    0,
  )

interface PlainFile {
  readonly path: string
  readonly entry: Dirent
}

function plainFiles(from: string, except: ReadonlySet<string>, folder = ''): PlainFile[] {
  return readdirSync(join(from, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (except.has(path)) return []
    const isFolder = entry.isDirectory() || isLinkedFolder(from, path)
    if (!isFolder) return [{ path, entry }] // a link may lead where this user may not look, or to itself
    return isLog(join(from, path)) ? [] : plainFiles(from, except, path)
  })
}

function copyFile({ from, to }: Way, path: string, entry: Dirent): void {
  if (!entry.isFile() && !entry.isSymbolicLink()) return
  mkdirSync(join(to, dirname(path)), { recursive: true, mode: 0o700 })
  if (entry.isFile()) copyWritable(join(from, path), join(to, path))
  else copyLink(join(from, path), join(to, path))
}

const OWNER_WRITES = 0o200

/** A copy keeps the rights, and what is read-only can be neither flushed nor, on Windows, removed: its owner may write it. */
export function copyWritable(from: string, to: string): void {
  copyFileSync(from, to)
  const { mode } = statSync(to)
  if ((mode & OWNER_WRITES) === 0) chmodSync(to, mode | OWNER_WRITES)
}

/** Where the backup has a folder in place of a link that leads nowhere, that folder stays. */
function copyLink(from: string, to: string): void {
  if (lstatSync(to, { throwIfNoEntry: false }) !== undefined) return
  const isFolder = statSync(from, { throwIfNoEntry: false })?.isDirectory() === true
  try {
    symlinkSync(readlinkSync(from), to, isFolder ? 'junction' : 'file')
  } catch (error) {
    if (isFolder) throw error
    copyFileSync(from, to) // Windows lets few users make a link to a file
  }
}
