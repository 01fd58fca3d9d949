import t from 'tap'
import type { ReorderPriceMode } from '../../../../src/account/model/policy.ts'
import { nextOrderMs } from '../../../../src/account/strategies/run.ts'
import type { SignalOrder } from '../../../../src/account/strategies/stop-profit/follow-up.ts'
import { reorderPrice } from '../../../../src/account/strategies/stop-profit/keep-place.ts'
import type { Price, Quantity } from '../../../../src/domain/money.ts'
import type { Quote } from '../../../../src/ports/quotes.port.ts'
import { BANK, Bench, brokerPosition, commands, MORNING_MS, policy, yuan } from '../../fixture.ts'
import { count, said, timer } from '../../play.ts'
import { acting, BOOK, Chain, PURCHASE, SALE } from './chain.ts'

const DAY_MS = 86_400_000

t.test(
  'an order of a signal has a moment at which it is canceled: 30 s, others 5 min',
  async (t) => {
    t.equal(nextOrderMs(new Chain().bench.state, 0), MORNING_MS + 30_000)
    t.equal(nextOrderMs(new Chain(PURCHASE).bench.state, 0), MORNING_MS + 300_000)
    const manual = new Bench().ready()
    manual.place()
    t.equal(nextOrderMs(manual.state, 0), Number.POSITIVE_INFINITY)
    const isAutoCancel = false
    const off = { ...policy, pending: { ...policy.pending, isAutoCancel } }
    const { state } = new Chain().bench
    t.equal(nextOrderMs({ ...state, policy: off }, 0), Number.POSITIVE_INFINITY)
  },
)

t.test('when its time is up it is canceled, once; before that it is not', async (t) => {
  const chain = new Chain()
  chain.bench.nowMs += 29_999
  t.strictSame(commands(chain.bench.input({ kind: 'alarm' })), [])
  t.match(commands(chain.ring()), [{ kind: 'cancel', orderId: '1001' }])
  t.match(chain.last, { status: 'pendingCancel', isReorderWanted: true })
  t.strictSame(commands(chain.bench.input({ kind: 'alarm' })), [])
  t.equal(nextOrderMs(chain.bench.state, chain.bench.nowMs), Number.POSITIVE_INFINITY)
})

t.test('the rest is sent again at the third level of the other side, as what it is', async (t) => {
  const cases = [
    [SALE, { side: 'sell', price: yuan(36.47), strategy: 'reorder_stop_loss' }],
    [PURCHASE, { side: 'buy', price: yuan(36.53), strategy: 'reorder_add_position' }],
  ] as const
  for (const [signal, expected] of cases) {
    const chain = new Chain(signal)
    const first = chain.last
    chain.fill(100)
    if (signal === PURCHASE) chain.show(1_100)
    chain.ring()
    const sent = commands(chain.report({ status: 53, filledQuantity: 100 as Quantity }))
    t.match(sent, [{ kind: 'submit', order: { ...expected, quantity: 200, priceType: 11 } }])
    t.match(chain.last, {
      signalType: signal.signalType,
      chain: { rootClientOrderId: first.clientOrderId, targetQuantity: 300, attempt: 1 },
    })
    t.equal(chain.bench.state.orders.get(first.clientOrderId)?.isReorderWanted, undefined)
  }
})

t.test('nothing is sent again before the fills that the client counts are booked', async (t) => {
  const chain = new Chain()
  chain.ring()
  const effects = chain.report({ status: 53, filledQuantity: 100 as Quantity })
  t.match(commands(effects), [{ kind: 'query', what: 'deals' }])
  t.match(commands(chain.fill(100)), [{ kind: 'submit', order: { quantity: 200 } }])
})

