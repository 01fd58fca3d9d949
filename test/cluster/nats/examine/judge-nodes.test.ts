import t from 'tap'
import {
  clientFindings,
  daysFindings,
  rulesFindings,
} from '../../../../src/cluster/nats/examine/judge-nodes.ts'
import { told } from './fixtures/told.ts'

const NOW_MS = Date.UTC(2026, 10, 23)

t.test('F926 other closed days are to mend, but for those of another release', async (t) => {
  const own = { days: '2026:d1', version: '1.1.0', nowMs: NOW_MS }
  const node = (name: string, days: string | undefined, version = '1.1.0') => ({
    node: name,
    version,
    days,
    rules: '',
    otherClient: [],
  })
  const here = node('n1', '2026:d1')
  t.strictSame(told(t, daysFindings([], own)), [], 'nobody is there')
  t.strictSame(told(t, daysFindings([here, node('n2', '2026:d1')], own)), ['ok closed_days'])
  const other = daysFindings([here, node('n2', '2026:d2')], own)
  t.strictSame(told(t, other), ['fail closed_days'])
  t.match(other[0]?.text, 'n2 (1.1.0)')
  t.notMatch(other[0]?.text, 'n1')
  // While computers are updated, the table of one release may have a year more.
  t.strictSame(told(t, daysFindings([here, node('n2', '2026:d2', '1.0.0')], own)), [
    'warn closed_days',
  ])
  const older = daysFindings([here, node('n2', undefined, '0.9.0')], own)
  t.strictSame(told(t, older), ['warn closed_days'], 'never passed unseen')
  t.match(older[0]?.text, 'n2 (0.9.0)')
})

t.test(
  'F963 nodes that would run an account by other settings are to mend, by their names',
  async (t) => {
    const [A, B, C] = ['risk.a:1', 'risk.a:2 strategy.b:1', 'risk.a:1 strategy.c:3'] as const
    const told1 = (node: string, rules: string | undefined, version = '1.1.0') => ({
      node,
      version,
      days: undefined,
      rules,
      otherClient: [],
    })
    const own = { node: 'n1', version: '1.1.0', rules: A, accounts: [{ eligible: ['n1', 'n2'] }] }
    t.strictSame(rulesFindings([], own), [], 'nobody is there')
    t.strictSame(told(t, rulesFindings([told1('n1', A), told1('n2', A)], own)), ['ok rules'])
    const other = rulesFindings([told1('n1', A), told1('n2', B)], own)
    t.strictSame(told(t, other), ['fail rules'])
    t.match(other[0]?.text, /n1、n2：risk\.a, strategy\.b$/)
    const apart = rulesFindings([told1('n3', B)], own)
    t.strictSame(told(t, apart), ['ok rules'], 'which never runs an account of this one')
    t.strictSame(told(t, rulesFindings([told1('n2', B, '1.0.0')], own)), ['warn rules'])
    t.strictSame(told(t, rulesFindings([told1('n2', undefined)], own)), ['warn rules'])
    const changed = rulesFindings([told1('n1', C), told1('n2', A)], own)
    t.strictSame(told(t, changed), ['warn rules'], 'it runs with its file of before')
    t.match(changed[0]?.text, /strategy\.c$/)
    // A gateway has rules that nobody is run by.
    const gateway = { ...own, node: 'gw', rules: undefined }
    t.strictSame(told(t, rulesFindings([told1('n1', A), told1('n2', A)], gateway)), ['ok rules'])
    t.strictSame(told(t, rulesFindings([told1('n1', A), told1('n2', C)], gateway)), ['fail rules'])
  },
)

t.test('F1000 nodes that take an account not over are to mend, by their names', async (t) => {
  const node = (name: string, otherClient: readonly string[] | undefined) => ({
    node: name,
    version: '1.1.0',
    days: undefined,
    rules: '',
    otherClient,
  })
  t.strictSame(clientFindings([]), [], 'nobody is there')
  t.strictSame(told(t, clientFindings([node('n1', []), node('n2', [])])), ['ok trading_client'])
  const unable = clientFindings([node('n1', []), node('n2', ['10000001'])])
  t.strictSame(told(t, unable), ['fail trading_client'])
  t.match(unable[0]?.text, /节点 n2 .*10000001$/)
  const many = Array.from({ length: 9 }, (_, n) => `2000000${n}`)
  t.match(clientFindings([node('n2', many)])[0]?.text, /20000005 … \(9\)$/)
  t.strictSame(told(t, clientFindings([node('n2', undefined)])), ['warn trading_client'])
})
