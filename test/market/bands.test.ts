import fc from 'fast-check'
import t from 'tap'
import { ActorBands, BandFeed } from '../../src/market/bands.ts'
import { createMarketMemory } from '../../src/market/memory.ts'
import { QuoteReader, QuoteWriter } from '../../src/market/quote-board.ts'
import { startThread } from '../../src/runtime/thread.ts'
import { tickOf } from './fixtures/ticks.ts'

const CODES = 70 // more than two words of flags
const setUp = () => {
  const memory = createMarketMemory({ codesMax: CODES, actorSlots: 3 })
  const [feed, writer] = [new BandFeed(memory), new QuoteWriter(memory)]
  /** As the market thread does; returns the accounts to ring. */
  const tick = (slot: number, yuan: number, high = yuan): number[] => {
    const price = writer.write(slot, { ...tickOf('600036.SH', 1, yuan), high })
    const count = feed.crossAccounts(slot, price, writer)
    return Array.from({ length: count }, (_, index) => feed.crossedAt(index))
  }
  return { memory, feed, tick, bands: new ActorBands(memory, 1) }
}

t.test('a price rings below the low and above the high end, and at no price between', async (t) => {
  const rows: readonly (readonly [number, number, number, boolean])[] = [
    [100_000, 120_000, 9.9999, true],
    [100_000, 120_000, 10, false],
    [100_000, 120_000, 11, false],
    [100_000, 120_000, 12, false],
    [100_000, 120_000, 12.0001, true],
    [1, 0, 11, true],
    [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0.0001, true],
    [0, Number.POSITIVE_INFINITY, 900_000, false],
    [Number.NEGATIVE_INFINITY, 100_000, 10.0001, true],
    [4e9, 5e9, 300_000, true],
  ]
  for (const [low, high, yuan, wakes] of rows) {
    const { feed, bands, tick } = setUp()
    feed.watch(5, 1)
    bands.set(5, low, high)
    t.same(tick(5, yuan), wakes ? [1] : [], `${low} … ${high} at ${yuan}`)
    t.same(bands.takeCrossed(), wakes ? [5] : [])
    t.same(bands.takeCrossed(), [], 'taken once')
  }
})

t.test('without a band, after clear, and for who does not watch nothing rings', async (t) => {
  const { feed, bands, tick } = setUp()
  feed.watch(5, 1)
  t.same(tick(5, 11), [])
  bands.set(5, 1, 0)
  bands.clear(5)
  bands.takeCrossed()
  t.same(tick(5, 11), [])
  bands.set(6, 1, 0)
  t.same(tick(6, 11), [], 'not watched')
})

t.test('each actor has its own band; the paper client is asked apart', async (t) => {
  const { memory, feed, bands, tick } = setUp()
  const other = new ActorBands(memory, 2)
  const paper = new ActorBands(memory, 0)
  for (const actor of [2, 1, 0, 1]) feed.watch(5, actor)
  bands.set(5, 1, 0)
  other.set(5, 100_000, 120_000)
  paper.set(5, 100_000, 120_000)
  t.same(tick(5, 11), [1])
  t.same(tick(5, 13), [1, 2], 'ascending, whatever the order of watching')
  t.same(other.takeCrossed(), [5])
  t.notOk(feed.crossPaper(5, 110_000))
  t.ok(feed.crossPaper(5, 130_000))
  t.same(paper.takeCrossed(), [5])
})

t.test('a wake-up is due once, until the actor has taken what crossed', async (t) => {
  const { feed, bands } = setUp()
  t.ok(feed.wake(1))
  t.notOk(feed.wake(1))
  bands.takeCrossed()
  t.ok(feed.wake(1))
})

t.test('an actor that is gone leaves no watch, band, flag or bell behind', async (t) => {
  const { memory, feed, bands, tick } = setUp()
  feed.watch(5, 1)
  feed.watch(6, 0)
  bands.set(5, 1, 0)
  new ActorBands(memory, 0).set(6, 1, 0)
  tick(5, 11)
  feed.wake(1)
  t.ok(feed.hasCrossed(1))
  feed.drop(1)
  feed.drop(0)
  t.notOk(feed.hasCrossed(1))
  t.ok(feed.wake(1))
  t.same(tick(5, 12), [])
  feed.watch(5, 1)
  feed.watch(6, 0)
  t.same(tick(5, 12), [], 'the band of the one before is gone')
  t.notOk(feed.crossPaper(6, 120_000))
})

