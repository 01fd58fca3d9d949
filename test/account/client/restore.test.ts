import t from 'tap'
import { withKeys } from '../../../actors/account/keys.ts'
import { isUnconfirmed } from '../../../src/account/model/restore.ts'
import { emptyState } from '../../../src/account/model/state.ts'
import type { Quantity } from '../../../src/domain/money.ts'
import { Client, connect, found, shown } from '../client.ts'
import {
  BANK,
  Bench,
  brokerDeal,
  brokerOrder,
  brokerPosition,
  commands,
  driver,
  KEY,
  keyOf,
  MORNING_MS,
  ORDER,
  policy,
  push,
  quote,
  refusals,
  replies,
  yuan,
} from '../fixture.ts'

const RESTORED = { mark: 'epoch 8', fromEpoch: 2, clientEpoch: 7 }
const DAY = '2026-08-11'

/** Books from before the orders that the client lists. */
function older(client: Client, restored: typeof RESTORED | null = null): Bench {
  const bench = new Bench()
  connect(bench, client, bench.input({ kind: 'started', incarnation: 2, day: DAY, restored }))
  return bench
}

/** A person has seen what was found. */
const confirm = (bench: Bench) =>
  bench.input({
    kind: 'request',
    ref: 77,
    request: { kind: 'confirmRestore', mark: RESTORED.mark, source: 'operator' },
  })

const listing = (...orders: ReturnType<typeof brokerOrder>[]): Client => {
  const client = new Client()
  client.orders = orders
  return client
}

t.test('a listed order that bears an id of ours is ours, and keeps the id', async (t) => {
  const bench = older(
    listing(
      brokerOrder({ strategy: 'stop_loss' }),
      brokerOrder({ orderId: '77', clientOrderId: '' }),
    ),
  )
  t.match(bench.state.orders.get(KEY), {
    orderId: '1001',
    strategy: 'stop_loss',
    isRecovered: true,
    status: 'accepted',
  })
  t.equal(bench.state.orders.get('external-2026-08-11-77')?.strategy, 'external')
  t.equal(bench.state.orders.size, 2)
})

t.test('it is called recovered where the client knows no strategy of ours', async (t) => {
  const bench = older(listing(brokerOrder({ strategy: 'somebody' })))
  t.equal(bench.state.orders.get(KEY)?.strategy, 'recovered')
})

t.test('an order that is pushed with such an id is ours too, with its deals', async (t) => {
  const bench = older(new Client())
  driver(bench, { kind: 'dealPushed', deal: brokerDeal({ quantity: 40 as Quantity }) })
  push(bench, { status: 55, filledQuantity: 40 as Quantity })
  t.match(bench.state.orders.get(KEY), { filledQuantity: 40, status: 'partiallyFilled' })
})

t.test('fills that were told under the number it had before are its fills', async (t) => {
  const part = brokerDeal({ quantity: 40 as Quantity })
  const row = brokerOrder({ orderId: '2001', status: 55, filledQuantity: 40 as Quantity })
  for (const restored of [null, RESTORED]) {
    const bench = older(new Client(), restored)
    driver(bench, { kind: 'dealPushed', deal: part })
    driver(bench, { kind: 'disconnected', reason: 'started anew' })
    const client = listing(row)
    client.deals = [{ ...part, orderId: '2001' }]
    connect(bench, client, bench.input({ kind: 'timer', name: 'reconnect' }))
    client.answer(bench, commands(bench.input({ kind: 'timer', name: 'recover' })))
    t.match(bench.state.orders.get(KEY), { filledQuantity: 40, status: 'partiallyFilled' })
    t.equal(bench.state.deals.size, 1)
  }
})

