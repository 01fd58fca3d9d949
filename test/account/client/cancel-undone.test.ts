import t from 'tap'
import type { Effect } from '../../../src/account/turn/turn.ts'
import type { Quantity } from '../../../src/domain/money.ts'
import type { BrokerOrder } from '../../../src/domain/order.ts'
import { connect, driver } from '../client.ts'
import { type Bench, brokerOrder, commands, keyOf, policy, yuan } from '../fixture.ts'
import { count, pushed, reborn, said, timer } from '../play.ts'
import { Chain } from '../strategies/stop-profit/chain.ts'
import { ask, canceled, lookedFor } from './fixtures/canceling.ts'
import { buying, later, look, OTHER, order } from './fixtures/restarted.ts'

// A counter takes a cancel (51, 52), and the exchange refuses it: the order is shown as it was.

const { cancelRetryIntervalMs, doubtSettleMs, cancelRetriesMax } = policy.limits

/** Every cancel that was sent is taken. */
function taken(bench: Bench, effects: readonly Effect[]): readonly string[] {
  const sent = commands(effects).filter((command) => command.kind === 'cancel')
  for (const { callId, orderId } of sent) {
    bench.input(
      said({ kind: 'cancelAnswered', callId, orderId, result: { ok: true, value: null } }),
    )
  }
  return sent.map(({ orderId }) => orderId)
}

/** Lists as often as a cancel is followed, for so long. */
function followed(bench: Bench, row: BrokerOrder, forMs: number): readonly Effect[] {
  const effects: Effect[] = []
  for (let ms = 0; ms <= forMs; ms += cancelRetryIntervalMs) {
    bench.wallMs += cancelRetryIntervalMs
    bench.nowMs += cancelRetryIntervalMs
    const asked = bench.input(timer('cancels'))
    effects.push(...asked, ...bench.answerQueries(commands(asked), { orders: [row] }))
  }
  return effects
}

/** A stop of 300 shares whose time is up: its cancel is in hand. */
function stopInHand(filled = 0) {
  const chain = new Chain()
  const { bench } = chain
  if (filled > 0) chain.fill(filled)
  const filledQuantity = filled as Quantity
  const { clientOrderId, createdMs: timeMs, quantity } = chain.last
  const row = brokerOrder({ clientOrderId, side: 'sell', quantity, timeMs, filledQuantity })
  t.strictSame(taken(bench, chain.ring()), ['1001'])
  bench.input(pushed({ ...row, status: filled > 0 ? 52 : 51 }))
  t.match(chain.last, { status: 'pendingCancel' })
  return { chain, bench, open: { ...row, status: filled > 0 ? 55 : 50 } as BrokerOrder }
}

t.test(
  'F646 a stop whose cancel the exchange refuses is canceled again, and sent anew',
  async (t) => {
    for (const filled of [0, 100]) {
      const { chain, bench, open } = stopInHand(filled)
      t.strictSame(taken(bench, followed(bench, open, doubtSettleMs)), ['1001'])
      t.match(chain.last, { status: 'pendingCancel', isReorderWanted: true })
      const sent = chain.report({
        status: filled > 0 ? 53 : 54,
        filledQuantity: filled as Quantity,
      })
      t.match(commands(sent), [{ kind: 'submit', order: { quantity: 300 - filled } }])
    }
  },
)

t.test('F646 as often as a cancel may be tried; then a person is told', async (t) => {
  const { chain, bench, open } = stopInHand()
  let tries = 1
  for (let i = 0; i < cancelRetriesMax + 2; i++) {
    tries += taken(bench, followed(bench, open, doubtSettleMs)).length
    if (chain.last.status === 'pendingCancel') bench.input(pushed({ ...open, status: 51 }))
  }
  t.equal(tries, cancelRetriesMax)
  t.match(chain.last, { status: 'accepted', venueStatus: 50 })
  t.equal(count(bench, 'orderWarned'), 1)
})

/** What a person canceled is in hand. */
function inHandOfPerson() {
  const { bench, client } = buying()
  t.strictSame(taken(bench, ask(bench)), ['1001'])
  bench.input(pushed({ status: 51 }))
  return { bench, client }
}

t.test('F646 what a person canceled works on, and he is told', async (t) => {
  const { bench, client } = inHandOfPerson()
  client.orders = [OTHER, brokerOrder()]
  t.strictSame(canceled(lookedFor(bench, client)), [])
  t.match(order(bench), { status: 'accepted', venueStatus: 50 })
  t.equal(count(bench, 'orderWarned'), 1)
})