t.test('a tick that comes before the band is set is found by set', async (t) => {
  const { bands, feed, tick } = setUp()
  feed.watch(5, 1)
  bands.set(5, 100_000, 120_000)
  t.same(tick(5, 11), [], 'inside the old band')
  bands.set(5, 112_000, 120_000)
  t.same(bands.takeCrossed(), [5], 'outside the new one')
  bands.set(5, 115_000, 120_000)
  t.same(bands.takeCrossed(), [], 'but only once a tick: the actor has looked at it')
  bands.set(5, 1, 0)
  t.same(bands.takeCrossed(), [])
  t.same(tick(5, 11), [1])
  t.throws(() => bands.set(5, Number.NaN, 1), RangeError)
})

t.test('a high of the day that a tick brings rings too, once, whatever the price is', async (t) => {
  const { feed, bands, tick } = setUp()
  feed.watch(5, 1)
  bands.set(5, 100_000, 108_000)
  t.same(tick(5, 10.5, 10.8), [], 'at the end of the band')
  t.same(tick(5, 10.5, 10.95), [1])
  t.same(bands.takeCrossed(), [5])
  t.same(tick(5, 10.6, 10.95), [], 'the same high is no news')
  t.same(tick(5, 10.5, 10.96), [1], 'a higher one is')
  bands.takeCrossed()
  t.same(tick(5, 10.5, 10.7), [], 'a lower one of another day within the band')
  t.same(tick(5, 10.5, 10.9), [1], 'also when it was higher on the day before')
  t.same(tick(5, 10.5, 10), [], 'one below the price cannot be')
})

t.test('a high that comes before the band is set is found by set, once', async (t) => {
  const { bands, feed, tick } = setUp()
  feed.watch(5, 1)
  bands.set(5, 100_000, 120_000)
  t.same(tick(5, 10.5, 10.95), [])
  t.same(tick(5, 10.4, 10.95), [])
  bands.set(5, 100_000, 108_000)
  t.same(bands.takeCrossed(), [5], 'outside the new band')
  t.same(tick(5, 10.5, 10.95), [])
  bands.set(5, 100_000, 107_000)
  t.same(bands.takeCrossed(), [], 'the actor has looked at it')
})

t.test('every tick outside the band rings, none inside, over any bands and prices', async () => {
  const price = fc.integer({ min: 1, max: 300 })
  const step = fc.oneof(
    fc.record({ slot: fc.nat(CODES - 1), low: price, high: price }),
    fc.record({ slot: fc.nat(CODES - 1), price, above: fc.nat(50) }),
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const { feed, bands, tick } = setUp()
      const model = new Map<number, { low: number; high: number }>()
      const highs = new Map<number, number>()
      const isOutside = (slot: number, at: number): boolean => {
        const band = model.get(slot)
        return band !== undefined && (at < band.low || at > band.high)
      }
      for (let slot = 0; slot < CODES; slot++) feed.watch(slot, 1)
      return steps.every((next) => {
        if ('low' in next) {
          bands.set(next.slot, next.low, next.high)
          model.set(next.slot, next)
          bands.takeCrossed()
          return true
        }
        const high = next.price + next.above
        const isNews = next.above > 0 && highs.get(next.slot) !== high
        highs.set(next.slot, high)
        const isCrossed = isOutside(next.slot, next.price) || (isNews && isOutside(next.slot, high))
        const expected = isCrossed ? [1] : []
        const rung = tick(next.slot, next.price / 10_000, high / 10_000)
        const taken = bands.takeCrossed()
        return String(rung) === String(expected) && taken.length === expected.length
      })
    }),
  )
})

t.test('no tick is lost between a feed that writes and an actor that moves its band', async (t) => {
  const memory = createMarketMemory({ codesMax: 1, actorSlots: 2 })
  // A staircase: at each price the actor asks for the next one, and only that.
  const prices = Array.from({ length: 200_000 }, (_, index) => (1 + Math.floor(index / 4)) / 10_000)
  const wakeUps = new SharedArrayBuffer(8)
  const words = new Int32Array(wakeUps)
  const quotes = new QuoteReader(memory)
  const bands = new ActorBands(memory, 1)
  bands.set(0, 0, 0)
  const writer = startThread({
    entry: 'test/market/fixtures/price-writer.thread.ts',
    name: 'writer',
    data: { memory, prices, wakeUps },
    ports: {},
  })
  let seen = 0
  let rung = 0
  for (;;) {
    Atomics.wait(words, 0, rung, 10_000)
    rung = Atomics.load(words, 0)
    const isOver = Atomics.load(words, 1) === 1
    while (bands.takeCrossed().length > 0) {
      seen = quotes.lastPrice(0)
      bands.set(0, 0, seen)
    }
    if (isOver) break
  }
  t.equal(seen, 50_000, 'the last step of the staircase was seen, without looking at the board')
  t.ok(rung > 1, `${rung} bells`)
  writer.stop()
  await writer.exited
})

