import t from 'tap'
import { levelInForce, quietMs } from '../../../src/account/orders/triggers.ts'
import type { SignalOrder } from '../../../src/account/strategies/stop-profit/follow-up.ts'
import { KILL_LEVELS } from '../../../src/domain/kill-level.ts'
import {
  BANK,
  type Bench,
  brokerDeal,
  commands,
  driver,
  fall,
  holder,
  KEY,
  keyOf,
  loser,
  push,
  quote,
  refusals,
  replies,
  rest,
  set,
  withRisk,
  yuan,
} from '../fixture.ts'

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

t.test('F579 nor does one whose stop is refused day after day', async (t) => {
  const bench = holder({ maxRejectsInRow: 5 })
  const stop = { code: BANK, side: 'sell', quantity: 100, priceType: 5, price: 0, signalPrice: 0 }
  let refused = 0
  for (const day of ['2026-08-12', '2026-08-13', '2026-08-14']) {
    bench.nowMs = Date.parse(`${day}T10:00:00+08:00`)
    bench.input({ kind: 'dayOpened', day })
    for (let n = 1; n <= 4; n++) {
      bench.quotes.set(BANK, quote(36, bench.nowMs))
      bench.signal({ ...stop, signalType: 'stop_loss' } as SignalOrder)
      const clientOrderId = [...bench.state.orders.keys()].at(-1) ?? ''
      refused += 1
      push(bench, {
        orderId: String(refused),
        clientOrderId,
        side: 'sell',
        status: 57,
        timeMs: bench.nowMs,
      })
      bench.nowMs += 80_000
    }
  }
  t.equal(bench.journal.filter(({ event }) => event.kind === 'orderSubmitted').length, refused)
  t.equal(bench.state.rejectsInRow, 3)
  t.equal(bench.state.killSwitch.level, 'off')
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

t.test('F898 quotes of the future, over which the clock was set back, are not fresh', async (t) => {
  const bench = holder({ staleQuoteMs: 60_000 })
  const { quoteAheadMs } = bench.state.policy.limits
  const nowMs = Date.parse('2026-08-11T10:00:00+08:00')
  const sightOf = (aheadMs: number) => ({ nowMs, quote: () => quote(36, nowMs + aheadMs) })
  t.equal(quietMs(bench.state, sightOf(quoteAheadMs)), 0, 'as far ahead as a feed lets in')
  t.equal(levelInForce(bench.state, sightOf(quoteAheadMs)).level, 'off')
  const day = sightOf(86_400_000)
  t.equal(quietMs(bench.state, day), 30 * 60_000, 'none that can be dated since the open')
  t.match(levelInForce(bench.state, day), { level: 'entries', reason: /自 \S+ 09:30:00 起未更新/ })
  const always = { ...bench.state, policy: { ...bench.state.policy, isAlwaysOpen: true } }
  t.equal(quietMs(always, day), undefined, 'a market that is made up has no session')
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