t.test('an intent is sent again three times; then its last order works on', async (t) => {
  const chain = new Chain()
  for (let attempt = 1; attempt <= 3; attempt++) {
    chain.ring()
    chain.report({ status: 54 })
    chain.accept()
  }
  t.equal(chain.orders.length, 4)
  for (let i = 0; i < 5; i++) t.strictSame(commands(chain.ring()), [], 'it is not canceled')
  t.match(chain.last, { strategy: 'reorder_stop_loss', status: 'accepted', keptFor: 'used_up' })
  t.equal(count(chain.bench, 'orderKept'), 1, 'told once')
  t.equal(count(chain.bench, 'reorderDropped'), 0)
  chain.bench.signal(SALE)
  t.equal(chain.orders.length, 4, 'and nothing new is sent while it rests')
})

t.test(
  'F396 each part of a holding that is sold in parts has three tries of its own',
  async (t) => {
    const chain = new Chain()
    const again = () => {
      chain.ring()
      chain.report({ status: 54 })
      chain.accept()
    }
    again()
    again()
    chain.fill(300)
    t.match(chain.last, { status: 'filled', chain: { attempt: 2 } })
    chain.show(700)
    chain.bench.nowMs += 1_000
    chain.bench.signal(SALE)
    chain.accept()
    t.match(chain.last, { quantity: 300, strategy: 'stop_loss' }, 'the next part')
    for (let attempt = 1; attempt <= 3; attempt++) {
      again()
      t.match(chain.last, { strategy: 'reorder_stop_loss', chain: { attempt } })
    }
    t.equal(count(chain.bench, 'orderKept'), 0)
    for (let i = 0; i < 5; i++)
      t.strictSame(commands(chain.ring()), [], 'then its last order works on')
    t.match(chain.last, { keptFor: 'used_up' })
  },
)

t.test('fills of all its orders together never exceed the intent', async (t) => {
  const chain = new Chain()
  chain.ring()
  chain.fill(100)
  chain.report({ status: 53, filledQuantity: 100 as Quantity })
  chain.accept()
  chain.ring()
  chain.fill(100)
  chain.report({ status: 53, filledQuantity: 100 as Quantity })
  t.match(chain.last, { quantity: 100, chain: { attempt: 2 } })
  chain.accept()
  chain.ring()
  chain.fill(100)
  t.match(chain.last, { status: 'filled' })
  t.equal(
    chain.orders.reduce((sum, order) => sum + order.filledQuantity, 0),
    300,
  )
  t.equal(count(chain.bench, 'orderSubmitted'), 3)
})

t.test('F400 a limit on how far a price may be from the last one refuses no rest', async (t) => {
  for (const [priceMode, last, price] of [
    ['best', 36.5, 36.49], // the third bid, 36.47, is farther than 0.05 %
    ['best', 36.48, 36.47],
    ['limit', 36.2, 36.21], // the price of the signal was 36.40
  ] as const) {
    const bench = acting({ priceMode }, { priceDeviation: 0.0005 }).ready([brokerPosition()])
    const chain = new Chain(SALE, bench)
    bench.quotes.set(BANK, { ...BOOK, lastPrice: yuan(last) })
    chain.ring()
    const sent = commands(chain.report({ status: 54 }))
    t.match(sent, [{ kind: 'submit', order: { quantity: 300, price: yuan(price) } }])
  }
})

t.test('F835 a rest lies on a step of its stock though the last price does not', async (t) => {
  const lastPrice = yuan(36.405)
  const none = [0, 0, 0, 0, 0] as Price[]
  for (const [priceMode, seen] of [
    ['market', {}],
    ['best', { bid: none, ask: none }],
  ] as const) {
    const bench = acting({ priceMode }).ready([brokerPosition()])
    const chain = new Chain(SALE, bench)
    bench.quotes.set(BANK, { ...BOOK, lastPrice, ...seen })
    chain.ring()
    const sent = commands(chain.report({ status: 54 }))
    t.match(sent, [{ kind: 'submit', order: { quantity: 300, price: yuan(36.4) } }], priceMode)
  }
})

