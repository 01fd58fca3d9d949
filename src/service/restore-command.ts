import { existsSync, mkdirSync, realpathSync, rmSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { renameHeld } from '../config/rename.ts'
import type { Config } from '../config/schema.ts'
import { maskAccount } from '../domain/mask.ts'
import { err, ok, type Result } from '../domain/result.ts'
import type { ClusterMark } from '../protocol/store.ts'
import { databaseFolder, openAccountDatabase } from '../storage/account-database.ts'
import { logsFolder } from '../storage/account-logs.ts'
import { hasAccountDatabase, openAccountReader } from '../storage/account-reader.ts'
import { accountOf, copySegments, fillSegments } from '../storage/archive/archive-copies.ts'
import { journalFolder } from '../storage/archive/segment-files.ts'
import { databasesIn } from '../storage/backup.ts'
import { examineDatabases } from '../storage/examine.ts'
import { verifyAudit } from './audit-command.ts'
import { putBackKept } from './backups/kept-files.ts'
import { copyFiles } from './backups/plain-files.ts'
import { copyDatabase } from './copy-database.ts'
import { stagingOf, UNFINISHED_TEXT, unfinishedIn } from './data-folder.ts'
import { newerVersion } from './newer-version.ts'
import { accountsIn, lockStopped } from './stopped.ts'

export interface RestoreCommand {
  readonly config: Config
  /** Folder that `steward backup` has filled. */
  readonly backup: string
  /** Names this restore and what is put aside. */
  readonly at: Date
  /** Takes each finished line. */
  readonly write: (line: string) => void
  /** Another disk than the real one, for tests. */
  readonly disk?: RestoreDisk
}

interface RestoreDisk {
  readonly move: (from: string, to: string) => void
  readonly remove: (folder: string) => void
}

const DISK: RestoreDisk = {
  move: renameHeld,
  remove: (folder) => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }),
}

/** Why nothing was restored; the data folder is as it was. */
export interface RestoreRefusal {
  /** The operator asked for something that cannot be; else something failed on the way. */
  readonly isWrong: boolean
  readonly text: string
}

const wrong = (text: string) => err<RestoreRefusal>({ isWrong: true, text })
const failed = (text: string) => err<RestoreRefusal>({ isWrong: false, text })
type Done = Result<string, RestoreRefusal>

/**
 * `steward restore`: the databases of a backup take the place of those of the data folder, which is put
 * aside whole. Everything else in it stays: what sidecars remember of today's orders is newer than the
 * backup. The next start knows that it was restored and compares before it sends anything.
 *
 * Nothing of the data folder is touched before the backup has been read through and copied.
 */
export async function restore(command: RestoreCommand): Promise<Done> {
  const { config, backup } = command
  const folders = existsSync(backup) ? databasesIn(backup) : []
  if (folders.length === 0)
    return wrong(`${backup} holds no database; name a folder of steward backup`)
  if (existsSync(unfinishedIn(backup))) return wrong(`${backup} ${UNFINISHED_TEXT}`)
  const dataDir = existsSync(config.data_dir) ? realpathSync(config.data_dir) : config.data_dir
  if (isInside(realpathSync(backup), dataDir)) {
    return wrong(`${backup} is inside the data folder ${dataDir}; move it out first`)
  }
  // A process that begins one of them now would go on in the folder that is put aside.
  const begun = [...config.accounts.map(({ account_id: id }) => id), ...accountsIn(backup)]
  const locks = await lockStopped(config, dataDir, begun)
  if (!locks.ok) return wrong(locks.error)
  try {
    const damage = await checkBackup(command, folders)
    return damage ?? (await replace(command, dataDir, folders))
  } catch (error) {
    return failed(`${inWords(error)}; ${asItWas(dataDir)}`)
  } finally {
    await Promise.all(locks.value.map((lock) => lock.release()))
  }
}

const isInside = (folder: string, outer: string): boolean =>
  folder === outer || !relative(outer, folder).split(sep).includes('..')

