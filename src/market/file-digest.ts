import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'

const PIECE_BYTES = 1 << 20

/** A digest of all that is in a file. Errors  those of the file system. */
export async function fileDigest(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const piece of createReadStream(path, { highWaterMark: PIECE_BYTES })) {
    hash.update(piece)
  }
  return hash.digest('hex')
}
