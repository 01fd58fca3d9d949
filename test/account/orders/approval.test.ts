import t from 'tap'
import { apply } from '../../../src/account/fold/apply.ts'
import type { AccountPolicy, RiskPolicy } from '../../../src/account/model/policy.ts'
import { emptyState } from '../../../src/account/model/state.ts'
import type { Effect } from '../../../src/account/turn/turn.ts'
import { inBoth } from '../../../src/domain/in-both.ts'
import type { StockCode } from '../../../src/domain/instrument.ts'
import type { Money, Quantity } from '../../../src/domain/money.ts'
import type { ExecuteBuy, ExecuteSell, PlaceOrder } from '../../../src/protocol/orders.ts'
import {
  BANK,
  Bench,
  brokerOrder,
  brokerPosition,
  commands,
  KEY,
  MORNING_MS,
  policy,
  quote,
  refusals,
  replies,
  yuan,
} from '../fixture.ts'

const OTHER = '000001.SZ' as StockCode
const keyOf = (n: number) => KEY.slice(0, -2) + String(n).padStart(2, '0')
const ruled = (risk: Partial<RiskPolicy>, fields: Partial<AccountPolicy> = {}) =>
  new Bench(emptyState({ ...policy, ...fields, risk: { ...policy.risk, ...risk } }))
const save = (bench: Bench, changes: Record<string, boolean | number>) =>
  bench.input({
    kind: 'request',
    ref: 90,
    request: { kind: 'saveConfig', changes, source: 'test' },
  })
const messages = (effects: readonly Effect[]) =>
  effects.flatMap((effect) => (effect.kind === 'refuse' ? [effect.error.message] : []))
const sent = (effects: readonly Effect[]) =>
  commands(effects).filter(({ kind }) => kind === 'submit')
const denied = (bench: Bench) => bench.journal.filter(({ event }) => event.kind === 'orderDenied')
const cashIs = (bench: Bench, amount: number) => {
  const units = yuan(amount) as number as Money
  const none = 0 as Money
  const asset = { available: units, frozen: none, marketValue: none, total: units }
  return bench.input({ kind: 'driver', event: { kind: 'assetPushed', asset } })
}
const answer = (bench: Bench, effects: readonly Effect[], orderId = '1001') => {
  const [command] = commands(effects)
  if (command?.kind !== 'submit') throw new Error('nothing was sent')
  return bench.input({
    kind: 'driver',
    event: {
      kind: 'submitAnswered',
      callId: command.callId,
      clientOrderId: command.order.clientOrderId,
      outcome: { kind: 'accepted', orderId },
    },
  })
}
/** What a start finds on the disk. */
const restarted = (bench: Bench) => {
  const loaded = emptyState(bench.state.policy)
  for (const event of bench.journal) apply(loaded, event)
  return new Bench(loaded)
}

t.test(
  'a refused order is not sent, is no order, and is in the journal with its reason',
  async (t) => {
    const bench = new Bench().ready()
    const effects = bench.place({ quantity: 150 })
    t.strictSame(refusals(effects), ['LOT_SIZE'])
    t.strictSame(commands(effects), [])
    t.equal(bench.state.orders.size, 0)
    t.match(denied(bench), [
      {
        event: {
          clientOrderId: KEY,
          stockCode: BANK,
          side: 'buy',
          quantity: 150,
          priceType: 11,
          price: yuan(36.5),
          strategy: 'manual',
          code: 'LOT_SIZE',
          source: 'test',
          message: /整数倍/,
        },
      },
    ])
  },
)

t.test(
  'the same key gives the same refusal, also when the reason is gone, also after a restart',
  async (t) => {
    const first = new Bench().ready()
    save(first, { allowBuy: false })
    const message = messages(first.place())
    t.match(message, ['买入权限已关闭 (allowBuy is off)'])
    save(first, { allowBuy: true })
    for (const bench of [first, restarted(first).ready()]) {
      const again = bench.place()
      t.strictSame(refusals(again), ['BUY_NOT_ALLOWED'])
      t.strictSame(messages(again), message)
      t.strictSame(refusals(bench.place({ requestHash: 'h2' })), ['IDEMPOTENCY_MISMATCH'])
      t.equal(commands(bench.place({ key: keyOf(1) })).length, 1, 'another key is another order')
    }
    t.equal(denied(first).filter(({ event }) => 'requestHash' in event).length, 1, 'told once')
  },
)

