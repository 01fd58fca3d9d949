import { readFileSync } from 'node:fs'
import t from 'tap'
import { configSchema } from '../../src/config/schema.ts'
import { BOARD_RULES } from '../../src/domain/data/board-rules.ts'
import { POLICY } from '../../src/domain/errors.ts'
import { PRICE_TYPES, VENUE_STATUS } from '../../src/domain/order.ts'
import { RISK_RULES } from '../../src/domain/risk.ts'
import { PARAMETER_RANGES, PARAMETERS } from '../../src/domain/settings/parameters.ts'
import { ratioOf } from '../../src/strategy/grid/ratios.ts'
import { RISK_TEMPLATES } from '../../src/strategy/grid/templates.ts'

/** What can be compared of docs/domain.md with the code that it describes. */
const PAGE = readFileSync(new URL('../../docs/domain.md', import.meta.url), 'utf8')
const DEFAULTS = configSchema.parse({})

/** The text of one section. */
function section(number: string): string {
  const [, text = ''] = PAGE.split(`\n### ${number} `)
  return text.split('\n## ')[0]?.split('\n### ')[0] ?? ''
}

/** Cells of its tables, row by row, without heads and rules. */
const rows = (number: string): readonly (readonly string[])[] =>
  section(number)
    .split('\n')
    .filter((line) => /^\| /.test(line))
    .map((line) => line.split('|').slice(1, -1))
    .map((cells) => cells.map((cell) => cell.trim()))

const words = (text: string): readonly string[] =>
  Array.from(text.matchAll(/`([^`]+)`/g), ([, word = '']) => word)

/** A value as the page shows it, as the configuration has it. */
function shownValue(shown: string): boolean | number | string {
  const plain = shown.replaceAll('`', '').replace(/ (s|yuan)$/, '')
  if (plain === 'on' || plain === 'off') return plain === 'on'
  const number = Number(plain.replace('−', '-').replaceAll(',', ''))
  return Number.isNaN(number) ? plain : number
}

t.test('the tables of settings show the defaults', async (t) => {
  const strategy: Readonly<Record<string, unknown>> = DEFAULTS.strategy
  let seen = 0
  for (const [names = '', shown = ''] of [...rows('5.1'), ...rows('6.1')]) {
    const settings = words(names)
    if (settings.length === 0 || shown.startsWith('see')) continue
    const defaults = settings.map((name) => strategy[name])
    t.strictSame(shown.split(', ').map(shownValue), defaults.flat(), names)
    seen += settings.length
  }
  t.ok(seen >= 40, `${seen} settings`)
})

t.test('the form of settings has the fields and ranges of the table', async (t) => {
  const shown = rows('9.2').slice(1)
  const fields = shown.flatMap(([names = '']) => words(names))
  t.strictSame(
    fields.filter((name) => name !== 'connectPort').sort(),
    [...PARAMETERS.keys()].sort(),
  )
  for (const [names = '', range = ''] of shown) {
    const [min, max] = range.split(' … ').map(shownValue)
    const [name = ''] = words(names)
    if (name in PARAMETER_RANGES) t.strictSame({ min, max }, PARAMETER_RANGES[name], name)
  }
})

t.test('the tiers are those of the default table', async (t) => {
  const [levels = [], coefficients = []] = rows('5.2').filter(([head]) => head !== '---')
  const shown = levels
    .slice(1)
    .map((level, i) => [Number(level.replace(' %', '')) / 100, Number(coefficients[i + 1])])
  t.strictSame(shown, DEFAULTS.strategy.DYNAMIC_TAKE_PROFIT)
})

t.test('every setting, limit and code that the page names exists', async (t) => {
  const known = new Set([...Object.keys(DEFAULTS.strategy), ...Object.keys(POLICY), 'POLICY'])
  const names = words(PAGE).filter((word) => /^[A-Z][A-Z_]{5,}$/.test(word))
  t.ok(names.length > 80, `${names.length} names`)
  t.strictSame(
    names.filter((name) => !known.has(name)),
    [],
  )
  const paths = words(PAGE).filter((word) => /^(limits|risk)\.[a-z_.]+$/.test(word))
  t.ok(paths.length >= 10, `${paths.length} paths`)
  const valueAt = (path: string) =>
    path.split('.').reduce<unknown>((at, key) => (at as Record<string, unknown>)?.[key], DEFAULTS)
  t.strictSame(
    paths.filter((path) => valueAt(path) === undefined),
    [],
  )
})

t.test(
  'price types, codes of the broker and pre-trade rules are all there, in order',
  async (t) => {
    const numbers = (number: string) =>
      rows(number).flatMap(([first = '']) => (/^\d+$/.test(first) ? [Number(first)] : []))
    t.strictSame(
      numbers('3.1'),
      [...PRICE_TYPES].toSorted((a, b) => a - b),
    )
    t.strictSame(numbers('3.3'), Object.keys(VENUE_STATUS).map(Number))
    const rules = rows('3.6').flatMap(([first = '']) => words(first))
    t.strictSame(
      rules,
      RISK_RULES.map(({ name }) => name),
    )
  },
)

t.test('the templates are those that every account has', async (t) => {
  const shown = rows('6.15')
    .filter(([level = '']) => level.startsWith('`'))
    .map(([level = '', name, ...rates]) => [words(level)[0], name, ...rates.map(shownValue)])
  const expected = Object.entries(RISK_TEMPLATES).map(([level, template]) => [
    level,
    template.name,
    ratioOf(template.intervalPpm),
    ratioOf(template.positionPpm),
    ratioOf(template.callbackPpm),
    ratioOf(template.maxDeviationPpm),
    ratioOf(template.targetProfitPpm),
    ratioOf(template.stopLossPpm),
    template.durationDays,
    ratioOf(template.maxInvestmentPpm),
  ])
  t.strictSame(shown, expected)
})

t.test('every row of the rules of the boards is shown, with its day', async (t) => {
  const days = rows('2.1').flatMap((cells) => cells.filter((cell) => /^\d{4}-/.test(cell)))
  const expected = Object.values(BOARD_RULES).flatMap((rules) => rules.map(({ from }) => from))
  t.strictSame(days, expected)
})
