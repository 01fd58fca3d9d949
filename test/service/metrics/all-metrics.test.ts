import t from 'tap'
import { metricsOfAll, withinShare } from '../../../src/service/metrics/all-metrics.ts'

const OPTIONS = { timeoutMs: 1_000, correlationId: '' }
const text = (value: number) => `# HELP up It is up.\n# TYPE up gauge\nup ${value}\n`

t.test('F191 a node that does not answer is named, and never left out silently', async (t) => {
  const all = await metricsOfAll(
    {
      node: 'n1',
      own: async () => text(1),
      others: async () => ({ n2: text(2), n3: null }),
    },
    OPTIONS,
  )
  for (const line of [
    'up{told_by="n1"} 1',
    'up{told_by="n2"} 2',
    'steward_cluster_told{node="n1"} 1',
    'steward_cluster_told{node="n2"} 1',
    'steward_cluster_told{node="n3"} 0',
  ]) {
    t.ok(all.split('\n').includes(line), line)
  }
  t.notMatch(all, /told_by="n3"/)
})

t.test('another node has most of the time for itself, and some for the way', async (t) => {
  t.strictSame(withinShare(300), { timeoutMs: 210, correlationId: '' })
  t.strictSame(withinShare(1), { timeoutMs: 1, correlationId: '' })
})
