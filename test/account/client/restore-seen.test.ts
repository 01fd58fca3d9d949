import t from 'tap'
import type { Quantity } from '../../../src/domain/money.ts'
import { Client, connect, shown } from '../client.ts'
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
  policy,
  push,
  quote,
  refusals,
  replies,
  set,
  yuan,
} from '../fixture.ts'
import { acting } from '../strategies/stop-profit/chain.ts'

const RESTORED = { mark: 'restore 2026-08-11', fromEpoch: 2, clientEpoch: 7 }
const DAY = '2026-08-11'
const NAMES = { fills: 100 as Quantity, held: 1_000 as Quantity }

/** The client has lived on: an order of ours with its fill, and one of somebody else. */
function livedOn(): Client {
  const client = new Client()
  client.orders = [
    brokerOrder({ status: 56, filledQuantity: NAMES.fills }),
    brokerOrder({ orderId: '77', clientOrderId: '', side: 'sell', quantity: 300 as Quantity }),
  ]
  client.deals = [brokerDeal()]
  client.positions = [brokerPosition({ quantity: NAMES.held, sellable: NAMES.held })]
  return client
}

function restored(client = livedOn(), restore = RESTORED): Bench {
  const bench = acting()
  const started = { kind: 'started', incarnation: 2, day: DAY, restored: restore } as const
  const asked = connect(bench, client, bench.input(started))
  client.answer(bench, commands(asked)) // holdings once more, for the deal that was found
  bench.quotes.set(BANK, quote(36, bench.nowMs))
  return bench
}

const confirm = (bench: Bench, mark = RESTORED.mark) =>
  bench.input({
    kind: 'request',
    ref: 77,
    request: { kind: 'confirmRestore', mark, source: 'operator' },
  })

const STOP = {
  code: BANK,
  side: 'sell',
  quantity: 100 as Quantity,
  priceType: 5,
  price: yuan(0),
  signalType: 'stop_loss',
  signalPrice: yuan(36),
} as const
const sent = (bench: Bench, n: number) =>
  commands(bench.place({ key: keyOf(n) })).filter(({ kind }) => kind === 'submit').length
const submits = (effects: ReturnType<Bench['input']>) =>
  commands(effects).filter(({ kind }) => kind === 'submit').length

const isCancel = ({ kind }: { readonly kind: string }): boolean => kind === 'cancel'
const lastId = ({ state }: Bench): string => [...state.orders.keys()].at(-1) ?? ''

t.test('compared books send nothing before a person has confirmed them', async (t) => {
  const bench = restored(new Client())
  t.match(shown(bench), {
    restore: { mark: RESTORED.mark, compared: String, confirmed: null, waits_for_person: true },
  })
  t.equal(sent(bench, 1), 0, 'an order by hand')
  t.equal(sent(bench, 2), 0)
  t.equal(submits(bench.signal(STOP)), 0, 'nor a protective sale')
  t.match(replies(confirm(bench)), [{ fields: { restore: { waits_for_person: false } } }])
  t.equal(sent(bench, 3), 1, 'an order by hand')
  t.equal(submits(bench.signal(STOP)), 1, 'a protective sale')
})

t.test('an order that was refused meanwhile is not sent by its key afterwards', async (t) => {
  const bench = restored()
  t.strictSame(refusals(bench.place({ key: keyOf(1) })), ['KILL_SWITCH'])
  confirm(bench)
  t.strictSame(refusals(bench.place({ key: keyOf(1) })), ['KILL_SWITCH'])
})

t.test('cancels and the kill switch go meanwhile, whatever they say', async (t) => {
  const bench = restored()
  const cancel = { kind: 'cancelOrder', orderId: '77', source: 'operator' } as const
  const canceled = commands(bench.input({ kind: 'request', ref: 5, request: cancel }))
  t.match(canceled, [{ kind: 'cancel' }])
  t.match(replies(set(bench, 'entries')), [
    {
      fields: {
        level: 'entries',
        level_in_force: 'all',
        holds: [{ name: 'restore', level: 'all' }],
      },
    },
  ])
  confirm(bench)
  t.match(replies(set(bench, 'entries', 'again')), [{ fields: { level_in_force: 'entries' } }])
})

t.test('the report names what was placed after the backup', async (t) => {
  const bench = restored()
  t.match(shown(bench), {
    restore: {
      placed_since: [
        { order_id: '1001', is_ours: true, trade_type: 'BUY', volume: 100, traded_volume: 100 },
        { order_id: '77', is_ours: false, trade_type: 'SELL', volume: 300, traded_volume: 0 },
      ],
      placed_since_total: 2,
      deals_since: 1,
    },
  })
  // What comes later, others place before everybody's eyes.
  driver(bench, {
    kind: 'orderPushed',
    order: brokerOrder({ orderId: '78', clientOrderId: '', side: 'sell' }),
  })
  t.match(shown(bench), { restore: { placed_since_total: 2 } })
})

