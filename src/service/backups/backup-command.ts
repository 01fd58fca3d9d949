import { existsSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, resolve, sep } from 'node:path'
import { ServiceError } from '../../domain/errors.ts'
import { err, ok, type Result } from '../../domain/result.ts'
import { openAccountDatabase } from '../../storage/account-database.ts'
import { accountOf, copySegments, dropLater } from '../../storage/archive/archive-copies.ts'
import { databasesIn, deadLinksIn, LIST, type List } from '../../storage/backup.ts'
import type { ExamineLimits } from '../../storage/examine.ts'
import { flush, flushTree } from '../../storage/flushed.ts'
import { freeBytesIn } from '../../storage/free-space.ts'
import { makeFolder } from '../../storage/make-folder.ts'
import { halfwayIn, isBelowFile, unfinishedIn } from '../data/data-folder.ts'
import { lookThrough } from '../data/soundness.ts'
import { isWithin } from '../data/within.ts'
import { writeContents } from './contents.ts'
import { copyDatabase, databaseBytes } from './copy-database.ts'
import { copyKept } from './kept-files.ts'

export interface BackupCommand {
  readonly dataDir: string
  /** Folder that receives the copies; it becomes a data folder of its own. */
  readonly target: string
  readonly limits: ExamineLimits & {
    /** What stays free where the copies lie: below it a service refuses orders. */
    readonly floorBytes: number
  }
  /** Another disk than the real one, for tests. */
  readonly freeBytes?: (folder: string) => number
  readonly list?: List
  readonly flush?: (path: string) => void
  readonly remove?: (path: string) => void
  /** Takes each finished line. */
  readonly write: (line: string) => void
}

/** As patient as that: without its last step all of the copy is removed again. */
const HELD = { maxRetries: 10, retryDelay: 100 } as const
const removeAll = (path: string): void =>
  rmSync(path, { recursive: true, force: true, maxRetries: 5 })

/** Why there is no copy, or none of everything. */
export interface BackupFault {
  /** One line for the operator. */
  readonly text: string
  /** What is damaged was left out, and all else is copied whole. */
  readonly isPartial: boolean
  /** There is no database that could have been copied. */
  readonly isEmpty?: boolean
}

/**
 * `steward backup`: every database below the data folder, each as it stands at one moment, also
 * while the service runs, the segments of the journals, and what else cannot be had again. The copy is started
 * with `--data-dir`. One that fails leaves nothing; one that is cut off is marked as such, and never put back.
 */
export async function backUpAll(command: BackupCommand): Promise<Result<number, BackupFault>> {
  try {
    return await backUp(command)
  } catch (error) {
    return none(inWords(error)) // nothing is written then
  }
}

const none = (text: string) => err({ text, isPartial: false })

const inWords = (error: unknown): string => (error instanceof Error ? error.message : String(error))

async function backUp(command: BackupCommand): Promise<Result<number, BackupFault>> {
  const { dataDir, target, limits, write } = command
  if (!existsSync(dataDir))
    return none(`data_dir ${dataDir} 不存在，没有可备份的 (does not exist; nothing to copy)`)
  const halfway = halfwayIn(dataDir)
  if (halfway !== undefined) return none(halfway)
  const misplaced = misplacedText(command)
  if (misplaced !== undefined) return none(misplaced)
  const { folders, denied } = lookedInto(command)
  if (denied.includes(dataDir)) return none(notSeen(dataDir))
  const taken = takenProblem(target, folders)
  if (taken !== undefined) return none(taken)
  const paths = folders.map((folder) => join(dataDir, folder))
  const unread = deadLinksIn(dataDir).map(
    (link) => `${join(dataDir, link)}: 链接所指的不存在 (a link to nowhere)`,
  )
  if ([folders, denied, unread].every(({ length }) => length === 0)) {
    return err({ text: empty(dataDir), isPartial: false, isEmpty: true })
  }
  const { damaged, isDenied } = await leftOut(paths, limits)
  const isSound = (folder: string) =>
    !damaged.some((line) => line.startsWith(`${join(dataDir, folder)}: `))
  const sound = folders.filter(isSound)
  mustHaveRoom(command, bytesOf(command, sound))
  const claimed = claim(command, sound)
  if (!claimed.ok) return none(claimed.error)
  try {
    await copyAll(command, sound, claimed.value.others)
  } catch (error) {
    return none(`${inWords(error)}${claimed.value.undo()}`)
  }
  const count = folders.length - damaged.length
  write(`已备份 ${count} 个数据库到 ${target} (${count} databases are copied there)`)
  const missing = [...damaged, ...unread, ...denied.map(notSeen)]
  if (missing.length > 0) {
    const why =
      isDenied || denied.length > 0 ? '未备份 (not copied)' : '已损坏，未备份 (damaged, not copied)'
    const text = `${why}: ${missing.join('; ')}`
    return err({ text, isPartial: damaged.length < folders.length })
  }
  return ok(folders.length)
}

