import t from 'tap'
import { apply } from '../../../src/account/fold/apply.ts'
import { emptyState } from '../../../src/account/model/state.ts'
import { levelInForce, lossFloor } from '../../../src/account/orders/triggers.ts'
import { accountBand } from '../../../src/account/strategies/band.ts'
import type { SignalOrder } from '../../../src/account/strategies/stop-profit/follow-up.ts'
import { memoryOf } from '../../../src/account/strategies/stop-profit/memory.ts'
import { KILL_LEVELS } from '../../../src/domain/kill-level.ts'
import type { Money, Price, Quantity } from '../../../src/domain/money.ts'
import type { DriverEvent } from '../../../src/protocol/driver.ts'
import {
  BANK,
  type Bench,
  brokerDeal,
  brokerPosition,
  commands,
  driver,
  holder,
  KEY,
  keyOf,
  push,
  quote,
  refusals,
  replies,
  rest,
  set,
  withRisk,
  yuan,
} from '../fixture.ts'

const cash = (available: number): DriverEvent => ({
  kind: 'assetPushed',
  asset: {
    available: yuan(available) as number as Money,
    frozen: 0 as Money,
    marketValue: 0 as Money,
    total: 0 as Money,
  },
})

t.test(
  'refusals in a row raise the switch to all; what is taken or filled in between resets',
  async (t) => {
    const refuse = (bench: Bench, n: number) => {
      const [submit] = commands(bench.place({ key: keyOf(n) }))
      driver(bench, {
        kind: 'submitAnswered',
        callId: submit?.callId ?? 0,
        clientOrderId: keyOf(n),
        outcome: { kind: 'rejected', message: '资金不足' },
      })
    }
    const junk = (bench: Bench, n: number) => rest(bench, n, { status: 57, statusMessage: '废单' })
    const taken = (bench: Bench, n: number) => rest(bench, n)
    const fill = (bench: Bench, n: number) => {
      bench.place({ key: keyOf(n) })
      const deal = brokerDeal({ orderId: String(n), clientOrderId: keyOf(n), dealId: `d${n}` })
      driver(bench, { kind: 'dealPushed', deal })
    }
    const others = (bench: Bench, n: number) =>
      push(bench, { orderId: `8${n}`, clientOrderId: '', status: 57 })
    const cases: readonly (readonly [
      string,
      readonly ((bench: Bench, n: number) => void)[],
      number,
    ])[] = [
      ['two', [refuse, refuse], 2],
      ['a refusal and a 57', [refuse, junk], 2],
      ['an order that is taken resets', [refuse, junk, taken], 0],
      ['a fill resets', [refuse, junk, fill], 0],
      ['refusals of others do not count', [refuse, others, junk], 2],
      ['the third in a row', [refuse, junk, refuse], 3],
      ['two, reset, two', [refuse, junk, taken, refuse, junk], 2],
    ]
    for (const [name, acts, count] of cases) {
      const bench = holder({ maxRejectsInRow: 3 })
      for (const [n, act] of acts.entries()) act(bench, n + 10)
      t.equal(bench.state.rejectsInRow, count, name)
      t.equal(bench.state.killSwitch.level, count >= 3 ? 'all' : 'off', name)
    }
    const bench = holder({ maxRejectsInRow: 2 })
    refuse(bench, 1)
    refuse(bench, 2)
    t.match(bench.state.killSwitch, { level: 'all', source: 'trigger:max_rejects_in_row' })
    set(bench, 'off')
    t.equal(bench.state.killSwitch.level, 'off', 'a person lowers it')
    refuse(bench, 3)
    t.equal(bench.state.killSwitch.level, 'off', 'and the count begins again')
    refuse(bench, 4)
    t.equal(bench.state.killSwitch.level, 'all')
  },
)

t.test('one stock whose stop is refused again and again stops no sale of another', async (t) => {
  const bench = holder({ maxRejectsInRow: 5 })
  const stop = { code: BANK, side: 'sell', quantity: 100, priceType: 5, price: 0, signalPrice: 0 }
  for (let n = 1; n <= 6; n++) {
    bench.signal({ ...stop, signalType: 'stop_loss' } as SignalOrder)
    const [clientOrderId] = [...bench.state.orders.keys()].slice(-1)
    push(bench, {
      orderId: String(n),
      clientOrderId: clientOrderId ?? '',
      side: 'sell',
      status: 57,
    })
    bench.nowMs += 80_000 // as long as it has to wait before the sixth
    bench.quotes.set(BANK, quote(36, bench.nowMs))
  }
  t.equal(bench.state.orders.size, 6, 'it is tried again all the same')
  t.equal(bench.state.rejectsInRow, 3)
  t.equal(bench.state.killSwitch.level, 'off')
  for (const n of [20, 21]) rest(bench, n, { status: 57 })
  t.equal(bench.state.killSwitch.level, 'all', 'with refusals of others it counts')
})

t.test('a trigger only raises', async (t) => {
  for (const level of KILL_LEVELS) {
    const bench = holder({ maxRejectsInRow: 1, maxDailyLoss: 100 })
    const [submit] = commands(bench.place())
    set(bench, level)
    driver(bench, {
      kind: 'submitAnswered',
      callId: submit?.callId ?? 0,
      clientOrderId: KEY,
      outcome: { kind: 'rejected', message: '' },
    })
    const expected = level === 'cancel_all' ? 'cancel_all' : 'all'
    t.equal(bench.state.killSwitch.level, expected, level)
    bench.quotes.set(BANK, quote(30, bench.nowMs + 1))
    bench.input({ kind: 'quotes', crossed: [BANK] })
    t.equal(bench.state.killSwitch.level, expected, `${level}: the loss that would set entries`)
  }
})

