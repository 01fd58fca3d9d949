import { open, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import t from 'tap'
import { LineReader } from '../../src/market/line-reader.ts'

const read = async (path: string, chunkBytes: number, lineBytesMax: number, offset = 0) => {
  const file = await open(path)
  const reader = new LineReader(file, offset, { chunkBytes, lineBytesMax })
  const lines: string[] = []
  const offsets: number[] = []
  do {
    while (reader.next()) {
      lines.push(reader.isTooLong ? '(too long)' : reader.text)
      offsets.push(reader.offset)
    }
  } while (await reader.fill())
  await file.close()
  return { lines, offsets }
}

t.test(
  'lines come whole whatever the size of the chunks, the last one without its end too',
  async (t) => {
    const dir = t.testdir()
    const path = join(dir, 'lines')
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.stringMatching(/^[a-z上]{0,12}$/), { maxLength: 12 }),
        fc.integer({ min: 1, max: 40 }),
        fc.boolean(),
        async (texts, chunkBytes, hasEnd) => {
          const text = texts.join('\n') + (hasEnd ? '\n' : '')
          await writeFile(path, text)
          const expected = text.split('\n')
          if (expected.at(-1) === '') expected.pop()
          const shown = expected.map((line) => (Buffer.byteLength(line) > 20 ? '(too long)' : line))
          const { lines, offsets } = await read(path, chunkBytes, 20)
          t.same(lines, shown, JSON.stringify({ text, chunkBytes }))
          for (const [index, offset] of offsets.entries()) {
            const rest = await read(path, chunkBytes, 20, offset)
            t.same(rest.lines, shown.slice(index + 1), `from byte ${offset}`)
          }
        },
      ),
      { numRuns: 40 },
    )
  },
)

t.test(
  'a line over the limit is one line that is too long, and the next one is read',
  async (t) => {
    const dir = t.testdir({ lines: `a\n${'b'.repeat(1_000)}\nc\n${'d'.repeat(99)}` })
    t.same((await read(join(dir, 'lines'), 16, 10)).lines, ['a', '(too long)', 'c', '(too long)'])
    t.same((await read(join(dir, 'lines'), 4_096, 10)).lines, [
      'a',
      '(too long)',
      'c',
      '(too long)',
    ])
  },
)
