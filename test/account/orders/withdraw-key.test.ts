import t from 'tap'
import type { AccountCommand } from '../../../src/account/commands/on-request.ts'
import { apply } from '../../../src/account/fold/apply.ts'
import { emptyState } from '../../../src/account/model/state.ts'
import type { KillLevel } from '../../../src/domain/kill-level.ts'
import { BANK, Bench, commands, KEY, keyOf, policy, quote, refusals, replies } from '../fixture.ts'
import { paced, pass, purchase, RATE, sent } from './paced.ts'

const ask = (bench: Bench, request: AccountCommand) =>
  bench.input({ kind: 'request', ref: 99, request })
const withdraw = (bench: Bench, key = KEY) =>
  ask(bench, { kind: 'withdrawKey', key, source: 'desk' })
const kill = (bench: Bench, level: KillLevel) =>
  ask(bench, { kind: 'setKillSwitch', level, reason: '', source: 'desk' })

t.test('a key that nothing came under is withdrawn, and what comes later is refused', async (t) => {
  const bench = new Bench().ready()
  t.match(replies(withdraw(bench)), [{ state: 'withdrawn' }])
  t.match(bench.journal.at(-1)?.event, { kind: 'keyWithdrawn', clientOrderId: KEY, source: 'desk' })
  const late = bench.place()
  t.strictSame(refusals(late), ['ORDER_WITHDRAWN'])
  t.strictSame(commands(late), [], 'nothing leaves for the trading client')
  t.strictSame(refusals(bench.place({ requestHash: 'another body' })), ['ORDER_WITHDRAWN'])
  const length = bench.journal.length
  t.match(replies(withdraw(bench)), [{ state: 'withdrawn' }], 'asked again it says the same')
  t.equal(bench.journal.length, length, 'and writes nothing')
})

t.test('a restarted account still refuses a key that was withdrawn', async (t) => {
  const bench = new Bench().ready()
  withdraw(bench)
  const state = emptyState(policy)
  for (const entry of bench.journal) apply(state, entry)
  const again = new Bench(state).ready()
  t.strictSame(refusals(again.place()), ['ORDER_WITHDRAWN'])
})

t.test('an order that is there stays as it is, and is what the key means', async (t) => {
  const bench = new Bench().ready()
  const [call] = commands(bench.place())
  t.match(replies(withdraw(bench)), [
    { state: 'ordered', answer: { state: 'unknown', orderId: '' } },
  ])
  const outcome = { kind: 'accepted', orderId: '1001' } as const
  const callId = call?.callId ?? 0
  bench.input({
    kind: 'driver',
    event: { kind: 'submitAnswered', callId, clientOrderId: KEY, outcome },
  })
  t.match(replies(withdraw(bench)), [
    { state: 'ordered', answer: { state: 'accepted', orderId: '1001' } },
  ])
})

t.test('a key that was refused is no news: the same refusal again', async (t) => {
  const bench = new Bench().ready()
  kill(bench, 'all')
  t.strictSame(refusals(bench.place()), ['KILL_SWITCH'])
  t.match(replies(withdraw(bench)), [{ state: 'refused', code: 'KILL_SWITCH' }])
})

t.test('books that may lack an order withdraw nothing', async (t) => {
  const away = new Bench()
  t.strictSame(refusals(withdraw(away)), ['NOT_CONNECTED'])
  const restored = new Bench().ready()
  const moments = { foundMs: 1, comparedMs: 2, confirmedMs: 0 }
  restored.state.restore = { mark: 'm', fromEpoch: 1, clientEpoch: 2, ...moments }
  t.strictSame(refusals(withdraw(restored)), ['RECONCILE_REQUIRED'])
})

