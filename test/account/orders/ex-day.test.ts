import t from 'tap'
import { decisions } from '../../../src/account/answers/strategies.ts'
import { accountBand } from '../../../src/account/strategies/band.ts'
import { memoryOf } from '../../../src/account/strategies/stop-profit/memory.ts'
import type { StockCode } from '../../../src/domain/instrument.ts'
import type { Money, Price, Quantity } from '../../../src/domain/money.ts'
import type { Position } from '../../../src/domain/position.ts'
import { EVERY_TICK } from '../../../src/strategy/band.ts'
import { brokerDeal, brokerPosition, commands, set } from '../fixture.ts'
import { look, said } from '../play.ts'
import { type Day, TwoDays } from './two-days.ts'

const FUND = '510300.SH' as StockCode
const yuan = (value: number) => Math.round(value * 10_000) as Price
const yuans = (...values: readonly number[]) => values.map(yuan)
const cost = yuan(10)

/** What the market says of the second day. */
const day = (lastClose: number, closeBefore = 0, lastCloseBefore = 9.9): Day => ({
  lastClose: yuan(lastClose),
  closeBefore: yuan(closeBefore),
  lastCloseBefore: yuan(lastCloseBefore),
})
const traced = ({ bench, code }: TwoDays) =>
  decisions(bench.state, { kind: 'decisions', code, limit: 100 }).decisions
/** What waits to be sold. */
const slotOf = ({ bench, code }: TwoDays) => memoryOf(bench.state).slots.get(code)?.waiting
const verdictsOf = (story: TwoDays) => traced(story).map(({ verdict }) => verdict)
const high = ({ held }: TwoDays) => (held?.highestPrice ?? 0) / 10_000

t.test(
  'a cost that the broker never adjusts counts for less as long as the holding lives',
  async (t) => {
    const story = new TwoDays({ cost }).ticks(...yuans(10.2, 10))
    story.nextDay(day(9, 10)).ticks(...yuans(9, 9.1))
    t.strictSame(story.signals, [])
    t.match(story.held, { costPrice: cost, effectiveCost: yuan(9), stopLossPrice: yuan(8.33) })
    t.equal(high(story), 9.18)
    story.restart()
    t.match(story.held, { costPrice: cost, effectiveCost: yuan(9) })
    story.ticks(...yuans(8.33))
    t.strictSame(story.signals, [])
    story.ticks(...yuans(8.32))
    t.strictSame(story.signals, ['6 stop_loss'], '9 × 0.925 = 8.325')
  },
)

t.test('a first quote that is yesterday’s changes nothing, and the next one tells', async (t) => {
  const story = new TwoDays({ cost }).ticks(...yuans(10.2, 10))
  story.nextDay(day(9.9, 10)).repeats(yuan(10))
  t.match(story.held, { highestPrice: yuan(10.2) })
  story.says(day(9, 10)).ticks(...yuans(9))
  t.match(story.held, { highestPrice: yuan(9.18), effectiveCost: yuan(9) })
  t.strictSame(story.signals, [])
})

t.test('a lastClose that is corrected in the day is reckoned from the old scale', async (t) => {
  const story = new TwoDays({ cost }).ticks(...yuans(10.2, 10))
  story.nextDay(day(9.5, 10)).ticks(...yuans(9.3))
  t.equal(high(story), 9.69)
  story.says(day(9, 10)).ticks(...yuans(9.3))
  t.match(
    story.held,
    { highestPrice: yuan(9.3), effectiveCost: yuan(9) },
    'today’s price is higher',
  )
  story.says(day(10, 10)).ticks(...yuans(9.3))
  t.match(story.held, { highestPrice: yuan(10.2), effectiveCost: 0 }, 'there was none after all')
})

t.test(
  'where nobody has seen the close, and the broker shows what it showed, it is no ex-day',
  async (t) => {
    const story = new TwoDays({ cost }).ticks(...yuans(10.2, 10))
    story.nextDay(day(9.2, 0)).ticks(...yuans(9.2))
    t.strictSame(story.signals, ['3 stop_loss'])
  },
)

t.test('a feed that does not maintain lastClose says nothing', async (t) => {
  const story = new TwoDays({ cost }).ticks(...yuans(10.2, 10.1))
  story.nextDay(day(9.9, 10.1, 9.9)).ticks(...yuans(10))
  t.match(story.held, { highestPrice: yuan(10.2) })
  t.equal(story.held?.exDay, undefined)
})

t.test('what was bought today is on the scale of today', async (t) => {
  const story = new TwoDays({ cost })
  const today = story.held
  if (today === undefined) throw new Error('nothing held')
  story.nextDay(day(9, 10))
  story.bench.state.positions.set(story.code, { ...today, openDate: '2026-08-12 09:30:00' })
  story.ticks(...yuans(9.9))
  t.match(story.held, { highestPrice: yuan(10) })
})

