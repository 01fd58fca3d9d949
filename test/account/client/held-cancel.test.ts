import t from 'tap'
import type { AccountLimits } from '../../../src/account/model/policy.ts'
import type { Effect } from '../../../src/account/turn/turn.ts'
import type { Quantity } from '../../../src/domain/money.ts'
import { type Client, connect, driver, together } from '../client.ts'
import { type Bench, brokerOrder, commands, KEY, policy, replies, set } from '../fixture.ts'
import { accepted, count, placed, reborn, timer } from '../play.ts'
import { ask, canceled, lookedFor, Silent, startedAnew, THEIRS } from './fixtures/canceling.ts'
import { buying, later, look, NEW, OLD, OTHER, order } from './fixtures/restarted.ts'

// A cancel is held until a list says which number its order has. What may happen to it meanwhile.

/** A second order of ours. */
const SECOND = '01ARZ3NDEKTSV4RRFFQ69G5FAW'
const TWO = brokerOrder({ orderId: '1002', clientOrderId: SECOND, quantity: 300 as Quantity })
const TRIES = policy.limits.cancelRetriesMax

/** The client was started anew, and its first lists are these. A cancel is asked for before them. */
function held(bench: Bench, client: Client, ids: readonly string[] = [KEY]): readonly Effect[] {
  const lists = startedAnew(bench)
  for (const id of ids) t.strictSame(canceled(ask(bench, id)), [])
  return client.answer(bench, commands(lists))
}

/** The timer of the cancels, with the list that it asks for. */
function followed(bench: Bench, client: Client): readonly Effect[] {
  bench.wallMs += policy.limits.cancelRetryIntervalMs
  return client.answer(bench, commands(bench.input(timer('cancels'))))
}

function bornAgain(bench: Bench, client: Client, limits: Partial<AccountLimits> = {}): Bench {
  const next = reborn(bench, limits)
  connect(next, client, next.input({ kind: 'started', incarnation: 2, day: '2026-08-11' }))
  return next
}

/** Both of ours are open, as 1001 and 1002. */
function buyingTwice() {
  const { bench, client } = buying()
  const [submit] = commands(bench.place({ key: SECOND, quantity: 300 }))
  bench.input(accepted(submit?.callId ?? 0, TWO.orderId, SECOND))
  client.orders = [OTHER, OLD, TWO]
  later(bench)
  look(bench, client)
  return { bench, client }
}

t.test('F538 it goes by no number at all while another order of ours has its own', async (t) => {
  const { bench, client } = buyingTwice()
  const second = () => bench.state.orders.get(SECOND)
  // The first has the number of the second, which is not listed yet.
  client.orders = [OTHER, { ...OLD, orderId: '1002' }]
  const effects = [...held(bench, client, [SECOND]), ...lookedFor(bench, client)]
  for (let i = 0; i < TRIES; i++) effects.push(...followed(bench, client))
  t.match([order(bench), second()], [{ orderId: '1002' }, { orderId: 'taken:1002' }])
  t.strictSame(canceled(effects), [])
  client.orders = [...client.orders, { ...TWO, orderId: '1003' }]
  t.strictSame(canceled(lookedFor(bench, client)), ['1003'])
  t.match(second(), { orderId: '1003', status: 'pendingCancel' })
})

t.test(
  'F539 an order that is looked for when its account starts anew is canceled once found',
  async (t) => {
    for (const isAskedBefore of [true, false]) {
      const { bench, client } = buying()
      client.orders = [OTHER, THEIRS]
      held(bench, client, isAskedBefore ? [KEY] : [])
      lookedFor(bench, client)
      t.match(order(bench), { status: 'inDoubt', orderId: OLD.orderId })
      if (!isAskedBefore) t.strictSame(canceled(ask(bench)), [])
      const next = bornAgain(bench, client)
      client.orders = [OTHER, THEIRS, NEW]
      const found = [...lookedFor(next, client), ...followed(next, client)]
      t.strictSame(canceled(found), [NEW.orderId])
      t.match(order(next), { orderId: NEW.orderId, status: 'pendingCancel' })
    }
  },
)

t.test(
  'F581 what was refused while an order was missing says nothing of it once found',
  async (t) => {
    const { bench, client } = buying()
    ask(bench)
    client.orders = [OTHER]
    lookedFor(bench, client)
    t.equal(order(bench)?.status, 'inDoubt')
    bench.state.calls.clear()
    bench.state.cancels.clear()
    bench.state.cancelsGivenUp.add(KEY) // refused as often as it may be: no such order
    client.orders = [OTHER, OLD]
    const found = [...look(bench, client), ...followed(bench, client)]
    t.strictSame(canceled(found), [OLD.orderId], 'as a later life of the account would')
  },
)

t.test('F583 so is one that was canceled by its number while it was looked for', async (t) => {
  const { bench, client } = buying()
  client.orders = [OTHER]
  lookedFor(bench, client)
  t.equal(order(bench)?.status, 'inDoubt')
  t.strictSame(canceled(ask(bench)), [OLD.orderId], 'this connection has said the number')
  const next = bornAgain(bench, client)
  client.orders = [OTHER, OLD] // it came to nothing: the client had lost sight of the order
  const found = [...lookedFor(next, client), ...followed(next, client)]
  t.ok(canceled(found).includes(OLD.orderId))
  t.match(order(next), { status: 'pendingCancel' })
})

