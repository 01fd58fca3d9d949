import { existsSync, readFileSync, renameSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { unnamedAccounts } from '../../../src/service/accounts/unnamed-accounts.ts'
import { NEEDS_SIGNALS } from '../../platform.ts'
import { account, configFile, post, serve } from '../fixture.ts'
import { Child } from '../fixtures/child.ts'

const [FIRST, SECOND, THIRD] = ['10000001', '10000002', '10000003']
const ONE = { accounts: [account(FIRST, [])] }
const TOLD = /10000002 \(accounts that the configuration does not name have data here/

t.test(
  'F610 an account that the configuration does not name any more is told of',
  NEEDS_SIGNALS,
  async (t) => {
    const folder = t.testdir()
    const { service } = await serve(t, { folder })
    await service.stop()
    const config = configFile(folder, { ...ONE, log: { level: 'info' } })
    const steward = (...words: string[]) => new Child(t, folder, [...words, '--config', config])

    const up = steward('up')
    await up.ready()
    up.signal('SIGTERM')
    t.match((await up.exit).stdout.join('\n'), TOLD, 'at each start')
    t.match((await steward('check').exit).stdout.join('\n'), TOLD)

    const report = join(folder, 'report.txt')
    const { stdout } = await steward('doctor', '--report', report).exit
    t.match(stdout.join('\n'), TOLD)
    t.match(stdout.join('\n'), 'put them back among "accounts"')
    t.notMatch(readFileSync(report, 'utf8'), SECOND, 'a report names no account')

    renameSync(join(folder, 'data', SECOND), join(folder, 'aside'))
    t.notMatch((await steward('check').exit).stdout.join('\n'), TOLD, 'moved away, as it says')
  },
)

/** A service at which one account more was registered while it ran. */
async function withThird(t: Test) {
  const folder = t.testdir()
  const { service, gateway } = await serve(t, { folder })
  const body = { account_id: THIRD, qmt_path: 'C:/qmt/userdata_mini' }
  t.equal((await post(`${gateway}/api/v1/accounts`, body)).status, 201)
  return { folder, service }
}

t.test(
  'F619 an account that was registered at run time is looked after, and not told of',
  NEEDS_SIGNALS,
  async (t) => {
    const { folder, service } = await withThird(t)
    await service.stop()
    const config = configFile(folder, { ...ONE, log: { level: 'info' } })
    const steward = (...words: string[]) => new Child(t, folder, [...words, '--config', config])

    const report = join(folder, 'report.txt')
    const up = steward('up')
    await up.ready()
    up.signal('SIGTERM')
    for (const child of [up, steward('check'), steward('doctor', '--report', report)]) {
      const { stdout } = await child.exit
      const told = stdout.filter((line) => line.includes('无人照管'))
      t.equal(told.length, 1)
      t.match(told.join(), SECOND)
      t.notMatch(told.join(), THIRD)
    }
    t.notMatch(readFileSync(report, 'utf8'), THIRD, 'and a report does not name it')
  },
)

t.test(
  'F899 a token of an account that was registered at run time is not called one of none',
  NEEDS_SIGNALS,
  async (t) => {
    const { folder, service } = await withThird(t)
    const config = join(folder, 'steward.config.json')
    const add = async (name: string, accounts: string) => {
      const words = ['token', 'add', '--name', name, '--accounts', accounts, '--config', config]
      const { stdout, code } = await new Child(t, folder, words).exit
      t.equal(code, 0)
      return stdout.join('\n')
    }
    t.notMatch(await add('running', `${FIRST},${THIRD}`), 'no such account')
    await service.stop()
    t.notMatch(await add('stopped', THIRD), 'no such account')
    t.match(await add('mistyped', `${THIRD},10000009`), /\(no such account\): 10000009$/m)
  },
)

t.test('F620 nor is one whose folder differs in case alone, and is the same', async (t) => {
  const data = t.testdir({ Abc: { db: { created: '' } }, Xyz: { db: { created: '' } } })
  const accounts = ['aBC', 'xYZ'].map((id) => account(id, [])) as never
  const isThere = (name: string) => existsSync(join(data, name))
  if (!isThere('aBC')) symlinkSync(join(data, 'Abc'), join(data, 'aBC')) // Windows finds it so
  const found = unnamedAccounts({ data_dir: data, accounts })
  t.notOk(found.includes('Abc'))
  t.equal(found.includes('Xyz'), !isThere('xYZ'), 'elsewhere it is another account')
})
