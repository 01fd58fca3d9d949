import fc from 'fast-check'
import t from 'tap'
import type { StockCode } from '../../src/domain/instrument.ts'
import { toYuan } from '../../src/domain/money.ts'
import { execute, match, termsOf } from '../../src/drivers/paper/matching.ts'
import { price, type QuoteParts, quoteOf, SH, SZ, shares } from './fixtures/paper.ts'

const BJ = '920118.BJ' as StockCode
const STAR = '688981.SH' as StockCode
const BOOK: QuoteParts = {
  last: 10,
  ask: [
    [10.01, 200],
    [10.02, 300],
    [10.03, 500],
  ],
  bid: [
    [10, 100],
    [9.99, 400],
    [9.98, 500],
  ],
}
const NO_VOLUMES: QuoteParts = { last: 10, ask: [[10.01], [10.02]], bid: [[9.99], [9.98]] }
const ONE_SIDED: QuoteParts = { last: 11, bid: [[11, 900]] }

const shown = (fills: readonly { price: number; quantity: number }[]) =>
  fills.map((fill) => `${fill.quantity}@${toYuan(price(fill.price / 10_000))}`).join(' ')

t.test('a limit order takes what crosses, and no more', async (t) => {
  const cases: [string, 'buy' | 'sell', number, number, QuoteParts, string][] = [
    ['under the book', 'buy', 10, 1_000, BOOK, ''],
    ['one level', 'buy', 10.01, 1_000, BOOK, '200@10.01'],
    ['walks to its limit', 'buy', 10.02, 1_000, BOOK, '200@10.01 300@10.02'],
    ['stops when done', 'buy', 10.05, 250, BOOK, '200@10.01 50@10.02'],
    ['over the whole book', 'buy', 11, 5_000, BOOK, '200@10.01 300@10.02 500@10.03'],
    ['sells down', 'sell', 9.99, 600, BOOK, '100@10 400@9.99'],
    ['above the bid', 'sell', 10.01, 600, BOOK, ''],
    ['without volumes whole at the best', 'buy', 10.05, 5_000, NO_VOLUMES, '5000@10.01'],
    ['without volumes not crossing', 'buy', 10, 100, NO_VOLUMES, ''],
    ['without volumes sells at bid 1', 'sell', 9, 700, NO_VOLUMES, '700@9.99'],
    ['without a book at the last price', 'buy', 10.5, 300, { last: 10 }, '300@10'],
    ['without a book, last too high', 'buy', 9.99, 300, { last: 10 }, ''],
    ['nobody on the other side', 'buy', 11, 100, ONE_SIDED, ''],
    ['nobody sells, without volumes', 'buy', 11, 100, { last: 11, bid: [[11]] }, ''],
    ['nobody buys, without volumes', 'sell', 9, 100, { last: 9, ask: [[9]] }, ''],
    ['halted', 'buy', 11, 100, { ...BOOK, last: 0 }, ''],
    [
      'an empty level is stepped over',
      'buy',
      10.02,
      100,
      {
        last: 10,
        ask: [
          [10.01, 0],
          [10.02, 90],
        ],
      },
      '90@10.02',
    ],
    [
      'a negative volume is none',
      'buy',
      10.02,
      100,
      {
        last: 10,
        ask: [
          [10.01, -5],
          [10.02, 90],
        ],
      },
      '90@10.02',
    ],
  ]
  for (const [name, side, limit, quantity, parts, expected] of cases) {
    const leaves = { side, limit: price(limit), quantity: shares(quantity) }
    t.equal(shown(match(leaves, quoteOf(parts))), expected, name)
  }
})

