import { cpSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { createLogger } from '../../../src/observability/logger.ts'
import { get, type Json, post, type Served, serve, until } from '../fixture.ts'

const ID = '10000001'
const V1 = (url: string) => `${url}/api/v1/accounts/${ID}`
/** Far below the market: it rests. */
const RESTING = {
  stock_code: '600036',
  order_type: 23,
  order_volume: 100,
  price_type: 11,
  price: 32,
}

const order = (url: string, key: string, body: object = RESTING) =>
  post(`${V1(url)}/orders`, body, { 'Idempotency-Key': key })
/** A computer that is busy enough may have no answer at first. */
async function list(url: string): Promise<readonly Json[]> {
  const { body } = await until(
    () => get(`${V1(url)}/orders`),
    ({ status }) => status === 200,
  )
  return body['data']?.['orders'] as unknown as Json[]
}
const reconciled = async (url: string) => (await get(`${V1(url)}/reconcile`)).body['data']
const markOf = async (url: string) => (await reconciled(url))?.['restore']?.['mark']
const connected = ({ gateway }: Served) =>
  until(
    async () => (await get(`${V1(gateway)}/status`)).body,
    (body) => String(body['data']?.['ready']) === 'true',
  )

async function life(t: Test, folder: string, act: (url: string) => Promise<void>): Promise<void> {
  const served = await serve(t, { folder })
  await connected(served)
  await act(served.gateway)
  await served.service.stop()
}

/** Two lives after the copy was made, in which orders were placed that it does not know. */
async function grow(t: Test): Promise<string> {
  const folder = t.testdir()
  await life(t, folder, async (url) => {
    t.match(await order(url, 'before'), { status: 201 })
  })
  cpSync(join(folder, 'data', ID, 'db'), join(folder, 'copy'), { recursive: true })
  await life(t, folder, async (url) => {
    t.match(await order(url, 'since', { ...RESTING, price: 32.5 }), { status: 201 })
  })
  await life(t, folder, async () => undefined)
  return folder
}

let grown = ''
t.before(async () => {
  grown = await grow(t)
})
/** The same for every case, which has it for itself. */
function older(t: Test): string {
  const folder = t.testdir()
  cpSync(grown, folder, { recursive: true })
  return folder
}

/** What was said of the account's lives: under which epochs, and why each of them ended. */
function lives(lines: readonly string[]) {
  const said = lines.map((line) => JSON.parse(line) as Record<string, unknown>)
  const ofFirst = said.filter(({ account }) => account === '****0001')
  return {
    owned: ofFirst.filter(({ msg }) => msg === 'account owned').map(({ epoch }) => epoch),
    ended: ofFirst.filter(({ msg }) => msg === 'account is down').map(({ reason }) => reason),
  }
}

async function checkRestored(t: Test, folder: string): Promise<void> {
  const lines: string[] = []
  const log = createLogger({ name: 'main', write: (line) => lines.push(line) })
  const served = await serve(t, { folder, log })
  await connected(served)
  const { gateway: url } = served
  const known = await list(url)
  const since = known.find(({ price }) => Number(price) === 32.5)
  t.match(await reconciled(url), {
    restore: { epoch: Number, client_epoch: 3, compared: String },
    last_run: { failed_reports: [] },
  })
  const early = await order(url, 'early', { ...RESTING, price: 31.8 })
  t.match(early, { status: 409, body: { code: 'KILL_SWITCH' } }, 'before a person has looked')
  t.match(await post(`${V1(url)}/reconcile/confirm`, { mark: await markOf(url) }), { status: 200 })
  const again = await order(url, 'since', { ...RESTING, price: 32.5 })
  t.match(again, { status: 201, body: { data: { order_id: Number } } })
  t.equal(String(again.body['data']?.['order_id']), String(since?.['order_id']))
  t.match(await order(url, 'since', { ...RESTING, price: 33 }), {
    status: 409,
    body: { code: 'IDEMPOTENCY_MISMATCH' },
  })
  t.match(await order(url, 'after', { ...RESTING, price: 31.9 }), { status: 201 })
  const ids = (await list(url)).map((row) => String(row['client_order_id']))
  t.equal(new Set(ids).size, ids.length)
  t.notOk(
    ids.some((id) => id.startsWith('external')),
    'every order is ours',
  )
  const { owned, ended } = lives(lines)
  t.match(owned, [Number, 4], 'claimed anew once (F152)')
  t.equal(owned.length, 2)
  t.match(ended[0], 'has seen epoch 3')
  t.equal(ended.filter((reason) => String(reason).includes('NOT_OWNER')).length, 1)
}

t.test('an older database of an account against the living client', async (t) => {
  const folder = older(t)
  rmSync(join(folder, 'data', ID, 'db'), { recursive: true })
  cpSync(join(folder, 'copy'), join(folder, 'data', ID, 'db'), { recursive: true })
  await checkRestored(t, folder)
})

t.test('the database of an account removed, its client lives', async (t) => {
  const folder = older(t)
  renameSync(join(folder, 'data', ID), join(folder, 'away'))
  await checkRestored(t, folder)
})
