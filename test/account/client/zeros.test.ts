import t from 'tap'
import type { Money, Quantity } from '../../../src/domain/money.ts'
import { cashOf, compare, connect, driver, shown, together } from '../client.ts'
import {
  BANK,
  Bench,
  brokerDeal,
  brokerOrder,
  brokerPosition,
  commands,
  KEY,
  policy,
  yuan,
} from '../fixture.ts'
import { count, timer } from '../play.ts'

const { doubtSettleMs, missingConfirmations } = policy.limits
const NOTHING = { orders: [], deals: [], positions: [], asset: cashOf(0) }

t.test('F384 zeros and empty lists of a client without a login take nothing away', async (t) => {
  const { bench, client } = together()
  bench.input({
    kind: 'request',
    ref: 1,
    request: {
      source: 'test',
      kind: 'updateHolding',
      code: '600036',
      profitTriggered: true,
    } as never,
  })
  Object.assign(client, NOTHING)
  for (let i = 0; i < 20 * missingConfirmations; i++) {
    client.answer(bench, commands(bench.input(timer('poll'))))
  }
  t.match(
    bench.state.positions.get(BANK),
    { profitTriggered: true },
    'it was closed, and begun anew',
  )
  t.match(bench.state.connection, { phase: 'disconnected', lastFailure: /尚未登录/ })
  t.equal(bench.state.asset?.available, cashOf(1_000_000).available, 'nor is the cash gone')
  // It lets us in, and tells the same.
  connect(bench, client, bench.input(timer('reconnect')))
  t.match(bench.state.connection, { phase: 'disconnected', lastFailure: /account_type/ })
  t.notOk(bench.state.isReady)
  Object.assign(client, { positions: [brokerPosition()], asset: cashOf(1_000_000) })
  connect(bench, client, bench.input(timer('reconnect')))
  t.ok(bench.state.isReady)
  t.match([...bench.state.positions.values()], [{ code: BANK, profitTriggered: true }])
})

t.test('F384 nor is an order gone that such a client does not list', async (t) => {
  const { bench, client } = together()
  bench.place({ side: 'sell', quantity: 300 })
  const row = brokerOrder({ side: 'sell', quantity: 300 as Quantity })
  driver(bench, { kind: 'orderPushed', order: row })
  Object.assign(client, NOTHING)
  const look = (name: 'reconcile' | 'doubt' | 'reconnect') => {
    bench.nowMs += doubtSettleMs
    bench.wallMs += doubtSettleMs
    const effects = bench.input(timer(name))
    if (name === 'reconnect') connect(bench, client, effects)
    else client.answer(bench, commands(effects))
  }
  for (let i = 0; i < 10; i++)
    for (const name of ['reconcile', 'doubt', 'reconnect'] as const) look(name)
  t.match(bench.state.orders.get(KEY), { status: 'accepted', orderId: '1001' })
  Object.assign(client, { orders: [row], positions: [brokerPosition()], asset: cashOf(1_000_000) })
  look('reconnect')
  t.ok(bench.state.isReady)
  t.match(bench.state.orders.get(KEY), { status: 'accepted', orderId: '1001' })
})

t.test('F384 zeros that are pushed are no cash, and have the reports compared soon', async (t) => {
  const { bench } = together()
  const effects = driver(bench, { kind: 'assetPushed', asset: cashOf(0) })
  t.match(effects, [{ kind: 'timer', name: 'reconcile' }])
  t.equal(bench.state.asset?.available, cashOf(1_000_000).available)
})

t.test('zeros of an account that is empty are believed', async (t) => {
  const { bench, client } = together()
  driver(bench, {
    kind: 'positionPushed',
    position: brokerPosition({ quantity: 0 as Quantity, sellable: 0 as Quantity }),
  })
  Object.assign(client, NOTHING)
  client.answer(bench, commands(bench.input(timer('ping'))))
  t.ok(bench.state.isReady)
  t.equal(bench.state.asset?.available, 0 as Money, 'all of it was taken to the bank')
  const fresh = new Bench()
  connect(fresh, client, fresh.input({ kind: 'started', incarnation: 1, day: '2026-08-11' }))
  t.ok(fresh.state.isReady, 'and one that nobody has used yet begins')
})

