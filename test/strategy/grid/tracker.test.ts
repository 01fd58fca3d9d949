import fc from 'fast-check'
import t from 'tap'
import { gridBand } from '../../../src/strategy/grid/band.ts'
import { exitOf } from '../../../src/strategy/grid/exits.ts'
import { type GridSession, investedOf } from '../../../src/strategy/grid/session.ts'
import {
  callbackPrice,
  levelsOf,
  released,
  type Tracker,
  track,
  trackerAt,
} from '../../../src/strategy/grid/tracker.ts'
import { after, MORNING_MS, price, session, trade } from './fixture.ts'

const levels = levelsOf(price(10), 50_000)
const open = {
  levels,
  callbackPpm: 5_000,
  isQuotaFull: false,
  isCooling: (_level: number) => false,
}

/** What each price led to: a side, `wait` or `-`; and the tracker after the last one. */
function play(prices: readonly number[], rules: Partial<typeof open> = {}) {
  let tracker: Tracker = trackerAt(price(10))
  const seen = prices.map((yuan) => {
    const [next, signal] = track(tracker, { ...open, ...rules, price: price(yuan) })
    tracker = next
    return signal?.side ?? (next.isWaiting ? 'wait' : '-')
  })
  return { seen: seen.join(' '), tracker }
}

t.test('the tracker follows the vectors', async (t) => {
  t.strictSame(levels, { lower: 95_000 * 1e6, upper: 105_000 * 1e6 })
  const VECTORS: readonly (readonly [readonly number[], string])[] = [
    [[10.5], '-'],
    [[10.51, 10.6, 10.55], 'wait wait wait'],
    [[10.51, 10.6, 10.55, 10.548], 'wait wait wait sell'],
    [[10.51, 10.6, 10.5481], 'wait wait wait'],
    [[9.5], '-'],
    [[9.49, 9.4, 9.45], 'wait wait buy'],
    [[10.51, 9.4], 'wait sell'],
  ]
  for (const [prices, expected] of VECTORS) t.equal(play(prices).seen, expected, `${prices}`)
})

t.test('the signal carries the level that was crossed, not the center', async (t) => {
  const { tracker } = play([10.51, 10.6])
  const [, signal] = track(tracker, { ...open, price: price(10.5) })
  t.match(signal, { side: 'sell', level: levels.upper, peakPrice: price(10.6), callbackPpm: 9_434 })
})

t.test('a level that cools is not crossed, the other one is', async (t) => {
  const isCooling = (level: number) => level === levels.upper
  t.equal(play([10.6, 9.4], { isCooling }).seen, '- wait')
})

t.test('a used-up quota stops falls below the lower level, and nothing else', async (t) => {
  t.equal(play([9.4, 10.6, 10.5], { isQuotaFull: true }).seen, '- wait sell')
})

t.test('released, it counts the next crossing from there', async (t) => {
  const { tracker } = play([10.51, 10.7])
  const [next] = track(released(tracker), { ...open, price: price(10.6) })
  t.match(next, { isWaiting: true, peakPrice: price(10.6) })
})

t.test('the callback price is the first at which the signal comes', async (t) => {
  const prices = fc.integer({ min: 10_000, max: 9_000_000 })
  const exact = fc.property(prices, fc.integer({ min: 1_000, max: 100_000 }), (at, callbackPpm) => {
    for (const direction of ['rising', 'falling'] as const) {
      const waiting = { ...trackerAt(at as never), direction, crossedLevel: 1, isWaiting: true }
      const first = callbackPrice(waiting, callbackPpm)
      const nearer = direction === 'rising' ? first + 1 : first - 1
      const signalAt = (value: number) =>
        track(waiting, { ...open, callbackPpm, price: value as never })[1]
      t.ok(signalAt(first))
      t.notOk(signalAt(nearer))
    }
  })
  fc.assert(exact, { numRuns: 100 })
})

t.test('inside its band no price changes a session or ends it', async (t) => {
  const anyTrade = fc.record({
    side: fc.constantFrom('buy' as const, 'sell' as const),
    lots: fc.integer({ min: 1, max: 6 }),
    at: fc.integer({ min: 900, max: 1_100 }),
  })
  const inert = fc.property(
    fc.array(anyTrade, { maxLength: 6 }),
    fc.array(fc.integer({ min: 85_000, max: 115_000 }), { maxLength: 5 }),
    fc.integer({ min: 80_000, max: 120_000 }),
    (rows, path, probe) => {
      const trades = rows.map(({ side, lots, at }) => trade(side, lots * 100, at / 100))
      let current: GridSession = after(session(), ...trades)
      const step = (at: number) => {
        const rules = {
          levels: levelsOf(current.currentCenter, current.intervalPpm),
          callbackPpm: current.callbackPpm,
          isQuotaFull: investedOf(current) >= current.maxInvestment,
          isCooling: () => false,
        }
        return track(current.tracker, { ...rules, price: at as never })
      }
      for (const at of path) current = { ...current, tracker: step(at)[0] }
      const { low, high } = gridBand(current)
      if (probe < low || probe > high) return
      const [tracker, signal] = step(probe)
      t.strictSame({ ...tracker, lastPrice: 0 }, { ...current.tracker, lastPrice: 0 })
      t.equal(signal, undefined)
      const exit = exitOf(current, { price: probe as never, nowMs: MORNING_MS, isCleared: false })
      t.equal(exit, undefined, `${probe} in ${low}…${high}`)
    },
  )
  fc.assert(inert, { numRuns: 400 })
})
