import fc from 'fast-check'
import t from 'tap'
import type { Config } from '../../src/config/schema.ts'
import type { StockCode } from '../../src/domain/instrument.ts'
import type { Price } from '../../src/domain/money.ts'
import { priceLimits } from '../../src/domain/rules.ts'
import { costsOfHoldings, SimulatedSource } from '../../src/market/simulated.ts'
import { resumeWalk, startWalk, stepWalk, tickOfWalk, type Walk } from '../../src/market/walk.ts'
import type { Tick } from '../../src/protocol/market.ts'
import { at } from './fixtures/ticks.ts'

const DAY = '2026-08-11'
const NEXT_DAY = '2026-08-12'
const start = (code: string, seed = 1, hint = 0): Walk =>
  startWalk({ code: code as StockCode, seed, day: DAY, hint })
const steps = (walk: Walk, count: number, day = DAY): Walk[] => {
  const states = [walk]
  for (let n = 0; n < count; n++) states.push(stepWalk(states.at(-1) as Walk, day))
  return states
}

t.test(
  'a walk starts at the hint, else at a price of the code between 5 and 100 yuan',
  async (t) => {
    t.equal(start('600036.SH', 1, 365_049).price, 365_000, 'to the tick size of stocks')
    t.equal(start('510050.SH', 1, 36_504).price, 36_500, 'to the tick size of funds')
    t.equal(start('510050.SH', 1, 36_516).price, 36_520)
    for (const code of ['600036.SH', '000001.SZ', '300750.SZ', '920118.BJ', '000001.SH']) {
      const { price, lastClose } = start(code)
      t.ok(price >= 50_000 && price <= 1_000_000, `${code} ${price}`)
      t.equal(lastClose, price)
      t.equal(start(code, 99).price, price, 'the same with every seed')
    }
  },
)

t.test('the same seed walks the same way, another seed another', async (t) => {
  const prices = (seed: number) => steps(start('600036.SH', seed), 200).map(({ price }) => price)
  t.same(prices(7), prices(7))
  t.notSame(prices(7), prices(8))
  t.ok(new Set(prices(7)).size > 10, 'and it moves')
})

t.test('a price stays on the tick size and within the price limits of the day', async () => {
  const codes = ['600036.SH', '300750.SZ', '688981.SH', '920118.BJ', '159915.SZ', '510050.SH']
  fc.assert(
    fc.property(
      fc.constantFrom(...codes),
      fc.nat(),
      fc.integer({ min: 2_000 }),
      (code, seed, hint) => {
        const first = start(code, seed, hint % 5_000_000)
        const size = /^(5|15|16|18)/.test(code) ? 10 : 100
        const { lastClose } = first
        const limits = priceLimits(code as StockCode, DAY, { lastClose: lastClose as Price })
        return steps(first, 300).every(
          ({ price, high, low, lastClose: close }) =>
            price % size === 0 &&
            price >= (limits?.low ?? 0) &&
            price <= (limits?.high ?? 0) &&
            low <= price &&
            price <= high &&
            close === lastClose,
        )
      },
    ),
    { numRuns: 50 },
  )
})

t.test('a walk that reaches a limit stays inside and shows no levels beyond it', async (t) => {
  const close = 100_000 as Price
  const atLimit = { ...start('600036.SH', 3, close), price: 110_000 as Price }
  for (const walk of steps(atLimit, 100)) {
    const tick = tickOfWalk(walk, 1)
    t.ok(tick.lastPrice <= 11 && tick.askPrice.every((price) => price <= 11))
    if (tick.lastPrice === 11 && tick.bidPrice[0] === 11) {
      t.same(
        [tick.askPrice, tick.askVol],
        [
          [0, 0, 0, 0, 0],
          [0, 0, 0, 0, 0],
        ],
      )
    }
  }
})

t.test('a new day closes the old one at its last price', async (t) => {
  const evening = steps(start('600036.SH'), 50).at(-1) as Walk
  const morning = stepWalk(evening, NEXT_DAY)
  t.equal(morning.lastClose, evening.price)
  t.equal(morning.open, evening.price)
  t.ok(morning.volume < evening.volume)
  t.equal(stepWalk(morning, NEXT_DAY).lastClose, evening.price, 'for the whole day')
})