t.test('what a person cancels is not sent again', async (t) => {
  const byHand = { kind: 'cancelOrder', orderId: '1001', source: 'user' } as const
  const early = new Chain()
  early.bench.input({ kind: 'request', ref: 9, request: byHand })
  early.report({ status: 54 })
  t.equal(early.orders.length, 1)
  const late = new Chain()
  late.ring()
  late.bench.input({ kind: 'request', ref: 9, request: byHand })
  late.report({ status: 54 })
  t.equal(late.orders.length, 1)
})

t.test('the rest of yesterday is not sent today', async (t) => {
  const chain = new Chain()
  const { bench } = chain
  chain.ring()
  chain.report({ status: 53, filledQuantity: 100 as Quantity })
  bench.nowMs += DAY_MS
  bench.wallMs += DAY_MS
  bench.quotes.set(BANK, { ...BOOK, timeMs: bench.nowMs })
  bench.input({ kind: 'dayOpened', day: '2026-08-12' })
  chain.fill(100)
  t.equal(chain.orders.length, 1, 'although its fills are known only now')
  t.equal(count(bench, 'reorderDropped'), 1)
})

t.test('what ends another way is not sent again either', async (t) => {
  const refused = new Chain()
  refused.ring()
  refused.report({ status: 57 })
  t.equal(refused.orders.length, 1)
  const expired = new Chain()
  expired.ring()
  expired.bench.nowMs += DAY_MS
  expired.bench.input({ kind: 'dayOpened', day: '2026-08-12' })
  t.equal(expired.orders.length, 1)
  t.equal(expired.bench.state.tracked.size, 0)
})

t.test('a purchase is sent again in whole lots', async (t) => {
  const chain = new Chain(PURCHASE)
  chain.ring()
  chain.fill(130)
  chain.report({ status: 53, filledQuantity: 130 as Quantity })
  t.equal(chain.orders.length, 1, 'not before holding and cash show what was filled')
  chain.show(1_130)
  t.match(chain.last, { quantity: 100, chain: { attempt: 1 } })
  const rest = new Chain(PURCHASE)
  rest.ring()
  rest.fill(230)
  rest.report({ status: 53, filledQuantity: 230 as Quantity })
  t.equal(rest.orders.length, 1, 'less than a lot is left')
})

t.test('it waits until the shares are free again, and until nothing is in doubt', async (t) => {
  const frozen = brokerPosition({ sellable: 0 as Quantity })
  const chain = new Chain()
  chain.bench.input(said({ kind: 'positionPushed', position: frozen }))
  chain.ring()
  chain.report({ status: 54 })
  t.equal(chain.orders.length, 1)
  chain.bench.input(said({ kind: 'positionPushed', position: brokerPosition() }))
  t.equal(chain.orders.length, 2)
  t.equal(count(chain.bench, 'orderDenied'), 0)
})

t.test('a switch that is off ends the intent', async (t) => {
  const chain = new Chain()
  chain.ring()
  const request = { kind: 'saveConfig', changes: { allowSell: false }, source: 'user' } as const
  chain.bench.input({ kind: 'request', ref: 9, request })
  chain.report({ status: 54 })
  t.equal(chain.orders.length, 1)
  t.equal(count(chain.bench, 'reorderDropped'), 1)
})

t.test(
  'a refusal that may pass is asked about again by the market clock, a few times',
  async (t) => {
    const chain = new Chain()
    chain.ring()
    const stop = { kind: 'setKillSwitch', level: 'all', reason: '', source: 'user' } as const
    chain.bench.input({ kind: 'request', ref: 9, request: stop })
    chain.report({ status: 54 })
    t.equal(nextOrderMs(chain.bench.state, chain.bench.nowMs), chain.bench.nowMs + 1_000)
    const go = { ...stop, level: 'off' } as const
    chain.bench.input({ kind: 'request', ref: 10, request: go })
    t.equal(chain.orders.length, 1, 'not before its moment')
    chain.ring()
    t.equal(chain.orders.length, 2)

    const never = new Chain()
    never.ring()
    never.bench.input({ kind: 'request', ref: 9, request: stop })
    never.report({ status: 54 })
    for (let i = 0; i < 2; i++) never.ring()
    t.equal(never.orders.length, 1)
    t.equal(count(never.bench, 'orderDenied'), policy.pending.triesMax)
    t.equal(count(never.bench, 'reorderDropped'), 1)
  },
)

