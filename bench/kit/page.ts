import { readFileSync, writeFileSync } from 'node:fs'
import { exchangeDay } from '../../src/domain/exchange-time.ts'
import type { Row } from './figures.ts'
import { loadPerCore, machine } from './machine.ts'
import { figure, judged, ratioText } from './report.ts'
import { targetOf } from './targets.ts'

const PERFORMANCE = new URL('../../docs/performance.md', import.meta.url)
const README = new URL('../../README.md', import.meta.url)
const END = '<!-- end -->'

/** Puts the load profile into the page about performance, between its two marks. */
export const writeProfile = (rows: readonly Row[]): void =>
  writeBetween(PERFORMANCE, '<!-- load profile: made by npm run bench -- profile -->', [
    `Measured on ${where()}; load of the minute before ${loadPerCore().toFixed(2)} per core.`,
    '',
    '| What | Figure | Unit |',
    '|---|--:|---|',
    ...rows.map(({ bench, unit, ours }) => `| ${bench} | ${figure(ours)} | ${unit} |`),
  ])

/** Puts every row that has a target into the README, between its two marks. */
export const writeTargets = (rows: readonly Row[]): void =>
  writeBetween(README, '<!-- benches: made by npm run bench -->', [
    `Measured on ${where()}.`,
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
