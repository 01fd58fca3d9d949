import t from 'tap'
import { emptyState } from '../../../src/account/model/state.ts'
import type { StockCode } from '../../../src/domain/instrument.ts'
import type { Quantity } from '../../../src/domain/money.ts'
import type { OrderPreview, PlaceOrder } from '../../../src/protocol/orders.ts'
import {
  Bench,
  brokerPosition,
  commands,
  MORNING_MS,
  policy,
  quote,
  replies,
  yuan,
} from '../fixture.ts'

const STAR = '688981.SH' as StockCode
const BJ = '920118.BJ' as StockCode
const DAY_MS = 86_400_000

/** An account that holds both, and the limits of the day are 28.80 to 43.20 on STAR. */
function desk(): Bench {
  const holdings = [STAR, BJ].map((code) => brokerPosition({ code, sellable: 1_000 as Quantity }))
  const bench = new Bench(emptyState(policy)).ready(holdings)
  for (const code of [STAR, BJ]) bench.quotes.set(code, quote(36.5))
  return bench
}
let keys = 0
const place = (bench: Bench, order: Partial<PlaceOrder>) => {
  keys += 1
  const key = `01ARZ3NDEKTSV4RRFFQ69G5${String(keys).padStart(3, '0')}`
  return bench.place({
    key,
    requestHash: key,
    code: STAR,
    quantity: 200,
    priceType: 42,
    price: 0,
    ...order,
  })
}
const refused = (effects: ReturnType<typeof place>) =>
  effects.flatMap((effect) => (effect.kind === 'refuse' ? [effect.error] : []))
const sent = (effects: ReturnType<typeof place>) =>
  commands(effects).flatMap((command) => (command.kind === 'submit' ? [command.order] : []))

t.test('F91 a market order without a worst price gets the limit of the day as one', async (t) => {
  const bench = desk()
  const rows = [
    [{ side: 'buy' }, 43.2],
    [{ side: 'sell' }, 28.8],
    [{ side: 'buy', code: BJ }, 46.8],
    [{ side: 'sell', code: BJ, priceType: 44 }, 25.2],
    [{ side: 'buy', price: yuan(37) }, 37],
    [{ side: 'sell', priceType: 5 }, 0],
  ] as const
  for (const [order, price] of rows) {
    t.match(sent(place(bench, order)), [{ price: yuan(price) }], JSON.stringify(order))
  }
})

t.test('F91 without known limits of today it is refused, and says what to give', async (t) => {
  const unknown = [
    ['no quote', undefined],
    ['a quote of yesterday', quote(36.5, MORNING_MS - DAY_MS)],
    ['no close of the day before', { ...quote(36.5), lastClose: yuan(0) }],
    ['trades beyond the table: a new listing', quote(99)],
  ] as const
  for (const [name, seen] of unknown) {
    const bench = desk()
    bench.quotes.delete(STAR)
    if (seen !== undefined) bench.quotes.set(STAR, seen)
    const effects = place(bench, { side: 'sell' })
    t.strictSame(sent(effects), [], name)
    const [error] = refused(effects)
    t.equal(error?.code, 'PROTECTION_PRICE', name)
    t.match(error?.details, { price: [/保护限价.*give it as price/] }, name)
    t.equal(
      sent(place(bench, { side: 'sell', price: yuan(30) })).length,
      1,
      `${name}: with one it goes`,
    )
  }
})

t.test(
  'an order that reached the account past the front is judged by its exchange too',
  async (t) => {
    const bench = desk()
    const effects = place(bench, { priceType: 47 })
    t.strictSame(sent(effects), [])
    const [error] = refused(effects)
    t.equal(error?.code, 'PRICE_TYPE')
    t.match(error?.details, { price_type: [/上海请用 42/] })
  },
)

t.test('cash is kept for the worst price, and a preview says so', async (t) => {
  const bench = desk()
  const request = {
    kind: 'previewOrder',
    code: STAR,
    side: 'buy',
    quantity: 200,
    priceType: 42,
    price: 0,
  } as const
  const ask = (fields: object): OrderPreview => {
    const effects = bench.input({ kind: 'request', ref: 1, request: { ...request, ...fields } })
    return replies(effects)[0] as OrderPreview
  }
  t.match(ask({}), { allowed: true, price: 43.2, amount: 8_640 })
  t.match(ask({ price: yuan(37) }), { allowed: true, price: 37, amount: 7_400 })
  t.match(ask({ price: yuan(37.005) }), { allowed: false, code: 'TICK_SIZE' })
  t.match(ask({ price: yuan(43.21) }), { allowed: false, code: 'PRICE_LIMIT' })
})

t.test('a simulated order is not filled beyond its worst price', async (t) => {
  const bench = desk()
  const off = { kind: 'saveConfig', changes: { simulationMode: true }, source: 'test' } as const
  bench.input({ kind: 'request', ref: 9, request: off })
  t.not(bench.state.simulation, undefined)
  const price = (order: Partial<PlaceOrder>) => {
    place(bench, order)
    const [last] = bench.journal.slice(-1)
    return last?.event.kind === 'orderSimulated' ? last.event.record.price : last?.event.kind
  }
  t.equal(price({ side: 'buy', price: yuan(36) }), yuan(36))
  t.equal(price({ side: 'buy', price: yuan(37) }), yuan(36.5))
  t.equal(price({ side: 'sell', price: yuan(36.8) }), yuan(36.8))
})