/** Every page that is in use, every row, every journal from its first entry on. */
async function checkBackup(
  { config, backup, write }: RestoreCommand,
  folders: readonly string[],
): Promise<Done | undefined> {
  const { whole_ms: readMs, silence_ms: silenceMs } = config.limits.examine
  const paths = folders.map((folder) => join(backup, folder))
  for (const [path, examined] of await examineDatabases(paths, { readMs, silenceMs })) {
    const { problem, isPartial } = examined
    if (problem !== null) return failed(`the backup is damaged: ${path}: ${problem}`)
    if (isPartial) return failed(`${path} is not read within limits.examine.whole_ms; raise it`)
    const newer = newerVersion(accountOf(relative(backup, path)) ? 'account' : 'books', examined)
    if (newer !== undefined) return wrong(`${path} ${newer}`)
  }
  const lines: string[] = []
  const ofBackup = { ...config, data_dir: backup, audit: { ...config.audit, head_file: '' } }
  const audit = await verifyAudit({
    config: ofBackup,
    isBackup: true,
    write: (line) => void lines.push(line),
  })
  if (!audit.ok) return failed(audit.error)
  if (!audit.value)
    return failed(`the backup is damaged: ${lines.find(isBroken) ?? lines.join('; ')}`)
  write(`${backup}: ${folders.length} databases, read through and sound`)
  return undefined
}

const isBroken = (line: string): boolean => /broken|, but /.test(line)

const inWords = (error: unknown): string => (error instanceof Error ? error.message : String(error))
const asItWas = (dataDir: string): string => `the data folder ${dataDir} is as it was`

/** Copies first; then two renames, the only moments in which the data folder changes. */
async function replace(
  command: RestoreCommand,
  dataDir: string,
  folders: readonly string[],
): Promise<Done> {
  const { disk = DISK } = command
  const staging = stagingOf(dataDir)
  try {
    disk.remove(staging) // of a restore that was interrupted: copies only
    await stage(command, dataDir, { staging, folders })
  } catch (error) {
    return failed(`${inWords(error)}; ${asItWas(dataDir)}${undone(staging, disk)}`)
  }
  return swap(command, dataDir, staging)
}

/** The half copy is removed; what that says is added to why it is one, and never in its place. */
function undone(staging: string, disk: RestoreDisk): string {
  try {
    disk.remove(staging)
    return ''
  } catch (error) {
    return `; the half copy ${staging} cannot be removed (${inWords(error)}): remove it by hand`
  }
}

function swap({ at, write, disk = DISK }: RestoreCommand, dataDir: string, staging: string): Done {
  const aside = `${dataDir}.before-restore-${stampOf(at)}`
  const isThere = existsSync(dataDir)
  try {
    if (isThere) disk.move(dataDir, aside)
  } catch (error) {
    return failed(`${inWords(error)}; ${asItWas(dataDir)}${undone(staging, disk)}`)
  }
  try {
    disk.move(staging, dataDir)
  } catch (error) {
    const back = isThere ? renamedBack(() => disk.move(aside, dataDir)) : ''
    // Both folders are whole then, and the next start says so; what is a copy of neither must not go.
    if (back !== '')
      return failed(`${inWords(error)}; ${back}: rename ${aside} to ${dataDir} by hand`)
    return failed(`${inWords(error)}; ${asItWas(dataDir)}${undone(staging, disk)}`)
  }
  if (isThere) write(`${dataDir}: put aside as ${aside}`)
  write(
    `${dataDir}: restored; the next start compares with the trading client before it sends anything`,
  )
  return ok(aside)
}

function renamedBack(putBack: () => void): string {
  try {
    putBack()
    return ''
  } catch (error) {
    return `the data folder could not be renamed back (${inWords(error)})`
  }
}

