import t from 'tap'
import { createMarketMemory } from '../../src/market/memory.ts'
import { QuoteReader, QuoteWriter, tickOf } from '../../src/market/quote-board.ts'
import { startThread } from '../../src/runtime/thread.ts'

const memory = () => createMarketMemory({ codesMax: 8, actorSlots: 2 })
const TICK = {
  time: 1_754_875_800_000,
  stock_code: '600036.SH',
  lastPrice: 36.5,
  open: 36.2,
  high: 36.6,
  low: 36.1,
  lastClose: 36,
  volume: 12_345,
  amount: 450_000.5,
  bidPrice: [36.49, 36.48, 36.47, 36.46, 36.45],
  askPrice: [36.5, 36.51, 36.52, 36.53, 0],
  bidVol: [100, 200, 300, 400, 500],
  askVol: [80, 70, 60, 50, 0],
}

t.test('a quote is read as it was written, prices in ten-thousandths of a yuan', async (t) => {
  const shared = memory()
  const reader = new QuoteReader(shared)
  t.equal(reader.read(2), undefined, 'nothing before the first tick')
  t.equal(reader.lastPrice(2), 0)
  new QuoteWriter(shared).write(2, TICK)
  const quote = reader.read(2)
  t.match(quote, { timeMs: TICK.time, lastPrice: 365_000, volume: 12_345, amount: 450_000.5 })
  t.same(quote?.bid, [364_900, 364_800, 364_700, 364_600, 364_500])
  t.same(quote?.ask, [365_000, 365_100, 365_200, 365_300, 0])
  t.same(quote && tickOf('600036.SH', quote), TICK, 'and travels as the tick it came from')
  t.equal(reader.lastPrice(2), 365_000)
  t.equal(reader.read(1), undefined, 'other rows are untouched')
  t.equal(reader.read(3), undefined)
})

t.test('every write of any row counts', async (t) => {
  const shared = memory()
  const [writer, reader] = [new QuoteWriter(shared), new QuoteReader(shared)]
  t.equal(reader.writes(), 0)
  writer.write(0, TICK)
  writer.write(3, TICK)
  t.equal(reader.writes(), 2)
  t.equal(reader.read(1), undefined, 'and the count is no row')
})

t.test('the stamp of slots changes whenever one of them is written', async (t) => {
  const shared = memory()
  const [writer, reader] = [new QuoteWriter(shared), new QuoteReader(shared)]
  const before = reader.stamp([1, 2])
  writer.write(3, TICK)
  t.equal(reader.stamp([1, 2]), before)
  writer.write(2, TICK)
  t.not(reader.stamp([1, 2]), before, 'also when the same quote comes again')
  t.equal(reader.stamp([]), 0)
})

t.test('limits that are no limits are refused', async (t) => {
  for (const codesMax of [0, -1, 1.5, Number.NaN, 1e9]) {
    t.throws(() => createMarketMemory({ codesMax, actorSlots: 1 }), RangeError)
  }
  t.throws(() => createMarketMemory({ codesMax: 8, actorSlots: 0 }), RangeError)
})

t.test('a reader never sees a mix of two writes of another thread', async (t) => {
  const shared = memory()
  const reader = new QuoteReader(shared)
  const writes = 300_000
  const writer = startThread({
    entry: 'test/market/fixtures/board-writer.thread.ts',
    name: 'writer',
    data: { memory: shared, writes },
    ports: {},
  })
  await writer.ready
  let torn = 0
  let distinct = 0
  let last = 0
  while (last < writes) {
    const quote = reader.read(3)
    if (quote === undefined) continue
    const n = quote.timeMs
    if (n !== last) distinct++
    const { bid, ask, bidVolume, askVolume } = quote
    const fields = [quote.lastPrice, quote.open, quote.high, quote.low, quote.lastClose]
    const all = [...fields, quote.volume, quote.amount, ...bid, ...ask, ...bidVolume, ...askVolume]
    if (n < last || all.some((value) => value !== n)) torn++
    last = n
  }
  writer.stop()
  t.equal(torn, 0)
  t.ok(distinct > 1, `the two threads met: ${distinct} different quotes`)
  await writer.exited
})
