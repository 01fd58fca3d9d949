import { mkdirSync, readdirSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import type { Config } from '../../config/schema.ts'
import { maskAccount } from '../../domain/mask.ts'
import type { ClusterMark } from '../../protocol/store.ts'
import { databaseFolder, openAccountDatabase } from '../../storage/account-database.ts'
import { logsFolder } from '../../storage/account-logs.ts'
import { hasAccountDatabase, openAccountReader } from '../../storage/account-reader.ts'
import { accountOf, copySegments, fillSegments } from '../../storage/archive/archive-copies.ts'
import { journalFolder } from '../../storage/archive/segment-files.ts'
import { databasesIn } from '../../storage/backup.ts'
import { notedCluster } from '../../storage/cluster-note.ts'
import { flush, flushTree } from '../../storage/flushed.ts'
import { copyDatabase, databaseBytes } from '../backups/copy-database.ts'
import { putBackKept } from '../backups/kept-files.ts'
import { bytesOfFiles, copyFiles } from '../backups/plain-files.ts'
import { clientNoteOf } from '../data/client-note.ts'
import { staysInPlace } from '../data/restore-place.ts'
import { lookThrough } from '../data/soundness.ts'
import { accountsIn } from '../data/stopped.ts'

export interface Staging {
  readonly config: Config
  readonly backup: string
  /** Its databases. */
  readonly folders: readonly string[]
  /** The present data. */
  readonly dataDir: string
  readonly at: Date
  readonly write: (line: string) => void
}

/** What the backup does not have. */
interface Carried {
  /** Databases of later accounts. */
  readonly later: readonly string[]
  /** What is no plain file of theirs, or is over. */
  readonly except: ReadonlySet<string>
}

/** Bytes that the new data takes: no copy of a database is larger than the database. */
export function bytesToStage(staging: Staging): number {
  const { backup, folders, dataDir } = staging
  const { later, except } = carriedBy(staging)
  const copied = folders.map((folder) => databaseBytes(backup, folder))
  const kept = later.map((folder) => databaseBytes(dataDir, folder))
  return [...copied, ...kept].reduce((sum, bytes) => sum + bytes, bytesOfFiles(dataDir, except))
}

/** Puts the new data together in a folder. All of it is on disk when this resolves. */
export async function stage(staging: Staging, folder: string): Promise<void> {
  await putTogether(staging, folder)
  flushTree(folder, flush)
  flush(dirname(folder))
}

async function putTogether(
  { config, backup, folders, dataDir, at, write }: Staging,
  staging: string,
): Promise<void> {
  mkdirSync(staging, { recursive: true, mode: 0o700 })
  for (const folder of folders) await copyDatabase(backup, staging, folder)
  const restored = folders.flatMap((folder) => accountOf(folder) ?? [])
  for (const accountId of restored) copySegments(accountId, backup, staging)
  await carryOver({ config, backup, folders, dataDir, at, write }, staging)
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
 * that has joined since must not be run alone for that. Of books that are damaged or gone a note beside them tells.
 */
async function clusterMarks(
  { limits }: Config,
  dataDir: string,
  restored: readonly string[],
): Promise<ReadonlyMap<string, ClusterMark>> {
  const present = restored.filter((accountId) => hasAccountDatabase(dataDir, accountId))
  const { whole_ms: readMs, silence_ms: silenceMs } = limits.examine
  const paths = present.map((accountId) => databaseFolder(dataDir, accountId))
  const found = await lookThrough(paths, { readMs, silenceMs })
  const marks = new Map<string, ClusterMark>()
  for (const accountId of restored) {
    const folder = databaseFolder(dataDir, accountId)
    if (found.get(folder)?.problem !== null) {
      const noted = notedCluster(folder)
      if (noted !== undefined) marks.set(accountId, noted)
      continue
    }
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

/** Sound databases of later accounts, and all that is no database. */
async function carryOver(staging: Staging, target: string): Promise<void> {
  const { config, dataDir, write } = staging
  const { later, except } = carriedBy(staging)
  const { whole_ms: readMs, silence_ms: silenceMs } = config.limits.examine
  const paths = later.map((folder) => join(dataDir, folder))
  const found = await lookThrough(paths, { readMs, silenceMs })
  for (const folder of later) {
    const problem = found.get(join(dataDir, folder))?.problem ?? null
    if (problem === null) await copyDatabase(dataDir, target, folder)
    write(
      `${folder}: ${problem === null ? '备份中没有，保留现有的 (not in the backup, kept)' : `已损坏，略去 (damaged, left out): ${problem}`}`,
    )
  }
  copyFiles({ from: dataDir, to: target }, except)
}

function carriedBy({ config, dataDir, folders }: Staging): Carried {
  const present = databasesIn(dataDir)
  const later = present.filter((folder) => !folders.includes(folder))
  const logs = config.log.folder
  // Segments of an account of the backup that are younger than its books are not theirs, nor what a note says of others.
  const ofOtherBooks = folders.flatMap((folder) => {
    const accountId = accountOf(folder)
    if (accountId === undefined) return []
    return [journalFolder('', accountId), clientNoteOf('', accountId)]
  })
  // What the logs of the accounts hold is in the copies of those that stay, and is over for the others.
  const past = relative(dataDir, logsFolder(dataDir))
  const ofRestores = readdirSync(dataDir).filter(staysInPlace)
  const except = new Set([
    ...present,
    ...ofOtherBooks,
    past,
    ...(logs === '' ? [] : [logs]),
    ...ofRestores,
  ])
  return { later, except }
}
