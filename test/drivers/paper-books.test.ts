import t from 'tap'
import { applyChanges, booksOf } from '../../src/drivers/paper/books.ts'
import { Draft } from '../../src/drivers/paper/draft.ts'
import { step } from '../../src/drivers/paper/step.ts'
import {
  Counter,
  DAY_MS,
  money,
  orderOf,
  price,
  quoteOf,
  SETTINGS,
  SH,
  SZ,
  shares,
  story,
} from './fixtures/paper.ts'

const AWAY = quoteOf({ ask: [[37, 900]], bid: [[35, 900]] })

t.test(
  'a filled purchase is told in order: answer, order, deals, order, position, asset',
  async (t) => {
    const counter = new Counter()
    const order = orderOf({ quantity: shares(300), strategy: 'grid' })
    const events = counter.submit(
      order,
      quoteOf({
        ask: [
          [35.98, 100],
          [35.99, 200],
        ],
      }),
    )
    t.equal(
      story(events),
      'submitAnswered order50 dealPushed dealPushed order56 positionPushed assetPushed',
    )
    const row = counter.last()
    t.match(row, { clientOrderId: order.clientOrderId, strategy: 'grid', filledQuantity: 300 })
    t.equal(row.filledAmount, money(35.98 * 100 + 35.99 * 200))
    const deals = counter.books.deals.map(({ row: deal }) => deal)
    t.equal(deals[0]?.orderId, row.orderId)
    t.equal(deals[0]?.clientOrderId, order.clientOrderId)
    t.equal(deals[0]?.fee, money(5.04), 'the minimum commission comes with the first deal')
    t.equal(deals[1]?.fee, money(0.07), 'and only the transfer fee with the second')
    t.equal(counter.books.ledger.cash, money(100_000 - 10_796 - 5.11))
    const held = counter.books.holdings.get(SH)
    t.match(held, { quantity: 1_350, locked: 300 })
    t.equal(held?.costPrice, Math.round((1_050 * 351_000 + 107_960_000) / 1_350))
  },
)

t.test('order and deal numbers are digits of the day and never come twice', async (t) => {
  const counter = new Counter()
  counter.submit(orderOf())
  counter.submit(orderOf({ price: price(0) }))
  t.same([...counter.books.orders.keys()], ['20260811000001', '20260811000002'])
  t.equal(counter.books.deals[0]?.row.dealId, '20260811000001')
  counter.take({ kind: 'dayOpened', day: '2026-08-12' })
  counter.submit(orderOf())
  t.same([...counter.books.orders.keys()], ['20260812000003'])
  t.equal(counter.books.deals[0]?.row.dealId, '20260812000002')
})

t.test('bought today is not sellable today (T+1), a convertible bond is', async (t) => {
  const counter = new Counter({ ...SETTINGS, positions: [] })
  counter.submit(orderOf())
  counter.submit(orderOf({ side: 'sell' }))
  t.match(counter.last(), { status: 57, statusMessage: /可卖0$/ })
  const events = counter.take({ kind: 'dayOpened', day: '2026-08-12' })
  t.equal(story(events), 'positionPushed assetPushed')
  counter.submit(orderOf({ side: 'sell' }))
  t.equal(counter.last().status, 56)
  const bond = '113050.SH' as typeof SH
  counter.submit(orderOf({ code: bond, quantity: shares(10) }))
  counter.submit(orderOf({ code: bond, quantity: shares(10), side: 'sell' }))
  t.equal(counter.last().status, 56)
})

t.test('F17 a day that is taken back releases nothing, and the next one does (T+1)', async (t) => {
  const counter = new Counter({ ...SETTINGS, positions: [] })
  counter.take({ kind: 'dayOpened', day: '2026-08-15' })
  counter.submit(orderOf())
  counter.submit(orderOf({ price: price(35.5) }))
  t.same(counter.take({ kind: 'dayOpened', day: '2026-08-11' }), [], 'nothing ends')
  t.equal(counter.books.open.size, 1)
  counter.submit(orderOf({ side: 'sell' }))
  t.match(counter.last(), { status: 57, statusMessage: /可卖0$/ })
  counter.take({ kind: 'dayOpened', day: '2026-08-12' })
  counter.submit(orderOf({ side: 'sell' }))
  t.equal(counter.last().status, 56)
})

t.test('shares that are not available at the first start become so on the next day', async (t) => {
  const [first] = SETTINGS.positions
  if (first === undefined) throw new Error('no position')
  const positions = [{ ...first, available: 50, open_date: '' }]
  const counter = new Counter({ ...SETTINGS, positions })
  const sellable = () => new Draft(counter.books, counter.context.rates).sellable(SH)
  t.equal(sellable(), 50)
  t.equal(counter.books.holdings.get(SH)?.openDate, '2026-08-11', 'the day the books are opened')
  counter.take({ kind: 'dayOpened', day: '2026-08-12' })
  t.equal(sellable(), 1_050)
})

