import { join } from 'node:path'
import t from 'tap'
import { record } from './fixtures/days.ts'
import { accountTables, journalOf } from './fixtures/disk.ts'
import { Play } from './fixtures/play.ts'
import { script } from './fixtures/script.ts'

const run = async (t: import('tap').Test, folder: string, between?: (p: Play) => Promise<void>) => {
  const recording = record(join(t.testdirName, 'days.ndjson'))
  const play = await Play.open(t, { folder, recording })
  await script(t, play, () => between?.(play) ?? Promise.resolve())
  await play.stop()
  const tables = await accountTables(join(folder, 'data'), '10000001')
  return { play, tables }
}
const mask = (x: unknown) => {
  const ids = new Map<string, string>()
  return JSON.parse(
    JSON.stringify(x).replaceAll(/"01[A-Z0-9]{24}"/g, (m) => {
      ids.has(m) || ids.set(m, `"id${ids.size}"`)
      return ids.get(m)!
    }),
  )
}
t.test('x', async (t) => {
  const dir = t.testdir({ a: {}, b: {}, c: {} })
  const a = await run(t, join(dir, 'a'))
  const b = await run(t, join(dir, 'b'))
  t.same(mask(a.play.answers), mask(b.play.answers))
  t.same(mask(a.play.looks), mask(b.play.looks))
  t.same(mask(journalOf(a.tables)), mask(journalOf(b.tables)))
  const c = await run(t, join(dir, 'c'), (p) => p.restart())
  t.same(mask(a.play.answers), mask(c.play.answers))
  t.same(mask(a.play.looks), mask(c.play.looks))
  console.log(JSON.stringify(journalOf(a.tables)).slice(0, 3000))
})
