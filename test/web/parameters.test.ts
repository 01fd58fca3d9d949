import { readFileSync, writeFileSync } from 'node:fs'
import t from 'tap'
import { PARAMETERS } from '../../src/domain/settings/parameters.ts'

const FILE = new URL('../../web/console/texts/parameters.ts', import.meta.url)
const HEAD = `/**
 * The parameters of the API as the table of settings names them, and the forms on which they stand. Written by
 * test/web/parameters.test.ts with UPDATE_SNAPSHOT=1; the same test fails when the table says otherwise.
 */
`

const quoted = (text: string): string => `'${text.replaceAll("'", "\\'")}'`
const list = (texts: readonly string[]): string => `[${texts.map(quoted).join(', ')}]`

function formOf(form: string): string {
  const shown = [...PARAMETERS.values()].filter(({ offer }) => offer.form === form)
  const names = (isNumber: boolean) =>
    list(shown.filter(({ range }) => (range !== undefined) === isNumber).map(({ name }) => name))
  return `  ${form}: {\n    numbers: ${names(true)},\n    switches: ${names(false)},\n  },\n`
}

t.test('the labels and forms of the console are those of the table of settings', async (t) => {
  const all = [...PARAMETERS.values()]
  const labels = all.map(({ name, label }) => `  ${quoted(`parameter.${name}`)}: ${list(label)},\n`)
  const forms = new Set(all.flatMap(({ offer: { form } }) => (form ? [form] : [])))
  t.ok(forms.size > 0)
  const text = `${HEAD}export const parameters = {\n${labels.join('')}} as const

/** Wire names in the order of the form: fields for numbers, then switches. */
export const FORMS = {\n${[...forms].map(formOf).join('')}} as const\n`
  if (process.env['UPDATE_SNAPSHOT'] === '1') writeFileSync(FILE, text)
  t.equal(readFileSync(FILE, 'utf8'), text)
})
