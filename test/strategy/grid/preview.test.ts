import t from 'tap'
import { Backtest } from '../../../src/strategy/grid/backtest.ts'
import { type PreviewStep, previewOf } from '../../../src/strategy/grid/preview.ts'
import type { GridParameters } from '../../../src/strategy/grid/session.ts'
import { MAIN_BOARD, money, parameters, policy, price, shares } from './fixture.ts'

/** 2026-08-10 09:30:00 at the exchange, a Monday. */
const OPEN_MS = Date.parse('2026-08-10T01:30:00Z')
/** Longer than any cool-down. */
const APART_MS = 360_000

const shown = (fields: Partial<GridParameters> = {}) =>
  previewOf(
    policy,
    { ...parameters, ...fields },
    {
      price: price(10),
      sellable: shares(1_000),
      rule: { ...MAIN_BOARD, tickSize: 100 },
      fees: () => money(5),
    },
  )

const told = (steps: readonly PreviewStep[]) =>
  steps.map(({ quantity, price: at, refused }) => refused ?? `${quantity}@${at / 10_000}`)

t.test('each step is from the center that the one before has set', async (t) => {
  const { buys, sells, worst } = shown()
  t.strictSame(told(buys), ['200@9.49', '200@9.01', '200@8.55', '300@8.12'])
  t.strictSame(told(sells), ['200@10.51', '200@11.04', '100@11.6'])
  t.match(
    worst,
    { price: price(7.2675), quantity: 600, cost: money(5_410), loss: money(1_049.5) },
    'the price falls on without the turn that the last purchase waits for',
  )
})

t.test(
  'F427 a purchase that ends the session by the center it sets is shown, for it is made',
  async (t) => {
    const test = new Backtest({
      policy,
      parameters,
      baseQuantity: shares(1_000),
      fees: () => money(5),
      isAlwaysOpen: true,
    })
    const fall = [9.49, 9.54, 9.06, 9.11, 8.65, 8.7, 8.26, 8.31, 8.3]
    for (const [index, yuan] of fall.entries()) test.take(OPEN_MS + index * APART_MS, price(yuan))
    const { trades, exit } = test.result()
    t.equal(exit, 'deviation')
    t.equal(shown().buys.length, trades.length)
  },
)
