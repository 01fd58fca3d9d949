import {
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
export function copyFiles(way: Way, except: ReadonlySet<string>, folder = ''): void {
  for (const entry of readdirSync(join(way.from, folder), { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (except.has(path) || isLog(join(way.from, path))) continue
    if (entry.isDirectory() || isLinkedFolder(way.from, path)) copyFiles(way, except, path)
    else copyFile(way, path, entry)
  }
}

function copyFile({ from, to }: Way, path: string, entry: Dirent): void {
  if (!entry.isFile() && !entry.isSymbolicLink()) return
  mkdirSync(join(to, dirname(path)), { recursive: true, mode: 0o700 })
  if (entry.isFile()) copyFileSync(join(from, path), join(to, path))
  else copyLink(join(from, path), join(to, path))
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
