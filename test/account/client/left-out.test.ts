import t from 'tap'
import type { QueryKind } from '../../../src/protocol/driver.ts'
import { type Client, compare, connect, fill, rest, shown, tell, together } from '../client.ts'
import { BANK, type Bench, brokerPosition, commands, KEY, policy } from '../fixture.ts'
import { placed, said, timer } from '../play.ts'

const BAD_ROW = ['持仓 600036.SH: volume (UnicodeDecodeError)']
const ALL: readonly QueryKind[] = ['orders', 'deals', 'positions']
const { missingConfirmations, doubtSettleMs, positionQueryIntervalMs } = policy.limits

const look = (bench: Bench, client: Client, name: 'poll' | 'doubt') =>
  client.answer(bench, commands(bench.input(timer(name))))

t.test('a holding is not gone by a list of which a row could not be read', async (t) => {
  const { bench, client } = together()
  client.positions = [brokerPosition({ code: '000001.SZ' as typeof BANK })]
  client.leftOut.set('positions', BAD_ROW)
  for (let i = 0; i < 20 * missingConfirmations; i++) look(bench, client, 'poll')
  t.same([...bench.state.positions.keys()], ['000001.SZ', BANK], 'the readable one is followed')
  client.leftOut.clear()
  for (let i = 0; i < missingConfirmations; i++) look(bench, client, 'poll')
  t.same([...bench.state.positions.keys()], ['000001.SZ'], 'a whole list counts as ever')
})

t.test('an order in doubt is not absent while any row of a look could not be read', async (t) => {
  for (const what of ALL) {
    const { bench, client } = together()
    bench.input({ kind: 'callTimedOut', callId: placed(bench) })
    client.leftOut.set(what, ['委托: order_id (UnicodeDecodeError)'])
    const settle = () => {
      look(bench, client, 'doubt')
      bench.wallMs += doubtSettleMs
    }
    for (let i = 0; i < 4; i++) settle()
    t.equal(bench.state.orders.get(KEY)?.status, 'inDoubt', what)
    client.leftOut.clear()
    for (let i = 0; i < 3; i++) settle()
    t.equal(bench.state.orders.get(KEY)?.status, 'rejected', `${what}: with whole lists it is`)
  }
})

t.test('what was left out is no difference, and the comparison names it', async (t) => {
  const { bench, client } = together()
  rest(bench, client)
  fill(bench, client)
  tell(bench, client)
  for (const what of ALL) client.leftOut.set(what, BAD_ROW)
  Object.assign(client, { orders: [], deals: [], positions: [brokerPosition()] })
  t.match(compare(bench, client), [{ kind: 'position' }], 'the rest is compared as ever')
  const reports = (shown(bench).last_run as { failed_reports: { report: string }[] }).failed_reports
  t.match(reports.at(-1), { report: 'positions', reason: /600036\.SH: volume/ })
  t.equal(shown(bench).result, 'unavailable')
})

t.test(
  'the account acts though a row of every list cannot be read, and says so once',
  async (t) => {
    const { bench, client } = together()
    for (const what of ALL) client.leftOut.set(what, BAD_ROW)
    bench.input(said({ kind: 'disconnected', reason: 'gone' }))
    const effects = connect(bench, client, bench.input(timer('reconnect')))
    t.ok(bench.state.isReady)
    const logged = (found: typeof effects) =>
      found.filter((effect) => effect.kind === 'log' && /无法读取/.test(effect.message)).length
    t.equal(logged(effects), ALL.length)
    t.equal(logged(look(bench, client, 'poll')), 0)
  },
)

t.test('a push that cannot be read has the reports compared soon, and many have them once', (t) => {
  const { bench } = together()
  const push = () => bench.input(said({ kind: 'pushLeftOut', text: '委托 600036.SH: price' }))
  const soon = { kind: 'timer', name: 'reconcile', delayMs: positionQueryIntervalMs }
  t.match(push(), [soon])
  t.same(push(), [], 'not put off by the next one')
  t.equal(commands(bench.input(timer('reconcile'))).length, 4)
  t.match(push(), [soon])
  t.end()
})
