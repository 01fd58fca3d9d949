import t from 'tap'
import { RemoteCallers } from '../../src/service/remote-callers.ts'

const LIMITS = { answeredWithinMs: 100, silenceMs: 50, ordersMax: 3 }
type Heard = readonly [atMs: number, inc: string, key?: string]

const GONE: readonly (readonly [
  what: string,
  heard: readonly Heard[],
  nowMs: number,
  gone: readonly string[],
])[] = [
  ['nobody', [], 1_000, []],
  ['one that has ordered nothing', [[0, 'a']], 1_000, []],
  ['silent, and not for long', [[0, 'a', 'k1']], 50, []],
  ['silent for too long', [[0, 'a', 'k1']], 51, ['k1']],
  [
    'heard since',
    [
      [0, 'a', 'k1'],
      [40, 'a'],
    ],
    90,
    [],
  ],
  [
    'heard since, and then no more',
    [
      [0, 'a', 'k1'],
      [40, 'a'],
    ],
    91,
    ['k1'],
  ],
  [
    'it lived until its answer was given',
    [
      [0, 'a', 'k1'],
      [50, 'a'],
      [101, 'a'],
    ],
    1_000,
    [],
  ],
  [
    'only what may have been on its way',
    [
      [0, 'a', 'k1'],
      [60, 'a', 'k2'],
      [101, 'a'],
    ],
    1_000,
    ['k2'],
  ],
  [
    'another life of the same node',
    [
      [0, 'a', 'k1'],
      [40, 'b', 'k2'],
      [80, 'b'],
    ],
    90,
    ['k1'],
  ],
  [
    'the newest orders',
    [
      [0, 'a', 'k1'],
      [1, 'a', 'k2'],
      [2, 'a', 'k3'],
      [3, 'a', 'k4'],
    ],
    1_000,
    ['k2', 'k3', 'k4'],
  ],
]

t.test('F206 whose callers are gone with their answers', async (t) => {
  for (const [what, heard, nowMs, gone] of GONE) {
    const callers = new RemoteCallers(LIMITS)
    for (const [atMs, inc, key] of heard) callers.heard(inc, key, atMs)
    t.strictSame(callers.gone(nowMs), gone, what)
    t.strictSame(callers.gone(nowMs), [], `${what}: told once`)
  }
})

t.test('nobody is waited for once there is nothing to be told', async (t) => {
  const callers = new RemoteCallers(LIMITS)
  t.notOk(callers.isAny)
  callers.heard('a', 'k1', 0)
  t.ok(callers.isAny)
  callers.heard('a', undefined, 101)
  t.notOk(callers.isAny)
})
