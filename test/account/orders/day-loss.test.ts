import t from 'tap'
import { apply } from '../../../src/account/fold/apply.ts'
import { NO_DAY_TOTAL, reasonInBoth } from '../../../src/account/model/kill-switch.ts'
import { emptyState } from '../../../src/account/model/state.ts'
import { dayResult } from '../../../src/account/orders/day-result.ts'
import { lossFloor, lossOfDay } from '../../../src/account/orders/triggers.ts'
import { accountBand } from '../../../src/account/strategies/band.ts'
import { memoryOf } from '../../../src/account/strategies/stop-profit/memory.ts'
import type { StockCode } from '../../../src/domain/instrument.ts'
import type { Money, Price, Quantity } from '../../../src/domain/money.ts'
import {
  BANK,
  type Bench,
  brokerDeal,
  brokerPosition,
  commands,
  driver,
  fall,
  holder,
  keyOf,
  loser,
  push,
  quote,
  refusals,
  set,
  withRisk,
  yuan,
} from '../fixture.ts'
import { bought, cash, early, sightOf, until } from './one-day.ts'

const UNQUOTED = '000001.SZ' as StockCode

t.test('a loss of the day at the limit stops purchases; protective sales go on', async (t) => {
  const bench = loser()
  t.match(bench.state.dayTotal, { day: '2026-08-11', total: yuan(1_036_000), firedAt: 0 })
  fall(bench, 31.01)
  t.equal(bench.state.killSwitch.level, 'off')
  fall(bench, 31)
  t.match(bench.state.killSwitch, { level: 'entries', source: 'trigger:max_daily_loss' })
  t.match(bench.state.killSwitch.reason, /5,000\.00/)
  t.strictSame(refusals(bench.place({ price: yuan(31) })), ['KILL_SWITCH'])
  t.strictSame(refusals(bench.place({ key: keyOf(2), side: 'sell', price: yuan(33) })), [])
})

t.test(
  'F824 the reason of a loss of the day tells the loss and its limit in English',
  async (t) => {
    const bench = loser()
    fall(bench, 31)
    t.strictSame(reasonInBoth(bench.state.killSwitch), {
      zh: '当日亏损 5,000.00 元，上限 5,000.00 元',
      en: 'loss of the day: 5,000.00 yuan, its limit is 5,000.00; risk.max_daily_loss',
    })
  },
)

t.test(
  'F375 the loss of the day begins at the first price of a holding, not at its cost',
  async (t) => {
    const begun = () => withRisk({ maxDailyLoss: 5_000 }).ready([brokerPosition()])
    const fallen = begun()
    t.match(fallen.state.dayTotal, { total: yuan(1_035_100), unpriced: [{ code: BANK }] })
    fall(fallen, 25)
    t.equal(fallen.state.killSwitch.level, 'off', 'what was lost before is no loss of the day')
    t.strictSame(fallen.state.dayTotal, {
      day: '2026-08-11',
      total: yuan(1_025_000) as number as Money,
      result: yuan(-11_000) as number as Money,
      firedAt: 0 as Money,
    })
    fall(fallen, 20)
    t.equal(fallen.state.killSwitch.level, 'entries')
    const risen = begun()
    fall(risen, 50)
    fall(risen, 45)
    t.equal(risen.state.killSwitch.level, 'entries', 'nor does a gain of before hide one')
    const state = emptyState(risen.state.policy)
    for (const event of risen.journal) apply(state, event)
    t.strictSame(state.dayTotal, risen.state.dayTotal)
  },
)

t.test(
  'F397 cash that is lent for a night, or moved, is no loss of the day, and hides none',
  async (t) => {
    const lender = loser()
    const lent = brokerDeal({ clientOrderId: '', code: '204001.SH' as typeof BANK, side: 'sell' })
    driver(lender, {
      kind: 'dealPushed',
      deal: { ...lent, amount: yuan(500_000) as number as Money },
    })
    lender.wallMs += 6_000
    const asked = commands(lender.input({ kind: 'timer', name: 'poll' }))
    lender.answerQueries(asked, { positions: [brokerPosition()] })
    driver(lender, cash(500_000))
    t.equal(lender.state.killSwitch.level, 'off', 'a reverse repo of the afternoon')
    t.equal(lossOfDay(lender.state, sightOf(lender)), 0)
    fall(lender, 31.01)
    t.equal(lender.state.killSwitch.level, 'off')
    fall(lender, 31)
    t.match(lender.state.killSwitch, { level: 'entries' }, 'what the holding has lost still counts')
    const rich = loser()
    driver(rich, cash(2_000_000))
    fall(rich, 31)
    t.equal(rich.state.killSwitch.level, 'entries', 'money that comes makes up for nothing')
  },
)

