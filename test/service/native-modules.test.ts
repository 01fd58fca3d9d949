import { existsSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { encode } from '../../src/protocol/codec.ts'
import { openAccountDatabase } from '../../src/storage/account-database.ts'
import { account, configFile } from './fixture.ts'
import { Child, type Exit, LAUNCHER } from './fixtures/child.ts'

const NO_NATIVES = join(import.meta.dirname, 'fixtures', 'no-natives.cjs')
const SOCKETS = 'uws_'

/** Run where no machine code loads whose file is named so. */
const without = (t: Test, natives: string, folder: string, args: readonly string[]) =>
  new Child(t, folder, args, LAUNCHER, {
    NODE_OPTIONS: `--require ${JSON.stringify(NO_NATIVES)}`,
    STEWARD_TEST_NATIVES: natives,
  }).exit

function house(t: Test): string {
  const folder = t.testdir()
  configFile(folder, { accounts: [account('10000001', [])] })
  return folder
}

const said = ({ stdout, stderr }: Exit) => [...stdout, ...stderr].join('\n')

t.test('what does not serve works where no machine code loads at all', async (t) => {
  const folder = house(t)
  const asked: readonly (readonly [readonly string[], RegExp])[] = [
    [['--help'], /Commands/],
    [['--version'], /^\d/],
    [['check'], /accounts\[0\]\.account_id/],
    [['token', 'list'], /./],
  ]
  const exits = await Promise.all(asked.map(([args]) => without(t, '.', folder, args)))
  for (const [i, exit] of exits.entries()) {
    t.match(exit, { code: 0, stderr: [] }, said(exit))
    t.match(said(exit), asked[i]?.[1])
  }
})

t.test('the doctor looks at the rest and names each module that does not load', async (t) => {
  const folder = house(t)
  const [all, sockets] = await Promise.all([
    without(t, '.', folder, ['doctor']),
    without(t, SOCKETS, folder, ['doctor']),
  ])
  t.equal(all.code, 1)
  t.match(said(all), /^fail +uWebSockets\.js +.*specified module could not be found/m)
  t.match(said(all), /^fail +lmdb +.*specified module could not be found/m)
  t.match(said(all), /^warn +msgpackr-extract +/m)
  t.match(said(all), /^ok +node /m)
  t.match(said(all), /looked at, \d+ to mend/)
  t.equal(sockets.code, 1)
  t.match(said(sockets), /^fail +uWebSockets\.js /m)
  t.match(said(sockets), /^ok +lmdb /m)
  t.match(said(sockets), /^ok +database +/m)
})

t.test('serving names the module that is missing, and does not blame Node', async (t) => {
  const folder = house(t)
  const [exit, noDatabase] = await Promise.all([
    without(t, SOCKETS, folder, ['up']),
    without(t, 'lmdb', folder, ['up']),
  ])
  t.match(noDatabase, { code: 2 })
  t.equal(noDatabase.stderr.length, 1, noDatabase.stderr.join('\n'))
  t.match(noDatabase.stderr[0], /cannot load lmdb.*specified module could not be found/)
  t.match(exit, { code: 2 })
  t.equal(exit.stderr.length, 1, exit.stderr.join('\n'))
  t.match(exit.stderr[0], /^steward: 无法加载 uWebSockets\.js.*cannot load uWebSockets\.js/)
  t.match(exit.stderr[0], /specified module could not be found/)
  t.notMatch(said(exit), /supports only Node/)
})

t.test('a backup is made without the library that serves', async (t) => {
  const folder = house(t)
  const database = openAccountDatabase(join(folder, 'data'), '10000001')
  const { epoch } = database.claim(0, { pid: 1, socket: '' })
  const changes = [{ table: 'meta' as const, key: 'account', value: encode({}) }]
  database.commit([{ epoch, commit: { entries: [], changes } }])
  await database.close()
  const exit = await without(t, SOCKETS, folder, ['backup', '--to', join(folder, 'copy')])
  t.match(exit, { code: 0, stderr: [] })
  t.ok(existsSync(join(folder, 'copy', '10000001', 'db', 'data.mdb')))
})
