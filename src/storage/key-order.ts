import type { Key } from '../protocol/store.ts'

/** Longest text key, in bytes of UTF-8; LMDB itself ends at 1,978 with its own additions. */
const KEY_BYTES_MAX = 512

const CONTROL_CHARACTER = /\p{Cc}/u

/** Whether a key can be stored: a finite number (not -0), or text of 1 to 512 bytes without control characters. */
export function isKey(key: unknown): key is Key {
  if (typeof key === 'number') return Number.isFinite(key) && !Object.is(key, -0)
  if (typeof key !== 'string' || key === '' || CONTROL_CHARACTER.test(key)) return false
  return key.isWellFormed() && Buffer.byteLength(key) <= KEY_BYTES_MAX
}

/** Numbers before texts, numbers by value, texts by their UTF-8 bytes: the order of every table. */
export function compareKeys(a: Key, b: Key): number {
  if (typeof a === 'number') return typeof b === 'number' ? a - b : -1
  if (typeof b === 'number') return 1
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}
