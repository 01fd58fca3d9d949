import t from 'tap'
import type { StockCode } from '../../../src/domain/instrument.ts'
import type { ExecuteBuy, ExecuteSell } from '../../../src/protocol/orders.ts'
import {
  BANK,
  Bench,
  brokerPosition,
  KEY,
  keyOf,
  quote,
  refusals,
  replies,
  yuan,
} from '../fixture.ts'

const INSURER = '601318.SH' as StockCode

/** An account in simulation mode that holds a thousand shares of the bank. */
function simulating(): Bench {
  const bench = new Bench().ready([brokerPosition()])
  for (const code of [BANK, INSURER]) bench.quotes.set(code, quote(36, bench.nowMs))
  bench.input({
    kind: 'request',
    ref: 1,
    request: { kind: 'saveConfig', changes: { simulationMode: true }, source: 'test' },
  })
  return bench
}

/** As the shell makes the keys of the orders: each follows from the request's and its stock. */
const buying = (codes: readonly StockCode[], requestHash: string): ExecuteBuy => ({
  kind: 'executeBuy',
  key: KEY,
  keys: codes.map((code) => keyOf(code === BANK ? 1 : 2)),
  requestHash,
  strategy: 'custom_stock',
  count: codes.length,
  codes: [...codes],
  source: 'test',
})
const execute = (bench: Bench, request: ExecuteBuy | ExecuteSell) =>
  bench.input({ kind: 'request', ref: 9, request })

const booksOf = ({ state }: Bench) => ({
  cash: state.simulation?.cash,
  count: state.simulation?.count,
  held: [...(state.simulation?.positions.values() ?? [])].map(({ code, quantity }) => [
    code,
    quantity,
  ]),
})

t.test('the same key with other stocks is refused, and the simulated books stay', async (t) => {
  for (const others of [[INSURER, BANK], [BANK, INSURER], [INSURER], [BANK]]) {
    const bench = simulating()
    execute(bench, buying([BANK], 'one'))
    const before = booksOf(bench)
    t.strictSame(refusals(execute(bench, buying(others, 'other'))), ['IDEMPOTENCY_MISMATCH'])
    t.strictSame(booksOf(bench), before, others.join())
  }
})

t.test('the same key with the same stocks is the same answer, and nothing more', async (t) => {
  const bench = simulating()
  bench.quotes.delete(INSURER) // one that cannot be bought now
  const first = execute(bench, buying([INSURER, BANK], 'one'))
  const before = booksOf(bench)
  bench.quotes.set(INSURER, quote(48, bench.nowMs))
  const again = execute(bench, buying([INSURER, BANK], 'one'))
  t.strictSame(booksOf(bench), before)
  const replayed = replies(first).map((answer) => {
    const { orders, ...rest } = answer as { readonly orders: readonly object[] }
    return { ...rest, orders: orders.map((order) => ({ ...order, replayed: true })) }
  })
  t.strictSame(replies(again), replayed)
})

t.test(
  'a single order under a key that was used for a request of several is refused',
  async (t) => {
    const bench = simulating()
    execute(bench, buying([BANK, INSURER], 'one'))
    const before = booksOf(bench)
    t.strictSame(refusals(bench.place({ requestHash: 'other' })), ['IDEMPOTENCY_MISMATCH'])
    t.strictSame(booksOf(bench), before)
  },
)

t.test('a sale and an order: other terms are refused, the same ones answered again', async (t) => {
  const sale: ExecuteSell = {
    kind: 'executeSell',
    key: KEY,
    requestHash: 'one',
    code: BANK,
    quantity: 300,
    priceType: 5,
    price: 0,
    source: 'test',
  }
  const bench = simulating()
  t.match(replies(execute(bench, sale)), [{ orders: [{ state: 'accepted', replayed: false }] }])
  const before = booksOf(bench)
  t.match(replies(execute(bench, sale)), [{ orders: [{ state: 'accepted', replayed: true }] }])
  t.strictSame(refusals(execute(bench, { ...sale, quantity: 200, requestHash: 'other' })), [
    'IDEMPOTENCY_MISMATCH',
  ])
  t.strictSame(refusals(bench.place({ requestHash: 'third' })), ['IDEMPOTENCY_MISMATCH'])
  t.strictSame(booksOf(bench), before)
})

t.test('a simulated order without a price is rejected under its key, also later', async (t) => {
  const bench = simulating()
  bench.quotes.delete(BANK)
  const order = { priceType: 5, price: yuan(0) }
  const first = replies(bench.place(order)).concat(refusals(bench.place(order)))
  bench.quotes.set(BANK, quote(36, bench.nowMs))
  const again = replies(bench.place(order)).concat(refusals(bench.place(order)))
  t.strictSame(first.length, again.length)
})
