import { readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism, cpus, loadavg, platform, release, totalmem } from 'node:os'
import { exchangeDay } from '../../src/domain/exchange-time.ts'
import type { Row } from './figures.ts'
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

/** Load of the last minute per core above which figures are not to be trusted. */
const QUIET_LOAD_MAX = 0.3

/** The machine that a result is measured on. */
export const machine = () => ({
  cpu: cpus()[0]?.model.trim() ?? 'unknown',
  cores: availableParallelism(),
  memoryGb: Math.round(totalmem() / 2 ** 30),
  system: `${platform()} ${release()}`,
  node: process.version,
})

/** Load of the last minute per core. Windows has no such number and always says 0. */
export const loadPerCore = (): number => (loadavg()[0] ?? 0) / availableParallelism()

/** One line when something else is busy on this machine, else undefined. */
export function unrest(load: number): string | undefined {
  if (load <= QUIET_LOAD_MAX) return undefined
  return `the machine is not quiet (load ${load.toFixed(2)} per core): trust ratios only, and those with care`
}
