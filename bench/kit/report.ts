import type { Row } from './figures.ts'

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

/** What a row should reach: a bound for its ratio, or where nothing bare does the job for our own figure. */
interface Target {
  readonly of: 'ratio' | 'ours'
  readonly bound: 'least' | 'most'
  readonly value: number
}

const least = (value: number): Target => ({ of: 'ratio', bound: 'least', value })
const most = (value: number): Target => ({ of: 'ratio', bound: 'most', value })
const oursLeast = (value: number): Target => ({ of: 'ours', bound: 'least', value })
const oursMost = (value: number): Target => ({ of: 'ours', bound: 'most', value })

/** By the name of the row. Rows without a target are there to explain one that has. */
const TARGETS: ReadonlyMap<string, Target> = new Map([
  ['tick, 1 account a code', most(3)],
  ['tick, 100 accounts a code, each', oursMost(20)],
  ['tick, heap growth', oursMost(0)],
  ['ask, read, p50', most(1.5)],
  ['ask, read, 8 accounts', least(0.5)],
  ['read, 1 account', least(0.9)],
  ['read, 8 accounts', least(0.9)],
  ['read, 32 accounts', least(0.9)],
  ['read-304, 1 account', least(0.9)],
  ['read-304, 8 accounts', least(0.9)],
  ['read-304, 32 accounts', least(0.9)],
  ['order, 32 connections', least(0.6)],
  ['tick-to-order, p50', most(2)],
  ['tick-to-order, p99', oursMost(10_000)],
  ['storm, 1000 sales of 100 accounts, sent', oursMost(60)],
  ['replay, max, 99 % uncrossed', oursLeast(200_000)],
  ['backtest, recorded ticks', oursLeast(1_000_000)],
  ['backtest, a year of ticks', oursMost(2_000)],
  ['sse, 1000 clients, an event', most(1.3)],
  ['sse, 1000 clients, delivery p99', oursMost(15)],
  ['sse, 1000 clients, memory', oursMost(64)],
  ['restart, answers again, worst', oursMost(400)],
  ['restart, a hang is found', oursMost(2_500)],
  ['restart, reads of the other, p99', most(1.2)],
  ['start, 10 accounts, again', oursMost(1_500)],
  ['start, 10 accounts, 100000 records', oursMost(1_500)],
  ['memory, an idle account', oursMost(16)],
  ['memory, 100 positions', oursMost(20)],
])

/** Names that have a target: each must be the name of a row. */
export const targetNames = (): readonly string[] => [...TARGETS.keys()]

export const targetOf = ({ bench }: Pick<Row, 'bench'>): Target | undefined => TARGETS.get(bench)

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
