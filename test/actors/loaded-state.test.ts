import t from 'tap'
import type { Quantity } from '../../src/domain/money.ts'
import {
  BANK,
  type Bench,
  brokerOrder,
  commands,
  holder,
  keyOf,
  quote,
  set,
} from '../account/fixture.ts'
import { dealt, pushed } from '../account/play.ts'
import { reloaded } from '../account/reloaded.ts'

const source = 'test'
const ask = (bench: Bench, request: object) =>
  bench.input({ kind: 'request', ref: 50, request: { source, ...request } as never })

/** Something in every table. */
function busy(): Bench {
  const bench = holder()
  bench.place({ key: keyOf(1) })
  bench.input(pushed({ clientOrderId: keyOf(1), status: 55, filledQuantity: 40 as Quantity }))
  bench.input(dealt({ clientOrderId: keyOf(1), quantity: 40 as Quantity }))
  bench.place({ key: keyOf(2), quantity: 150 }) // no whole lot
  ask(bench, {
    kind: 'executeBuy',
    key: keyOf(3),
    keys: [keyOf(4)],
    requestHash: 'h',
    strategy: 'custom_stock',
    count: 1,
    codes: [BANK],
  })
  ask(bench, { kind: 'saveConfig', changes: { stockStopLoss: 8, globalAutoOperation: true } })
  ask(bench, { kind: 'noteFill', fillId: 1, code: BANK, note: '试仓', expected: null })
  ask(bench, { kind: 'gridTemplateSave', template: { template_name: '新', is_default: true } })
  const fields = { price_interval: 0.02, callback_ratio: 0.002, max_investment: 50_000 }
  ask(bench, { kind: 'gridStart', code: BANK, top: {}, config: { ...fields, center_price: 36 } })
  bench.quotes.set(BANK, quote(37, bench.nowMs))
  const queries = commands(bench.input({ kind: 'timer', name: 'reconcile' }))
  bench.answerQueries(queries, { orders: [brokerOrder({ clientOrderId: '', orderId: '77' })] })
  set(bench, 'all', 'overnight')
  return bench
}

const KEPT = [
  'seq',
  'day',
  'nextRecordId',
  'idCounter',
  'orderIds',
  'orders',
  'deals',
  'batches',
  'denials',
  'stored',
  'killSwitch',
  'rejectsInRow',
  'dayTotal',
  'differences',
  'fillNotes',
  'grid',
] as const

t.test('an account begins with all that its tables hold', async (t) => {
  const bench = busy()
  const { state } = bench
  for (const table of [
    'orders',
    'deals',
    'batches',
    'denials',
    'stored',
    'differences',
    'fillNotes',
  ] as const) {
    t.ok(state[table].size > 0, `${table} has rows`)
  }
  t.ok(state.grid.sessions.size > 0 && state.killSwitch.level === 'all')
  const loaded = await reloaded(bench)
  for (const field of KEPT) t.strictSame(loaded[field], state[field], field)
  t.strictSame([...loaded.positions.keys()], [...state.positions.keys()])
})

t.test('what may be sold is not restored: only the client knows it', async (t) => {
  const bench = busy()
  t.equal(bench.state.positions.get(BANK)?.sellable, 1_000)
  const loaded = await reloaded(bench)
  t.match(loaded.positions.get(BANK), { quantity: 1_000, sellable: 0 })
})