/** A million in cash and a thousand shares at 36 yuan when the day begins. */
function loser(maxDailyLoss = 5_000): Bench {
  const bench = withRisk({ maxDailyLoss })
  bench.quotes.set(BANK, quote(36))
  return bench.ready([brokerPosition()])
}
const fall = (bench: Bench, price: number) => {
  bench.quotes.set(BANK, quote(price, bench.nowMs))
  return bench.input({ kind: 'quotes', crossed: [BANK] })
}

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

t.test('cash counts as well as prices; a gain never fires', async (t) => {
  const bench = loser()
  driver(bench, cash(996_000))
  t.equal(bench.state.killSwitch.level, 'off')
  fall(bench, 35)
  t.equal(bench.state.killSwitch.level, 'entries', '4,000 in cash and 1,000 in the holding')
  const gainer = loser()
  driver(gainer, cash(2_000_000))
  t.equal(gainer.state.killSwitch.level, 'off')
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
  driver(bench, { kind: 'dealPushed', deal: brokerDeal({ ...row, price: yuan(36) }) })
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

/** As {@link loser}, at a time of the same day. */
function early(time: string): Bench {
  const bench = withRisk({ maxDailyLoss: 5_000 })
  bench.nowMs = Date.parse(`2026-08-11T${time}+08:00`)
  bench.wallMs = bench.nowMs
  bench.quotes.set(BANK, quote(36, bench.nowMs))
  return bench.ready([brokerPosition()])
}
const until = (bench: Bench, time: string, day = '2026-08-11') => {
  bench.nowMs = Date.parse(`${day}T${time}+08:00`)
  bench.wallMs = bench.nowMs
}

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
  until(bench, '09:15:00')
  fall(bench, 13.01)
  t.match(bench.state.dayTotal, { day: '2026-08-11', total: yuan(918_000) }, 'measured no more')
  t.equal(bench.state.killSwitch.level, 'off')
  fall(bench, 13)
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

t.test('a stale market holds purchases back by itself and lets go by itself', async (t) => {
  const at = (time: string) => Date.parse(`2026-08-11T${time}+08:00`)
  const cases: readonly (readonly [string, string, string, boolean])[] = [
    ['a quote a minute old', '10:00:00', '10:01:00', false],
    ['a second more', '10:00:00', '10:01:01', true],
    ['the lunch break does not count', '11:30:00', '13:01:00', false],
    ['after it the clock runs again', '11:30:00', '13:01:01', true],
    ['outside trading hours nothing is stale', '10:00:00', '12:00:00', false],
    ['a quote from before the open', '09:00:00', '09:31:00', false],
  ]
  for (const [name, quoted, now, isHeld] of cases) {
    const bench = holder({ staleQuoteMs: 60_000 })
    bench.nowMs = at(now)
    const sight = { nowMs: at(now), quote: () => quote(36, at(quoted)) }
    t.equal(levelInForce(bench.state, sight).level, isHeld ? 'entries' : 'off', name)
  }
  const bench = holder({ staleQuoteMs: 60_000 })
  const journal = bench.journal.length
  bench.nowMs += 61_000
  bench.input({ kind: 'timer', name: 'version' })
  t.equal(bench.journal.length, journal, 'a hold is no event')
  const fresh = '600000.SH'
  bench.quotes.set(fresh as typeof BANK, quote(36, bench.nowMs))
  const other = { code: fresh, price: yuan(36) }
  t.strictSame(refusals(bench.place({ ...other, key: keyOf(1) })), ['KILL_SWITCH'])
  t.equal(bench.state.killSwitch.level, 'off', "the operator's level is not touched")
  bench.quotes.set(BANK, quote(36, bench.nowMs))
  t.strictSame(refusals(bench.place({ ...other, key: keyOf(2) })), [])
})

t.test('a hold never stops less than the operator has set', async (t) => {
  const bench = holder({ staleQuoteMs: 60_000 })
  set(bench, 'all', 'mine')
  const sight = { nowMs: bench.nowMs + 61_000, quote: () => quote(36, bench.nowMs) }
  t.match(levelInForce(bench.state, sight), { level: 'all', reason: 'mine' })
  t.equal(
    levelInForce(withRisk({ staleQuoteMs: 1 }).ready().state, sight).level,
    'off',
    'no holdings',
  )
})

t.test('the triggers show limit and count', async (t) => {
  const bench = loser()
  fall(bench, 35)
  const [reply] = replies(set(bench, 'entries'))
  t.match(reply, {
    fields: {
      holds: [],
      open_orders: 0,
      triggers: [
        { name: 'max_rejects_in_row', raises: 'all', limit: 0, actual: 0 },
        {
          name: 'max_daily_loss',
          raises: 'entries',
          limit: 5_000,
          actual: 1_000,
          first_total: 1_036_000,
          next_at: 5_000,
        },
        { name: 'stale_market', raises: 'entries', clears_itself: true, actual: 0 },
      ],
    },
  })
})