/** A purchase of so many shares at this price, and what holding and cash are afterwards; without a fee none was told. */
t.test(
  'what was bought on the day counts from its price, with its fees, told or not',
  async (t) => {
    const bench = loser()
    bought(bench, 1_000, 38)
    const loss = () => lossOfDay(bench.state, sightOf(bench))
    t.equal(loss(), yuan(2_005), '2 yuan a share, and the fee')
    fall(bench, 34.51)
    t.equal(loss(), yuan(4_985))
    t.equal(bench.state.killSwitch.level, 'off')
    fall(bench, 34.5)
    t.equal(bench.state.killSwitch.level, 'entries')
    const untold = loser()
    bought(untold, 1_000, 38, 0)
    t.equal(lossOfDay(untold.state, sightOf(untold)), yuan(2_000 + 11.4 + 0.38), 'as the rates say')
  },
)

t.test('F487 the least commission of an order in several fills is one of the order', async (t) => {
  const bench = loser()
  for (const [dealId, fee] of [
    ['d1', 50_000],
    ['d2', 0],
    ['d3', 0],
  ] as const) {
    const deal = brokerDeal({ clientOrderId: '', dealId, fee: fee as Money, price: yuan(36) })
    driver(bench, { kind: 'dealPushed', deal: { ...deal, amount: (yuan(36) * 100) as Money } })
  }
  driver(bench, {
    kind: 'positionPushed',
    position: brokerPosition({ quantity: 1_300 as Quantity }),
  })
  driver(bench, cash(1_000_000 - 10_800 - 5))
  t.equal(lossOfDay(bench.state, sightOf(bench)), yuan(5))
})

t.test('F397 nor is it one in the moment before the next day opens', async (t) => {
  const bench = loser()
  driver(bench, cash(500_000))
  bench.nowMs = Date.parse('2026-08-12T00:00:00.500+08:00')
  driver(bench, cash(500_000))
  t.equal(bench.state.killSwitch.level, 'off')
  t.equal(lossOfDay(bench.state, sightOf(bench)), undefined)
})

t.test('a day that begins while a deal cannot be read is measured by totals', async (t) => {
  const begun = (bench: Bench) => {
    bench.state.dayTotal = NO_DAY_TOTAL
    bench.state.leftOut.set('deals', ['a row'])
    driver(bench, cash(1_000_001))
    return bench.state.dayTotal
  }
  t.strictSame(Object.keys(begun(loser())), ['day', 'total', 'firedAt'])
  t.match(begun(early('08:40:00')), { result: 0 }, 'before the auction there is no deal of the day')
})

t.test('a first quote that does not know the close before begins no other day', async (t) => {
  const bench = withRisk({ maxDailyLoss: 5_000 }).ready([brokerPosition()])
  bench.quotes.set(BANK, { ...quote(35, bench.nowMs), lastClose: 0 as Price })
  bench.input({ kind: 'quotes', crossed: [BANK] })
  fall(bench, 35)
  t.equal(bench.state.killSwitch.level, 'off')
  t.equal(lossOfDay(bench.state, sightOf(bench)), yuan(1_000), 'what the close tells afterwards')
})

t.test('totals are compared where deals do not tell all, and in books of before', async (t) => {
  const earlier = loser()
  const { result: _, ...total } = earlier.state.dayTotal
  earlier.state.dayTotal = total
  const unread = loser()
  unread.state.leftOut.set('deals', ['a row'])
  for (const bench of [earlier, unread]) {
    driver(bench, cash(996_000))
    t.equal(bench.state.killSwitch.level, 'off')
    fall(bench, 35)
    t.equal(bench.state.killSwitch.level, 'entries', '4,000 in cash and 1,000 in the holding')
  }
})

t.test('lowered by a person, it fires again only after a further full limit', async (t) => {
  const bench = loser()
  fall(bench, 30.5)
  set(bench, 'off')
  t.equal(bench.state.killSwitch.level, 'off')
  fall(bench, 25.51)
  t.equal(bench.state.killSwitch.level, 'off')
  fall(bench, 25.5)
  t.equal(bench.state.killSwitch.level, 'entries')
})

