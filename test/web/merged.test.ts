import fc from 'fast-check'
import t from 'tap'
import { connectionOf } from '../../web/monitor/connection.ts'
import { fitting, merged } from '../../web/shared/merged.ts'

const BEFORE = {
  language: 'zh-CN',
  theme: 'auto',
  alerts: { warn: 'off', critical: 'off' },
  tables: { orders: { hidden: ['id'] } },
}

t.test('what one tab has chosen does not undo what another one has chosen', async (t) => {
  const mine = { ...BEFORE, theme: 'dark', alerts: { warn: 'sound', critical: 'off' } }
  const theirs = { ...BEFORE, language: 'en', alerts: { warn: 'off', critical: 'both' } }
  t.strictSame(merged(BEFORE, mine, theirs), {
    language: 'en',
    theme: 'dark',
    alerts: { warn: 'sound', critical: 'both' },
    tables: { orders: { hidden: ['id'] } },
  })
})

t.test('where both have chosen, the last one who chooses wins', async (t) => {
  const mine = { ...BEFORE, theme: 'dark' }
  t.strictSame(merged(BEFORE, mine, { ...BEFORE, theme: 'light' }), mine)
})

t.test(
  'tables that each tab has looked at are both kept, an order of rows is one choice',
  async (t) => {
    const sort = { key: 'time', descending: true }
    const mine = { tables: { orders: { hidden: [], sort } } }
    const theirs = {
      tables: { orders: { hidden: ['id'], sort: { key: 'price', descending: false } }, trades: {} },
    }
    t.strictSame(merged({ tables: BEFORE.tables }, mine, theirs), {
      tables: { orders: { hidden: [], sort }, trades: {} },
    })
  },
)

t.test('what is taken back here is gone, and what only the other tab has stays', async (t) => {
  const sort = { key: 'time' }
  const before = { orders: { sort, hidden: [] } }
  t.strictSame(merged(before, { orders: { sort: undefined, hidden: [] } }, before), {
    orders: { hidden: [] },
  })
  t.strictSame(merged({}, {}, before), before)
})

t.test('nothing that only one tab has changed is lost', async () => {
  const choices = fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.integer())
  fc.assert(
    fc.property(choices, choices, (mine, theirs) => {
      const before = {}
      return (
        JSON.stringify(merged(before, mine, before)) === JSON.stringify(mine) &&
        JSON.stringify(merged(before, before, theirs)) === JSON.stringify(theirs)
      )
    }),
  )
})

t.test('F857 what is kept of choices and is none of them counts as not chosen', async (t) => {
  const defaults = { language: 'zh', isDense: false, alerts: { info: 'off' }, tables: {} }
  const good = { language: 'en', isDense: true, alerts: { info: 'both' }, tables: { a: {} } }
  t.strictSame(fitting(defaults, good), good)
  const bad = { language: 7, isDense: 'yes', alerts: null, tables: [1], other: 1 }
  t.strictSame(fitting(defaults, bad), { ...defaults, other: 1 })
  for (const none of [undefined, null, 'abc', [1], 5])
    t.strictSame(fitting(defaults, none), defaults)
})

t.test('F857 nor is what the monitor keeps of where it reads taken for an address', async (t) => {
  const good = { mode: 'direct', base: 'http://127.0.0.1:5000', token: 'let-me-in' }
  t.strictSame(connectionOf(good), good)
  const none = { mode: 'gateway', base: '', token: '' }
  for (const bad of [null, 'abc', { mode: 'other', base: null, token: 5 }])
    t.strictSame(connectionOf(bad), none)
})
