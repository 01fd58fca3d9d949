import t from 'tap'
import { emptyState } from '../../../src/account/model/state.ts'
import type { Effect } from '../../../src/account/turn/turn.ts'
import type { StockCode } from '../../../src/domain/instrument.ts'
import type { Quantity } from '../../../src/domain/money.ts'
import {
  BANK,
  Bench,
  KEY,
  keyOf,
  ORDER,
  policy,
  push,
  refusals,
  replies,
  set,
  yuan,
} from '../fixture.ts'
import { count, gone, reborn, started } from '../play.ts'
import { ask, paced, pass, purchase, RATE, sent, taken, wanted } from './paced.ts'

const place = (bench: Bench, n: number, patienceMs?: number) =>
  ask(bench, { ...ORDER, ...wanted(n) }, { ref: n, ...(patienceMs && { patienceMs }) })
const placeMany = (bench: Bench, count: number): readonly Effect[] =>
  Array.from({ length: count }, (_, n) => place(bench, n)).flat()
const withdraw = (bench: Bench, clientOrderId = '') =>
  ask(bench, { kind: 'cancelQueued', clientOrderId, source: 'operator' }, { ref: 90 })
const messages = (effects: readonly Effect[]) =>
  effects.flatMap((effect) => (effect.kind === 'refuse' ? [effect.error.message] : []))
const timers = (effects: readonly Effect[]) =>
  effects.flatMap((effect) =>
    effect.kind === 'timer' && effect.name === 'queue' ? effect.delayMs : [],
  )

t.test(
  'eight orders within a second: five leave, three wait and leave in their order',
  async (t) => {
    const bench = paced()
    const effects = placeMany(bench, 8)
    t.strictSame(refusals(effects), [])
    t.strictSame(sent(effects), [0, 1, 2, 3, 4].map(keyOf))
    t.equal(timers(effects).at(-1), 1_000, 'the account wakes itself up')
    t.strictSame(sent(pass(bench, 999)), [])
    const later = pass(bench, 1)
    t.strictSame(sent(later), [5, 6, 7].map(keyOf))
    t.match(
      replies(taken(bench, later)),
      [5, 6, 7].map((n) => ({ clientOrderId: keyOf(n) })),
    )
    t.strictSame(sent(pass(bench, 60_000)), [], 'nothing is sent twice')
  },
)

t.test('an order that comes while others wait goes behind them, place or not', async (t) => {
  const bench = paced()
  placeMany(bench, 8)
  bench.nowMs += 1_000
  bench.wallMs += 1_000
  t.strictSame(sent(place(bench, 9)), [5, 6, 7, 9].map(keyOf))
})

t.test('a turn that does not come in time: refused, and never sent', async (t) => {
  const bench = paced(1)
  place(bench, 0)
  place(bench, 1)
  bench.nowMs += policy.limits.pacedWaitMs + 1
  bench.wallMs += policy.limits.pacedWaitMs + 1
  const late = bench.input({ kind: 'timer', name: 'queue' })
  t.strictSame([sent(late), refusals(late)], [[], ['DEADLINE_PASSED']])
  t.match(messages(late), [/risk\.max_orders_per_second 1.*limits\.account\.paced_wait_ms/])
  t.strictSame(sent(pass(bench, 60_000)), [])
  t.equal(sent(place(bench, 1)).length, 1, 'the same key may be sent again')
})

t.test('a computer that slept sends nothing of the morning in the evening', async (t) => {
  const bench = paced(1)
  place(bench, 0)
  place(bench, 1)
  ask(bench, purchase(bench, 3, 40))
  bench.nowMs += 8 * 3_600_000
  const woken = pass(bench, 1_000)
  t.strictSame(sent(woken), [])
  t.match(replies(woken), [{ successCount: 0, totalCount: 3, message: /排队超时/ }])
})

t.test('who waits less than the trading client may take is not put into the queue', async (t) => {
  const bench = paced(1)
  place(bench, 0)
  const patienceMs = policy.limits.callTimeoutMs + 500
  const refused = place(bench, 1, patienceMs)
  t.strictSame(refusals(refused), ['ORDER_RATE'])
  t.match(messages(refused), [/risk\.max_orders_per_second 1, limits\.account\.paced_wait_ms/])
  t.equal(place(bench, 2, patienceMs + 500).length > 0, true)
  t.equal(bench.state.queue.length, 1)
})

