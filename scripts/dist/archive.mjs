// Writes archives that are the same bytes for the same entries: sorted, with one time for all, without owners.
import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { Header, Pax } from 'tar'
import { ZipFile } from 'yazl'

const BLOCK = 512

/** In the order of their names, by code units. */
const sorted = (entries) => entries.toSorted((a, b) => (a.path < b.path ? -1 : 1))

/**
 * `entries`: `path` in the archive, `bytes`, and `isProgram` for what may be started. The time has a
 * resolution of two seconds in a zip, and is written there in UTC.
 */
export async function writeZip(file, entries, time) {
  const zip = new ZipFile()
  for (const { path, bytes, isProgram } of sorted(entries)) {
    zip.addBuffer(bytes, path, {
      mtime: time,
      mode: isProgram ? 0o100755 : 0o100644,
      compressionLevel: 9,
      forceDosTimestamp: true,
    })
  }
  zip.end()
  await pipeline(zip.outputStream, createWriteStream(file))
}

/** As `writeZip`; names beyond ASCII are in extended headers, as every tar of today reads them. */
export async function writeTarGz(file, entries, time) {
  await pipeline(
    Readable.from(blocksOf(sorted(entries), time)),
    createGzip({ level: 9 }),
    createWriteStream(file),
  )
}

function* blocksOf(entries, time) {
  for (const { path, bytes, isProgram } of entries) {
    const fields = {
      path,
      mode: isProgram ? 0o755 : 0o644,
      size: bytes.length,
      type: 'File',
      mtime: time,
    }
    const header = new Header(fields)
    const block = Buffer.alloc(BLOCK)
    if (header.encode(block, 0)) yield new Pax({ path, mtime: undefined }).encode()
    yield block
    yield bytes
    yield Buffer.alloc((BLOCK - (bytes.length % BLOCK)) % BLOCK)
  }
  yield Buffer.alloc(2 * BLOCK)
}

/** As `sha256sum` prints it. */
export async function sha256Of(file) {
  const digest = createHash('sha256')
  await pipeline(createReadStream(file), digest)
  return digest.digest('hex')
}
