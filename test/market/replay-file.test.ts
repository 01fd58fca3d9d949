import { readFileSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { checkReplayFile } from '../../src/market/replay-cursor.ts'
import { openSystem, replayOf, savedInMemory, untilState } from './fixtures/market.ts'
import { at, tickOf } from './fixtures/ticks.ts'

const T0 = at('2026-08-11', '10:00:00')
const ticks = Array.from({ length: 5 }, (_, n) => tickOf('600036.SH', T0 + n * 1_000, 10))
const LATER = new Date(T0)

/** A replay that stopped after three of five ticks. */
async function played(t: Test) {
  const path = join(t.testdir(), 'day')
  const saved = savedInMemory()
  const config = replayOf(path, ticks, { autostart: false })
  const first = await openSystem({ config, saved })
  await first.market.start()
  await first.market.answer({ kind: 'replayPlay', until: T0 + 2_000 }, undefined)
  await untilState(first, 'paused')
  await first.market.stop()
  return { path, saved, config }
}

t.test('F837 a replay file that is written again as it was goes on where it was', async (t) => {
  const { path, saved, config } = await played(t)
  writeFileSync(path, readFileSync(path))
  utimesSync(path, LATER, LATER)
  const second = await openSystem({ config, saved })
  const status = await second.market.answer({ kind: 'replayStatus' }, undefined)
  t.match(status, { state: 'paused', ticks_played: 3, time: T0 + 2_000 })
  await second.market.stop()
})

t.test(
  'F837 and one that the release before has begun, and nobody has written since',
  async (t) => {
    const { path, saved, config } = await played(t)
    const kept = await saved.replay.load()
    const checked = await checkReplayFile(path)
    if (kept === undefined || !checked.ok) throw new Error('nothing was kept')
    await saved.replay.save({ ...kept, file: checked.value.formerIdentity })
    const second = await openSystem({ config, saved })
    const status = await second.market.answer({ kind: 'replayStatus' }, undefined)
    t.match(status, { state: 'paused', ticks_played: 3, time: T0 + 2_000 })
    await second.market.stop()
    t.equal(
      (await saved.replay.load())?.file,
      checked.value.formerIdentity,
      'its bars go by that name',
    )
  },
)

t.test('a replay file is known by its place, its length and what is in it', async (t) => {
  const path = join(t.testdir(), 'day')
  const identity = async (changed = LATER) => {
    utimesSync(path, changed, changed)
    const file = await checkReplayFile(path)
    return file.ok ? file.value.identity : file.error
  }
  const large = 4 << 20
  for (const bytes of [0, 1, 70_000, large]) {
    const content = Buffer.alloc(bytes, 'a')
    writeFileSync(path, content)
    const known = await identity()
    t.equal(await identity(new Date(T0 + 1_000)), known)
    for (const place of bytes === 0 ? [] : [0, bytes >> 1, bytes - 1]) {
      const other = Buffer.from(content)
      other[place] = 'b'.charCodeAt(0)
      writeFileSync(path, other)
      t.not(await identity(), known, `${bytes} bytes, another at ${place}`)
    }
  }
  truncateSync(path, large - 1)
  t.match(await identity(), new RegExp(` ${large - 1} `), 'its length is part of it')
  truncateSync(path, (64 << 20) + 1)
  const known = await identity()
  t.equal(await identity(), known)
  t.not(await identity(new Date(T0 + 1_000)), known, 'a long one is not read for that')
})