t.test('a confirmation is for this restore, and for books that were compared', async (t) => {
  const client = livedOn()
  client.broken.set('deals', 'busy')
  const bench = restored(client)
  t.strictSame(refusals(confirm(bench)), ['RECONCILE_REQUIRED'])
  client.broken.clear()
  connect(bench, client, bench.input({ kind: 'timer', name: 'reconnect' }))
  t.strictSame(refusals(confirm(bench, 'another')), ['CONFLICT'])
  t.equal(sent(bench, 1), 0)
  t.strictSame(refusals(confirm(bench)), [])
  t.strictSame(refusals(confirm(bench)), [], 'again is the same')
  const kinds = bench.journal.filter(({ event }) => event.kind === 'restoreConfirmed')
  t.equal(kinds.length, 1)
  const bare = new Bench().ready()
  t.strictSame(refusals(confirm(bare)), ['CONFLICT'], 'nothing was restored')
})

t.test('a restart does not lift it, and the same mark is not held again', async (t) => {
  const bench = restored()
  const again = (incarnation: number) => {
    const started = { kind: 'started', incarnation, day: DAY, restored: RESTORED } as const
    connect(bench, livedOn(), bench.input(started))
  }
  again(3)
  t.equal(sent(bench, 1), 0)
  confirm(bench)
  again(4)
  t.equal(sent(bench, 2), 1)
})

t.test('books that an earlier release has compared go on', async (t) => {
  const bench = new Bench().ready()
  bench.state.restore = { ...RESTORED, foundMs: 1, comparedMs: 2 }
  t.equal(sent(bench, 1), 1)
})

t.test(
  'nothing of an order that waits too long is canceled before a person has looked',
  async (t) => {
    const client = new Client()
    const bench = restored(client)
    confirm(bench)
    bench.signal(STOP)
    const stop = { orderId: '90', side: 'sell', clientOrderId: lastId(bench) } as const
    push(bench, stop)
    client.orders = [brokerOrder(stop)]
    bench.state.connection = { ...bench.state.connection, phase: 'disconnected' }
    const mark = 'another'
    const started = { kind: 'started', incarnation: 3, day: DAY } as const
    connect(bench, client, bench.input({ ...started, restored: { ...RESTORED, mark } }))
    bench.nowMs += 60_000
    t.strictSame(commands(bench.input({ kind: 'alarm' })).filter(isCancel), [])
    t.equal(commands(confirm(bench, mark)).filter(isCancel).length, 1, 'followed again at once')
  },
)

t.test('a cancel of before the backup, for the sake of a new order, waits as well', async (t) => {
  const client = new Client()
  const bench = restored(client)
  confirm(bench)
  bench.signal(STOP)
  const stop = { orderId: '90', side: 'sell', clientOrderId: lastId(bench) } as const
  push(bench, stop)
  client.orders = [brokerOrder(stop)]
  bench.nowMs += 60_000
  t.equal(commands(bench.input({ kind: 'alarm' })).filter(isCancel).length, 1, 'its time is up')
  // The backup is of this moment, and the cancel never arrived.
  const { state } = bench
  state.cancels.clear()
  state.calls.clear()
  state.connection = { ...state.connection, phase: 'disconnected' }
  const started = { kind: 'started', incarnation: 3, day: DAY } as const
  connect(bench, client, bench.input({ ...started, restored: { ...RESTORED, mark: 'b' } }))
  const looked = () => {
    const asked = bench.input({ kind: 'timer', name: 'cancels' })
    return commands([...asked, ...client.answer(bench, commands(asked))]).filter(isCancel)
  }
  t.strictSame(looked(), [])
  const timers = confirm(bench, 'b').flatMap((effect) =>
    effect.kind === 'timer' ? [effect.name] : [],
  )
  t.ok(timers.includes('cancels'))
  t.equal(looked().length, 1)
})

t.test(
  'F537 a cancel of a change that was given up goes on before a person has looked',
  async (t) => {
    const bench = restored(new Client())
    confirm(bench)
    bench.place({ key: KEY })
    push(bench, {})
    const request = {
      kind: 'amendOrder',
      orderId: '1001',
      key: keyOf(77),
      requestHash: 'amended',
      price: yuan(36.2),
      source: 'desk',
    } as const
    bench.input({ kind: 'request', ref: 55, request })
    // The backup is of this moment, and the cancel never arrived.
    const { state } = bench
    state.cancels.clear()
    state.calls.clear()
    state.connection = { ...state.connection, phase: 'disconnected' }
    const client = new Client()
    client.orders = [brokerOrder()]
    const started = { kind: 'started', incarnation: 3, day: DAY } as const
    connect(bench, client, bench.input({ ...started, restored: { ...RESTORED, mark: 'b' } }))
    const cancels = () => {
      const asked = bench.input({ kind: 'timer', name: 'cancels' })
      return commands([...asked, ...client.answer(bench, commands(asked))]).filter(isCancel).length
    }
    t.equal(cancels(), 0, 'something is to take its place')
    bench.wallMs += policy.limits.amendMs + 1
    const ended = bench.input({ kind: 'timer', name: 'amend' })
    const { status, amendment } = state.orders.get(KEY) ?? {}
    t.match({ status, amendment }, { status: 'pendingCancel', amendment: { outcome: 'dropped' } })
    t.ok(ended.some((effect) => effect.kind === 'timer' && effect.name === 'cancels'))
    t.equal(cancels(), 1, 'and now nothing is')
  },
)
