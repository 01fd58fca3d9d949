import fc from 'fast-check'
import t from 'tap'
import type { AccountInput } from '../../src/account/step.ts'
import type { StockCode } from '../../src/domain/instrument.ts'
import { PRICE_TYPES } from '../../src/domain/order.ts'
import type { AccountRequest } from '../../src/protocol/account.ts'
import { BANK, Bench, brokerPosition, holder, KEY, keyOf, quote } from './fixture.ts'
import { taken } from './orders/paced.ts'

/** Whatever passes the front may come; a throw of the step would be the end of the account's thread. */
const CODES = [BANK, '601318.SH', '000001.SZ', '688981.SH', '113050.SH', 'nonsense'] as const
const key = fc.integer({ min: 1, max: 6 })
const hash = fc.constantFrom('one', 'other')
const code = fc.constantFrom(...CODES)
const shares = fc.constantFrom(1, 99, 100, 300, 1_000, 100_000_000)
const priceType = fc.constantFrom(...PRICE_TYPES)
const PRICES = [0, 1, 350_000, 360_000, 90_071_992, 9_999_999_999]
const common = { requestHash: hash, source: fc.constant('test') }

/** As the front lets it through: only a limit order has a price, and its amount can be counted. */
const limited = <T extends { priceType: number; price: number; quantity?: number | undefined }>(
  order: T,
): T => {
  const price = order.priceType === 11 ? Math.max(1, order.price) : 0
  const isCountable = Number.isSafeInteger(price * (order.quantity ?? 1))
  return { ...order, price: isCountable ? price : 360_000 }
}

/** Orders, and what is asked of them by key. */
const ordering = fc.oneof(
  fc
    .record({
      kind: fc.constant('placeOrder'),
      key: key.map(keyOf),
      ...common,
      code,
      side: fc.constantFrom('buy', 'sell'),
      quantity: shares,
      priceType,
      price: fc.constantFrom(...PRICES),
      strategy: fc.constant('manual'),
    })
    .map(limited),
  fc
    .record({
      kind: fc.constant('executeSell'),
      key: key.map(keyOf),
      ...common,
      code,
      amount: fc.oneof(
        shares.map((quantity) => ({ quantity })),
        fc.constantFrom({ ratio: 1 }, { ratio: 0.5 }, { ratio: 1e-9 }),
      ),
      priceType,
      price: fc.constantFrom(...PRICES),
    })
    .map(({ amount, ...sale }) => limited({ ...sale, ...amount })),
  fc
    .record({
      kind: fc.constant('executeBuy'),
      key: key.map(keyOf),
      ...common,
      strategy: fc.constantFrom('custom_stock', 'random_pool', 'else'),
      count: fc.integer({ min: 1, max: 4 }),
      codes: fc.array(code, { minLength: 1, maxLength: 4 }),
    })
    .map((buy) => ({
      ...buy,
      keys: buy.codes.map((text) => `${buy.key.slice(0, -2)}${10 + CODES.indexOf(text)}`),
    })),
  fc
    .record({
      kind: fc.constantFrom(
        'withdrawKey',
        'findOrder',
        'cancelOrder',
        'cancelQueued',
        'resolveDoubt',
      ),
      key: key.map(keyOf),
      source: fc.constant('test'),
    })
    .map(({ key: id, ...asked }) => ({ ...asked, key: id, id, orderId: id, clientOrderId: id })),
  fc.record({
    kind: fc.constant('amendOrder'),
    orderId: key.map(keyOf),
    key: key.map(keyOf),
    ...common,
    quantity: fc.option(shares, { nil: undefined }),
    price: fc.option(fc.constantFrom(...PRICES.slice(1)), { nil: undefined }),
  }),
)
const ruling = fc.oneof(
  fc.record({
    kind: fc.constant('saveConfig'),
    source: fc.constant('test'),
    changes: fc.constantFrom<Record<string, number | boolean>>(
      { simulationMode: true },
      { simulationMode: false },
      { simulationMode: true, singleBuyAmount: 35_000 },
    ),
  }),
  fc.constant({ kind: 'importData', source: 'test' }),
  fc.record({
    kind: fc.constant('setRiskLimits'),
    limits: fc.array(
      fc.oneof(
        fc.record({
          name: fc.constantFrom('max_order_value', 'max_daily_loss'),
          from: fc.constantFrom(0, 1, 1e15),
          to: fc.constantFrom(0, 1, 1e15, null),
        }),
        // More a second than 10,000 does not pass the front.
        fc.record({
          name: fc.constant('max_orders_per_second'),
          from: fc.constantFrom(0, 1, 10_000),
          to: fc.constantFrom(0, 1, 10_000, null),
        }),
      ),
      { maxLength: 3 },
    ),
    confirm: fc.constant(''),
    source: fc.constant('test'),
  }),
  fc.record({
    kind: fc.constant('noteFill'),
    fillId: fc.constantFrom(0, 1, Number.MAX_SAFE_INTEGER),
    note: fc.option(fc.string({ maxLength: 600 })),
    expected: fc.option(fc.constantFrom('', 'a')),
    code: fc.constantFrom(BANK, undefined),
    source: fc.constant('test'),
  }),
  fc.constant({ kind: 'initializePositions', changes: {}, source: 'test' }),
  fc.record({
    kind: fc.constant('setKillSwitch'),
    level: fc.constantFrom('off', 'entries', 'all', 'cancel_all'),
    reason: fc.constant('by hand'),
    source: fc.constant('test'),
  }),
)

const request = fc.oneof(
  { weight: 3, arbitrary: ordering },
  { weight: 1, arbitrary: ruling },
) as fc.Arbitrary<unknown> as fc.Arbitrary<AccountRequest>

const RISKS = [{}, { maxOrdersPerSecond: 1 }, { maxOrdersPerSecond: 3 }] as const

const PRICES_OF_QUOTES = [undefined, 0.0001, 36, 1_800, 9_000, 999_999]

t.test('F549 no request that passes the front is more than the step can take', async () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(request, fc.constantFrom(...PRICES_OF_QUOTES)), { maxLength: 25 }),
      fc.constantFrom(...RISKS),
      (requests, risk) => {
        const bench = holder(risk)
        for (const [i, [asked, price]] of requests.entries()) {
          for (const stock of CODES) {
            if (price === undefined) bench.quotes.delete(stock as StockCode)
            else bench.quotes.set(stock as StockCode, quote(price, bench.nowMs))
          }
          const effects = bench.input({ kind: 'request', ref: i, request: asked } as AccountInput)
          if (price !== 9_000) taken(bench, effects) // else they stay in doubt
        }
      },
    ),
    { numRuns: 3_000, examples: [[[[{ kind: 'importData', source: KEY } as never, 36]], {}]] },
  )
})

t.test(
  'F316 a request that this release does not know is refused, and ends no account',
  async (t) => {
    const bench = new Bench().ready([brokerPosition()])
    const request = { kind: 'ofTomorrow', source: 'test' } as unknown as AccountRequest
    const effects = bench.input({ kind: 'request', ref: 1, request: request as never })
    t.match(effects, [{ kind: 'refuse', ref: 1, error: { code: 'BAD_REQUEST' } }])
  },
)
