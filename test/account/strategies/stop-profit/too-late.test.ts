import t from 'tap'
import type { Effect } from '../../../../src/account/turn/turn.ts'
import type { Quantity } from '../../../../src/domain/money.ts'
import { BANK, brokerPosition, commands } from '../../fixture.ts'
import { count, pushed, said } from '../../play.ts'
import { acting, BOOK, Chain, PURCHASE, SALE } from './chain.ts'

// Orders of signals that were written down and never sent, because they could not leave in time.

const MESSAGE = '作出决定后过久才能发出 (never sent)'
const FIRST_PROFIT = { ...SALE, signalType: 'take_profit_half' } as const

/** The last order could not be sent in time, and its stock has been quoted since: what follows from that. */
function late(chain: Chain): readonly Effect[] {
  quoted(chain)
  return lateUnquoted(chain)
}
function quoted({ bench }: Chain): void {
  const { timeMs } = bench.quotes.get(BANK) ?? BOOK
  bench.quotes.set(BANK, { ...BOOK, timeMs: timeMs + 1 })
}
function lateUnquoted({ bench, last }: Chain): readonly Effect[] {
  const { clientOrderId } = last
  const [callId = 0] = [...bench.state.calls].find(
    ([, call]) => call.kind === 'submit' && call.clientOrderId === clientOrderId,
  ) ?? [0]
  const outcome = { kind: 'rejected', message: MESSAGE, isTooLate: true } as const
  return bench.input(said({ kind: 'submitAnswered', callId, clientOrderId, outcome }))
}
const submits = (effects: readonly Effect[]) =>
  commands(effects).filter(({ kind }) => kind === 'submit')

/** A sale that was canceled with so much of it filled, whose rest has been written down. */
function rest(signal: ConstructorParameters<typeof Chain>[0], filled: number): Chain {
  const chain = new Chain(signal, acting().ready([brokerPosition()]))
  chain.fill(filled)
  chain.show(1_000 - filled)
  chain.ring()
  t.match(submits(chain.report({ status: 53, filledQuantity: filled as Quantity })), [
    { kind: 'submit' },
  ])
  return chain
}

t.test('F529 what was never sent of an order is sent again, once', async (t) => {
  const chain = rest(FIRST_PROFIT, 100)
  const never = chain.last
  t.match(submits(late(chain)), [{ kind: 'submit', order: { quantity: 200, side: 'sell' } }])
  t.match(chain.bench.state.orders.get(never.clientOrderId), {
    status: 'rejected',
    statusMessage: MESSAGE,
    isTooLate: true,
  })
  t.match(chain.last, { status: 'submitted', chain: { attempt: 1 } }, 'it was no try')
  t.equal(chain.bench.state.orders.get(never.clientOrderId)?.isReorderWanted, undefined)
  chain.accept()
  t.strictSame(submits(chain.fill(200)), [])
  t.strictSame(submits(chain.bench.input({ kind: 'alarm' })), [])
})

t.test('F528 a rest is not sent again on the quote that it was decided on', async (t) => {
  const chain = rest(FIRST_PROFIT, 100)
  const { bench } = chain
  t.strictSame(submits(lateUnquoted(chain)), [], 'the newest quote may be of before the sleep')
  t.strictSame(submits(bench.input({ kind: 'alarm' })), [])
  quoted(chain)
  t.equal(submits(bench.input({ kind: 'alarm' })).length, 1)
})

t.test('F528 nor is a stop, and neither waits for one for ever', async (t) => {
  const { positionQueryIntervalMs: waitMs } = acting().state.policy.limits
  const chain = rest(FIRST_PROFIT, 100)
  lateUnquoted(chain)
  chain.bench.wallMs += waitMs
  t.equal(submits(chain.bench.input({ kind: 'alarm' })).length, 1)
  const stop = new Chain(SALE)
  const { bench } = stop
  stop.report({ status: 54 })
  bench.signal(SALE)
  lateUnquoted(stop)
  t.strictSame(submits(bench.signal(SALE)), [])
  bench.wallMs += waitMs - 1
  t.strictSame(submits(bench.signal(SALE)), [])
  bench.wallMs += 1
  t.equal(submits(bench.signal(SALE)).length, 1)
})

t.test('F529 as often as it could not be sent, and not more often than allowed', async (t) => {
  const chain = rest(FIRST_PROFIT, 100)
  for (let n = 0; n < 5; n++) t.equal(submits(late(chain)).length, 1)
  t.equal(chain.last.chain?.attempt, 1)
  const { reordersMax } = chain.bench.state.policy.pending
  for (let attempt = 1; attempt < reordersMax; attempt++) {
    chain.accept()
    chain.ring()
    chain.report({ status: 54 })
    t.equal(chain.last.chain?.attempt, attempt + 1)
  }
  t.equal(submits(late(chain)).length, 1, 'the last one that is allowed has not been sent yet')
})

t.test('F529 what was switched off meanwhile is not sent again', async (t) => {
  const chain = rest(SALE, 100)
  const request = {
    kind: 'saveConfig',
    changes: { globalAllowBuySell: false },
    source: 'test',
  } as const
  chain.bench.input({ kind: 'request', ref: 1, request })
  t.strictSame(submits(late(chain)), [])
  t.equal(count(chain.bench, 'reorderDropped'), 1)
})

t.test('F529 nothing that was never sent counts as refused', async (t) => {
  for (const signal of [SALE, PURCHASE]) {
    const chain = new Chain(signal)
    chain.report({ status: 57, statusMessage: 'no' })
    t.equal(chain.bench.state.rejectsInRow, 1)
    const other = new Chain(signal)
    other.report({ status: 54 })
    other.bench.signal(signal)
    late(other)
    t.equal(other.bench.state.rejectsInRow, 0)
    t.equal(other.last.isReorderWanted, undefined, 'a first order is found again by its signal')
    t.equal(submits(other.bench.signal(signal)).length, 1, 'at once')
  }
})

t.test('F529 an order that the client shows after all was sent', async (t) => {
  const chain = new Chain(SALE)
  chain.fill(300)
  chain.bench.signal({ ...SALE, quantity: 200 as Quantity })
  late(chain)
  const { clientOrderId } = chain.last
  chain.bench.input(
    pushed({ clientOrderId, orderId: '1002', side: 'sell', quantity: 200 as Quantity, status: 50 }),
  )
  t.match(chain.last, { status: 'accepted', clientOrderId })
  t.equal(chain.last.isTooLate, undefined)
})