t.test('F327 fills of an order of ours that had its number are not its fills', async (t) => {
  const bench = new Bench().ready()
  bench.place()
  push(bench, {})
  const filled = brokerDeal({ quantity: 100 as Quantity })
  driver(bench, { kind: 'dealPushed', deal: filled })
  driver(bench, { kind: 'disconnected', reason: 'started anew' })
  const lost = { clientOrderId: keyOf(9), filledQuantity: 40 as Quantity, status: 55 } as const
  const all = { orderId: '77', status: 56, filledQuantity: 100 as Quantity } as const
  const client = listing(brokerOrder(all), brokerOrder(lost))
  client.deals = [
    { ...filled, orderId: '77' },
    brokerDeal({ dealId: 'd2', clientOrderId: keyOf(9), quantity: 40 as Quantity }),
  ]
  connect(bench, client, bench.input({ kind: 'timer', name: 'reconnect' }))
  t.match(bench.state.orders.get(KEY), { orderId: '77', filledQuantity: 100, status: 'filled' })
  const found = { orderId: '1001', filledQuantity: 40, status: 'partiallyFilled' }
  t.match(bench.state.orders.get(keyOf(9)), found)
})

t.test('F327 nor is what is told of it first news of the one that had its number', async (t) => {
  const bench = new Bench().ready()
  bench.place()
  push(bench, {})
  const lost = { clientOrderId: keyOf(9), filledQuantity: 40 as Quantity, status: 55 } as const
  const part = { clientOrderId: keyOf(9), quantity: 40 as Quantity }
  driver(bench, { kind: 'dealPushed', deal: brokerDeal(part) })
  push(bench, lost)
  t.match(bench.state.orders.get(KEY), { orderId: '1001', filledQuantity: 0, status: 'accepted' })
  const client = listing(brokerOrder({ orderId: '77' }), brokerOrder(lost))
  client.deals = [brokerDeal(part)]
  const asked = bench.input({ kind: 'timer', name: 'reconcile' })
  client.answer(bench, commands(asked))
  t.match(bench.state.orders.get(KEY), { orderId: '77', filledQuantity: 0, status: 'accepted' })
  const found = { orderId: '1001', filledQuantity: 40, status: 'partiallyFilled' }
  t.match(bench.state.orders.get(keyOf(9)), found)
})

t.test('fills of somebody’s copy of an order that is found again are not its fills', async (t) => {
  const bench = older(new Client())
  const theirs = { orderId: '1002', quantity: 40 as Quantity }
  driver(bench, { kind: 'dealPushed', deal: brokerDeal(theirs) })
  driver(bench, { kind: 'disconnected', reason: 'started anew' })
  const filled = { filledQuantity: 40 as Quantity, status: 55 } as const
  const client = listing(brokerOrder(filled), brokerOrder({ orderId: '1002', ...filled }))
  client.deals = [brokerDeal({ ...theirs })]
  connect(bench, client, bench.input({ kind: 'timer', name: 'reconnect' }))
  t.match(bench.state.orders.get(KEY), { orderId: '1001', filledQuantity: 0 })
  t.match(bench.state.orders.get('external-2026-08-11-1002'), { filledQuantity: 40 })
})

t.test(
  'a remark that another number bears was copied: that order is somebody else’s',
  async (t) => {
    const bench = older(listing(brokerOrder(), brokerOrder({ orderId: '1002' })))
    t.equal(bench.state.orders.get(KEY)?.orderId, '1001')
    t.equal(bench.state.orders.get('external-2026-08-11-1002')?.strategy, 'external')
  },
)

t.test('the same key means that order, and nothing is sent', async (t) => {
  const bench = older(listing(brokerOrder()))
  const effects = bench.place()
  t.strictSame(commands(effects), [])
  t.match(replies(effects), [{ clientOrderId: KEY, orderId: '1001', replayed: true }])
})

t.test('the same key with other terms is a conflict', async (t) => {
  const bench = older(listing(brokerOrder()))
  for (const other of [
    { side: 'sell' as const },
    { quantity: 200 },
    { price: 360_000 },
    { code: '000001.SZ' },
  ]) {
    const effects = bench.place({ ...other, requestHash: 'h2' })
    t.strictSame(refusals(effects), ['IDEMPOTENCY_MISMATCH'], JSON.stringify(other))
    t.strictSame(commands(effects), [])
  }
})

