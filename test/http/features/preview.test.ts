import t from 'tap'
import type { OrderPreview } from '../../../src/protocol/orders.ts'
import { post } from '../fixtures/client.ts'
import { FakeLink } from '../fixtures/fake-service.ts'
import { directFront, gatewayFront } from '../fixtures/fronts.ts'

const PREVIEW: OrderPreview = {
  allowed: false,
  code: 'LOT_SIZE',
  message: '委托数量必须为 100 的整数倍 (not a whole lot)',
  rules: [
    {
      name: 'lot_size',
      code: 'LOT_SIZE',
      ok: false,
      status: 'refused',
      message: '委托数量必须为 100 的整数倍 (not a whole lot)',
      limit: 100,
      actual: 150,
    },
  ],
  price: 36.5,
  amount: 5_475,
  fees: { commission: 5, stamp_duty: 0, transfer_fee: 0.05, total: 5.05 },
  stock_name: '招商银行',
  quote: {
    time: 1_786_413_600_000,
    age_seconds: 1.5,
    last_price: 36.4,
    last_close: 36,
    limit_up: 39.6,
    limit_down: 32.4,
    ask: [{ price: 36.41, volume: 1_200 }],
    bid: [{ price: 36.4, volume: null }],
  },
  quantity_max: 27_300,
  lot_min: 100,
  lot_step: 100,
  tick_size: 0.01,
  price_types: [
    { type: 11, takes_price: true },
    { type: 42, takes_price: false },
  ],
}
const ORDER = { stock_code: '600036', order_type: 23, order_volume: 150, price: 36.5 }
const ASKED = {
  kind: 'previewOrder',
  code: '600036.SH',
  side: 'buy',
  quantity: 150,
  priceType: 11,
  price: 365_000,
}
const IN_BOTH = { message_zh: '委托数量必须为 100 的整数倍', message_en: 'not a whole lot' }
const SHOWN = {
  stock_code: '600036.SH',
  side: 'buy',
  order_type: 23,
  quantity: 150,
  price_type: 11,
  ...PREVIEW,
  ...IN_BOTH,
  rules: PREVIEW.rules.map((rule) => ({ ...rule, ...IN_BOTH })),
}

const account = (): FakeLink => {
  const link = new FakeLink('A', 0)
  link.answers.previewOrder = PREVIEW
  return link
}

t.test('the gateway answers a preview of the body that would place the order', async (t) => {
  const link = account()
  const { front } = await gatewayFront(t, [link])
  const path = '/api/v1/accounts/A/orders/preview'
  const { status, body, headers } = await post(front.port, path, ORDER)
  t.equal(status, 200, 'a verdict is no failure')
  t.strictSame(body, { success: true, data: SHOWN, error: null })
  t.strictSame(link.asked, [ASKED])
  t.equal(headers['idempotency-replayed'], undefined)
  const noAccount = await post(front.port, '/api/v1/accounts/X/orders/preview', ORDER)
  t.match(noAccount, { status: 404, body: { code: 'UNKNOWN_ACCOUNT' } })
})

t.test('direct mode takes the same body, or the words of a sale by hand', async (t) => {
  const link = account()
  const { front } = await directFront(t, link)
  const ask = (body: object) => post(front.port, '/api/orders/preview', body)
  const { status, body } = await ask(ORDER)
  t.equal(status, 200)
  t.match(body, { status: 'success', ...SHOWN, data: SHOWN, timestamp: String })
  const rows = [
    [{ ...ORDER, order_type: 24 }, { side: 'sell' }],
    [{ ...ORDER, order_type: undefined, side: 'sell' }, { side: 'sell' }],
    [{ ...ORDER, side: 'buy' }, { side: 'buy' }],
    [{ ...ORDER, order_volume: undefined, quantity: 200 }, { quantity: 200 }],
    [
      { ...ORDER, price: undefined },
      { priceType: 5, price: 0 },
    ],
    [
      { ...ORDER, price_type: 5 },
      { priceType: 5, price: 0 },
    ],
  ] as const
  for (const [sent, asked] of rows) {
    t.equal((await ask(sent)).status, 200, JSON.stringify(sent))
    t.match(link.asked.at(-1), { ...ASKED, ...asked })
  }
})

t.test('what is no order is 400 on both backends, and nobody is asked', async (t) => {
  const link = account()
  const gateway = await gatewayFront(t, [link])
  const direct = await directFront(t, link)
  const both = [
    [{ stock_code: '6000' }, 'stock_code'],
    [{ order_type: 25 }, 'order_type'],
    [{ order_volume: 0 }, 'order_volume'],
    [{ order_volume: 1.5 }, 'order_volume'],
    [{ order_volume: 100_000_000, price: 999_999 }, 'order_volume'],
    [{ price_type: 12 }, 'price_type'],
    [{ price_type: 11, price: 0 }, 'price'],
  ] as const
  const alone = [
    [{ order_type: undefined }, 'order_type'],
    [{ side: 'sell' }, 'order_type'],
    [{ side: 'both' }, 'side'],
    [{ order_volume: undefined }, 'order_volume'],
    [{ quantity: 100 }, 'order_volume'],
  ] as const
  const paths = [
    [gateway.front.port, '/api/v1/accounts/A/orders/preview', both],
    [direct.front.port, '/api/orders/preview', [...both, ...alone]],
  ] as const
  for (const [port, path, rows] of paths) {
    for (const [fields, field] of rows) {
      const { status, body } = await post(port, path, { ...ORDER, ...fields })
      t.equal(status, 400, JSON.stringify(fields))
      t.strictSame(Object.keys(body.details), [field], JSON.stringify(fields))
    }
  }
  t.strictSame(link.asked, [])
})
