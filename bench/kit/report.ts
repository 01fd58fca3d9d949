import type { Row } from './figures.ts'

const HEAD = ['bench', 'unit', 'ours', 'baseline', 'ratio', 'spread'] as const
const TEXT_COLUMNS = 2

/** Three significant digits, thousands apart. */
export function figure(value: number | null): string {
  if (value === null) return '–'
  if (value === 0) return '0'
  const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))))
  return value.toLocaleString('en-US', { maximumFractionDigits: Math.min(digits, 6) })
}

/** The rows as text in columns, notes below. */
export function table(rows: readonly Row[]): string {
  const cells = rows.map(({ bench, unit, ours, baseline, ratio, spread }) => [
    bench,
    unit,
    figure(ours),
    figure(baseline),
    ratio === null ? '–' : `${ratio.toFixed(2)}×`,
    `${(spread * 100).toFixed(0)} %`,
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