/** Puts the new data folder together beside the old one. */
async function stage(
  { config, backup, at, write }: RestoreCommand,
  dataDir: string,
  { staging, folders }: { readonly staging: string; readonly folders: readonly string[] },
): Promise<void> {
  mkdirSync(staging, { recursive: true, mode: 0o700 })
  for (const folder of folders) await copyDatabase(backup, staging, folder)
  const restored = folders.flatMap((folder) => accountOf(folder) ?? [])
  for (const accountId of restored) copySegments(accountId, backup, staging)
  await carryOver(config, dataDir, { staging, folders, restored, write })
  putBackKept(backup, staging, restored)
  const marks = await clusterMarks(config, dataDir, restored)
  for (const accountId of accountsIn(staging)) {
    if (!folders.includes(relative(backup, databaseFolder(backup, accountId)))) continue
    const lacking = await fillSegments(accountId, dataDir, staging)
    if (lacking > 0) write(withoutSegments(accountId, lacking))
    const database = openAccountDatabase(staging, accountId)
    database.restored(`restore ${at.toISOString()}`, lacking > 0)
    database.mark(marks.get(accountId) ?? database.inspect().cluster ?? null)
    await database.close()
  }
}

/**
 * How the accounts of the data folder stand to a cluster by now. A backup does not know what came after it: an account
 * that has joined since must not be run alone for that. Nothing is known of damaged books.
 */
async function clusterMarks(
  { limits }: Config,
  dataDir: string,
  restored: readonly string[],
): Promise<ReadonlyMap<string, ClusterMark>> {
  const present = restored.filter((accountId) => hasAccountDatabase(dataDir, accountId))
  const { whole_ms: readMs, silence_ms: silenceMs } = limits.examine
  const paths = present.map((accountId) => databaseFolder(dataDir, accountId))
  const found = await examineDatabases(paths, { readMs, silenceMs })
  const marks = new Map<string, ClusterMark>()
  for (const accountId of present) {
    if (found.get(databaseFolder(dataDir, accountId))?.problem !== null) continue
    const reader = openAccountReader(dataDir, accountId)
    try {
      const mark = reader.cluster()
      if (mark !== null) marks.set(accountId, mark)
    } finally {
      await reader.close()
    }
  }
  return marks
}

const withoutSegments = (accountId: string, lacking: number): string =>
  `账户 ${maskAccount(accountId)}：备份中没有 ${lacking} 条较早的日志，数据目录中也没有与之相接的；交易不受影响 (the backup has no segments for ${lacking} older entries of the journal, and the data folder none that fit; nothing else is missing)`

interface Carrying {
  readonly staging: string
  /** Of the backup. */
  readonly folders: readonly string[]
  /** Accounts of the backup: segments that are younger than their books are not theirs. */
  readonly restored: readonly string[]
  readonly write: (line: string) => void
}

/** What the backup does not have: sound databases of later accounts, and all that is no database. */
async function carryOver(config: Config, dataDir: string, to: Carrying): Promise<void> {
  if (!existsSync(dataDir)) return
  const { staging, folders, restored, write } = to
  const present = databasesIn(dataDir)
  const later = present.filter((folder) => !folders.includes(folder))
  const { whole_ms: readMs, silence_ms: silenceMs } = config.limits.examine
  const paths = later.map((folder) => join(dataDir, folder))
  const found = await examineDatabases(paths, { readMs, silenceMs })
  for (const folder of later) {
    const problem = found.get(join(dataDir, folder))?.problem ?? null
    if (problem === null) await copyDatabase(dataDir, staging, folder)
    write(
      `${folder}: ${problem === null ? 'not in the backup, kept' : `damaged, left out: ${problem}`}`,
    )
  }
  const logs = config.log.folder
  const segments = restored.map((accountId) => journalFolder('', accountId))
  // What the logs of the accounts hold is in the copies of those that stay, and is over for the others.
  const past = relative(dataDir, logsFolder(dataDir))
  const except = new Set([...present, ...segments, past, ...(logs === '' ? [] : [logs])])
  copyFiles({ from: dataDir, to: staging }, except)
}

/** `20261122-101500`, UTC. */
const stampOf = (at: Date): string =>
  at.toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-')
