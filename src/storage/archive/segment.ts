import { promisify } from 'node:util'
import { constants, crc32, zstdCompress, zstdDecompressSync } from 'node:zlib'
import { err, ok, type Result } from '../../domain/result.ts'
import type { JournalMark, StoredEntry } from '../../protocol/store.ts'
import { chainHash } from '../journal-chain.ts'

/** Before the first entry. */
export const JOURNAL_BEGIN: JournalMark = { seq: 0, hash: new Uint8Array(32), epoch: 0 }

/** What the head of a segment says; the body is checked against it. */
export interface SegmentHead {
  readonly account: string
  readonly first: number
  readonly last: number
  /** The entry before the first. */
  readonly before: JournalMark
  readonly end: JournalMark
  /** Latest time of an entry, epoch milliseconds of the market clock. */
  readonly newestMs: number
  readonly rawBytes: number
  readonly packedBytes: number
  readonly bodyCrc: number
}

export interface Segment {
  readonly head: SegmentHead
  readonly entries: readonly StoredEntry[]
}

/*
 * A segment file, all numbers big endian:
 *
 *   0    magic, 8 bytes             56   hash of the entry before the first, 32 bytes
 *   8    version, uint16            88   hash of the last entry, 32 bytes
 *   10   compression, uint16        120  length of the account, uint8, and its characters
 *   12   first and last, uint64     252  CRC-32 of all before it, uint32
 *   28   epoch before, uint64       256  the body, compressed
 *   36   newest time, float64
 *   44   length of the body, bare and compressed, and CRC-32 of the latter, uint32 each
 *   160  epoch of the last entry, uint64
 *
 * The body is one row an entry: time and epoch (float64), length of kind (uint16), length of body (uint32),
 * kind (UTF-8), body. Hashes are not in it: they follow from the one before the first, they cannot be
 * compressed, and an entry that was changed makes another last one.
 */
const MAGIC = Buffer.from('STWDJSEG', 'latin1')
const VERSION = 1
const ZSTD = 1
export const HEAD_BYTES = 256
const HEAD_CRC_AT = HEAD_BYTES - 4
const HASH_BYTES = 32
const ROW_BYTES = 8 + 8 + 2 + 4
/** What no segment is longer than, bare: one that says more was not written here. */
const RAW_BYTES_MAX = 268_435_456

/**
 * Measured on journals of price marks: level 9 packs an entry into 14.7 bytes at 400,000 entries a second, deflate
 * into 18.2 at as many, brotli into 14.4 at a third; reading is the same for all (docs/decisions/0038).
 */
const LEVEL = 9
const compress = promisify(zstdCompress)

/** Bytes that an entry takes in a segment before it is compressed. */
export const rawBytesOf = ({ kind, body }: StoredEntry): number =>
  ROW_BYTES + Buffer.byteLength(kind) + body.length

/**
 * The file of consecutive entries that follow `before`, of which there is one at least. They are compressed
 * beside this thread. The chain is checked by whoever reads it back, which is done before anything is removed.
 */
export async function packSegment(
  account: string,
  before: JournalMark,
  entries: readonly StoredEntry[],
): Promise<Buffer> {
  const last = entries.at(-1)
  if (last === undefined) throw new Error('a segment of no entries')
  const raw = rawOf(entries)
  const params = { [constants.ZSTD_c_compressionLevel]: LEVEL }
  const packed = await compress(raw, { params })
  const head = Buffer.alloc(HEAD_BYTES)
  MAGIC.copy(head, 0)
  head.writeUInt16BE(VERSION, 8)
  head.writeUInt16BE(ZSTD, 10)
  head.writeBigUInt64BE(BigInt(before.seq + 1), 12)
  head.writeBigUInt64BE(BigInt(last.seq), 20)
  head.writeBigUInt64BE(BigInt(before.epoch), 28)
  head.writeDoubleBE(newestOf(entries), 36)
  head.writeUInt32BE(raw.length, 44)
  head.writeUInt32BE(packed.length, 48)
  head.writeUInt32BE(crc32(packed), 52)
  head.set(before.hash, 56)
  head.set(last.hash, 56 + HASH_BYTES)
  head.writeUInt8(account.length, 120) // letters and digits, 32 at most
  head.write(account, 121, 'latin1')
  head.writeBigUInt64BE(BigInt(last.epoch), 160)
  head.writeUInt32BE(crc32(head.subarray(0, HEAD_CRC_AT)), HEAD_CRC_AT)
  return Buffer.concat([head, packed])
}

