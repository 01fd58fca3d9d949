import { deepStrictEqual } from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import type { Money, Price } from '../../../src/domain/money.ts'
import type { Band } from '../../../src/strategy/band.ts'
import { Backtest, CURVE_POINTS_MAX } from '../../../src/strategy/grid/backtest.ts'
import { gridBand } from '../../../src/strategy/grid/band.ts'
import { exitOf } from '../../../src/strategy/grid/exits.ts'
import { openCostOf } from '../../../src/strategy/grid/ledger.ts'
import { investedOf } from '../../../src/strategy/grid/session.ts'
import { levelsOf, track } from '../../../src/strategy/grid/tracker.ts'
import { money, parameters, policy, price, rebuildLedger, shares } from './fixture.ts'

/** 2026-08-10 09:30:00 at the exchange, a Monday. */
const OPEN_MS = Date.parse('2026-08-10T01:30:00Z')
const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

const backtest = (base = 1_000, fields = {}) =>
  new Backtest({
    policy,
    parameters: { ...parameters, maxDeviationPpm: 500_000, ...fields },
    baseQuantity: shares(base),
    fees: () => money(5),
    isAlwaysOpen: false,
  })

/** One price a minute, from the opening of a day on. */
const play = (test: Backtest, prices: readonly number[], day = 0) => {
  for (const [index, yuan] of prices.entries()) {
    test.take(OPEN_MS + day * DAY_MS + index * MINUTE_MS, price(yuan))
  }
  return test
}

t.test('a sale, and the purchase that covers it, with fees', async (t) => {
  const { session, trades, fees, exit } = play(
    backtest(),
    [10.2, 10.51, 10.6, 10.54, 10.3, 10, 9.9, 9.96],
  ).result()
  t.match(trades, [
    { side: 'sell', quantity: 200, price: price(10.54), realized: 0 },
    { side: 'buy', quantity: 200, price: price(9.96), realized: money(116) },
  ])
  t.match(session, { buyCount: 1, sellCount: 1, currentCenter: price(9.96) })
  t.equal(fees, money(10))
  t.equal(exit, null)
})

t.test('what is bought today is sold tomorrow at the earliest', async (t) => {
  const dip = [9.49, 9.4, 9.45]
  const rise = [9.96, 10.1, 10.04]
  const test = play(backtest(50), [...dip, ...rise])
  t.strictSame(
    test.result().trades.map(({ side }) => side),
    ['buy'],
  )
  t.match(test.result().refusals, { below_lot: 1 })
  play(test, [9.96, 10.1, 10.04], 1)
  t.strictSame(
    test.result().trades.map(({ side }) => side),
    ['buy', 'sell'],
  )
})

t.test('F276 a bond that is bought today may be sold today', async (t) => {
  const code = '113050.SH' as typeof parameters.code
  const bond = { code, centerPrice: price(100), maxInvestment: money(100_000) }
  const dip = [94.9, 94, 94.5]
  const rise = [99.5, 101, 100.4]
  const { trades, refusals } = play(backtest(50, bond), [...dip, ...rise]).result()
  t.match(trades, [
    { side: 'buy', quantity: 200 },
    { side: 'sell', quantity: 100 },
  ])
  t.strictSame(refusals, {})
})

t.test('F281 a day that opens beyond the limits over the day before is named', async (t) => {
  // Ten for ten: the price halves over night, and no limit-down could have done that.
  const test = play(play(play(backtest(), [10, 10.2]), [5.1, 5.2], 1), [5.3, 4.8], 2)
  t.strictSame(test.result().jumps, ['2026-08-11'])
  t.strictSame(play(backtest(), [10, 12]).result().jumps, [], 'the first day has none before it')
})

t.test('exits end it, and prices outside the session do not count', async (t) => {
  const test = play(backtest(1_000, { maxDeviationPpm: 150_000 }), [10, 11.51, 9, 9.1])
  t.equal(test.result().exit, 'deviation')
  t.ok(test.hasEnded)
  t.equal(test.result().points, 2)
  const closed = backtest()
  closed.take(OPEN_MS - 1, price(20))
  t.match(closed.result(), { points: 0, exit: null, trades: [], curve: [] })
})

t.test('the curve ends with the result where the prices of a bar share its time', async (t) => {
  const test = backtest()
  for (let bar = 0; bar < 600; bar++) {
    const atMs = OPEN_MS + Math.floor(bar / 100) * DAY_MS + (bar % 100) * MINUTE_MS
    for (const yuan of [10, 9.8, 10.2, 10.1]) test.take(atMs, price(yuan))
  }
  const { curve, lastPrice } = test.result()
  t.equal(curve.at(-1)?.price, lastPrice)
  t.ok(curve.length <= CURVE_POINTS_MAX)
})

