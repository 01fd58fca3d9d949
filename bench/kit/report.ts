import type { Row } from './figures.ts'
import { type Target, targetOf } from './targets.ts'

const HEAD = ['bench', 'unit', 'ours', 'baseline', 'ratio', 'spread', 'target'] as const
const TEXT_COLUMNS = 2

/** Three significant digits, thousands apart. */
export function figure(value: number | null): string {
  if (value === null) return '–'
  if (value === 0) return '0'
  const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))))
  return value.toLocaleString('en-US', { maximumFractionDigits: Math.min(digits, 6) })
}

export const ratioText = ({ ratio }: Pick<Row, 'ratio'>): string =>
  ratio === null ? '–' : `${ratio.toFixed(2)}×`

/** What the row should reach, and whether it does; empty without a target. */
export function judged(row: Row): string {
  const target = targetOf(row)
  if (target === undefined) return ''
  return `${targetText(target)} ${isMet(row, target) === true ? '✓' : '✗'}`
}

/** The rows as text in columns, notes below. */
export function table(rows: readonly Row[]): string {
  const cells = rows.map((row) => [
    row.bench,
    row.unit,
    figure(row.ours),
    figure(row.baseline),
    ratioText(row),
    `${(row.spread * 100).toFixed(0)} %`,
    judged(row),
  ])
  const widths = HEAD.map((name, column) =>
    Math.max(name.length, ...cells.map((row) => row[column]?.length ?? 0)),
  )
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) =>
        column < TEXT_COLUMNS
          ? cell.padEnd(widths[column] ?? 0)
          : cell.padStart(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd()
  const rule = widths.map((width) => '─'.repeat(width)).join('  ')
  const notes = rows.filter(({ note }) => note !== '').map(({ bench, note }) => `${bench}: ${note}`)
  return [line(HEAD), rule, ...cells.map(line), ...(notes.length > 0 ? ['', ...notes] : [])].join(
    '\n',
  )
}

/** `≥ 0.90×`, `≤ 400`. */
function targetText({ of, bound, value }: Target): string {
  const sign = bound === 'least' ? '≥' : '≤'
  return of === 'ratio'
    ? `${sign} ${value.toFixed(2)}×`
    : `${sign} ${value.toLocaleString('en-US')}`
}

/** Undefined where the row has no figure to judge. */
function isMet(row: Row, { of, bound, value }: Target): boolean | undefined {
  const figure = of === 'ratio' ? row.ratio : row.ours
  if (figure === null) return undefined
  return bound === 'least' ? figure >= value : figure <= value
}
