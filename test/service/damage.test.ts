import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import t, { type Test } from 'tap'
import { encode } from '../../src/protocol/codec.ts'
import { openEnvironment } from '../../src/storage/open-environment.ts'
import { ORDERLY } from '../platform.ts'
import { configFile, get, post, serve, until } from './fixture.ts'
import { Child } from './fixtures/child.ts'

const [FIRST, SECOND] = ['10000001', '10000002'] as const
const PAGE = 4_096
const statusOf = async (url: string, id: string) =>
  (await get(`${url}/api/v1/accounts/${id}/status`)).body['data']
const ORDER = { stock_code: '600036', order_type: 23, order_volume: 100, price_type: 11, price: 32 }

/** A data folder in which both accounts have lived; each case damages a copy of its own. */
async function live(t: Test): Promise<string> {
  const folder = t.testdir()
  const { gateway, service } = await serve(t, { folder })
  for (const id of [FIRST, SECOND]) {
    await until(
      () => statusOf(gateway, id),
      (status) => String(status?.['ready']) === 'true',
    )
  }
  await post(`${gateway}/api/v1/accounts/${FIRST}/orders`, ORDER)
  await service.stop()
  return join(folder, 'data')
}

let data = ''
t.before(async () => {
  data = await live(t)
})
function lived(t: Test): string {
  const folder = t.testdir()
  cpSync(data, join(folder, 'data'), { recursive: true })
  return folder
}

const start = (t: Test, folder: string) =>
  new Child(t, folder, ['up', '--config', configFile(folder)])

/** The first account is parked with these words; the second trades. */
async function checkParked(t: Test, folder: string, words: RegExp): Promise<void> {
  const child = start(t, folder)
  const [url = '', direct = ''] = await child.ready()
  const [alert] = child.lines().filter((line) => line.includes('account_parked'))
  t.match(alert, words)
  t.match(alert, /steward restore/)
  t.notMatch(alert, FIRST, 'the log shows the last digits of an account')
  t.match(await get(`${url}/api/v1/accounts/${FIRST}/status`), {
    status: 200,
    body: { data: { connected: false, ready: false, problem: words } },
  })
  t.match(await get(`${direct}/api/status`), {
    status: 200,
    body: { isMonitoring: null, settings: { allowBuy: null }, problem: words },
  })
  t.match(await get(`${direct}/api/connection/status`), {
    status: 200,
    body: { connected: false },
  })
  t.match(await get(`${url}/api/status`), { status: 200, body: { problem: words } })
  t.match(await get(`${url}/api/v1/health/${FIRST}`), {
    status: 200,
    body: { data: { connected: false, problem: words } },
  })
  t.match(await get(`${url}/api/v1/health`), { status: 200, body: { data: { total: 2 } } })
  t.match(await get(`${direct}/api/positions`), { status: 503, body: { code: 'ACCOUNT_PARKED' } })
  // Nor is there a reason to ask for its quotes again and again.
  t.match(await get(`${direct}/api/market/tick?stock_codes=600036`), {
    status: 503,
    body: { code: 'ACCOUNT_PARKED', message: words },
  })
  await until(
    () => statusOf(url, SECOND),
    (status) => String(status?.['ready']) === 'true',
  )
  const order = { ...ORDER, stock_code: '601318', price: 44 }
  t.match(await post(`${url}/api/v1/accounts/${SECOND}/orders`, order), { status: 201 })
  child.signal('SIGTERM')
  t.match(await child.exit, ORDERLY)
}

const own = (folder: string) => join(folder, 'data', FIRST, 'db', 'data.mdb')
const books = (folder: string) => join(folder, 'data', 'paper', FIRST, 'db', 'data.mdb')

t.test('an account whose file was cut', async (t) => {
  const folder = lived(t)
  truncateSync(own(folder), 3 * PAGE)
  await checkParked(t, folder, /数据库 .*0001.db 已损坏/)
})

t.test('an account whose file is garbage', async (t) => {
  const folder = lived(t)
  writeFileSync(own(folder), Buffer.alloc(16 * PAGE, 0xa5))
  await checkParked(t, folder, /已损坏/)
})

t.test('an account whose file is empty', async (t) => {
  const folder = lived(t)
  truncateSync(own(folder), 0)
  await checkParked(t, folder, /data\.mdb is empty/)
})

t.test('an account with one changed bit in each of its rows', async (t) => {
  const folder = lived(t)
  const bytes = readFileSync(own(folder))
  for (let at = bytes.indexOf('M_real'); at >= 0; at = bytes.indexOf('M_real', at + 1)) {
    bytes[at] = (bytes[at] ?? 0) ^ 1
  }
  for (let at = bytes.indexOf(FIRST); at >= 0; at = bytes.indexOf(FIRST, at + 1)) {
    bytes[at] = (bytes[at] ?? 0) ^ 1
  }
  for (let at = bytes.indexOf('600036'); at >= 0; at = bytes.indexOf('600036', at + 1)) {
    bytes[at + 3] = (bytes[at + 3] ?? 0) ^ 1
  }
  writeFileSync(own(folder), bytes)
  await checkParked(t, folder, /the stored bytes of .* are damaged/)
})

