// Reads an archive of `writeZip` back, for those who have no program for it.
import { readFileSync } from 'node:fs'
import { crc32, inflateRawSync } from 'node:zlib'

const END = Buffer.from('PK\x05\x06', 'latin1')
const DEFLATED = 8
const UTF8 = 0x800

/** Path, content and rights of every entry. Throws when a content is not what its checksum says. */
export function readZip(file) {
  const zip = readFileSync(file)
  const end = zip.lastIndexOf(END)
  if (end < 0) throw new Error(`steward: ${file} is no zip, or not whole`)
  let at = zip.readUInt32LE(end + 16)
  return Array.from({ length: zip.readUInt16LE(end + 10) }, () => {
    const entry = readEntry(zip, at)
    at += entry.directoryBytes
    return entry
  })
}

function readEntry(zip, at) {
  const [name, extra, comment] = [28, 30, 32].map((offset) => zip.readUInt16LE(at + offset))
  const path = zip.toString('utf8', at + 46, at + 46 + name)
  const local = zip.readUInt32LE(at + 42)
  const from = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28)
  const packed = zip.subarray(from, from + zip.readUInt32LE(at + 20))
  const bytes = zip.readUInt16LE(at + 10) === DEFLATED ? inflateRawSync(packed) : packed
  if (crc32(bytes) !== zip.readUInt32LE(at + 16)) throw new Error(`steward: ${path} is damaged`)
  return {
    path,
    bytes,
    mode: zip.readUInt16LE(at + 40),
    isUtf8: (zip.readUInt16LE(at + 8) & UTF8) !== 0,
    dosTime: zip.readUInt32LE(at + 12),
    directoryBytes: 46 + name + extra + comment,
  }
}
