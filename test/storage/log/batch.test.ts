import { crc32 } from 'node:zlib'
import fc from 'fast-check'
import t from 'tap'
import {
  type Batch,
  BLOCK_BYTES,
  batchesIn,
  bytesOfBatch,
  contentsOf,
  UnknownLogError,
  writeBatch,
} from '../../../src/storage/log/batch.ts'

const record = (key: string, body: string, epoch = 1) => ({ key, epoch, body: Buffer.from(body) })
const batch = (number: number, oldest = 1, size = 20): Batch => ({
  number,
  oldest,
  records: [record('1', `first of ${number}`), record('2', 'x'.repeat(size), number)],
})
const SEGMENT_BYTES = 16 * BLOCK_BYTES

/** A segment with these batches one behind the other, over what was there. */
function segment(batches: readonly Batch[], bytes: Buffer = Buffer.alloc(SEGMENT_BYTES)): Buffer {
  let at = 0
  for (const one of batches) at += writeBatch(bytes.subarray(at), one)
  return bytes
}
const numbersIn = (bytes: Buffer) => batchesIn(bytes).map(({ number }) => number)
const told = (...segments: Buffer[]) => {
  const { batches, hole } = contentsOf(segments)
  return { numbers: batches.map(({ number }) => number), hole }
}

t.test('what was written is read again, and nothing before the first batch', async (t) => {
  t.strictSame(batchesIn(Buffer.alloc(SEGMENT_BYTES)), [])
  t.strictSame(told(Buffer.alloc(SEGMENT_BYTES)), { numbers: [], hole: undefined })
  const records = [record('账户', 'a', 7), record('2', '', 2 ** 40)]
  const [found] = batchesIn(segment([{ number: 1, oldest: 1, records }]))
  t.strictSame(found, { number: 1, oldest: 1, records })
  t.strictSame(numbersIn(segment([batch(1), { number: 2, oldest: 2, records: [] }])), [1, 2])
})

t.test('any batches of any sizes come back, and take the blocks that were announced', async () => {
  const records = fc.array(
    fc.record({
      key: fc.string({ minLength: 1, maxLength: 40, unit: 'grapheme' }),
      epoch: fc.maxSafeInteger(),
      body: fc.uint8Array({ maxLength: 3 * BLOCK_BYTES }).map((bytes) => Buffer.from(bytes)),
    }),
    { maxLength: 4 },
  )
  fc.assert(
    fc.property(fc.array(records, { minLength: 1, maxLength: 4 }), (groups) => {
      const batches = groups.map((group, i) => ({ number: i + 1, oldest: 1, records: group }))
      const bytes = Buffer.alloc(100 * BLOCK_BYTES, 0xa5) // nothing is taken for granted
      let at = 0
      for (const one of batches) {
        const written = writeBatch(bytes.subarray(at), one)
        if (written !== bytesOfBatch(one.records)) throw new Error('another size was announced')
        at += written
      }
      const found = JSON.stringify(batchesIn(bytes))
      if (found !== JSON.stringify(batches)) throw new Error('something else came back')
    }),
    { numRuns: 60 },
  )
})

t.test('a last batch that is torn at any byte is cut, and nothing else', async (t) => {
  const whole = segment([batch(1), batch(2), batch(3, 1, BLOCK_BYTES)])
  const before = segment([batch(1), batch(2)])
  const start = 2 * BLOCK_BYTES
  const end = start + 2 * BLOCK_BYTES
  for (let at = start; at < end; at++) {
    const torn = Buffer.concat([whole.subarray(0, at), before.subarray(at)])
    const { numbers, hole } = told(torn)
    const isWhole = torn.equals(whole)
    if (hole !== undefined || numbers.length !== (isWhole ? 3 : 2)) {
      return void t.fail(`torn at ${at}: ${numbers}, hole ${hole}`)
    }
  }
  t.pass('at every byte')
})

