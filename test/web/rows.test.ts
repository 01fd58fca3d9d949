import t from 'tap'
import { distanceText, keepSame, stopDistance, stopOf } from '../../web/shared/rows.ts'

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

t.test('F697 the stop that is shown is the first price that sells', (t) => {
  const why = (stop: number | null, sells_at: number | null = null) => ({
    why: { stop, sells_at } as never,
  })
  const held = (stock_code: string, stop_loss_price: number) => ({ stock_code, stop_loss_price })
  t.equal(stopOf({ ...held('600036', 32.47), ...why(32.46) }), 32.46)
  t.equal(stopOf({ ...held('600036', 32.46), ...why(32.46) }), 32.46)
  t.equal(stopOf({ ...held('510300', 3.817), ...why(3.816) }), 3.816, 'of a fund')
  t.equal(stopOf({ ...held('600036', 11.05), ...why(9.25, 11.04) }), 11.04, 'what trails a high')
  t.equal(
    stopOf({ ...held('600036', 32.47), ...why(32.46, 37.02) }),
    32.46,
    'a fall from a high is no stop',
  )
  t.equal(stopOf({ ...held('600036', 30), ...why(32.46) }), 30, 'written by another program')
  t.equal(stopOf({ ...held('600036', 32.47), ...why(null) }), 32.47, 'where the line tells none')
  t.equal(stopOf({ ...held('600036', 32.47), why: null }), 32.47)
  t.equal(stopOf(held('600036', 0)), 0)
  const now = { current_price: 32.47, is_priced: true }
  const distance = stopDistance({ ...held('600036', 32.47), ...why(32.46), ...now }) ?? 0
  t.ok(distance > 0, 'not at its stop yet')
  t.end()
})

t.test('F914 what is still to go to a stop has no sign, and what is below it has', (t) => {
  t.equal(distanceText(3.456), '3.46%')
  t.equal(distanceText(-0.5), '-0.50%')
  t.equal(distanceText(undefined), '--')
  t.end()
})