t.test('zeros beside holdings are those of a client that tells no totals', async (t) => {
  const { bench, client } = together()
  client.asset = cashOf(0)
  connect(bench, client, [
    ...client.answer(bench, commands(bench.input(timer('ping')))),
    ...bench.input(timer('reconnect')),
  ])
  t.ok(bench.state.isReady, 'the cash is spent to the last cent')
  for (let i = 0; i < 3; i++) client.answer(bench, commands(bench.input(timer('ping'))))
  t.ok(bench.state.isReady)
  t.equal(count(bench, 'disconnected'), 1, 'once')
})

t.test('F407 an empty list beside a market value of what is held takes nothing away', async (t) => {
  const { bench, client } = together()
  const held = { ...cashOf(1_000_000), marketValue: (yuan(36) * 1_000) as Money }
  const poll = () => client.answer(bench, commands(bench.input(timer('poll'))))
  client.asset = held
  poll()
  client.positions = []
  for (let i = 0; i < 20 * missingConfirmations; i++) poll()
  t.ok(bench.state.positions.has(BANK), 'it was closed, and would have been begun anew')
  client.asset = { ...held, marketValue: yuan(5_000) as number as Money }
  for (let i = 0; i < missingConfirmations + 1; i++) poll()
  t.notOk(bench.state.positions.has(BANK), 'sold elsewhere: what is left is worth too little')
})

t.test(
  'an empty list that lasts is believed: what it denies is in no list, for good',
  async (t) => {
    const { bench, client } = together()
    client.asset = { ...cashOf(1_000_000), marketValue: (yuan(36) * 1_000) as Money }
    const poll = () => client.answer(bench, commands(bench.input(timer('poll'))))
    poll()
    client.positions = []
    for (let i = 0; i < 100 * missingConfirmations - 1; i++) poll()
    t.ok(bench.state.positions.has(BANK), 'for most of an hour')
    poll()
    t.notOk(bench.state.positions.has(BANK), 'no comparison would ever succeed again')
    compare(bench, client)
    t.equal(shown(bench).result, 'ok')
  },
)

t.test('one market value that is told too low takes nothing away either', async (t) => {
  const { bench, client } = together()
  const poll = () => client.answer(bench, commands(bench.input(timer('poll'))))
  const held = { ...cashOf(1_000_000), marketValue: (yuan(36) * 1_000) as Money }
  client.asset = held
  poll()
  client.positions = []
  for (let i = 0; i < 10 * missingConfirmations; i++) poll()
  client.asset = cashOf(1_000_000)
  poll()
  client.asset = held
  for (let i = 0; i < missingConfirmations; i++) poll()
  t.ok(bench.state.positions.has(BANK))
})

t.test('what our own deals have sold is gone, whatever the market value still is', async (t) => {
  const { bench, client } = together()
  client.asset = { ...cashOf(1_000_000), marketValue: (yuan(36) * 1_000) as Money }
  client.answer(bench, commands(bench.input(timer('poll'))))
  bench.place({ side: 'sell', quantity: 1_000 })
  const sold = { side: 'sell', quantity: 1_000 as Quantity } as const
  const row = brokerOrder({ ...sold, status: 56, filledQuantity: 1_000 as Quantity })
  driver(bench, { kind: 'orderPushed', order: row })
  driver(bench, { kind: 'dealPushed', deal: brokerDeal(sold) })
  Object.assign(client, { positions: [], orders: [row], deals: [brokerDeal(sold)] })
  for (let i = 0; i < missingConfirmations; i++) {
    client.answer(bench, commands(bench.input(timer('poll'))))
  }
  t.notOk(bench.state.positions.has(BANK))
})
