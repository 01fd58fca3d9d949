import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { crc32, inflateRawSync } from 'node:zlib'

const END = 0x0605_4b50
const CENTRAL = 0x0201_4b50
const LOCAL = 0x0403_4b50
const END_BYTES = 22
const COMMENT_BYTES_MAX = 65_535
const CENTRAL_BYTES = 46
const LOCAL_BYTES = 30
const STORED = 0
const DEFLATED = 8

/** Bounds of an archive that is unpacked: an archive of this program is far below them. */
export const ZIP = { entriesMax: 20_000, bytesMax: 600_000_000 } as const

/** A file of an archive, or a folder when its path ends with a slash. */
export interface ZipEntry {
  readonly path: string
  readonly isProgram: boolean
  /** Unpacked and checked. Throws when it is damaged. */
  readonly bytes: () => Buffer
}

/**
 * The entries of a zip. Throws an Error with one line when it is none, is damaged, would leave its folder or
 * is larger than the bounds.
 */
export function entriesOf(
  zip: Buffer,
  limits: { readonly [name in keyof typeof ZIP]: number } = ZIP,
): ZipEntry[] {
  const end = endOf(zip)
  const count = zip.readUInt16LE(end + 10)
  if (count > limits.entriesMax) throw new Error('too many files in the archive')
  const entries: ZipEntry[] = []
  let at = zip.readUInt32LE(end + 16)
  let total = 0
  for (let i = 0; i < count; i++) {
    if (zip.readUInt32LE(at) !== CENTRAL) throw new Error('the archive is damaged')
    const [nameBytes, extraBytes, commentBytes] = [28, 30, 32].map((of) =>
      zip.readUInt16LE(at + of),
    )
    const name = zip.toString('utf8', at + CENTRAL_BYTES, at + CENTRAL_BYTES + (nameBytes ?? 0))
    total += zip.readUInt32LE(at + 24)
    if (total > limits.bytesMax) throw new Error('the archive is too large')
    entries.push(entryAt(zip, at, safe(name)))
    at += CENTRAL_BYTES + (nameBytes ?? 0) + (extraBytes ?? 0) + (commentBytes ?? 0)
  }
  return entries
}

function endOf(zip: Buffer): number {
  const least = Math.max(0, zip.length - END_BYTES - COMMENT_BYTES_MAX)
  for (let at = zip.length - END_BYTES; at >= least; at--) {
    if (zip.readUInt32LE(at) === END) return at
  }
  throw new Error('this is no zip archive, or not the whole of it')
}

/** Nothing outside of the folder that it is unpacked into. */
function safe(name: string): string {
  const parts = name.split('/')
  const isOutside = parts.some((part) => part === '..' || part === '.') || /[\\:\0]|^\//.test(name)
  if (isOutside || name === '')
    throw new Error(`the archive has a file outside of its folder: ${name}`)
  return name
}

function entryAt(zip: Buffer, at: number, path: string): ZipEntry {
  const method = zip.readUInt16LE(at + 10)
  const sum = zip.readUInt32LE(at + 16)
  const [packed, size] = [zip.readUInt32LE(at + 20), zip.readUInt32LE(at + 24)]
  const isProgram = ((zip.readUInt32LE(at + 38) >>> 16) & 0o100) !== 0
  const local = zip.readUInt32LE(at + 42)
  const bytes = (): Buffer => {
    if (zip.readUInt32LE(local) !== LOCAL) throw new Error('the archive is damaged')
    const from = local + LOCAL_BYTES + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28)
    const whole = unpacked(zip.subarray(from, from + packed), { method, size })
    if (whole.length !== size || crc32(whole) !== sum)
      throw new Error(`damaged in the archive: ${path}`)
    return whole
  }
  return { path, isProgram, bytes }
}

function unpacked(bytes: Buffer, { method, size }: { method: number; size: number }): Buffer {
  if (method === STORED) return bytes
  if (method !== DEFLATED) throw new Error(`packed in a way that is not known here (${method})`)
  return inflateRawSync(bytes, { maxOutputLength: Math.max(1, size) })
}

/** Writes all of it below a folder. Throws as {@link entriesOf} does. */
export function unzip(zip: Buffer, folder: string): void {
  for (const { path, isProgram, bytes } of entriesOf(zip)) {
    const target = join(folder, ...path.split('/'))
    if (path.endsWith('/')) {
      mkdirSync(target, { recursive: true })
      continue
    }
    mkdirSync(dirname(target), { recursive: true })
    writeFileSync(target, bytes())
    if (isProgram) chmodSync(target, 0o755)
  }
}