t.test('F646 a push or a list that is late says nothing', async (t) => {
  const { chain, bench, open } = stopInHand()
  for (let i = 0; i < 3; i++) bench.input(pushed(open))
  t.strictSame(canceled(followed(bench, open, doubtSettleMs / 2)), [])
  t.match(chain.last, { status: 'pendingCancel', venueStatus: 51 })
  followed(bench, { ...open, status: 51 }, 0)
  t.strictSame(canceled(followed(bench, open, doubtSettleMs / 2)), [])
  t.match(chain.last, { status: 'pendingCancel', venueStatus: 51 })
  t.strictSame(canceled(followed(bench, { ...open, status: 51 }, 10 * doubtSettleMs)), [])
  t.match(chain.last, { status: 'pendingCancel', venueStatus: 51 })
})

t.test('F662 lists of two connections prove no refusal of a cancel together', async (t) => {
  const { bench, client } = inHandOfPerson()
  client.orders = [OTHER, brokerOrder()]
  look(bench, client) // behind
  driver(bench, { kind: 'disconnected', reason: 'restart' })
  later(bench)
  connect(bench, client, bench.input(timer('reconnect')))
  t.match(order(bench), { status: 'pendingCancel', venueStatus: 51 })
  t.equal(count(bench, 'orderWarned'), 0)
  lookedFor(bench, client)
  t.match(order(bench), { status: 'accepted', venueStatus: 50 })
})

t.test('F663 a list that lacks fills which are known proves no refusal of a cancel', async (t) => {
  const { chain, bench, open } = stopInHand(100)
  const behind: BrokerOrder = { ...open, status: 50, filledQuantity: 0 as Quantity }
  t.strictSame(canceled(followed(bench, behind, 3 * doubtSettleMs)), [])
  t.match(chain.last, { status: 'pendingCancel', venueStatus: 52 })
  t.strictSame(taken(bench, followed(bench, open, doubtSettleMs)), ['1001'])
})

t.test('F664 a clock that is set back puts off no proof that a cancel was refused', async (t) => {
  const { bench, open } = stopInHand()
  followed(bench, open, 0)
  bench.wallMs -= 3_600_000
  t.strictSame(taken(bench, followed(bench, open, 2 * doubtSettleMs)), ['1001'])
})

/** Somebody gives the order another price. */
function changed(bench: Bench): readonly Effect[] {
  const named = { kind: 'amendOrder', orderId: '1001', key: keyOf(77) } as const
  const request = { ...named, requestHash: 'amended', source: 'desk', price: yuan(36.2) } as const
  return bench.input({ kind: 'request', ref: 55, request })
}

t.test('F665 the cancel of a changed order goes on after a start, as was said', async (t) => {
  const { bench, client } = buying()
  t.strictSame(taken(bench, changed(bench)), ['1001'])
  bench.input(pushed({ status: 51 }))
  const next = reborn(bench)
  next.nowMs = bench.nowMs
  next.wallMs = bench.wallMs
  client.orders = [OTHER, brokerOrder({ status: 51 })]
  connect(next, client, next.input({ kind: 'started', incarnation: 2, day: '2026-08-11' }))
  t.strictSame(taken(next, followed(next, brokerOrder(), doubtSettleMs)), ['1001'])
  t.match(order(next), { status: 'pendingCancel' })
  const ended = next.input(pushed({ status: 54 }))
  t.match(commands(ended), [{ kind: 'submit', order: { clientOrderId: keyOf(77) } }])
})

t.test('F666 nor is it forgotten by lists that do not show the order for a while', async (t) => {
  const { bench, client } = buying()
  t.strictSame(taken(bench, changed(bench)), ['1001'])
  bench.input(pushed({ status: 51 }))
  client.orders = [OTHER]
  lookedFor(bench, client)
  t.match(order(bench), { status: 'inDoubt', isCancelWanted: true, venueStatus: 51 })
  client.orders = [OTHER, brokerOrder()]
  const effects = [
    ...lookedFor(bench, client),
    ...followed(bench, brokerOrder(), 2 * doubtSettleMs),
  ]
  t.match(order(bench), { venueStatus: 50 })
  t.strictSame(canceled(effects).slice(0, 1), ['1001'])
})
