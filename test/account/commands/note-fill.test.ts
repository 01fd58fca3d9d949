import t from 'tap'
import type { NoteFill } from '../../../src/protocol/fills.ts'
import { BANK, Bench, refusals, replies } from '../fixture.ts'

/** With limits of 20 characters and 3 notes, as the fixture has them. */
function account() {
  const bench = new Bench().ready()
  const write = (note: string | null, more: Partial<NoteFill> = {}) =>
    bench.input({
      kind: 'request',
      ref: 7,
      request: {
        kind: 'noteFill',
        fillId: 12,
        note,
        expected: null,
        code: BANK,
        source: 'operator',
        ...more,
      },
    })
  const refusal = (effects: ReturnType<typeof write>) =>
    effects.flatMap((effect) => (effect.kind === 'refuse' ? [effect.error] : []))[0]
  const noted = () =>
    bench.journal.flatMap(({ event }) => (event.kind === 'fillNoted' ? [event] : []))
  return { bench, write, refusal, noted }
}

t.test(
  'a note is written, changed and deleted, each as an entry with before and after',
  async (t) => {
    const { bench, write, noted } = account()
    const dataVersion = bench.state.dataVersion
    t.match(replies(write('试仓')), [{ note: '试仓', isChanged: true }])
    t.ok(bench.state.dataVersion > dataVersion, 'pages look again')
    t.equal(bench.state.fillNotes.get(12), '试仓')
    t.match(replies(write('加仓', { expected: '试仓' })), [{ note: '加仓', isChanged: true }])
    t.match(replies(write(null, { expected: '加仓' })), [{ note: null, isChanged: true }])
    t.strictSame([...bench.state.fillNotes], [])
    const entry = { kind: 'fillNoted', recordId: 12, code: BANK, source: 'operator' }
    t.strictSame(noted(), [
      { ...entry, before: null, note: '试仓' },
      { ...entry, before: '试仓', note: '加仓' },
      { ...entry, before: '加仓', note: null },
    ])
  },
)

t.test('who has seen another note overwrites nothing, and is told what stands there', async (t) => {
  const { bench, write, refusal, noted } = account()
  write('甲的话')
  const overtaken = refusal(write('乙的话'))
  t.match(overtaken, {
    code: 'CONFLICT',
    message: /已被他人改为“甲的话” \(/,
    details: { expected: [/甲的话/], present: ['甲的话'] },
  })
  t.match(refusal(write(null, { expected: '乙的话' })), { code: 'CONFLICT' }, 'nor deletes it')
  write(null, { expected: '甲的话' })
  t.match(refusal(write('乙的话', { expected: '甲的话' })), {
    code: 'CONFLICT',
    message: /已被删除/,
    details: { present: [] },
  })
  t.equal(bench.state.fillNotes.size, 0)
  t.equal(noted().length, 2, 'a refusal is no entry')
})

t.test('the same once more is done already, whatever was seen before it', async (t) => {
  const { write, noted } = account()
  t.match(replies(write(null)), [{ note: null, isChanged: false }])
  write('试仓')
  for (const expected of [null, '试仓', '另一条']) {
    t.match(replies(write('试仓', { expected })), [{ note: '试仓', isChanged: false }])
  }
  t.equal(noted().length, 1)
})

t.test('a record that is not there has no note', async (t) => {
  const { bench, write } = account()
  const { code: _found, ...missing } = { code: BANK, kind: 'noteFill' as const }
  const effects = bench.input({
    kind: 'request',
    ref: 7,
    request: { ...missing, fillId: 99, note: '试仓', expected: null, source: 'operator' },
  })
  t.strictSame(refusals(effects), ['UNKNOWN_FILL'])
  t.strictSame(refusals(write('试仓')), [])
})

t.test('a note has so many characters, counted as people count them, and no more', async (t) => {
  const { write, refusal } = account()
  const table: [string, boolean][] = [
    ['字'.repeat(20), true],
    ['字'.repeat(21), false],
    ['🚀'.repeat(20), true],
    ['🚀'.repeat(21), false],
    [`${'a'.repeat(10)}\n${'b'.repeat(9)}`, true],
  ]
  for (const [index, [note, isGood]] of table.entries()) {
    const error = refusal(write(note, { fillId: index % 2, expected: null }))
    if (isGood) write(null, { fillId: index % 2, expected: note })
    t.equal(error === undefined, isGood, note)
    if (!isGood)
      t.match(error, { code: 'VALIDATION', details: { note: [/最多 20 个字符，现有 21 个/] } })
  }
})

t.test('at the limit a further note is refused; those that are there change and go', async (t) => {
  const { bench, write, refusal } = account()
  for (const fillId of [1, 2, 3]) write('试仓', { fillId })
  t.match(refusal(write('试仓', { fillId: 4 })), {
    code: 'CONFLICT',
    message: /上限 3 条.*fill_notes_max/,
    details: { note: [/delete some first/] },
  })
  t.strictSame(refusals(write('加仓', { fillId: 2, expected: '试仓' })), [])
  write(null, { fillId: 1, expected: '试仓' })
  t.strictSame(refusals(write('试仓', { fillId: 4 })), [])
  t.equal(bench.state.fillNotes.size, 3)
})

t.test('a note goes with its record', async (t) => {
  const { bench, write } = account()
  write('试仓', { fillId: 1 })
  write('试仓', { fillId: 2 })
  bench.input({ kind: 'recordsCleared', scope: 'today', ids: [3, 2], source: 'operator' })
  t.strictSame([...bench.state.fillNotes.keys()], [1])
})
