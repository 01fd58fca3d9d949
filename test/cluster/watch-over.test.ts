import t from 'tap'
import { isLost, type LifeEnd, nextLife, type SignOfLife } from '../../src/cluster/watch-over.ts'

const limits = { silenceMs: 500, restartMs: 100, restartMaxMs: 30_000 }
const sign = (change: Partial<SignOfLife>): SignOfLife => ({
  atMs: 10_000,
  leaseMs: 12_000,
  isReady: true,
  isDone: false,
  limits,
  ...change,
})

t.test(
  'a node is lost when it is silent and its lease is over, never by one of both',
  async (t) => {
    const cases: readonly (readonly [string, Partial<SignOfLife>, number, boolean])[] = [
      ['silent within its lease', {}, 11_999, false],
      ['on the last moment of it', {}, 12_000, false],
      ['silent beyond it', {}, 12_001, true],
      ['beyond it, but it spoke', { atMs: 11_900 }, 12_400, false],
      ['beyond it, at the limit of silence', { atMs: 11_900 }, 12_400, false],
      ['beyond it and beyond that limit', { atMs: 11_900 }, 12_401, true],
      ['suspended: the servers are away, and it speaks', { atMs: 99_900 }, 100_000, false],
      ['suspended, then silent', { atMs: 99_000 }, 100_000, true],
      ['a start that takes long has no lease yet', { leaseMs: 0 }, 100_000, false],
      ['every account was left', { isDone: true }, 100_000, false],
    ]
    for (const [name, change, nowMs, expected] of cases) {
      t.equal(isLost(sign(change), nowMs), expected, name)
    }
  },
)

const end = (change: Partial<LifeEnd>): LifeEnd => ({
  code: 1,
  livedMs: 1_000,
  failures: 0,
  isStopping: false,
  wasReady: true,
  ...change,
})

t.test(
  'a node that is over or crashed lives again; one that was stopped or is wrong does not',
  async (t) => {
    const again = { do: 'start', afterMs: 100, failures: 1 } as const
    const cases: readonly (readonly [string, Partial<LifeEnd>, object])[] = [
      ['fenced or replaced', { code: 7 }, again],
      ['fenced before it was ready', { code: 7, wasReady: false }, again],
      ['crashed', { code: 1 }, again],
      ['killed by a signal', { code: null }, again],
      ['stopped in order', { code: 0 }, { do: 'end' }],
      ['its configuration became wrong', { code: 2 }, { do: 'end' }],
      ['it could never start', { code: 1, wasReady: false }, { do: 'end' }],
      ['the operator asked for it, and it crashed', { isStopping: true }, { do: 'end' }],
      [
        'the operator asked for it, and it was fenced',
        { code: 7, isStopping: true },
        { do: 'end' },
      ],
    ]
    for (const [name, change, expected] of cases) {
      t.strictSame(nextLife(end(change), limits), expected, name)
    }
  },
)

t.test('waits double up to a limit, and begin anew after a long life', async (t) => {
  const waits = Array.from({ length: 12 }, (_, failures) =>
    nextLife(end({ failures }), limits),
  ).map((next) => (next.do === 'start' ? next.afterMs : 0))
  t.strictSame(waits.slice(0, 4), [100, 200, 400, 800])
  t.strictSame(waits.slice(-3), [30_000, 30_000, 30_000])
  const long = nextLife(end({ failures: 11, livedMs: 30_000 }), limits)
  t.strictSame(long, { do: 'start', afterMs: 100, failures: 1 })
})