t.test('the proceeds of a sale can be used at once, and the cost stays', async (t) => {
  const counter = new Counter({ ...SETTINGS, cash: 0 })
  counter.submit(orderOf({ side: 'sell', quantity: shares(1_000) }))
  t.equal(counter.books.ledger.cash, money(36_000 - 10.8 - 18 - 0.36))
  t.match(counter.books.holdings.get(SH), { quantity: 50, costPrice: 351_000 })
  counter.submit(orderOf({ code: SZ, quantity: shares(900) }))
  t.equal(counter.last().status, 56)
})

t.test('F978 many small purchases of a large holding move its cost', async (t) => {
  const positions = SETTINGS.positions.map((row) => ({
    ...row,
    volume: 1_000_000,
    available: 1_000_000,
    cost_price: 36,
  }))
  const counter = new Counter({ ...SETTINGS, cash: 10_000_000, positions })
  const held = () => counter.books.holdings.get(SH)
  const buy = (count: number) => {
    for (let order = 0; order < count; order++) {
      counter.submit(orderOf({ price: price(35.6) }), quoteOf({ ask: [[35.6, 900]] }))
    }
  }
  buy(1)
  t.match(held(), { quantity: 1_000_100, costPrice: 360_000 }, 'one of them moves it by too little')
  buy(99)
  const cost = Math.round((1_000_000 * 360_000 + 10_000 * 356_000) / 1_010_000)
  t.match(held(), { quantity: 1_010_000, costPrice: cost })
  counter.submit(orderOf({ side: 'sell', quantity: shares(999_900) }), quoteOf({}))
  t.match(held(), { quantity: 10_100, costPrice: cost }, 'sales leave it')
  const { costRest = 0 } = held() ?? {}
  t.ok(Math.abs(costRest) <= 10_100 / 2, 'what rounding has left out goes with the shares')
  const before = held()
  if (before === undefined) throw new Error('no holding')
  // An earlier release knows of none, and leaves that of many more shares in the row.
  applyChanges(counter.books, {
    ledger: counter.books.ledger,
    holdings: [{ ...before, costRest: money(50) }],
    goneHoldings: [],
    orders: [],
    deals: [],
    acted: [],
  })
  buy(1)
  t.equal(held()?.costPrice, Math.round((10_100 * cost + 100 * 356_000) / 10_200))
})

t.test('a position sold out stays as a row of 0 until the day rolls', async (t) => {
  const counter = new Counter()
  const events = counter.submit(orderOf({ side: 'sell', quantity: shares(1_050) }))
  t.match(events.at(-2), { kind: 'positionPushed', position: { quantity: 0, sellable: 0 } })
  t.equal(counter.books.holdings.get(SH)?.quantity, 0)
  counter.take({ kind: 'dayOpened', day: '2026-08-12' })
  t.notOk(counter.books.holdings.has(SH))
})

t.test('the rest of an order waits and fills over later ticks, each tick once', async (t) => {
  const counter = new Counter()
  counter.submit(orderOf({ quantity: shares(500) }), quoteOf({ ask: [[36, 100]] }))
  t.match(counter.last(), { status: 55, filledQuantity: 100 })
  const at = (timeMs: number, volume: number) => ({ timeMs, ask: [[35.9, volume]] as const })
  t.same(counter.tick(at(DAY_MS, 100)), [], 'the tick of the submission is used up')
  const events = counter.tick(at(DAY_MS + 1, 300))
  t.equal(story(events), 'dealPushed order55 positionPushed assetPushed')
  t.same(counter.tick(at(DAY_MS + 1, 300)), [], 'the same tick again')
  t.same(counter.tick({ timeMs: DAY_MS + 2, ask: [[36.01, 900]] }), [], 'does not cross')
  t.equal(story(counter.tick(at(DAY_MS + 3, 900))), 'dealPushed order56 positionPushed assetPushed')
  t.match(counter.last(), { filledQuantity: 500 })
  t.equal(counter.last().filledAmount, money(36 * 100 + 35.9 * 400))
  t.equal(counter.last().timeMs, DAY_MS, 'an order keeps the time of its submission')
})

t.test('a cancel ends with 54, or 53 after fills, and frees what was kept', async (t) => {
  const counter = new Counter()
  counter.submit(orderOf({ quantity: shares(500) }), AWAY)
  const untouched = counter.last().orderId
  t.equal(story(counter.cancel(untouched)), 'cancelAnswered order54 assetPushed')
  counter.submit(orderOf({ quantity: shares(500) }), quoteOf({ ask: [[36, 200]] }))
  const part = counter.last().orderId
  t.equal(story(counter.cancel(part)), 'cancelAnswered order53 assetPushed')
  t.equal(new Draft(counter.books, counter.context.rates).frozen(), 0)
  counter.submit(orderOf({ side: 'sell', price: price(36.5) }), AWAY)
  const sale = counter.last().orderId
  t.equal(story(counter.cancel(sale)), 'cancelAnswered order54 positionPushed assetPushed')
  for (const [orderId, text] of [
    [untouched, /已撤/],
    [part, /部撤/],
    ['20260811999999', /委托不存在/],
  ] as const) {
    const [event, ...rest] = counter.cancel(orderId)
    t.match(event, { result: { ok: false, error: { code: 'FAILED', message: text } } })
    t.same(rest, [])
  }
})