t.test('a sale of a part knows its order by stock and side', async (t) => {
  const client = listing(brokerOrder({ side: 'sell', quantity: 300 as Quantity, priceType: 5 }))
  const bench = older(client)
  const sale = { kind: 'executeSell', key: KEY, requestHash: 'h1', code: BANK, ratio: 0.3 } as const
  const rest = { priceType: 5, price: 0, source: 'test' }
  const effects = bench.input({ kind: 'request', ref: 9, request: { ...sale, ...rest } })
  t.strictSame(commands(effects), [])
  t.match(replies(effects), [{ orders: [{ orderId: '1001', replayed: true }] }])
})

t.test('a purchase of several stocks buys none of them again, nor the rest', async (t) => {
  const bench = older(listing(brokerOrder({ clientOrderId: keyOf(1) })))
  bench.quotes.set(BANK, quote(36, bench.nowMs))
  const effects = bench.input({
    kind: 'request',
    ref: 9,
    request: {
      kind: 'executeBuy',
      key: keyOf(0),
      keys: [keyOf(1), keyOf(2)],
      requestHash: 'h1',
      strategy: 'custom_stock',
      count: 2,
      codes: [BANK, BANK],
      source: 'test',
    },
  })
  t.strictSame(commands(effects), [])
  t.match(replies(effects), [{ successCount: 1, totalCount: 2, message: /未再提交/ }])
})

t.test('where remarks are cut, the end of the id is enough for the key', async (t) => {
  const tail = KEY.slice(-20)
  for (const restored of [null, RESTORED]) {
    const bench = older(listing(brokerOrder({ clientOrderId: tail })), restored)
    const effects = bench.place()
    t.strictSame(commands(effects), [])
    t.match(replies(effects), [{ orderId: '1001', replayed: true }])
    const { strategy } = [...bench.state.orders.values()][0] ?? {}
    t.equal(strategy, restored === null ? 'external' : 'manual')
  }
})

t.test('a restore is said, and nothing leaves before four reports were compared', async (t) => {
  const client = listing(brokerOrder())
  client.positions = [brokerPosition({ quantity: 700 as Quantity, sellable: 700 as Quantity })]
  client.broken.set('deals', 'busy')
  const bench = new Bench()
  const started = bench.input({
    kind: 'started',
    incarnation: 2,
    day: DAY,
    restored: RESTORED,
  })
  t.match(shown(bench), { restore: { compared: null, epoch: 2, client_epoch: 7 } })
  connect(bench, client, started)
  t.strictSame(refusals(bench.place({ key: keyOf(5) })).length, 1, 'held')
  client.broken.clear()
  connect(bench, client, bench.input({ kind: 'timer', name: 'reconnect' }))
  t.match(shown(bench), {
    result: 'differences',
    last_run: { cause: 'restore' },
    restore: { compared: '2026-08-11 10:00:00' },
  })
  t.match(found(bench), [{ key: '1001', resolution: 'recovered' }, { kind: 'position' }])
  confirm(bench)
  t.equal(commands(bench.place({ key: keyOf(6) })).length, 1, 'free again')
  const kinds = bench.journal.map(({ event }) => event.kind)
  t.ok(kinds.includes('restoreFound') && kinds.includes('restoreCompared'))
})

t.test('after a restore nothing is compared while an order may still arrive', async (t) => {
  const client = listing()
  client.standing = 'a call stands in the library'
  const bench = older(client, RESTORED)
  t.equal(bench.state.isReady, false)
  t.strictSame(refusals(bench.place()).length, 1, 'held')
  // The order that was sent after the backup arrives, and only then do the lists count.
  client.orders = [brokerOrder()]
  client.standing = ''
  client.answer(bench, commands(bench.input({ kind: 'timer', name: 'recover' })))
  t.equal(bench.state.isReady, true)
  const again = bench.place()
  t.match(replies(again), [{ orderId: '1001', replayed: true }])
  t.strictSame(commands(again), [], 'it is not sent again')
})

