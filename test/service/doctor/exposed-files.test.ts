import { createHash } from 'node:crypto'
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { exposedFiles, exposedWarnings } from '../../../src/service/doctor/exposed-files.ts'
import { account, configFile } from '../fixture.ts'
import { Child } from '../fixtures/child.ts'

const isPosix = process.platform !== 'win32'
const QUIET = { accounts: [account('10000001', [])] }

const looked = (folder: string) => ({
  data_dir: join(folder, 'data'),
  gateway: { ssl_keyfile: join(folder, 'key.pem') } as Parameters<
    typeof exposedFiles
  >[0]['gateway'],
  audit: { head_file: '', key_file: join(folder, 'absent.pem') },
})

t.test('secrets that others can read are named, with what mends it', (t) => {
  const folder = t.testdir({ data: { 'tokens.json': '{}' }, 'key.pem': 'x' })
  chmodSync(join(folder, 'data'), 0o750)
  chmodSync(join(folder, 'key.pem'), 0o644)
  chmodSync(join(folder, 'data', 'tokens.json'), 0o600)
  t.strictSame(exposedFiles(looked(folder), 'win32'), [], 'nothing is said of Windows')
  if (isPosix) {
    const names = exposedFiles(looked(folder)).map(({ name }) => name)
    t.strictSame(names, ['data_dir', 'gateway.ssl_keyfile'])
    t.match(exposedWarnings(looked(folder)), [/can be read by others.*: chmod u=rwx,go= /, /go= /])
  }
  chmodSync(join(folder, 'data'), 0o700)
  const cluster = { nkey_file: join(folder, 'key.pem'), key_file: join(folder, 'key.pem') }
  const ofCluster = { ...looked(folder), cluster } as Parameters<typeof exposedFiles>[0]
  if (isPosix) {
    const names = exposedFiles(ofCluster).map(({ name }) => name)
    t.strictSame(names, ['gateway.ssl_keyfile', 'cluster.nkey_file', 'cluster.key_file'])
  }
  chmodSync(join(folder, 'key.pem'), 0o600)
  t.strictSame(exposedFiles(looked(folder)), [])
  t.end()
})

t.test('what the service makes is for its user alone', async (t) => {
  const folder = t.testdir()
  const child = new Child(t, folder, ['up', '--config', configFile(folder, QUIET)])
  await child.ready()
  child.signal('SIGTERM')
  const { code } = await child.exit
  if (!isPosix) return // a signal there is the end at once
  t.equal(code, 0)
  const data = join(folder, 'data')
  t.equal(statSync(data).mode & 0o777, 0o700)
  const made = readdirSync(data, { recursive: true, encoding: 'utf8' })
  t.ok(made.some((path) => path.endsWith('data.mdb')))
  for (const path of made) t.equal(statSync(join(data, path)).mode & 0o077, 0, path)
})

t.test('check and the log of a start warn of an open data folder', async (t) => {
  const folder = t.testdir({ data: {} })
  chmodSync(join(folder, 'data'), 0o755)
  const exit = await new Child(t, folder, ['check', '--config', configFile(folder)]).exit
  t.equal(exit.code, 0)
  const warned = /warning: data_dir \S+ 可被本机其他用户读取 \(can be read by others/
  if (isPosix) t.match(exit.stdout.join('\n'), warned)
  else t.notMatch(exit.stdout.join('\n'), warned)
})

t.test(
  'a folder for sockets that somebody else has made is one line with the mend',
  { skip: isPosix ? false : 'pipes have no folder' },
  async (t) => {
    const folder = t.testdir()
    const dataDir = join(folder, 'a-long-name-for-a-folder-of-data-'.repeat(3))
    mkdirSync(dataDir, { mode: 0o700 })
    const config = configFile(folder, { ...QUIET, data_dir: dataDir })
    const hash = createHash('sha256').update(realpathSync(dataDir)).digest('hex').slice(0, 16)
    const place = join('/tmp', `steward-${hash}`)
    t.teardown(() => rmSync(place, { recursive: true, force: true }))
    const squats = [
      () => mkdirSync(place) ?? chmodSync(place, 0o777),
      () => writeFileSync(place, ''),
      () => symlinkSync(folder, place),
    ]
    for (const squat of squats) {
      rmSync(place, { recursive: true, force: true })
      squat()
      const exit = await new Child(t, folder, ['up', '--config', config]).exit
      t.equal(exit.code, 2)
      t.match(exit.stderr, [
        /^steward: \S+ is not a private folder of this user.*a shorter data_dir/,
      ])
      t.equal(exit.stderr.length, 1, exit.stderr.join('\n'))
    }
  },
)
