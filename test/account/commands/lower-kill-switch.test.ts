import t from 'tap'
import { POLICY } from '../../../src/domain/errors.ts'
import { type Bench, brokerPosition, commands, holder, policy, refusals, set } from '../fixture.ts'
import { gone, recovered, said, timer } from '../play.ts'

const { reconcileFreshMs } = policy.limits
const ROWS = { positions: [brokerPosition()] }
const level = (bench: Bench) => bench.state.killSwitch.level
const reports = (effects: ReturnType<Bench['input']>) =>
  commands(effects).flatMap((command) => (command.kind === 'query' ? [command.what] : []))

t.test('the switch is lowered on books that were compared a moment ago', async (t) => {
  const bench = holder()
  set(bench, 'all')
  bench.wallMs += reconcileFreshMs
  t.strictSame(refusals(set(bench, 'entries')), [])
  t.strictSame(refusals(set(bench, 'off')), [])
  t.equal(level(bench), 'off')
})

t.test('an old comparison is none: a new one is begun, and then it works', async (t) => {
  const bench = holder()
  set(bench, 'all')
  bench.wallMs += reconcileFreshMs + 1
  const refused = set(bench, 'off')
  t.strictSame(refusals(refused), ['RECONCILE_REQUIRED'])
  t.match(refused.at(-1), { error: { message: /对账.*try again/ } }, 'it says what to do')
  t.equal(POLICY.RECONCILE_REQUIRED.status, 409)
  t.equal(level(bench), 'all')
  t.strictSame(reports(refused), ['orders', 'deals', 'positions', 'asset'])
  const again = set(bench, 'off')
  t.strictSame(reports(again), [], 'one comparison at a time')
  t.strictSame(refusals(again), ['RECONCILE_REQUIRED'])
  bench.answerQueries(commands(refused), ROWS)
  t.strictSame(refusals(set(bench, 'off')), [])
  t.equal(level(bench), 'off')
})

t.test('a failed comparison is none, however fresh', async (t) => {
  const bench = holder()
  set(bench, 'entries')
  const error = { code: 'FAILED', message: 'busy' } as const
  for (const query of commands(bench.input(timer('reconcile')))) {
    if (query.kind !== 'query') continue
    bench.input(said({ ...query, kind: 'queryAnswered', result: { ok: false, error } }))
  }
  t.strictSame(refusals(set(bench, 'off')), ['RECONCILE_REQUIRED'])
  t.equal(level(bench), 'entries')
})

t.test('without a connection it is raised and not lowered, until the next recovery', async (t) => {
  const bench = holder()
  bench.input(gone)
  t.strictSame(refusals(set(bench, 'cancel_all')), [])
  const refused = set(bench, 'all')
  t.strictSame(refusals(refused), ['RECONCILE_REQUIRED'])
  t.strictSame(reports(refused), [])
  t.match(refused.at(-1), { error: { message: /as soon as the trading client is connected/ } })
  recovered(bench, ROWS)
  t.strictSame(refusals(set(bench, 'off')), [])
})

t.test('another reason for the same level needs no comparison', async (t) => {
  const bench = holder()
  set(bench, 'all', 'lunch')
  bench.wallMs += reconcileFreshMs + 1
  t.strictSame(refusals(set(bench, 'all', 'a longer lunch')), [])
})

const ORDER = ['off', 'entries', 'all', 'cancel_all'] as const
const CASES = ORDER.flatMap((before) =>
  ORDER.flatMap((from) => ORDER.map((wanted) => ({ before, from, wanted }))),
)

t.test('F691 a level that the caller has not seen is not lowered', async (t) => {
  for (const { before, from, wanted } of CASES) {
    const bench = holder()
    set(bench, before)
    const said = { level: wanted, from, reason: '', source: 'operator' }
    const codes = refusals(
      bench.input({ kind: 'request', ref: 9, request: { kind: 'setKillSwitch', ...said } }),
    )
    const isUnseen = before !== from && ORDER.indexOf(before) > ORDER.indexOf(wanted)
    const what = `${before}, seen as ${from}, to ${wanted}`
    t.strictSame(codes, isUnseen ? ['CONFLICT'] : [], what)
    t.equal(level(bench), isUnseen ? before : wanted, what)
  }
})
