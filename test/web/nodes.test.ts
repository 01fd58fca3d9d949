import t from 'tap'
import { type Cluster, clusterNotes, nodeRows, toneOfNode } from '../../web/monitor/nodes.ts'
import type { Place, Standing } from '../../web/monitor/standings.ts'

type Node = Cluster['nodes'][number]
const node = (name: string, more: Partial<Node> = {}): Node => ({
  node: name,
  standing: 'up',
  is_this: name === 'n1',
  version: '1.0.0',
  heard_seconds: 1.5,
  fenced_by: null,
  closed_days: 'same',
  other_rules: [],
  other_client: [],
  accounts: ['10000001'],
  ...more,
})
const cluster = (more: Partial<Cluster> = {}): Cluster => ({
  node: 'n1',
  is_current: true,
  may_act: true,
  nodes: [node('n1'), node('n2')],
  ...more,
})
const NOW_MS = 1_000_000
const LOST_MS = 90_000

t.test('a node is shown as it was told, and its age goes on', async (t) => {
  const told = { cluster: cluster(), updatedAt: NOW_MS - 4_000 }
  const [first, second] = nodeRows(told, NOW_MS)
  t.strictSame(first, {
    node: 'n1',
    isThis: true,
    standing: 'up',
    version: '1.0.0',
    heardMsAgo: 5_500,
    fencedBy: undefined,
    accounts: ['10000001'],
    hasOtherDays: false,
    otherRules: [],
    otherClient: [],
  })
  t.equal(second?.isThis, false)
  const before = cluster({ nodes: [node('n2', { heard_seconds: null, standing: 'gone' })] })
  t.match(nodeRows({ cluster: before, updatedAt: NOW_MS }, NOW_MS), [
    { standing: 'gone', heardMsAgo: undefined },
  ])
  t.strictSame(nodeRows({ cluster: undefined, updatedAt: undefined }, NOW_MS), [])
})

t.test('what is too old, or not of the present, is not known, and never good', async (t) => {
  const away = { cluster: cluster({ is_current: false }), updatedAt: NOW_MS }
  const old = { cluster: cluster(), updatedAt: NOW_MS - LOST_MS }
  for (const told of [away, old]) {
    const [row] = nodeRows(told, NOW_MS)
    t.match(row, { standing: 'unknown', heardMsAgo: undefined, accounts: undefined })
    t.equal(row && toneOfNode(row), 'plain')
  }
})

const differs = (other: string): Partial<Node> => ({
  other_rules: [{ node: other, fields: ['risk.price_deviation'] }],
})
const UNABLE: Partial<Node> = { other_client: ['10000001'] }
const standing = (accountId: string, place: Place): Standing =>
  ({ accountId, alias: '', place, troubles: [] }) as unknown as Standing
const FINE = [standing('10000001', { standing: 'running', node: 'n1' })]
const LEFT = [...FINE, standing('10000002', { standing: 'no_owner', node: null })]

t.test('what is wrong with the cluster is said, the worst first', async (t) => {
  const cases: readonly (readonly [Partial<Cluster>, readonly Standing[], readonly string[]])[] = [
    [{}, FINE, []],
    [{}, LEFT, ['error noOwner ']],
    [{ may_act: false }, FINE, ['error mayNotAct n1']],
    [{ may_act: null }, FINE, []],
    [{ is_current: false }, FINE, ['error away n1']],
    [{ nodes: [node('n1'), node('n2', { standing: 'silent' })] }, FINE, ['error silent n2']],
    [{ nodes: [node('n2', { standing: 'fenced' })] }, LEFT, ['error noOwner ', 'warn fenced n2']],
    [{ nodes: [node('n2', { standing: 'gone', closed_days: 'other' })] }, FINE, []],
    [{ nodes: [node('n2', { closed_days: 'other' })] }, FINE, ['error otherDays n2']],
    [{ nodes: [node('n2', { closed_days: 'unknown' })] }, FINE, []],
    [
      { nodes: [node('n1', differs('n2')), node('n2', differs('n1'))] },
      FINE,
      ['error otherRules n1,n2'],
    ],
    [{ nodes: [node('n2', { other_rules: null })] }, FINE, []],
    [{ nodes: [node('n2', { other_client: null })] }, FINE, []],
    [{ nodes: [node('n2', UNABLE)] }, FINE, ['error otherClient n2']],
    [{ nodes: [node('n2', { ...UNABLE, standing: 'gone' })] }, FINE, []],
    [{ nodes: [node('n2', { standing: 'silent' })], is_current: false }, FINE, ['error away n1']],
  ]
  for (const [more, standings, notes] of cases) {
    const told = { cluster: cluster(more), updatedAt: NOW_MS }
    t.strictSame(
      clusterNotes(told, standings, NOW_MS).map(
        ({ name, tone, nodes }) => `${tone} ${name} ${nodes}`,
      ),
      notes,
      JSON.stringify(more),
    )
  }
  const apart = { cluster: cluster({ nodes: [node('n2', differs('n1'))] }), updatedAt: NOW_MS }
  t.match(clusterNotes(apart, FINE, NOW_MS), [{ names: ['risk.price_deviation'] }])
  const unable = { cluster: cluster({ nodes: [node('n2', UNABLE)] }), updatedAt: NOW_MS }
  t.match(clusterNotes(unable, FINE, NOW_MS), [{ n: 1, names: [/0001/] }])
  const told = { cluster: cluster(), updatedAt: NOW_MS }
  t.match(clusterNotes(told, LEFT, NOW_MS), [{ n: 1, names: [/0002/] }])
  const many = Array.from({ length: 9 }, (_, n) =>
    standing(`2000000${n}`, { standing: 'no_owner', node: null }),
  )
  const [note] = clusterNotes(told, many, NOW_MS)
  t.match(note?.names.slice(-2), [/0005/, '…'])
  t.equal(note?.n, 9)
  t.strictSame(clusterNotes({ ...told, updatedAt: NOW_MS - LOST_MS }, LEFT, NOW_MS), [])
  t.strictSame(clusterNotes({ cluster: undefined, updatedAt: NOW_MS }, FINE, NOW_MS), [])
})
