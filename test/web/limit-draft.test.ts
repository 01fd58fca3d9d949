import t from 'tap'
import {
  changesOf,
  type Draft,
  type Limit,
  leftOf,
  letsSales,
  numberIn,
  type Typed,
  withTyped,
  wrongIn,
} from '../../web/console/limit-draft.ts'
import type { SettingRow } from '../../web/console/setting-rows.ts'

const limit = (name: Limit['name'], value: number | boolean, file_value = value): Limit => ({
  name,
  value,
  file_value,
  changed_at: null,
  changed_by: null,
})
const VALUE = limit('max_order_value', 0)
const COUNT = limit('max_orders_per_day', 500, 300)
const EQUAL = limit('refuse_duplicates', false)
const typed = (text: string | boolean): Typed => ({ from: 0, text, isFiles: false })
const facts = (kind: 'number' | 'whole') => ({ kind, min: 0, max: 1_000 }) as SettingRow

t.test('a number may be grouped, and nothing else is one', async (t) => {
  for (const [text, value] of [
    ['50000', 50_000],
    ['50,000', 50_000],
    [' 50，000.25 ', 50_000.25],
    ['1,234,567.8', 1_234_567.8],
    ['50 000', 50_000],
    ['５０，０００．５', 50_000.5],
    ['0。5', 0.5],
    ['1,5', undefined],
    ['0,06', undefined],
    ['5,0000', undefined],
    ['1 5', undefined],
    [',500', undefined],
    ['0', 0],
    ['', undefined],
    ['-1', undefined],
    ['1e3', undefined],
    ['0x10', undefined],
    ['abc', undefined],
    ['1.', undefined],
    ['Infinity', undefined],
  ] as const) {
    t.equal(numberIn(text), value, text)
  }
})

t.test('F624 a comma after a zero parts no groups of three', async (t) => {
  for (const text of ['0,075', '0，500', '00,500', '012,500', '0 500'])
    t.equal(numberIn(text), undefined, text)
  for (const [text, value] of [
    ['0500', 500],
    ['10,075', 10_075],
  ] as const)
    t.equal(numberIn(text), value, text)
})

t.test('F626 digits without an end are no number, and put no limit back', async (t) => {
  const endless = '9'.repeat(400)
  t.equal(numberIn(endless), undefined)
  t.equal(wrongIn(typed(endless), undefined), 'number')
  t.strictSame(changesOf([COUNT], withTyped({}, COUNT, endless)), {})
})

t.test('what is wrong is said before it is sent', async (t) => {
  t.equal(wrongIn(typed('abc'), facts('number')), 'number')
  t.equal(wrongIn(typed(''), facts('number')), 'number')
  t.equal(wrongIn(typed('1001'), facts('number')), 'range')
  t.equal(wrongIn(typed('1.5'), facts('whole')), 'whole')
  t.equal(wrongIn(typed('1.5'), facts('number')), undefined)
  t.equal(wrongIn(typed('1,000'), facts('whole')), undefined)
  t.equal(wrongIn(typed(true), facts('whole')), undefined)
  t.equal(wrongIn(typed('99999'), undefined), undefined, 'the service judges')
})

t.test('each change says what its reader has seen, whatever comes in meanwhile', async (t) => {
  let draft: Draft = withTyped({}, VALUE, '5')
  draft = withTyped(draft, { ...VALUE, value: 20_000 }, '50,000')
  draft = withTyped(draft, EQUAL, true)
  t.strictSame(changesOf([VALUE, COUNT, EQUAL], draft), {
    max_order_value: { from: 0, to: 50_000 },
    refuse_duplicates: { from: false, to: true },
  })
})

t.test('what says the same as before is no change, unless another has changed it', async (t) => {
  const draft = withTyped({}, COUNT, '400')
  t.strictSame(withTyped(draft, COUNT, '500'), {})
  t.match(withTyped(draft, { ...COUNT, value: 450 }, '500'), {
    max_orders_per_day: { from: 500, text: '500' },
  })
})

t.test(
  'F457 half of a number stays in its field as it was typed, and is no change yet',
  async (t) => {
    for (const text of ['0', '0.', '0.0', '0.05']) {
      const draft = withTyped(withTyped({}, VALUE, '0.'), VALUE, text)
      t.equal(draft['max_order_value']?.text, text === '0' ? undefined : text)
      const changes = text === '0.05' ? { max_order_value: { from: 0, to: 0.05 } } : {}
      t.strictSame(changesOf([VALUE], draft), changes, text)
    }
    const counted = withTyped({}, COUNT, '500.0')
    t.equal(counted['max_orders_per_day']?.text, '500.0')
    t.strictSame(changesOf([COUNT], counted), {})
    t.strictSame(
      changesOf([{ ...COUNT, value: 450 }], counted),
      { max_orders_per_day: { from: 500, to: 500 } },
      'overtaken, it is a wish',
    )
  },
)

t.test('putting back says so, and asks for no number', async (t) => {
  const draft = { max_orders_per_day: { from: 500, text: '', isFiles: true } }
  t.strictSame(changesOf([COUNT], draft), { max_orders_per_day: { from: 500, to: null } })
  t.equal(wrongIn(draft.max_orders_per_day, facts('whole')), undefined)
  t.strictSame(changesOf([COUNT], { max_orders_per_day: typed('abc') }), {})
})

t.test('what is typed while a change is on its way is kept, over what was saved', async (t) => {
  const all = [VALUE, COUNT, EQUAL]
  const sent = withTyped(withTyped({}, VALUE, '50,000'), COUNT, '400')
  t.strictSame(leftOf(sent, sent, all), {})
  t.strictSame(leftOf(withTyped(sent, VALUE, '50000'), sent, all), {}, 'the same in other words')
  const since = withTyped(withTyped(sent, VALUE, '60000'), EQUAL, true)
  const left = leftOf(since, sent, all)
  t.strictSame(changesOf([{ ...VALUE, value: 50_000 }, { ...COUNT, value: 400 }, EQUAL], left), {
    max_order_value: { from: 50_000, to: 60_000 },
    refuse_duplicates: { from: false, to: true },
  })
  t.strictSame(leftOf(withTyped({}, EQUAL, true), sent, all), withTyped({}, EQUAL, true))
})

t.test('F933 a limit that is loosened lets the sales leave that wait behind it', async (t) => {
  const PROTECTIVE = limit('max_protective_orders_per_day', 20, 50)
  const EQUALS = limit('refuse_duplicates', true)
  const all = [VALUE, COUNT, PROTECTIVE, EQUALS, limit('stale_quote_seconds', 0)]
  const lets = (one: Limit, text: string | boolean) => letsSales(withTyped({}, one, text), all)
  t.ok(lets(PROTECTIVE, '30'))
  t.ok(lets(PROTECTIVE, '0'), 'none at all')
  t.notOk(lets(PROTECTIVE, '10'), 'tighter')
  t.notOk(lets(PROTECTIVE, 'abc'))
  t.ok(lets(EQUALS, false))
  t.notOk(lets(limit('stale_quote_seconds', 0), '60'), 'there was none')
  t.notOk(lets(COUNT, '600'), 'holds no stop back')
  const files = { max_protective_orders_per_day: { from: 20, text: '', isFiles: true } }
  t.ok(letsSales(files, all), 'that of the file is looser')
})
