import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { MUTANTS } from './list.ts'
import type { Mutant } from './mutant.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const LEAST = 24

const read = (file: string): string => {
  const path = join(ROOT, file)
  return existsSync(path) ? readFileSync(path, 'utf8').replaceAll('\r\n', '\n') : ''
}

const WORDS_LEAST = 12

/** The whole title: a part of one runs no test at all, and nothing fails. */
const isWritten = (source: string, title: string): boolean =>
  [`'`, '"', '`'].some((quote) => source.includes(`${quote}${title}${quote}`))

/** Titles that a loop makes: everything but the names in them is in the source. */
const made = (source: string): readonly RegExp[] =>
  [...source.matchAll(/`([^`\n]*\$\{[^`\n]*)`/g)].flatMap(([, title = '']) => {
    const parts = title.split(/\$\{[^}]*\}/)
    if (parts.join('').length < WORDS_LEAST) return []
    const words = parts.map((part) => part.replace(/[^\w\s]/g, '\\$&'))
    return [new RegExp(`^${words.join('.*')}$`)]
  })

/** What keeps a bug from being planted, or its test from being run. */
function problem({ file, text, becomes, test: [test, ...titles] }: Mutant): string | undefined {
  const count = read(file).split(text).length - 1
  if (count !== 1) return `its text is ${count} times in ${file}`
  if (becomes === text) return 'it changes nothing'
  const source = read(test)
  const missing = titles.find(
    (title) => !isWritten(source, title) && !made(source).some((form) => form.test(title)),
  )
  return missing === undefined ? undefined : `${test} has no test "${missing}"`
}

t.test('every bug on the list can be planted, and its test is there', async (t) => {
  for (const mutant of MUTANTS) t.equal(problem(mutant), undefined, mutant.id)
  t.ok(MUTANTS.length >= LEAST)
  t.equal(new Set(MUTANTS.map(({ id }) => id)).size, MUTANTS.length, 'each has a name of its own')
})

t.test('the check bites', async (t) => {
  const [mutant] = MUTANTS
  if (mutant === undefined) throw new Error('the list is empty')
  t.equal(problem(mutant), undefined)
  const wrong: Partial<Mutant>[] = [
    { text: 'nobody wrote this' },
    { text: '\n' },
    { file: 'src/nowhere.ts' },
    { becomes: mutant.text },
    { test: [mutant.test[0], 'no such test'] },
    { test: ['test/nowhere.test.ts', mutant.test[1]] },
  ]
  for (const fields of wrong) t.ok(problem({ ...mutant, ...fields }), JSON.stringify(fields))
})
