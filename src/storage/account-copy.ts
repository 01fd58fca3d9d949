import { join, relative } from 'node:path'
import { databaseFolder, openAccountDatabase } from './account-database.ts'
import { AccountLogs } from './account-logs.ts'
import { openAccountReader } from './account-reader.ts'
import { backUp } from './backup.ts'

/**
 * Copies the database of an account with all that was answered by now, also what only a log holds yet, and
 * also while another process writes both. Nobody owns the copy.
 *
 * Errors  as of `backUp`; `STORE_FAILED` for a log that cannot be read.
 */
export async function copyAccount(
  dataDir: string,
  target: string,
  accountId: string,
): Promise<void> {
  const folder = relative(dataDir, databaseFolder(dataDir, accountId))
  const reader = openAccountReader(dataDir, accountId)
  const logs = new AccountLogs(dataDir)
  try {
    const names = reader.logs()
    // Read before the copy is made: what leaves the log meanwhile is in the database by then.
    const found = await logs.find(accountId, names, (name) => reader.logs().includes(name))
    await backUp(join(dataDir, folder), join(target, folder))
    if (names.length === 0) return
    const copy = openAccountDatabase(target, accountId)
    try {
      copy.absorb(found)
    } finally {
      await copy.close()
    }
  } finally {
    await logs.close()
    await reader.close()
  }
}
