import t from 'tap'
import { nextOrderMs } from '../../../../src/account/strategies/run.ts'
import type { SignalOrder } from '../../../../src/account/strategies/stop-profit/follow-up.ts'
import type { Effect } from '../../../../src/account/turn/turn.ts'
import type { Price, Quantity } from '../../../../src/domain/money.ts'
import { BANK, brokerOrder, brokerPosition, commands, yuan } from '../../fixture.ts'
import { count, gone, reborn, said, started, timer } from '../../play.ts'
import { acting, BOOK, Chain, SALE } from './chain.ts'

// What is left of a signal's order when the market closes before it can be sent.

const STALE_QUOTE_MS = 60_000
const at = (time: string): number => Date.parse(`2026-08-11T${time}+08:00`)
const FIRST_PROFIT = { ...SALE, signalType: 'take_profit_half' } as const

/** At a cost of 30 yuan, with an order that was sent at a time of the day. */
function heldAt(time: string, signal: SignalOrder = SALE, pending = {}): Chain {
  const bench = acting(pending, { staleQuoteMs: STALE_QUOTE_MS })
  bench.nowMs = at(time)
  bench.wallMs = bench.nowMs
  bench.ready([brokerPosition({ costPrice: yuan(30) })])
  const book = { ...BOOK, timeMs: bench.nowMs }
  return new Chain(signal, bench, book, { timeMs: bench.nowMs })
}

/** At every second of a span it is asked, and nothing more is quoted. */
function watch({ bench }: Chain, from: string, to: string): readonly Effect[] {
  const effects: Effect[] = []
  for (let ms = at(from); ms <= at(to); ms += 1_000) {
    bench.nowMs = ms
    effects.push(...bench.input({ kind: 'alarm' }))
  }
  return effects
}
const quoted = ({ bench }: Chain, time: string): readonly Effect[] => {
  bench.nowMs = at(time)
  bench.quotes.set(BANK, { ...BOOK, timeMs: bench.nowMs })
  return bench.input({ kind: 'alarm' })
}
const submits = (effects: readonly Effect[]) =>
  commands(effects).filter(({ kind }) => kind === 'submit')
const isIdle = (chain: Chain, effects: readonly Effect[]): void => {
  t.strictSame(submits(effects), [])
  t.equal(count(chain.bench, 'orderDenied'), 0, 'no try is used up')
  t.equal(count(chain.bench, 'reorderDropped'), 0)
}

t.test('F498 the rest of a canceled order waits through the break at noon', async (t) => {
  for (const [signal, time] of [
    [SALE, '11:29:28'],
    [FIRST_PROFIT, '11:24:58'],
  ] as const) {
    const chain = heldAt(time, signal)
    const { bench } = chain
    quoted(chain, '11:29:58')
    t.equal(chain.last.status, 'pendingCancel')
    bench.nowMs = at('11:30:02')
    isIdle(chain, chain.report({ status: 54 }))
    isIdle(chain, watch(chain, '11:30:03', '11:30:20'))
    t.equal(nextOrderMs(bench.state, bench.nowMs), at('13:00:00'), 'nobody need ask')
    isIdle(chain, watch(chain, '12:59:55', '13:00:02'))
    const sent = commands(quoted(chain, '13:00:03'))
    t.match(sent, [{ kind: 'submit', order: { quantity: 300, side: 'sell' } }])
  }
})

t.test('F498 so does the next part of a first take-profit', async (t) => {
  const parts = { ...FIRST_PROFIT, quantity: 100 as Quantity, target: 300 as Quantity }
  const chain = heldAt('11:29:55', parts)
  chain.bench.nowMs = at('11:30:01')
  isIdle(chain, chain.fill(100))
  chain.show(900)
  isIdle(chain, watch(chain, '11:30:02', '11:30:20'))
  isIdle(chain, watch(chain, '13:00:00', '13:00:02'))
  t.match(commands(quoted(chain, '13:00:03')), [
    { kind: 'submit', order: { strategy: 'auto_partial' } },
  ])
})

t.test('F498 the time that a rest may wait for a quote is time of trading', async (t) => {
  const chain = heldAt('11:29:28')
  quoted(chain, '11:29:58')
  chain.bench.nowMs = at('11:30:01')
  chain.report({ status: 54 })
  isIdle(chain, watch(chain, '13:00:00', '13:04:59'))
  watch(chain, '13:05:00', '13:05:01')
  t.equal(count(chain.bench, 'reorderDropped'), 1, 'then a new signal may be found')
})

t.test('F498 behind the close there is nothing to wait for', async (t) => {
  const chain = heldAt('14:56:28')
  quoted(chain, '14:56:58')
  chain.bench.nowMs = at('15:00:01')
  chain.report({ status: 54 })
  t.match(chain.bench.journal.at(-1)?.event, { kind: 'reorderDropped', reason: 'its day is over' })
})

t.test('F499 a rest waits while its stock has no price', async (t) => {
  const chain = heldAt('10:00:00')
  quoted(chain, '10:00:30')
  chain.bench.quotes.set(BANK, { ...BOOK, lastPrice: 0 as Price, timeMs: at('10:00:31') })
  chain.bench.nowMs = at('10:00:31')
  isIdle(chain, chain.report({ status: 54 }))
  for (const afterMs of [0, 400, 999]) {
    const nextMs = nextOrderMs(chain.bench.state, at('10:00:31') + afterMs)
    t.equal(nextMs, at('10:00:32'), 'whatever it is asked meanwhile')
  }
  isIdle(chain, watch(chain, '10:00:32', '10:01:00'))
  t.match(commands(quoted(chain, '10:01:03')), [{ kind: 'submit', order: { quantity: 300 } }])
})

