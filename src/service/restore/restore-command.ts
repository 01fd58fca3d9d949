import { existsSync, readdirSync, realpathSync, rmSync, statSync } from 'node:fs'
import { dirname, join, normalize, relative, sep } from 'node:path'
import { lockData } from '../../cluster/presence.ts'
import type { RoleLock } from '../../cluster/role-lock.ts'
import type { Config } from '../../config/schema.ts'
import { err, ok, type Result } from '../../domain/result.ts'
import { accountOf } from '../../storage/archive/archive-copies.ts'
import { databasesIn } from '../../storage/backup.ts'
import { freeBytesIn } from '../../storage/free-space.ts'
import { verifyAudit } from '../audit/audit-command.ts'
import { noRoom } from '../backups/backup-command.ts'
import { lackingOf } from '../backups/contents.ts'
import { copyMs } from '../backups/plan.ts'
import { makeDataFolder, UNFINISHED_TEXT, unfinishedIn } from '../data/data-folder.ts'
import { newerVersion } from '../data/newer-version.ts'
import { removeFolders } from '../data/remove-data.ts'
import { mountsBelow, placeFor, type RestorePlace, SWAP_FILE } from '../data/restore-place.ts'
import { lookThrough } from '../data/soundness.ts'
import { accountsIn, lockStopped, REPLACED } from '../data/stopped.ts'
import { isWithin } from '../data/within.ts'
import { backupLimits } from '../settings/limits.ts'
import { bytesToStage, type Staging, stage } from './restore-stage.ts'
import { putBack, REAL_DISK, type RestoreDisk, swap } from './restore-swap.ts'

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
  readonly freeBytes?: (folder: string) => number
  readonly place?: typeof placeFor
}

/** Why nothing was restored; the data folder is as it was. */
export interface RestoreRefusal {
  /** The operator asked for something that cannot be; else something failed on the way. */
  readonly isWrong: boolean
  readonly text: string
}

const wrong = (text: string) => err<RestoreRefusal>({ isWrong: true, text })
const failed = (text: string) => err<RestoreRefusal>({ isWrong: false, text })
const damaged = (why: string) => failed(`备份已损坏 (the backup is damaged): ${why}`)
type Done = Result<string, RestoreRefusal>

/**
 * `steward restore`: the databases of a backup take the place of those of the data folder, which is put
 * aside whole. Everything else in it stays: what sidecars remember of today's orders is newer than the
 * backup. The next start knows that it was restored and compares before it sends anything.
 *
 * Nothing of the data folder is touched before the backup has been read through and copied; of a restore that was
 * cut off, all is put back first.
 */
export async function restore(command: RestoreCommand): Promise<Done> {
  const { config, backup } = command
  const isNew = !existsSync(config.data_dir)
  const made = makeDataFolder(config.data_dir)
  if (!made.ok) return wrong(made.error)
  const dataDir = realpathSync(config.data_dir)
  try {
    const interrupted = await settle(command, dataDir)
    if (interrupted !== undefined) return interrupted
    const folders = isFolder(backup) ? databasesIn(backup).filter(isAtPlace) : []
    const refused = refusalOf(command, dataDir, folders)
    if (refused !== undefined && isNew) removeFolders(dataDir)
    if (refused !== undefined) return wrong(refused)
    const done = await restoreLocked(command, dataDir, folders)
    if (isNew && done.ok) removeSkeleton(done.value)
    if (isNew && !done.ok) removeFolders(dataDir) // what lives in it is of somebody who was faster
    return done
  } catch (error) {
    return failed(`${inWords(error)}; ${asItWas(dataDir)}`)
  }
}

/** Of a data folder that was made for its locks alone, and was put aside: what is left of them there is dead. */
function removeSkeleton(aside: string): void {
  const entries = readdirSync(aside, { recursive: true, withFileTypes: true })
  for (const entry of entries) if (entry.isSocket()) rmSync(join(entry.parentPath, entry.name))
  removeFolders(aside)
}

