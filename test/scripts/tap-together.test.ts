import { join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

interface Verdict {
  readonly file: string
  readonly passed: number
  readonly failures: readonly { readonly name: string; readonly text: string }[]
}
const { runFiles } = (await import(
  new URL('../../scripts/tap-file.mjs', import.meta.url).href
)) as {
  runFiles(files: readonly string[], options: object): Promise<readonly Verdict[]>
}
const { groupsOf } = (await import(
  new URL('../../scripts/tap-rooms.mjs', import.meta.url).href
)) as {
  groupsOf(files: readonly string[]): readonly (readonly string[])[]
}

const PASSES = "t.test('good', async (t) => { t.ok(1) })"

/** What becomes of these files in one process, by their names. */
async function run(t: Test, bodies: Readonly<Record<string, string>>) {
  const folder = t.testdir(
    Object.fromEntries(
      Object.entries(bodies).map(([name, body]) => [
        `${name}.test.ts`,
        `import t from 'tap'\n${body}\n`,
      ]),
    ),
  )
  const pathOf = (name: string) =>
    relative(ROOT, join(folder, `${name}.test.ts`))
      .split(sep)
      .join('/')
  const verdicts = await runFiles(Object.keys(bodies).map(pathOf), { root: ROOT, secondsMax: 60 })
  return Object.fromEntries(
    Object.keys(bodies).map((name, at) => {
      t.equal(verdicts[at]?.file, pathOf(name))
      return [name, verdicts[at]]
    }),
  )
}

t.test('each of several files in one process keeps its verdict', async (t) => {
  const { first, bad, broken, empty, last } = await run(t, {
    first: `let torn = 0\nt.teardown(() => { torn += 1 })\n${PASSES}\nt.test('still up', async (t) => { t.equal(torn, 0) })`,
    bad: `${PASSES}\nt.test('bad', async (t) => { t.equal(1, 2) })`,
    broken: "throw new Error('cannot be loaded')",
    empty: 'export const nothing = t.name',
    last: PASSES,
  })
  t.match(first, { passed: 2, failures: [] })
  t.match(bad, { passed: 1, failures: [{ name: 'bad' }] })
  t.match(broken, { passed: 0, failures: [{ text: /cannot be loaded/ }] })
  t.match(empty, { passed: 0, failures: [{ text: 'it holds no test' }] })
  t.match(last, { passed: 1, failures: [] })
})

t.test('a process that ends fails the files that it had not come through', async (t) => {
  const { first, ends, last } = await run(t, {
    first: PASSES,
    ends: "t.test('ends', async () => { process.exit(3) })",
    last: PASSES,
  })
  t.match(first, { passed: 1, failures: [] })
  t.equal(ends?.failures.length, 1)
  t.match(last, { passed: 0, failures: [{ name: 'the file as a whole' }] })
})

t.test('only the files of a room of pure code are run together', async (t) => {
  const files = ['test/web/a.test.ts', 'test/http/b.test.ts', 'test/web/c.test.ts']
  t.strictSame(groupsOf(files), [
    ['test/web/a.test.ts', 'test/web/c.test.ts'],
    ['test/http/b.test.ts'],
  ])
})