/** Why no copy can lie there, whatever is in it; undefined: it can. */
function misplacedText({ dataDir, target }: BackupCommand): string | undefined {
  if (isBelowFile(resolve(target))) {
    return `--to ${target} 不是文件夹，请换一个 (is no folder; choose another folder)`
  }
  return isWithin(realpathSync(dataDir), realpathSync(existing(resolve(target))))
    ? `--to ${target} 在数据目录 ${dataDir} 之内，请换一个文件夹 (is inside the data folder; choose another folder)`
    : undefined
}

const DENIED: ReadonlySet<unknown> = new Set(['EACCES', 'EPERM'])

/** Databases, and the folders that this user may not look into: what they may hold keeps nothing else from being copied. */
function lookedInto({ dataDir, list = LIST }: BackupCommand) {
  const denied: string[] = []
  const listed: List = (folder) => {
    try {
      return list(folder)
    } catch (error) {
      if (!DENIED.has(Reflect.get(Object(error), 'code'))) throw error
      denied.push(folder)
      return []
    }
  }
  return { folders: databasesIn(dataDir, listed), denied }
}

/** As where the disk of the data is not mounted: whoever looks at exit codes alone would believe that there are copies. */
const empty = (dataDir: string): string =>
  `data_dir ${dataDir} 里没有数据库，没有可备份的；数据在别处时，请接上它所在的磁盘，或改正路径 (holds no database; nothing to copy. If the data is elsewhere, its disk has to be mounted, or the path mended)`

const notSeen = (folder: string): string =>
  `${folder}: 当前用户无权查看，请改正其所有者和权限 (this user may not look into it: mend its owner and rights)`

/** Line by line, and whether one of them is another user's. */
async function leftOut(paths: readonly string[], limits: ExamineLimits) {
  const found = [...(await lookThrough(paths, limits, { isRestOf: true }))]
  const damaged = found.flatMap(([path, { problem }]) =>
    problem === null ? [] : [`${path}: ${problem}`],
  )
  return { damaged, isDenied: found.some(([, one]) => one.isDenied) }
}

/** Something in the target that the copies would be mixed with; undefined: nothing is. */
function takenProblem(target: string, folders: readonly string[]): string | undefined {
  const tops = new Set(folders.map((folder) => folder.split(sep)[0]))
  const names = existsSync(target) ? readdirSync(target) : []
  const taken = names.find((name) => tops.has(name))
  return taken === undefined
    ? undefined
    : `${target} 里已有数据库或同名的文件夹 ${taken}，请换一个文件夹 (already holds a database or its folder; choose another folder)`
}

const bytesOf = ({ dataDir }: BackupCommand, folders: readonly string[]): number =>
  folders.reduce((sum, folder) => sum + databaseBytes(dataDir, folder), 0)

interface Claimed {
  /** What was in the target before. */
  readonly others: ReadonlySet<string>
  /** Leaves it as it was; what it says is put behind the reason. */
  readonly undo: () => string
}

/**
 * Makes the target the place of this copy alone: of two at once one writes the note that it is unfinished, and the
 * other must leave all of it alone, also when it fails.
 */
function claim(
  { target, remove = removeAll }: BackupCommand,
  folders: readonly string[],
): Result<Claimed, string> {
  const isNew = !existsSync(target)
  makeFolder(target)
  const others = new Set(readdirSync(target))
  const note = unfinishedIn(target)
  try {
    writeFileSync(note, '', { flag: 'wx', mode: 0o600 })
  } catch (error) {
    if (Reflect.get(Object(error), 'code') !== 'EEXIST') throw error
    return err(
      `${target} 里有未完成的备份，或另一个命令正在写入，请换一个文件夹 (holds a backup that is not finished, or that another command is making; choose another folder)`,
    )
  }
  const taken = takenProblem(target, folders)
  if (taken === undefined) return ok({ others, undo: undoing(target, { others, isNew, remove }) })
  rmSync(note, HELD) // of another one that has been finished since it was looked at first
  return err(taken)
}

