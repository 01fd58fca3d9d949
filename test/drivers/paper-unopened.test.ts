import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from 'tap'
import { Witness } from '../contract/driver.ts'
import { account, configFile, get, post, until } from '../service/fixture.ts'
import { Child } from '../service/fixtures/child.ts'
import { orderOf, SH } from './fixtures/paper.ts'
import { PaperRig } from './fixtures/paper-rig.ts'

const FIRST = '10000001'
const SECOND = '10000002'
const THIRD = '10000003'
const BOOK = { last: 36, ask: [[36, 900]], bid: [[35.99, 900]] } as const

/** Where its folder should be there is a file: no process can make it, whoever it belongs to. */
function inTheWay(dataDir: string, accountId: string): () => void {
  const path = join(dataDir, 'paper', accountId)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, '')
  return () => rmSync(path)
}

t.test('F868 books that cannot be opened keep nobody but their account', async (t) => {
  const dir = t.testdir()
  const outOfTheWay = inTheWay(dir, FIRST)
  const rig = new PaperRig(dir)
  t.teardown(() => rig.close())
  rig.market.tick(SH, BOOK)
  const witness = new Witness(rig.driver())
  await t.rejects(witness.connect(), {
    message: /账簿无法打开.*cannot be opened.*(EEXIST|ENOTDIR)/,
  })
  await t.rejects(witness.connect(), { message: /cannot be opened/ }, 'nor now')
  t.equal(rig.warnings.filter((text) => /cannot be opened/.test(text)).length, 1, 'told once')
  const other = new Witness(rig.driver({ accountId: SECOND, slot: 2 }))
  await other.connect()
  t.ok(await other.submit(orderOf()), 'the other one trades')
  rig.dayOpened('2026-08-12')
  outOfTheWay()
  await witness.connect()
  t.ok(await witness.submit(orderOf()), 'and so does this one, when it connects again')
})

t.test(
  'F869 without the folder of their logs no books are opened, and none are lost',
  async (t) => {
    const dir = t.testdir()
    const outOfTheWay = inTheWay(dir, 'logs')
    const rig = new PaperRig(dir)
    t.teardown(() => rig.close())
    rig.market.tick(SH, BOOK)
    const witness = new Witness(rig.driver())
    await t.rejects(witness.connect(), { message: /账簿无法打开.*EEXIST/ })
    outOfTheWay()
    await witness.connect()
    t.ok(await witness.submit(orderOf()))
  },
)

t.test('F868 an account of the embedded client without its books ends no service', async (t) => {
  const folder = t.testdir()
  const dataDir = join(folder, 'data')
  const outOfTheWay = [inTheWay(dataDir, SECOND), inTheWay(dataDir, THIRD)]
  const accounts = [FIRST, SECOND].map((id) => ({ ...account(id, []), reconnect_interval: 1 }))
  const file = configFile(folder, { accounts })
  const child = new Child(t, folder, ['up', '--config', file])
  const [gateway = ''] = await child.ready()
  const url = (id: string) => `${gateway}/api/v1/accounts/${id}/positions`
  const served = (id: string) =>
    until(
      () => get(url(id)),
      ({ status }) => status === 200,
    )
  await served(FIRST)
  const registered = await post(`${gateway}/api/v1/accounts`, {
    account_id: THIRD,
    qmt_path: '-',
    reconnect_interval: 1,
  })
  t.match(registered, { status: 201, body: { data: { connected: false } } })
  await served(FIRST)
  for (const clear of outOfTheWay) clear()
  const healthy = () => get(`${gateway}/api/v1/health`)
  await until(healthy, ({ body }) => Number(body['data']?.['healthy']) === 3)
  t.pass('without a restart')
})
