import { closeSync, fsyncSync, openSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** Of LMDB, which makes it anew. Whoever closes it gives up the locks that his process has on it. */
const LOCK_FILE = 'lock.mdb'

/**
 * What is in a file, or which names are in a folder, stays there after a power cut. Windows opens no folder for it,
 * and its file system keeps names in its log.
 */
export function flush(path: string): void {
  const isFolder = statSync(path).isDirectory()
  if (isFolder && process.platform === 'win32') return
  const handle = openSync(path, isFolder ? 'r' : 'r+')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

/** All that lies in a folder, and the folder. No database in it may be open in this process. */
export function flushTree(folder: string, flushOne: (path: string) => void): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) flushTree(path, flushOne)
    else if (entry.isFile() && entry.name !== LOCK_FILE) flushOne(path)
  }
  flushOne(folder)
}
