import t from 'tap'
import { sharesLeft } from '../../../src/account/orders/available.ts'
import type { Quantity } from '../../../src/domain/money.ts'
import type { BrokerOrder } from '../../../src/domain/order.ts'
import { type Client, driver, together } from '../client.ts'
import {
  BANK,
  type Bench,
  brokerDeal,
  brokerOrder,
  brokerPosition,
  commands,
  policy,
  refusals,
  set,
} from '../fixture.ts'
import { count, timer } from '../play.ts'

const ROW = 'row:600036.SH:sell:1786413600000:300:365000'
/** Placed by telephone: neither remark nor number. */
const PHONE = brokerOrder({
  clientOrderId: '',
  strategy: '',
  orderId: ROW,
  side: 'sell',
  quantity: 300 as Quantity,
})
const held = (sellable: number) => brokerPosition({ sellable: sellable as Quantity })

function listed(orderId: string, sellable = 1_000): { bench: Bench; client: Client } {
  const { bench, client } = together()
  client.orders = [{ ...PHONE, orderId }]
  client.positions = [held(sellable)]
  client.answer(bench, commands(bench.input(timer('reconcile'))))
  return { bench, client }
}

const cancel = (bench: Bench, orderId: string) =>
  bench.input({ kind: 'request', ref: 9, request: { kind: 'cancelOrder', orderId, source: 'api' } })
const only = (bench: Bench) => [...bench.state.orders.values()][0]

t.test(
  'an order without number or remark is somebody else’s, once, and stays the same',
  async (t) => {
    for (const orderId of [ROW, 'sysid:9001']) {
      const { bench, client } = listed(orderId)
      client.answer(bench, commands(bench.input(timer('reconcile'))))
      t.match(only(bench), { strategy: 'external', orderId, status: 'accepted' })
      t.equal(count(bench, 'orderAdopted'), 1)
      const deal = brokerDeal({
        orderId,
        clientOrderId: '',
        side: 'sell',
        quantity: 300 as Quantity,
      })
      driver(bench, { kind: 'dealPushed', deal })
      t.match(only(bench), { status: 'filled' })
    }
  },
)

t.test(
  'its shares are taken off what may be sold, once, whether the client has done so or not',
  async (t) => {
    for (const sellable of [1_000, 700]) {
      const { bench, client } = listed(ROW, sellable)
      t.ok(sharesLeft(bench.state, BANK).free <= 700, `listed ${sellable}`)
      bench.wallMs += policy.limits.holdingsLagMs
      bench.nowMs += policy.limits.holdingsLagMs
      client.answer(bench, commands(bench.input(timer('poll'))))
      t.equal(sharesLeft(bench.state, BANK).free, 700, `listed ${sellable}`)
    }
  },
)

t.test('one with the number of the counter is canceled by it', async (t) => {
  const { bench } = listed('sysid:9001')
  t.match(commands(cancel(bench, 'sysid:9001')), [{ kind: 'cancel', orderId: 'sysid:9001' }])
})

t.test('one without any is not: the answer says where it can be', async (t) => {
  const { bench } = listed(ROW)
  const effects = cancel(bench, ROW)
  t.strictSame(refusals(effects), ['CONFLICT'])
  t.strictSame(commands(effects), [])
  t.equal(count(bench, 'orderMoved'), 0)
  const switched = set(bench, 'cancel_all')
  t.strictSame(
    commands(switched).filter(({ kind }) => kind === 'cancel'),
    [],
  )
  t.notMatch(switched, [{ kind: 'timer', name: 'cancelAll' }])
})

t.test(
  'what shows the terms of an order of ours in doubt is not adopted before that is decided',
  async (t) => {
    const { bench, client } = together()
    const [submit] = commands(bench.place({ side: 'sell', quantity: 300 }))
    bench.input({ kind: 'callTimedOut', callId: submit?.callId ?? 0 })
    const row: BrokerOrder = PHONE
    client.orders = [row]
    client.answer(bench, commands(bench.input(timer('reconcile'))))
    t.equal(count(bench, 'orderAdopted'), 0)
  },
)