t.test('F329 nor is a refusal proof, before they have been compared and confirmed', async (t) => {
  const moments = { foundMs: 1, comparedMs: 2, confirmedMs: 0 }
  const restored = new Bench().ready()
  restored.state.restore = { mark: 'm', fromEpoch: 1, clientEpoch: 2, ...moments }
  t.strictSame(refusals(restored.place()), ['KILL_SWITCH'])
  t.strictSame(refusals(withdraw(restored)), ['RECONCILE_REQUIRED'])
  restored.state.restore = { ...restored.state.restore, confirmedMs: 3 }
  t.match(replies(withdraw(restored)), [{ state: 'refused', code: 'KILL_SWITCH' }])
  const copied = new Bench() // by hand, so that nobody is asked
  kill(copied, 'all')
  t.strictSame(refusals(copied.place()), ['KILL_SWITCH'])
  t.strictSame(refusals(withdraw(copied)), ['NOT_CONNECTED'])
})

t.test(
  'refusals make room for one another, and never in the place of a withdrawn key',
  async (t) => {
    const bench = new Bench().ready()
    withdraw(bench)
    kill(bench, 'all')
    for (const key of ['A', 'B', 'C', 'D']) bench.place({ key: KEY.slice(0, -1) + key })
    t.equal(bench.state.denials.size, policy.limits.denialsMax)
    kill(bench, 'off')
    t.strictSame(refusals(bench.place()), ['ORDER_WITHDRAWN'])
  },
)

t.test('more keys than can be kept are not withdrawn, rather than forgotten', async (t) => {
  const bench = new Bench().ready()
  const keys = ['A', 'B', 'C', 'D'].map((letter) => KEY.slice(0, -1) + letter)
  const said = keys.map((key) => refusals(withdraw(bench, key)))
  t.strictSame(said, [[], [], [], ['OVERLOADED']])
  t.equal(bench.state.orders.openCount, 0)
})

t.test('F655 nor does a simulation that began before the books were compared', async (t) => {
  const simulated = { ...policy, settings: { ...policy.settings, ENABLE_SIMULATION_MODE: true } }
  const bench = new Bench(emptyState(simulated)) // put back to nothing by hand
  bench.input({ kind: 'started', incarnation: 1, day: '2026-08-11' })
  t.ok(bench.state.simulation)
  t.strictSame(refusals(withdraw(bench)), ['NOT_CONNECTED'])
  t.notOk(bench.state.denials.has(KEY), 'and keeps nothing')
  const known = new Bench().ready()
  ask(known, { kind: 'saveConfig', changes: { simulationMode: true }, source: 'desk' })
  t.ok(known.state.simulation)
  t.match(replies(withdraw(known)), [{ state: 'withdrawn' }], 'one that has been compared knows')
})

t.test('F545 a purchase of several stocks under a withdrawn key buys nothing', async (t) => {
  const bench = new Bench().ready()
  bench.quotes.set(BANK, quote(36))
  withdraw(bench)
  const late = ask(bench, {
    kind: 'executeBuy',
    key: KEY,
    keys: [keyOf(1)],
    requestHash: 'h',
    strategy: 'custom_stock',
    count: 1,
    codes: [BANK],
    source: 'desk',
  })
  t.strictSame(refusals(late), ['ORDER_WITHDRAWN'])
  t.strictSame(commands(late), [], 'nothing leaves for the trading client')
  t.match(replies(withdraw(bench)), [{ state: 'withdrawn' }], 'so what was said stays true')
})

t.test(
  'F549 the key of several orders of which some wait is a conflict, and they wait on',
  async (t) => {
    const bench = paced()
    const asked = ask(bench, purchase(bench, RATE + 3))
    t.equal(sent(asked).length, RATE)
    const length = bench.journal.length
    t.strictSame(refusals(withdraw(bench)), ['CONFLICT'])
    t.equal(bench.journal.length, length, 'nothing is written')
    t.equal(bench.state.queue.length, 3)
    t.equal(sent(pass(bench, 1_000)).length, 3, 'each leaves in its turn')
  },
)

t.test('F549 nor is one of several taken out of the queue whose key cannot be kept', async (t) => {
  const bench = paced()
  for (const letter of ['A', 'B', 'C']) withdraw(bench, KEY.slice(0, -1) + letter)
  const first = 10
  ask(bench, purchase(bench, RATE + 3, first))
  t.strictSame(refusals(withdraw(bench, keyOf(first + RATE))), ['OVERLOADED'])
  t.equal(bench.state.queue.length, 3)
})
