import t from 'tap'
import type { ClusterView } from '../../../http/port/service.ts'
import { call } from '../fixtures/client.ts'
import { FakeLink } from '../fixtures/fake-service.ts'
import { directFront, gatewayFront } from '../fixtures/fronts.ts'

const seen = (node: string, standing: ClusterView['nodes'][number]['standing']) => ({
  node,
  standing,
  version: '1.0.0',
  heardMsAgo: 1_260,
  fencedBy: standing === 'fenced' ? 'n1' : undefined,
  closedDays: node === 'n1' ? ('same' as const) : ('other' as const),
  rules: '',
  otherClient: [],
})
const VIEW: ClusterView = {
  node: 'n1',
  isCurrent: true,
  mayAct: true,
  nodes: [seen('n1', 'up'), seen('n2', 'fenced')],
  apart: [],
  places: [
    { accountId: 'A', standing: 'running', node: 'n1' },
    { accountId: 'B', standing: 'no_owner', node: null },
    { accountId: 'Z', standing: 'running', node: 'n1' },
  ],
}
const CLUSTER = { node: 'n1', view: async () => VIEW }
const A_NODE = { version: '1.0.0', heard_seconds: 1.3 }

const TOKEN = 'a-token-of-this-test-0123456789abcdef'
const WHOLE = { 'X-API-Token': 'secret' }
const OF_B = { 'X-API-Token': TOKEN }
async function ofB() {
  const digest = await crypto.subtle.digest('SHA-256', Buffer.from(TOKEN))
  const hash = `sha256:${Buffer.from(digest).toString('hex')}`
  return [{ name: 'some', hash, scope: 'view' as const, accounts: ['B'], expires: '' }]
}
const two = () => [new FakeLink('A', 0), new FakeLink('B', 1)] as const

t.test('the nodes, and who runs what, are told to who may look', async (t) => {
  const { front, service } = await gatewayFront(t, two(), {
    token: 'secret',
    tokens: await ofB(),
  })
  service.cluster = CLUSTER
  t.equal((await call(front.port, '/api/v1/nodes')).status, 401)
  const { status, body } = await call(front.port, '/api/v1/nodes', { headers: WHOLE })
  t.equal(status, 200)
  const nodes = [
    {
      node: 'n1',
      standing: 'up',
      is_this: true,
      ...A_NODE,
      fenced_by: null,
      closed_days: 'same',
      other_rules: [],
      other_client: [],
      accounts: ['A', 'Z'],
    },
    {
      node: 'n2',
      standing: 'fenced',
      is_this: false,
      ...A_NODE,
      fenced_by: 'n1',
      closed_days: 'other',
      other_rules: [],
      other_client: [],
      accounts: [],
    },
  ]
  t.strictSame(body.data, {
    cluster: { node: 'n1', is_current: true, may_act: true, nodes },
    accounts: [
      { account_id: 'A', standing: 'running', node: 'n1' },
      { account_id: 'B', standing: 'no_owner', node: null },
      { account_id: 'Z', standing: 'running', node: 'n1' },
    ],
  })
  const some = (await call(front.port, '/api/v1/nodes', { headers: OF_B })).body.data
  t.strictSame(some.accounts, [{ account_id: 'B', standing: 'no_owner', node: null }])
  t.strictSame(
    some.cluster.nodes.map((one: { accounts: string[] }) => one.accounts),
    [[], []],
    'a token of some accounts is told of no others',
  )
})

t.test('F963 nodes whose files have other settings are named with these', async (t) => {
  const { front, service } = await gatewayFront(t, two(), { token: 'secret' })
  const fields = ['risk.price_deviation', 'strategy.STOP_LOSS_RATIO']
  const old = { ...seen('n3', 'up'), rules: undefined }
  const nodes = [...VIEW.nodes, old]
  service.cluster = {
    node: 'n1',
    view: async () => ({ ...VIEW, nodes, apart: [{ nodes: ['n1', 'n2'] as const, fields }] }),
  }
  const { data } = (await call(front.port, '/api/v1/nodes', { headers: WHOLE })).body
  t.strictSame(
    data.cluster.nodes.map((one: { other_rules: unknown }) => one.other_rules),
    [[{ node: 'n2', fields }], [{ node: 'n1', fields }], null],
  )
  const health = (await call(front.port, '/api/v1/health', { headers: WHOLE })).body.data
  t.equal(health.cluster.nodes.other_rules, 2)
})

