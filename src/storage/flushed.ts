import { closeSync, fsyncSync, openSync, readdirSync, statSync } from 'node:fs'
import { open } from 'node:fs/promises'
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

/** Which names are in a folder, as {@link flush}, beside this thread: a network drive that hangs keeps nobody. */
export async function flushNames(folder: string): Promise<void> {
  if (process.platform === 'win32') return
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
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
