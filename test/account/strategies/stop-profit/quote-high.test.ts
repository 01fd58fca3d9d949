import fc from 'fast-check'
import t from 'tap'
import { BANK, quote, yuan } from '../../fixture.ts'
import { OPEN_MS, type TestTick, Watcher } from '../watcher.ts'

const DAY = 86_400
const calm = (from: number): readonly TestTick[] =>
  [0, 3, 6].map((at) => ({ at: from + at, price: 9.95 }))
const highOf = ({ bench }: Watcher) => bench.state.positions.get(BANK)?.highestPrice

/** Held since yesterday, its quotes known since then; the next day has been opened. */
function overNight(isBanded = true): Watcher {
  const watcher = new Watcher([BANK], { ENABLE_STOP_LOSS_BUY: true })
  watcher.isBanded = isBanded
  watcher.ticks(...calm(0))
  watcher.wait(DAY - 900)
  watcher.bench.input({ kind: 'dayOpened', day: '2026-08-12' })
  return watcher
}

t.test(
  'a high that the quote alone tells of counts with its tick, the price within the band',
  async (t) => {
    const watcher = overNight().ticks(...calm(DAY))
    t.equal(highOf(watcher), yuan(10))
    watcher.ticks({ at: DAY + 20, price: 9.95, high: 10.4 })
    t.equal(highOf(watcher), yuan(10.4))
    const { wakeUps } = watcher
    watcher.every3s(DAY + 23, [9.95, 9.96, 9.95], { high: 10.4 })
    t.equal(watcher.wakeUps, wakeUps, 'and wakes nobody again')
  },
)

t.test('not for a holding that was opened today', async (t) => {
  const watcher = new Watcher().ticks(...calm(0), { at: 20, price: 9.95, high: 10.4 })
  t.equal(highOf(watcher), yuan(10))
})

t.test('one of before the open counts as soon as quotes are judged', async (t) => {
  const watcher = overNight().ticks({ at: DAY - 300, price: 10.3, high: 10.5 })
  t.equal(highOf(watcher), yuan(10), 'outside trading hours nothing counts')
  watcher.ticks({ at: DAY + 1, price: 9.95, high: 10.5 })
  watcher.wait(DAY + 6)
  t.equal(highOf(watcher), yuan(10.5))
})

t.test('one that comes while there are too few looks counts with the third', async (t) => {
  const watcher = overNight().ticks({ at: DAY + 1, price: 9.95, high: 10.5 })
  t.equal(highOf(watcher), yuan(10))
  watcher.wait(DAY + 6)
  t.equal(highOf(watcher), yuan(10.5))
})

t.test('one that came with a quote without a price counts with the next price', async (t) => {
  const watcher = overNight().ticks(...calm(DAY), { at: DAY + 9, price: 0, high: 10.5 })
  watcher.ticks({ at: DAY + 12, price: 9.95, high: 10.5 })
  t.equal(highOf(watcher), yuan(10.5))
})

type Fields = { readonly highestPrice?: number; readonly profitTriggered?: boolean }
const sets = ({ bench }: Watcher, fields: Fields) => {
  const request = { kind: 'updateHolding', code: BANK, ...fields, source: 'test' } as const
  return bench.input({ kind: 'request', ref: 1, request })
}

/** The close and the high of the day before, in yuan. */
const told = (highBefore: number, closeBefore = 10, lastCloseBefore = 9.9) => ({
  closeBefore,
  lastCloseBefore,
  highBefore,
})

t.test(
  'F812 a high of the closing auction, or of an afternoon, counts on the next day',
  async (t) => {
    const watcher = overNight().heldBefore()
    watcher.every3s(DAY + 1, [9.95, 9.95, 9.95], told(10.6))
    t.equal(highOf(watcher), yuan(10.6))
    sets(watcher, { highestPrice: yuan(10.2) })
    watcher.every3s(DAY + 20, [9.95, 9.95], told(10.6))
    t.equal(highOf(watcher), yuan(10.2), 'once: what a person sets later stands')
  },
)

