import t from 'tap'
import { exposition } from '../../../src/observability/prometheus.ts'
import type { Census } from '../../../src/protocol/census.ts'
import { Histogram } from '../../../src/runtime/histogram.ts'
import { viewOf } from '../../../src/service/cluster/census-desk.ts'
import { clusterFamilies } from '../../../src/service/metrics/cluster-metrics.ts'

const seen = (node: string, standing: Census['nodes'][number]['standing']) => ({
  node,
  standing,
  version: '1.0.0',
  heardMsAgo: 1_500,
  fencedBy: undefined,
  closedDays: 'same' as const,
  rules: '',
  otherClient: [],
})
const CENSUS: Census = {
  isCurrent: true,
  nodes: [seen('n1', 'up'), seen('n2', 'fenced'), { ...seen('n3', 'gone'), heardMsAgo: undefined }],
  places: [
    { accountId: '10000001', node: 'n1', epoch: 3, owner: 'there' },
    { accountId: '10000002', node: 'n2', epoch: 1, owner: 'none' },
  ],
  leaseMs: 13_500,
  echoMsAgo: 250,
}
const ACCOUNTS = [
  { accountId: '10000001', eligible: ['n1'], isOwner: true },
  { accountId: '10000002', eligible: ['n2'], isOwner: false },
]

function told(census: Census, sees = (_: string) => true): string {
  const appends = new Histogram()
  appends.observe(3)
  return exposition(
    clusterFamilies({ census, view: viewOf('n1', census, ACCOUNTS) }, { sees, appends }),
  )
}
const lines = (text: string) => text.split('\n').filter((line) => !line.startsWith('#'))

t.test(
  'a lost node and an account that nobody runs are figures, and none names an account',
  async (t) => {
    const text = told(CENSUS)
    for (const line of [
      'steward_cluster_may_act 1',
      'steward_cluster_lease_seconds 13.5',
      'steward_cluster_is_current 1',
      'steward_cluster_echo_age_seconds 0.25',
      'steward_cluster_nodes{standing="up"} 1',
      'steward_cluster_nodes{standing="silent"} 0',
      'steward_cluster_nodes{standing="fenced"} 1',
      'steward_cluster_accounts{standing="running"} 1',
      'steward_cluster_accounts{standing="no_owner"} 1',
      'steward_cluster_accounts{standing="unknown"} 0',
      'steward_cluster_node_accounts{node="n1"} 1',
      'steward_cluster_node_accounts{node="n2"} 0',
      'steward_cluster_node_heard_seconds{node="n2"} 1.5',
      'steward_cluster_journal_append_seconds_count 1',
      'steward_cluster_journal_append_seconds_sum 0.003',
    ]) {
      t.ok(lines(text).includes(line), line)
    }
    t.notMatch(text, /1000000\d/)
    t.notMatch(text, /heard_seconds\{node="n3"\}/, 'what nobody knows is a gap')
  },
)

t.test('who may see some accounts is told of these', async (t) => {
  const text = told(CENSUS, (accountId) => accountId === '10000002')
  t.ok(lines(text).includes('steward_cluster_accounts{standing="running"} 0'))
  t.ok(lines(text).includes('steward_cluster_node_accounts{node="n1"} 0'))
})

t.test(
  'before the servers were reached nothing may act, and what is not known is a gap',
  async (t) => {
    const nothing = { isCurrent: false, nodes: [], places: [], leaseMs: 0, echoMsAgo: undefined }
    const text = told(nothing)
    t.ok(lines(text).includes('steward_cluster_may_act 0'))
    t.ok(lines(text).includes('steward_cluster_is_current 0'))
    t.ok(lines(text).includes('steward_cluster_accounts{standing="unknown"} 2'))
    t.notMatch(text, /echo_age/)
  },
)
