import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { openDataFolder } from '../../../src/service/data/data-folder.ts'
import { openAccountDatabase } from '../../../src/storage/account-database.ts'
import { configFile, get, type Json, post, serve, until } from '../fixture.ts'
import { Child, type Exit } from '../fixtures/child.ts'

const ID = '10000001'
const NOBODY = { pid: process.pid, socket: '' }
const V1 = (url: string) => `${url}/api/v1/accounts/${ID}`
const ORDER = { stock_code: '600036', order_type: 23, order_volume: 100, price_type: 11, price: 32 }
const steward = (t: Test, folder: string, ...args: string[]): Promise<Exit> =>
  new Child(t, folder, [...args, '--config', configFile(folder)]).exit
const ready = (url: string) =>
  until(
    async () => (await get(`${V1(url)}/status`)).body['data'],
    (status) => String(status?.['ready']) === 'true',
  )
const order = (url: string, key: string, price: number) =>
  post(`${V1(url)}/orders`, { ...ORDER, price }, { 'Idempotency-Key': key })

const orders = async (url: string): Promise<readonly Json[]> => {
  const { body } = await get(`${V1(url)}/orders`)
  return (body['data']?.['orders'] ?? []) as unknown as Json[]
}

/** A backup that was made while the service ran, and one order after it. */
async function backUp(t: Test): Promise<string> {
  const folder = t.testdir()
  const { gateway, service } = await serve(t, { folder })
  await ready(gateway)
  await order(gateway, 'before', 32)
  t.match(await steward(t, folder, 'backup', '--to', join(folder, 'copy')), { code: 0 })
  await order(gateway, 'since', 32.5)
  const running = await steward(t, folder, 'restore', join(folder, 'copy'))
  t.equal(running.code, 2, 'refused while it runs')
  t.match(running.stderr, [/^steward: 账户 10000001 正在运行/])
  t.ok(existsSync(join(folder, 'data', ID)))
  await service.stop()
  return folder
}

let made = ''
t.before(async () => {
  made = await backUp(t)
})
/** The same for every case, which has it for itself. */
function backedUp(t: Test): string {
  const folder = t.testdir()
  cpSync(made, folder, { recursive: true })
  return folder
}

t.test('F734 a start names the half copy of a restore that was killed', async (t) => {
  const folder = t.testdir({ data: {}, 'data.restoring': {} })
  const steward = new Child(t, folder, ['up', '--config', configFile(folder, { accounts: [] })])
  await steward.ready()
  const told = () => steward.lines().find((line) => line.includes('restore that was cut off'))
  t.match(
    await until(
      async () => told(),
      (line) => line !== undefined,
    ),
    /data\.restoring/,
  )
})

t.test('F740 a target of a backup that is a file, or below one, is named as such', async (t) => {
  const folder = t.testdir({ data: {}, file: '' })
  for (const target of [join(folder, 'file'), join(folder, 'file', 'copy')]) {
    const exit = await steward(t, folder, 'backup', '--to', target)
    t.match(exit, { code: 2, stderr: [/ 不是文件夹.* \(is no folder; choose another folder\)$/] })
  }
})

const asides = (folder: string) =>
  readdirSync(folder).filter((name) => name.startsWith('data.before-restore-'))

t.test('a backup takes the place of the data folder, which is kept', async (t) => {
  const folder = backedUp(t)
  writeFileSync(join(folder, 'data', ID, 'stock2buy.json'), '["600036"]')
  const exit = await steward(t, folder, 'restore', join(folder, 'copy'))
  t.match(exit, { code: 0, stderr: [] })
  t.equal(asides(folder).length, 1)
  t.ok(existsSync(join(folder, asides(folder)[0] ?? '', ID, 'db', 'data.mdb')))
  t.ok(existsSync(join(folder, 'data', ID, 'stock2buy.json')), 'what is no database stays')
  const { gateway } = await serve(t, { folder })
  await ready(gateway)
  const { body } = await get(`${V1(gateway)}/reconcile`)
  t.match(body['data'], { restore: { compared: String } })
  t.equal((await orders(gateway)).length, 1, 'the client was restored as well')
})

t.test('F587 what kind of client books are of goes with them into a copy and back', async (t) => {
  const folder = backedUp(t)
  const note = join(folder, 'data', ID, 'trading-client')
  writeFileSync(note, 'real\n') // as where the account was begun anew at another kind since
  t.match(await steward(t, folder, 'restore', join(folder, 'copy')), { code: 0 })
  t.equal(readFileSync(note, 'utf8'), 'paper\n')
})

t.test('the living client tells of the order that the backup does not know', async (t) => {
  const folder = backedUp(t)
  const living = join(folder, 'living')
  cpSync(join(folder, 'data', 'paper'), living, { recursive: true })
  t.match(await steward(t, folder, 'restore', join(folder, 'copy')), { code: 0 })
  cpSync(living, join(folder, 'data', 'paper'), { recursive: true, force: true })
  const { gateway } = await serve(t, { folder })
  await ready(gateway)
  const again = await order(gateway, 'since', 32.5)
  t.match(again, { status: 201, body: { data: { order_id: Number } } })
  t.equal((await orders(gateway)).length, 2)
})

