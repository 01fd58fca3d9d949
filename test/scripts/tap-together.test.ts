import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
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
  groupsOf(files: readonly string[], root?: string): readonly (readonly string[])[]
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

t.test(
  'files of one process find their folders as they do alone, and nothing is left of them',
  async (t) => {
    const makes = "t.test('makes', async (t) => { t.comment(t.testdir({ a: 'b' })) })"
    const { first, last } = await run(t, { first: makes, last: makes })
    t.match(first, { passed: 1, failures: [] })
    t.match(last, { passed: 1, failures: [] })
    const own = /-(?:first|last)\.test\.ts-makes$/
    t.strictSame(
      readdirSync(join(ROOT, '.tap', 'fixtures')).filter((name) => own.test(name)),
      [],
    )
  },
)

/** A place with these test files in it. */
function placeOf(t: Test, bodies: Readonly<Record<string, string>>): string {
  const place = t.testdir()
  for (const [file, body] of Object.entries(bodies)) {
    mkdirSync(join(place, dirname(file)), { recursive: true })
    writeFileSync(join(place, file), body)
  }
  return place
}

t.test(
  'files of a room of pure code share one process, those that run services share it with few',
  async (t) => {
    const pure = Array.from({ length: 12 }, (_, at) => `test/web/${at}.test.ts`)
    const services = Array.from({ length: 12 }, (_, at) => `test/http/${at}.test.ts`)
    const files = [...pure, ...services, 'test/browser/a.test.ts', 'test/browser/b.test.ts']
    const place = placeOf(t, Object.fromEntries(files.map((file) => [file, PASSES])))
    t.strictSame(groupsOf(files, place), [
      pure,
      services.slice(0, 10),
      services.slice(10),
      ['test/browser/a.test.ts'],
      ['test/browser/b.test.ts'],
    ])
  },
)

t.test('a file that changes its process has it for itself', async (t) => {
  const bodies = {
    'test/http/a.test.ts': PASSES,
    'test/http/env.test.ts': "process.env['TZ'] = 'UTC'",
    'test/http/platform.test.ts': "Object.defineProperty(process, 'platform', { value: 'win32' })",
    'test/http/spied.test.ts': 'fs.realpathSync.native = spelled',
    'test/http/z.test.ts': PASSES,
  }
  const place = placeOf(t, bodies)
  t.strictSame(groupsOf(Object.keys(bodies), place), [
    ['test/http/a.test.ts', 'test/http/z.test.ts'],
    ['test/http/env.test.ts'],
    ['test/http/platform.test.ts'],
    ['test/http/spied.test.ts'],
  ])
})