function rawOf(entries: readonly StoredEntry[]): Buffer {
  const pieces: Uint8Array[] = []
  for (const { timeMs, epoch, kind, body } of entries) {
    const name = Buffer.from(kind)
    const row = Buffer.alloc(ROW_BYTES)
    row.writeDoubleBE(timeMs, 0)
    row.writeDoubleBE(epoch, 8)
    row.writeUInt16BE(name.length, 16)
    row.writeUInt32BE(body.length, 18)
    pieces.push(row, name, body)
  }
  return Buffer.concat(pieces)
}

const newestOf = (entries: readonly StoredEntry[]): number =>
  entries.reduce((newest, { timeMs }) => Math.max(newest, timeMs), Number.NEGATIVE_INFINITY)

/** Reads the head of a file, its first {@link HEAD_BYTES}. The error is a few words. */
export function parseSegmentHead(bytes: Uint8Array): Result<SegmentHead, string> {
  if (bytes.length < HEAD_BYTES) return err('it is cut')
  const head = Buffer.from(bytes.subarray(0, HEAD_BYTES))
  if (!head.subarray(0, MAGIC.length).equals(MAGIC)) return err('it is no segment of a journal')
  if (head.readUInt32BE(HEAD_CRC_AT) !== crc32(head.subarray(0, HEAD_CRC_AT))) {
    return err('its head was changed')
  }
  const version = head.readUInt16BE(8)
  if (version !== VERSION || head.readUInt16BE(10) !== ZSTD) {
    return err(`a newer release has written it (version ${version})`)
  }
  const first = Number(head.readBigUInt64BE(12))
  const last = Number(head.readBigUInt64BE(20))
  const hashAt = (at: number) => new Uint8Array(head.subarray(at, at + HASH_BYTES))
  return ok({
    account: head.toString('latin1', 121, 121 + head.readUInt8(120)),
    first,
    last,
    before: { seq: first - 1, hash: hashAt(56), epoch: Number(head.readBigUInt64BE(28)) },
    end: { seq: last, hash: hashAt(88), epoch: Number(head.readBigUInt64BE(160)) },
    newestMs: head.readDoubleBE(36),
    rawBytes: head.readUInt32BE(44),
    packedBytes: head.readUInt32BE(48),
    bodyCrc: head.readUInt32BE(52),
  })
}

/**
 * Reads a whole file: its entries with the hashes that follow from their bytes. The error is a few words:
 * cut, changed, or not what its head says.
 */
export function readSegment(bytes: Uint8Array): Result<Segment, string> {
  const parsed = parseSegmentHead(bytes)
  if (!parsed.ok) return parsed
  const head = parsed.value
  const packed = bytes.subarray(HEAD_BYTES)
  if (packed.length < head.packedBytes) return err('it is cut')
  if (packed.length > head.packedBytes) return err('something was put on behind its end')
  if (crc32(packed) !== head.bodyCrc) return err('it was changed')
  const raw = unpack(packed, head.rawBytes)
  const entries = raw && entriesOf(raw, head)
  const last = entries?.at(-1)
  if (entries === undefined || last === undefined || last.seq !== head.last) {
    return err('its entries are not those that its head names')
  }
  const isEnd = last.epoch === head.end.epoch && Buffer.compare(last.hash, head.end.hash) === 0
  return isEnd ? ok({ head, entries }) : err('an entry in it was changed')
}

function unpack(packed: Uint8Array, rawBytes: number): Buffer | undefined {
  if (rawBytes === 0 || rawBytes > RAW_BYTES_MAX) return undefined
  try {
    const raw = zstdDecompressSync(packed, { maxOutputLength: rawBytes })
    return raw.length === rawBytes ? raw : undefined
  } catch {
    return undefined // longer than it says, or no such stream
  }
}

/** undefined when the rows do not end where the bytes do. */
function entriesOf(
  raw: Buffer,
  { before }: Pick<SegmentHead, 'before'>,
): StoredEntry[] | undefined {
  const entries: StoredEntry[] = []
  let previous = before.hash
  for (let at = 0; at < raw.length; ) {
    if (at + ROW_BYTES > raw.length) return undefined
    const kindEnd = at + ROW_BYTES + raw.readUInt16BE(at + 16)
    const end = kindEnd + raw.readUInt32BE(at + 18)
    if (end > raw.length) return undefined
    const unsigned = {
      seq: before.seq + entries.length + 1,
      timeMs: raw.readDoubleBE(at),
      kind: raw.toString('utf8', at + ROW_BYTES, kindEnd),
      body: new Uint8Array(raw.subarray(kindEnd, end)),
      epoch: raw.readDoubleBE(at + 8),
      previous,
    }
    const hash = chainHash(unsigned)
    entries.push({ ...unsigned, hash })
    previous = hash
    at = end
  }
  return entries
}