t.test('F812 but one that a person sets on the evening before stands', async (t) => {
  const watcher = overNight().heldBefore()
  const evening = { ...quote(9.95, OPEN_MS + 20_000_000), high: yuan(10.6) }
  watcher.bench.quotes.set(BANK, evening)
  sets(watcher, { highestPrice: yuan(10.2) })
  watcher.every3s(DAY + 1, [9.95, 9.95, 9.95], told(10.6))
  t.equal(highOf(watcher), yuan(10.2))
})

t.test('F814 and one that a person sets before the close is told at all', async (t) => {
  const watcher = overNight().heldBefore()
  // It is the next morning, and the newest quote is one of the morning before.
  sets(watcher, { highestPrice: yuan(10.2) })
  watcher.every3s(DAY + 1, [9.95, 9.95, 9.95], told(10.6))
  t.equal(highOf(watcher), yuan(10.2))
})

t.test('F814 what follows from it at once is not put off', async (t) => {
  const watcher = overNight().heldBefore()
  watcher.every3s(DAY + 1, [10.4, 10.4, 10.4])
  t.notMatch(watcher.sent().join(), /take_profit_full/)
  sets(watcher, { profitTriggered: true, highestPrice: yuan(10.85) })
  t.match(watcher.sent().join(), /take_profit_full/)
})

t.test('F812 nor one of a day on which it was bought, or of another scale', async (t) => {
  const bought = overNight().every3s(DAY + 1, [9.95, 9.95, 9.95], told(10.6))
  t.equal(highOf(bought), yuan(10), 'it was opened on that day')
  for (const closeBefore of [0, 9.9, 10.1]) {
    const watcher = overNight().heldBefore()
    watcher.every3s(DAY + 1, [9.95, 9.95, 9.95], told(10.6, closeBefore))
    t.ok((highOf(watcher) ?? 0) < yuan(10.2), `a close of ${closeBefore}`)
  }
})

t.test('F812 nor one that could not trade on that day', async (t) => {
  for (const before of [told(10.9), told(10.6, 10, 0)]) {
    const watcher = overNight().heldBefore()
    watcher.every3s(DAY + 1, [9.95, 9.95, 9.95], before)
    t.equal(highOf(watcher), yuan(10))
  }
})

t.test('F812 an exit follows from it', async (t) => {
  const watcher = overNight().heldBefore()
  sets(watcher, { profitTriggered: true })
  watcher.every3s(DAY + 1, [10.4, 10.4, 10.4], told(10.85))
  t.match(watcher.sent().join(), /take_profit_full/)
})

t.test('a tick that wakes nobody would have changed nothing, whatever it says', async (t) => {
  const cents = (min: number, max: number) => fc.integer({ min, max }).map((value) => value / 100)
  const anyTick = fc.record({
    wait: fc.integer({ min: 1, max: 40 }),
    price: fc.oneof(
      { weight: 8, arbitrary: cents(920, 1_090) },
      { weight: 1, arbitrary: cents(800, 1_300) },
      { weight: 1, arbitrary: fc.constant(0) },
    ),
    above: fc.oneof(
      { weight: 3, arbitrary: fc.constant(0) },
      { weight: 1, arbitrary: cents(1, 60) },
    ),
  })
  const history = fc.array(anyTick, { minLength: 5, maxLength: 60 })
  const told = (watcher: Watcher) => ({
    sent: watcher.sent(),
    high: highOf(watcher),
    isBreakerOpen: watcher.bench.state.quoteTrust.isBreakerOpen(watcher.bench.nowMs),
  })
  let slept = 0
  fc.assert(
    fc.property(history, fc.constantFrom(10, 9, 0), (ticks, lastClose) => {
      const [banded, awake] = [overNight(), overNight(false)]
      let [at, dayHigh] = [DAY - 60, 0]
      for (const { wait, price, above } of ticks) {
        at += wait
        dayHigh = Math.max(dayHigh, price + above)
        const tick = { at, price, lastClose, high: Math.round(dayHigh * 100) / 100 }
        t.strictSame(told(banded.ticks(tick)), told(awake.ticks(tick)), `at ${at - DAY}`)
      }
      slept += awake.wakeUps - banded.wakeUps
    }),
    { numRuns: 300, seed: 20_261_123 },
  )
  t.ok(slept > 300, `${slept} ticks woke nobody`)
})
