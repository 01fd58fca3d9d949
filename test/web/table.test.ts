import fc from 'fast-check'
import t from 'tap'
import { type Column, columnKey, nextSort, shownColumns, sorted } from '../../web/shared/table.ts'

interface Row {
  readonly name: string
  readonly value: number | string | boolean | null | undefined
}
const COLUMNS: readonly Column<Row>[] = [
  { fields: [{ key: 'name', title: 'Name', value: ({ name }) => name }], isFixed: true },
  {
    fields: [
      { key: 'value', title: 'Value', value: ({ value }) => value },
      { key: 'mute', title: 'Mute' },
    ],
  },
]
const rowsOf = (...values: Row['value'][]): Row[] =>
  values.map((value, index) => ({ name: `r${index}`, value }))
const order = (rows: readonly Row[]): readonly unknown[] => rows.map(({ value }) => value)

t.test('what is not known is last, whichever way', async (t) => {
  const rows = rowsOf(2, null, -1, Number.NaN, 10, undefined, 0, '')
  const unknown = [null, Number.NaN, undefined, '']
  const by = (direction: 'ascending' | 'descending') =>
    order(sorted(rows, COLUMNS, { key: 'value', direction }))
  t.strictSame(by('ascending'), [-1, 0, 2, 10, ...unknown])
  t.strictSame(by('descending'), [10, 2, 0, -1, ...unknown])
})

t.test('texts stand as a reader expects, numbers in them by their size', async (t) => {
  const rows = rowsOf('中信', '平安', 'd10', 'd9', '招商')
  const { length } = rows
  const up = order(sorted(rows, COLUMNS, { key: 'value', direction: 'ascending' }))
  t.strictSame(
    up.filter((one) => String(one).startsWith('d')),
    ['d9', 'd10'],
  )
  t.strictSame(
    up.filter((one) => !String(one).startsWith('d')),
    ['平安', '招商', '中信'],
    'by pinyin',
  )
  t.equal(up.length, length)
})

t.test('equal values keep their order, and nothing is lost', async (t) => {
  const value = fc.oneof(fc.integer({ min: 0, max: 3 }), fc.constant(null))
  const direction = fc.constantFrom('ascending' as const, 'descending' as const)
  fc.assert(
    fc.property(fc.array(value), direction, (values, direction) => {
      const rows = rowsOf(...values)
      const found = sorted(rows, COLUMNS, { key: 'value', direction })
      t.equal(new Set(found).size, rows.length)
      for (const [at, row] of found.entries()) {
        const after = found[at + 1]
        if (after === undefined || after.value !== row.value) continue
        if (rows.indexOf(row) > rows.indexOf(after)) t.fail('equal values have changed places')
      }
    }),
  )
})

t.test('without an order, or by what cannot be compared, rows are as they come', async (t) => {
  const rows = rowsOf(2, 1)
  t.equal(sorted(rows, COLUMNS, undefined), rows)
  for (const key of ['mute', 'gone']) {
    t.equal(sorted(rows, COLUMNS, { key, direction: 'ascending' }), rows, key)
  }
})

t.test('a head that is pressed turns the order, and the third time takes it back', async (t) => {
  const first = nextSort(undefined, 'value', true)
  t.strictSame(first, { key: 'value', direction: 'descending' }, 'the largest number first')
  const second = nextSort(first, 'value', true)
  t.strictSame(second, { key: 'value', direction: 'ascending' })
  t.equal(nextSort(second, 'value', true), undefined)
  t.strictSame(nextSort(second, 'name', false), { key: 'name', direction: 'ascending' })
})

t.test('columns are left out by the reader, but for those that say what a row is', async (t) => {
  const keys = (hidden: readonly string[]) => shownColumns(COLUMNS, { hidden }).map(columnKey)
  t.strictSame(keys([]), ['name', 'value'])
  t.strictSame(keys(['value', 'name']), ['name'])
})
