import { cpSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { configFile, get, type Json, post, until } from '../fixture.ts'
import { Child } from '../fixtures/child.ts'

const ID = '10000001'
const V1 = (url: string) => `${url}/api/v1/accounts/${ID}`
const LIMIT = { stock_code: '600036', price_type: 11 }
/** Above the market: it is filled at once. Far below it: it rests. */
const BOUGHT = { ...LIMIT, order_type: 23, order_volume: 200, price: 38.6 }
const RESTING = { ...LIMIT, order_type: 23, order_volume: 100, price: 32 }

const order = (url: string, key: string, body: object) =>
  post(`${V1(url)}/orders`, body, { 'Idempotency-Key': key })
const rows = async (url: string, name: 'orders' | 'trades'): Promise<readonly Json[]> =>
  ((await get(`${V1(url)}/${name}`)).body['data']?.[name] ?? []) as unknown as readonly Json[]
const reconciled = async (url: string) => (await get(`${V1(url)}/reconcile`)).body['data']
const held = async (url: string): Promise<number> => {
  const { body } = await get(`${V1(url)}/positions`)
  const positions = (body['data']?.['positions'] ?? []) as unknown as readonly Json[]
  const bank = positions.find((row) => String(row['stock_code']).startsWith('600036'))
  return Number(bank?.['volume'] ?? 0)
}

/** The program, on a folder of its own data. */
async function started(t: Test, config: string, folder: string) {
  const child = new Child(t, folder, ['up', '--config', config])
  const [url = ''] = await child.ready()
  await until(
    async () => (await get(`${V1(url)}/status`)).body['data'],
    (status) => String(status?.['ready']) === 'true',
  )
  return { child, url }
}

const filled = (url: string, shares: number) =>
  until(
    () => held(url),
    (volume) => volume === shares,
  )
const health = async (url: string) => (await get(`${url}/api/v1/health`)).body['data']
const steward = (t: Test, folder: string, ...args: string[]) => new Child(t, folder, args).exit

/**
 * Backed up while it trades, traded on, killed; put back in another folder, beside the books of the trading
 * client as they stand now. Then a person looks, and it trades on.
 */
t.test('restore drill: backup, kill, another folder, one look, trading goes on', async (t) => {
  const folder = t.testdir({ elsewhere: {} })
  const quiet = { market: { source: 'simulated', interval_ms: 200 } }
  const config = configFile(folder, quiet)
  const first = await started(t, config, folder)
  t.match(await order(first.url, 'before', BOUGHT), { status: 201 })
  await filled(first.url, 1_200)
  const copy = join(folder, 'copy')
  t.match(await steward(t, folder, 'backup', '--to', copy, '--config', config), { code: 0 })
  t.match(await order(first.url, 'since', BOUGHT), { status: 201 })
  await filled(first.url, 1_400)
  t.match(await order(first.url, 'resting', RESTING), { status: 201 })
  await until(
    () => rows(first.url, 'orders'),
    (all) => all.some((row) => Number(row['price']) === 32 && String(row['order_id']).length < 20),
  )
  await first.child.kill()

  const other = join(folder, 'elsewhere')
  const moved = configFile(other, { ...quiet, ...settingsOf(other) })
  t.match(await steward(t, other, 'restore', copy, '--config', moved), { code: 0 })
  // The broker was not put back: its books are those of the moment of the kill.
  cpSync(join(folder, 'data', 'paper'), join(other, 'data', 'paper'), { recursive: true })

  const second = await started(t, moved, other)
  const { url } = second
  const found = await reconciled(url)
  t.match(found, {
    last_run: { failed_reports: [] },
    restore: {
      compared: String,
      confirmed: null,
      waits_for_person: true,
      placed_since_total: 2,
      deals_since: 1,
      placed_since: [
        { is_ours: true, volume: 200, traded_volume: 200 },
        { is_ours: true, volume: 100, traded_volume: 0, price: 32 },
      ],
    },
  })
  t.match(await health(url), { total: 2, healthy: 0 }, 'no stop is sent before somebody has looked')
  await filled(url, 1_400)
  const before = await rows(url, 'orders')
  t.equal(before.length, 3, 'every order once')
  t.match(await order(url, 'early', BOUGHT), { status: 409, body: { code: 'KILL_SWITCH' } })
  const again = await order(url, 'since', BOUGHT)
  t.match(again, { status: 201 }, 'a repetition is answered by the order that the client lists')
  t.equal((await rows(url, 'orders')).length, 3, 'nothing was sent')

  const mark = found?.['restore']?.['mark']
  t.match(await post(`${V1(url)}/reconcile/confirm`, { mark: 'another' }), { status: 409 })
  t.match(await post(`${V1(url)}/reconcile/confirm`, { mark }), {
    status: 200,
    body: { data: { restore: { waits_for_person: false, confirmed: String } } },
  })
  t.match(await health(url), { total: 2, healthy: 1 })
  t.match(await order(url, 'after', { ...BOUGHT, order_volume: 300 }), { status: 201 })
  await filled(url, 1_700)
  const trades = await rows(url, 'trades')
  const deals = trades.map((row) => String(row['trade_id']))
  t.equal(new Set(deals).size, deals.length, 'no deal twice')
  t.equal(
    trades.reduce((sum, row) => sum + Number(row['volume'] ?? 0), 0),
    700,
  )
  t.match(await reconciled(url), { differences: Array })
  await second.child.kill()
  const exit = await steward(t, other, 'audit', 'verify', '--config', moved)
  t.match(exit, { code: 0 }, 'the journal is sound, and folds to the tables')
})

const settingsOf = (folder: string) => ({ data_dir: join(folder, 'data') })