t.test('a queue that is full refuses at once and names what makes it so', async (t) => {
  const limits = { ...policy.limits, pacedOrdersMax: 2 }
  const risk = { ...policy.risk, maxOrdersPerSecond: 2 }
  const bench = new Bench(emptyState({ ...policy, limits, risk })).ready()
  t.strictSame(refusals(placeMany(bench, 4)), [])
  const refused = place(bench, 4)
  t.strictSame(refusals(refused), ['ORDER_RATE'])
  t.match(messages(refused), [/max_orders_per_second 2, limits\.account\.paced_orders_max 2/])
  const before = bench.journal.length
  const several = ask(bench, { ...purchase(bench, 3, 40), key: keyOf(50) })
  t.strictSame([refusals(several), sent(several)], [['ORDER_RATE'], []])
  t.equal(bench.journal.length, before, 'of several none is taken')
})

t.test(
  'what a rule refuses anyway is refused at once; in its turn each is judged anew',
  async (t) => {
    const bench = paced(1)
    place(bench, 0)
    const sale = { ...ORDER, side: 'sell', quantity: 600 } as const
    t.strictSame(refusals(ask(bench, { ...sale, key: keyOf(1), quantity: 5_000 })), [
      'INSUFFICIENT_SELLABLE',
    ])
    ask(bench, { ...sale, key: keyOf(2) }, { ref: 2 })
    ask(bench, { ...sale, key: keyOf(3) }, { ref: 3 })
    t.strictSame(sent(pass(bench, 1_000)), [keyOf(2)])
    const judged = pass(bench, 1_000)
    t.strictSame([sent(judged), refusals(judged)], [[], ['INSUFFICIENT_SELLABLE']])
  },
)

t.test(
  'the same key while it waits is the same order; with another body it is refused',
  async (t) => {
    const bench = paced(1)
    place(bench, 0)
    place(bench, 1)
    const again = ask(bench, { ...ORDER, ...wanted(1) }, { ref: 7 })
    t.strictSame([refusals(again), bench.state.queue.length], [[], 1])
    const other = ask(bench, { ...ORDER, ...wanted(1), requestHash: 'other' }, { ref: 8 })
    t.strictSame(refusals(other), ['IDEMPOTENCY_MISMATCH'])
    t.match(replies(taken(bench, pass(bench, 1_000))), [
      { clientOrderId: keyOf(1), replayed: false },
      { clientOrderId: keyOf(1), replayed: true },
    ])
  },
)

t.test(
  'orders that wait are canceled by their id, or all at once; their callers are told',
  async (t) => {
    const bench = paced(1)
    placeMany(bench, 4)
    const one = withdraw(bench, keyOf(2))
    t.strictSame(refusals(one), ['ORDER_WITHDRAWN'])
    t.match(replies(one), [{ clientOrderIds: [keyOf(2)] }])
    t.strictSame(refusals(withdraw(bench, keyOf(2))), ['UNKNOWN_ORDER'])
    const request = { kind: 'cancelOrder', orderId: keyOf(1), source: 'test' } as const
    t.match(replies(ask(bench, request)), [{ result: 0 }], 'as any other order is canceled')
    t.match(replies(withdraw(bench)), [{ clientOrderIds: [keyOf(3)] }])
    t.strictSame(sent(pass(bench, 5_000)), [])
    t.strictSame(refusals(place(bench, 2)), ['ORDER_WITHDRAWN'], 'the same key, the same answer')
  },
)

t.test('the kill switch empties the queue, at its lowest level of purchases only', async (t) => {
  for (const level of ['all', 'cancel_all'] as const) {
    const bench = paced(1)
    placeMany(bench, 3)
    const effects = set(bench, level)
    t.strictSame(refusals(effects), ['KILL_SWITCH', 'KILL_SWITCH'])
    t.strictSame([sent(pass(bench, 1_000)), bench.state.queue.length], [[], 0])
  }
  const bench = paced(1)
  placeMany(bench, 2)
  ask(bench, { ...ORDER, key: keyOf(9), side: 'sell' }, { ref: 9 })
  t.strictSame(refusals(set(bench, 'entries')), ['KILL_SWITCH'])
  t.strictSame(sent(pass(bench, 1_000)), [keyOf(9)])
})

