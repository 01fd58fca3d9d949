import fc from 'fast-check'
import t from 'tap'
import { FrameReader, frame } from '../../src/cluster/frames.ts'

function readAll(reader: FrameReader): Uint8Array[] {
  const found: Uint8Array[] = []
  for (let next = reader.next(); next !== undefined; next = reader.next()) {
    found.push(new Uint8Array(next))
  }
  return found
}

t.test('frames come back whole, however the stream is cut', async (t) => {
  const frames = fc.array(fc.uint8Array({ maxLength: 50 }), { maxLength: 10 })
  const cuts = fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 20 })
  const isWhole = fc.property(frames, cuts, (frames, cuts) => {
    const stream = Buffer.concat(frames.map(frame))
    const reader = new FrameReader(50)
    const found: Uint8Array[] = []
    for (let from = 0, i = 0; from < stream.length; i++) {
      const size = cuts[i % cuts.length] ?? 1
      reader.push(stream.subarray(from, from + size))
      found.push(...readAll(reader))
      from += size
    }
    t.strictSame(found, frames)
  })
  fc.assert(isWhole)
})

t.test('a frame announced longer than allowed is refused before it arrives', async (t) => {
  const reader = new FrameReader(3)
  reader.push(frame(new Uint8Array(3)))
  t.equal(reader.next()?.length, 3)
  reader.push(frame(new Uint8Array(4)).subarray(0, 4))
  t.throws(() => reader.next(), { message: /4 bytes; at most 3/ })
})
