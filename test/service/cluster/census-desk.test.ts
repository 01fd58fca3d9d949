import t from 'tap'
import type { Census } from '../../../src/protocol/census.ts'
import { CensusDesk, type KnownAccount, viewOf } from '../../../src/service/cluster/census-desk.ts'

const up = (node: string) =>
  ({
    node,
    standing: 'up',
    version: '1.0.0',
    heardMsAgo: 100,
    fencedBy: undefined,
    closedDays: 'same',
    rules: '',
    otherClient: [],
  }) as const
const CENSUS: Census = {
  isCurrent: true,
  nodes: [up('n1'), up('n2')],
  places: [
    { accountId: 'B', node: 'n2', epoch: 3, owner: 'there' },
    { accountId: 'Z', node: 'n2', epoch: 1, owner: 'there' },
  ],
  leaseMs: 9_000,
  echoMsAgo: 10,
}
const known = (accountId: string, fields: Partial<KnownAccount> = {}): KnownAccount => ({
  accountId,
  eligible: ['n1', 'n2'],
  isOwner: false,
  ...fields,
})

t.test('accounts of this computer come first, those of others behind them', async (t) => {
  const { places } = viewOf('n1', CENSUS, [known('A'), known('B')])
  t.strictSame(places, [
    { accountId: 'A', standing: 'taking_over', node: null },
    { accountId: 'B', standing: 'running', node: 'n2' },
    { accountId: 'Z', standing: 'running', node: 'n2' },
  ])
})

t.test('who runs an account and may act knows it without the servers', async (t) => {
  const away: Census = { ...CENSUS, isCurrent: false, places: [] }
  const accounts = [known('A', { isOwner: true }), known('B')]
  t.strictSame(viewOf('n1', away, accounts).places, [
    { accountId: 'A', standing: 'running', node: 'n1' },
    { accountId: 'B', standing: 'unknown', node: null },
  ])
  const over = viewOf('n1', { ...away, leaseMs: 0 }, accounts)
  t.equal(over.mayAct, false)
  t.equal(over.places[0]?.standing, 'unknown', 'its lease is over: another may have taken it')
})

t.test('F963 nodes that may run one account are compared, and nobody else', async (t) => {
  const ruled = (rules: readonly (string | undefined)[]): Census => ({
    ...CENSUS,
    nodes: ['n1', 'n2', 'n3'].map((node, i) => ({ ...up(node), rules: rules[i] })),
  })
  const apart = (...rules: (string | undefined)[]) =>
    viewOf('n1', ruled(rules), [known('A'), known('B', { eligible: ['n3'] })]).apart
  t.strictSame(apart('risk.a:1', 'risk.a:1', 'risk.a:2'), [])
  t.strictSame(apart('risk.a:1 risk.b:3', 'risk.a:2', ''), [
    { nodes: ['n1', 'n2'], fields: ['risk.a', 'risk.b'] },
  ])
  t.strictSame(apart('', 'risk.a:2', ''), [{ nodes: ['n1', 'n2'], fields: ['risk.a'] }])
  t.strictSame(apart('risk.a:1', undefined, ''), [], 'an earlier release does not say')
  const fenced = ruled(['risk.a:1', 'risk.a:2', ''])
  const nodes = fenced.nodes.map((one) => ({ ...one, standing: 'fenced' as const }))
  t.strictSame(viewOf('n1', { ...fenced, nodes }, [known('A')]).apart, [], 'its life is over')
})

t.test('a gateway may run nothing, and its lease means nothing', async (t) => {
  const elsewhere = known('A', { eligible: ['n2'] })
  t.equal(viewOf('n1', CENSUS, [elsewhere]).mayAct, null)
  t.equal(viewOf('n1', CENSUS, []).mayAct, null)
  t.equal(viewOf('n1', CENSUS, [elsewhere, known('B')]).mayAct, true)
})

/** Looks at a cluster whose answers a test gives. */
function lookedAt(answers: readonly (Census | null | Error)[]) {
  const asked: number[] = []
  let nowMs = 0
  const desk = new CensusDesk({
    node: 'n1',
    ask: async () => {
      const answer = answers[asked.push(nowMs) - 1]
      if (answer instanceof Error) throw answer
      return answer ?? null
    },
    accounts: () => [known('A')],
    steadyMs: () => nowMs,
    limits: { ageMs: 1_000 },
  })
  const pass = (ms: number) => {
    nowMs += ms
  }
  return { desk, asked, pass }
}

t.test('however many look, the cluster is asked once a while', async (t) => {
  const { desk, asked, pass } = lookedAt([CENSUS, { ...CENSUS, nodes: [up('n1')] }])
  const views = await Promise.all([desk.view(), desk.view(), desk.view()])
  t.strictSame(
    views.map(({ nodes }) => nodes.length),
    [2, 2, 2],
  )
  pass(999)
  t.equal((await desk.view()).nodes.length, 2)
  t.strictSame(asked, [0])
  pass(1)
  t.equal((await desk.view()).nodes.length, 1)
  t.strictSame(asked, [0, 1_000])
})

t.test(
  'servers that were never reached, and a thread without time, are nothing known',
  async (t) => {
    const { desk, pass } = lookedAt([null, new Error('no answer in time'), CENSUS])
    const nothing = { node: 'n1', isCurrent: false, mayAct: false, nodes: [] }
    t.match(await desk.view(), { ...nothing, places: [{ accountId: 'A', standing: 'unknown' }] })
    pass(1_000)
    t.match(await desk.view(), nothing)
    pass(1_000)
    t.match(await desk.view(), { isCurrent: true, mayAct: true })
  },
)
