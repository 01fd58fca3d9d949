import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

const PASSING = `
import t from 'tap'
t.test('first', async (t) => { t.ok(1); t.equal(2, 2) })
t.test('outer', async (t) => { await t.test('a', async (t) => { t.ok(1) }); await t.test('b', async (t) => { t.ok(1) }) })
`
const inTap = (body: string) => `import t from 'tap'\n${body}\n`

const CASES = {
  'counts tests, not assertions or groups': { body: PASSING, last: '3 passed, 0 failed', code: 0 },
  'a file with bare assertions is one test': {
    body: inTap('t.ok(1); t.equal(2, 2)'),
    last: '1 passed, 0 failed',
    code: 0,
  },
  'a wrong assertion fails its test': {
    body: inTap(
      "t.test('good', async (t) => { t.ok(1) })\nt.test('bad', async (t) => { t.equal(1, 2); t.ok(0) })",
    ),
    last: '1 passed, 1 failed',
    code: 1,
  },
  'a throw after the tests fails the file': {
    body: inTap(
      "t.test('good', async (t) => { t.ok(1) })\nsetTimeout(() => { throw new Error('late') }, 20)",
    ),
    last: '1 passed, 1 failed',
    code: 1,
  },
  'an exit in the middle fails the file': {
    body: inTap("t.test('cut', () => { process.exit(0) })"),
    last: '0 passed, 1 failed',
    code: 1,
  },
  'a throw before the first test fails the file': {
    body: "throw new Error('early')",
    last: '0 passed, 1 failed',
    code: 1,
  },
  'a file without a test fails': { body: 'export {}', last: '0 passed, 1 failed', code: 1 },
  'a skipped test is no passed one': {
    body: inTap("t.test('later', { skip: 'why' }, async (t) => { t.ok(1) })"),
    last: '0 passed, 0 failed',
    code: 1,
  },
}

for (const [name, { body, last, code }] of Object.entries(CASES)) {
  t.test(name, async (t) => {
    const folder = t.testdir({ 'some.test.ts': body })
    const args = [join(ROOT, 'scripts/tap.mjs'), join(folder, 'some.test.ts')]
    const env = { ...process.env, NODE_OPTIONS: '' }
    const run = spawnSync(process.execPath, args, { encoding: 'utf8', env })
    t.equal(run.stdout.trimEnd().split('\n').at(-1), last)
    t.equal(run.status, code)
  })
}
