// The server that the tests of a cluster start: the one that is named, else the one that the set-up of the tests
// unpacked. Nothing is installed: the package of Debian's newest suite is unpacked into the project's cache, because
// the suites that computers run on have versions in which two writers can win the same place of a journal.
// Plain JavaScript for any Node from 18 on.
import { spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { debianEntries, newestSources } from './nats-server-sources.mjs'
import { renameHeld } from './rename.mjs'
import { ROOT } from './runtime.mjs'

const CACHE = join(ROOT, 'node_modules', '.cache', 'steward')
const UNPACKED = join(CACHE, 'nats-server')
const STEP_MS_MAX = 120_000
/** The oldest good one of a line; later lines are good, earlier ones never are. */
const FLOORS = [
  [2, 12, 15],
  [2, 14, 5],
]
const MEND =
  'name a nats-server of 2.14.5 or later (or 2.12.15 of the line 2.12) in NATS_SERVER_BIN; on Debian, as root, npm test fetches one'

/** The executable that the tests start; undefined when there is none. */
export function findNatsServer(env = process.env, folder = UNPACKED) {
  const named = env['NATS_SERVER_BIN']
  const places = named
    ? [named]
    : ['usr/sbin', 'usr/bin'].map((at) => join(folder, at, 'nats-server'))
  return places.find((path) => existsSync(path))
}

/** Why the tests that need a server cannot run here, in one line; undefined when they can. */
export function whyNoNatsServer(env = process.env, folder = UNPACKED) {
  const binary = findNatsServer(env, folder)
  if (binary === undefined) return `no nats-server: ${MEND}`
  const version = versionOf(binary)
  if (version === undefined) return `${binary} does not start: ${MEND}`
  return isGoodVersion(version) ? undefined : `nats-server ${version} is too old: ${MEND}`
}

/** "2.15.1"; undefined when the file does not start. */
function versionOf(binary) {
  const { status, stdout } = spawnSync(binary, ['--version'], { encoding: 'utf8', timeout: 20_000 })
  return status === 0 ? /^nats-server: v(\S+)/.exec(stdout)?.[1] : undefined
}

/** Whether a server of this version may hold a journal. */
export function isGoodVersion(version) {
  const [numbers = '', preview] = version.split('-', 2)
  const [major = 0, minor = 0, patch = 0] = numbers.split('.').map(Number)
  const floor = FLOORS.find((row) => row[0] === major && row[1] === minor)
  if (floor !== undefined) return patch > floor[2] || (patch === floor[2] && preview === undefined)
  const [lastMajor, lastMinor] = FLOORS[FLOORS.length - 1]
  return major > lastMajor || (major === lastMajor && minor > lastMinor)
}

/** Fetches one where that needs nobody's word: on Debian, as root. Whoever has none says why in the tests it skips. */
export function setUpNatsServer(env = process.env) {
  if (whyNoNatsServer(env) === undefined || env['NATS_SERVER_BIN']) return
  const isDebianRoot = process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')
  if (!isDebianRoot) return
  process.stdout.write(
    'steward: 为集群的测试下载 nats-server … (fetching a nats-server for the tests of a cluster)\n',
  )
  mkdirSync(CACHE, { recursive: true })
  const work = mkdtempSync(join(CACHE, 'nats-server-'))
  try {
    unpackInto(work)
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

/** Leaves what was there, or nothing, when a step fails. */
function unpackInto(work) {
  const sources = newestSources(debianEntries(readSources(), readRelease()))
  if (sources === '') return
  const list = join(work, 'newest.sources')
  writeFileSync(list, sources)
  for (const folder of ['lists/partial', 'archives/partial']) {
    mkdirSync(join(work, folder), { recursive: true })
  }
  const options = [
    `Dir::Etc::sourcelist=${list}`,
    'Dir::Etc::sourceparts=-',
    `Dir::State::lists=${join(work, 'lists')}`,
    `Dir::Cache=${work}`,
    'APT::Sandbox::User=root', // its own user may have no way into this folder
  ].flatMap((option) => ['-o', option])
  const run = (command, args) =>
    spawnSync(command, args, { cwd: work, stdio: 'ignore', timeout: STEP_MS_MAX }).status === 0
  run('apt-get', [...options, 'update'])
  if (!run('apt-get', [...options, 'download', 'nats-server'])) return
  const file = readdirSync(work).find((name) => name.endsWith('.deb'))
  const folder = join(work, 'unpacked')
  if (file === undefined || !run('dpkg-deb', ['-x', file, folder])) return
  if (whyNoNatsServer({}, folder) !== undefined) return
  rmSync(UNPACKED, { recursive: true, force: true })
  renameHeld(folder, UNPACKED)
}

/** The text of each file in which this computer names its sources. */
function readSources() {
  const parts = '/etc/apt/sources.list.d'
  const more = existsSync(parts) ? readdirSync(parts).map((name) => join(parts, name)) : []
  const files = ['/etc/apt/sources.list', ...more].filter((path) => existsSync(path))
  return files.map((path) => ({ path, text: readFileSync(path, 'utf8') }))
}

const readRelease = () =>
  existsSync('/etc/os-release') ? readFileSync('/etc/os-release', 'utf8') : ''