/** Puts back what a restore that was cut off has left between the old data and the new. */
async function settle(
  { disk = REAL_DISK, write }: RestoreCommand,
  dataDir: string,
): Promise<Done | undefined> {
  if (!existsSync(join(dataDir, SWAP_FILE))) return undefined
  const lock = await lockData(dataDir)
  if (lock.kind === 'taken') return wrong(REPLACED)
  try {
    if (putBack(dataDir, disk)) {
      write(
        `${dataDir}: 上次恢复被中断，已放回原来的数据 (put back as it was before a restore was cut off)`,
      )
    }
    return undefined
  } catch (error) {
    return failed(
      `${dataDir}: 上次恢复被中断，原来的数据未能放回（${inWords(error)}），请再执行一次 (a restore was cut off, and what it has put aside could not be put back: run steward restore again)`,
    )
  } finally {
    await lock.release()
  }
}

/** What the operator has to put right first, in one line. */
function refusalOf(
  { config, backup }: RestoreCommand,
  dataDir: string,
  folders: readonly string[],
): string | undefined {
  if (folders.length === 0) return noBackup(backup)
  if (existsSync(unfinishedIn(backup))) return `${backup} ${UNFINISHED_TEXT}`
  if (isWithin(dataDir, realpathSync(backup))) {
    return `${backup} 在数据目录 ${dataDir} 之内，请先移出 (is inside the data folder; move it out first)`
  }
  const logs = normalize(config.log.folder)
  const mounts = mountsBelow(dataDir).filter((mount) => mount !== logs)
  if (mounts.length === 0) return undefined
  return `数据目录 ${dataDir} 内单独挂载了 ${mounts.join('、')}，无法替换，请先卸载 (${mounts.join(', ')} is a mount inside the data folder and cannot be put aside: unmount it first, and mount the whole data folder instead)`
}

/** Where a service has its databases. One that lies elsewhere is that of something else, such as of a copy in a folder of copies. */
const isAtPlace = (folder: string): boolean =>
  accountOf(folder) !== undefined ||
  /^(?:paper\/[^/]+\/db|service\/.+)$/.test(folder.split(sep).join('/'))

/** Why there is nothing in it to be put back. The folder that a plan copies into is named in place of one of its copies. */
function noBackup(backup: string): string {
  if (!existsSync(backup)) {
    return `${backup} 不存在，请检查盘符和路径 (there is no such folder: check drive and path)`
  }
  if (!isFolder(backup)) {
    return `${backup} 是文件，不是备份目录；压缩包请先解压 (is a file, and no folder of steward backup: unpack an archive first)`
  }
  const inside = databasesIn(backup)
  if (inside.length === 0) {
    return `${backup} 里没有数据库，请写 steward backup 所写的目录 (holds no database; name a folder of steward backup)`
  }
  const [newest] = inside
    .filter((folder) => isAtPlace(folder.split(sep).slice(1).join(sep)))
    .map((folder) => folder.split(sep)[0] ?? '')
    .sort((a, b) => (copyMs(b) ?? 0) - (copyMs(a) ?? 0))
  return newest === undefined
    ? `${backup} 不是一份备份，请写 steward backup 所写的目录 (no backup, but a part of one, say: name the folder that steward backup has filled)`
    : `${backup} 里有多份备份，请写其中一份，例如 ${join(backup, newest)} (holds backups: name one of them)`
}

const isFolder = (path: string): boolean =>
  statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false

async function restoreLocked(
  command: RestoreCommand,
  dataDir: string,
  folders: readonly string[],
): Promise<Done> {
  const { config, backup } = command
  // A process that begins one of them now would go on in the folder that is put aside.
  const begun = [...config.accounts.map(({ account_id: id }) => id), ...accountsIn(backup)]
  const locks = await lockStopped(config, dataDir, begun)
  if (!locks.ok) return wrong(locks.error)
  const held: RoleLock[] = [...locks.value]
  try {
    return (
      (await checkBackup(command, folders)) ?? (await replace(command, { dataDir, folders, held }))
    )
  } finally {
    // Whose name is now in the new folder goes last: what a process begins to listen on there is not taken from it.
    const [data, ...others] = held
    for (const lock of [...others, data]) if (lock?.kind === 'held') await lock.release()
  }
}

/** Every page that is in use, every row, every journal from its first entry on. */
async function checkBackup(
  command: RestoreCommand,
  folders: readonly string[],
): Promise<Done | undefined> {
  const unread = await checkDatabases(command, folders)
  if (unread !== undefined) return unread
  const { config, backup, write } = command
  const lines: string[] = []
  const ofBackup = { ...config, data_dir: backup, audit: { ...config.audit, head_file: '' } }
  const audit = await verifyAudit({
    config: ofBackup,
    isBackup: true,
    write: (line) => void lines.push(line),
  })
  if (!audit.ok) return failed(audit.error)
  if (!audit.value) return damaged(lines.find(isBroken) ?? lines.join('; '))
  const { length: count } = folders
  write(
    `${backup}: ${count} 个数据库，已全部读过，完好 (${count} databases, read through and sound)`,
  )
  return undefined
}

