import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { ServiceError } from '../domain/errors.ts'

/** Of an environment. */
export const DATA_FILE = 'data.mdb'
export const LOCK_FILE = 'lock.mdb'

/** Opens a file as LMDB does, and closes it. Errors  of the system. */
export type TryFile = (path: string) => void

/**
 * On Windows LMDB opens its files for writing, also for who only reads, and lets others open them at the same time. Elsewhere
 * nothing is tried: no program keeps another one from opening there, and whoever closes the file of the locks gives up those
 * that his process has on it.
 */
const TRY_FILE: TryFile | undefined =
  process.platform === 'win32' ? (path) => closeSync(openSync(path, 'r+')) : undefined

/** Why LMDB could not open an environment. */
export interface Refused {
  /** One line for people. */
  readonly problem: string
  /** Another program has a file open and lets nobody write: it may let go of it in a moment. */
  readonly isHeld: boolean
}

/**
 * Why LMDB could not open what is in `folder`; undefined: nothing is known. It is to be asked before LMDB is: where the system
 * refuses one of its files on Windows, opening the environment may never return.
 */
export function refusedIn(
  folder: string,
  tryFile: TryFile | undefined = TRY_FILE,
): Refused | undefined {
  for (const path of [DATA_FILE, LOCK_FILE].map((name) => join(folder, name))) {
    try {
      tryFile?.(path)
    } catch (error) {
      const code = String(Reflect.get(Object(error), 'code'))
      if (code !== 'ENOENT') return { problem: refusal(path, code), isHeld: code === 'EBUSY' }
    }
  }
  return undefined
}

const refusal = (path: string, code: string): string =>
  code === 'EBUSY'
    ? `${path} 被另一个程序占用，请关闭正在复制、同步或扫描它的程序 (another program has it open: end what copies, synchronizes or scans it)`
    : `${path} 无法写入（${code}），在 Windows 上也就无法读取：请去掉只读属性、改正权限，或先把整个文件夹复制到本机磁盘 (cannot be written (${code}), and on Windows not be read then: take its read-only attribute away, mend its rights, or copy the whole folder to a local disk first)`

/** For whoever opens one in his thread, which would stand in LMDB for ever. Errors  `STORE_FAILED`. */
export function mustBeOpenable(folder: string): void {
  const refused = refusedIn(folder)
  if (refused !== undefined) throw new ServiceError('STORE_FAILED', refused.problem)
}