t.test('a client that goes away takes the queue with it; all are told', async (t) => {
  const bench = paced(1)
  placeMany(bench, 2)
  ask(bench, { ...purchase(bench, 2, 40), key: keyOf(60) }, { ref: 60 })
  const effects = bench.input(gone)
  t.strictSame(refusals(effects), ['NOT_CONNECTED'])
  t.match(replies(effects), [{ successCount: 0, totalCount: 2 }, { state: 'unknown' }])
  t.equal(bench.state.queue.length, 0)
})

t.test('a caller that is gone without an answer has nothing sent any more', async (t) => {
  const bench = paced(1)
  placeMany(bench, 3)
  ask(bench, { ...ORDER, ...wanted(2) }, { ref: 7 })
  const leave = (n: number) =>
    ask(bench, {
      kind: 'cancelQueued',
      clientOrderId: keyOf(n),
      isCallerGone: true,
      source: 'test',
    })
  t.match(replies(leave(1)), [{ clientOrderIds: [keyOf(1)] }])
  t.match(replies(leave(2)), [{ clientOrderIds: [] }], 'another request waits for it')
  t.match(replies(leave(0)), [{ clientOrderIds: [] }], 'it has left')
  t.strictSame(sent(pass(bench, 1_000)), [keyOf(2)])
  t.strictSame(refusals(place(bench, 1)), [], 'under its key it may come again')
})

t.test('what nobody can be told of any more is not sent; what was promised goes on', async (t) => {
  const bench = paced(1)
  const promised = ask(bench, purchase(bench, 2, 40), { ref: 50, patienceMs: 500 })
  t.match(replies(promised), [{ queued: [{ clientOrderId: keyOf(41) }] }])
  place(bench, 1)
  const effects = ask(bench, { kind: 'answersLost', source: 'front' }, { ref: 51 })
  t.strictSame(refusals(effects), ['DEADLINE_PASSED'])
  t.strictSame(sent(pass(bench, 1_000)), [keyOf(41)])
})

t.test('a promise that did not get to its caller is none', async (t) => {
  const bench = paced(1)
  ask(bench, purchase(bench, 3, 40), { ref: 50, patienceMs: 500 })
  ask(bench, { kind: 'noteTold', told: [], untold: [KEY], source: 'front' }, { ref: 51 })
  t.strictSame(sent(pass(bench, 1_000)), [])
  t.match(replies(ask(bench, purchase(bench, 3, 40), { ref: 52 })), [])
  t.equal(bench.state.batches.get(KEY)?.queued, undefined)
})

t.test('a part of a holding is reckoned when its turn comes', async (t) => {
  const bench = paced(1)
  place(bench, 0)
  const part = { kind: 'executeSell', requestHash: 'p', code: BANK, ratio: 0.5 } as const
  const terms = { priceType: 11, price: yuan(36), source: 'test' }
  ask(bench, { ...part, ...terms, key: keyOf(1) }, { ref: 1 })
  ask(bench, { ...part, ...terms, key: keyOf(2), requestHash: 'q' }, { ref: 2 })
  pass(bench, 1_000)
  const effects = pass(bench, 1_000)
  t.strictSame(sent(effects), [keyOf(2)])
  const quantities = [1, 2].map((n) => bench.state.orders.get(keyOf(n))?.quantity)
  t.strictSame(quantities, [500, 200], 'half of what the first one left, in whole lots')
})

t.test(
  'a purchase of twenty stocks leaves in its order and is answered when all are sent',
  async (t) => {
    const bench = paced()
    const all: string[] = []
    let effects = ask(bench, purchase(bench, 20), { patienceMs: 35_000 })
    for (let second = 0; second < 4; second++) {
      const ids = sent(effects)
      all.push(...ids)
      t.equal(ids.length, RATE)
      const told = replies(taken(bench, effects))
      if (second < 3) t.strictSame(told, [])
      else t.match(told, [{ successCount: 20, totalCount: 20, message: '已提交 20/20 笔委托' }])
      effects = pass(bench, 1_000)
    }
    t.strictSame(
      all,
      Array.from({ length: 20 }, (_, n) => keyOf(n)),
    )
  },
)

