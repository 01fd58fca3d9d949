import t from 'tap'
import { nextOrderMs } from '../../../../src/account/strategies/run.ts'
import type { Effect } from '../../../../src/account/turn/turn.ts'
import { BANK, brokerOrder, brokerPosition, commands, MORNING_MS, policy } from '../../fixture.ts'
import { count, gone, reborn, recovered, said, started, timer } from '../../play.ts'
import { acting, BOOK, Chain, SALE } from './chain.ts'

// What is open of a signal's order when its thread, or the connection, ends.

const STALE_QUOTE_MS = 60_000

const cancelsOf = (effects: readonly Effect[]) =>
  commands(effects).filter(({ kind }) => kind === 'cancel')
const refused = (callId: number) =>
  said({
    kind: 'cancelAnswered',
    callId,
    orderId: '1001',
    result: { ok: false, error: { code: 'FAILED', message: '柜台未连接' } },
  })

t.test(
  'a time limit outlives the thread, and so does a rest that is still to be sent',
  async (t) => {
    const working = new Chain()
    const next = reborn(working.bench)
    const orders = [brokerOrder({ ...working.last, venueStatus: 50, timeMs: MORNING_MS } as never)]
    started(next, { orders, positions: [brokerPosition()] })
    t.equal(nextOrderMs(next.state, 0), MORNING_MS + 30_000)

    const ending = new Chain()
    ending.ring()
    const { clientOrderId, side, quantity } = ending.last
    const after = reborn(ending.bench)
    after.quotes.set(BANK, BOOK)
    const ended = brokerOrder({ clientOrderId, side, quantity, status: 54 })
    const sent = commands(started(after, { orders: [ended], positions: [brokerPosition()] }))
    t.match(
      sent.filter(({ kind }) => kind === 'submit'),
      [{ order: { quantity: 300, strategy: 'reorder_stop_loss' } }],
    )
  },
)

t.test(
  'after a restart a rest waits for its first quote, for as long as its time limit',
  async (t) => {
    for (const stale of [undefined, { ...BOOK, timeMs: MORNING_MS - STALE_QUOTE_MS - 1 }]) {
      const ending = new Chain(
        SALE,
        acting({}, { staleQuoteMs: STALE_QUOTE_MS }).ready([brokerPosition()]),
      )
      ending.ring()
      const { clientOrderId, side, quantity } = ending.last
      const rows = {
        orders: [brokerOrder({ clientOrderId, side, quantity, status: 54 })],
        positions: [brokerPosition()],
      }
      const after = reborn(ending.bench)
      if (stale !== undefined) after.quotes.set(BANK, stale)
      started(after, rows)
      for (let second = 0; second < 10; second++) {
        after.nowMs += 1_000
        after.input({ kind: 'alarm' })
      }
      t.equal(count(after, 'orderDenied'), 0, 'no try is used up')
      t.equal(count(after, 'reorderDropped'), 0)
      after.quotes.set(BANK, { ...BOOK, timeMs: after.nowMs })
      const sent = commands(after.input({ kind: 'alarm' }))
      t.match(sent, [{ kind: 'submit', order: { quantity: 300, strategy: 'reorder_stop_loss' } }])

      if (stale === undefined) continue
      const never = reborn(ending.bench)
      never.quotes.set(BANK, stale)
      started(never, rows)
      never.nowMs += policy.pending.timeoutMs
      never.input({ kind: 'alarm' })
      t.equal(count(never, 'reorderDropped'), 1, 'then a new signal may be found')
      never.quotes.set(BANK, { ...BOOK, timeMs: never.nowMs })
      t.strictSame(commands(never.input({ kind: 'alarm' })), [])
    }
  },
)

t.test(
  'where no quote comes a rest goes at the price of its signal, as no rule refuses it',
  async (t) => {
    for (const staleQuoteMs of [0, STALE_QUOTE_MS]) {
      const ending = new Chain(SALE, acting({}, { staleQuoteMs }).ready([brokerPosition()]))
      ending.ring()
      const { clientOrderId, side, quantity } = ending.last
      const after = reborn(ending.bench)
      const effects = started(after, {
        orders: [brokerOrder({ clientOrderId, side, quantity, status: 54 })],
        positions: [brokerPosition()],
      })
      const sentAtOnce = commands(effects).filter(({ kind }) => kind === 'submit')
      t.strictSame(sentAtOnce, [], 'quotes may be on their way')
      after.nowMs += policy.pending.stopLossTimeoutMs
      const sent = commands(after.input({ kind: 'alarm' }))
      t.match(sent, [{ kind: 'submit', order: { quantity: 300, price: SALE.signalPrice } }])
    }
  },
)

t.test('what is overdue while nobody is connected is canceled after the recovery', async (t) => {
  const chain = new Chain()
  chain.bench.input(gone)
  chain.bench.nowMs += 60_000
  t.strictSame(commands(chain.bench.input({ kind: 'alarm' })), [])
  const { clientOrderId, side, quantity } = chain.last
  const row = brokerOrder({ clientOrderId, side, quantity })
  const sent = commands(recovered(chain.bench, { orders: [row], positions: [brokerPosition()] }))
  t.match(
    sent.filter(({ kind }) => kind === 'cancel'),
    [{ orderId: '1001' }],
  )
})

t.test('F501 what a client did not cancel it is asked to cancel after a new login', async (t) => {
  const { limits } = policy
  for (const isAnswered of [true, false]) {
    const chain = new Chain()
    const { bench } = chain
    const { clientOrderId, side, quantity } = chain.last
    const rows = {
      orders: [brokerOrder({ clientOrderId, side, quantity })],
      positions: [brokerPosition()],
    }
    let canceled = cancelsOf(chain.ring())
    for (let tries = 1; tries <= limits.cancelRetriesMax; tries++) {
      t.equal(canceled.length, 1)
      for (const { callId } of canceled) {
        bench.input(isAnswered ? refused(callId) : { kind: 'callTimedOut', callId })
      }
      bench.wallMs += limits.cancelRetryIntervalMs
      canceled = cancelsOf(bench.answerQueries(commands(bench.input(timer('cancels'))), rows))
    }
    t.strictSame(canceled, [], 'given up')
    t.match(chain.last, { status: 'accepted' })
    bench.input(gone)
    bench.nowMs += 60_000
    bench.quotes.set(BANK, { ...BOOK, timeMs: bench.nowMs })
    t.match(cancelsOf(recovered(bench, rows)), [{ orderId: '1001' }])
  }
})