t.test('F499 nobody need look for it while nobody is connected', async (t) => {
  const chain = heldAt('10:00:00')
  quoted(chain, '10:00:30')
  chain.bench.quotes.delete(BANK)
  chain.report({ status: 54 })
  const { bench } = chain
  t.equal(nextOrderMs(bench.state, bench.nowMs), bench.nowMs + 1_000)
  bench.input(gone)
  t.equal(nextOrderMs(bench.state, bench.nowMs), Number.POSITIVE_INFINITY)
})

/** Cancels that the client was asked for, each of which it refuses at once. */
function refusing(chain: Chain, effects: readonly Effect[]): number {
  const { bench } = chain
  const asked = commands(effects).filter((each) => each.kind === 'cancel')
  for (const { callId, orderId } of asked) {
    const result = { ok: false, error: { code: 'FAILED', message: '非交易时间' } } as const
    bench.input(said({ kind: 'cancelAnswered', callId, orderId, result }))
  }
  return asked.length
}

/** The client lists the order as working. What follows. */
function listed({ bench, last }: Chain, effects: readonly Effect[]): readonly Effect[] {
  const { clientOrderId, orderId, side, quantity, createdMs } = last
  const row = brokerOrder({ clientOrderId, orderId, side, quantity, timeMs: createdMs, status: 50 })
  return bench.answerQueries(commands(effects), { orders: [row] })
}

/** The timer of cancels rings as it was set, the client lists the order as working and refuses each cancel. How many it was asked for. */
function sweep(chain: Chain, to: string): number {
  const { bench } = chain
  let asked = 0
  let waitMs = 1_000
  while (bench.nowMs + waitMs <= at(to)) {
    bench.nowMs += waitMs
    bench.wallMs += waitMs
    const effects = bench.input(timer('cancels'))
    const wait = effects.find((each) => each.kind === 'timer' && each.name === 'cancels')
    waitMs = wait?.kind === 'timer' ? wait.delayMs : Number.POSITIVE_INFINITY
    asked += refusing(chain, listed(chain, effects))
  }
  return asked
}

t.test(
  'F530 a cancel that the break at noon refuses is tried again in the afternoon',
  async (t) => {
    const chain = heldAt('11:29:29')
    const { bench } = chain
    t.equal(refusing(chain, quoted(chain, '11:29:59')), 1)
    t.equal(sweep(chain, '11:30:00'), 1, 'one each second while the market is open')
    t.equal(sweep(chain, '12:59:59'), 0)
    t.equal(count(bench, 'orderWarned'), 0, 'nobody is asked to do what cannot be done')
    t.equal(sweep(chain, '13:00:00'), 1, 'at the moment of the open')
    t.equal(sweep(chain, '13:01:00'), 2, 'and as often as at any other time')
    t.equal(count(bench, 'orderWarned'), 1)
  },
)

t.test('F530 a last try that the break refuses is not the last', async (t) => {
  const chain = heldAt('11:29:28')
  const { bench } = chain
  t.equal(refusing(chain, quoted(chain, '11:29:58')), 1)
  t.equal(sweep(chain, '11:29:59'), 1)
  bench.nowMs = at('11:29:59') + 900
  const [third] = commands(listed(chain, bench.input(timer('cancels'))))
  t.match(third, { kind: 'cancel' })
  bench.nowMs = at('11:30:01')
  const { orderId } = chain.last
  const result = { ok: false, error: { code: 'FAILED', message: '非交易时间' } } as const
  bench.input(said({ kind: 'cancelAnswered', callId: third?.callId ?? 0, orderId, result }))
  t.equal(count(bench, 'orderWarned'), 0)
  t.equal(sweep(chain, '13:00:00'), 1)
})

t.test('F530 nor is one given up that is found after a restart in the break', async (t) => {
  const chain = heldAt('11:29:28', SALE, { isAutoReorder: false })
  t.match(commands(quoted(chain, '11:29:58')), [{ kind: 'cancel' }])
  const bench = reborn(chain.bench)
  bench.nowMs = at('11:40:00')
  const { clientOrderId, orderId, side, quantity, createdMs } = chain.last
  const timeMs = createdMs
  const row = brokerOrder({ clientOrderId, orderId, side, quantity, timeMs, status: 50 })
  const positions = [brokerPosition({ costPrice: yuan(30) })]
  started(bench, { orders: [row], positions })
  let asked = 0
  for (let second = 0; second < 10; second++) {
    bench.nowMs += 1_000
    bench.wallMs += 1_000
    const queries = commands(bench.input(timer('cancels')))
    for (const { kind, callId } of commands(bench.answerQueries(queries, { orders: [row] }))) {
      if (kind !== 'cancel') continue
      asked += 1
      bench.input({ kind: 'callTimedOut', callId })
    }
  }
  t.equal(asked, 0)
  t.equal(count(bench, 'orderWarned'), 0, 'nobody is asked to do what cannot be done')
})
