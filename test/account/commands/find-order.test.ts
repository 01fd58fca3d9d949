import t from 'tap'
import { withKeys } from '../../../actors/account/keys.ts'
import type { StockCode } from '../../../src/domain/instrument.ts'
import {
  BANK,
  Bench,
  brokerOrder,
  KEY,
  keyOf,
  ORDER,
  quote,
  refusals,
  replies,
  set,
} from '../fixture.ts'
import { ask, paced, pass, purchase, sent, taken, wanted } from '../orders/paced.ts'
import { reborn, started } from '../play.ts'

/** As the shell passes it on. */
const find = (bench: Bench, id = KEY) =>
  ask(bench, withKeys(bench.state, { kind: 'findOrder', id }, bench.nowMs), { ref: 99 })

t.test(
  'F461 the key of a request for several tells of its orders, also of those that wait',
  async (t) => {
    const bench = paced(2)
    taken(bench, ask(bench, purchase(bench, 3), { patienceMs: 30_000 }))
    t.match(replies(find(bench)), [
      {
        request: {
          clientOrderId: KEY,
          state: 'queued',
          totalCount: 3,
          successCount: 2,
          orders: [0, 1].map((n) => ({
            answer: { clientOrderId: keyOf(n), state: 'accepted', orderId: /^1/ },
            row: { stock_code: `60001${n}.SH` },
          })),
          queued: [{ clientOrderId: keyOf(2), code: '600012.SH' }],
        },
        isUntold: false,
      },
    ])
    t.match(replies(find(bench, keyOf(2))), [
      { request: { state: 'queued', queued: [{ clientOrderId: keyOf(2) }] } },
    ])
    taken(bench, pass(bench, 1_000))
    t.match(replies(find(bench)), [{ request: { state: 'sent', successCount: 3 } }])
  },
)

t.test('F461 and over a restart, with what was given up by it', async (t) => {
  const bench = paced(2)
  taken(bench, ask(bench, purchase(bench, 3)))
  const next = reborn(bench)
  const rows = [...bench.state.orders.values()].map(({ clientOrderId, orderId, code }) =>
    brokerOrder({ clientOrderId, orderId, code }),
  )
  started(next, { orders: rows })
  t.match(replies(find(next)), [
    {
      request: {
        state: 'sent',
        totalCount: 3,
        orders: [{ answer: { clientOrderId: keyOf(0) } }, { answer: { clientOrderId: keyOf(1) } }],
        refusals: [/重启/],
      },
    },
  ])
})

t.test('F461 a single order that waits is there, and one that was refused says why', async (t) => {
  const bench = paced(1)
  ask(bench, { ...ORDER, ...wanted(0) })
  ask(bench, { ...ORDER, ...wanted(1) }, { ref: 2 })
  t.match(replies(find(bench, keyOf(1))), [{ request: { state: 'queued', code: null } }])
  set(bench, 'all')
  t.match(replies(find(bench, keyOf(1))), [{ request: { state: 'refused', code: 'KILL_SWITCH' } }])
  ask(bench, { kind: 'withdrawKey', key: keyOf(7), source: 'test' }, { ref: 3 })
  t.match(replies(find(bench, keyOf(7))), [{ request: { state: 'withdrawn' } }])
  t.strictSame(sent(pass(bench, 1_000)), [])
  t.strictSame(refusals(find(bench, keyOf(8))), ['UNKNOWN_ORDER'], 'nothing came under this one')
})

t.test('F461 the key of a change that waits for its cancel is there', async (t) => {
  const bench = new Bench().ready()
  bench.quotes.set(BANK, quote(36, bench.nowMs))
  taken(bench, bench.place())
  const change = { orderId: KEY, quantity: 300, requestHash: 'c', source: 'test' }
  ask(bench, { kind: 'amendOrder', key: keyOf(5), ...change })
  t.match(replies(find(bench, keyOf(5))), [{ request: { state: 'canceling' } }])
})

t.test('F461 simulated orders are found by their key, one or several', async (t) => {
  const bench = new Bench().ready()
  const request = { kind: 'saveConfig', changes: { simulationMode: true }, source: 'test' } as const
  ask(bench, request)
  ask(bench, purchase(bench, 1, 3))
  const orders = [{ answer: { clientOrderId: keyOf(3), orderId: /^SIM/ } }]
  t.match(replies(find(bench)), [{ request: { state: 'sent', orders } }])
  t.match(replies(find(bench, keyOf(3))), [{ request: { state: 'sent', orders } }])
})

t.test('F461 a request whose record was lost is known by the orders that came back', async (t) => {
  const code = '600010.SH' as StockCode
  const bench = new Bench()
  const command = withKeys(bench.state, { ...purchase(bench, 1), keys: [] }, bench.nowMs)
  const [part = ''] = command.kind === 'executeBuy' ? command.keys : []
  started(bench, { orders: [brokerOrder({ clientOrderId: part, code, orderId: '77' })] })
  t.match(replies(find(bench)), [
    { request: { state: 'sent', orders: [{ answer: { clientOrderId: part, orderId: '77' } }] } },
  ])
  const giveUp = { kind: 'withdrawKey', key: KEY, source: 'test' } as const
  const withdrawn = ask(bench, withKeys(bench.state, giveUp, bench.nowMs))
  t.strictSame(refusals(withdrawn), ['CONFLICT'], 'nor is it said that nothing came under it')
})

t.test('F461 books that may lack an order do not say that there is none', async (t) => {
  t.strictSame(refusals(find(new Bench())), ['NOT_CONNECTED'])
  const restored = new Bench().ready()
  const moments = { foundMs: 1, comparedMs: 2, confirmedMs: 0 }
  restored.state.restore = { mark: 'm', fromEpoch: 1, clientEpoch: 2, ...moments }
  t.strictSame(refusals(find(restored)), ['RECONCILE_REQUIRED'])
})
