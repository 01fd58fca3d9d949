import { crc32 } from 'node:zlib'

const SEAL_BYTES = 4

/** The value with its CRC-32 in front (big endian): what lies in every row on disk. */
export function seal(value: Uint8Array): Uint8Array {
  const sealed = new Uint8Array(SEAL_BYTES + value.length)
  new DataView(sealed.buffer).setUint32(0, crc32(value))
  sealed.set(value, SEAL_BYTES)
  return sealed
}

/** A copy of the value, or undefined when the bytes are not those that were sealed. */
export function unseal(sealed: Uint8Array): Uint8Array | undefined {
  if (sealed.length < SEAL_BYTES) return undefined
  const expected = new DataView(sealed.buffer, sealed.byteOffset, SEAL_BYTES).getUint32(0)
  const value = new Uint8Array(sealed.subarray(SEAL_BYTES))
  return crc32(value) === expected ? value : undefined
}
