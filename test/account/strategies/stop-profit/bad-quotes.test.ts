import fc from 'fast-check'
import t from 'tap'
import { decisions } from '../../../../src/account/answers/strategies.ts'
import type { StockCode } from '../../../../src/domain/instrument.ts'
import { BANK, policy } from '../../fixture.ts'
import { OPEN_MS, OTHER, type TestTick, Watcher } from '../watcher.ts'

const BOTH = [BANK, OTHER]
/** Three looks make a score: the session of a stock begins at 9.95. */
const calm = (code: StockCode, from = 0): readonly TestTick[] =>
  [0, 3, 6].map((at) => ({ code, at: from + at, price: 9.95 }))
const zeros = (code: StockCode, from: number, count: number): readonly TestTick[] =>
  Array.from({ length: count }, (_, index) => ({ code, at: from + 3 * index, price: 0 }))
const inTime = (...ticks: readonly (readonly TestTick[])[]): readonly TestTick[] =>
  ticks.flat().toSorted((a, b) => a.at - b.at)
const BUYS = { ENABLE_STOP_LOSS_BUY: true }

t.test('a stock that is halted all day keeps no other one from its stop', async (t) => {
  const watcher = new Watcher(BOTH)
  watcher.ticks(...inTime(calm(BANK), zeros(OTHER, 0, 30), [{ at: 60, price: 9.2 }]))
  t.strictSame(watcher.sent(), ['stop_loss 1000 @ 60'])
  t.equal(watcher.bench.state.quoteTrust.isBreakerOpen(watcher.bench.nowMs), false)
})

t.test('one that traded first and then has no price keeps nobody either', async (t) => {
  const watcher = new Watcher(BOTH)
  const halted = zeros(OTHER, 9, 60)
  watcher.ticks(...inTime(calm(BANK), calm(OTHER), halted, [{ at: 100, price: 9.2 }]))
  t.strictSame(watcher.sent(), ['stop_loss 1000 @ 100'])
})

t.test(
  'after ticks without a price from before the open a stop goes at the second look',
  async (t) => {
    const watcher = new Watcher([BANK], { startMs: OPEN_MS - 900_000 })
    watcher.ticks(...zeros(BANK, -900, 301)) // the last one at the open itself
    watcher.every3s(3, [9.2, 9.2, 9.2, 9.2])
    t.strictSame(watcher.sent(), ['stop_loss 1000 @ 6'])
  },
)

t.test(
  'a stock that was halted all morning is sold at the second look after it trades',
  async (t) => {
    const noon = 3.5 * 3_600
    const watcher = new Watcher()
    watcher.ticks(...zeros(BANK, 0, 2_400)) // until 11:30
    watcher.ticks(...zeros(BANK, noon, 10))
    watcher.every3s(noon + 31, [9.2, 9.2, 9.2, 9.2])
    const [first = '', ...more] = watcher.sent()
    t.strictSame(more, [])
    t.ok(Number(first.split(' @ ')[1]) <= noon + 31 + 6, first)
  },
)

t.test('one bad tick in eight delays no stop', async (t) => {
  const watcher = new Watcher()
  const prices = Array.from({ length: 200 }, (_, index) => (index % 8 === 7 ? 0 : 9.95))
  watcher.every3s(0, [...prices, 9.2])
  t.strictSame(watcher.sent(), ['stop_loss 1000 @ 600'])
})

t.test('in the first seconds the trace says from when on a stock is judged', async (t) => {
  const watcher = new Watcher()
  watcher.ticks({ at: 1, price: 9.2 })
  const [row] = decisions(watcher.bench.state, {
    kind: 'decisions',
    code: BANK,
    limit: 1,
  }).decisions
  t.match(row, { verdict: 'quote_refused', gates: { market_health_verdict: 'too_few_events' } })
  t.match(row?.message, /自 2026-08-11 09:30:07 起判断 \(.*judged from 2026-08-11 09:30:07 on\)$/)
  watcher.wait(7)
  t.strictSame(watcher.sent(), ['stop_loss 1000 @ 7'], 'as it says, without another tick')
})

