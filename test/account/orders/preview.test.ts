import fc from 'fast-check'
import t from 'tap'
import { emptyState } from '../../../src/account/model/state.ts'
import type { StockCode } from '../../../src/domain/instrument.ts'
import type { Quantity } from '../../../src/domain/money.ts'
import type { OrderPreview, PreviewOrder } from '../../../src/protocol/orders.ts'
import {
  BANK,
  Bench,
  brokerPosition,
  commands,
  KEY,
  ORDER,
  policy,
  quote,
  refusals,
  replies,
  yuan,
} from '../fixture.ts'

const OTHER = '000001.SZ' as StockCode
const keyOf = (n: number) => KEY.slice(0, -2) + String(n).padStart(2, '0')
const strict = {
  ...policy,
  risk: {
    ...policy.risk,
    maxOrdersPerSecond: 3,
    maxOrdersPerDay: 6,
    maxOrderValue: 40_000,
    priceDeviation: 0.05,
    staleQuoteMs: 60_000,
    refuseDuplicates: true,
  },
}
const QUESTION: PreviewOrder = {
  kind: 'previewOrder',
  code: BANK,
  side: 'buy',
  quantity: 100,
  priceType: 11,
  price: yuan(36.5),
}

function preview(bench: Bench, fields: Partial<PreviewOrder> = {}): OrderPreview {
  const request = { ...QUESTION, ...fields }
  const [answer] = replies(bench.input({ kind: 'request', ref: 1, request }))
  return answer as OrderPreview
}

t.test('a preview tells every rule, amount and fees', async (t) => {
  const bench = new Bench(emptyState(strict)).ready([brokerPosition()])
  bench.quotes.set(BANK, quote(36))
  const bought = preview(bench)
  t.match(bought, { allowed: true, code: null, message: '', price: 36.5, amount: 3_650 })
  t.strictSame(bought.fees, { commission: 5, stamp_duty: 0, transfer_fee: 0.04, total: 5.04 })
  const rule = (told: OrderPreview, name: string) => told.rules.find((row) => row.name === name)
  t.strictSame(rule(bought, 'max_order_value'), {
    name: 'max_order_value',
    code: 'MAX_ORDER_VALUE',
    ok: true,
    status: 'pass',
    message: '通过 (passed)',
    limit: 40_000,
    actual: 3_650,
  })
  t.match(rule(bought, 'sellable'), { ok: true, status: 'off', limit: null, actual: null })

  const sold = preview(bench, { side: 'sell', quantity: 1_100, priceType: 5, price: 0 })
  t.match(sold, { allowed: false, code: 'INSUFFICIENT_SELLABLE', message: /可卖数量不足/ })
  t.match(sold, { price: 36, amount: 39_600, fees: { commission: 11.88, stamp_duty: 19.8 } })
  t.match(rule(sold, 'sellable'), { ok: false, status: 'refused', limit: 1_000, actual: 1_100 })

  const unknown = preview(bench, { code: OTHER, priceType: 5, price: 0 })
  t.match(unknown, { allowed: true, price: 0, amount: 0, fees: { total: 0 } })
})

t.test(
  'a preview tells the stock, its quote and the most that such an order may be of',
  async (t) => {
    const bench = new Bench(emptyState({ ...strict, risk: policy.risk })).ready([brokerPosition()])
    bench.quotes.set(BANK, quote(36.5, bench.nowMs - 1_500))
    const time = bench.nowMs - 1_500
    t.match(preview(bench), {
      stock_name: '招商银行',
      quote: {
        time,
        age_seconds: 1.5,
        last_price: 36.5,
        last_close: 36,
        limit_up: 39.6,
        limit_down: 32.4,
      },
      quantity_max: 27_300, // of a million, with fees
      lot_min: 100,
      lot_step: 100,
      tick_size: 0.01,
    })
    t.match(preview(bench, { side: 'sell' }), { quantity_max: 1_000 })
    const star = { code: '688981.SH', price: 2 }
    t.match(preview(bench, { ...star, priceType: 11 }), { quantity_max: 100_000 })
    t.match(preview(bench, { ...star, priceType: 42 }), { quantity_max: 50_000 })

    const unknown = preview(bench, { code: OTHER })
    t.match(unknown, { stock_name: null, quote: null, quantity_max: 27_300 })
    t.match(preview(bench, { code: OTHER, priceType: 5, price: 0 }), { quantity_max: null })
    bench.input({ kind: 'named', names: { [OTHER]: '平安银行' } })
    t.match(preview(bench, { code: OTHER }), { stock_name: '平安银行', quote: null })
    const book = {
      ask: [yuan(36.51), yuan(36.52), yuan(0)],
      askVolume: [300, 0, 0],
      bid: [yuan(0)],
      bidVolume: [0],
    }
    bench.quotes.set(BANK, { ...quote(36.5, bench.nowMs), ...book })
    const asked = [
      { price: 36.51, volume: 300 },
      { price: 36.52, volume: null },
    ]
    t.strictSame(preview(bench).quote?.ask, asked, 'levels that there are')
    t.strictSame(preview(bench).quote?.bid, [], 'a stock at its upper limit has none')
    bench.quotes.set(OTHER, quote(0, bench.nowMs))
    t.match(preview(bench, { code: OTHER }).quote, { last_price: 0, limit_up: 39.6 }, 'halted')
  },
)