t.test('a loss that an order meets is seen before the order is judged', async (t) => {
  const bench = loser()
  bench.quotes.set(BANK, quote(30, bench.nowMs)) // no wake-up has told of it
  t.strictSame(refusals(bench.place({ price: yuan(30) })), ['KILL_SWITCH'])
})

t.test('between a fill and the reports that follow it nothing is concluded', async (t) => {
  const bench = loser()
  bench.place({ side: 'sell', quantity: 1_000, price: yuan(36) })
  const row = { side: 'sell', quantity: 1_000 as Quantity } as const
  push(bench, row)
  const amount = (yuan(36) * 1_000) as Money
  driver(bench, { kind: 'dealPushed', deal: brokerDeal({ ...row, price: yuan(36), amount }) })
  driver(bench, { kind: 'positionPushed', position: brokerPosition({ quantity: 0 as Quantity }) })
  t.equal(bench.state.killSwitch.level, 'off', 'the shares are gone, the money has not come')
  driver(bench, cash(1_036_000))
  t.equal(bench.state.killSwitch.level, 'off')
  t.equal(bench.state.dayTotal.total, yuan(1_036_000))
})

t.test(
  'the first total is that of the exchange day; a new day measures anew, a restart does not',
  async (t) => {
    const bench = loser()
    fall(bench, 33)
    bench.input({ kind: 'started', incarnation: 2, day: '2026-08-11' })
    t.match(bench.state.dayTotal, { day: '2026-08-11', total: yuan(1_036_000) })
    bench.input({ kind: 'dayOpened', day: '2026-08-12' })
    t.match(bench.state.dayTotal, { day: '2026-08-12', total: yuan(1_033_000) })
  },
)

t.test('money that comes before anything trades hides no loss of the day', async (t) => {
  const bench = early('00:00:05')
  t.equal(bench.state.dayTotal.total, yuan(1_036_000))
  until(bench, '08:40:00')
  driver(bench, cash(1_100_000)) // a repo is repaid
  t.match(bench.state.dayTotal, { day: '2026-08-11', total: yuan(1_136_000) })
  until(bench, '10:00:00')
  fall(bench, 31)
  t.match(bench.state.killSwitch, { level: 'entries', source: 'trigger:max_daily_loss' })
})

t.test('nor is money that goes before then, or an ex-day, a loss of the day', async (t) => {
  const bench = early('00:00:05')
  until(bench, '08:40:00')
  driver(bench, cash(900_000))
  bench.quotes.set(BANK, { ...quote(0, bench.nowMs), lastClose: yuan(18) })
  bench.input({ kind: 'quotes', crossed: [BANK] })
  t.equal(bench.state.dayTotal.total, yuan(918_000))
  t.equal(bench.state.killSwitch.level, 'off')
  until(bench, '09:30:00')
  const halved = (price: number) => {
    bench.quotes.set(BANK, { ...quote(price, bench.nowMs), lastClose: yuan(18) })
    bench.input({ kind: 'quotes', crossed: [BANK] })
  }
  halved(13.01)
  t.match(bench.state.dayTotal, { day: '2026-08-11', total: yuan(918_000) }, 'measured no more')
  t.equal(bench.state.killSwitch.level, 'off')
  halved(13)
  t.equal(bench.state.killSwitch.level, 'entries')
})

t.test('shares of an ex-day that come before its prices are no loss of the day', async (t) => {
  const day = '2026-08-12'
  const given = { quantity: 2_000 as Quantity, costPrice: yuan(17.55) }
  const show = (bench: Bench) =>
    driver(bench, { kind: 'positionPushed', position: brokerPosition(given) })
  for (const isOfEvening of [true, false]) {
    const bench = early('10:00:00')
    until(bench, '18:00:00')
    if (isOfEvening) show(bench)
    until(bench, '00:00:05', day)
    bench.input({ kind: 'dayOpened', day })
    t.equal(bench.state.dayTotal.day === day, !isOfEvening, 'no total that nobody has')
    until(bench, '08:40:00', day)
    if (!isOfEvening) show(bench)
    until(bench, '09:15:03', day)
    driver(bench, cash(1_000_000))
    bench.quotes.set(BANK, { ...quote(18, bench.nowMs), lastClose: yuan(18) })
    bench.input({ kind: 'quotes', crossed: [BANK] })
    t.match(bench.state.dayTotal, { day, total: yuan(1_036_000) })
    t.equal(bench.state.killSwitch.level, 'off')
    fall(bench, 15)
    t.equal(bench.state.killSwitch.level, 'entries')
  }
})