t.test('F1000 accounts that a node takes not over are named, to who may see them', async (t) => {
  const { front, service } = await gatewayFront(t, two(), {
    token: 'secret',
    tokens: await ofB(),
  })
  const nodes = [
    { ...seen('n1', 'up'), otherClient: undefined },
    { ...seen('n2', 'up'), otherClient: ['A', 'B'] },
    { ...seen('n3', 'gone'), otherClient: ['A'] },
  ]
  service.cluster = { node: 'n1', view: async () => ({ ...VIEW, nodes }) }
  const told = async (headers: Record<string, string>) => {
    const { data } = (await call(front.port, '/api/v1/nodes', { headers })).body
    return data.cluster.nodes.map((one: { other_client: unknown }) => one.other_client)
  }
  t.strictSame(await told(WHOLE), [null, ['A', 'B'], ['A']])
  t.strictSame(await told(OF_B), [null, ['B'], []])
  const health = (await call(front.port, '/api/v1/health', { headers: WHOLE })).body.data
  t.equal(health.cluster.nodes.other_client, 1, 'of those that are there')
})

t.test('a computer in no cluster says so, and its other answers are as ever', async (t) => {
  const { front } = await gatewayFront(t, two())
  const { status, body } = await call(front.port, '/api/v1/nodes')
  t.equal(status, 200)
  t.match(body.data, { cluster: null, accounts: [], message_en: /in no cluster/ })
  t.match(body.data.message_zh, /不在集群中/)
  for (const path of ['/api/v1/health', '/api/v1/overview']) {
    const { data } = (await call(front.port, path)).body
    t.notOk('cluster' in data, path)
  }
  const rows = (await call(front.port, '/api/v1/overview')).body.data.accounts
  t.notOk(rows.some((row: object) => 'place' in row))
})

t.test('health has the counts, for who has a token', async (t) => {
  const { front, service } = await gatewayFront(t, two(), {
    token: 'secret',
    tokens: await ofB(),
  })
  service.cluster = CLUSTER
  const health = async (headers = {}) =>
    (await call(front.port, '/api/v1/health', { headers })).body.data
  t.strictSame(await health(), { total: 2, healthy: 2 }, 'nobody else is told more than before')
  const none = { running: 0, owner_silent: 0, taking_over: 0, no_owner: 0, unknown: 0 }
  const { cluster } = await health(WHOLE)
  t.strictSame(cluster, {
    node: 'n1',
    is_current: true,
    nodes: { total: 2, up: 1, other_closed_days: 0, other_rules: 0, other_client: 0 },
    accounts: { ...none, running: 2, no_owner: 1 },
  })
  t.strictSame((await health(OF_B)).cluster.accounts, { ...none, no_owner: 1 })
  const there = { ...VIEW, nodes: VIEW.nodes.map((one) => ({ ...one, standing: 'up' as const })) }
  service.cluster = { node: 'n1', view: async () => there }
  t.match((await health(WHOLE)).cluster, { nodes: { up: 2, other_closed_days: 1 } })
})

t.test('lists of accounts say which node runs each', async (t) => {
  const [a, b] = two()
  const gateway = await gatewayFront(t, [a, b])
  gateway.service.cluster = CLUSTER
  const { data } = (await call(gateway.front.port, '/api/v1/overview')).body
  t.match(data.accounts, [
    { account_id: 'A', place: { standing: 'running', node: 'n1' } },
    { account_id: 'B', place: { standing: 'no_owner', node: null } },
  ])
  t.equal(data.cluster.nodes.length, 2)

  const direct = await directFront(t, a)
  direct.service.cluster = CLUSTER
  const consoles = (await call(direct.front.port, '/api/consoles')).body
  t.match(consoles.accounts, [{ account_id: 'A', place: { node: 'n1' } }])
  const own = (await call(direct.front.port, '/api/nodes')).body
  t.strictSame(
    own.accounts.map(({ account_id }: { account_id: string }) => account_id),
    ['A'],
    'direct mode is about its own account',
  )
  t.strictSame(own.cluster.nodes[0].accounts, ['A'])
})
