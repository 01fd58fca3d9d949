import { readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism, cpus, platform, release, totalmem } from 'node:os'
import { exchangeDay } from '../../src/domain/exchange-time.ts'
import type { Row } from './figures.ts'
import { figure, judged, ratioText } from './report.ts'
import { targetOf } from './targets.ts'

const PERFORMANCE = new URL('../../docs/performance.md', import.meta.url)
const README = new URL('../../README.md', import.meta.url)
const END = '<!-- end -->'

/** What a page says of the machine while the figures on it were made. */
export interface Conditions {
  /** Cores that others took before the first bench, and the most of what they took between two. */
  readonly before: number
  readonly most: number
}

/** Benches that write a table of their own into the page about performance, between the marks of that name. */
export const PAGES = ['profile', 'growth', 'starts'] as const
export type Page = (typeof PAGES)[number]

/** Puts the figures of one bench into the page about performance. */
export const writePage = (page: Page, rows: readonly Row[], conditions: Conditions): void =>
  writeBetween(PERFORMANCE, `<!-- ${page}: made by npm run bench -- ${page} -->`, [
    ...headOf(conditions),
    '',
    '| What | Figure | Unit | Target |',
    '|---|--:|---|---|',
    ...rows.map((row) => `| ${row.bench} | ${figure(row.ours)} | ${row.unit} | ${judged(row)} |`),
  ])

/** Puts every row that has a target into the README, between its two marks. */
export const writeTargets = (rows: readonly Row[], conditions: Conditions): void =>
  writeBetween(README, '<!-- benches: made by npm run bench -->', [
    ...headOf(conditions),
    '',
    '| Bench | Ours | Bare | Ratio | Target |',
    '|---|--:|--:|--:|---|',
    ...rows
      .filter((row) => targetOf(row) !== undefined)
      .map(
        (row) =>
          `| ${row.bench} | ${figure(row.ours)} ${row.unit} | ${figure(row.baseline)} | ${ratioText(row)} | ${judged(row)} |`,
      ),
  ])

/** The machine, how busy others kept it, and a warning where that was too much. */
export function headOf(conditions: Conditions): readonly string[] {
  const { before, most } = conditions
  const cores = availableParallelism()
  const others = `Other programs took ${before.toFixed(2)} of ${cores} cores before, and at most ${most.toFixed(2)} between two benches.`
  const warning = unrest(conditions)
  return [
    `Measured on ${where()}. ${others}`,
    ...(warning === undefined ? [] : ['', `**${warning}**`]),
  ]
}

function writeBetween(file: URL, start: string, lines: readonly string[]): void {
  const page = readFileSync(file, 'utf8')
  const from = page.indexOf(start)
  const to = page.indexOf(END, from)
  if (from < 0 || to < from) throw new Error(`${file.pathname} has lost its marks`)
  const head = page.slice(0, from + start.length)
  writeFileSync(file, `${head}\n\n${lines.join('\n')}\n\n${page.slice(to)}`)
}

function where(): string {
  const { cpu, cores, memoryGb, system, node } = machine()
  const day = exchangeDay(Date.now())
  return `${cpu}, ${cores} cores, ${memoryGb} GB, ${system}, Node ${node}, ${day}`
}

/** Part of all cores that others may take; above it figures are not to be trusted. */
const OTHERS_MAX = 0.1

/** The machine that a result is measured on. */
export const machine = () => ({
  cpu: cpus()[0]?.model.trim() ?? 'unknown',
  cores: availableParallelism(),
  memoryGb: Math.round(totalmem() / 2 ** 30),
  system: `${platform()} ${release()}`,
  node: process.version,
})

/** One line when something else is busy on this machine, else undefined. */
export function unrest({ most }: Conditions, cores = availableParallelism()): string | undefined {
  if (most <= cores * OTHERS_MAX) return undefined
  return `The machine was not quiet (others took up to ${most.toFixed(2)} of ${cores} cores): trust ratios only, and those with care.`
}