t.test(
  'shares of a fund that are put together raise its prices, those of a stock only with the broker',
  async (t) => {
    const double = day(20, 10)
    const fund = new TwoDays({ cost, code: FUND }).ticks(...yuans(10.2, 10))
    fund.nextDay(double).ticks(...yuans(20))
    t.match(fund.held, { highestPrice: yuan(20.4), effectiveCost: yuan(20) })
    t.strictSame(fund.signals, [])
    const stock = new TwoDays({ cost }).ticks(...yuans(10.2, 10)).nextDay(double)
    stock.reports({ shares: 0.5, cost: 2 }).ticks(...yuans(20))
    t.match(stock.held, { highestPrice: yuan(20.4), exDay: { source: 'market' } })
    t.equal(stock.held?.effectiveCost ?? 0, 0)
    const alone = new TwoDays({ cost }).ticks(...yuans(10.2, 10)).nextDay(double)
    alone.ticks(...yuans(20))
    t.equal(alone.held?.exDay, undefined, 'nor is a wrong lastClose believed')
  },
)

t.test(
  'shares without a word about prices hold the stock back, until the limit and no longer',
  async (t) => {
    const held = () =>
      new TwoDays({ cost })
        .ticks(...yuans(10.2, 10))
        .nextDay(day(9.09))
        .reports({ shares: 1.1 })
    const story = held().ticks(...yuans(9.09, 9.09))
    t.strictSame(story.signals, [])
    t.equal(verdictsOf(story)[0], 'ex_day_unknown')
    story.at(24).ticks(...yuans(9.09))
    t.strictSame(
      story.signals,
      ['5 stop_loss'],
      'half an hour of trading later the broker is believed',
    )
    t.match(story.errors, [/ex_day_hold_ms/], 'and a person is alarmed')

    const told = held()
      .ticks(...yuans(9.09))
      .reports({ cost: 1 / 1.1 })
      .ticks(...yuans(9.09))
    t.strictSame(told.signals, [], 'the cost tells')
    t.equal(high(told), 9.2727)
    const seen = held()
      .says(day(9.09, 10))
      .ticks(...yuans(9.09))
    t.strictSame(seen.signals, [], 'so does the market')
    t.match(seen.held, { effectiveCost: yuan(9.09) })
    t.strictSame([...told.errors, ...seen.errors], [], 'nobody is alarmed by an ordinary ex-day')
  },
)

t.test('F488 what came on the evening before an ex-day is not sold at its open', async (t) => {
  const story = new TwoDays({ cost }).ticks(...yuans(10.2, 10))
  story.at(8).reports({ shares: 2 }).at(9).reports({ shares: 1 })
  story.nextDay(day(9.9)).ticks(...yuans(5, 5.01))
  t.strictSame(story.signals, [], 'nobody has said that prices are half')
  t.equal(verdictsOf(story)[0], 'ex_day_unknown')
  story.reports({ cost: 0.5 }).ticks(...yuans(5))
  t.strictSame(
    [...story.signals, ...story.errors],
    [],
    'the cost does, before the open is half an hour old',
  )
})

t.test(
  'in simulation mode cost and high move with the prices, and the real holding beside it',
  async (t) => {
    const story = new TwoDays({ cost }).ticks(...yuans(10.2, 10))
    const request = {
      kind: 'saveConfig',
      changes: { simulationMode: true },
      source: 'test',
    } as const
    story.bench.input({ kind: 'request', ref: 1, request })
    story.nextDay(day(9, 10)).ticks(...yuans(9, 9))
    const simulated = story.bench.state.simulation?.positions.get(story.code)
    t.match(simulated, {
      costPrice: yuan(9),
      effectiveCost: 0,
      highestPrice: yuan(9.18),
      quantity: 1_000,
    })
    t.match(story.held, { costPrice: cost, effectiveCost: yuan(9), highestPrice: yuan(9.18) })
    t.strictSame(story.signals, [])
  },
)

t.test('the first quote of each day is looked at, wherever its price stands', async (t) => {
  const story = new TwoDays({ cost }).ticks(...yuans(10.2, 10))
  const band = () =>
    accountBand(story.bench.state, story.code, {
      nowMs: story.bench.nowMs,
      quote: (code) => story.bench.quotes.get(code),
      floor: 0,
    })
  t.not(band(), EVERY_TICK)
  story.nextDay(day(10, 10))
  t.equal(band(), EVERY_TICK)
  story.ticks(...yuans(10))
  t.not(band(), EVERY_TICK)
})

t.test('the trace says by what the prices were multiplied, and which cost counts', async (t) => {
  const story = new TwoDays({ cost }).ticks(...yuans(10.2, 10)).nextDay(day(9, 10))
  story.ticks(...yuans(9))
  t.match(traced(story)[0], {
    inputs: {
      cost_price: 10,
      effective_cost_price: 9,
      ex_day: { source: 'market', factor: 0.9, highest_price_before: 10.2 },
    },
  })
})

type Purchase = readonly [dealId: string, shares: number, price: number]

