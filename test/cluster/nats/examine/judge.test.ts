import t from 'tap'
import { ConnectionError } from '../../../../src/cluster/nats/connect.ts'
import type { CopyFacts, InnerFacts } from '../../../../src/cluster/nats/examine/facts.ts'
import {
  certificateFindings,
  copyFindings,
  innerFindings,
  rightFindings,
  serverFindings,
  streamFindings,
} from '../../../../src/cluster/nats/examine/judge.ts'
import { told } from './fixtures/told.ts'

const DAY_MS = 86_400_000
const NOW_MS = Date.UTC(2026, 10, 23)
const BOUNDS = {
  replicas: 3,
  clockDifferenceMs: 500,
  certificateDays: 30,
  journalAlarmPercent: 70,
  serversWanted: 3,
  nowMs: NOW_MS,
}

t.test('a server alone', async (t) => {
  const clock = (differenceMs: number, uncertainMs = 0) => ({ differenceMs, uncertainMs })
  const good = { server: 'tls://s1:4222', version: '2.15.1', hasJetStream: true, clock: clock(500) }
  const of = (change: object) => told(t, serverFindings({ ...good, ...change }, BOUNDS))
  t.strictSame(of({}), ['ok server', 'ok clock'])
  t.strictSame(of({ clock: clock(-500) }), ['ok server', 'ok clock'])
  t.strictSame(of({ clock: clock(501) }), ['ok server', 'fail clock'])
  t.strictSame(of({ clock: clock(-501) }), ['ok server', 'fail clock'])
  t.strictSame(of({ clock: clock(600, 100) }), ['ok server', 'ok clock'], 'it may be 500')
  t.strictSame(of({ clock: clock(-601, 100) }), ['ok server', 'fail clock'])
  t.strictSame(of({ clock: undefined }), ['ok server', 'warn clock'], 'unknown is not right')
  t.strictSame(of({ hasJetStream: false }), ['ok server', 'fail jetstream', 'ok clock'])
  const faults = ['version', 'unreachable', 'credentials', 'encryption', 'file'] as const
  for (const fault of faults) {
    t.strictSame(of({ error: new ConnectionError(fault, 'x') }), ['fail server'], fault)
  }
})

t.test('streams that are missing, other than they must be, or right', async (t) => {
  const of = (state: 'made' | 'present' | 'missing', differences: readonly object[] = []) =>
    streamFindings([{ stream: 'J0', state, differences: differences as never }])
  t.strictSame(told(t, of('present')), ['ok stream'])
  t.strictSame(told(t, of('made')), ['ok stream'])
  t.strictSame(told(t, of('missing')), ['fail stream'])
  const differing = of('present', [{ setting: 'num_replicas', is: 1, should: 3 }])
  t.strictSame(told(t, differing), ['fail stream'])
  t.match(differing[0]?.text, 'num_replicas=1 ≠ 3')
})

t.test('copies that are too few, behind, away, or full', async (t) => {
  const copy = (server: string, change: object = {}) => ({
    server,
    isCurrent: true,
    isOffline: false,
    lag: 0,
    ...change,
  })
  const good: CopyFacts = {
    stream: 'J0',
    leader: 's1',
    copies: [copy('s1'), copy('s2'), copy('s3')],
    bytes: 69,
    bytesMax: 100,
  }
  const of = (change: Partial<CopyFacts>) => told(t, copyFindings({ ...good, ...change }, BOUNDS))
  t.strictSame(of({}), ['ok copies'])
  t.strictSame(of({ copies: [copy('s1')] }), ['fail copies'])
  t.strictSame(of({ copies: [copy('s1'), copy('s2')] }), ['fail copies'])
  t.strictSame(of({ leader: undefined }), ['fail copies'])
  const away = [copy('s1'), copy('s2'), copy('s3', { isOffline: true })]
  t.strictSame(of({ copies: away }), ['fail copies'])
  const behind = [copy('s1'), copy('s2'), copy('s3', { isCurrent: false, lag: 7 })]
  t.match(copyFindings({ ...good, copies: behind }, BOUNDS)[0]?.text, 's3 −7')
  t.strictSame(of({ bytes: 70 }), ['ok copies', 'warn room'])
  t.strictSame(of({ bytesMax: -1 }), ['ok copies'], 'without a bound there is no share of it')
})

t.test('rights that are too many are as bad as those that are missing', async (t) => {
  const right = (isRefused: boolean, shouldBeRefused: boolean) => ({
    what: 'publish x',
    isRefused,
    shouldBeRefused,
  })
  const of = (...facts: ReturnType<typeof right>[]) => told(t, rightFindings(facts))
  t.strictSame(of(right(true, true), right(false, false)), ['ok rights'])
  t.strictSame(of(right(false, true), right(false, false)), ['fail rights'])
  t.strictSame(of(right(true, true), right(true, false)), ['fail rights'])
  t.strictSame(of(right(false, true), right(false, true)), ['fail rights'], 'one line for all')
  t.strictSame(of(right(false, true), right(true, false)), ['fail rights', 'fail rights'])
})

t.test('what only the servers know is right only when they have said so', async (t) => {
  const inner = (name: string, change: Partial<InnerFacts> = {}): InnerFacts => ({
    name,
    version: '2.15.1',
    hasJetStream: true,
    isSyncAlways: true,
    certificateEnds: [],
    ...change,
  })
  const of = (...facts: InnerFacts[]) => told(t, innerFindings(facts, BOUNDS))
  const both = [inner('s2'), inner('s3')]
  t.strictSame(of(inner('s1'), ...both), ['ok fsync', 'ok fsync', 'ok fsync'])
  t.strictSame(of(...both), ['fail servers', 'ok fsync', 'ok fsync'], 'one is silent')
  const lazy = of(inner('s1', { isSyncAlways: false }), ...both)
  t.strictSame(lazy, ['fail fsync', 'ok fsync', 'ok fsync'])
  const old = of(inner('s1', { version: '2.13.1' }), ...both)
  t.strictSame(old, ['fail server', 'ok fsync', 'ok fsync', 'ok fsync'])
  const plain = of(inner('s1', { hasJetStream: false }), ...both)
  t.strictSame(plain, ['fail jetstream', 'ok fsync', 'ok fsync'])
  const ending = [NOW_MS + 90 * DAY_MS, NOW_MS + DAY_MS]
  const late = of(inner('s1', { certificateEnds: ending }), ...both)
  t.strictSame(late, ['ok fsync', 'warn certificate', 'ok fsync', 'ok fsync'], 'the first to end')
  t.strictSame(told(t, innerFindings(undefined, BOUNDS)), ['warn fsync'], 'nobody was asked')
})

t.test('a certificate is good, soon over, over, or none', async (t) => {
  const of = (endMs: number | undefined) =>
    told(t, certificateFindings([{ name: 'cluster.cert_file', file: 'c.pem', endMs }], BOUNDS))
  t.strictSame(of(NOW_MS + 30 * DAY_MS), ['ok certificate'])
  t.strictSame(of(NOW_MS + 30 * DAY_MS - 1), ['warn certificate'])
  t.strictSame(of(NOW_MS + 1), ['warn certificate'])
  t.strictSame(of(NOW_MS), ['fail certificate'])
  t.strictSame(of(undefined), ['fail certificate'])
})