t.test('any length of the file shows a beginning of what was written', async (t) => {
  const whole = segment([batch(1), batch(2), batch(3)])
  for (let length = 0; length <= 3 * BLOCK_BYTES; length++) {
    const { numbers, hole } = told(whole.subarray(0, length))
    const isBeginning = numbers.every((number, i) => number === i + 1)
    if (!isBeginning || hole !== undefined) return void t.fail(`cut at ${length}: ${numbers}`)
  }
  t.pass('at every length')
})

t.test(
  'a bit that flips in any byte of a middle batch is a hole; of the last, an end',
  async (t) => {
    const whole = segment([batch(1), batch(2), batch(3)])
    const used = bytesUsed(batch(2))
    for (let at = 0; at < used; at++) {
      for (const [start, expected] of [
        [BLOCK_BYTES, { numbers: [1, 3], hole: 2 }],
        [2 * BLOCK_BYTES, { numbers: [1, 2], hole: undefined }],
      ] as const) {
        const flipped = Buffer.from(whole)
        flipped[start + at] = (flipped[start + at] ?? 0) ^ (1 << (at % 8))
        const found = told(flipped)
        if (JSON.stringify(found) !== JSON.stringify(expected)) {
          return void t.fail(`byte ${at}: ${JSON.stringify(found)}`)
        }
      }
    }
    t.pass('in every byte')
  },
)

t.test('a hole is what a later batch needed; what it did not need may be gone', async (t) => {
  const lost = (number: number, batches: readonly Batch[]) => {
    const bytes = segment(batches)
    return told(bytes.fill(0, (number - 1) * BLOCK_BYTES, number * BLOCK_BYTES))
  }
  t.strictSame(lost(1, [batch(1), batch(2), batch(3)]), { numbers: [2, 3], hole: 1 })
  t.strictSame(lost(1, [batch(1), batch(2), batch(3, 2)]), { numbers: [2, 3], hole: undefined })
  t.strictSame(lost(2, [batch(1), batch(2), batch(3, 2)]), { numbers: [1, 3], hole: 2 })
})

t.test('an earlier lap behind the end is older, not damage', async (t) => {
  const first = segment([batch(1), batch(2), batch(3), batch(4)])
  const other = segment([batch(5, 4), batch(6, 5), { number: 7, oldest: 7, records: [] }])
  const second = segment([batch(8, 7), batch(9, 8)], first)
  t.strictSame(told(second, other), { numbers: [3, 4, 5, 6, 7, 8, 9], hole: undefined })
  const torn = segment([batch(1), batch(2), batch(3), batch(4)]).fill(1, 0, 10)
  t.strictSame(told(torn, other), { numbers: [2, 3, 4, 5, 6, 7], hole: undefined })
})

t.test('a body that looks like a batch is none', async (t) => {
  const inner = segment([batch(99)]).subarray(0, BLOCK_BYTES)
  const body = Buffer.concat([Buffer.alloc(BLOCK_BYTES - 47), inner]) // it lies at the start of a block
  const bytes = segment([
    { number: 1, oldest: 1, records: [{ key: '1', epoch: 1, body }] },
    batch(2),
  ])
  t.equal(numbersIn(bytes.subarray(BLOCK_BYTES))[0], 99, 'it does look like one')
  t.strictSame(numbersIn(bytes), [1, 2])
})

t.test('a batch of a newer release is told, not passed over', async (t) => {
  const bytes = segment([batch(1)])
  t.throws(() => batchesIn(ofVersion(bytes, 2)), UnknownLogError)
})

/** Header, two records with their keys and bodies, no padding. */
const bytesUsed = ({ records }: Batch): number =>
  records.reduce((sum, { key, body }) => sum + 14 + Buffer.byteLength(key) + body.length, 32)

function ofVersion(bytes: Buffer, version: number): Buffer {
  const other = Buffer.from(bytes)
  const end = 32 + other.readUInt32BE(12)
  other.writeUInt32BE(version, 8)
  other.writeUInt32BE(crc32(other.subarray(8, end)), 4)
  return other
}
