import { once } from 'node:events'
import { connect } from 'node:net'
import t from 'tap'
import { account, configFile, get, post, serve, until } from './fixture.ts'
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
const OTHER = { ...RESTING, price: 32.5 }
const BUY = { strategy: 'custom_stock', quantity: 1, stocks: ['600036'] }

t.test(
  'F838 after an end in good order the like of an order that was answered is placed',
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

t.test('F838 an end that may have missed a caller counts no answer as arrived', async (t) => {
  const folder = t.testdir()
  const overrides = { ...CONFIG, limits: { http: { close_timeout_ms: 10 } } }
  const begun = async () => {
    const { service, gateway } = await serve(t, { folder, overrides })
    const v1 = `${gateway}/api/v1/accounts/${ID}`
    await until(
      () => get(`${v1}/status`),
      ({ body }) => String(body['data']?.['ready']) === 'true',
    )
    const status = async (order: object) => (await post(`${v1}/orders`, order)).status
    return { service, port: Number(new URL(gateway).port), status }
  }
  const first = await begun()
  t.equal(await first.status(RESTING), 201)
  first.service.accounts.find(ID)?.answerUnsaid()
  await first.service.stop()
  const second = await begun()
  t.equal(await second.status(RESTING), 409, 'the account had not heard of an answer')
  t.equal(await second.status(OTHER), 201)
  const waiting = connect(second.port, '127.0.0.1')
  t.teardown(() => waiting.destroy())
  waiting.on('error', () => undefined).resume()
  await once(waiting, 'connect')
  waiting.write('GET /api/v1/health HTTP/1.1\r\nHost: localhost\r\n\r\n')
  await once(waiting, 'data')
  waiting.write('POST /api/v1/accounts HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n')
  const health = () => get(`http://127.0.0.1:${second.port}/api/v1/health`)
  await health().then(health) // by then it was read, and waits for the rest of it
  await second.service.stop()
  const third = await begun()
  t.equal(await third.status(OTHER), 409, 'a request was still open')
  await third.service.stop()
})