t.test('five levels stand one tick size apart around the price, with volumes', async (t) => {
  const tick = tickOfWalk(start('600036.SH', 1, 365_000), 77)
  t.equal(tick.time, 77)
  const units = (prices: readonly number[]) => prices.map((price) => Math.round(price * 100))
  const [bids, asks] = [units(tick.bidPrice), units(tick.askPrice)]
  const best = bids[0] as number
  t.same(bids, [best, best - 1, best - 2, best - 3, best - 4])
  t.same(asks, [best + 1, best + 2, best + 3, best + 4, best + 5])
  t.ok(best === 3650 || best === 3649, 'the last trade was at the best bid or the best ask')
  for (const volume of [...tick.bidVol, ...tick.askVol]) t.ok(volume > 0 && volume % 100 === 0)
})

t.test('a walk goes on from a saved quote without a jump', async (t) => {
  const before = steps(start('600036.SH'), 50).at(-1) as Walk
  const after = resumeWalk(tickOfWalk(before, at(DAY, '10:00:00')), { seed: 1, day: DAY })
  t.same({ ...after, random: 0 }, { ...before, random: 0 })
})

/** Ticks of a source until `count` have come. */
async function collect(codes: readonly string[], count: number, resume: readonly Tick[] = []) {
  const ticks: Tick[] = []
  const enough = Promise.withResolvers<void>()
  let nowMs = at(DAY, '10:00:00')
  const options = { seed: 5, intervalMs: 1, speed: 1, resume, nowMs: () => nowMs++ }
  const source = new SimulatedSource(options)
  for (const code of codes) source.want(code, 0)
  source.start((tick) => {
    ticks.push(tick)
    if (ticks.length === count) enough.resolve()
  })
  await enough.promise
  await source.stop()
  const length = ticks.length
  await new Promise((resolve) => setImmediate(resolve))
  return { ticks, isStopped: ticks.length === length, source }
}
const pricesOf = (ticks: readonly Tick[], code: string, count: number) =>
  ticks
    .flatMap(({ stock_code, lastPrice }) => (stock_code === code ? [lastPrice] : []))
    .slice(0, count)

t.test('one code more does not shift the prices of the others', async (t) => {
  const alone = await collect(['600036.SH'], 20)
  const together = await collect(['000001.SZ', '600036.SH', '300750.SZ'], 60)
  t.same(pricesOf(together.ticks, '600036.SH', 20), pricesOf(alone.ticks, '600036.SH', 20))
  t.ok(alone.isStopped && together.isStopped, 'no tick after stop')
})

t.test(
  'a code wanted while the market runs has its first tick at once; times only grow',
  async (t) => {
    const ticks: Tick[] = []
    const options = { seed: 5, intervalMs: 3_600_000, speed: 1, resume: [], nowMs: () => 1_000 }
    const source = new SimulatedSource(options)
    source.start((tick) => {
      ticks.push(tick)
    })
    source.want('600036.SH', 365_000)
    source.want('600036.SH', 999_900)
    source.want('000001.SZ', 0)
    t.same(
      ticks.map(({ stock_code, time }) => [stock_code, time]),
      [
        ['600036.SH', 1_000],
        ['000001.SZ', 1_001],
      ],
    )
    t.equal(ticks[0]?.lastPrice, 36.5, 'from the hint of the first who wants it')
    await source.stop()
  },
)

t.test('a restarted source goes on from the last quotes', async (t) => {
  const first = await collect(['600036.SH'], 50)
  const last = first.ticks.at(-1) as Tick
  const second = await collect([], 1, [last])
  t.equal(second.ticks[0]?.lastPrice, last.lastPrice)
  t.equal(second.ticks[0]?.lastClose, last.lastClose)
  t.ok((second.ticks[0]?.time ?? 0) > last.time)
})

t.test('F456 a held code begins near its cost, whoever asks for it first', async (t) => {
  const ticks: Tick[] = []
  const holding = (cost_price: number) => ({ positions: [{ stock_code: '600036.SH', cost_price }] })
  const accounts = [{ paper: holding(35.1) }, {}, { paper: holding(20) }]
  const startPrices = costsOfHoldings(accounts as unknown as Config['accounts'])
  const rest = { seed: 5, intervalMs: 3_600_000, speed: 1, resume: [], nowMs: () => 1_000 }
  const source = new SimulatedSource({ ...rest, startPrices })
  source.want('600036.SH', 0)
  source.want('000001.SZ', 100_000)
  source.start((tick) => void ticks.push(tick))
  await source.stop()
  t.strictSame(
    ticks.map(({ stock_code, lastPrice }) => [stock_code, lastPrice]),
    [
      ['600036.SH', 35.1],
      ['000001.SZ', 10],
    ],
  )
})
