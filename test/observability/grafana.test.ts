import { readFileSync } from 'node:fs'
import t from 'tap'

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')

t.test('every series of the board is one that the service exposes', async (t) => {
  const board = JSON.parse(read('docs/grafana/steward.json')) as {
    panels: { targets: { expr: string }[] }[]
  }
  const exposed =
    read('src/service/metrics/metrics.ts') + read('src/service/metrics/cluster-metrics.ts')
  const names = board.panels
    .flatMap(({ targets }) => targets.map(({ expr }) => expr))
    .flatMap((expr) => expr.match(/\b(steward|xqm)_\w+/g) ?? [])
    .map((name) => name.replace(/_bucket$/, ''))
  t.ok(names.length > 10)
  for (const name of new Set(names)) t.ok(exposed.includes(`'${name}'`), name)
})
