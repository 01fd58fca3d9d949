import t from 'tap'
import { type Answer, account, configFile, get, type Json, post, until } from '../fixture.ts'
import { begin, ORDER, v1 } from '../fixtures/breakable.ts'
import { Child } from '../fixtures/child.ts'

const ID = '10000001'
const entriesOf = ({ body }: Answer) => body['data']?.['entries'] as unknown as readonly Json[]
/** The last entry of this kind, as both backends tell it. */
const newest = async (audit: string, kind: string) =>
  entriesOf(await get(`${audit}?kind=${kind}&limit=1`))[0]

t.test('every order, fill, refusal and switch is told, by whom, before and after', async (t) => {
  const served = await begin(t, { ids: [ID] })
  const [direct = ''] = served.direct
  const audit = `${direct}/api/audit`
  const place = (fields: object) => post(`${v1(served, ID)}/orders`, { ...ORDER, ...fields })
  const gateway = 'http/gateway/127.0.0.1'

  const { body } = await place({})
  const { client_order_id: clientOrderId } = body['data'] as Json
  t.match(await newest(audit, 'orderSubmitted'), {
    source: gateway,
    summary: /发出委托 .*：买入 600036\.SH 100 股/,
    body: { order: { clientOrderId, quantity: 100, status: 'submitted' } },
  })
  const deal = await until(
    () => newest(audit, 'dealBooked'),
    (entry) => entry !== undefined,
  )
  t.match(deal, { source: 'broker', body: { clientOrderId, before: { filledQuantity: 0 } } })
  const price = Number(deal?.['body']?.['deal']?.['price'])
  t.ok(price > 20 && price < 60, `in yuan: ${price}`)

  await post(`${direct}/api/config/save`, { allowBuy: false })
  t.match(await newest(audit, 'settingsChanged'), {
    source: 'http/direct/127.0.0.1',
    body: { changes: [{ setting: 'ENABLE_ALLOW_BUY', before: true, after: false }] },
  })
  t.equal((await place({})).status, 409)
  t.match(await newest(audit, 'orderDenied'), {
    source: gateway,
    body: { code: 'BUY_NOT_ALLOWED', stockCode: '600036.SH', quantity: 100 },
  })
  await post(`${direct}/api/config/save`, { allowBuy: true })

  const resting = await place({ price_type: 11, price: 33, order_volume: 200 })
  const number = String(resting.body['data']?.['order_id'])
  t.equal((await post(`${direct}/api/orders/${number}/cancel`)).status, 200)
  const moved = entriesOf(await get(`${audit}?kind=orderMoved`))
  const cancel = moved.find((entry) => String(entry['body']?.['event']) === 'requestCancel')
  t.match(cancel, { source: 'http/direct/127.0.0.1', body: { before: 'accepted' } })

  const holding = { stock_code: '600036', highest_price: 50 }
  t.equal((await post(`${direct}/api/holdings/update`, holding)).status, 200)
  t.match(await newest(audit, 'holdingChanged'), {
    source: 'http/direct/127.0.0.1',
    body: { fields: { highestPrice: 50 }, before: { highestPrice: Number } },
  })
})

t.test('both backends show the same chain, page by page', async (t) => {
  const served = await begin(t, { ids: [ID] })
  await post(`${v1(served, ID)}/orders`, ORDER)
  const total = await until(
    async () => Number((await get(`${v1(served, ID)}/audit?limit=1`)).body['data']?.['total']),
    (count) => count > 10,
  )
  const walk = async (audit: string) => {
    const found: Json[] = []
    for (let before = total + 1, hasMore = true; hasMore; ) {
      const page = await get(`${audit}?limit=4&before=${before}`)
      found.push(...entriesOf(page))
      const pagination = page.body['data']?.['pagination']
      hasMore = String(pagination?.['has_more']) === 'true'
      before = Number(pagination?.['next_before'])
    }
    return found
  }
  const [one, two] = [`${served.direct[0]}/api/audit`, `${v1(served, ID)}/audit`]
  const entries = await walk(one)
  t.strictSame(await walk(two), entries)
  t.strictSame(
    entries.map(({ seq }) => Number(seq)),
    Array.from({ length: total }, (_, i) => total - i),
  )
  for (const [i, { previous }] of entries.entries()) {
    const before = entries[i + 1]?.['hash'] ?? '0'.repeat(64)
    t.equal(String(previous), String(before))
  }
  const refused = await get(`${one}?kind=nonsense`)
  t.match(refused, { status: 400, body: { code: 'VALIDATION', details: { kind: [/nonsense/] } } })
})

t.test('the log, not the journal, knows which request an order came from', async (t) => {
  const folder = t.testdir()
  const one = { accounts: [account(ID, [])] }
  const child = new Child(t, folder, ['up', '--config', configFile(folder, one)])
  const [gateway = '', direct = ''] = await child.ready()
  const placed = await until(
    () => post(`${gateway}/api/v1/accounts/${ID}/orders`, ORDER),
    ({ status }) => status === 201,
  )
  const correlationId = placed.headers.get('X-Request-Id')
  const clientOrderId = String(placed.body['data']?.['client_order_id'])
  const { hash: _, ...entry } = (await newest(`${direct}/api/audit`, 'orderSubmitted')) as Json
  t.notMatch(JSON.stringify(entry), String(correlationId))
  const lines = await until(
    async () => child.said('order intent'),
    (said) => said.length > 0,
  )
  t.match(lines, [{ correlationId, clientOrderId, seq: entry['seq'], level: 'info' }])
})
