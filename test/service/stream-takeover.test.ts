import t from 'tap'
import { configFile, get, type Json, post, until } from './fixture.ts'
import { Child } from './fixtures/child.ts'
import { EventReader } from './fixtures/event-stream.ts'

const ID = '10000001'
const V1 = (url: string) => `${url}/api/v1/accounts/${ID}`
/** Within the day's price limits and out of reach of the market. */
const RESTING = { stock_code: '600036', order_type: 23, order_volume: 100, price_type: 11 }
const LIMITS = { cluster: { ping_ms: 100, health_poll_ms: 100, seek_again_ms: 100, retry_ms: 20 } }

t.test('F195 a stream goes on when another process takes its account over', async (t) => {
  const folder = t.testdir()
  const config = configFile(folder, { limits: LIMITS })
  const start = async (...command: string[]) => {
    const child = new Child(t, folder, [...command, '--config', config])
    return { child, urls: await child.ready() }
  }
  const owner = await start('direct', '--account', ID)
  const { urls } = await start('gateway')
  const [gateway = ''] = urls
  const ordered = (key: string, price: number) =>
    until(
      () => post(`${V1(gateway)}/orders`, { ...RESTING, price }, { 'Idempotency-Key': key }),
      ({ status }) => status === 201,
    )

  const stream = await EventReader.open(t, `${V1(gateway)}/events`)
  await stream.until(({ id }) => id !== '', 'the first event')
  const after = Number.parseInt(stream.id, 10)
  await ordered('first', 32)
  await stream.until((reader) => reader.count('orderSubmitted') === 1, 'the first order')
  await owner.child.kill()
  await ordered('second', 32.5)
  await stream.until((reader) => reader.count('orderSubmitted') === 2, 'the second order')
  stream.close()

  t.ok(stream.count('actorStarted') > 0, 'it was started anew')
  t.notOk(stream.events.some(({ resync }) => resync))
  const { body } = await get(`${V1(gateway)}/audit?quiet=true&limit=500&after=${after}`)
  const kept = body['data']?.['entries'] as unknown as readonly Json[]
  const last = Number.parseInt(stream.id, 10)
  t.strictSame(
    stream.entries.map(({ hash }) => hash),
    kept.filter(({ seq }) => Number(seq) <= last).map(({ hash }) => String(hash)),
    'all of the journal, once and in its order',
  )
})
