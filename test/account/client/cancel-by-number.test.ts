import t from 'tap'
import type { Effect } from '../../../src/account/turn/turn.ts'
import { inBoth } from '../../../src/domain/in-both.ts'
import type { BrokerOrder } from '../../../src/domain/order.ts'
import type { Client } from '../client.ts'
import { type Bench, brokerOrder, commands, KEY, refusals, replies, set } from '../fixture.ts'
import { timer } from '../play.ts'
import { ask, canceled, lookedFor, startedAnew, THEIRS } from './fixtures/canceling.ts'
import { buying, look, NEW, OLD, OTHER, order } from './fixtures/restarted.ts'

// A cancel names its order by a number. A client that was started anew may have given that number to somebody else's.

/** The orders come with the other three. */
function listed(bench: Bench, client: Client, effects: readonly Effect[], rows: BrokerOrder[]) {
  client.orders = rows
  return client.answer(bench, commands(effects))
}

t.test(
  'F535 a cancel on a new connection waits until the number is listed as its own',
  async (t) => {
    const { bench, client } = buying()
    const connected = startedAnew(bench)
    const asked = ask(bench)
    t.strictSame(canceled(asked), [])
    t.match(
      replies(asked),
      [{ result: 0, orderId: OLD.orderId }],
      'and whoever asked need not wait',
    )
    t.equal(order(bench)?.status, 'pendingCancel')
    t.strictSame(canceled(listed(bench, client, connected, [OTHER, OLD])), [OLD.orderId])
  },
)

t.test(
  'F535 it goes to no order that has the number by then, and to its own once found',
  async (t) => {
    const { bench, client } = buying()
    const connected = startedAnew(bench)
    ask(bench)
    t.strictSame(canceled(listed(bench, client, connected, [THEIRS, NEW])), [])
    t.strictSame(canceled(ask(bench)), [], 'nor when it is asked for again')
    t.strictSame(canceled(lookedFor(bench, client)), [NEW.orderId])
    t.match(order(bench), { orderId: NEW.orderId, status: 'pendingCancel' })
  },
)

t.test('F535 nor does a cancel that nobody asks for one by one', async (t) => {
  const { bench, client } = buying()
  const connected = startedAnew(bench)
  t.strictSame(canceled(set(bench, 'cancel_all')), [])
  const theirs = listed(bench, client, connected, [OTHER, THEIRS, NEW])
  t.strictSame(canceled(theirs), [OTHER.orderId, THEIRS.orderId], 'those that the list shows')
  t.ok(canceled(lookedFor(bench, client)).includes(NEW.orderId))
})

t.test(
  'F535 a number that the list lacks is its own where this connection has said so',
  async (t) => {
    const { bench, client } = buying()
    client.orders = [OTHER]
    look(bench, client)
    t.strictSame(canceled(ask(bench)), [OLD.orderId], 'lists are late, and short')
  },
)

t.test('F535 and where it has not, it may be in a list that was short', async (t) => {
  const { bench, client } = buying()
  listed(bench, client, startedAnew(bench), [OTHER])
  t.strictSame(canceled(ask(bench)), [])
  client.orders = [OTHER, OLD]
  t.strictSame(canceled(look(bench, client)), [OLD.orderId])
})

t.test('F535 what waited for a list and has ended in it is canceled no more', async (t) => {
  const { bench, client } = buying()
  const connected = startedAnew(bench)
  ask(bench)
  const ended = brokerOrder({ status: 54 })
  t.strictSame(canceled(listed(bench, client, connected, [OTHER, ended])), [])
  t.strictSame(canceled(client.answer(bench, commands(bench.input(timer('cancels'))))), [])
  t.equal(order(bench)?.status, 'canceled')
})

t.test('F535 a number that two open orders have names neither of them', async (t) => {
  const { bench, client } = buying()
  listed(bench, client, startedAnew(bench), [THEIRS, NEW])
  const asked = ask(bench, OLD.orderId)
  t.strictSame(canceled(asked), [])
  t.strictSame(refusals(asked), ['CONFLICT'])
  t.equal(order(bench)?.status, 'accepted')
  const theirs = 'external-2026-08-11-1001'
  t.strictSame(canceled(ask(bench, theirs)), [OLD.orderId], 'each is canceled by its own name')
})

const found = (bench: Bench, id: string) =>
  bench.input({ kind: 'request', ref: 8, request: { kind: 'findOrder', id } })

t.test(
  'F576 whoever names such a number is told the name of each, in both languages',
  async (t) => {
    const { bench, client } = buying()
    listed(bench, client, startedAnew(bench), [THEIRS, NEW])
    for (const asked of [ask(bench, OLD.orderId), found(bench, OLD.orderId)]) {
      const [said] = asked.flatMap((effect) => (effect.kind === 'refuse' ? [effect.error] : []))
      t.equal(said?.code, 'CONFLICT')
      const { zh, en } = inBoth(said?.message ?? '')
      for (const text of [zh, en]) {
        t.match(text, new RegExp(`${KEY} 600036.SH`))
        t.match(text, /external-2026-08-11-1001 000001.SZ/)
      }
    }
  },
)

t.test(
  'F577 a number tells of the open order that has it, not of one that has ended',
  async (t) => {
    const { bench, client } = buying()
    const ended = { ...THEIRS, status: 54 } as const
    listed(bench, client, startedAnew(bench), [OLD, ended])
    t.match(bench.state.orders.get('external-2026-08-11-1001'), { status: 'canceled' })
    t.match(replies(found(bench, OLD.orderId)), [{ answer: { clientOrderId: KEY } }])
    t.strictSame(canceled(ask(bench, OLD.orderId)), [OLD.orderId], 'the one that a cancel is for')
  },
)