t.test('F540 refused to a later life, it is tried again, and then a person is told', async (t) => {
  const { bench, client } = buying()
  held(bench, new Silent())
  const next = bornAgain(bench, client)
  const sent: string[] = []
  for (let i = 0; i < TRIES + 1; i++) {
    for (const command of commands(followed(next, client))) {
      if (command.kind !== 'cancel') continue
      sent.push(command.orderId)
      const result = { ok: false, error: { code: 'FAILED', message: 'not now' } } as const
      driver(next, { ...command, kind: 'cancelAnswered', result })
    }
  }
  t.strictSame(sent, Array(TRIES).fill(OLD.orderId))
  t.equal(count(next, 'orderWarned'), 1)
  t.equal(order(next)?.status, 'accepted')
})

t.test('F541 a number that a list bears for what no row tells is nobody’s of ours', async (t) => {
  const { bench, client } = buying()
  client.orders = [OTHER, NEW]
  client.otherNumbers = [OLD.orderId]
  t.strictSame(canceled(held(bench, client)), [])
  t.strictSame(canceled(lookedFor(bench, client)), [NEW.orderId])
  const open = buying()
  open.client.orders = [OTHER]
  open.client.otherNumbers = [OLD.orderId]
  look(open.bench, open.client)
  t.strictSame(canceled(ask(open.bench)), [], 'nor where this connection has said it before')
})

t.test('F541 nor what a row may have that cannot be read; a person is told so, once', async (t) => {
  const { bench, client } = buying()
  client.orders = [OTHER]
  client.leftOut.set('orders', ['委托: order_id (UnicodeDecodeError)'])
  const effects = [...held(bench, client), ...lookedFor(bench, client), ...followed(bench, client)]
  t.strictSame(canceled(effects), [])
  t.match(
    bench.journal.filter(({ event }) => event.kind === 'orderWarned'),
    [{ event: { clientOrderId: KEY, text: /请在交易终端撤单/ } }],
  )
  client.leftOut.clear()
  client.orders = [OTHER, OLD]
  t.strictSame(canceled(followed(bench, client)), [OLD.orderId])
})

t.test('F570 nor is a person left without a word when the kill switch waits for it', async (t) => {
  const { bench, client } = buying()
  client.orders = [OTHER]
  client.leftOut.set('orders', ['委托: order_id (UnicodeDecodeError)'])
  driver(bench, { kind: 'disconnected', reason: 'restart' })
  set(bench, 'cancel_all')
  connect(bench, client, bench.input(timer('reconnect')))
  const effects = [...lookedFor(bench, client), ...followed(bench, client)]
  t.notOk(canceled(effects).includes(OLD.orderId))
  t.match(
    bench.journal.filter(({ event }) => event.kind === 'orderWarned'),
    [{ event: { clientOrderId: KEY, text: /请在交易终端撤单/ } }],
    'once',
  )
})

t.test(
  'F541 an unread row takes no number that this connection has shown as its own',
  async (t) => {
    const { bench, client } = buying()
    client.orders = [OTHER]
    client.leftOut.set('orders', ['委托: order_id (UnicodeDecodeError)'])
    look(bench, client)
    t.strictSame(canceled(ask(bench)), [OLD.orderId])
  },
)

t.test('F542 however long it is held, that is written down once', async (t) => {
  const { bench, client } = buying()
  client.orders = [OTHER, THEIRS]
  held(bench, client)
  lookedFor(bench, client)
  t.equal(order(bench)?.status, 'inDoubt')
  const before = bench.journal.length
  for (let i = 0; i < 10; i++) followed(bench, client)
  t.equal(bench.journal.length, before)
})

t.test('F543 what is held takes no place from what can be canceled', async (t) => {
  const { bench, client } = buyingTwice()
  client.orders = [OTHER, THEIRS, TWO]
  held(bench, new Silent(), [KEY, SECOND])
  const next = bornAgain(bench, client, { cancelsAtOnceMax: 1 })
  t.strictSame(canceled(followed(next, client)), [TWO.orderId])
})

t.test('F580 nothing waits for the number of an order that outlived its day', async (t) => {
  const { bench, client } = together()
  const callId = placed(bench)
  bench.input({ kind: 'callTimedOut', callId })
  bench.input({ kind: 'dayOpened', day: '2026-08-12' })
  // A late answer: it is open, and no list of today will ever have it.
  bench.input(accepted(callId))
  const asked = ask(bench)
  t.strictSame(canceled([...asked, ...followed(bench, client)]), [])
  t.match(replies(asked), [{ result: -1, message: /之前的交易日/ }])
  t.match(order(bench), { orderId: '1001', status: 'accepted' })
  t.equal(count(bench, 'orderWarned'), 1, 'a person hears of it')
})
