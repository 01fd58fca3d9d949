import {
  accessSync,
  constants,
  existsSync,
  lstatSync,
  readlinkSync,
  realpathSync,
  statSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { err, ok, type Result } from '../../domain/result.ts'
import { makeFolder } from '../../storage/make-folder.ts'
import { SWAP_FILE, stagingBeside } from './restore-place.ts'

/** The folder of all data: there afterwards, with what is above it, and writable. The error is one line. */
export function openDataFolder(path: string): Result<null, string> {
  const refusal = refusalOf(path)
  return refusal === undefined ? makeDataFolder(path) : err(refusal)
}

/**
 * Why no service could open it, as far as can be told without making anything; undefined: nothing is known. One line. Its
 * rights are not looked at: whoever asks may be another user than the service.
 */
export function refusalOf(path: string): string | undefined {
  const halfway = halfwayIn(path)
  if (halfway !== undefined) return halfway
  const reason = unfitnessOf(path)
  return reason === undefined ? undefined : `data_dir ${path} ${reason}`
}

function unfitnessOf(path: string): string | undefined {
  if (existsSync(unfinishedIn(path))) return UNFINISHED_TEXT
  if (isBelowFile(path))
    return '不是文件夹 (is no folder); 请另选一个文件夹 (choose another folder)'
  try {
    return missingIn(path)
  } catch {
    return undefined // what may not be looked at is told when it is made
  }
}

/** Whether it, or what it would be made in, is a file. */
export function isBelowFile(path: string): boolean {
  if (existsSync(path)) return !statSync(path).isDirectory()
  const above = dirname(path)
  return above !== path && isBelowFile(above)
}

/** Why what is there is neither the old data nor the new; undefined: it is data. One line. */
export const halfwayIn = (path: string): string | undefined =>
  existsSync(join(path, SWAP_FILE))
    ? `data_dir ${path}: 恢复被中断 (a restore was interrupted); 请再执行一次 steward restore，它会先把原数据放回 (run steward restore again: it puts the data back first)`
    : undefined

/** As {@link openDataFolder}, for whoever replaces what is in it. */
export function makeDataFolder(path: string): Result<null, string> {
  try {
    const missing = missingIn(path)
    if (missing !== undefined) return err(`data_dir ${path} ${missing}`)
    makeFolder(path)
    accessSync(path, constants.R_OK | constants.W_OK)
    return ok(null)
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? error.code : error
    return err(
      `data_dir ${path} 无法写入 (cannot be written (${reason})); 请换一个文件夹，或修正它的权限 (choose another folder or mend its rights)`,
    )
  }
}

/** Why nothing is to be made in the place of what is not there; undefined: it is there, or may be made. Errors  of the system. */
function missingIn(path: string): string | undefined {
  if (existsSync(path)) return undefined
  const folder = meantBy(path)
  const staging = stagingBeside(folder)
  if (existsSync(staging)) {
    return `不存在，恢复被中断：请把 ${staging} 改名为 ${folder}，或把 ${folder}.before-restore-… 改回原名 (is missing, a restore was interrupted: rename ${staging} to ${folder}, or ${folder}.before-restore-… back)`
  }
  return folder === path
    ? undefined
    : `是链接，所指的 ${folder} 不存在：请接上它所在的磁盘，或改正链接 (is a link to nowhere: mount the disk of ${folder}, or mend the link)`
}

/** Where a link leads, also to what is not there; else the path itself. */
const meantBy = (path: string): string =>
  lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true
    ? resolve(realpathSync(dirname(path)), readlinkSync(path))
    : path

/** There while a backup is copied into a folder: one that was cut off has some accounts, and not others. */
export const unfinishedIn = (folder: string): string => join(folder, 'backup-unfinished')
export const UNFINISHED_TEXT =
  '是未完成的备份，请换一份 (is a backup that was cut off: use another one)'

/** Whether it is there, and this user may read and write it. */
export function isUsable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK | constants.W_OK)
    return true
  } catch {
    return false
  }
}
