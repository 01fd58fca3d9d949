import t from 'tap'
import type { Effect } from '../../../src/account/turn/turn.ts'
import type { DriverCommand } from '../../../src/protocol/driver.ts'
import { Bench, brokerOrder, commands, driver, policy, push, set } from '../fixture.ts'

const ORDERS = 1_500
const { cancelsAtOnceMax } = policy.limits

const cancels = (effects: readonly Effect[]) =>
  commands(effects).filter((command) => command.kind === 'cancel')

/** An account with many orders of others that rest at the broker. */
function crowded(): Bench {
  const bench = new Bench().ready()
  for (let n = 1; n <= ORDERS; n++) push(bench, { orderId: String(n), clientOrderId: '' })
  return bench
}

/** The broker works off what it is asked, as late as it can, and says so. */
class Counter {
  readonly bench: Bench
  readonly waiting: Extract<DriverCommand, { kind: 'cancel' }>[] = []
  readonly canceled: string[] = []
  most = 0

  constructor(bench: Bench) {
    this.bench = bench
  }
  hear(effects: readonly Effect[]): void {
    this.waiting.push(...cancels(effects))
    this.most = Math.max(this.most, this.waiting.length)
  }
  answer(): void {
    const next = this.waiting.shift()
    if (next === undefined) return
    const { callId, orderId } = next
    this.canceled.push(orderId)
    const result = { ok: true, value: null } as const
    this.hear(driver(this.bench, { kind: 'cancelAnswered', callId, orderId, result }))
    this.hear(push(this.bench, { orderId, clientOrderId: '', status: 54 }))
  }
}

t.test('cancel_all asks for so many at a time and comes to all of them', async (t) => {
  const counter = new Counter(crowded())
  counter.hear(set(counter.bench, 'cancel_all'))
  t.equal(counter.waiting.length, cancelsAtOnceMax)
  while (counter.waiting.length > 0) counter.answer()
  t.equal(counter.most, cancelsAtOnceMax, 'never more')
  t.equal(new Set(counter.canceled).size, ORDERS, 'all of them')
  t.equal(counter.canceled.length, ORDERS, 'each once')
  t.strictSame([...counter.bench.state.orders.open()], [])
})

t.test('a cancel that is never answered gives its place to the next', async (t) => {
  const bench = crowded()
  const first = cancels(set(bench, 'cancel_all'))
  const late = first.flatMap(({ callId }) => cancels(bench.input({ kind: 'callTimedOut', callId })))
  t.equal(late.length, cancelsAtOnceMax)
  const asked = new Set([...first, ...late].map(({ orderId }) => orderId))
  t.equal(asked.size, 2 * cancelsAtOnceMax, 'others, before the same again')
})

t.test('what a look at the list asks for again is paced too', async (t) => {
  const bench = crowded()
  const counter = new Counter(bench)
  counter.hear(set(bench, 'cancel_all'))
  // Every cancel is taken, and none does anything.
  const taken: string[] = []
  while (counter.waiting.length > 0 && taken.length < ORDERS) {
    const next = counter.waiting.shift()
    if (next === undefined) break
    const { callId, orderId } = next
    taken.push(orderId)
    counter.hear(
      driver(bench, { kind: 'cancelAnswered', callId, orderId, result: { ok: true, value: null } }),
    )
  }
  t.equal(new Set(taken).size, ORDERS)
  counter.waiting.length = 0
  bench.wallMs += policy.limits.cancelRetryIntervalMs
  const queries = commands(bench.input({ kind: 'timer', name: 'cancels' }))
  const orders = [...bench.state.orders.open()].map(({ orderId }) =>
    brokerOrder({ orderId, clientOrderId: '' }),
  )
  t.equal(orders.length, ORDERS)
  counter.hear(bench.answerQueries(queries, { orders }))
  t.ok(counter.most <= cancelsAtOnceMax, `${counter.most} at once`)
})
