import t from 'tap'
import { emptyState } from '../../../src/account/model/state.ts'
import type { StockCode } from '../../../src/domain/instrument.ts'
import type { Price, Quantity } from '../../../src/domain/money.ts'
import type { OrderPreview } from '../../../src/protocol/orders.ts'
import { Bench, brokerPosition, commands, policy, quote, replies, yuan } from '../fixture.ts'

/** B shares: of Shanghai, in dollars and thousandths, and of Shenzhen, in Hong Kong dollars. */
const SHANGHAI = '900932.SH' as StockCode
const SHENZHEN = '200012.SZ' as StockCode
/** A treasury bond, which has no board here either. */
const TREASURY = '019547.SH' as StockCode

interface Asked {
  readonly code: StockCode
  readonly cost: number
  /** Asked for, level by level. */
  readonly ask?: readonly number[]
}

const ON = { ENABLE_AUTO_OPERATION: true, ENABLE_AUTO_TRADING: true }

/** 10,000 shares at a cost. */
function holding({ code, cost }: Asked): Bench {
  const bench = new Bench(emptyState({ ...policy, settings: { ...policy.settings, ...ON } }))
  const quantity = 10_000 as Quantity
  bench.quotes.set(code, quote(cost, bench.nowMs))
  bench.ready([brokerPosition({ code, quantity, sellable: quantity, costPrice: yuan(cost) })])
  return bench
}

/** The price three seconds later, and what was sent then. */
function tick(bench: Bench, { code, cost, ask = [] }: Asked, price: number) {
  bench.nowMs += 3_000
  bench.wallMs += 3_000
  const levels = ask.length === 0 ? {} : { ask: ask.map(yuan) as readonly Price[] }
  bench.quotes.set(code, { ...quote(price, bench.nowMs), ...levels, lastClose: yuan(cost) })
  const effects = bench.input({ kind: 'quotes', crossed: [code] })
  return commands(effects).flatMap((command) => (command.kind === 'submit' ? [command.order] : []))
}

const denied = ({ journal }: Bench) =>
  journal.flatMap(({ event }) => (event.kind === 'orderDenied' ? [event.code] : []))

t.test('F560 a B share of Shanghai is ordered in thousandths, also on the ticket', async (t) => {
  const bench = holding({ code: SHANGHAI, cost: 0.512 })
  const request = {
    kind: 'previewOrder',
    code: SHANGHAI,
    side: 'sell',
    quantity: 100,
    priceType: 11,
    price: yuan(0.511),
  } as const
  const [answer] = replies(bench.input({ kind: 'request', ref: 1, request }))
  const { allowed, tick_size, lot_min } = answer as OrderPreview
  t.match({ allowed, tick_size, lot_min }, { allowed: true, tick_size: 0.001, lot_min: 100 })
})

const GRID = { max_investment: 500_000, max_deviation: 0.5 }
function startGrid(bench: Bench, { code, cost }: Asked) {
  const request = { kind: 'gridStart', code, top: {}, source: 'test' } as const
  const config = { ...GRID, center_price: cost }
  return bench.input({ kind: 'request', ref: 1, request: { ...request, config } })
}

t.test('F560 a grid buys on the step of its prices, whatever it is of', async (t) => {
  const asked = { code: TREASURY, cost: 106, ask: [100.127, 101.5, 102.2] }
  const bench = holding(asked)
  startGrid(bench, asked)
  const orders = [100.6, 99.6, 100.123].flatMap((price) => tick(bench, asked, price))
  t.match(orders, [{ side: 'buy', price: yuan(102.125) }])
})

t.test('F561 no strategy buys B shares: its amounts are yuan, and they are not', async (t) => {
  for (const [code, cost] of [
    [SHANGHAI, 0.512],
    [SHENZHEN, 2.35],
  ] as const) {
    const bench = holding({ code, cost })
    t.strictSame(
      tick(bench, { code, cost }, cost * 0.929),
      [],
      `${code}: the supplementary purchase`,
    )
    t.strictSame(denied(bench), ['OTHER_CURRENCY'])
    t.match(
      tick(bench, { code, cost }, cost * 0.92),
      [{ side: 'sell', quantity: 10_000 }],
      'but a stop sells',
    )
  }
})

t.test('F561 no grid of them begins: it would sell, and never buy again', async (t) => {
  for (const asked of [
    { code: SHANGHAI, cost: 0.512 },
    { code: SHENZHEN, cost: 2.35 },
  ]) {
    const bench = holding(asked)
    t.match(startGrid(bench, asked), [{ kind: 'refuse', error: { code: 'OTHER_CURRENCY' } }])
    t.equal(bench.state.grid.sessions.size, 0)
  }
})

t.test('F561 nor is an amount of yuan spent on them by hand; so many shares may be', async (t) => {
  const bench = holding({ code: SHANGHAI, cost: 0.512 })
  const bought = bench.input({
    kind: 'request',
    ref: 1,
    request: {
      kind: 'executeBuy',
      strategy: 'custom_stock',
      count: 1,
      codes: ['900932.SH'],
      keys: ['01J00000000000000000000001'],
      key: '01J00000000000000000000000',
      requestHash: 'h',
      source: 'test',
    },
  })
  t.strictSame(commands(bought), [])
  t.strictSame(denied(bench), ['OTHER_CURRENCY'])
  const placed = bench.place({ code: SHANGHAI, quantity: 100, price: yuan(0.511) })
  t.match(commands(placed), [{ kind: 'submit', order: { quantity: 100 } }])
})