/** Somebody else has bought, and no list shows it yet. */
function deal({ bench }: TwoDays, [dealId, shares, price]: Purchase): void {
  const terms = { quantity: shares as Quantity, price: yuan(price) }
  const own = { clientOrderId: '', orderId: dealId, dealId, timeMs: bench.nowMs }
  const amount = (shares * yuan(price)) as Money
  bench.input(said({ kind: 'dealPushed', deal: brokerDeal({ ...own, ...terms, amount }) }))
}

/** The next list does. */
function show(story: TwoDays, [, shares, price]: Purchase): void {
  const { costPrice, quantity: had } = story.held as Position
  const has = had + shares
  const paid = had * costPrice + shares * yuan(price)
  story.reports({ shares: has / had, cost: paid / (has * costPrice) })
}

t.test('F673 each purchase of an ex-day moves its cost by its own price', async (t) => {
  const story = new TwoDays({ cost }).nextDay(day(9, 10)).ticks(...yuans(9))
  const buy = (...purchase: Purchase) => {
    deal(story, purchase)
    show(story, purchase)
  }
  buy('d1', 3_000, 8.6)
  t.match(story.held, { costPrice: yuan(8.95), effectiveCost: yuan(8.7) })
  story.ticks(...yuans(8.6))
  buy('d2', 2_000, 8)
  t.match(story.held, { costPrice: yuan(8.6333), effectiveCost: yuan(8.4666) })
  story.ticks(...yuans(7.9))
  t.strictSame(story.signals, [], '8.63 × 0.925 = 7.99, and 8.47 × 0.925 = 7.83')
})

t.test('F676 no signal of the old prices waits for the new ones', async (t) => {
  const story = new TwoDays({ cost }).ticks(...yuans(10.58, 10.57))
  const { held, bench, code } = story
  if (held === undefined) throw new Error('nothing held')
  bench.state.positions.set(code, { ...held, profitTriggered: true, breakoutTriggered: true })
  story.nextDay(day(0, 10.57)).ticks(...yuans(9.61))
  t.strictSame(story.signals, [], 'below the exit, and below a cost of before')
  story.says(day(9.61, 10.57)).ticks(...yuans(9.61))
  t.match(story.held, { effectiveCost: yuan(9.0918), highestPrice: yuan(9.6191) })
  t.strictSame(story.signals, [], 'the exit is at 9.23')
  story.ticks(...yuans(9.23))
  t.strictSame(story.signals, ['5 take_profit_full'])
})

t.test('F676 nor does a first take-profit, which no line of now could make void', async (t) => {
  const story = new TwoDays({ cost: yuan(8) }).ticks(...yuans(10.58, 10.57))
  t.match(story.held, { breakoutTriggered: true, breakoutHighestPrice: yuan(10.58) })
  set(story.bench, 'all')
  story.nextDay(day(0, 10.57)).ticks(...yuans(9.61))
  t.ok(slotOf(story), 'it has fallen by far more than a pullback')
  story.says(day(9.61, 10.57)).ticks(...yuans(9.62))
  set(story.bench, 'off')
  t.strictSame(story.ticks(...yuans(9.62)).signals, [], 'it has not fallen at all')
  t.equal(story.bench.state.orders.size, 0)
})

t.test('F716 a list that is behind moves the cost of an ex-day by what it shows', async (t) => {
  const story = new TwoDays({ cost }).nextDay(day(9.8, 10)).ticks(...yuans(9.8))
  const [first, second] = [
    ['d1', 1_000, 9.8],
    ['d2', 1_000, 10.1],
  ] as const
  deal(story, first)
  deal(story, second)
  show(story, first)
  t.match(story.held, { costPrice: yuan(9.9), effectiveCost: yuan(9.8) })
  show(story, second)
  t.match(story.held, { costPrice: yuan(9.9667), effectiveCost: yuan(9.9) })
  story.ticks(...yuans(9.19))
  t.strictSame(story.signals, [], '9.97 × 0.925 = 9.22, and 9.90 × 0.925 = 9.16')
})

t.test(
  'F728 a look for an order in doubt books a purchase before it follows its cost',
  async (t) => {
    const story = new TwoDays({ cost }).nextDay(day(9, 10)).ticks(...yuans(9))
    const { bench, code } = story
    const callId = commands(bench.place({ code: FUND, price: yuan(4) }))[0]?.callId ?? 0
    bench.input({ kind: 'callTimedOut', callId })
    const quantity = 1_000 as Quantity
    const own = { clientOrderId: '', orderId: '2001', timeMs: bench.nowMs, code }
    const bought = brokerDeal({
      ...own,
      quantity,
      price: yuan(8.6),
      amount: (1_000 * yuan(8.6)) as Money,
    })
    const row = brokerPosition({ code, quantity: 2_000 as Quantity, costPrice: yuan(9.3) })
    look(bench, { deals: [bought], positions: [row] })
    if (story.held?.quantity === 1_000) story.reports({ shares: 2, cost: 0.93 })
    const costs = { costPrice: yuan(9.3), effectiveCost: yuan(8.8) }
    t.match(story.held, { quantity: 2_000, ...costs, stopLossPrice: yuan(8.14) }, 'and not 8.60')
  },
)
