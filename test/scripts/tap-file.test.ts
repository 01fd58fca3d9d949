import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const IN_TIME = new URL('../in-time.ts', import.meta.url).href

interface Verdict {
  readonly passed: number
  readonly skipped: readonly string[]
  readonly failures: readonly {
    readonly name: string
    readonly text: string
    readonly isTimeout?: boolean
  }[]
}
interface TapFile {
  runFile(file: string, options: object): Promise<Verdict>
}
const { runFile } = (await import(
  new URL('../../scripts/tap-file.mjs', import.meta.url).href
)) as TapFile

/** What becomes of a file with these tests. */
const run = (t: Test, body: string, options: object = {}): Promise<Verdict> =>
  runFile(join(t.testdir({ 'some.test.ts': `import t from 'tap'\n${body}\n` }), 'some.test.ts'), {
    root: ROOT,
    secondsMax: 60,
    ...options,
  })

t.test('only the test that is named is run, and its inner ones', async (t) => {
  const body = `
    t.test('a (b) [c]', async (t) => {
      await t.test('x', async (t) => { t.ok(1) })
      await t.test('y', async (t) => { t.ok(0) })
    })
    t.test('a', async (t) => { t.ok(0) })`
  t.match(await run(t, body, { titles: ['a (b) [c]', 'x'] }), { passed: 1, failures: [] })
  const both = await run(t, body, { titles: ['a (b) [c]'] })
  t.match(both, { passed: 1, skipped: [], failures: [{ name: 'a (b) [c] > y', isTimeout: false }] })
})

t.test('what a file leaves among temporary files goes with its process', async (t) => {
  const body = `
    import { execFileSync } from 'node:child_process'
    import { mkdtempSync, writeFileSync } from 'node:fs'
    import { tmpdir } from 'node:os'
    t.test('leaves', async (t) => {
      const folder = mkdtempSync(tmpdir() + '/left-')
      const script = "console.log(require('node:os').tmpdir())"
      const child = String(execFileSync(process.execPath, ['-e', script])).trim()
      t.equal(child, tmpdir(), 'and so for the programs that it starts')
      writeFileSync(new URL('place', import.meta.url), folder)
      process.kill(process.pid, 'SIGKILL')
    })`
  const file = join(t.testdir({ 'some.test.ts': `import t from 'tap'\n${body}\n` }), 'some.test.ts')
  await runFile(file, { root: ROOT, secondsMax: 60 })
  const folder = readFileSync(join(file, '..', 'place'), 'utf8')
  t.match(folder, /left-/)
  t.notOk(existsSync(folder))
  t.notOk(existsSync(join(folder, '..')))
})

t.test('a file that has failed and left something open is ended', async (t) => {
  const body = `
    import { createServer } from 'node:http'
    t.test('leaves', async () => { createServer().listen(0); throw new Error('why') })`
  const { failures } = await run(t, body, { quietSecondsMax: 1 })
  t.match(failures[0], { name: 'leaves', text: /why/, isTimeout: false })
})

t.test('a test that never ends is a timeout', async (t) => {
  const body = `
    t.test('hangs', async () => { await new Promise((go) => setTimeout(go, 100_000)) })`
  const { failures } = await run(t, body, { secondsMax: 2, quietSecondsMax: 1 })
  t.ok(failures.some(({ isTimeout }) => isTimeout))
})

t.test('what is awaited in vain is a failure that says what', async (t) => {
  const body = `
    import { inTime, turnsUntil } from '${IN_TIME}'
    t.test('one', async () => { await inTime(new Promise(() => undefined), 'a deal') })
    t.test('two', async () => { await turnsUntil(() => false, 'a tick') })
    t.test('three', async (t) => { t.equal(await inTime(Promise.resolve(3), 'three'), 3) })`
  const { passed, failures } = await run(t, body, { env: { STEWARD_TEST_PATIENCE_MS: '50' } })
  t.equal(passed, 1)
  t.match(failures, [
    { name: 'one', text: /waited in vain for a deal/, isTimeout: false },
    { name: 'two', text: /waited in vain for a tick/ },
  ])
})

t.test('the folders of a test outlive its teardowns, which close what lies in them', async (t) => {
  const body = `
    import { existsSync, writeFileSync } from 'node:fs'
    t.test('holds', async (t) => {
      const folder = t.testdir({ held: '' })
      writeFileSync(process.env.STEWARD_TEST_TOLD, folder)
      t.teardown(() => { if (!existsSync(folder)) throw new Error('removed too early') })
    })`
  const told = join(t.testdirName, 'told')
  const env = { STEWARD_TEST_TOLD: told }
  t.match(await run(t, body, { env }), { failures: [] })
  const folder = readFileSync(told, 'utf8')
  t.notOk(existsSync(folder), 'and not the process')
})
