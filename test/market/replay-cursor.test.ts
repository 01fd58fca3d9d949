import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { REPLAY_START, ReplayCursor } from '../../src/market/replay-cursor.ts'
import { at, lines, tickOf } from './fixtures/ticks.ts'

const T0 = at('2026-08-11', '10:00:00')
const CODE = '600036.SH'
const AHEAD = at('2050-01-04', '10:00:00')
const later = (seconds: number) => tickOf(CODE, T0 + seconds * 1_000, 10)
const ahead = tickOf(CODE, AHEAD, 10)

function written(t: Test, text: string): string {
  const path = join(t.testdir(), 'day.ndjson')
  writeFileSync(path, text)
  return path
}

/** Seconds after T0 of what is played of a recording, and the bad lines. */
async function played(t: Test, text: string, chunkBytes = 65_536) {
  const path = written(t, text)
  const bad: [number, string][] = []
  const limits = { lineBytesMax: 65_536, chunkBytes }
  const note = (line: number, reason: string) => void bad.push([line, reason])
  const cursor = await ReplayCursor.open(path, REPLAY_START, limits, note)
  const seconds: number[] = []
  do {
    for (let tick = cursor.peek(); tick !== undefined; tick = cursor.peek()) {
      seconds.push((tick.time - T0) / 1_000)
      cursor.consume()
    }
  } while (await cursor.fill())
  await cursor.close()
  return { seconds, bad }
}

t.test('F274 a line far ahead costs itself, wherever it stands', async (t) => {
  const all = [0, 1, 2, 3, 4, 5, 6, 7].map(later)
  const seconds = [0, 1, 2, 3, 4, 5, 6, 7]
  const why = 'time far ahead of the lines after it'
  const places = [0, 1, 4, 6, 7]
  for (const place of places) {
    const file = lines(all.toSpliced(place, 0, ahead))
    for (const chunkBytes of [64, 65_536]) {
      const one = await played(t, file, chunkBytes)
      t.strictSame(one, { seconds, bad: [[place + 1, why]] }, `at ${place}, by ${chunkBytes} bytes`)
    }
  }
  const twice = await played(t, lines(all.toSpliced(2, 0, ahead, ahead)))
  t.strictSame(twice.seconds, seconds, 'two stocks may have it')
  const blank = await played(t, lines(all.toSpliced(2, 0, ahead)).replaceAll('\n', '\n\nno line\n'))
  t.strictSame(blank.seconds, seconds, 'lines that are none do not hide it')
})

t.test('F274 a line of a later hour costs no line of that hour', async (t) => {
  const all = [0, 1, 2, 3, 4].map(later)
  const { seconds, bad } = await played(t, lines(all.toSpliced(2, 0, later(7_200))))
  t.strictSame(seconds, [0, 1, 2, 3, 4])
  t.equal(bad.length, 1)
  const late = await played(t, lines(all.toSpliced(2, 0, later(-7_200))))
  t.strictSame(late, { seconds, bad: [[3, 'time goes backwards']] })
})

t.test('F274 breaks, nights and years without a quote are no lines ahead', async (t) => {
  const breaks = [0, 5_400, 5_401, 86_400, 4 * 86_400, 400 * 86_400]
  const { seconds, bad } = await played(t, lines(breaks.map(later)))
  t.strictSame(seconds, breaks)
  t.strictSame(bad, [])
  // A late line of the day before, behind the first of a day, is the bad one.
  const [night, dawn] = [later(100), [86_400, 86_401, 86_402].map(later)]
  const mixed = await played(t, lines([later(0), ...dawn.toSpliced(1, 0, night)]))
  t.strictSame(mixed.seconds, [0, 86_400, 86_401, 86_402])
})

/** All that a recording says to whoever plays it. */
async function story(path: string, chunkBytes: number, ahead: () => number) {
  const told: unknown[] = []
  const limits = { lineBytesMax: 400, chunkBytes }
  const note = (line: number, reason: string) => void told.push([line, reason])
  const cursor = await ReplayCursor.open(path, REPLAY_START, limits, note)
  do {
    for (let tick = cursor.peek(); tick !== undefined; tick = cursor.peek()) {
      const seen = JSON.stringify(tick)
      const ticksMax = ahead()
      while (cursor.readAhead(ticksMax));
      told.push([seen, JSON.stringify(tick) === seen])
      cursor.consume()
      told.push(cursor.position(), cursor.bad)
    }
  } while (await cursor.fill())
  await cursor.close()
  return told
}

t.test('whatever is read ahead changes nothing of what is told, nor when', async (t) => {
  const path = join(t.testdir(), 'day.ndjson')
  const gaps = fc.constantFrom(0, 0, 1, 1, 3, 59, 61, 7_200, -1, -90)
  const usual = fc.record({ gap: gaps, price: fc.integer({ min: 1, max: 9_999 }) })
  const odd = fc.constantFrom(
    '',
    ' ',
    'no line',
    '{"time":1e12}',
    'x'.repeat(500),
    JSON.stringify(ahead),
    JSON.stringify({ ...later(2), lastPrice: -1 }),
    JSON.stringify({ ...later(90), note: '行情' }),
  )
  const file = fc.array(fc.oneof({ weight: 12, arbitrary: usual }, { weight: 1, arbitrary: odd }), {
    maxLength: 120,
  })
  const text = file.map((rows) => {
    let second = 0
    return rows.map((row) => {
      if (typeof row === 'string') return row
      second += row.gap
      return JSON.stringify(tickOf(CODE, T0 + second * 1_000, row.price / 100))
    })
  })
  const chunks = fc.constantFrom(64, 512, 4_096, 65_536)
  const depths = fc.infiniteStream(fc.constantFrom(0, 0, 1, 5, 50))
  await fc.assert(
    fc.asyncProperty(text, chunks, depths, async (rows, chunkBytes, depth) => {
      writeFileSync(path, rows.join('\n'))
      const plain = await story(path, chunkBytes, () => 0)
      const readAhead = await story(path, chunkBytes, () => depth.next().value)
      t.strictSame(readAhead, plain)
    }),
    { numRuns: 300 },
  )
})

t.test('usual lines are read ahead as far as wanted, and no other', async (t) => {
  const all = [0, 1, 2, 3, 4, 5].map(later)
  const cursor = await ReplayCursor.open(
    written(t, lines(all)),
    REPLAY_START,
    { lineBytesMax: 65_536, chunkBytes: 65_536 },
    () => undefined,
  )
  t.equal(cursor.readAhead(2), false, 'nothing is held yet')
  while (cursor.peek() === undefined && (await cursor.fill()));
  const atFirst = cursor.position()
  t.equal(cursor.readAhead(0), false)
  t.equal(cursor.readAhead(2), false, 'no more than wanted')
  t.strictSame(cursor.position(), atFirst)
  const read = new Set(
    all.map(() => {
      const tick = cursor.peek()
      cursor.consume()
      return tick
    }),
  )
  t.equal(read.size, 3, 'two beside the usual one')
  await cursor.close()
})
