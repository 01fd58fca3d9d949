import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { SentKeys, type SentKeysOptions } from '../../../src/drivers/gateway/sent-keys.ts'

const DAY_MS = 86_400_000
const TODAY_MS = Date.parse('2026-08-11T10:00:00+08:00')
const at = (folder: string, parts: Partial<SentKeysOptions> = {}) =>
  new SentKeys({
    folder,
    keepDays: 2,
    keysMax: 3,
    idThere: (key) => `there-${key}`,
    nowMs: () => TODAY_MS,
    ...parts,
  })

t.test(
  'F105 what was to be sent is known to the next life, also behind a line that was cut off',
  async (t) => {
    const folder = t.testdir()
    const first = at(folder)
    first.noteEpoch(4)
    first.add('A', 'grid')
    first.add('B', 'stop_loss')
    first.decide('A', '1001')
    first.close()
    appendFileSync(join(folder, 'sent.ndjson'), '{"key":"C","stra')
    const next = at(folder)
    t.teardown(() => next.close())
    t.equal(next.epoch, 4)
    t.strictSame(next.undecided(), ['B'])
    t.match(next.find('A'), { strategy: 'grid', orderId: '1001', isDecided: true })
    t.match(next.shownAs('there-B'), { key: 'B' })
    t.match(next.numbered('1001', TODAY_MS), { key: 'A' })
    t.equal(next.numbered('1001', TODAY_MS + DAY_MS), undefined, 'numbers begin anew every day')
  },
)

t.test('decided keys are forgotten after some days, open ones never', async (t) => {
  const folder = t.testdir()
  const first = at(folder)
  first.add('A', 'grid')
  first.add('B', 'grid')
  first.decide('A', '')
  first.close()
  const later = at(folder, { nowMs: () => TODAY_MS + 9 * DAY_MS })
  t.teardown(() => later.close())
  t.equal(later.find('A'), undefined)
  t.strictSame(later.undecided(), ['B'])
})

t.test('more keys than are kept are not sent', async (t) => {
  const keys = at(t.testdir())
  t.teardown(() => keys.close())
  for (const key of ['A', 'B', 'C']) keys.add(key, 'grid')
  t.throws(() => keys.add('D', 'grid'), /sent_max/)
})

t.test(
  'F219 keys of past days make room for new ones, in a life that is never begun anew',
  async (t) => {
    let nowMs = TODAY_MS
    const keys = at(t.testdir(), { nowMs: () => nowMs })
    t.teardown(() => keys.close())
    for (const key of ['A', 'B', 'C']) keys.add(key, 'grid')
    for (const [key, orderId] of [
      ['A', '1001'],
      ['B', ''],
    ] as const)
      keys.decide(key, orderId)
    nowMs += 9 * DAY_MS
    keys.add('D', 'stop_loss')
    keys.add('E', 'grid')
    t.throws(() => keys.add('F', 'grid'), /sent_max/)
    t.strictSame(keys.undecided(), ['C', 'D', 'E'], 'whose fate nobody knows stay')
    t.equal(keys.find('A'), undefined)
    t.equal(keys.numbered('1001', TODAY_MS), undefined)
  },
)
