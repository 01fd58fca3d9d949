import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
// @ts-expect-error: plain JavaScript, without types
import { findNatsServer, isGoodVersion, whyNoNatsServer } from '../../scripts/nats-server.mjs'
// @ts-expect-error: plain JavaScript, without types
import { debianEntries, newestSources } from '../../scripts/nats-server-sources.mjs'
import { isServerTaken } from '../../src/cluster/nats/server-floor.ts'

const RELEASE =
  'PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\nVERSION_CODENAME=bookworm\nID=debian\n'

const SOURCES = `Types: deb
# an archive of the day
URIs: http://mirror.invalid/debian
Suites: bookworm bookworm-updates
Components: main contrib
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg

Types: deb
URIs: http://mirror.invalid/debian-security
Suites: bookworm-security
Components: main
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg

Types: deb
Enabled: no
URIs: http://switched.invalid/off
Suites: bookworm
Components: main
`

const LIST = `# deb http://comment.invalid/debian bookworm main
deb http://classic.invalid/debian bookworm main contrib # ours
deb [arch=amd64 signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://signed.invalid/debian stable main
deb [signed-by=/etc/apt/keyrings/other.gpg] https://other.invalid bookworm main
deb-src http://source.invalid/debian bookworm main
deb http://security.invalid bookworm-security main
deb https://tool.invalid bookworm stable
`

t.test("only the distribution's main archive is asked, with its newest suite", async (t) => {
  const files = [
    { path: '/etc/apt/sources.list.d/debian.sources', text: SOURCES },
    { path: '/etc/apt/sources.list', text: LIST },
    { path: '/etc/apt/sources.list.d/notes.txt', text: LIST },
  ]
  const key = '/usr/share/keyrings/debian-archive-keyring.gpg'
  t.strictSame(debianEntries(files, RELEASE), [
    { uri: 'http://mirror.invalid/debian', key },
    { uri: 'http://classic.invalid/debian', key: '' },
    { uri: 'http://signed.invalid/debian', key },
  ])
  t.strictSame(debianEntries(files, RELEASE.replace('ID=debian', 'ID=ubuntu')), [])
  t.equal(
    newestSources([{ uri: 'http://mirror.invalid/debian', key }]),
    `Types: deb\nURIs: http://mirror.invalid/debian\nSuites: sid\nComponents: main\nSigned-By: ${key}\n`,
  )
  t.equal(newestSources([]), '')
})

t.test('versions in which two writers can win are too old', async (t) => {
  const table: [string, boolean][] = [
    ['2.9.10', false],
    ['2.10.27', false],
    ['2.12.14', false],
    ['2.12.15', true],
    ['2.13.9', false],
    ['2.14.4', false],
    ['2.14.5', true],
    ['2.15.0', true],
    ['2.15.1-beta.2', true],
    ['2.14.5-RC.1', false],
    ['2.12.16-RC.1', true],
    ['3.0.0', true],
    ['1.9.9', false],
  ]
  for (const [version, isGood] of table) {
    t.equal(isGoodVersion(version), isGood, version)
    t.equal(isServerTaken(version), isGood, `${version}, as the service sees it`)
  }
})

t.test('the server that is named counts, else the one in the cache; none says why', async (t) => {
  const folder = t.testdir()
  t.match(whyNoNatsServer({}, folder), /^no nats-server: .*NATS_SERVER_BIN/)
  t.match(whyNoNatsServer({ NATS_SERVER_BIN: join(folder, 'none') }, folder), /^no nats-server/)
  mkdirSync(join(folder, 'usr/sbin'), { recursive: true })
  const cached = join(folder, 'usr/sbin/nats-server')
  writeFileSync(cached, 'not a program')
  t.equal(findNatsServer({}, folder), cached)
  t.match(whyNoNatsServer({}, folder), /does not start/)
  t.equal(findNatsServer({ NATS_SERVER_BIN: process.execPath }, folder), process.execPath)
  t.match(whyNoNatsServer({ NATS_SERVER_BIN: process.execPath }, folder), /does not start/)
})