t.test('a holding whose quote is still to come has lost nothing on the day', async (t) => {
  const bench = early('10:00:00')
  until(bench, '10:00:00', '2026-08-12')
  bench.quotes.set(BANK, quote(50, bench.nowMs))
  bench.input({ kind: 'dayOpened', day: '2026-08-12' })
  t.match(bench.state.dayTotal, { day: '2026-08-12', total: yuan(1_050_000) })
  bench.quotes.delete(BANK) // another computer, where nobody has asked for it before
  driver(bench, cash(1_000_000))
  t.equal(bench.state.killSwitch.level, 'off')
  fall(bench, 45.01)
  t.equal(bench.state.killSwitch.level, 'off')
  fall(bench, 45)
  t.equal(bench.state.killSwitch.level, 'entries')
})

t.test('one that nobody has quoted on the day hides no loss of the others', async (t) => {
  const bench = withRisk({ maxDailyLoss: 5_000 })
  bench.quotes.set(BANK, quote(36))
  bench.ready([brokerPosition(), brokerPosition({ code: UNQUOTED, openDate: '2026-08-03' })])
  t.match(bench.state.dayTotal, { unpriced: [{ code: UNQUOTED }] })
  fall(bench, 31)
  t.match(bench.state.killSwitch, { level: 'entries', source: 'trigger:max_daily_loss' })
})

t.test(
  'what a day has brought is not known while a holding has no quote, or one that was sold',
  (t) => {
    const bench = early('10:00:00')
    const told = () => dayResult(bench.state, sightOf(bench))
    bench.quotes.set(BANK, quote(36, bench.nowMs))
    t.not(told(), undefined)
    bench.quotes.delete(BANK)
    t.equal(told(), undefined, 'it is held')
    const sale = { side: 'sell', quantity: 1_000 as Quantity, fee: 50_000 as Money } as const
    const deal = brokerDeal({ ...sale, clientOrderId: '', timeMs: bench.nowMs })
    driver(bench, { kind: 'dealPushed', deal })
    driver(bench, { kind: 'positionPushed', position: brokerPosition({ quantity: 0 as Quantity }) })
    t.equal(told(), undefined, 'it was held at the close before')
    const bought = brokerDeal({ ...deal, dealId: 'd2', side: 'buy', amount: deal.amount })
    driver(bench, { kind: 'dealPushed', deal: bought })
    bench.state.positions.delete(BANK)
    t.equal(told(), -100_000, 'what was bought and sold on the day needs no quote')
    t.end()
  },
)

t.test('on a Saturday the loss of the day before stays what it was', async (t) => {
  const bench = early('10:00:00')
  fall(bench, 33)
  bench.nowMs += 4 * 86_400_000 - 2 * 3_600_000
  bench.wallMs = bench.nowMs
  bench.input({ kind: 'quotes', crossed: [BANK] })
  t.match(bench.state.dayTotal, { day: '2026-08-11', total: yuan(1_036_000) })
})

t.test('a day that is taken back has the totals of the days before, each once', async (t) => {
  const bench = early('00:00:05')
  until(bench, '08:40:00')
  for (const yuan of [1_000_010, 1_000_020, 1_000_030, 1_000_040, 1_000_050]) {
    driver(bench, cash(yuan))
  }
  t.strictSame(
    bench.state.earlierTotals.map(({ day }) => day),
    [''],
  )
})

t.test('a holding rings before the loss of the day can reach its limit unseen', async (t) => {
  const bench = loser()
  const unlimited = { ...quote(36), lastClose: 0 as Price } // prices outside the limits of the day ring anyway
  const sight = { nowMs: bench.nowMs, quote: () => unlimited }
  const floor = lossFloor(bench.state, sight)
  memoryOf(bench.state).notified.set(BANK, yuan(0)) // its own stop, which lies higher, is out of the way
  const { low } = accountBand(bench.state, BANK, { floor, ...sight })
  t.equal(low, yuan(31) + 1, 'at 31 yuan, 5,000 are lost')
  t.equal(accountBand(bench.state, BANK, { floor: 0, ...sight, quote: () => undefined }).low, 0)
  t.equal(lossFloor(holder().state, sight), 0, 'nothing watches the loss')
  set(bench, 'all')
  t.equal(lossFloor(bench.state, sight), 0, 'nothing left to raise')
})
