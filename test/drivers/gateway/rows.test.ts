import t from 'tap'
import { exchangeDay } from '../../../src/domain/exchange-time.ts'
import { peerProblems } from '../../../src/drivers/gateway/config.ts'
import { barRowsOf, tickOf } from '../../../src/drivers/gateway/quote-rows.ts'
import {
  assetOf,
  dealOf,
  orderOf,
  positionOf,
  type Row,
  shareOut,
} from '../../../src/drivers/gateway/rows.ts'

const NOW_MS = Date.parse('2026-08-11T10:00:01+08:00')
const NOW = { nowMs: NOW_MS, isOfNow: false }
const nobody = () => undefined

t.test('an order without a number there is not told as one of the broker', async (t) => {
  const row = { stock_code: '600036.SH', order_type: 23, volume: 100, traded_volume: 0, status: 48 }
  const key = '01ARZ3NDEKTSV4RRFFQ69G5FAV'
  const undecided = { ...row, order_id: key, client_order_id: key }
  t.equal(orderOf(undecided, NOW_MS, nobody), undefined)
  const numbered = { ...undecided, order_id: '1001', order_time: '2026-08-11 10:00:00' }
  t.match(orderOf(numbered, NOW_MS, nobody), { orderId: '1001', timeMs: NOW_MS - 1_000 })
  t.match(orderOf({ ...numbered, status: 99 }, NOW_MS, nobody), { status: 255 })
})

t.test('deals without a number are shared out to no more than is filled', async (t) => {
  const deal = { 证券代码: '600036', 委托类型: 23, 成交价格: 10, 成交金额: 1_000 }
  const order = { 证券代码: '600036', 委托类型: 23, 委托数量: 200, 委托价格: 10, 委托状态: 55 }
  const orders = ['1', '2'].flatMap(
    (id) => orderOf({ ...order, 订单编号: id, 成交数量: 100 }, NOW_MS, nobody) ?? [],
  )
  const deals = ['a', 'b', 'c'].flatMap(
    (id) => dealOf({ ...deal, 成交编号: id, 成交数量: 100 }, NOW_MS, nobody) ?? [],
  )
  const shared = shareOut(deals, orders)
  t.strictSame(
    shared.map(({ orderId }) => orderId),
    ['1', '2', ''],
  )
})

t.test('F903 a row of another gateway without a time says so', async (t) => {
  const order = { 证券代码: '600036', 委托类型: 23, 订单编号: '1', 委托数量: 100, 成交数量: 100 }
  const deal = { 证券代码: '600036', 委托类型: 23, 成交编号: 'a', 成交数量: 100, 成交价格: 10 }
  const undated = { timeMs: NOW_MS, isUndated: true } as const
  const orders = [orderOf(order, NOW_MS, nobody) ?? []].flat()
  const deals = [dealOf(deal, NOW_MS, nobody) ?? []].flat()
  t.match([orders, deals], [[undated], [undated]])
  t.match(shareOut(deals, orders), [{ orderId: '1', ...undated }])
  const timed = { ...order, 报单时间: NOW_MS / 1_000 - 60 }
  const of = { orderId: '1', timeMs: NOW_MS - 60_000, isUndated: undefined }
  t.match(shareOut(deals, [orderOf(timed, NOW_MS, nobody) ?? []].flat()), [of])
})

t.test('F221 a deal is of no order whose price it is beyond', async (t) => {
  const order = { 证券代码: '600036', 委托数量: 100, 成交数量: 100, 委托状态: 56 }
  const deal = { 证券代码: '600036', 成交数量: 100, 成交金额: 1_000 }
  for (const [side, first, second] of [
    [23, 9.9, 10],
    [24, 10.1, 10],
  ] as const) {
    const orders = [first, second].flatMap((price) => {
      const row = { ...order, 委托类型: side, 委托价格: price, 订单编号: `at ${price}` }
      return orderOf(row, NOW_MS, nobody) ?? []
    })
    const deals = [second, first].flatMap((price) => {
      const row = { ...deal, 委托类型: side, 成交价格: price, 成交编号: `at ${price}` }
      return dealOf(row, NOW_MS, nobody) ?? []
    })
    for (const { dealId, orderId } of shareOut(deals, orders)) t.equal(orderId, dealId)
  }
})

