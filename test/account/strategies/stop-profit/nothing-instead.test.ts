import t from 'tap'
import { emptyState } from '../../../../src/account/model/state.ts'
import { step } from '../../../../src/account/step.ts'
import { nextOrderMs } from '../../../../src/account/strategies/run.ts'
import { type Effect, Turn } from '../../../../src/account/turn/turn.ts'
import {
  BANK,
  Bench,
  brokerOrder,
  brokerPosition,
  commands,
  driver,
  quote,
  set,
  yuan,
} from '../../fixture.ts'
import { reborn, started } from '../../play.ts'
import { acting, Chain, SALE } from './chain.ts'

/** A stop that rests at 36 yuan, a yuan above what is paid by now: its rest would be sold. */
function resting(bench: Bench = acting().ready([brokerPosition()])): Chain {
  const chain = new Chain(SALE, bench)
  chain.report({ price: yuan(36) })
  bench.quotes.set(BANK, quote(35, bench.nowMs))
  return chain
}
const allow = (bench: Bench, allowSell: boolean) =>
  bench.input({
    kind: 'request',
    ref: 9,
    request: { kind: 'saveConfig', changes: { allowSell }, source: 'test' },
  })
const kindsOf = (effects: readonly Effect[]) => commands(effects).map(({ kind }) => kind)

t.test('F743 a stop is not given up while the kill switch lets no other one leave', async (t) => {
  const chain = resting()
  t.strictSame(kindsOf(resting().ring()), ['cancel'], 'it is sent again at the price of now')
  set(chain.bench, 'all')
  for (let look = 0; look < 5; look++) t.strictSame(kindsOf(chain.ring()), [])
  t.equal(chain.last.status, 'accepted')
  set(chain.bench, 'entries')
  t.strictSame(kindsOf(chain.ring()), ['cancel'], 'with its next look')
  t.match(commands(chain.report({ status: 54 })), [{ kind: 'submit', order: { price: yuan(35) } }])
})

t.test('F743 nor while nothing may be sold at all', async (t) => {
  const chain = resting()
  allow(chain.bench, false)
  t.strictSame(kindsOf(chain.ring()), [])
  allow(chain.bench, true)
  t.strictSame(kindsOf(chain.ring()), ['cancel'])
})

t.test('F743 nor when as many are sent as a day may have', async (t) => {
  const limited = acting({}, { maxProtectiveOrdersPerDay: 1 })
  t.strictSame(kindsOf(resting(limited.ready([brokerPosition()])).ring()), [])
})

t.test('F743 nor while the disk is nearly full', async (t) => {
  const { bench } = resting()
  bench.nowMs = nextOrderMs(bench.state, bench.nowMs)
  const seen = { nowMs: bench.nowMs, wallMs: bench.wallMs, quote: () => bench.quotes.get(BANK) }
  const turn = new Turn(bench.state, { ...seen, isDiskLow: true })
  step(turn, { kind: 'alarm' })
  t.strictSame(kindsOf(turn.effects), [])
})

/** Its time is up and it is to be canceled: the number of that call. */
const canceling = (chain: Chain): number => commands(chain.ring())[0]?.callId ?? 0
/** The counter refuses that cancel. */
const refuse = ({ bench }: Chain, callId: number) =>
  driver(bench, {
    kind: 'cancelAnswered',
    callId,
    orderId: '1001',
    result: { ok: false, error: { code: 'FAILED', message: '撤单失败' } },
  })
/** The next look at cancels that have not ended an order, and what it has the account ask for then. */
function lookAtCancels({ bench, last }: Chain): readonly string[] {
  const { clientOrderId, quantity, createdMs: timeMs } = last
  const row = brokerOrder({ clientOrderId, side: 'sell', quantity, timeMs, price: yuan(36) })
  const queries = commands(bench.input({ kind: 'timer', name: 'cancels' }))
  return kindsOf(bench.answerQueries(queries, { orders: [row], positions: [brokerPosition()] }))
}

t.test(
  'F758 a cancel for age that was refused is not repeated while nothing may be sent instead',
  async (t) => {
    const open = resting()
    refuse(open, canceling(open))
    t.strictSame(lookAtCancels(open), ['cancel'], 'otherwise it is')

    const chain = resting()
    const callId = canceling(chain)
    set(chain.bench, 'all')
    refuse(chain, callId)
    for (let look = 0; look < 5; look++) t.strictSame(lookAtCancels(chain), [])
    t.equal(chain.last.status, 'accepted')
    set(chain.bench, 'entries')
    t.strictSame(kindsOf(chain.ring()), ['cancel'], 'with its next look')
    t.match(commands(chain.report({ status: 54 })), [
      { kind: 'submit', order: { price: yuan(35) } },
    ])
  },
)

t.test('F758 nor one that was never answered, and the level is raised afterwards', async (t) => {
  const chain = resting()
  chain.bench.input({ kind: 'callTimedOut', callId: canceling(chain) })
  set(chain.bench, 'all')
  t.strictSame(lookAtCancels(chain), [])
  t.equal(chain.last.status, 'accepted')
})

t.test('F758 a level that cancels everything repeats it all the same', async (t) => {
  const chain = resting()
  const callId = canceling(chain)
  set(chain.bench, 'cancel_all')
  t.strictSame(kindsOf(refuse(chain, callId)), ['cancel'])
})

t.test('F758 nor after a start, before somebody has switched the strategies on', async (t) => {
  const { bench, last } = resting()
  bench.nowMs = nextOrderMs(bench.state, bench.nowMs)
  bench.input({ kind: 'alarm' })
  const later = reborn(bench)
  const { clientOrderId, quantity, createdMs: timeMs } = last
  const row = brokerOrder({ clientOrderId, side: 'sell', quantity, timeMs, price: yuan(36) })
  const rows = { orders: [row], positions: [brokerPosition()] }
  started(later, rows)
  later.state.settings = { ...later.state.settings, ENABLE_AUTO_OPERATION: false }
  const queries = commands(later.input({ kind: 'timer', name: 'cancels' }))
  t.strictSame(kindsOf(later.answerQueries(queries, rows)), [])
  t.equal(later.state.orders.get(clientOrderId)?.status, 'accepted')
})

t.test('F758 nor by an account that was suspended after crashes', async (t) => {
  const chain = resting()
  const { bench } = chain
  const { nowMs, wallMs } = bench
  refuse(chain, canceling(chain))
  const [query] = commands(bench.input({ kind: 'timer', name: 'cancels' }))
  const quoteOf = () => bench.quotes.get(BANK)
  const turn = new Turn(bench.state, { nowMs, wallMs, quote: quoteOf, isSuspended: true })
  const { clientOrderId, quantity, createdMs: timeMs } = chain.last
  const row = brokerOrder({ clientOrderId, side: 'sell', quantity, timeMs, price: yuan(36) })
  const value = { what: 'orders', rows: [row] } as const
  const event = { kind: 'queryAnswered', callId: query?.callId ?? 0, what: 'orders' } as const
  step(turn, { kind: 'driver', event: { ...event, result: { ok: true, value } } })
  t.strictSame(kindsOf(turn.effects), [])
})

t.test('F759 nor while as many orders are kept as there is room for', async (t) => {
  const full = acting()
  const limits = { ...full.state.policy.limits, ordersMax: 1 }
  const bench = new Bench(emptyState({ ...full.state.policy, limits }))
  t.strictSame(kindsOf(resting(bench.ready([brokerPosition()])).ring()), [])
})