t.test(
  'F972 a copy that is run itself sends nothing before a person has looked, as a restore does',
  async (t) => {
    const folder = backedUp(t)
    const copied = openAccountDatabase(join(folder, 'data'), ID)
    t.match(copied.claim(copied.inspect().epoch, NOBODY), { claimed: true })
    t.equal(copied.open([]).restored, null, 'what was copied goes on as it is')
    await copied.close()
    // Run where it lies, or moved to where the data was: what the client had told of itself is in neither.
    rmSync(join(folder, 'data'), { recursive: true })
    renameSync(join(folder, 'copy'), join(folder, 'data'))
    const { gateway } = await serve(t, { folder })
    await ready(gateway)
    const restored = async () => (await get(`${V1(gateway)}/reconcile`)).body['data']?.['restore']
    const found = await restored()
    t.match(found, { compared: String, confirmed: null, waits_for_person: true })
    t.match(await order(gateway, 'early', 31.8), { status: 409, body: { code: 'KILL_SWITCH' } })
    const { mark } = found as unknown as Json
    t.match(await post(`${V1(gateway)}/reconcile/confirm`, { mark }), { status: 200 })
    t.match(await order(gateway, 'after', 31.9), { status: 201 })
    const again = await steward(t, folder, 'backup', '--to', join(folder, 'second'))
    t.match(again, { code: 0 })
    const copy = openAccountDatabase(join(folder, 'second'), ID)
    t.match(copy.claim(copy.inspect().epoch, NOBODY), { claimed: true })
    t.not(copy.open([]).restored?.mark, mark, 'so does a copy of that one')
    await copy.close()
  },
)

t.test('a damaged backup is refused, and the data folder stays', async (t) => {
  const folder = backedUp(t)
  truncateSync(join(folder, 'copy', ID, 'db', 'data.mdb'), 3 * 4_096)
  const exit = await steward(t, folder, 'restore', join(folder, 'copy'))
  t.match(exit, { code: 1, stderr: [/^steward: 备份已损坏 \(the backup is damaged\): .*10000001/] })
  t.strictSame(asides(folder), [])
  t.ok(existsSync(join(folder, 'data', ID, 'db', 'data.mdb')))
})

t.test('no backup, no data folder, an interrupted restore', async (t) => {
  const folder = backedUp(t)
  const nowhere = await steward(t, folder, 'restore', join(folder, 'nowhere'))
  t.match(nowhere, { code: 2, stderr: [/there is no such folder/] })
  t.match(await steward(t, folder, 'restore'), { code: 2, stderr: [/needs the folder/] })
  const inside = await steward(t, folder, 'restore', join(folder, 'data'))
  t.match(inside, { code: 2, stderr: [/inside the data folder/] })
  cpSync(join(folder, 'data'), join(folder, 'elsewhere.restoring'), { recursive: true })
  const config = configFile(folder, { data_dir: join(folder, 'elsewhere') })
  const half = await new Child(t, folder, ['up', '--config', config]).exit
  t.match(half, { code: 2, stderr: [/a restore was interrupted/] })
  t.notOk(existsSync(join(folder, 'elsewhere')))
})

t.test(
  'F632 an interrupted restore is told of where the data folder is a link',
  { skip: process.platform === 'win32' && 'links need a privilege there' },
  (t) => {
    const folder = t.testdir({ disk: { 'data.restoring': {}, 'data.before-restore-1': {} } })
    const link = join(folder, 'data')
    const behind = join(folder, 'disk', 'data')
    symlinkSync(join('disk', 'data'), link)
    t.match(openDataFolder(link), { ok: false, error: /a restore was interrupted/ })
    t.ok(JSON.stringify(openDataFolder(link)).includes(`${behind}.restoring`))
    rmSync(`${behind}.restoring`, { recursive: true })
    const gone = openDataFolder(link)
    t.match(gone, { ok: false, error: /a link to nowhere/ })
    t.ok(JSON.stringify(gone).includes(behind), 'as of a disk that is not mounted')
    mkdirSync(behind)
    t.match(openDataFolder(link), { ok: true })
    symlinkSync('loop', join(folder, 'loop'))
    t.match(openDataFolder(join(folder, 'loop', 'data')), { error: /cannot be written \(ELOOP\)/ })
    t.end()
  },
)

t.test('F199 an account that has joined a cluster since the backup is not run alone', async (t) => {
  const folder = backedUp(t)
  const mark = { id: 'servers', state: 'in', at: 0 } as const
  const database = openAccountDatabase(join(folder, 'data'), ID)
  database.mark(mark)
  await database.close()
  t.match(await steward(t, folder, 'restore', join(folder, 'copy')), { code: 0 })
  const { gateway, service } = await serve(t, { folder })
  const { body } = await get(`${V1(gateway)}/orders`)
  t.match(body, { code: 'ACCOUNT_PARKED', message_en: /belongs to the cluster servers/ })
  await service.stop()
})

t.test('F452 nor is it where its books of today cannot be read any more', async (t) => {
  const folder = backedUp(t)
  const mark = { id: 'servers', state: 'in', at: 0 } as const
  const database = openAccountDatabase(join(folder, 'data'), ID)
  database.mark(mark)
  await database.close()
  truncateSync(join(folder, 'data', ID, 'db', 'data.mdb'), 3 * 4_096)
  t.match(await steward(t, folder, 'restore', join(folder, 'copy')), { code: 0 })
  const { gateway, service } = await serve(t, { folder })
  const { body } = await get(`${V1(gateway)}/orders`)
  t.match(body, { code: 'ACCOUNT_PARKED', message_en: /belongs to the cluster servers/ })
  await service.stop()
})
