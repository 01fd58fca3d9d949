import { type Dirent, existsSync, readdirSync, realpathSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import type { LoadedConfig } from '../../config/load.ts'
import { err, ok, type Result } from '../../domain/result.ts'
import { databasesIn } from '../../storage/backup.ts'
import { LOCK_FILE } from '../../storage/openable.ts'
import { type RemoveFile, removeFiles, removeFolders } from '../data/remove-data.ts'
import { lockStopped } from '../data/stopped.ts'
import { isWithin } from '../data/within.ts'
import { ownDistribution, programFolder, ran } from '../process/program-folder.ts'

/** What has to be typed for data to be removed. */
const WORD = 'DELETE'

export interface UninstallCommand {
  readonly loaded: LoadedConfig
  readonly isDataRemoved: boolean
  /** As it was typed. */
  readonly confirm: string | undefined
  readonly write: (line: string) => void
  /** Another disk than the real one, for tests. */
  readonly remove?: RemoveFile
}

/**
 * `steward uninstall`: ends the automatic start and says what is left to be removed by hand, because a program
 * cannot remove the folder it runs from. Data and configuration stay, unless both a flag and a word say otherwise.
 *
 * Errors  one line, which says so where some of the data is gone.
 */
export async function uninstall(command: UninstallCommand): Promise<Result<null, string>> {
  const { loaded, isDataRemoved, confirm, write } = command
  const dataDir = loaded.config.data_dir
  if (isDataRemoved && confirm !== WORD) {
    return err(
      `将删除 ${dataDir} 中的全部账本与日志，无法恢复；确认请加 --confirm ${WORD} (all books and logs are lost; add --confirm ${WORD})`,
    )
  }
  const foreign = isDataRemoved ? foreignReason(dataDir, loaded.file) : undefined
  if (foreign !== undefined) return err(`${dataDir} ${foreign}`)
  const gone = await ended(command)
  if (!gone.ok) return gone
  write(gone.value)
  write(`配置保留 (configuration stays): ${loaded.file ?? '-'}`)
  write(`请自行删除程序目录 (remove the folder of the program by hand): ${programFolder()}`)
  return ok(null)
}

/** What became of the data, in one line. */
async function ended(command: UninstallCommand): Promise<Result<string, string>> {
  const { loaded, isDataRemoved, write, remove } = command
  const dataDir = loaded.config.data_dir
  const locks = await lockStopped(loaded.config, dataDir)
  if (!locks.ok) return locks
  const isThere = existsSync(dataDir)
  try {
    await endAutostart(write)
    if (isDataRemoved && isThere) removeFiles(dataDir, remove)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return err(
      `数据未能全部删除，停止占用其中文件的程序后重试 (not all data is removed; end what holds a file in it and try again): ${reason}`,
    )
  } finally {
    // Not before: whoever took an account in between would lose its books under its feet.
    await Promise.all(locks.value.map((lock) => lock.release()))
  }
  if (!isDataRemoved) return ok(`数据保留 (data stays): ${isThere ? dataDir : '-'}`)
  if (!isThere) {
    return ok(
      `${dataDir} 没有数据，未删除任何内容；如在未接上的磁盘上，请接上后重试 (nothing is there, and nothing was removed; if it is on a disk that is not mounted, mount it and try again)`,
    )
  }
  return ok(
    removeFolders(dataDir)
      ? `已删除数据 (data removed): ${dataDir}`
      : `已删除数据，其中新出现的文件保留 (data removed; files made since stay): ${dataDir}`,
  )
}

/** Why a folder is not removed, whatever was typed; undefined: it is one of data and of nothing else. */
function foreignReason(dataDir: string, configFile: string | undefined): string | undefined {
  const hidden = hiddenReason(dataDir)
  if (hidden !== undefined || !existsSync(dataDir)) return hidden
  const folder = realpathSync(dataDir)
  const holds = (inner: string) => existsSync(inner) && isWithin(folder, realpathSync(inner))
  const other = [homedir(), process.cwd(), programFolder(), configFile ?? ''].find(holds)
  if (other !== undefined) {
    return `还包含其他内容（${other}），不会删除 (holds more than data (${other}), and is not removed)`
  }
  return databasesIn(folder).length > 0 || isEmptied(folder)
    ? undefined
    : '不像数据目录，不会删除 (does not look like a data folder, and is not removed)'
}

const isOwnSocket = (entry: Dirent): boolean => entry.isSocket() && entry.name.endsWith('.sock')

/** What a removal that was ended leaves last: folders, locks, and sockets of processes that are gone. */
const isEmptied = (folder: string): boolean =>
  readdirSync(folder, { recursive: true, withFileTypes: true }).every(
    (entry) => entry.isDirectory() || isOwnSocket(entry) || entry.name === LOCK_FILE,
  )

/** Where this user may not look there may be data: nobody is told that it is gone. */
function hiddenReason(dataDir: string): string | undefined {
  try {
    statSync(dataDir, { throwIfNoEntry: false })
    return undefined
  } catch (error) {
    const code = Reflect.get(Object(error), 'code')
    return `无法查看（${code}），未删除；请以数据所属的用户运行 (cannot be looked at (${code}), and is not removed; run it as the user whose data it is)`
  }
}

async function endAutostart(write: UninstallCommand['write']): Promise<void> {
  const own = ownDistribution()
  if (own === undefined || process.platform !== 'win32') return
  const done = await ran(own.folder, ['scripts', 'autostart.mjs'], ['remove'])
  write(
    done === undefined
      ? '未能取消自动启动：请运行 remove-autostart.cmd (the automatic start could not be removed: run it by hand)'
      : '已取消自动启动 (no longer started at log-on)',
  )
}
