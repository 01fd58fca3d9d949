import { existsSync, readdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { openAccountDatabase } from '../../src/storage/account-database.ts'
import { account, get, post, type Served, serve, until } from './fixture.ts'

const ROUNDS = 30
/** What the first rounds bring for good: threads that start with the first account, code, pages. */
const WARM = 3
const OPEN_FILES = '/proc/self/fd'
const DESCRIPTORS = existsSync(OPEN_FILES)

/** Of the whole process, its threads included; the listing itself is one of them every time. */
const descriptors = () => (DESCRIPTORS ? readdirSync(OPEN_FILES).length : 0)
const ports = () => process.getActiveResourcesInfo().filter((kind) => kind === 'MessagePort').length
const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length

async function round({ gateway }: Served, accountId: string): Promise<void> {
  const body = { account_id: accountId, qmt_path: 'C:/qmt/userdata_mini', call_timeout: 3 }
  const registered = await post(`${gateway}/api/v1/accounts`, body)
  if (registered.status !== 201) throw new Error(JSON.stringify(registered.body))
  await get(`${gateway}/api/v1/accounts/${accountId}/positions`)
  const gone = await fetch(`${gateway}/api/v1/accounts/${accountId}`, { method: 'DELETE' })
  if (gone.status !== 200) throw new Error(`${gone.status} ${await gone.text()}`)
  await gone.arrayBuffer()
}

t.test('an account that was registered and let go leaves nothing open', async (t) => {
  const overrides = { accounts: [account('10000001', [])] }
  const served = await serve(t, { overrides })
  for (let n = 0; n < WARM; n++) await round(served, String(20_000_000 + n))
  const before = { files: descriptors(), ports: ports() }
  for (let n = WARM; n < WARM + ROUNDS; n++) await round(served, String(20_000_000 + n))
  const after = { files: descriptors(), ports: ports(), timers: timers() }
  t.comment(JSON.stringify({ before, after }))
  // Sockets of the requests come and go; thirty rounds that leak one descriptor each are thirty.
  t.ok(after.files <= before.files + ROUNDS / 3, `${before.files} files, then ${after.files}`)
  t.ok(after.ports <= before.ports, `${before.ports} ports, then ${after.ports}`)
  const { supervisor } = served.service.system
  const names = Array.from({ length: WARM + ROUNDS }, (_, n) => `account/${20_000_000 + n}`)
  t.strictSame(
    names.filter((name) => supervisor.has(name)),
    [],
    'none is supervised any more',
  )
  t.strictSame(
    served.service.accounts.accounts().map(({ accountId }) => accountId),
    ['10000001'],
  )
  await t.test('and can be registered again, with the books as they were', async (t) => {
    const id = '20000000'
    await round(served, id)
    t.notOk(served.service.accounts.find(id))
  })
})

t.test(
  'F405 an account of the configuration that was let go comes back as it is configured',
  async (t) => {
    const [id, folder] = ['10000001', t.testdir()]
    const accounts = [
      { ...account(id, [], 5_000), alias: '主账户', call_timeout: 7 },
      account('10000002', []),
    ]
    const served = await serve(t, { folder, overrides: { accounts } })
    const url = `${served.gateway}/api/v1/accounts`
    const shown = async () => {
      const link = served.service.accounts.find(id)
      const { body } = await get(`${served.gateway}/api/status`, { 'X-Account-Id': id })
      const { isMonitoring, settings } = body['data'] ?? {}
      const { alias, callTimeoutMs, configIndex } = link ?? {}
      return { alias, callTimeoutMs, configIndex, isMonitoring, settings }
    }
    const before = await shown()
    t.match(before, { alias: '主账户', callTimeoutMs: 7_000, configIndex: 0, isMonitoring: false })
    const gone = await fetch(`${url}/${id}`, { method: 'DELETE' })
    t.equal(gone.status, 200)
    await gone.arrayBuffer()
    t.equal((await get(`${url}/${id}/asset`)).status, 404)
    const again = await post(url, { account_id: id, qmt_path: 'C:/qmt/userdata_mini' })
    t.match(again, { status: 201, body: { data: { account_id: id, connected: true } } })
    t.same(await shown(), before)
    await served.service.stop()
    const others = await serve(t, { folder, overrides: { accounts: accounts.slice(1) } })
    const { body } = await get(`${others.gateway}/api/v1/accounts`)
    t.strictSame(
      body['data']?.['accounts'],
      ['10000002'],
      'nothing was kept beside the configuration',
    )
  },
)

t.test('an account in the row of one that was let go begins without its past', async (t) => {
  const { gateway } = await serve(t, { overrides: { accounts: [account('10000001', [])] } })
  const begin = (id: string) =>
    post(`${gateway}/api/v1/accounts`, { account_id: id, qmt_path: 'C:/qmt/userdata_mini' })
  const own = async () => {
    const text = await (await fetch(`${gateway}/metrics`)).text()
    return text.split('\n').filter((line) => line.includes('account="****0003"'))
  }
  t.equal((await begin('20000002')).status, 201)
  for (let n = 0; n < 3; n++) await post(`${gateway}/api/v1/accounts/20000002/restart`, {})
  const gone = await fetch(`${gateway}/api/v1/accounts/20000002`, { method: 'DELETE' })
  t.equal(gone.status, 200)
  await gone.arrayBuffer()
  t.equal((await begin('20000003')).status, 201)
  const lines = await own()
  t.ok(lines.includes('steward_account_restarts_total{account="****0003"} 0'), 'never restarted')
  const sent = lines.filter((line) => line.startsWith('steward_store_commit_seconds_count'))
  const [, count = ''] = /\} (\d+)$/.exec(sent[0] ?? '') ?? []
  t.ok(Number(count) < 5, `${count} commits, of four starts of the other one some as well`)
  const audit = await until(
    () => get(`${gateway}/api/v1/accounts/20000003/audit?kind=actorStarted`),
    ({ status }) => status === 200,
  )
  t.match(JSON.stringify(audit.body), /第 1 次启动/)
})