t.test('every price type has its limit and its fate', async (t) => {
  type Expected = readonly [number, string] | string
  const cases: [string, StockCode, number, 'buy' | 'sell', number, QuoteParts, Expected][] = [
    ['limit', SH, 11, 'buy', 10, BOOK, [10, 'rests']],
    ['limit without a price', SH, 11, 'buy', 0, BOOK, 'PRICE_MISSING'],
    ['latest buys at ask 1', SH, 5, 'buy', 3, BOOK, [10.01, 'rests']],
    ['latest sells at bid 1', SH, 5, 'sell', 0, NO_VOLUMES, [9.99, 'rests']],
    ['latest without a book', SH, 5, 'buy', 0, { last: 10 }, [10, 'rests']],
    ['latest, last above ask 1', SH, 5, 'buy', 0, { ...BOOK, last: 10.02 }, [10.02, 'rests']],
    ['latest, nobody opposite', SH, 5, 'buy', 0, ONE_SIDED, [11, 'rests']],
    ['42', SH, 42, 'buy', 0, BOOK, [10.03, 'canceled']],
    ['42 in Shenzhen', SZ, 42, 'buy', 0, BOOK, 'ELSEWHERE'],
    ['43', SH, 43, 'sell', 0, BOOK, [9.98, 'restsAtLastFill']],
    ['43 in Beijing', BJ, 43, 'sell', 0, BOOK, [9.98, 'restsAtLastFill']],
    ['44', SZ, 44, 'buy', 0, BOOK, [10.01, 'rests']],
    ['44, nobody opposite', SZ, 44, 'buy', 0, ONE_SIDED, [11, 'void']],
    ['44 in Beijing', BJ, 44, 'buy', 0, BOOK, [10.01, 'rests']],
    ['45', SH, 45, 'buy', 0, BOOK, [10, 'rests']],
    ['45, nobody beside', SH, 45, 'sell', 0, ONE_SIDED, [11, 'void']],
    ['46', SZ, 46, 'sell', 0, BOOK, [9.98, 'canceled']],
    ['46 in Shanghai', SH, 46, 'sell', 0, BOOK, 'ELSEWHERE'],
    ['47', SZ, 47, 'buy', 0, BOOK, [10.03, 'canceled']],
    ['48', SZ, 48, 'buy', 0, BOOK, [10.03, 'whole']],
    ['48 in Shanghai', SH, 48, 'buy', 0, BOOK, 'ELSEWHERE'],
    ['42, a worst price inside', STAR, 42, 'buy', 10.02, BOOK, [10.02, 'canceled']],
    ['42, a worst price beyond', STAR, 42, 'buy', 12, BOOK, [10.03, 'canceled']],
    ['42 sells no lower', STAR, 42, 'sell', 9.99, BOOK, [9.99, 'canceled']],
    ['44, a worst price before the book', STAR, 44, 'buy', 10, BOOK, [10, 'rests']],
    ['45 rests no higher', BJ, 45, 'buy', 9.97, BOOK, [9.97, 'rests']],
    ['42 elsewhere takes none', SH, 42, 'buy', 10.01, BOOK, [10.03, 'canceled']],
    ['0', SH, 0, 'buy', 10, BOOK, 'PRICE_TYPE_UNKNOWN'],
    ['12', SH, 12, 'buy', 10, BOOK, 'PRICE_TYPE_UNKNOWN'],
  ]
  for (const [name, code, priceType, side, given, parts, expected] of cases) {
    const terms = termsOf({ code, side, priceType, price: price(given) }, quoteOf(parts))
    const found = terms.ok ? [toYuan(terms.value.limit), terms.value.remainder] : terms.error
    t.same(found, expected, name)
  }
})

t.test('what does not fill on arrival rests, is canceled, or was never there', async (t) => {
  const cases: [number, StockCode, number, string, number][] = [
    [11, SH, 5_000, '200@10.01 300@10.02 500@10.03', 10.03],
    [42, SH, 5_000, '200@10.01 300@10.02 500@10.03', 0],
    [43, SH, 5_000, '200@10.01 300@10.02 500@10.03', 10.03],
    [44, SH, 5_000, '200@10.01', 10.01],
    [45, SH, 5_000, '', 10],
    [46, SZ, 5_000, '200@10.01 300@10.02 500@10.03', 0],
    [48, SZ, 5_000, '', 0],
    [48, SZ, 1_000, '200@10.01 300@10.02 500@10.03', 0],
  ]
  const quote = quoteOf(BOOK)
  for (const [priceType, code, quantity, fills, restsAt] of cases) {
    const terms = termsOf({ code, side: 'buy', priceType, price: price(10.03) }, quote)
    if (!terms.ok) throw new Error(terms.error)
    const found = execute(terms.value, { side: 'buy', quantity: shares(quantity) }, quote)
    t.equal(shown(found.fills), fills, `${priceType}: fills of ${quantity}`)
    t.equal(toYuan(found.restsAt), restsAt, `${priceType}: rests at`)
  }
})

t.test('43 without a fill rests at the best price of its own side, or not at all', async (t) => {
  const order = { code: SH, side: 'buy' as const, priceType: 43, price: price(0) }
  const restsAt = (parts: QuoteParts) => {
    const terms = termsOf(order, quoteOf(parts))
    if (!terms.ok) throw new Error(terms.error)
    return toYuan(
      execute(terms.value, { side: 'buy', quantity: shares(100) }, quoteOf(parts)).restsAt,
    )
  }
  t.equal(restsAt(ONE_SIDED), 11)
  t.equal(restsAt({ last: 9, ask: [[9.5, 0]], bid: [[0, 5]] }), 0)
})

t.test('F91 no kind of market order fills or rests beyond its worst price', async (t) => {
  const prices = fc.integer({ min: 900, max: 1_100 }).map((cents) => price(cents / 100))
  const level = fc.tuple(
    fc.integer({ min: 900, max: 1_100 }).map((cents) => cents / 100),
    fc.integer({ min: 0, max: 500 }),
  )
  const levels = fc.array(level, { maxLength: 5 })
  const order = fc.record({
    code: fc.constantFrom(STAR, BJ),
    side: fc.constantFrom('buy' as const, 'sell' as const),
    priceType: fc.constantFrom(42, 43, 44, 45),
    price: prices,
    quantity: fc.integer({ min: 1, max: 2_000 }).map(shares),
  })
  const holds = fc.property(order, levels, levels, (asked, ask, bid) => {
    const quote = quoteOf({ last: 10, ask, bid })
    const terms = termsOf(asked, quote)
    if (!terms.ok) return false
    const { fills, restsAt } = execute(terms.value, asked, quote)
    const worst =
      asked.side === 'buy' ? (at: number) => at <= asked.price : (at: number) => at >= asked.price
    return fills.every((fill) => worst(fill.price)) && (restsAt === 0 || worst(restsAt))
  })
  fc.assert(holds, { numRuns: 500 })
  t.pass('held')
})
