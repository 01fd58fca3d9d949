import { join } from 'node:path'
import { absorbBooksTail, readBooksTail } from '../drivers/paper/copy.ts'
import { copyAccount } from '../storage/account-copy.ts'
import { accountOf } from '../storage/archive/archive-copies.ts'
import { backUp } from '../storage/backup.ts'

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