t.test('a deadline that comes first names what is queued; the rest goes on, once', async (t) => {
  const bench = paced(1)
  const request = purchase(bench, 4)
  taken(bench, ask(bench, request, { patienceMs: 2_500 }))
  taken(bench, pass(bench, 1_000))
  const early = pass(bench, 500)
  t.match(replies(early), [
    {
      successCount: 2,
      totalCount: 4,
      message: /2 笔排队中/,
      queued: [{ clientOrderId: keyOf(2) }, { clientOrderId: keyOf(3) }],
    },
  ])
  const again = ask(bench, request, { ref: 2, patienceMs: 35_000 })
  t.strictSame(replies(again), [], 'asked again it waits for the same')
  taken(bench, pass(bench, 500))
  const rest = taken(bench, pass(bench, 1_000))
  t.match(replies(rest), [{ successCount: 4, totalCount: 4 }])
  t.strictSame([...bench.state.orders.keys()], [0, 1, 2, 3].map(keyOf))
})

t.test('a restart drops what was queued, says so, and sends nothing by itself', async (t) => {
  const first = paced(1)
  const request = purchase(first, 3)
  ask(first, request)
  place(first, 20)
  const second = reborn(first)
  started(second)
  t.match(second.journal.find(({ event }) => event.kind === 'batchAdvanced')?.event, {
    isSent: false,
    clientOrderIds: [keyOf(1), keyOf(2)],
  })
  t.strictSame(sent(pass(second, 5_000)), [])
  purchase(second, 3)
  const again = ask(second, request)
  t.match(replies(again), [{ totalCount: 3, message: /2 只在服务重启时仍在排队，已放弃/ }])
  t.strictSame([sent(again), second.state.queue.length], [[], 0])
  t.strictSame(refusals(place(second, 20)), [], 'nobody had been told of the other one')
})

t.test('a part of a purchase is canceled while it waits, and its answer says so', async (t) => {
  const bench = paced(1)
  taken(bench, ask(bench, purchase(bench, 3)))
  t.match(replies(withdraw(bench, keyOf(1))), [{ clientOrderIds: [keyOf(1)] }])
  const rest = withdraw(bench, KEY)
  t.match(replies(rest), [
    { successCount: 1, totalCount: 3, message: /1 只排队中被撤销.*1 只排队中被撤销/ },
    { clientOrderIds: [keyOf(2)] },
  ])
})

t.test('a simulation has no broker to be spared', async (t) => {
  const bench = paced(1)
  const changes = { simulationMode: true }
  const request = { kind: 'saveConfig', changes, source: 'test' } as const
  placeMany(bench, 2)
  t.strictSame(refusals(ask(bench, request)), ['CONFLICT'], 'not while orders wait')
  const other = paced(1)
  ask(other, request)
  t.equal(replies(placeMany(other, 5)).length, 5)
})

t.test('F325 what another process sent under the key meanwhile is not sent again', async (t) => {
  const bench = paced(1)
  place(bench, 0)
  place(bench, 1)
  ask(bench, purchase(bench, 2, 40), { ref: 2 })
  const shown = { status: 50, filledQuantity: 0 as Quantity } as const
  push(bench, { ...shown, price: yuan(35.01), orderId: '2001', clientOrderId: keyOf(1) })
  push(bench, {
    ...shown,
    code: '600010.SH' as StockCode,
    orderId: '2040',
    clientOrderId: keyOf(40),
  })
  const effects = pass(bench, 1_000)
  t.match(replies(effects), [{ clientOrderId: keyOf(1), orderId: '2001', replayed: true }])
  t.strictSame(sent(effects), [keyOf(41)], 'the next one has its place')
  t.strictSame(bench.state.batches.get(KEY)?.clientOrderIds, [keyOf(40), keyOf(41)])
  t.equal(count(bench, 'orderSubmitted'), 2)
})
