import t from 'tap'
import type { Arrival, Cancel } from './fixtures/broker.ts'
import { type Evidence, type Kept, type Verdict, verdictOf } from './fixtures/verdict.ts'

const ACCT = '10000001'
const TTL = { ttlMs: 6_000 }
const record = (rest: Partial<Kept>): Kept => ({
  acct: ACCT,
  e: 1,
  node: 'a',
  inc: 'a1',
  atMs: 0,
  is: 'commits',
  submitted: [],
  canceled: [],
  ...rest,
})
const arrival = (rest: Partial<Arrival>): Arrival => ({
  node: 'a',
  acct: ACCT,
  key: 'one',
  what: 'ten of it',
  atMs: 1_001,
  isAccepted: true,
  ...rest,
})
const cancel = (rest: Partial<Cancel>): Cancel => ({
  node: 'b',
  acct: ACCT,
  key: 'one',
  atMs: 8_302,
  isDone: true,
  ...rest,
})
const OF_B = { e: 2, node: 'b', inc: 'b1' }

/** A node dies at 2 s; the other one waits until its lease has run out. */
const SOUND: Evidence = {
  marginMs: 300,
  kept: [
    record({ is: 'epoch' }),
    record({ atMs: 1_000, submitted: ['one'] }),
    record({ ...OF_B, is: 'epoch', atMs: 8_000 }),
    record({ ...OF_B, atMs: 8_100, submitted: ['two'] }),
    record({ ...OF_B, atMs: 8_300, canceled: ['one'] }),
  ],
  renewals: [
    { node: 'a', inc: 'a1', isLive: true, ...TTL, atMs: 1_500 },
    { node: 'b', inc: 'b1', isLive: true, ...TTL, atMs: 8_000 },
  ],
  lives: [{ node: 'a', fromMs: -1_000, untilMs: 2_000 }],
  arrivals: [arrival({}), arrival({ node: 'b', key: 'two', what: 'more of it', atMs: 8_102 })],
  cancels: [cancel({}), cancel({ atMs: 8_900, isDone: false })],
}

const columns = ({ takeOvers: _, ...lists }: Verdict) =>
  Object.entries(lists).flatMap(([column, found]) => (found.length > 0 ? [column] : []))

t.test('F176 a run in which nothing went wrong is found sound', async (t) => {
  const verdict = verdictOf(SOUND)
  t.strictSame(columns(verdict), [])
  t.equal(verdict.takeOvers, 1)
})

const PLANTED: readonly (readonly [string, Partial<Evidence>, readonly string[]])[] = [
  ['a node that fell silent', { lives: [] }, []],
  [
    'a node that is fenced before its lease has run out',
    {
      lives: [],
      renewals: [{ node: 'a', inc: 'a1', isLive: true, ...TTL, atMs: 7_000 }],
    },
    ['overlaps'],
  ],
  ['an order that its node let out too late', { arrivals: [arrival({ atMs: 8_001 })] }, ['stale']],
  [
    'a late order that the broker did not take',
    { arrivals: [arrival({ atMs: 8_001, isAccepted: false })] },
    [],
  ],
  [
    'an intent that is sent again',
    { arrivals: [arrival({}), arrival({ isAccepted: false, atMs: 1_500 })] },
    ['twice'],
  ],
  [
    'a wish that becomes two intents',
    { arrivals: [arrival({}), arrival({ node: 'b', key: 'two', atMs: 8_102 })] },
    ['twice'],
  ],
  ['an order without an intent', { arrivals: [arrival({ key: 'three' })] }, ['unjournalled']],
  ['an order before its intent', { arrivals: [arrival({ atMs: 900 })] }, ['unjournalled']],
  ['an order of the wrong node', { arrivals: [arrival({ node: 'b' })] }, ['unjournalled']],
  ['a cancel without a request', { cancels: [cancel({ key: 'two' })] }, ['unjournalled']],
  ['a cancel before its request', { cancels: [cancel({ atMs: 8_200 })] }, ['unjournalled']],
  ['a cancel of an owner that is over', { cancels: [cancel({ node: 'a' })] }, ['stale']],
  [
    'a late cancel that does nothing any more',
    { cancels: [cancel({ node: 'a', isDone: false })] },
    [],
  ],
  [
    'an owner that writes on',
    { kept: [...SOUND.kept, record({ atMs: 8_200, submitted: ['late'] })] },
    ['torn'],
  ],
  [
    'an epoch that is given twice',
    { kept: [...SOUND.kept, record({ e: 2, is: 'epoch', atMs: 20_000 })] },
    ['torn'],
  ],
]

for (const [what, change, found] of PLANTED) {
  t.test(`F176 ${what}: ${found[0] ?? 'nothing'}`, async (t) => {
    t.strictSame(columns(verdictOf({ ...SOUND, ...change })), found)
  })
}
