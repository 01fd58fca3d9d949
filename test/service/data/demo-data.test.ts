import t from 'tap'
import { loadConfig } from '../../../src/config/load.ts'
import { refusalOfDemo } from '../../../src/service/data/demo-data.ts'
import { Child } from '../fixtures/child.ts'

const database = () => ({ db: { 'data.mdb': '' } })
const demo = (cwd: string) => {
  const loaded = loadConfig({ cwd, env: {} })
  if (!loaded.ok) throw new Error(loaded.error.join())
  return refusalOfDemo(loaded.value)
}

t.test('F364 the demo does not run in place of a configuration that is gone', async (t) => {
  const folder = t.testdir({ data: { 88001234: database() } })
  const child = new Child(t, folder, ['up'])
  const end = await Promise.race([child.exit, child.ready()])
  t.match(end, { code: 2, stdout: [] })
  t.match(end, { stderr: [/没有 steward\.config\.json.*\*1234.*put the file back/] })
})

t.test('the demo runs on its own data, and beside accounts of the embedded client', async (t) => {
  t.equal(demo(t.testdir({})), undefined)
  const own = { 10000001: database(), 10000002: database(), service: database() }
  t.equal(demo(t.testdir({ data: own })), undefined, 'that of the service, too')
  const others = { ...own, 88001234: database(), paper: { 88001234: database() } }
  t.equal(demo(t.testdir({ data: others })), undefined)
})

t.test('who has a configuration is refused nothing', async (t) => {
  const data = { 88001234: database() }
  t.equal(demo(t.testdir({ data, 'steward.config.json': '{}' })), undefined)
})
