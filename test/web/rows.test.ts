import t from 'tap'
import { keepSame } from '../../web/shared/rows.ts'

interface Row {
  readonly code: string
  readonly price: number
  readonly why?: { readonly reasons: readonly string[]; readonly sells_at: number } | null
}
const keyOf = ({ code }: Row): string => code
const row = (code: string, over: Partial<Row> = {}): Row => ({
  code,
  price: 35.1,
  why: { reasons: ['no_breakout'], sells_at: 32.4 },
  ...over,
})

t.test('a row in which nothing has changed is the row that was there before', (t) => {
  const before = [row('600036'), row('601318'), row('600519', { why: null })]
  const next = [row('600519', { why: null }), row('600036'), row('601318')]
  const kept = keepSame(before, next, keyOf)
  t.equal(kept[0], before[2])
  t.equal(kept[1], before[0], 'also one that says why in an object of its own')
  t.equal(kept[2], before[1])
  t.end()
})

t.test('a list in which nothing has changed is the list that was there before', (t) => {
  const before = [row('600036'), row('601318')]
  t.equal(keepSame(before, [row('600036'), row('601318')], keyOf), before)
  t.not(keepSame(before, [row('601318'), row('600036')], keyOf), before, 'another order')
  t.not(keepSame(before, [row('600036')], keyOf), before, 'one that is gone')
  t.end()
})

t.test('a row in which something has changed is the new one', (t) => {
  const changes: readonly Partial<Row>[] = [
    { price: 35.2 },
    { why: null },
    { why: { reasons: ['no_breakout', 'below_stop'], sells_at: 32.4 } },
    { why: { reasons: ['below_stop'], sells_at: 32.4 } },
    { why: { reasons: ['no_breakout'], sells_at: 32.5 } },
  ]
  for (const change of changes) {
    const next = [row('600036', change)]
    t.equal(keepSame([row('600036')], next, keyOf)[0], next[0], JSON.stringify(change))
  }
  const { why: _, ...bare } = row('600036')
  t.equal(keepSame([row('600036')], [bare], keyOf)[0], bare, 'a field that is gone')
  t.end()
})

t.test('rows that are new are taken as they come', (t) => {
  const next = [row('600036')]
  t.equal(keepSame(undefined, next, keyOf), next)
  t.equal(keepSame([row('601318')], next, keyOf)[0], next[0])
  t.end()
})