/** What JSON can hold where a name or a number should be. */
const ABSURD = [null, true, -1, 0.5, 1e300, 2 ** 53 - 1, Number('1e999'), '\ud800', [], {}, [null]]
const SOUND: Readonly<Record<string, Row>> = {
  order: {
    证券代码: '600036',
    委托类型: 23,
    订单编号: 1,
    委托数量: 100,
    成交数量: 100,
    报单时间: 1,
  },
  deal: { 证券代码: '600036', 委托类型: 23, 成交编号: 1, 成交数量: 100, 成交价格: 9, 成交时间: 1 },
  position: {
    证券代码: '600036',
    股票余额: 100,
    可用余额: 100,
    成本价: 10,
    open_date: '2026-01-01',
  },
  asset: { 可用金额: 1, 冻结金额: 1, 持仓市值: 1, 总资产: 1 },
  quote: { lastPrice: 10, time: 1, volume: 1, bidPrice: [10], askVol: [1] },
}

t.test('F246 nothing that a gateway can write throws where it is read', async (t) => {
  const find = ({ timeMs }: { readonly timeMs: number }) => void exchangeDay(timeMs)
  const read: Readonly<Record<string, (row: Row) => object | undefined>> = {
    order: (row) => orderOf(row, NOW_MS, find),
    deal: (row) => dealOf(row, NOW_MS, nobody),
    position: positionOf,
    asset: assetOf,
    quote: (row) => tickOf('600036.SH', row, NOW),
  }
  for (const [what, row] of Object.entries(SOUND)) {
    t.ok(read[what]?.(row), `${what} as it should be`)
    const fields = Object.keys(row).flatMap((name) => ABSURD.map((value) => [name, value] as const))
    for (const [name, value] of fields) {
      const found = Object(read[what]?.({ ...row, [name]: value })) as Row
      const time = Number(found['timeMs'] ?? found['time'] ?? NOW_MS)
      t.match(exchangeDay(time), /^\d{4}-/, `${what}: ${name} is ${JSON.stringify(value)}`)
    }
  }
})

t.test(
  'quotes are dated by the gateway, by its text, or by when they were seen to change',
  async (t) => {
    const quote = { lastPrice: 36.5, bidPrice: [36.4] }
    const told = NOW_MS - 1_000
    t.match(tickOf('600036.SH', { ...quote, time: told }, NOW), { time: told, bidPrice: [36.4, 0] })
    for (const time of [told / 1_000, 20_260_811_100_000, 20_260_811_100_000_000]) {
      t.match(
        tickOf('600036.SH', { ...quote, time }, NOW),
        { time: told },
        'F273 it may be in seconds or digits',
      )
    }
    t.match(tickOf('600036.SH', { ...quote, timetag: '20260811 10:00:01' }, NOW), { time: NOW_MS })
    t.match(tickOf('600036.SH', quote, { ...NOW, isOfNow: true }), { time: NOW_MS })
    t.match(tickOf('600036.SH', quote, NOW), { time: Date.parse('2026-08-11T00:00:00+08:00') })
    t.equal(tickOf('600036.SH', { bidPrice: [] }, NOW), undefined)
    const bar = { time: 20_260_811_100_001_000, open: 1, high: 2, low: 1, close: 2, volume: 3 }
    for (const time of [
      bar.time,
      String(bar.time),
      NOW_MS,
      NOW_MS / 1_000,
      '2026-08-11 10:00:01',
    ]) {
      t.strictSame(barRowsOf([{ ...bar, time }, { open: 1 }]), [[NOW_MS, 1, 2, 1, 2, 3, 0]])
    }
  },
)

t.test('a token does not travel in clear text unless somebody says so', async (t) => {
  const there = { url: 'http://10.0.0.7:8888', token_file: 'token', allow_http: false }
  t.match(peerProblems(there, true), [{ path: ['url'], message: /clear text/ }])
  t.strictSame(peerProblems({ ...there, allow_http: true }, true), [])
  t.strictSame(peerProblems({ ...there, url: 'https://10.0.0.7' }, true), [])
  t.match(peerProblems({ ...there, url: 'https://x', token_file: '' }, true), [
    { path: ['token_file'] },
  ])
  const here = { url: 'http://127.0.0.1:1', token_file: '', allow_http: false }
  t.strictSame(peerProblems(here, true), [])
  t.match(peerProblems({ ...here, url: '' }, true), [{ path: ['url'], message: /missing/ }])
  t.strictSame(peerProblems({ ...here, url: '' }, false), [], 'an account of another driver')
})
