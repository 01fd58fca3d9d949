import t from 'tap'
import type { Effect } from '../../../src/account/turn/turn.ts'
import type { Quantity } from '../../../src/domain/money.ts'
import {
  Bench,
  brokerDeal,
  brokerOrder,
  brokerPosition,
  commands,
  KEY,
  keyOf,
  policy,
  refusals,
  replies,
  yuan,
} from '../fixture.ts'
import {
  accepted,
  barred,
  barrierIn,
  dealt,
  doubtful,
  doubtPoll,
  gone,
  look,
  type Rows,
  reborn,
  recovered,
  said,
  settle,
  started,
  timer,
} from '../play.ts'

const { doubtSettleMs, doubtQuarantineMs } = policy.limits
const order = (bench: Bench) => bench.state.orders.get(KEY)
const submitsIn = (effects: ReturnType<Bench['input']>) =>
  commands(effects).filter(({ kind }) => kind === 'submit')
const resolve = (bench: Bench, orderId: string) =>
  bench.input({
    kind: 'request',
    ref: 7,
    request: { kind: 'resolveDoubt', clientOrderId: KEY, orderId, source: 'operator' },
  })
const sale = (quantity: number) =>
  ({ side: 'sell', quantity: quantity as Quantity, price: yuan(36.5) }) as const

/** A look whose barrier is not answered in time. */
function unclear(bench: Bench, rows: Rows = {}): readonly Effect[] {
  const effects = look(bench, rows)
  const callId = barrierIn(effects)
  if (callId !== undefined) bench.input({ kind: 'callTimedOut', callId })
  return effects
}

/** The lists answer at once and show no order, for as long as one once needed to count as absent; holdings stand as they were. */
function lookLong(bench: Bench, rows: Rows = {}): void {
  for (let i = 0; i < 6; i++) {
    unclear(bench, rows)
    bench.wallMs += doubtSettleMs / 2
  }
}

t.test('an order whose call still stands is not sold a second time by lists', async (t) => {
  const positions = [brokerPosition({ quantity: 300 as Quantity, sellable: 300 as Quantity })]
  const bench = new Bench().ready(positions)
  const callId = submitsIn(bench.place(sale(300)))[0]?.callId ?? 0
  bench.input({ kind: 'callTimedOut', callId })
  lookLong(bench, { positions })
  t.match(order(bench), { status: 'inDoubt' }, 'the lists came through another lane')
  t.strictSame(submitsIn(bench.place({ key: keyOf(9), ...sale(300) })), [], 'not again')
  t.strictSame(
    submitsIn(bench.place({ key: keyOf(8), requestHash: 'another', ...sale(200) })),
    [],
    'nor a part of them',
  )
  // The library comes back after half a minute, and has placed it.
  bench.input(accepted(callId))
  bench.input(dealt({ side: 'sell', quantity: 300 as Quantity }))
  t.match(order(bench), { status: 'filled', filledQuantity: 300 })
  const sold = [...bench.state.orders.values()].reduce((sum, each) => sum + each.filledQuantity, 0)
  t.equal(sold, 300)
})

t.test('by hand: half of what is held is sold once, however slow the call is', async (t) => {
  const positions = [brokerPosition({ quantity: 400 as Quantity, sellable: 400 as Quantity })]
  const bench = new Bench().ready(positions)
  const callId = submitsIn(bench.place(sale(400)))[0]?.callId ?? 0
  t.match(replies(bench.input({ kind: 'callTimedOut', callId })), [{ state: 'unknown' }])
  lookLong(bench, { positions })
  t.match(replies(bench.place(sale(400))), [{ state: 'unknown', replayed: true }], 'the same key')
  t.strictSame(submitsIn(bench.place({ key: keyOf(9), ...sale(400) })), [], 'another key')
})

t.test('lists count from the clearance on, and only those asked for after it', async (t) => {
  const bench = doubtful()
  const first = look(bench)
  t.strictSame(
    commands(first).map(({ kind }) => kind),
    ['barrier', 'query', 'query', 'query', 'query'],
  )
  // Asked for before the answer, answered after it: it may have been made before the order came.
  const queries = commands(bench.input(timer('doubt'))).filter(({ kind }) => kind === 'query')
  t.strictSame(commands(bench.input(barred(barrierIn(first) ?? 0))), [], 'one look at a time')
  bench.answerQueries(queries)
  bench.wallMs += doubtSettleMs
  look(bench)
  t.match(order(bench), { status: 'inDoubt' }, 'the first look that counts')
  bench.wallMs += doubtSettleMs - 1
  look(bench)
  t.match(order(bench), { status: 'inDoubt' }, 'not settled yet')
  bench.wallMs += 1
  look(bench)
  t.match(order(bench), { status: 'rejected', orderId: '' })
})

