import t from 'tap'
import type { StockCode } from '../../src/domain/instrument.ts'
import type { NewOrder } from '../../src/domain/order.ts'
import type { Quote } from '../../src/ports/quotes.port.ts'
import { Counter, orderOf, price, quoteOf, SETTINGS, SZ, shares, story } from './fixtures/paper.ts'

interface Refusal {
  readonly name: string
  readonly order: Partial<NewOrder>
  readonly quote?: Quote | null
  readonly text: RegExp
}

const FUND = '510300.SH' as StockCode
const STAR = '688981.SH' as StockCode
const CHEAP = quoteOf({ last: 10, lastClose: 10 })

const REFUSALS: readonly Refusal[] = [
  {
    name: 'cash',
    order: { quantity: shares(2_800) },
    text: /^可用资金不足：需要100831\.25，可用100000\.00$/,
  },
  {
    name: 'fees count',
    order: { quantity: shares(10_000), price: price(10) },
    quote: CHEAP,
    text: /^可用资金不足：需要100031\.00，可用100000\.00$/,
  },
  {
    name: 'sellable',
    order: { side: 'sell', quantity: shares(1_100) },
    text: /^可用股份不足：委托1100，可卖1050$/,
  },
  { name: 'not held', order: { side: 'sell', code: SZ }, text: /^可用股份不足：委托100，可卖0$/ },
  { name: 'lot', order: { quantity: shares(150) }, text: /100的整数倍/ },
  { name: 'below a lot', order: { quantity: shares(50) }, text: /最小申报数量100/ },
  { name: 'nothing', order: { quantity: shares(0) }, text: /正整数/ },
  { name: 'STAR', order: { code: STAR, quantity: shares(100) }, text: /最小申报数量200/ },
  {
    name: 'odd remainder',
    order: { side: 'sell', quantity: shares(20) },
    text: /零股余额必须一次性/,
  },
  { name: 'too much', order: { quantity: shares(1_000_100) }, text: /单笔上限1000000/ },
  {
    name: 'too much for a market order',
    order: { code: STAR, quantity: shares(50_001), priceType: 44, price: price(39) },
    text: /单笔上限50000/,
  },
  { name: 'tick size', order: { price: price(36.005) }, text: /最小变动单位0\.01/ },
  { name: 'limit up', order: { price: price(39.61) }, text: /涨停价39\.60/ },
  { name: 'limit down', order: { price: price(32.39) }, text: /跌停价32\.40/ },
  {
    name: 'limit up of a fund',
    order: { code: FUND, price: price(4.54) },
    quote: quoteOf({ last: 4.1, lastClose: 4.126 }),
    text: /涨停价4\.539$/,
  },
  { name: 'halted', order: {}, quote: quoteOf({ last: 0 }), text: /停牌/ },
  { name: 'unknown code', order: {}, quote: null, text: /不存在或无行情/ },
  { name: 'an index', order: { code: '399001.SZ' as StockCode }, text: /不可交易/ },
  { name: 'no price', order: { price: price(0) }, text: /委托价格必须大于零/ },
  { name: 'price type', order: { priceType: 0 }, text: /不支持的报价类型/ },
  { name: 'price type of Shenzhen', order: { priceType: 46 }, text: /仅适用于深圳/ },
  { name: 'price type of Shanghai', order: { code: SZ, priceType: 42 }, text: /仅适用于上海/ },
]

t.test('the counter refuses with status 57 and a text that names the cause', async (t) => {
  for (const { name, order, quote, text } of REFUSALS) {
    const counter = new Counter()
    const input = { kind: 'submit', callId: 1, order: orderOf(order), nowMs: 1 } as const
    const events = counter.take({
      ...input,
      quote: quote === null ? undefined : (quote ?? quoteOf({})),
    })
    t.equal(story(events), 'submitAnswered order57', name)
    t.match(counter.last().statusMessage, text, name)
    t.equal(counter.books.ledger.cash, 1_000_000_000, `${name}: cash`)
    t.equal(counter.books.open.size, 0, `${name}: nothing waits`)
  }
})

t.test('an order at the limit price and at the last cent of cash is taken', async (t) => {
  const counter = new Counter({ ...SETTINGS, cash: 3_965.04 }) // 3,960 + 5 + 0.04
  counter.submit(orderOf({ price: price(39.6) }), quoteOf({ last: 36.5, ask: [[39.65, 9]] }))
  t.equal(counter.last().status, 50)
  counter.submit(orderOf({ price: price(39.6), side: 'sell' }))
  t.equal(counter.last().status, 50)
})

t.test('without a close of the day before there is no price limit', async (t) => {
  const counter = new Counter()
  counter.submit(
    orderOf({ price: price(50) }),
    quoteOf({ lastClose: 0, last: 36, ask: [[60, 100]] }),
  )
  t.equal(counter.last().status, 50)
})

t.test('open purchases keep cash, open sales keep shares', async (t) => {
  const counter = new Counter()
  const away = quoteOf({ ask: [[38, 900]], bid: [[34, 900]] })
  counter.submit(orderOf({ quantity: shares(1_400) }), away)
  counter.submit(orderOf({ quantity: shares(1_400) }), away)
  t.match(counter.last().statusMessage, /可用资金不足：需要50415\.62，可用49584\.38/)
  counter.submit(orderOf({ side: 'sell', quantity: shares(1_000), price: price(37) }), away)
  counter.submit(orderOf({ side: 'sell', quantity: shares(100), price: price(37) }), away)
  t.match(counter.last().statusMessage, /可用股份不足：委托100，可卖50/)
  counter.submit(orderOf({ side: 'sell', quantity: shares(50), price: price(37) }), away)
  t.equal(counter.last().status, 50, 'the odd remainder in one order')
})

t.test('one day has a limit of orders', async (t) => {
  const counter = new Counter()
  const context = { ...counter.context, limits: { ordersPerDayMax: 1 } }
  Object.assign(counter, { context })
  const away = quoteOf({ ask: [[38, 900]] })
  counter.submit(orderOf(), away)
  counter.submit(orderOf(), away)
  t.match(counter.last().statusMessage, /笔数超过上限/)
})
