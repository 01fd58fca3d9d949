import t, { type Test } from 'tap'
import { type Answer, get, type Json, post, serve, until } from './fixture.ts'

const PATH = '/api/risk/limits'
const RISK = {
  max_orders_per_second: 0,
  max_orders_per_day: 0,
  max_rejects_in_row: 0,
  stale_quote_seconds: 0,
}
const ORDER = { stock_code: '600036', order_type: 23, price_type: 5, price: 0 }

async function open(t: Test, folder: string, risk: object = RISK) {
  const { gateway, direct, service } = await serve(t, { folder, overrides: { risk } })
  const v1 = `${gateway}/api/v1/accounts/10000001`
  await until(
    () => get(`${v1}/status`),
    ({ body }) => String(body['data']?.['ready']) === 'true',
  )
  return {
    service,
    direct: direct[0] ?? '',
    /** Another number of shares each time: the like of an order that nobody was told of is refused. */
    buy: (lots: number) => post(`${v1}/orders`, { ...ORDER, order_volume: lots * 100 }),
  }
}
const outcomeOf = ({ status, body }: Answer) => [status, body['code']]
const limitIn = ({ body }: Answer, wanted: string): Json | undefined =>
  (body['data']?.['limits'] as unknown as Json[] | undefined)?.find(
    ({ name }) => String(name) === wanted,
  )

t.test('a limit lowered in the page holds over a restart, until it is put back', async (t) => {
  const folder = t.testdir()
  const first = await open(t, folder)
  t.equal((await first.buy(1)).status, 201)
  const lowered = { limits: { max_order_value: { from: 0, to: 1_000 } } }
  t.match(await post(`${first.direct}${PATH}`, lowered), {
    status: 200,
    body: { changed_count: 1 },
  })
  t.match(outcomeOf(await first.buy(2)), [409, 'MAX_ORDER_VALUE'])
  t.match(await post(`${first.direct}${PATH}`, lowered), {
    status: 409,
    body: {
      code: 'CONFLICT',
      error: /max_order_value = 1000/,
      details: { 'limits.max_order_value.from': [/1000/] },
    },
  })
  const { body: audit } = await get(`${first.direct}/api/audit?limit=50`)
  t.match(JSON.stringify(audit), /max_order_value 0 → 1000/)
  await first.service.stop()

  const second = await open(t, folder, { ...RISK, max_order_value: 900_000 })
  t.match(outcomeOf(await second.buy(3)), [409, 'MAX_ORDER_VALUE'], 'still denied')
  t.match(limitIn(await get(`${second.direct}${PATH}`), 'max_order_value'), {
    value: 1_000,
    file_value: 900_000,
    changed_at: String,
    changed_by: String,
  })
  const back = { limits: { max_order_value: { from: 1_000, to: null } } }
  t.equal((await post(`${second.direct}${PATH}`, back)).status, 200)
  t.equal((await second.buy(4)).status, 201)
  t.match(limitIn(await get(`${second.direct}${PATH}`), 'max_order_value'), {
    value: 900_000,
    file_value: 900_000,
    changed_at: null,
  })
})