t.test('a window that holds the looks for a part of the time only delays a stop', async (t) => {
  const health = { ...policy.health, isObserveOnly: false, windowMs: 10_000, checkEveryMs: 4_000 }
  const watcher = new Watcher([BANK], {}, { health })
  watcher.ticks(...calm(BANK), { at: 11, price: 9.2 })
  t.strictSame(watcher.sent(), [], 'two looks within 10 s')
  watcher.wait(12)
  t.strictSame(watcher.sent(), ['stop_loss 1000 @ 12'])
})

t.test('good prices within the band count as looks after bad ones', async (t) => {
  const watcher = new Watcher()
  watcher.every3s(0, [9.95, 9.95, 9.95, ...Array<number>(200).fill(0), 9.95, 9.95, 9.95, 9.2])
  t.strictSame(watcher.sent(), ['stop_loss 1000 @ 618'], 'at once: three looks saw a price')
})

t.test('while it has no price a stock says so, and nobody is woken to find that out', async (t) => {
  const watcher = new Watcher()
  watcher.ticks(...zeros(BANK, 0, 4))
  t.strictSame(watcher.verdicts(), Array(4).fill('no_price'))
  watcher.wait(3_600)
  t.equal(watcher.decisions().length, 4, 'no alarm rings for it')
})

t.test(
  'quotes outside the price limits open the breaker, which stops purchases alone',
  async (t) => {
    const watcher = new Watcher(BOTH, BUYS)
    watcher.ticks(...inTime(calm(BANK), calm(OTHER)))
    watcher.every3s(9, [12, 12, 12], { code: OTHER })
    t.equal(watcher.bench.state.quoteTrust.isBreakerOpen(watcher.bench.nowMs), true)
    watcher.ticks({ at: 20, price: 9.29 })
    t.strictSame(watcher.verdicts().slice(-1), ['breaker_open'])
    t.equal(watcher.decisions().at(-1)?.isBreakerOpen, true)
    t.strictSame(watcher.sent(), [], 'no purchase')
    watcher.ticks({ at: 21, price: 9.2 })
    t.strictSame(watcher.sent(), ['stop_loss 1000 @ 21'], 'but a stop')
  },
)

t.test('for 300 s after the last bad one; then what has fallen is bought', async (t) => {
  const watcher = new Watcher(BOTH, BUYS)
  watcher.ticks(...inTime(calm(BANK), calm(OTHER)))
  watcher.every3s(9, [12, 12, 12, 10], { code: OTHER })
  watcher.ticks({ at: 314, price: 9.29 })
  t.strictSame(watcher.sent(), [])
  watcher.ticks({ at: 315, price: 9.29 })
  t.match(watcher.sent(), [/^add_position 3700 @ 315$/])
})

t.test(
  'F563 new shares far above their issue price keep no other stock from being bought',
  async (t) => {
    for (const [name, isOpen] of [
      ['N平安银行', false],
      ['平安银行', true],
    ] as const) {
      const watcher = new Watcher(BOTH, BUYS)
      const { state } = watcher.bench
      state.names.set(OTHER, name) // by the market data alone: the client of this account tells none
      const held = state.positions.get(OTHER)
      if (held !== undefined) state.positions.set(OTHER, { ...held, name: '000001' })
      const far = [0, 3, 6, 9].map((at) => ({
        code: OTHER,
        at,
        price: 21 + at / 100,
        lastClose: 10,
      }))
      watcher.ticks(...inTime(calm(BANK), far))
      t.equal(state.quoteTrust.isBreakerOpen(watcher.bench.nowMs), isOpen, name)
      watcher.ticks({ at: 20, price: 9.29 })
      t.equal(watcher.sent().length, isOpen ? 0 : 1, name)
    }
  },
)

