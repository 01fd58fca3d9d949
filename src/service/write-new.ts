import { closeSync, openSync, rmSync, writeFileSync } from 'node:fs'

/**
 * Writes a file that is not there yet, whole or not at all: what a full disk has taken of it would be in the way of
 * the next try.
 *
 * Errors  throws what the system says; `EEXIST`: it is there, and stays as it is.
 */
export function writeNew(path: string, text: string | Buffer, mode?: number): void {
  const file = openSync(path, 'wx', mode)
  try {
    writeFileSync(file, text)
  } catch (error) {
    closeSync(file) // Windows removes nothing that is open
    rmSync(path, { force: true, maxRetries: 5 })
    throw error
  }
  closeSync(file)
}
