import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { watchingFlushes } from './watching-flushes.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const SET_UP = `
import { setUpBundles } from './scripts/setup-builds.mjs'
await setUpBundles(import.meta.dirname, import.meta.dirname + '/node_modules/lock')
`

/** Says where main thread and worker run, and what a module of theirs found beside itself. */
const MAIN = `
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { said } from './words/words.ts'
const entry = new URL('../actors/some/some.thread.ts', import.meta.url).href
const worker = new Worker(new URL('../bin/thread.cjs', import.meta.url), { workerData: { entry } })
const [thread]: unknown[] = await once(worker, 'message')
console.log(JSON.stringify({ main: said(new Error('here')), thread }))
`
const THREAD = `
import { parentPort } from 'node:worker_threads'
import { said } from '../../src/words/words.ts'
parentPort?.postMessage(said(new Error('here')))
`
const WORDS = `
import { readFileSync } from 'node:fs'
const beside: string = readFileSync(new URL('./beside.txt', import.meta.url), 'utf8')
export const said = (here: Error): readonly unknown[] =>
  [/steward.bundles/.test(here.stack ?? ''), beside, '代码 one']
`

function clone(t: Test): string {
  const root = t.testdir({
    src: { 'main.ts': MAIN, words: { 'words.ts': WORDS, 'beside.txt': 'found' } },
    actors: { some: { 'some.thread.ts': THREAD } },
    http: {},
    'package-lock.json': '{}',
    'tsconfig.json': '{}',
    'set-up.mjs': SET_UP,
  })
  for (const folder of ['bin', 'scripts'])
    cpSync(join(ROOT, folder), join(root, folder), { recursive: true })
  mkdirSync(join(root, 'node_modules'))
  symlinkSync(join(ROOT, 'node_modules', 'vite'), join(root, 'node_modules', 'vite'), 'junction')
  return root
}

async function run(root: string, file: string, args: readonly string[] = []) {
  const child = spawn(process.execPath, [join(root, file), ...args], {
    env: { ...process.env, NODE_OPTIONS: '', STEWARD_LAUNCHED: undefined },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [out, err, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ])
  return { out, err, code }
}

const START = 'bin/steward.mjs'
const foldersOf = (root: string) => readdirSync(join(root, 'node_modules/.cache/steward/bundles'))

t.test(
  'process and threads start from bundles of just these sources, or from the sources',
  async (t) => {
    const root = clone(t)
    const saying = (isBundle: boolean, words: string) => {
      const all = [isBundle, 'found', words]
      return { out: `${JSON.stringify({ main: all, thread: all })}\n`, err: '', code: 0 }
    }
    t.strictSame(await run(root, START), saying(false, '代码 one'), 'before the set-up')

    const made = await run(root, 'set-up.mjs')
    t.strictSame(made, {
      out: 'steward: 正在构建服务 (building the service) ...\n',
      err: '',
      code: 0,
    })
    t.strictSame(await run(root, START), saying(true, '代码 one'))
    t.equal((await run(root, 'set-up.mjs')).out, '', 'there is nothing to do')

    writeFileSync(join(root, 'src/words/words.ts'), WORDS.replace('one', 'two'))
    t.strictSame(
      await run(root, START),
      saying(false, '代码 two'),
      'the bundles are of other sources',
    )

    await run(root, 'set-up.mjs')
    t.strictSame(await run(root, START), saying(true, '代码 two'))
    t.equal(
      foldersOf(root).length,
      2,
      'a process of the old code starts its threads from the old ones',
    )
  },
)

const WATCHED = watchingFlushes(`
await import('./scripts/build-bundles.mjs')
`)

t.test('F656 bundles are on the disk before they have their name', async (t) => {
  const root = clone(t)
  writeFileSync(join(root, 'watched.mjs'), WATCHED)
  const folder = join(root, 'work', 'bundles')
  const { out, err, code } = await run(root, 'watched.mjs', [folder])
  t.match({ err, code }, { err: '', code: 0 })
  const [flushed = '', ...after] = out.split(`named ${folder}\n`)
  t.strictSame(after, [''], 'and nothing is written behind it')
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  const bundles = files.filter((name) => name.endsWith('.js'))
  t.equal(bundles.length, 2)
  for (const name of bundles) t.match(flushed, `${name}\n`)
})

t.test('a source that cannot be bundled is an error that names it', async (t) => {
  const root = clone(t)
  writeFileSync(join(root, 'src/words/words.ts'), 'export const = 1\n')
  const { err, code } = await run(root, 'set-up.mjs')
  t.match(err, /steward: 无法构建服务.* \(cannot build the service: see below\)[\s\S]*words\.ts/)
  t.equal(code, 1)
  t.strictSame(
    foldersOf(root).filter((name) => !name.includes('.')),
    [],
  )
})

t.test(
  'bundles of an archive run in whatever folder it is unpacked, without any source',
  async (t) => {
    const root = clone(t)
    const made = await run(root, 'scripts/build-bundles.mjs', [
      join(root, 'work', 'bundles'),
      join(root, 'bundles'),
    ])
    t.strictSame(made, { out: '', err: '', code: 0 })
    t.strictSame(readdirSync(join(root, 'work')), ['bundles'], 'nothing beside it was touched')
    const unpacked = join(root, '量化 交易', 'app')
    for (const folder of ['bin', 'scripts', 'node_modules']) {
      cpSync(join(root, folder), join(unpacked, folder), { recursive: true })
    }
    renameSync(join(root, 'work', 'bundles'), join(unpacked, 'bundles'))
    mkdirSync(join(unpacked, 'src', 'words'), { recursive: true })
    renameSync(join(root, 'src/words/beside.txt'), join(unpacked, 'src/words/beside.txt'))
    writeFileSync(join(unpacked, 'distribution.json'), '{}')
    rmSync(join(unpacked, 'node_modules', 'vite'))
    for (const folder of ['src', 'actors']) rmSync(join(root, folder), { recursive: true })
    const all = [false, 'found', '代码 one']
    t.strictSame(await run(unpacked, START), {
      out: `${JSON.stringify({ main: all, thread: all })}\n`,
      err: '',
      code: 0,
    })
  },
)
