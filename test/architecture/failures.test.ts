import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const PAGE = readFileSync(join(ROOT, 'test', 'failures.md'), 'utf8')
const ROWS = 1029
const ROW = /^\| (F\d+) \|.*\|.*\| (.+) \|$/gm
const NAMED = /`(test\/[\w./-]+\.test\.ts)`: (.+?)(?=; `test\/|$)/g

interface Named {
  readonly row: string
  readonly file: string
  readonly title: string
}

function namedIn(page: string): readonly Named[] {
  return [...page.matchAll(ROW)].flatMap(([, row = '', tests = '']) =>
    [...tests.matchAll(NAMED)].map(([, file = '', title = '']) => ({ row, file, title })),
  )
}

/** Tests that a page names and that are not there. */
function missing(page: string): readonly string[] {
  return namedIn(page)
    .filter(({ file, title }) => {
      const path = join(ROOT, file)
      return !existsSync(path) || !readFileSync(path, 'utf8').includes(title)
    })
    .map(({ row, file, title }) => `${row} ${file}: ${title}`)
}

t.test('every fault has a test, and every test that is named exists', async (t) => {
  t.strictSame(missing(PAGE), [])
  const numbers = Array.from(PAGE.matchAll(ROW), ([, row = '']) => row)
  t.strictSame(numbers, [...new Set(numbers)], 'no number is given twice')
  const rows = new Set(namedIn(PAGE).map(({ row }) => row))
  const wanted = Array.from({ length: ROWS }, (_, i) => `F${i + 1}`)
  t.strictSame(
    wanted.filter((row) => !rows.has(row)),
    [],
  )
})

t.test('the check bites', async (t) => {
  const row = (text: string) => `| F1 | a fault | what happens | ${text} |`
  const here = 'test/architecture/failures.test.ts'
  t.strictSame(missing(row(`\`${here}\`: the check bites`)), [])
  const unsaid = ['nobody', 'wrote', 'this'].join(' ')
  t.equal(missing(row(`\`${here}\`: the check bites; \`${here}\`: ${unsaid}`)).length, 1)
  t.equal(missing(row(`\`test/nowhere.test.ts\`: ${unsaid}`)).length, 1)
})