t.test('a quiet new high rings once, and then for nobody who gathers', async (t) => {
  const { memory, feed, bands, tick } = setUp()
  feed.watch(5, 1)
  bands.set(5, 100_000, 108_000, 112_000)
  t.same(tick(5, 10.8), [])
  t.same(tick(5, 10.9), [1])
  t.same(bands.takeCrossed(), [], 'nothing has left the band that matters')
  t.same(bands.takeNoted(), [5])
  t.same(bands.takeNoted(), [], 'taken once')
  bands.gather(true)
  t.same(tick(5, 11), [])
  t.ok(feed.hasCrossed(1), 'for a thread that takes over')
  t.same(bands.takeNoted(), [5])
  t.same(tick(5, 11.2), [], 'up to its end')
  t.same(tick(5, 11.2001), [1], 'and not beyond')
  t.same(tick(5, 9.9), [1], 'nor below')
  t.same(bands.takeCrossed(), [5])
  bands.gather(false)
  t.same(tick(5, 11.1), [1])
  bands.takeNoted()
  bands.gather(true)
  t.ok(new ActorBands(memory, 1))
  t.same(tick(5, 11), [1], 'nor for the next life of who did')
})

t.test('a quiet new high that is left for later is noted and rings for nobody', async (t) => {
  const { memory, feed, bands } = setUp()
  const writer = new QuoteWriter(memory)
  const tick = (yuan: number, high = yuan) => {
    const price = writer.write(5, { ...tickOf('600036.SH', 1, yuan), high })
    return [feed.crossAccounts(5, price, writer, true), feed.isHighLeft]
  }
  feed.watch(5, 1)
  bands.set(5, 100_000, 108_000, 112_000)
  t.same(tick(10.8), [0, false], 'no new high')
  t.same(tick(10.9), [0, true])
  t.same(tick(10.8, 10.9), [0, false], 'the next tick has left none')
  t.ok(feed.hasCrossed(1))
  t.same([bands.takeCrossed(), bands.takeNoted()], [[], [5]])
  t.same(tick(11.3), [1, false], 'what decides something rings')
  t.same(tick(9.9), [1, false])
  t.same(tick(10.9, 0), [1, false], 'and so does what nothing keeps')
})

t.test('a new high that no high of the day keeps is not quiet', async (t) => {
  const { feed, bands, tick } = setUp()
  feed.watch(5, 1)
  bands.set(5, 100_000, 108_000, 112_000)
  bands.gather(true)
  t.same(tick(5, 10.9, 0), [1], 'the feed tells none')
  t.same(bands.takeCrossed(), [5])
  t.same(tick(5, 10.9, 10.85), [1], 'or one that cannot be')
  t.same(bands.takeCrossed(), [5])
  t.same(tick(5, 10.5, 11), [], 'it came and went between two ticks')
  t.same(bands.takeNoted(), [5])
  t.same(tick(5, 10.5, 11.3), [1], 'and left the quiet prices')
})

t.test(
  'a quiet band that is set below a price notes it; one that is gone leaves nothing',
  async (t) => {
    const { feed, bands, tick } = setUp()
    feed.watch(5, 1)
    bands.set(5, 100_000, 120_000)
    tick(5, 11)
    bands.set(5, 100_000, 108_000, 112_000)
    t.same([bands.takeCrossed(), bands.takeNoted()], [[], [5]])
    tick(5, 11.1)
    bands.set(5, 100_000, 108_000, 109_000)
    t.same(bands.takeCrossed(), [5], 'above its quiet prices')
    bands.set(5, 100_000, 108_000, 112_000)
    bands.takeNoted()
    bands.gather(true)
    tick(5, 11.2)
    feed.drop(1)
    t.notOk(feed.hasCrossed(1))
    feed.watch(5, 1)
    bands.set(5, 100_000, 108_000, 112_000)
    bands.takeNoted()
    t.same(tick(5, 11), [1], 'nobody gathers any more')
  },
)
