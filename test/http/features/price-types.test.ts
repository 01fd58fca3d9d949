import t, { type Test } from 'tap'
import { post } from '../fixtures/client.ts'
import { FakeLink } from '../fixtures/fake-service.ts'
import { directFront, gatewayFront } from '../fixtures/fronts.ts'

const SH = '600036.SH'
const SZ = '000001.SZ'
const BJ = '920118.BJ'
const STAR = '688981.SH'
const FUND = '588000.SH'

interface Door {
  readonly name: string
  readonly port: number
  readonly path: string
  readonly sell: (order: object) => object
}

/** Every way in that names a kind of price. */
async function doors(t: Test): Promise<{ readonly link: FakeLink; readonly doors: Door[] }> {
  const link = new FakeLink('A', 0)
  link.answers.previewOrder = { rules: [] } as never
  const { port: direct } = (await directFront(t, link)).front
  const { port: gateway } = (await gatewayFront(t, [link])).front
  const ticket = (order: object) => ({ order_type: 24, order_volume: 200, ...order })
  const sale = (order: object) => ({ quantity: 200, ...order })
  return {
    link,
    doors: [
      { name: 'sale', port: direct, path: '/api/actions/execute_sell', sell: sale },
      { name: 'ticket', port: direct, path: '/api/actions/place_order', sell: ticket },
      { name: 'preview', port: direct, path: '/api/orders/preview', sell: ticket },
      { name: 'order', port: gateway, path: '/api/v1/accounts/A/orders', sell: ticket },
      {
        name: 'v1 preview',
        port: gateway,
        path: '/api/v1/accounts/A/orders/preview',
        sell: ticket,
      },
    ],
  }
}

t.test(
  'F91 a price type of another exchange is refused on every way in, with the mend',
  async (t) => {
    const { link, doors: all } = await doors(t)
    const rows = [
      [SZ, 42, /仅适用于上海、北京；深圳请用 47，或用 11 .*in Shenzhen use 47, or 11 with a price/],
      [SZ, 43, /深圳请用 44，或用 11/],
      [SH, 46, /仅适用于深圳；上海请用 42，或用 11 .*in Shanghai use 42, or 11 with a price/],
      [SH, 47, /上海请用 42/],
      [STAR, 48, /上海请用 11 .*in Shanghai use 11 with a price/],
      [BJ, 46, /北京请用 42/],
      [BJ, 47, /北京请用 42/],
      [BJ, 48, /北京请用 11/],
    ] as const
    for (const { name, port, path, sell } of all) {
      for (const [stock_code, price_type, mend] of rows) {
        const about = `${name} ${stock_code} ${price_type}`
        const { status, body } = await post(port, path, sell({ stock_code, price_type, price: 0 }))
        t.equal(status, 400, about)
        t.equal(body.code, 'VALIDATION', about)
        t.strictSame(Object.keys(body.details), ['price_type'], about)
        t.match(body.message, mend, about)
      }
    }
    t.strictSame(link.asked, [], 'nobody is asked')
  },
)

t.test('what an exchange knows is passed on as it was', async (t) => {
  const { link, doors: all } = await doors(t)
  const known = [
    [SH, [5, 42, 43, 44, 45]],
    [STAR, [5, 42, 43, 44, 45]],
    [BJ, [5, 42, 43, 44, 45]],
    [SZ, [5, 44, 45, 46, 47, 48]],
  ] as const
  for (const { name, port, path, sell } of all) {
    for (const [stock_code, types] of known) {
      for (const price_type of types) {
        const { status } = await post(port, path, sell({ stock_code, price_type }))
        t.ok(status < 300, `${name} ${stock_code} ${price_type}: ${status}`)
        t.match(link.lastAsked, { code: stock_code, priceType: price_type, price: 0 })
      }
    }
  }
})

t.test(
  'F91 the worst price of a market order reaches the account where the board asks for one',
  async (t) => {
    const { link, doors: all } = await doors(t)
    const rows = [
      [STAR, 42, 510_000],
      [STAR, 45, 510_000],
      [BJ, 43, 510_000],
      [STAR, 5, 0],
      [FUND, 42, 0],
      [SH, 42, 0],
      [SZ, 47, 0],
    ] as const
    for (const { name, port, path, sell } of all) {
      for (const [stock_code, price_type, price] of rows) {
        await post(port, path, sell({ stock_code, price_type, price: 51 }))
        t.match(
          link.lastAsked,
          { priceType: price_type, price },
          `${name} ${stock_code} ${price_type}`,
        )
      }
      const { body } = await post(port, path, sell({ stock_code: STAR, price_type: 42, price: -1 }))
      t.strictSame(Object.keys(body.details), ['price'], `${name}: no price`)
    }
  },
)
