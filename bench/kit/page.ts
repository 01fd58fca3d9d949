import { readFileSync, writeFileSync } from 'node:fs'
import type { Row } from './figures.ts'
import { loadPerCore, machine } from './machine.ts'
import { figure } from './report.ts'

const PAGE = new URL('../../docs/performance.md', import.meta.url)
const [START, END] = ['<!-- load profile: made by npm run bench -- profile -->', '<!-- end -->']

/** Puts the figures into the page about performance, between its two marks. */
export function writeSection(rows: readonly Row[]): void {
  const page = readFileSync(PAGE, 'utf8')
  const [from, to] = [page.indexOf(START), page.indexOf(END)]
  if (from < 0 || to < from) throw new Error('docs/performance.md has lost its marks')
  const head = page.slice(0, from + START.length)
  writeFileSync(PAGE, `${head}\n\n${sectionOf(rows)}\n\n${page.slice(to)}`)
}

function sectionOf(rows: readonly Row[]): string {
  const { cpu, cores, memoryGb, system, node } = machine()
  const where = `${cpu}, ${cores} cores, ${memoryGb} GB, ${system}, Node ${node}`
  const when = new Date().toISOString().slice(0, 10)
  const lines = rows.map(({ bench, unit, ours }) => `| ${bench} | ${figure(ours)} | ${unit} |`)
  return [
    `Measured on ${where}, ${when}; load of the minute before ${loadPerCore().toFixed(2)} per core.`,
    '',
    '| What | Figure | Unit |',
    '|---|--:|---|',
    ...lines,
  ].join('\n')
}
