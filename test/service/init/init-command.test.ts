import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { Child } from '../fixtures/child.ts'

const FILE = 'steward.config.json'
const KILLED = join(import.meta.dirname, '..', 'fixtures', 'killed-at-rename.cjs')
const steward = (t: Test, folder: string, ...args: string[]) => new Child(t, folder, args).exit

t.test('steward init writes a file for its user alone, and never over another', async (t) => {
  const folder = t.testdir({ terminal: { userdata_mini: {} } })
  const flags = ['--yes', '--qmt', join(folder, 'terminal'), '--account', '88001234', '--no-doctor']
  t.match(await steward(t, folder, 'init', ...flags), { code: 0, stderr: [], stdout: [/已写入/] })
  const text = readFileSync(join(folder, FILE), 'utf8')
  t.match(text, /"account_id": "88001234"/)
  t.ok(text.includes(`"data_dir": ${JSON.stringify(join(folder, 'data'))}`), 'wherever it starts')
  if (process.platform !== 'win32') t.equal(statSync(join(folder, FILE)).mode & 0o777, 0o600)
  t.match(await steward(t, folder, 'init', ...flags), { code: 2, stderr: [/不会覆盖/] })
  t.equal(readFileSync(join(folder, FILE), 'utf8'), text)
  // What the doctor finds depends on this computer.
  const forced = await steward(t, folder, 'init', '--yes', '--driver', 'paper', '--force')
  t.match(forced.stdout.slice(0, 4), [/已写入/, /原文件/, /^$/, /^ok {4}node/])
  t.equal(readdirSync(folder).filter((name) => name.endsWith('.old')).length, 1)
  t.match(await steward(t, folder, 'check'), { code: 0 })
})

t.test('F633 a file that is replaced is there wherever that ends', async (t) => {
  const folder = t.testdir()
  const flags = ['init', '--yes', '--driver', 'paper', '--no-doctor']
  t.match(await steward(t, folder, ...flags, '--account', '10000001'), { code: 0 })
  const before = readFileSync(join(folder, FILE), 'utf8')
  const anew = [...flags, '--account', '10000002', '--force']
  const killed = new Child(t, folder, anew, undefined, {
    NODE_OPTIONS: `--require ${JSON.stringify(KILLED)}`,
    STEWARD_TEST_KILL: `${FILE}.new`,
  })
  t.not((await killed.exit).code, 0)
  t.equal(readFileSync(join(folder, FILE), 'utf8'), before, 'without it a start would be the demo')
  t.match(await steward(t, folder, ...anew), { code: 0 })
  t.match(readFileSync(join(folder, FILE), 'utf8'), /10000002/)
  const aside = readdirSync(folder).filter((name) => name.endsWith('.old'))
  for (const name of aside) t.equal(readFileSync(join(folder, name), 'utf8'), before)
  t.ok(aside.length > 0)
})

t.test('what cannot be is one line, and leaves nothing', async (t) => {
  const folder = t.testdir()
  t.match(await steward(t, folder, 'init'), { code: 2, stderr: [/^steward: 缺少 --qmt/] })
  const far = join(folder, 'file')
  mkdirSync(join(far, FILE), { recursive: true })
  const blocked = await steward(
    t,
    far,
    'init',
    '--yes',
    '--driver',
    'paper',
    '--no-doctor',
    '--config',
    `${FILE}/x/y`,
  )
  t.match(blocked, { code: 0 }, 'folders above it are made')
  t.notOk(existsSync(join(folder, FILE)))
  t.strictSame(readdirSync(folder), ['file'])
})

t.test(
  'F653 a place that cannot even be looked at is one line, and no crash',
  { skip: process.platform === 'win32' && 'links need a privilege there' },
  async (t) => {
    const folder = t.testdir({ file: 'text', loop: t.fixture('symlink', 'loop') })
    const flags = ['--yes', '--driver', 'paper', '--no-doctor', '--config']
    for (const place of ['file/x.json', 'loop/x.json']) {
      const said = await steward(t, folder, 'init', ...flags, place)
      t.match(said, { code: 1, stderr: [/^steward: .*cannot be written/] }, place)
      t.equal(said.stderr.length, 1, 'and nothing else')
    }
  },
)

t.test(
  'F682 where nothing can be made a command ends, with a line, instead of trying for ever',
  { skip: process.platform !== 'linux' && 'such a folder is known there' },
  async (t) => {
    const folder = t.testdir({ data: {} })
    const nowhere = '/proc/steward/copies'
    const init = ['init', '--yes', '--driver', 'paper', '--no-doctor', '--config']
    for (const args of [
      [...init, `${nowhere}/x.json`],
      ['backup', '--schedule', '15:40', '--to', nowhere],
    ]) {
      const said = await steward(t, folder, ...args)
      t.equal(said.signal, null, args.join(' '))
      t.not(said.code, 0)
      t.match(said.stderr, [
        /^steward: .*\/proc\/steward.*ENOENT|^steward: ENOENT.*\/proc\/steward/,
      ])
      t.equal(said.stderr.length, 1)
    }
  },
)