t.test('the curve stays short, and ends with the last price', async (t) => {
  const test = backtest(1_000, { durationDays: 365 })
  const prices = Array.from({ length: 100 }, (_, i) => 10 + (i % 10) / 100)
  for (let day = 0; day < 70; day++) play(test, prices, day)
  const { curve, lastPrice, points } = test.result()
  t.ok(points > 2 * CURVE_POINTS_MAX)
  t.ok(curve.length <= CURVE_POINTS_MAX && curve.length > CURVE_POINTS_MAX / 4)
  t.equal(curve.at(-1)?.price, lastPrice)
})

t.test(
  'whatever the prices: the books close, the quota holds, nothing is sold that is not there',
  async (t) => {
    const steps = fc.array(fc.integer({ min: -120, max: 120 }), { minLength: 20, maxLength: 200 })
    const sound = fc.property(steps, fc.constantFrom('amount', 'shares'), (moves, tradeMode) => {
      const fields = { tradeMode, fixedQuantity: shares(300), intervalPpm: 20_000 }
      const test = backtest(1_000, fields)
      let yuan = 10
      moves.forEach((move, index) => {
        yuan = Math.max(5, yuan + move / 1_000)
        const timeMs = OPEN_MS + Math.floor(index / 40) * DAY_MS + (index % 40) * 3 * MINUTE_MS
        test.take(timeMs, price(yuan))
      })
      const { trades, session } = test.result()
      let held = 1_000
      const booked = trades.map((trade, index) => {
        held += trade.side === 'buy' ? trade.quantity : -trade.quantity
        t.ok(held >= 0)
        const { side, quantity, amount, timeMs } = trade
        const tradeId = String(index + 1)
        return { side, quantity, amount: amount as Money, timeMs, tradeId, orderId: tradeId }
      })
      t.strictSame(session.ledger, rebuildLedger(booked))
      t.ok(openCostOf(session.ledger) <= session.maxInvestment)
    })
    fc.assert(sound, { numRuns: 100 })
  },
)

/** Every price of the band of a session, or an even sample of a wide one, both ends included. */
const pricesIn = ({ low, high }: Band): Price[] => {
  const [from, to] = [Math.max(1, low), Math.min(high, price(40))]
  const gap = Math.max(1, Math.floor((to - from) / 40))
  const prices: Price[] = []
  for (let at = from; at <= to; at += gap) prices.push(at as Price)
  return to >= from ? [...prices, to as Price] : []
}

t.test(
  'inside the band of a session nothing happens, so a backtest may pass over it',
  async (t) => {
    const steps = fc.array(fc.integer({ min: -250, max: 250 }), { minLength: 1, maxLength: 120 })
    let seen = 0
    const calm = fc.property(steps, fc.integer({ min: 0, max: 2_000 }), (moves, base) => {
      const test = backtest(base, { intervalPpm: 20_000, maxDeviationPpm: 200_000 })
      let yuan = 10
      for (const [index, move] of moves.entries()) {
        yuan = Math.max(5, yuan + move / 1_000)
        test.take(OPEN_MS + Math.floor(index / 60) * DAY_MS + (index % 60) * MINUTE_MS, price(yuan))
        const { session } = test.result()
        if (test.hasEnded) break
        for (const inside of pricesIn(gridBand(session))) {
          const look = { price: inside, nowMs: session.endMs, isCleared: false }
          deepStrictEqual(exitOf(session, look), undefined)
          const [tracker, signal] = track(session.tracker, {
            price: inside,
            levels: levelsOf(session.currentCenter, session.intervalPpm),
            callbackPpm: session.callbackPpm,
            isCooling: () => false,
            isQuotaFull: investedOf(session) >= session.maxInvestment,
          })
          deepStrictEqual(signal, undefined)
          deepStrictEqual(tracker, { ...session.tracker, lastPrice: inside })
          seen += 1
        }
      }
      const { curve, maxDrawdown } = test.result()
      let [peak, deepest] = [0, 0]
      for (const { net } of curve) {
        peak = Math.max(peak, net)
        deepest = Math.max(deepest, peak - net)
      }
      deepStrictEqual(maxDrawdown, deepest)
    })
    fc.assert(calm, { numRuns: 25 })
    t.ok(seen > 1_000, `${seen} prices`)
  },
)
