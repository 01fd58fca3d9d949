import { createHash } from 'node:crypto'
import t from 'tap'
import { ScanBudget } from '../../../http/access/scan-budget.ts'
import { OPERATOR } from '../../../http/message/caller.ts'
import { call } from '../fixtures/client.ts'
import { FakeLink } from '../fixtures/fake-service.ts'
import { directFront, gatewayFront } from '../fixtures/fronts.ts'

const LIMITS = { scansPerTokenMax: 2, scanRowsPerS: 1_000, scanRowsSavedMax: 5_000 }
const of = (name: string) => ({ caller: { ...OPERATOR, name } })
const rows = (count: number) => async () => count
const cost = (count: number) => count
const MANY = { code: 'RATE_LIMITED' }
const [MASTER, SECRET] = ['the token of the backend itself', 'the token of a wall display']
const VIEWER = {
  name: 'wall',
  hash: `sha256:${createHash('sha256').update(SECRET).digest('hex')}`,
  scope: 'view' as const,
  accounts: [],
  expires: '',
}

t.test('a token that has looked at much waits until it is paid for; others do not', async (t) => {
  let nowMs = 0
  const budget = new ScanBudget(LIMITS, () => nowMs)
  for (let time = 0; time < 4; time++) await budget.run(of('wall'), rows(1_500), cost)
  const refused = budget.run(of('wall'), rows(1), cost)
  await t.rejects(refused, { ...MANY, headers: { 'Retry-After': '2' } })
  await t.resolves(budget.run(of('other'), rows(1), cost))
  nowMs = 1_000
  await t.rejects(budget.run(of('wall'), rows(1), cost), MANY)
  nowMs = 1_001
  await t.resolves(budget.run(of('wall'), rows(1), cost))
  nowMs = 1_000_000
  await budget.run(of('wall'), rows(5_000), cost)
  await t.rejects(budget.run(of('wall'), rows(1), cost), MANY, 'quiet for long saves no more')
})

t.test('of tokens that come and go nothing is kept once they have paid', async (t) => {
  let nowMs = 0
  const budget = new ScanBudget(LIMITS, () => nowMs)
  for (let day = 0; day < 10; day++) {
    await budget.run(of(`token ${day}`), rows(3_000), cost)
    nowMs += 2_999
  }
  t.equal(budget.size, 2, 'the one before still owes a row')
  nowMs = 1_000_000
  await budget.run(of('another'), rows(1), cost)
  t.equal(budget.size, 1)
})

t.test('so many at once of a token, whatever becomes of them', async (t) => {
  const budget = new ScanBudget(LIMITS, () => 0)
  const gate = Promise.withResolvers<number>()
  const open = [1, 2].map(() => budget.run(of('wall'), () => gate.promise, cost))
  await t.rejects(budget.run(of('wall'), rows(1), cost), MANY)
  await t.resolves(budget.run(of('other'), rows(1), cost))
  gate.reject(new Error('broke'))
  for (const each of open) await t.rejects(each, /broke/)
  await t.resolves(budget.run(of('wall'), rows(3_000), cost))
  await t.rejects(budget.run(of('wall'), rows(1), cost), MANY, 'a failed one costs a second')
})

t.test('pages of the audit are paid for by what was looked at, on all listeners', async (t) => {
  const link = new FakeLink('A', 0)
  link.answers.audit = { bytes: Buffer.from('{"entries":[]}'), looked: 5_000 }
  link.answers.gridAsk = { fields: { trades: [] }, looked: 5_000 }
  const scans = new ScanBudget({ ...LIMITS, scanRowsSavedMax: 10_000 }, () => 0)
  const direct = await directFront(t, link, { scans, token: MASTER, tokens: [VIEWER] })
  const gateway = await gatewayFront(t, [link], { scans, token: MASTER, tokens: [VIEWER] })
  const ask = (port: number, path: string, token: string) =>
    call(port, path, { headers: { 'X-API-Token': token } })
  t.equal((await ask(direct.front.port, '/api/audit?kind=orderDenied', SECRET)).status, 200)
  t.equal((await ask(gateway.front.port, '/api/v1/accounts/A/audit', SECRET)).status, 200)
  for (const path of ['/api/audit', '/api/grid/trades/1', '/api/grid/ledger/1']) {
    const refused = await ask(direct.front.port, path, SECRET)
    t.match(refused, { status: 429, body: MANY, headers: { 'retry-after': '1' } }, path)
    const operator = await ask(direct.front.port, path, MASTER)
    t.equal(operator.status, 200, 'the operator is not kept waiting')
  }
  t.equal((await ask(direct.front.port, '/api/positions', SECRET)).status, 200, 'other reads go on')
})
