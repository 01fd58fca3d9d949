import { crc32 } from 'node:zlib'

/** One thing that was decided, for the owner of `key`. The log does not look into `body`. */
export interface LogRecord {
  /** Whose it is, such as an account. At most 65,535 bytes of UTF-8. */
  readonly key: string
  /** The owner's epoch when it was written. */
  readonly epoch: number
  readonly body: Uint8Array
}

/** What was written and flushed at once. */
export interface Batch {
  /** 1, 2, 3 … for the life of a log. */
  readonly number: number
  /** The oldest batch that was still needed when this one was written; itself when no other was. */
  readonly oldest: number
  readonly records: readonly LogRecord[]
}

/**
 * A batch begins at a multiple of it and fills whole ones, so that no write ever touches bytes that an
 * earlier one has made safe: a sector that is torn by a power cut holds nothing that was answered.
 */
export const BLOCK_BYTES = 4_096

/** `SLOG`, then the CRC-32 of all that follows; version, bytes after the header, number, oldest. */
const MAGIC = 0x53_4c_4f_47
const VERSION = 1
const AT = { magic: 0, crc: 4, version: 8, length: 12, number: 16, oldest: 24 } as const
const HEADER_BYTES = 32
/** Of a record: lengths of key and body, and the epoch. */
const RECORD_BYTES = 2 + 8 + 4

/** What a batch of these records takes on disk, in whole blocks. */
export const bytesOfBatch = (records: readonly LogRecord[]): number =>
  batchOf(records.reduce((bytes, record) => bytes + bytesOfRecord(record), 0))

/** What a record takes of a batch. */
export const bytesOfRecord = ({ key, body }: LogRecord): number =>
  RECORD_BYTES + Buffer.byteLength(key) + body.length

/** What a batch takes whose records take so many bytes. */
export const batchOf = (recordBytes: number): number => wholeBlocks(HEADER_BYTES + recordBytes)

/** What the records of a batch may take that takes so many bytes. */
export const recordsIn = (batchBytes: number): number => batchBytes - HEADER_BYTES

const wholeBlocks = (bytes: number) => Math.ceil(bytes / BLOCK_BYTES) * BLOCK_BYTES

/** Writes the batch at the start of `target`, which must hold it. Returns the bytes to put on disk. */
export function writeBatch(target: Buffer, { number, oldest, records }: Batch): number {
  let at = HEADER_BYTES
  for (const { key, epoch, body } of records) {
    const keyBytes = target.write(key, at + RECORD_BYTES)
    target.writeUInt16BE(keyBytes, at)
    target.writeDoubleBE(epoch, at + 2)
    target.writeUInt32BE(body.length, at + 10)
    target.set(body, at + RECORD_BYTES + keyBytes)
    at += RECORD_BYTES + keyBytes + body.length
  }
  target.writeUInt32BE(MAGIC, AT.magic)
  target.writeUInt32BE(VERSION, AT.version)
  target.writeUInt32BE(at - HEADER_BYTES, AT.length)
  target.writeDoubleBE(number, AT.number)
  target.writeDoubleBE(oldest, AT.oldest)
  target.writeUInt32BE(crc32(target.subarray(AT.version, at)), AT.crc)
  const end = wholeBlocks(at)
  target.fill(0, at, end)
  return end
}

/** The bytes of a log are those of a later release: nothing can be said about them. */
export class UnknownLogError extends Error {
  override readonly name = 'UnknownLogError'
}

/** A batch as it lies in a segment, and where it ends there. */
interface Found {
  readonly batch: Batch
  readonly end: number
}

/**
 * The sound batch that begins at `at`; undefined when there is none. Its bodies are parts of `bytes`.
 *
 * Errors  `UnknownLogError`.
 */
function readBatch(bytes: Buffer, at: number): Found | undefined {
  if (bytes.length - at < HEADER_BYTES || bytes.readUInt32BE(at) !== MAGIC) return undefined
  const end = at + HEADER_BYTES + bytes.readUInt32BE(at + AT.length)
  if (end > bytes.length) return undefined
  if (crc32(bytes.subarray(at + AT.version, end)) !== bytes.readUInt32BE(at + AT.crc))
    return undefined
  const version = bytes.readUInt32BE(at + AT.version)
  if (version !== VERSION) {
    throw new UnknownLogError(`was written by a newer release (version ${version})`)
  }
  const records = readRecords(bytes, at + HEADER_BYTES, end)
  const number = bytes.readDoubleBE(at + AT.number)
  const oldest = bytes.readDoubleBE(at + AT.oldest)
  return { batch: { number, oldest, records }, end: wholeBlocks(end) }
}

/** The checksum was right, so the lengths are those that were written. */
function readRecords(bytes: Buffer, from: number, end: number): LogRecord[] {
  const records: LogRecord[] = []
  for (let at = from; at < end; ) {
    const bodyAt = at + RECORD_BYTES + bytes.readUInt16BE(at)
    const bodyEnd = bodyAt + bytes.readUInt32BE(at + 10)
    records.push({
      key: bytes.toString('utf8', at + RECORD_BYTES, bodyAt),
      epoch: bytes.readDoubleBE(at + 2),
      body: bytes.subarray(bodyAt, bodyEnd),
    })
    at = bodyEnd
  }
  return records
}

/** Every sound batch of a segment, of whatever lap, wherever it begins. */
export function batchesIn(bytes: Buffer): readonly Batch[] {
  const batches: Batch[] = []
  for (let at = 0; at < bytes.length; ) {
    const found = readBatch(bytes, at)
    if (found !== undefined) batches.push(found.batch)
    at = found?.end ?? at + BLOCK_BYTES
  }
  return batches
}

/** What all segments of a log tell together. */
export interface LogContents {
  /** Every sound batch, in order. Those of earlier laps may be among them. */
  readonly batches: readonly Batch[]
  /**
   * The last number that is missing although it was needed when a later one was written: damage, since a
   * batch is begun only when the one before is safe. Undefined when there is none; a torn end is none.
   */
  readonly hole: number | undefined
}

/** Puts together what the segments of one log hold. */
export function contentsOf(segments: readonly Buffer[]): LogContents {
  const batches = segments.flatMap(batchesIn).sort((a, b) => a.number - b.number)
  const last = batches.at(-1)
  if (last === undefined) return { batches, hole: undefined }
  const found = new Set(batches.map(({ number }) => number))
  for (let number = last.number; number >= last.oldest; number--) {
    if (!found.has(number)) return { batches, hole: number }
  }
  return { batches, hole: undefined }
}
