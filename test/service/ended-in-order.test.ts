import t from 'tap'
import { account, configFile, get, post, until } from './fixture.ts'
import { Child } from './fixtures/child.ts'

const ID = '10000001'
const HELD = { stock_code: '600036', volume: 1_000, cost_price: 35.1 }
const CONFIG = {
  accounts: [account(ID, [HELD])],
  gateway: { host: '127.0.0.1', port: 0, rate_limit: 0 },
}
/** Out of reach of the market. */
const RESTING = {
  stock_code: '600036',
  order_type: 23,
  order_volume: 100,
  price_type: 11,
  price: 32,
}
const BUY = { strategy: 'custom_stock', quantity: 1, stocks: ['600036'] }

t.test(
  'F848 after an end in good order the like of an order that was answered is placed',
  async (t) => {
    const folder = t.testdir()
    const config = configFile(folder, CONFIG)
    for (const life of ['first', 'second']) {
      const child = new Child(t, folder, ['up', '--config', config])
      const [gateway = '', direct = ''] = await child.ready()
      const v1 = `${gateway}/api/v1/accounts/${ID}`
      await until(
        () => get(`${v1}/status`),
        ({ body }) => String(body['data']?.['ready']) === 'true',
      )
      const placed = await post(`${v1}/orders`, RESTING)
      t.equal(placed.status, 201, `${life} life: ${JSON.stringify(placed.body)}`)
      const bought = await post(`${direct}/api/actions/execute_buy`, BUY)
      t.match(bought, { status: 200, body: { success_count: 1 } }, life)
      child.signal('SIGTERM')
      t.equal((await child.exit).code, 0)
    }
  },
)