t.test('market orders are canceled, kept or void as their type says', async (t) => {
  const book = quoteOf({ last: 36, ask: [[36, 100]], bid: [[35.9, 50]] })
  const cases: [number, typeof SH, string, number][] = [
    [42, SH, 'submitAnswered order50 dealPushed order53 positionPushed assetPushed', 53],
    [43, SH, 'submitAnswered order50 dealPushed order55 positionPushed assetPushed', 55],
    [44, SH, 'submitAnswered order50 dealPushed order55 positionPushed assetPushed', 55],
    [45, SH, 'submitAnswered order50 assetPushed', 50],
    [48, SZ, 'submitAnswered order50 order54 assetPushed', 54],
    [5, SH, 'submitAnswered order50 dealPushed order55 positionPushed assetPushed', 55],
  ]
  for (const [priceType, code, expected, status] of cases) {
    const counter = new Counter()
    const order = orderOf({ code, priceType, price: price(0), quantity: shares(300) })
    t.equal(story(counter.submit(order, book)), expected, `${priceType}`)
    t.equal(counter.last().status, status, `${priceType}`)
  }
})

t.test('an order of type 5 shows the price at which it really stands', async (t) => {
  const counter = new Counter()
  counter.submit(
    orderOf({ priceType: 5, price: price(12) }),
    quoteOf({ last: 36, ask: [[36.02, 100]] }),
  )
  t.match(counter.last(), { price: 360_200, priceType: 5, status: 56 })
})

t.test('a new day ends open orders, and the lists of the day start empty', async (t) => {
  const counter = new Counter()
  counter.submit(orderOf({ quantity: shares(300) }), quoteOf({ ask: [[36, 100]] }))
  counter.submit(orderOf({ side: 'sell', price: price(36.5) }), AWAY)
  const events = counter.take({ kind: 'dayOpened', day: '2026-08-12' })
  t.equal(story(events), 'order53 order54 positionPushed assetPushed')
  t.match(events[0], { order: { statusMessage: /^日终/, filledQuantity: 100 } })
  t.match(events[2], { position: { quantity: 1_150, sellable: 1_150 } })
  t.match(events[3], { asset: { frozen: 0 } })
  t.equal(counter.books.orders.size + counter.books.open.size + counter.books.deals.length, 0)
  t.same(counter.take({ kind: 'dayOpened', day: '2026-08-12' }), [], 'once a day')
})

t.test('a sale never costs more than it brings', async (t) => {
  const [first] = SETTINGS.positions
  if (first === undefined) throw new Error('no position')
  const positions = [{ ...first, volume: 1, available: 1 }]
  const counter = new Counter({ ...SETTINGS, cash: 0, positions })
  counter.submit(
    orderOf({ side: 'sell', quantity: shares(1), price: price(1) }),
    quoteOf({ last: 1, lastClose: 0 }),
  )
  t.equal(counter.last().status, 56)
  t.equal(counter.books.ledger.cash, 0)
  t.equal(counter.books.deals[0]?.row.fee, money(1))
})

t.test('the asset adds up, with quotes or with cost where there is none', async (t) => {
  const counter = new Counter()
  counter.submit(orderOf({ quantity: shares(200) }), AWAY)
  const draft = new Draft(counter.books, counter.context.rates)
  const quoted = draft.assetRow(() => price(40))
  t.same(quoted, {
    available: money(100_000 - 7_200 - 5.07),
    frozen: money(7_205.07),
    marketValue: money(42_000),
    total: money(142_000),
  })
  t.equal(draft.assetRow(() => price(0)).marketValue, money(1_050 * 35.1))
})

t.test('a step leaves the books alone until its changes are taken over', async (t) => {
  const counter = new Counter()
  const { books, context } = counter
  const order = orderOf()
  const input = { kind: 'submit', callId: 1, order, quote: quoteOf({}), nowMs: DAY_MS } as const
  const first = step(books, input, context)
  const second = step(books, input, context)
  t.same(first, second)
  const copy = booksOf({
    ledger: books.ledger,
    holdings: [...books.holdings.values()],
    orders: [],
    deals: [],
    acted: [],
  })
  if (first.changes !== null) {
    applyChanges(copy, first.changes)
    applyChanges(books, first.changes)
  }
  t.same(copy, books)
})