interface Undoing {
  readonly others: ReadonlySet<string>
  readonly isNew: boolean
  readonly remove: (path: string) => void
}

/** Removes what is there afterwards and was not before. The note goes last: what somebody holds is part of a copy, and goes on saying so. */
function undoing(target: string, { others, isNew, remove }: Undoing): () => string {
  const note = basename(unfinishedIn(target))
  return () => {
    try {
      const own = readdirSync(target).filter((name) => !others.has(name) && name !== note)
      for (const name of [...own, note]) remove(join(target, name))
      if (isNew) remove(target)
      return ''
    } catch (error) {
      const code = Reflect.get(Object(error), 'code')
      return `；${target} 中的半份备份无法删除（${code}） (the half copy in it could not be removed (${code}))`
    }
  }
}

async function copyAll(
  command: BackupCommand,
  folders: readonly string[],
  others: ReadonlySet<string>,
): Promise<void> {
  const { dataDir, target, flush: flushOne = flush } = command
  let left = bytesOf(command, folders)
  flushOne(target) // a power cut leaves no part of a copy that does not say that it is one
  flushOne(dirname(resolve(target)))
  for (const folder of folders) {
    mustHaveRoom(command, left) // whoever writes there, too, has gone on meanwhile
    await copyOne(command, folder)
    left -= bytesOf(command, [folder])
  }
  copyKept(
    dataDir,
    target,
    folders.flatMap((folder) => accountOf(folder) ?? []),
  )
  writeContents(target, folders)
  mustHaveRoom(command, 0)
  const own = readdirSync(target, { withFileTypes: true }).filter(({ name }) => !others.has(name))
  for (const entry of own) {
    const path = join(target, entry.name)
    if (entry.isDirectory()) flushTree(path, flushOne)
    else flushOne(path)
  }
  flushOne(target)
  rmSync(unfinishedIn(target), HELD) // a scanner reads what was made a moment ago
  flushOne(target)
}

/** Errors  `DISK_FULL`. */
function mustHaveRoom({ target, limits, freeBytes = freeBytesIn }: BackupCommand, bytes: number) {
  const free = freeBytes(existing(resolve(target)))
  if (free - bytes >= limits.floorBytes) return
  const neededBytes = bytes + limits.floorBytes
  throw noRoom('未备份 (no room for a backup)', { folder: target, freeBytes: free, neededBytes })
}

interface Room {
  readonly folder: string
  readonly freeBytes: number
  /** With what stays free there. */
  readonly neededBytes: number
}

/** Says how much there is, and how much is needed. `what` could not be done. */
export function noRoom(what: string, { folder, freeBytes, neededBytes }: Room): ServiceError {
  const [freeMb, neededMb] = [freeBytes, neededBytes].map(inMb)
  const text = `磁盘空间不足，${what}: ${folder}: 剩余 ${freeMb} MB，需要 ${neededMb} MB，含 limits.store.free_space_floor_mb (${freeMb} MB free, ${neededMb} MB needed with that)`
  return new ServiceError('DISK_FULL', text)
}

const inMb = (bytes: number): number => Math.ceil(bytes / 1_048_576)

const existing = (path: string): string =>
  existsSync(path) || dirname(path) === path ? path : existing(dirname(path))

/**
 * Whoever runs the copy where it lies, or moves it by hand to where the data was, puts back a backup: the memory that a
 * trading client keeps in the data folder is not in it, so nothing else would tell that the books are older than the
 * client. Each owner has its own epoch, so a copy of a copy that was run has another mark than that.
 */
async function markCopy(accountId: string, target: string): Promise<void> {
  const copy = openAccountDatabase(target, accountId)
  try {
    copy.restored(`copy ${copy.inspect().epoch}`)
  } finally {
    await copy.close()
  }
}

/** One database and, of an account, the segments of its journal. */
async function copyOne({ dataDir, target, write }: BackupCommand, folder: string): Promise<void> {
  const accountId = accountOf(folder)
  const copy = () => (accountId === undefined ? 0 : copySegments(accountId, dataDir, target))
  const before = copy()
  await copyDatabase(dataDir, target, folder)
  const segments = before + copy()
  if (accountId !== undefined) {
    await dropLater(accountId, target)
    await markCopy(accountId, target)
  }
  const [zh, en] =
    segments === 0
      ? ['', '']
      : [`，含 ${segments} 个日志文件`, `, with ${segments} segments of its journal`]
  write(`${folder}: 已备份${zh} (copied${en})`)
}