t.test('a refusal that says "not now" leaves the key free', async (t) => {
  const bench = new Bench()
  bench.input({ kind: 'started', incarnation: 1, day: '2026-08-11' })
  t.strictSame(refusals(bench.place()), ['NOT_CONNECTED'])
  t.equal(denied(bench).length, 1)
  const ready = restarted(bench).ready()
  t.equal(commands(ready.place()).length, 1)
})

t.test(
  'a bounded number of refusals is kept; a key that was forgotten is judged anew',
  async (t) => {
    const { denialsMax } = policy.limits
    const bench = new Bench().ready()
    save(bench, { allowBuy: false })
    for (let n = 0; n <= denialsMax; n++) bench.place({ key: keyOf(n) })
    save(bench, { allowBuy: true })
    t.equal(bench.state.denials.size, denialsMax)
    t.equal(commands(bench.place({ key: keyOf(0) })).length, 1)
    t.strictSame(refusals(bench.place({ key: keyOf(1) })), ['BUY_NOT_ALLOWED'])
  },
)

t.test('refusals are forgotten with the orders of their day', async (t) => {
  const bench = new Bench().ready()
  bench.place({ quantity: 150 })
  for (const [day, kept] of [
    ['2026-08-12', 1],
    ['2026-08-13', 1],
    ['2026-08-14', 0],
  ] as const) {
    bench.nowMs += 86_400_000
    bench.input({ kind: 'dayOpened', day })
    t.equal(bench.state.denials.size, kept, day)
  }
})

t.test(
  'a refusal uses up an own number, so that the next order without a key gets another',
  async (t) => {
    const bench = new Bench().ready()
    const before = bench.state.idCounter
    bench.place({ quantity: 150 })
    t.equal(bench.state.idCounter, before + 1)
  },
)

t.test('cash and shares of orders that are not answered are spoken for', async (t) => {
  const bench = new Bench().ready([brokerPosition()])
  cashIs(bench, 7_000)
  const bought = bench.place()
  t.equal(commands(bought).length, 1)
  t.strictSame(refusals(bench.place({ key: keyOf(1) })), ['INSUFFICIENT_CASH'])
  answer(bench, bought)
  cashIs(bench, 7_000 - 3_655.04)
  t.strictSame(refusals(bench.place({ key: keyOf(2), price: yuan(36.51) })), ['INSUFFICIENT_CASH'])
  t.equal(commands(bench.place({ key: keyOf(3), price: yuan(33) })).length, 1)

  const sale = { side: 'sell', quantity: 600 } as const
  const sold = bench.place({ key: keyOf(4), ...sale })
  t.equal(commands(sold).length, 1)
  t.strictSame(refusals(bench.place({ key: keyOf(5), ...sale })), ['INSUFFICIENT_SELLABLE'])
  t.equal(commands(bench.place({ key: keyOf(6), side: 'sell', quantity: 400 })).length, 1)
  t.strictSame(refusals(bench.place({ key: keyOf(7), side: 'sell' })), ['INSUFFICIENT_SELLABLE'])
})

t.test('so many orders within a second, the others wait; cancels always pass', async (t) => {
  const bench = ruled({ maxOrdersPerSecond: 2 }).ready()
  const place = (n: number) => bench.place({ key: keyOf(n), price: yuan(30 + n / 100) })
  const first = place(1)
  place(2)
  t.strictSame(sent(place(3)), [])
  answer(bench, first)
  const request = { kind: 'cancelOrder', orderId: '1001', source: 'test' } as const
  t.equal(commands(bench.input({ kind: 'request', ref: 8, request })).length, 1)
  bench.wallMs += 999
  t.strictSame(sent(place(4)), [])
  bench.nowMs += 1_500
  t.strictSame(sent(place(5)), [], 'a market clock that is set is no reason')
  bench.wallMs += 1
  t.equal(bench.state.queue.length, 3)
  bench.nowMs -= 90_000
  t.equal(sent(bench.input({ kind: 'timer', name: 'queue' })).length, 2)
})

t.test('where market time is not real time a second of either clock makes room', async (t) => {
  const risk = { ...policy.risk, maxOrdersPerSecond: 2 }
  const bench = new Bench(emptyState({ ...policy, risk, tempo: 'other' })).ready()
  const place = (n: number) => sent(bench.place({ key: keyOf(n), price: yuan(30 + n / 100) }))
  t.strictSame([place(1), place(2), place(3)].flat().length, 2)
  bench.wallMs += 1_000
  t.equal(place(4).length, 2, 'market time stands still: a replay that is paused')
  t.strictSame(place(5), [])
  bench.nowMs += 1_000
  t.equal(place(6).length, 2, 'real time stands still: a replay at full speed')
})