t.test(
  'an empty report where the books have rows is asked for again, held meanwhile',
  async (t) => {
    const state = emptyState(policy)
    const bench = new Bench(state).ready([brokerPosition()])
    const again = new Bench(state)
    state.connection = { ...state.connection, phase: 'disconnected' }
    const client = new Client()
    client.positions = []
    const started = { kind: 'started', incarnation: 3, day: DAY, restored: RESTORED } as const
    connect(again, client, again.input(started))
    t.equal(state.isReady, false)
    client.positions = [brokerPosition()]
    client.answer(again, commands(again.input({ kind: 'timer', name: 'recover' })))
    t.equal(state.isReady, true)
    t.equal(bench.state, state)
  },
)

t.test('a restore that was dealt with is not found again, one that was not is', async (t) => {
  const bench = older(new Client(), RESTORED)
  const count = () => bench.journal.filter(({ event }) => event.kind === 'restoreFound').length
  t.equal(count(), 1)
  bench.input({ kind: 'started', incarnation: 3, day: DAY, restored: RESTORED })
  t.equal(count(), 1)
  bench.input({ kind: 'started', incarnation: 4, day: DAY, restored: { ...RESTORED, mark: 'b' } })
  t.equal(count(), 2)
})

t.test(
  'F987 an account that comes back to where a restore was dealt with goes on there',
  async (t) => {
    const bench = older(new Client(), RESTORED)
    const { state } = bench
    confirm(bench)
    /** To a computer whose database bears that mark. */
    const moves = (mark: string) => {
      const restored = { ...RESTORED, mark }
      state.connection = { ...state.connection, phase: 'disconnected' }
      connect(
        bench,
        new Client(),
        bench.input({ kind: 'started', incarnation: 3, day: DAY, restored }),
      )
      return isUnconfirmed(state.restore)
    }
    t.equal(moves('b'), true)
    t.equal(moves(RESTORED.mark), true, 'what nobody has confirmed still waits')
    const request = { kind: 'confirmRestore', mark: 'b', source: 'operator' } as const
    bench.input({ kind: 'request', ref: 78, request })
    t.strictSame([moves('b'), moves(RESTORED.mark), moves('b')], [false, false, false])
    t.equal(moves('c'), true, 'one more')
  },
)

t.test('ids that follow from a counter are never those of the orders that were lost', async (t) => {
  const fresh = new Bench()
  const keyOfRequest = ({ state }: Bench) => {
    const keyed = withKeys(state, { ...ORDER, key: '' }, MORNING_MS)
    return 'key' in keyed ? keyed.key : ''
  }
  const first = keyOfRequest(fresh)
  const listed = older(listing(brokerOrder({ clientOrderId: first })))
  t.not(keyOfRequest(listed), first, 'it is listed')
  const restored = older(new Client(), RESTORED)
  t.not(keyOfRequest(restored), first, 'a restore was found')
  t.not(keyOfRequest(restored).slice(-16), first.slice(-16), 'also where remarks are cut')
})

const SIGNAL = {
  code: BANK,
  side: 'sell',
  quantity: 100 as Quantity,
  priceType: 5,
  price: yuan(0),
  signalType: 'stop_loss',
  signalPrice: yuan(36),
} as const
t.test('so are those of automatic orders', async (t) => {
  const [before, after] = [older(new Client()), older(new Client(), RESTORED)]
  confirm(after)
  const sent = [before, after].map((bench) => {
    bench.quotes.set(BANK, quote(36, bench.nowMs))
    const effects = bench.signal(SIGNAL)
    const [call] = commands(effects)
    return call?.kind === 'submit' ? call.order.clientOrderId : ''
  })
  t.ok(sent[0] && sent[1])
  t.not(sent[0]?.slice(-16), sent[1]?.slice(-16))
})
