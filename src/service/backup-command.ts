import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { ServiceError } from '../domain/errors.ts'
import { err, ok, type Result } from '../domain/result.ts'
import { accountOf, copySegments } from '../storage/archive/archive-copies.ts'
import { databasesIn, deadLinksIn } from '../storage/backup.ts'
import { type ExamineLimits, examineDatabases } from '../storage/examine.ts'
import { copyDatabase } from './copy-database.ts'

export interface BackupCommand {
  readonly dataDir: string
  /** Folder that receives the copies; it becomes a data folder of its own. */
  readonly target: string
  /** For looking at each before it is opened. */
  readonly limits: ExamineLimits
  /** Takes each finished line. */
  readonly write: (line: string) => void
}

/**
 * `steward backup`: every database below the data folder, each as it stands at one moment, also
 * while the service runs, and the segments of the journals. The copy is started with `--data-dir`.
 *
 * Errors  one line for the operator.
 */
export async function backUpAll(command: BackupCommand): Promise<Result<number, string>> {
  const { dataDir, target, limits, write } = command
  if (!existsSync(dataDir)) return err(`data_dir ${dataDir} does not exist; nothing to copy`)
  const folders = databasesIn(dataDir)
  const paths = folders.map((folder) => join(dataDir, folder))
  const damaged: string[] = []
  const unread = deadLinksIn(dataDir).map((link) => `${join(dataDir, link)}: a link to nowhere`)
  for (const [path, { problem }] of await examineDatabases(paths, limits)) {
    if (problem !== null) damaged.push(`${path}: ${problem}`)
  }
  try {
    for (const folder of folders) {
      if (damaged.some((line) => line.startsWith(`${join(dataDir, folder)}: `))) continue
      await copyOne(command, folder)
    }
  } catch (error) {
    if (error instanceof ServiceError) return err(error.message)
    throw error
  }
  write(`${folders.length - damaged.length} databases in ${target}`)
  const missing = [...damaged, ...unread]
  if (missing.length > 0) return err(`damaged, not copied: ${missing.join('; ')}`)
  return ok(folders.length)
}

/** One database and, of an account, the segments of its journal. */
async function copyOne({ dataDir, target, write }: BackupCommand, folder: string): Promise<void> {
  const accountId = accountOf(folder)
  const copy = () => (accountId === undefined ? 0 : copySegments(accountId, dataDir, target))
  const before = copy()
  await copyDatabase(dataDir, target, folder)
  const segments = before + copy()
  write(`${folder}: copied${segments === 0 ? '' : `, with ${segments} segments of its journal`}`)
}
