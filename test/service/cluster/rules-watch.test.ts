import t from 'tap'
import type { ClusterView } from '../../../http/port/service.ts'
import { RulesWatch } from '../../../src/service/cluster/rules-watch.ts'

type Apart = ClusterView['apart']
const between = (one: string, other: string, ...fields: string[]): Apart[number] => ({
  nodes: [one, other],
  fields,
})

t.test('F963 a node with other rules is told once for each difference', async (t) => {
  const said: object[] = []
  let seen: { apart: Apart; isCurrent?: boolean } = { apart: [] }
  const watch = new RulesWatch({
    log: { error: (fields: object) => void said.push(fields) },
    view: async () => ({
      node: 'n1',
      isCurrent: true,
      mayAct: true,
      nodes: [],
      places: [],
      ...seen,
    }),
  })
  const heard = async (apart: Apart, isCurrent = true) => {
    seen = { apart, isCurrent }
    await watch.look()
    return said.splice(0)
  }
  t.strictSame(await heard([]), [])
  const alert = 'rules_differ'
  const first = [between('n1', 'n2', 'risk.a', 'risk.b')]
  t.strictSame(await heard(first), [{ alert, node: 'n2', fields: 'risk.a, risk.b' }])
  t.strictSame(await heard(first), [])
  t.strictSame(await heard([], false), [], 'the servers are away, which ends nothing')
  t.strictSame(await heard(first), [])
  const more = [...first, between('n2', 'n3', 'risk.c'), between('n0', 'n1', 'risk.d')]
  t.strictSame(await heard(more), [{ alert, node: 'n0', fields: 'risk.d' }], 'others say theirs')
  t.strictSame(await heard([]), [])
  t.equal((await heard(first)).length, 1, 'it has come back')
})