t.test('a row like it is not taken for it while it may still arrive', async (t) => {
  const bench = doubtful()
  const orders = [brokerOrder({ clientOrderId: '' })]
  for (let i = 0; i < 4; i++) {
    unclear(bench, { orders })
    bench.wallMs += doubtSettleMs
  }
  t.match(order(bench), { status: 'inDoubt', orderId: '' }, 'somebody else may have placed it')
  settle(bench, { orders })
  t.match(order(bench), { orderId: '1001', status: 'accepted' })
})

t.test(
  'a barrier that fails, or is answered too late, proves nothing and is asked again',
  async (t) => {
    const bench = doubtful()
    const first = barrierIn(look(bench)) ?? 0
    const fault = { ok: false, error: { code: 'FAILED', message: 'a call stands' } } as const
    t.match(bench.input(barred(first, fault)), [{ kind: 'log', level: 'warn' }])
    const second = barrierIn(look(bench)) ?? 0
    t.strictSame(bench.input(barred(second, fault)), [], 'said once')
    const third = barrierIn(look(bench)) ?? 0
    t.equal(barrierIn(look(bench)), undefined, 'one at a time')
    bench.input({ kind: 'callTimedOut', callId: third })
    bench.answerQueries(commands(bench.input(barred(third))))
    t.equal(bench.state.laneClearedMs.size, 0)
    lookLong(bench)
    t.match(order(bench), { status: 'inDoubt' })
  },
)

t.test(
  'a barrier speaks for what was in doubt when it was asked for, and for nothing later',
  async (t) => {
    const bench = doubtful()
    const barrier = barrierIn(look(bench)) ?? 0
    const [other] = submitsIn(bench.place({ key: keyOf(9), requestHash: 'h9', quantity: 200 }))
    bench.input({ kind: 'callTimedOut', callId: other?.callId ?? 0 })
    t.match(bench.state.orders.get(keyOf(9)), { status: 'inDoubt' })
    bench.answerQueries(commands(bench.input(barred(barrier))))
    t.strictSame([...bench.state.laneClearedMs.keys()], [KEY])
  },
)

t.test('the clearance of one connection does not count on the next', async (t) => {
  const bench = doubtful()
  doubtPoll(bench)
  bench.input(gone)
  t.equal(bench.state.laneClearedMs.size, 0)
  recovered(bench)
  lookLong(bench)
  t.match(order(bench), { status: 'inDoubt' })
  settle(bench)
  t.match(order(bench), { status: 'rejected' })
})

t.test(
  'what an earlier life sent is cleared by a barrier of this one, not by its lists',
  async (t) => {
    const first = doubtful()
    doubtPoll(first)
    const second = reborn(first)
    started(second)
    lookLong(second)
    t.match(order(second), { status: 'inDoubt' })
    settle(second)
    t.match(order(second), { status: 'rejected' })
  },
)

const FORMER_MS = 38_500

/** Another computer has taken the account over, with the order of the first one in doubt. */
function takenOver(): Bench {
  const bench = reborn(doubtful(), { formerCallsMs: FORMER_MS })
  started(bench)
  return bench
}

t.test(
  'F210 what the owner before has begun is lost only once none of it can arrive',
  async (t) => {
    const bench = takenOver()
    const fromMs = bench.wallMs
    for (let i = 0; i < 3; i++) {
      settle(bench)
      t.match(order(bench), { status: 'inDoubt' }, 'the client here knows nothing of that call')
      t.strictSame(submitsIn(bench.place({ key: keyOf(9), requestHash: 'another' })), [])
    }
    bench.wallMs = fromMs + FORMER_MS - 1
    t.equal(barrierIn(look(bench)), undefined, 'not the last moment either')
    bench.wallMs += 1
    settle(bench)
    t.match(order(bench), { status: 'rejected', orderId: '' })
  },
)

t.test(
  'F210 what the owner before has begun and arrives late is found by its remark',
  async (t) => {
    const bench = takenOver()
    settle(bench)
    look(bench, { orders: [brokerOrder()] })
    t.match(order(bench), { orderId: '1001', status: 'accepted' })
  },
)