t.test('the stock itself is sold at a price outside its limits, breaker open or not', async (t) => {
  const watcher = new Watcher([BANK], BUYS)
  watcher.ticks(...calm(BANK)).every3s(9, [12, 12, 12])
  t.equal(watcher.bench.state.quoteTrust.isBreakerOpen(watcher.bench.nowMs), true)
  watcher.ticks({ at: 20, price: 8.9 })
  t.match(watcher.sent(), [/ @ 20$/])
})

t.test('a good quote within the band begins the count anew', async (t) => {
  const watcher = new Watcher(BOTH, BUYS)
  watcher.ticks(...inTime(calm(BANK), calm(OTHER)))
  watcher.every3s(9, [12, 12, 10.01, 12, 12, 10.02, 12], { code: OTHER })
  t.equal(watcher.bench.state.quoteTrust.isBreakerOpen(watcher.bench.nowMs), false)
  const { low, high } = watcher.bandOf(OTHER)
  t.ok(low > high, 'while it has a count every tick is looked at')
  watcher.ticks({ code: OTHER, at: 40, price: 10 })
  const after = watcher.bandOf(OTHER)
  t.ok(after.low < after.high, 'and not longer')
})

t.test('a price outside the limits is counted also where no strategy would look', async (t) => {
  const watcher = new Watcher([BANK, OTHER], BUYS)
  // Far above a low cost, first profit taken: between exit and high nothing happens.
  watcher.ticks(...inTime(calm(BANK), calm(OTHER)))
  const held = watcher.bench.state.positions.get(OTHER)
  if (held === undefined) throw new Error('not held')
  const far = { profitTriggered: true, highestPrice: 150_000, costPrice: 50_000 }
  watcher.bench.state.positions.set(OTHER, { ...held, ...far } as typeof held)
  watcher.every3s(9, [10, 13, 13, 13], { code: OTHER })
  t.equal(watcher.bench.state.quoteTrust.isBreakerOpen(watcher.bench.nowMs), true)
})

t.test('where there is no limit nothing counts', async (t) => {
  const watcher = new Watcher(BOTH, BUYS)
  watcher.ticks(...inTime(calm(BANK), calm(OTHER)))
  watcher.every3s(9, [12, 14, 16, 18], { code: OTHER, lastClose: 0 })
  t.equal(watcher.bench.state.quoteTrust.isBreakerOpen(watcher.bench.nowMs), false)
})

t.test(
  'whatever the quotes of one stock are, they change nothing of the sales of another',
  async (t) => {
    const anyTick = fc.record({
      at: fc.integer({ min: -60, max: 240 }),
      price: fc.oneof(
        fc.constant(0),
        fc.constant(-1),
        fc.integer({ min: 1, max: 2_000 }).map((cents) => cents / 100),
      ),
      lastClose: fc.constantFrom(0, 10, 9.9, 100),
      high: fc.constantFrom(0, 10, 10.9, 30),
    })
    const ownTick = fc.record({
      at: fc.integer({ min: -9, max: 240 }),
      price: fc.integer({ min: 915, max: 1_100 }).map((cents) => cents / 100),
    })
    // Without purchases: what the breaker keeps from being bought is not under way when a stop comes.
    const played = (ticks: readonly TestTick[]) =>
      new Watcher(BOTH, { startMs: OPEN_MS - 90_000 }).ticks(...inTime(ticks)).sent()
    let sales = 0
    fc.assert(
      fc.property(
        fc.array(ownTick, { minLength: 5, maxLength: 40 }),
        fc.array(anyTick, { maxLength: 60 }),
        (own, any) => {
          const alone = played(own)
          sales += alone.length
          t.strictSame(played([...own, ...any.map((tick) => ({ ...tick, code: OTHER }))]), alone)
        },
      ),
      { numRuns: 200, seed: 20_261_122 },
    )
    t.ok(sales > 50, `${sales} sales`)
  },
)