t.test('an order in doubt is not canceled; it keeps back what would follow it', async (t) => {
  const bench = new Bench().ready([brokerPosition()])
  bench.quotes.set(BANK, BOOK)
  const [submit] = commands(bench.signal(SALE))
  bench.input({ kind: 'callTimedOut', callId: submit?.callId ?? 0 })
  bench.nowMs += 3_600_000
  t.strictSame(commands(bench.input({ kind: 'alarm' })), [])
  bench.signal(SALE)
  t.equal(count(bench, 'orderSubmitted'), 1)
})

t.test('one intent at a time for a stock and side', async (t) => {
  const chain = new Chain()
  chain.bench.signal({ ...SALE, signalType: 'take_profit_full' })
  t.equal(chain.orders.length, 1)
  chain.bench.signal({ ...PURCHASE, quantity: 100 as Quantity })
  t.equal(chain.orders.length, 2)
  chain.bench.input(timer('poll'))
  t.match(
    chain.orders.map(({ strategy }) => strategy),
    ['stop_loss', 'add_position'],
  )
})

t.test('the price of a resubmission follows its chain', async (t) => {
  const none = 0 as Price
  const bare: Quote = { ...BOOK, bid: [], ask: [] }
  const silent: Quote = { ...bare, lastPrice: none }
  const dead: Quote = { ...silent, lastClose: none }
  const rows: readonly [ReorderPriceMode, Quote | undefined, number][] = [
    ['best', BOOK, 36.47],
    ['best', { ...BOOK, bid: [yuan(36.49), none, none] }, 36.49],
    ['best', bare, 36.5],
    ['best', silent, 36],
    ['best', dead, 36.4],
    ['best', undefined, 36.4],
    ['market', BOOK, 36.5],
    ['market', silent, 36],
    ['market', dead, 36.4],
    ['limit', BOOK, 36.4],
    // What goes further than 2 % below the best bid is refused by the exchange.
    ['best', { ...BOOK, bid: [36.5, 36, 35.5].map(yuan) }, 35.77],
    ['market', { ...BOOK, lastPrice: yuan(35) }, 35.77],
    ['limit', { ...BOOK, bid: [38, 37.9, 37.8].map(yuan) }, 37.24],
  ]
  for (const [mode, book, expected] of rows) {
    const order = { code: BANK, side: 'sell', signalPrice: yuan(36.4) } as const
    t.equal(reorderPrice(mode, order, book), yuan(expected), mode)
  }
  const order = { code: BANK, side: 'sell', signalPrice: none } as const
  t.equal(reorderPrice('limit', order, dead), 0, 'none is none')
})

t.test('a signal whose order the broker refused is not sent again at once', async (t) => {
  const { positionQueryIntervalMs } = policy.limits
  const chain = new Chain()
  const { bench } = chain
  chain.report({ status: 57, statusMessage: '可用股份不足' })
  t.equal(chain.last.status, 'rejected')
  const submits = (signal: SignalOrder) =>
    commands(bench.signal(signal)).filter(({ kind }) => kind === 'submit').length
  t.equal(submits(SALE), 0, 'however often it arises')
  t.equal(submits(PURCHASE), 1, 'the other side is another matter')
  bench.nowMs += positionQueryIntervalMs - 1
  t.equal(submits(SALE), 0)
  bench.nowMs += 1
  t.equal(submits(SALE), 1, 'once the holdings have been asked for again')
})
