import { closeSync, fsyncSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { flush } from '../../storage/flushed.ts'

/**
 * Writes a file that is not there yet, whole or not at all: what a full disk has taken of it would be in the way of
 * the next try. It is on disk under its name when this returns.
 *
 * Errors  throws what the system says; `EEXIST`: it is there, and stays as it is.
 */
export function writeNew(
  path: string,
  text: string | Buffer,
  mode?: number,
  flushNames: (folder: string) => void = flush,
): void {
  const file = openSync(path, 'wx', mode)
  try {
    writeFileSync(file, text)
    fsyncSync(file)
    flushNames(dirname(path))
  } catch (error) {
    closeSync(file) // Windows removes nothing that is open
    rmSync(path, { force: true, maxRetries: 5 })
    throw error
  }
  closeSync(file)
}
