import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { REPLAY_START, ReplayCursor } from '../../src/market/replay-cursor.ts'
import { at, lines, tickOf } from './fixtures/ticks.ts'

const T0 = at('2026-08-11', '10:00:00')
const CODE = '600036.SH'
const AHEAD = at('2050-01-04', '10:00:00')
const later = (seconds: number) => tickOf(CODE, T0 + seconds * 1_000, 10)
const ahead = tickOf(CODE, AHEAD, 10)

/** Seconds after T0 of what is played of a recording, and the bad lines. */
async function played(t: Test, text: string, chunkBytes = 65_536) {
  const path = join(t.testdir(), 'day.ndjson')
  writeFileSync(path, text)
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