t.test('orders of the day are counted over restarts, those of others are not', async (t) => {
  const bench = ruled({ maxOrdersPerDay: 2 }).ready()
  const foreign = { ...brokerOrder({ orderId: '77', clientOrderId: '' }) }
  bench.input({ kind: 'driver', event: { kind: 'orderPushed', order: foreign } })
  bench.place({ key: keyOf(1) })
  bench.place({ key: keyOf(2), quantity: 150 })
  t.equal(commands(bench.place({ key: keyOf(3), code: OTHER })).length, 1)
  const later = restarted(bench).ready()
  t.strictSame(refusals(later.place({ key: keyOf(4), code: '000002.SZ' })), ['ORDER_COUNT'])
  later.nowMs += 86_400_000
  later.input({ kind: 'dayOpened', day: '2026-08-12' })
  t.equal(commands(later.place({ key: keyOf(5), code: '000002.SZ' })).length, 1, 'a new day')
})

t.test(
  'an order like one that is open is a duplicate; a changed or ended one is not',
  async (t) => {
    const bench = ruled({ refuseDuplicates: true }).ready([brokerPosition()])
    answer(bench, bench.place())
    t.strictSame(refusals(bench.place({ key: keyOf(1) })), ['DUPLICATE_ORDER'])
    const others: Partial<PlaceOrder>[] = [
      { quantity: 200 },
      { price: yuan(36.49) },
      { code: OTHER },
      { side: 'sell' },
      { priceType: 5, price: 0 },
    ]
    others.forEach((fields, n) => {
      t.equal(commands(bench.place({ key: keyOf(10 + n), ...fields })).length, 1)
    })
    const report = brokerOrder({ clientOrderId: keyOf(14), orderId: '1014', priceType: 5 })
    bench.input({ kind: 'driver', event: { kind: 'orderPushed', order: report } })
    t.strictSame(
      refusals(bench.place({ key: keyOf(20), priceType: 5, price: 0 })),
      ['DUPLICATE_ORDER'],
      'whatever price the trading client gave it',
    )
    bench.input({
      kind: 'driver',
      event: { kind: 'orderPushed', order: brokerOrder({ status: 54 }) },
    })
    t.equal(commands(bench.place({ key: keyOf(21) })).length, 1)
  },
)

const BUY: ExecuteBuy = {
  kind: 'executeBuy',
  key: KEY,
  keys: [keyOf(1), keyOf(2), keyOf(3)],
  requestHash: 'h',
  strategy: 'custom_stock',
  count: 3,
  codes: [BANK, OTHER, '000002.SZ'],
  source: 'test',
}

t.test(
  'of several stocks those refused are named with their reasons; asked again it is the same',
  async (t) => {
    const bench = new Bench().ready()
    bench.quotes.set(BANK, quote(36))
    bench.quotes.set(OTHER, quote(35))
    cashIs(bench, 40_000) // enough for one unit of 35 000 yuan, not for two
    const buy = () => bench.input({ kind: 'request', ref: 1, request: BUY })
    const sent = buy()
    t.match(commands(sent), [{ order: { code: BANK, quantity: 900 } }])
    const [told] = replies(answer(bench, sent))
    t.match(told, {
      successCount: 1,
      totalCount: 3,
      message:
        /^已提交 1\/3 笔委托 \(.*\)；未提交 \(not sent\)：000001 可用资金不足.*；000002 无行情 \(.*\)$/,
    })
    t.equal(
      inBoth((told as { message: string }).message).en,
      '1 of 3 orders sent; not sent: 000001 insufficient cash: 35,010.85 needed with fees, 7,589.96 available; 000002 no price',
      'also to whoever reads English alone',
    )
    cashIs(bench, 1_000_000)
    const again = buy()
    t.strictSame(commands(again), [])
    t.match(replies(again), [{ message: (told as { message: string }).message }])
  },
)

