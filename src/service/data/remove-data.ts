import { lstatSync, readdirSync, realpathSync, rmdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { dataLockPath } from '../../cluster/presence.ts'
import { NODE_LOCK } from '../../cluster/role-lock.ts'
import { roleSocketPath } from '../../cluster/socket-path.ts'
import { databasesIn, isLinkedFolder } from '../../storage/backup.ts'
import { accountsIn } from './stopped.ts'

/** Removes one file, or one link; another one for tests. */
export type RemoveFile = (path: string) => void

const removeFile: RemoveFile = (path) => rmSync(path, { force: true, maxRetries: 5 })

/**
 * Removes every file of a data folder while its locks are held, and no lock: until the last database is gone nobody
 * can take an account. What lies behind a link in place of an account is data as well; other links go, not what
 * they lead to. The folders are left for {@link removeFolders}.
 *
 * Errors  of the system; some files are gone then.
 */
export function removeFiles(dataDir: string, remove: RemoveFile = removeFile): void {
  const root = realpathSync(dataDir)
  const locks = new Set([
    dataLockPath(root),
    roleSocketPath(root, NODE_LOCK.folder, NODE_LOCK.role),
    ...accountsIn(root).map((accountId) => roleSocketPath(root, accountId, 'direct')),
  ])
  const books = databasesIn(root)
  const within = (folder: string, except: ReadonlySet<string>): void => {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      const path = join(folder, entry.name)
      if (except.has(path)) continue
      if (entry.isDirectory() || isLinkedFolder(root, path)) within(path, except)
      else if (!locks.has(join(root, path))) remove(join(root, path))
    }
  }
  within('', new Set(books))
  // Last: where something cannot be removed, the folder still looks like one of data for the next try.
  for (const folder of books) within(folder, new Set())
}

/** Once the locks are free: what is empty. Whatever a process has made since stays; whether nothing has. */
export function removeFolders(dataDir: string): boolean {
  const root = realpathSync(dataDir)
  const within = (folder: string): void => {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      const path = join(folder, entry.name)
      const isLink = isLinkedFolder(root, path)
      if (!entry.isDirectory() && !isLink) continue
      const real = realpathSync(join(root, path))
      within(path)
      if (isLink) rmSync(join(root, path))
      removeEmpty(real)
    }
  }
  within('')
  const isGone = removeEmpty(root)
  if (isGone && lstatSync(dataDir, { throwIfNoEntry: false })?.isSymbolicLink()) rmSync(dataDir)
  return isGone
}

/** Whether it was. The root of a disk, or of a mount, stays. */
function removeEmpty(folder: string): boolean {
  try {
    rmdirSync(folder)
    return true
  } catch {
    return readdirSync(folder).length === 0
  }
}
