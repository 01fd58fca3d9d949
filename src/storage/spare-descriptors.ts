import { closeSync, openSync } from 'node:fs'
import { ServiceError } from '../domain/errors.ts'

/** LMDB takes three for a database; other threads may take some of the others in the same moment. */
const SPARE_DESCRIPTORS = 16
const USED_UP: ReadonlySet<unknown> = new Set(['EMFILE', 'ENFILE'])

/**
 * LMDB that finds no descriptor on its way into a database ends the whole process (SIGSEGV): it gives up the same memory
 * twice. So it is not called where it could find none. `folder`: any that is there.
 *
 * Errors  `OVERLOADED` where fewer are left.
 */
export function mustSpareDescriptors(folder: string): void {
  if (process.platform === 'win32') return // files are opened otherwise there, without such a limit
  const opened: number[] = []
  try {
    while (opened.length < SPARE_DESCRIPTORS) opened.push(openSync(folder, 'r'))
  } catch (error) {
    if (areUsedUp(error)) throw noDescriptors(error)
    // Whatever else is the matter with the folder, LMDB says.
  } finally {
    for (const descriptor of opened) closeSync(descriptor)
  }
}

/** Whether the system refused something because no descriptor is left: nothing was done then. */
export const areUsedUp = (error: unknown): boolean =>
  USED_UP.has(Reflect.get(Object(error), 'code'))

/** For what can be tried again: it says nothing of what is on the disk. */
export const noDescriptors = (cause: unknown): ServiceError =>
  new ServiceError('OVERLOADED', TOO_FEW, undefined, cause)

const TOO_FEW =
  '文件描述符快用完了，请调高系统对本进程的限制（ulimit -n）或减少账户和连接 (too many open files: raise what the system lets this process open (ulimit -n), or have fewer accounts or connections)'