/** As a release would leave it that writes rows of another kind. */
async function writtenByNewer(folder: string, table: string): Promise<void> {
  const environment = openEnvironment(folder, [table])
  environment.write(() => environment.put(table, 'schema', encode(7)))
  await environment.close()
}

const NEWER = /由更新版本的 Steward 写入.*schema 7, and this one reads [12]: use that version/

t.test('F349 an account that a newer version has written', async (t) => {
  const folder = lived(t)
  await writtenByNewer(dirname(own(folder)), 'store')
  await checkParked(t, folder, NEWER)
})

t.test(
  'F349 an account whose books at the embedded client a newer version has written',
  async (t) => {
    const folder = lived(t)
    await writtenByNewer(dirname(books(folder)), 'meta')
    await checkParked(t, folder, NEWER)
  },
)

t.test('F349 a backup that a newer version has made is not called damaged', async (t) => {
  for (const [path, table] of [
    [own, 'store'],
    [books, 'meta'],
  ] as const) {
    const folder = lived(t)
    const backup = join(folder, 'backup')
    renameSync(join(folder, 'data'), backup)
    await writtenByNewer(dirname(path(folder).replace(join(folder, 'data'), backup)), table)
    const asked = ['restore', backup, '--config', configFile(folder)]
    const exit = await new Child(t, folder, asked).exit
    t.match(exit, { code: 2, stderr: [NEWER] })
    t.notMatch(exit.stderr[0], /backup is damaged/)
    t.notOk(existsSync(join(folder, 'data', FIRST, 'db')))
  }
})

t.test('an account whose books at the embedded client were cut', async (t) => {
  const folder = lived(t)
  truncateSync(books(folder), 3 * PAGE)
  await checkParked(t, folder, /paper.\S*0001/)
})

t.test('an account whose books at the embedded client are gone', async (t) => {
  const folder = lived(t)
  rmSync(join(folder, 'data', 'paper', FIRST), { recursive: true })
  await checkParked(t, folder, /模拟交易账簿 .* 不见了/)
  // Gone with the account's own database it was meant.
  renameSync(join(folder, 'data', FIRST), join(folder, 'away'))
  const { gateway } = await serve(t, { folder })
  const status = await until(
    () => statusOf(gateway, FIRST),
    (one) => String(one?.['ready']) === 'true',
  )
  t.equal(status?.['problem'], undefined)
})

t.test('a damaged database of the service is named, and ends the start with 1', async (t) => {
  const folder = lived(t)
  const file = join(folder, 'data', 'service', 'db', 'data.mdb')
  writeFileSync(file, Buffer.alloc(16 * PAGE, 0xa5))
  const exit = await start(t, folder).exit
  t.equal(exit.code, 1)
  t.equal(exit.stderr.length, 1)
  t.match(exit.stderr[0], /^steward: 服务数据库已损坏：.*service.*steward restore/)
})

t.test('damaged bars are put aside, and everything goes on', async (t) => {
  const folder = lived(t)
  const bars = join(folder, 'data', 'service', 'bars')
  const [source = ''] = readdirSync(bars)
  writeFileSync(join(bars, source, 'data.mdb'), Buffer.alloc(16 * PAGE, 0xa5))
  const child = start(t, folder)
  await child.ready()
  t.equal(child.said('damaged bars put aside; they begin anew').length, 1)
  t.ok(readdirSync(join(bars, source)).some((name) => name.startsWith('data.mdb.damaged-')))
})

t.test(
  'F988 bars that could not be opened at the start are opened as soon as they can be',
  async (t) => {
    const folder = t.testdir()
    const bars = join(folder, 'data', 'service', 'bars')
    mkdirSync(join(bars, '..'), { recursive: true })
    writeFileSync(bars, 'in the way')
    const { direct } = await serve(t, {
      folder,
      overrides: { limits: { market: { bars_flush_ms: 20 } } },
    })
    await until(
      () => get(`${direct[0]}/api/positions`),
      ({ status }) => status === 200,
    )
    rmSync(bars)
    const opened = async () => (existsSync(bars) ? readdirSync(bars).length : 0)
    t.ok(await until(opened, (count) => count > 0))
  },
)

t.test('an account that is registered while everything runs', async (t) => {
  const folder = lived(t)
  truncateSync(own(folder), 3 * PAGE)
  const { gateway } = await serve(t, { folder, overrides: { accounts: [] } })
  const registration = { account_id: FIRST, qmt_path: 'C:/qmt/userdata_mini' }
  t.match(await post(`${gateway}/api/v1/accounts`, registration), {
    status: 201,
    body: { data: { connected: false, message: /已损坏/ } },
  })
  t.match(await statusOf(gateway, FIRST), { connected: false, problem: /已损坏/ })
})
