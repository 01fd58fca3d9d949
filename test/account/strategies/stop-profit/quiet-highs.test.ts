import fc from 'fast-check'
import t from 'tap'
import { BANK, policy, yuan } from '../../fixture.ts'
import { OPEN_MS, type TestTick, Watcher } from '../watcher.ts'

const watcher = (other = {}) =>
  new Watcher([BANK], { startMs: OPEN_MS - 90_000 }, other).heldBefore()
/** Three ticks after the open, so that its quotes are trusted and compared. */
const CALM = [10, 10, 10]
const BREAKOUT = 10.6

t.test('a new high below the breakout is quiet where the high of the day keeps it', (t) => {
  const calm = watcher().every3s(1, CALM)
  t.strictSame(calm.bandOf(BANK).high, yuan(10))
  t.equal(calm.bandOf(BANK).quiet, yuan(BREAKOUT) - 1)
  const replay = watcher({ tempo: 'exact' }).every3s(1, CALM)
  t.equal(replay.bandOf(BANK).quiet, yuan(BREAKOUT) - 1, 'also in an exact replay')
  t.end()
})

t.test('and not where it would be lost, or decides something', (t) => {
  const today = new Watcher([BANK], { startMs: OPEN_MS - 90_000 }).every3s(1, CALM)
  t.equal(today.bandOf(BANK).quiet, undefined, 'a holding of today')
  const untold = watcher().every3s(1, CALM, { high: 0 })
  t.equal(untold.bandOf(BANK).quiet, undefined, 'a feed without highs of the day')
  const fast = watcher({ tempo: 'other' }).every3s(1, CALM)
  t.equal(fast.bandOf(BANK).quiet, undefined, 'one whose day is over in a moment')
  const broken = watcher().every3s(1, [...CALM, BREAKOUT])
  t.equal(broken.bandOf(BANK).quiet, undefined, 'after a breakout')
  const closed = new Watcher([BANK], { startMs: OPEN_MS - 90_000 }, policy).heldBefore()
  closed.bench.state.settings = { ...closed.bench.state.settings, ENABLE_AUTO_TRADING: false }
  closed.every3s(1, [...CALM, 9])
  t.equal(closed.bandOf(BANK).quiet, undefined, 'while a switch keeps a signal back')
  t.end()
})

const moves = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.integer({ min: -12, max: 16 }) },
    { weight: 1, arbitrary: fc.integer({ min: -60, max: 60 }) },
  ),
  { minLength: 10, maxLength: 120, size: 'max' },
)

/** Prices in cents, with the high of the day so far, one tick every three seconds. */
function ticksOf(steps: readonly number[]): readonly TestTick[] {
  let cents = 1_000
  let high = cents
  return steps.map((step, index) => {
    cents = Math.min(1_090, Math.max(910, cents + step))
    high = Math.max(high, cents)
    return { at: 1 + 3 * index, price: cents / 100, high: high / 100 }
  })
}

t.test('who never looks at quiet highs sends the same orders as who looks at every tick', (t) => {
  let [sales, spared] = [0, 0]
  fc.assert(
    fc.property(moves, (steps) => {
      const ticks = ticksOf([0, 0, 0, ...steps])
      const [every, deaf] = [watcher(), watcher()]
      every.isBanded = false
      deaf.isDeafToQuiet = true
      every.ticks(...ticks)
      deaf.ticks(...ticks)
      sales += every.sent().length
      spared += every.wakeUps - deaf.wakeUps
      t.strictSame(deaf.sent(), every.sent())
      // And with one look the high is what it would be.
      deaf.bench.input({ kind: 'quotes', crossed: [BANK] })
      const highOf = ({ bench }: Watcher) => bench.state.positions.get(BANK)?.highestPrice
      t.equal(highOf(deaf), highOf(every))
    }),
    { numRuns: 200, seed: 20_261_122 },
  )
  t.ok(sales > 50 && spared > 1_000, `${sales} sales, ${spared} looks less`)
  t.end()
})
