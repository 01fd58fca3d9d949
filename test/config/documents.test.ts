import { readFileSync, writeFileSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import t from 'tap'
import { z } from 'zod'
import { configSchema } from '../../src/config/schema.ts'
import { isTree } from '../../src/config/tree.ts'
import { twinText } from '../../src/config/twins.ts'
import { PARAMETERS } from '../../src/domain/settings/parameters.ts'
import { type Row, UNITS } from '../../src/domain/settings/row.ts'
import { CONSTANTS, WITHOUT_EFFECT } from '../../src/domain/settings/table.ts'

const ROOT = new URL('../../', import.meta.url)
const read = (file: string) => readFileSync(new URL(file, ROOT), 'utf8').replaceAll('\r\n', '\n')

const HEAD = `# 策略参数 Constants of the strategies

The section \`strategy\` of the configuration file. Written by test/config/documents.test.ts with UPDATE_SNAPSHOT=1, from the
table in src/domain/settings; the same test fails when the table says otherwise.

Ratios are decimals: 0.06 means 6 %. A parameter of the API has its name and range in \`/api/config\` beside it, in the unit used there.
`

const cell = (text: string): string => text.replaceAll('|', '\\|')
const rowOf = (cells: readonly string[]): string => `| ${cells.map(cell).join(' | ')} |\n`
const tableOf = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  `\n${rowOf(head)}${rowOf(head.map(() => '---'))}${rows.map(rowOf).join('')}`

function rangeOf(row: Row): string {
  if (row.kind === 'choice') return row.options.join(', ')
  if (!('unit' in row)) return ''
  const unit = row.unit === 'number' ? '' : ` ${UNITS[row.unit].join(' ')}`
  return `${row.min} … ${row.max}${unit}`
}

/** What the API calls a constant, or the entry of it that counts. */
function offerOf(constant: string): string {
  const offered = Array.from(PARAMETERS.values()).find(
    ({ setting, row }) => (row.within?.constant ?? setting) === constant,
  )
  if (offered === undefined) return ''
  const { name, range, label } = offered
  return range === undefined
    ? `\`${name}\``
    : `\`${name}\` ${range.min} … ${range.max}${/（(.*)）/.exec(label[0])?.[1]}`
}

const cellsOf = ([name, row]: readonly [string, Row]): readonly string[] => [
  `\`${name}\``,
  row.default === undefined ? '' : `\`${JSON.stringify(row.default)}\``,
  rangeOf(row),
  `${row.text[0]}${twinText(row)[0]}<br>${row.text[1]}${twinText(row)[1]}`,
  offerOf(name),
]

t.test('the page of the constants is the table of settings', async (t) => {
  const rowsOf = (isDead: boolean) =>
    CONSTANTS.filter(([name]) => WITHOUT_EFFECT.has(name) === isDead).map(cellsOf)
  const head = ['名称 Name', '默认 Default', '范围 Range', '含义 Meaning', '接口 API']
  const dead = rowsOf(true).map((cells) => cells.slice(0, -1))
  const text = `${HEAD}${tableOf(head, rowsOf(false))}
## 无效果 Without effect

Accepted, so that an existing configuration can be carried over as it is. Setting one gives a warning.
${tableOf(head.slice(0, -1), dead)}`
  const file = 'docs/settings.md'
  if (process.env['UPDATE_SNAPSHOT'] === '1') writeFileSync(new URL(file, ROOT), text)
  t.equal(read(file), text)
})

interface Json {
  readonly default?: unknown
  readonly const?: unknown
  readonly properties?: Readonly<Record<string, Json>>
  readonly items?: Json
  readonly oneOf?: readonly Json[]
}

/** Every path of the file with its defaults: one for each variant that has it. */
function pathsOf(schema: Json, path: string, found: Map<string, unknown[]>): void {
  found.set(path, [...(found.get(path) ?? []), schema.default ?? schema.const])
  if (schema.items) pathsOf(schema.items, `${path}[]`, found)
  for (const variant of schema.oneOf ?? []) pathsOf(variant, path, found)
  for (const [name, inner] of Object.entries(schema.properties ?? {})) {
    pathsOf(inner, path === '' ? name : `${path}.${name}`, found)
  }
}

/** `direct.base_port`, `host`: names after the first are beside it. */
function namesIn(text: string): readonly string[] {
  const names = Array.from(text.replaceAll(/\(.*?\)/g, '').matchAll(/`([^`]+)`/g), ([, name]) =>
    String(name).replace(/(\[\])?(\.\*)?$/, ''),
  )
  const [first = ''] = names
  const section = first.slice(0, first.lastIndexOf('.') + 1)
  return names.map((name) => (name.includes('.') ? name : section + name))
}

const WORDS: Readonly<Record<string, unknown>> = { empty: '', all: [], none: [] }
const said = (text: string): unknown => {
  const bare = text.replaceAll('`', '')
  if (bare in WORDS) return WORDS[bare]
  return /^(\d+|true|false)$/.test(bare) ? JSON.parse(bare) : bare
}

t.test('the settings in README.md exist and have the defaults that it says', async (t) => {
  const paths = new Map<string, unknown[]>()
  pathsOf(z.toJSONSchema(configSchema, { io: 'input', unrepresentable: 'any' }) as Json, '', paths)
  const [, table = ''] = /\n## Settings\n.*?\n\|---.*?\n(.*?)\n\n/s.exec(read('README.md')) ?? []
  const rows = table.split('\n').filter((row) => !row.includes('(environment)'))
  t.ok(rows.length > 10)
  for (const row of rows) {
    const [, left = '', middle = ''] = row.split('|').map((text) => text.trim())
    const names = namesIn(left)
    const defaults = middle.split(', ')
    for (const [index, name] of names.entries()) {
      t.ok(paths.has(name), `${name} is a setting`)
      const text = defaults[index]
      if (text === undefined || defaults.length !== names.length || /^$|^–$/.test(text)) continue
      const values = paths.get(name) ?? []
      if (values.every(isTree)) continue // a whole section: the cell says it in words
      t.ok(
        values.some((value) => isDeepStrictEqual(value, said(text))),
        `${name} ${text}`,
      )
    }
  }
})
