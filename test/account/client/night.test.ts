import t from 'tap'
import { freeShares } from '../../../src/account/orders/available.ts'
import type { StockCode } from '../../../src/domain/instrument.ts'
import type { Quantity } from '../../../src/domain/money.ts'
import {
  BANK,
  Bench,
  brokerPosition,
  commands,
  KEY,
  keyOf,
  policy,
  refusals,
  replies,
  yuan,
} from '../fixture.ts'
import { accepted, dealt, doubtPoll, look, reborn, settle, started, timer } from '../play.ts'

const DAY_MS = 86_400_000
const TOMORROW = '2026-08-12'
const OTHER = '000001.SZ' as StockCode
const HELD = [brokerPosition({ quantity: 300 as Quantity, sellable: 300 as Quantity })]
const order = (bench: Bench) => bench.state.orders.get(KEY)
const sale = { side: 'sell', quantity: 300 as Quantity, price: yuan(36.5) } as const

/** A sale of all whose call stands in the library as the next day opens; the number of the call. */
function overnight(): { readonly bench: Bench; readonly callId: number } {
  const bench = new Bench().ready(HELD)
  const callId = commands(bench.place(sale))[0]?.callId ?? 0
  bench.input({ kind: 'callTimedOut', callId })
  bench.nowMs += DAY_MS
  bench.wallMs += DAY_MS
  bench.input({ kind: 'dayOpened', day: TOMORROW })
  return { bench, callId }
}

t.test('the end of its day does not end an order that may still arrive', async (t) => {
  const { bench, callId } = overnight()
  look(bench, { positions: HELD })
  t.match(order(bench), { status: 'inDoubt' })
  t.strictSame(refusals(bench.place({ key: keyOf(9), ...sale })), ['ORDER_IN_DOUBT_HELD'])
  // The computer wakes, and the call places its order in the morning.
  bench.input(accepted(callId))
  bench.input(dealt({ side: 'sell', quantity: 300 as Quantity, timeMs: bench.nowMs }))
  t.match(order(bench), { status: 'filled', filledQuantity: 300 })
})

t.test('it ends with its day once it cannot arrive any more', async (t) => {
  const { bench } = overnight()
  settle(bench, { positions: HELD })
  t.match(order(bench), { status: 'expired' })
  const [submit] = commands(bench.place({ key: keyOf(9), ...sale }))
  t.equal(submit?.kind, 'submit', 'the shares are free')
})

t.test('F723 what it may have sold stays back until a list shows its stock', async (t) => {
  const { bench } = overnight()
  const other = brokerPosition({ code: OTHER, quantity: 100 as Quantity })
  settle(bench, { positions: [other] })
  t.match(order(bench), { status: 'expired' })
  t.equal(freeShares(bench.state, BANK), 0, 'nobody has said what was filled of it')
  const rows = {
    positions: [other, brokerPosition({ quantity: 100 as Quantity, sellable: 100 as Quantity })],
  }
  bench.answerQueries(commands(bench.input(timer('poll'))), rows)
  t.equal(freeShares(bench.state, BANK), 100)
  t.equal(bench.state.unseen.size, 0)
})

t.test('F723 what is left of its stock is known by the lists that have decided it', async (t) => {
  const { bench } = overnight()
  settle(bench, {
    positions: [brokerPosition({ quantity: 100 as Quantity, sellable: 100 as Quantity })],
  })
  t.match(order(bench), { status: 'expired' })
  t.equal(freeShares(bench.state, BANK), 100)
  t.match(bench.state.positions.get(BANK), { quantity: 100 })
})

t.test('also when a person was asked about it, and after a restart', async (t) => {
  const { bench } = overnight()
  look(bench, { positions: HELD })
  bench.wallMs += policy.limits.doubtQuarantineMs
  look(bench, { positions: HELD })
  t.match(order(bench), { status: 'inDoubt', isQuarantined: true })
  const next = reborn(bench)
  started(next, { positions: HELD })
  t.match(order(next), { status: 'inDoubt', isQuarantined: true })
  doubtPoll(next, { positions: HELD })
  settle(next, { positions: HELD })
  t.match(order(next), { status: 'expired' })
})

t.test('one that was on its way as the day opened is looked for as well', async (t) => {
  const bench = new Bench().ready(HELD)
  const callId = commands(bench.place(sale))[0]?.callId ?? 0
  bench.nowMs += DAY_MS
  bench.input({ kind: 'dayOpened', day: TOMORROW })
  t.match(order(bench), { status: 'submitted' })
  const told = bench.input({ kind: 'callTimedOut', callId })
  t.match(replies(told), [{ state: 'unknown' }])
})