t.test('when every stock was refused by a rule, the key is used up too', async (t) => {
  const bench = new Bench().ready()
  bench.quotes.set(BANK, quote(36))
  save(bench, { allowBuy: false })
  const buy = () => bench.input({ kind: 'request', ref: 1, request: { ...BUY, count: 1 } })
  t.match(replies(buy()), [{ successCount: 0, totalCount: 1 }])
  save(bench, { allowBuy: true })
  const again = buy()
  t.strictSame(commands(again), [])
  t.match(replies(again), [{ successCount: 0, message: /买入权限已关闭/ }])
})

const SELL: ExecuteSell = {
  kind: 'executeSell',
  key: KEY,
  requestHash: 'h',
  code: BANK,
  priceType: 5,
  price: 0,
  source: 'test',
}

t.test('a sale by hand: without permission it sells nothing, any other rule refuses', async (t) => {
  const bench = new Bench().ready([brokerPosition({ sellable: 250 as Quantity })])
  bench.quotes.set(BANK, quote(36))
  const sell = (n: number, fields: Partial<ExecuteSell>) =>
    bench.input({ kind: 'request', ref: n, request: { ...SELL, key: keyOf(n), ...fields } })
  t.strictSame(refusals(sell(1, { quantity: 300 })), ['INSUFFICIENT_SELLABLE'])
  t.strictSame(refusals(sell(2, { quantity: 10 })), ['LOT_SIZE'])
  t.match(commands(sell(3, { ratio: 0.5 })), [{ order: { quantity: 100 } }])
  t.match(commands(sell(4, { ratio: 0.5 })), [{ order: { quantity: 100 } }], 'of what is left')
  t.match(commands(sell(5, { ratio: 0.5 })), [{ order: { quantity: 50 } }], 'the odd rest, whole')
  t.strictSame(refusals(sell(6, { ratio: 1 })), ['INSUFFICIENT_SELLABLE'])
  save(bench, { allowSell: false })
  const blocked = sell(7, { quantity: 50 })
  t.match(replies(blocked), [{ successCount: 0, totalCount: 1, message: /卖出权限已关闭/ }])
})

/** Shares that a part of so many sells. */
function sold(sellable: number, ratio: number, code = BANK) {
  const shares = sellable as Quantity
  const bench = new Bench().ready([brokerPosition({ code, quantity: shares, sellable: shares })])
  bench.quotes.set(code, quote(36))
  const request = { ...SELL, code, key: keyOf(1), ratio }
  const asked = bench.input({ kind: 'request', ref: 1, request })
  return commands(asked).map((command) => command.kind === 'submit' && command.order.quantity)
}

t.test('a part by hand that is below a lot sells one lot, never the whole holding', async (t) => {
  t.strictSame(sold(1_000, 0.05), [100])
  t.strictSame(sold(150, 0.5), [100])
  t.strictSame(sold(99, 0.05), [99], 'less than a lot may not be split')
  t.strictSame(sold(10_000, 0.57), [5_700], 'no float noise')
})

t.test('F428 all of a holding is all of it, with its odd remainder', async (t) => {
  t.strictSame(sold(250, 0.99), [200])
  t.strictSame(sold(250, 1), [250])
  t.strictSame(sold(350, 1, '688981.SH' as typeof BANK), [350], 'what is left would be below a lot')
})

t.test('rules see the market of the moment: hours, halt, limits, age of the quote', async (t) => {
  const bench = ruled({ staleQuoteMs: 60_000 }).ready()
  const refusal = (n: number, fields: Partial<PlaceOrder> = {}) =>
    refusals(bench.place({ key: keyOf(n), ...fields }))
  bench.quotes.set(BANK, quote(0))
  t.strictSame(refusal(1), ['HALTED'])
  bench.quotes.set(BANK, quote(36))
  t.strictSame(refusal(2, { price: yuan(39.61) }), ['PRICE_LIMIT'])
  t.strictSame(refusal(3), [])
  bench.nowMs += 60_001
  t.strictSame(refusal(4), ['STALE_QUOTE'])
  bench.nowMs = MORNING_MS + 2 * 3_600_000
  t.strictSame(refusal(5), ['OUTSIDE_SESSION'])
  const always = ruled({}, { isAlwaysOpen: true }).ready()
  always.nowMs = bench.nowMs
  t.equal(commands(always.place()).length, 1)
})

t.test('a code without a quote is left to the broker', async (t) => {
  const bench = ruled({ staleQuoteMs: 1, priceDeviation: 0.01 }).ready()
  t.equal(commands(bench.place({ code: '000777.SZ', priceType: 5, price: 0 })).length, 1)
})
