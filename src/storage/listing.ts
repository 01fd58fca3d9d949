import { readdirSync, statSync } from 'node:fs'
import { ServiceError } from '../domain/errors.ts'
import { areUsedUp, noDescriptors } from './spare-descriptors.ts'

const ABSENT: ReadonlySet<unknown> = new Set(['ENOENT', 'ENOTDIR'])
/** Windows says this also of what is being removed, while another program holds it. */
const DENIED: ReadonlySet<unknown> = new Set(['EPERM', 'EACCES', 'EBUSY'])
const isWindows = process.platform === 'win32'

/**
 * What is in a folder; empty where there is no such folder. One that cannot be read now is not empty: what it holds would
 * count as lost, or as never written.
 *
 * Errors  `STORE_FAILED`; `OVERLOADED` where no descriptor is left.
 */
export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    if (ABSENT.has(Reflect.get(Object(error), 'code'))) return []
    throw areUsedUp(error) ? noDescriptors(error) : unread(folder, error)
  }
}

/** Whether it is there; a disk that does not say so now has not said that it is gone. Errors  `STORE_FAILED`. */
export function isThere(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined
  } catch (error) {
    if (isWindows && DENIED.has(Reflect.get(Object(error), 'code'))) return false
    throw unread(path, error)
  }
}

function unread(path: string, error: unknown): ServiceError {
  const why = error instanceof Error ? error.message : String(error)
  const text = `${path} 现在无法读取，请检查它的权限和所在的磁盘 (cannot be read now: look at its rights, and at the disk it is on): ${why}`
  return new ServiceError('STORE_FAILED', text, undefined, error)
}