t.test('an id that differs in case alone would be the folder of another account', async (t) => {
  const { gateway } = await serve(t, { overrides: { accounts: [account('Main1', [])] } })
  const register = (account_id: string) =>
    post(`${gateway}/api/v1/accounts`, { account_id, qmt_path: 'C:/qmt/userdata_mini' })
  t.match(await register('main1'), {
    status: 400,
    body: { code: 'VALIDATION', details: { account_id: [/Main1/] } },
  })
  t.equal((await register('Main1')).status, 201, 'itself is no error')
  t.equal((await register('Side1')).status, 201)
  t.equal((await register('SIDE1')).status, 400)
  const { body } = await get(`${gateway}/api/v1/accounts`)
  t.strictSame(body['data']?.['accounts'], ['Main1', 'Side1'])
})

t.test(
  'F381 a parked account that is let go is let go whole: its folder is moved away, and it begins anew',
  async (t) => {
    const [id, folder] = ['30000001', t.testdir()]
    const data = join(folder, 'data')
    const database = openAccountDatabase(data, id)
    database.mark({ id: 'servers', state: 'in', at: 0 })
    await database.close()
    const { gateway } = await serve(t, {
      folder,
      overrides: { accounts: [account('10000001', [])] },
    })
    const body = { account_id: id, qmt_path: 'C:/qmt/userdata_mini', call_timeout: 3 }
    const register = () => post(`${gateway}/api/v1/accounts`, body)
    t.match((await register()).body, { data: { connected: false } })
    const parked = await get(`${gateway}/api/v1/accounts/${id}/positions`)
    t.match(parked.body, { code: 'ACCOUNT_PARKED' })
    const gone = await fetch(`${gateway}/api/v1/accounts/${id}`, { method: 'DELETE' })
    t.equal(gone.status, 200)
    await gone.arrayBuffer()
    renameSync(join(data, id), join(folder, 'aside'))
    t.match((await register()).body, { data: { connected: true } })
    t.ok(existsSync(join(data, id, 'db')), 'in a database of its own')
  },
)
