import { writeSync } from 'node:fs'

/** How many bytes it took. */
export type Write = (file: number, bytes: Uint8Array) => number

const toDisk: Write = (file, bytes) => writeSync(file, bytes)

/**
 * Writes every byte. A disk that is nearly full takes the first of them without an error, and refuses the rest only
 * when it is asked again.
 *
 * Errors  throws what the system says; some of it may be written then.
 */
export function writeWhole(file: number, text: string, write: Write = toDisk): void {
  for (let rest = Buffer.from(text); rest.length > 0; ) {
    const taken = write(file, rest)
    if (taken === 0) throw new Error('the disk takes nothing')
    rest = rest.subarray(taken)
  }
}