/** All that it was made with is there, can be read, and is of this version. */
async function checkDatabases(
  { config, backup }: RestoreCommand,
  folders: readonly string[],
): Promise<Done | undefined> {
  const { whole_ms: readMs, silence_ms: silenceMs } = config.limits.examine
  const lacking = lackingOf(backup, databasesIn(backup))
  if (!lacking.ok) return damaged(lacking.error)
  if (lacking.value.length > 0) {
    const names = lacking.value.join(', ')
    return damaged(`缺少 ${names} (it was made with ${names}, and has no database there)`)
  }
  const paths = folders.map((folder) => join(backup, folder))
  for (const [path, examined] of await lookThrough(paths, { readMs, silenceMs })) {
    const { problem, isPartial } = examined
    if (problem !== null) return damaged(`${path}: ${problem}`)
    if (isPartial) {
      return failed(
        `${path} 未能在 limits.examine.whole_ms 内读完，请调大它 (is not read within it; raise it)`,
      )
    }
    const newer = newerVersion(accountOf(relative(backup, path)) ? 'account' : 'books', examined)
    if (newer !== undefined) return wrong(`${path} ${newer}`)
  }
  return undefined
}

const isBroken = (line: string): boolean => /broken|, but /.test(line)

const inWords = (error: unknown): string => (error instanceof Error ? error.message : String(error))
const asItWas = (dataDir: string): string =>
  `数据目录 ${dataDir} 没有改动 (the data folder is as it was)`

interface Replacing {
  readonly dataDir: string
  readonly folders: readonly string[]
  /** Takes what else is locked on the way. */
  readonly held: RoleLock[]
}

/** Copies first, where there is room for it; then the copy takes the place of the data. */
async function replace(
  command: RestoreCommand,
  { dataDir, folders, held }: Replacing,
): Promise<Done> {
  const { config, backup, at, write, disk = REAL_DISK, place: choose = placeFor } = command
  const place = choose(dataDir, stampOf(at))
  const { staging, aside } = place
  const work: Staging = { config, backup, folders, dataDir, at, write }
  try {
    disk.remove(staging) // of a restore that was interrupted: copies only
    mustHaveRoom(command, work, place)
    await stage(work, staging)
    // In the new folder it is found where the old one was, until all is done.
    if (place.isWhole) held.push(await lockData(staging))
  } catch (error) {
    return failed(`${inWords(error)}; ${asItWas(dataDir)}${undone(staging, disk)}`)
  }
  const fault = swap(dataDir, place, disk)
  // What is a copy of neither must not go where both are whole and neither is in its place.
  if (fault?.isAsItWas === false) return failed(fault.text)
  if (fault) return failed(`${fault.text}; ${asItWas(dataDir)}${undone(staging, disk)}`)
  write(`${dataDir}: 原来的数据保留为 ${aside} (put aside there)`)
  write(
    `${dataDir}: 已恢复；下次启动先与交易客户端核对，经人确认才下单 (restored; the next start compares with the trading client, and waits for a person, before it sends anything)`,
  )
  return ok(aside)
}

/** Errors  `DISK_FULL`: nothing is copied then. */
function mustHaveRoom(
  { config, freeBytes = freeBytesIn }: RestoreCommand,
  work: Staging,
  { staging }: RestorePlace,
): void {
  const folder = dirname(staging)
  const neededBytes = bytesToStage(work) + backupLimits(config.limits).floorBytes
  const free = freeBytes(folder)
  if (free < neededBytes) {
    throw noRoom('未恢复 (no room for a restore)', { folder, freeBytes: free, neededBytes })
  }
}

/** The half copy is removed; what that says is added to why it is one, and never in its place. */
function undone(staging: string, disk: RestoreDisk): string {
  try {
    disk.remove(staging)
    return ''
  } catch (error) {
    return `；半份副本 ${staging} 无法删除（${inWords(error)}），请自行删除 (the half copy cannot be removed: remove it by hand)`
  }
}

/** `20261122-101500`, UTC. */
const stampOf = (at: Date): string =>
  at.toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-')