t.test('F210 nobody may say "never taken" just after the account was taken over', async (t) => {
  const bench = doubtful()
  look(bench)
  bench.wallMs += doubtQuarantineMs
  look(bench)
  const next = reborn(bench, { formerCallsMs: FORMER_MS })
  started(next)
  doubtPoll(next)
  const [refused] = resolve(next, '').flatMap((effect) =>
    effect.kind === 'refuse' ? [effect.error] : [],
  )
  t.match(refused, { code: 'ORDER_IN_DOUBT_HELD', message: /taken the account over/ })
  next.wallMs += FORMER_MS
  doubtPoll(next)
  t.match(replies(resolve(next, '')), [{ state: 'rejected' }])
})

t.test('its own remark binds it at any time', async (t) => {
  const bench = doubtful()
  look(bench, { orders: [brokerOrder()] })
  t.match(order(bench), { orderId: '1001', status: 'accepted' })
  const filled = doubtful()
  look(filled, { deals: [brokerDeal()] })
  t.match(order(filled), { orderId: '1001', status: 'filled' })
})

t.test('uncleared for too long it is quarantined, and people read what stands', async (t) => {
  const bench = doubtful()
  const message = '1 order call still stands in the trading client’s library'
  const fault = { ok: false, error: { code: 'FAILED', message } } as const
  const orders = [brokerOrder({ clientOrderId: '' })]
  bench.input(barred(barrierIn(look(bench, { orders })) ?? 0, fault))
  bench.wallMs += doubtQuarantineMs
  look(bench, { orders })
  t.match(order(bench), { status: 'inDoubt', isQuarantined: true })
  t.match(order(bench)?.statusMessage, message)
  t.match(order(bench)?.statusMessage, '1001', 'and which row it may be')
})

t.test('nobody may say "never taken" of an order that may still arrive', async (t) => {
  const bench = doubtful()
  const orders = [brokerOrder({ clientOrderId: '' })]
  unclear(bench, { orders })
  bench.wallMs += doubtQuarantineMs
  unclear(bench, { orders })
  t.match(order(bench), { isQuarantined: true, statusMessage: /可能为委托 1001/ })
  const [refused] = resolve(bench, '').flatMap((effect) =>
    effect.kind === 'refuse' ? [effect.error] : [],
  )
  t.match(refused, { code: 'ORDER_IN_DOUBT_HELD', message: /重启交易客户端.*may still arrive/ })
  doubtPoll(bench, { orders })
  t.match(order(bench), { isQuarantined: true }, 'no machine decides it any more')
  t.notMatch(order(bench)?.statusMessage, /到达/, 'and people read that it cannot arrive')
  t.match(replies(resolve(bench, '')), [{ clientOrderId: KEY, state: 'rejected' }])
})

t.test('a number of the list may be named at any time', async (t) => {
  const bench = doubtful()
  const orders = [brokerOrder({ clientOrderId: '' })]
  look(bench, { orders })
  bench.wallMs += doubtQuarantineMs
  look(bench, { orders })
  t.strictSame(refusals(resolve(bench, '')), ['ORDER_IN_DOUBT_HELD'])
  t.match(replies(resolve(bench, '1001')), [{ orderId: '1001', state: 'accepted' }])
})

t.test(
  'a quarantined order is cleared over a reconnect, so that a person can decide',
  async (t) => {
    const bench = doubtful()
    look(bench)
    bench.wallMs += doubtQuarantineMs
    look(bench)
    bench.input(gone)
    recovered(bench)
    t.strictSame(refusals(resolve(bench, '')), ['ORDER_IN_DOUBT_HELD'])
    doubtPoll(bench)
    t.match(replies(resolve(bench, '')), [{ state: 'rejected' }])
    t.strictSame(commands(bench.input(timer('doubt'))).length, 0, 'nothing is left to ask')
  },
)

t.test(
  'an order that never left its queue is refused, whatever was thought of it before',
  async (t) => {
    const bench = doubtful()
    const outcome = {
      kind: 'rejected',
      message: 'the calls before it have taken too long',
    } as const
    bench.input(said({ kind: 'submitAnswered', callId: 0, clientOrderId: KEY, outcome }))
    t.match(order(bench), { status: 'rejected', orderId: '' })
    t.equal(bench.state.laneClearedMs.size, 0)
  },
)
