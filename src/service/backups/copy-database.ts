import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { absorbBooksTail, readBooksTail } from '../../drivers/paper/copy.ts'
import { copyAccount } from '../../storage/account-copy.ts'
import { accountOf } from '../../storage/archive/archive-copies.ts'
import { journalFolder } from '../../storage/archive/segment-files.ts'
import { backUp } from '../../storage/backup.ts'
import { DATA_FILE } from '../../storage/openable.ts'

/** `paper/<account>/db`, also with the separators of Windows. */
const BOOKS = /^paper[\\/]([^\\/]+)[\\/]db$/

/**
 * Copies one database of a data folder, also while it is written: of an account and of books of the embedded
 * client with what only logs hold of them.
 *
 * Errors  `STORE_FAILED`; of the system.
 */
export async function copyDatabase(dataDir: string, target: string, folder: string): Promise<void> {
  const accountId = accountOf(folder)
  if (accountId !== undefined) return copyAccount(dataDir, target, accountId)
  const copy = () => backUp(join(dataDir, folder), join(target, folder))
  const [, guestId] = BOOKS.exec(folder) ?? []
  if (guestId === undefined) return copy()
  const tail = await readBooksTail(join(dataDir, 'paper'), guestId)
  await copy()
  await absorbBooksTail(join(target, 'paper'), guestId, tail)
}

/** A database at its size on disk, which its copy does not exceed, and of an account its segments. */
export function databaseBytes(dataDir: string, folder: string): number {
  const accountId = accountOf(folder)
  const segments = accountId === undefined ? '' : journalFolder(dataDir, accountId)
  const files = existsSync(segments)
    ? readdirSync(segments).map((name) => join(segments, name))
    : []
  return [join(dataDir, folder, DATA_FILE), ...files].reduce(
    (sum, file) => sum + (statSync(file, { throwIfNoEntry: false })?.size ?? 0),
    0,
  )
}