t.test('a preview tells by what a stock can be ordered', async (t) => {
  const bench = new Bench(emptyState(strict)).ready()
  const types = (code: string) => preview(bench, { code }).price_types.map(({ type }) => type)
  t.strictSame(types('600036.SH'), [11, 5, 42, 43, 44, 45])
  t.strictSame(types('000001.SZ'), [11, 5, 44, 45, 46, 47, 48])
  t.strictSame(types('920002.BJ'), [11, 5, 42, 43, 44, 45])
  const priced = (code: string) =>
    preview(bench, { code }).price_types.flatMap(({ type, takes_price }) =>
      takes_price ? [type] : [],
    )
  t.strictSame(priced('600036.SH'), [11])
  t.strictSame(priced('688981.SH'), [11, 42, 43, 44, 45], 'with the worst price of a market order')
})

t.test('a preview sends nothing, changes nothing and leaves no trace', async (t) => {
  const bench = new Bench(emptyState(strict)).ready()
  bench.quotes.set(BANK, quote(36))
  const { seq, idCounter, dataVersion } = bench.state
  for (const fields of [{}, { quantity: 150 }, { code: '600036' }]) {
    const request = { ...QUESTION, ...fields }
    const effects = bench.input({ kind: 'request', ref: 1, request })
    t.strictSame(
      effects.map(({ kind }) => kind),
      ['reply'],
    )
  }
  t.match(bench.state, { seq, idCounter, dataVersion })
  t.equal(bench.state.denials.size + bench.state.orders.size + bench.state.sent.length, 0)
  const unreadable = { ...QUESTION, code: 'no code' }
  const refused = bench.input({ kind: 'request', ref: 1, request: unreadable })
  t.strictSame(refusals(refused), ['CODE_INVALID'])
  t.equal(bench.state.seq, seq)
})

const anyOrder = fc.record({
  code: fc.constantFrom(BANK, OTHER),
  side: fc.constantFrom('buy' as const, 'sell' as const),
  quantity: fc.constantFrom(0, 50, 100, 150, 300, 1_000, 1_050, 20_000),
  priceType: fc.constantFrom(11, 5, 44),
  price: fc.constantFrom(30, 34.2, 36, 36.5, 36.511, 37.8, 39.6, 39.61).map(yuan),
})
const anyMoment = fc.record({
  order: anyOrder,
  // As many as may leave within a second: one more would wait, and be judged when its turn comes.
  passMs: fc.constantFrom(400, 400, 1_000, 61_000, 4 * 3_600_000),
  last: fc.constantFrom(undefined, 0, 36, 36.5),
  change: fc.constantFrom(
    {},
    {},
    {},
    { allowBuy: false },
    { allowSell: false },
    { allowBuy: true },
  ),
})

t.test('a preview allows exactly what placing would send, and names the same reason', async (t) => {
  const seen = new Set<string | null>()
  const same = fc.property(fc.array(anyMoment, { maxLength: 12 }), (moments) => {
    const holding = brokerPosition({ sellable: 1_050 as Quantity })
    const bench = new Bench(emptyState(strict)).ready([holding])
    return moments.every(({ order, passMs, last, change }, n) => {
      bench.nowMs += passMs
      bench.wallMs += passMs
      if (last !== undefined) bench.quotes.set(order.code, quote(last, bench.nowMs))
      const request = { kind: 'saveConfig', changes: change, source: 'test' } as const
      bench.input({ kind: 'request', ref: 2, request })
      const price = order.priceType === 11 ? order.price : 0
      const told = preview(bench, { ...order, price })
      const placed = bench.place({ ...ORDER, ...order, price, key: keyOf(n) })
      seen.add(told.code)
      const isSent = commands(placed).some(({ kind }) => kind === 'submit')
      const [refusal = null] = refusals(placed)
      return told.allowed === isSent && told.code === refusal
    })
  })
  fc.assert(same, { numRuns: 300 })
  t.ok(seen.has(null) && seen.size > 8, `the orders meet many rules: ${[...seen].join(' ')}`)
})
