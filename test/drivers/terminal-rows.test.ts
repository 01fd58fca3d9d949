import t from 'tap'
import type { DealRow, OrderRow } from '../../src/drivers/terminal/frames.ts'
import { dealOf, orderOf, wireOrderType } from '../../src/drivers/terminal/rows.ts'

const ORDER: OrderRow = {
  order_id: '1',
  client_order_id: '01ARZ3NDEKTSV4RRFFQ69G5FAV',
  code: '600036.SH',
  order_type: 23,
  quantity: 100,
  price_type: 11,
  price: 36.5,
  traded: 0,
  traded_price: 0,
  status: 50,
  text: '',
  time: 1,
  strategy: 'x',
}
const DEAL: DealRow = {
  deal_id: '1',
  order_id: '1',
  client_order_id: ORDER.client_order_id,
  code: ORDER.code,
  order_type: 23,
  quantity: 100,
  price: 36.5,
  amount: 3_650,
  fee: 0,
  time: 1,
  strategy: 'x',
}

t.test('a purchase and a sale of the account are those that it places itself', (t) => {
  for (const [type, side] of [
    [23, 'buy'],
    [24, 'sell'],
  ] as const) {
    t.equal(wireOrderType(side), type)
    const order = orderOf({ ...ORDER, order_type: type }, 1)
    t.match(order, { side, clientOrderId: ORDER.client_order_id })
    t.notOk(order?.isOtherBusiness)
    t.match(dealOf({ ...DEAL, order_type: type }, 1), { side })
  }
  t.end()
})

t.test('F903 a row says that no time was told, also where the sidecar has noted when', (t) => {
  const noted = { time: 5, is_undated: true }
  for (const [told, row] of [
    [{ time: 0 }, { timeMs: 9, isUndated: true }],
    [noted, { timeMs: 5, isUndated: true }],
    [{ time: 5 }, { timeMs: 5, isUndated: undefined }],
  ] as const) {
    t.match(orderOf({ ...ORDER, ...told }, 9), row)
    t.match(dealOf({ ...DEAL, ...told }, 9), row)
  }
  t.end()
})

t.test('F92 financing and its repayment are shown with their side and are never ours', (t) => {
  const rows = [
    [27, 'buy'],
    [30, 'sell'],
    [31, 'sell'],
    [40, 'buy'],
    [43, 'sell'],
    [44, 'sell'],
  ] as const
  for (const [order_type, side] of rows) {
    const foreign = { side, clientOrderId: '', isOtherBusiness: true }
    t.match(orderOf({ ...ORDER, order_type }, 1), foreign, `order ${order_type}`)
    t.match(dealOf({ ...DEAL, order_type }, 1), foreign, `deal ${order_type}`)
  }
  t.end()
})

t.test('what moves no share of the holding is no order of it', (t) => {
  for (const order_type of [28, 29, 32, 41, 42, 45, 0, 22, 50, 134]) {
    t.equal(orderOf({ ...ORDER, order_type }, 1), undefined, `order ${order_type}`)
    t.equal(dealOf({ ...DEAL, order_type }, 1), undefined, `deal ${order_type}`)
  }
  t.end()
})
