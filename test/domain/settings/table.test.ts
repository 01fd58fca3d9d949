import { readdirSync } from 'node:fs'
import t from 'tap'
import { PARAMETERS } from '../../../src/domain/settings/parameters.ts'
import type { Row } from '../../../src/domain/settings/row.ts'
import { SETTINGS } from '../../../src/domain/settings/table.ts'

const FOLDER = new URL('../../../src/domain/settings/', import.meta.url)
/** What keeps the table, and the limits of risk, which are a section of the file by themselves. */
const KEEPERS = ['row.ts', 'table.ts', 'parameters.ts', 'risk.ts']

t.test('the table holds every row of every file once', async (t) => {
  const rows: string[] = []
  for (const file of readdirSync(FOLDER).filter((name) => !KEEPERS.includes(name))) {
    const exported: Record<string, Record<string, Row>> = await import(new URL(file, FOLDER).href)
    for (const table of Object.values(exported)) rows.push(...Object.keys(table))
  }
  t.strictSame(rows.sort(), Object.keys(SETTINGS).sort())
})

t.test('no two rows have one wire name', async (t) => {
  const offered = Object.values<Row>(SETTINGS).filter((row) => 'offer' in row)
  t.equal(PARAMETERS.size, offered.length)
})
