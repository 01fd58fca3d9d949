import t from 'tap'
import type { Config } from '../../../src/config/schema.ts'
import { encode } from '../../../src/protocol/codec.ts'
import { NodeCalls } from '../../../src/service/lines/node-calls.ts'
import { Hearing, RemoteCallers } from '../../../src/service/lines/remote-callers.ts'

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
    const hearing = new Hearing(nowMs)
    const callers = new RemoteCallers(LIMITS, hearing)
    hearing.answered(0)
    for (const [atMs, inc, key] of heard) callers.heard(inc, key, atMs)
    hearing.answered(nowMs)
    t.strictSame(callers.gone(), gone, what)
    t.strictSame(callers.gone(), [], `${what}: told once`)
  }
})

t.test('nobody is waited for once there is nothing to be told', async (t) => {
  const callers = new RemoteCallers(LIMITS, new Hearing(20))
  t.notOk(callers.isAny)
  callers.heard('a', 'k1', 0)
  t.ok(callers.isAny)
  callers.heard('a', undefined, 101)
  t.notOk(callers.isAny)
})

t.test(
  'F892 while the servers stand still nobody could be heard, and nobody is gone',
  async (t) => {
    const hearing = new Hearing(20)
    const callers = new RemoteCallers(LIMITS, hearing)
    const goneAt = (answeredMs: number) => {
      hearing.answered(answeredMs)
      return callers.gone()
    }
    t.strictSame(callers.gone(), [], 'before they answered first')
    t.strictSame(goneAt(0), [])
    callers.heard('a', 'k1', 0)
    t.strictSame(goneAt(20), [])
    t.strictSame(callers.gone(), [], 'however late it is looked')
    t.strictSame(goneAt(90), [], 'they stood still for 70: everybody may have asked in vain')
    t.strictSame(goneAt(110), [])
    t.strictSame(goneAt(130), [])
    t.strictSame(goneAt(141), ['k1'], 'it was silent while it could be heard')
  },
)

t.test(
  'F892 however often the servers stand still, who is gone is found out before long',
  async (t) => {
    const hearing = new Hearing(20)
    const callers = new RemoteCallers(LIMITS, hearing)
    callers.heard('dead', 'k1', 0)
    const found: (readonly [atMs: number, keys: readonly string[]])[] = []
    for (let nowMs = 0; nowMs <= 600; nowMs += 30) {
      hearing.answered(nowMs) // each is so late that they may have stood still
      callers.heard('alive', nowMs === 0 ? 'k2' : undefined, nowMs + 25)
      const keys = callers.gone()
      if (keys.length > 0) found.push([nowMs, keys])
    }
    t.strictSame(found, [[240, ['k1']]], 'and who was heard meanwhile is not')
  },
)

t.test(
  'F893 who runs an account no more is asked no more, and takes nobody for gone',
  async (t) => {
    const limits = {
      http: { request_timeout_ms: 60_000 },
      cluster: { owner_timeout_ms: 100, health_poll_ms: 20, lease_renew_ms: 60_000 },
      account: { untold_keys_max: 10 },
    } as unknown as Config['limits']
    const epochs = new Map([
      ['moved', 5],
      ['ours', 5],
    ])
    const told: string[] = []
    const isTold = Promise.withResolvers<void>()
    const calls = new NodeCalls({
      inc: 'n1',
      limits,
      log: {
        warn: (fields: object) => void told.push(`warned of ${Reflect.get(fields, 'account')}`),
      },
      ask: () => Promise.reject(new Error('nobody is asked')),
      served: (account: string) => ({
        epoch: () => epochs.get(account) ?? 0,
        answer: async () => null,
        untold: () => {
          told.push(account)
          if (account === 'ours') isTold.resolve()
        },
      }),
    } as unknown as ConstructorParameters<typeof NodeCalls>[0])
    const header = { timeoutMs: 60_000, startWithinMs: 60_000, correlationId: '', from: 'gone' }
    const body = {
      kind: 'placeOrder',
      code: '600036.SH',
      side: 'buy',
      quantity: 100,
      priceType: 11,
      price: 325_000,
      key: 'k1',
      requestHash: 'of this test',
      strategy: 'manual',
      source: 'test',
    }
    const call = encode({ request: { target: 'account', body }, ...header })
    const renewals = setInterval(() => calls.renewed(), 10)
    t.teardown(() => clearInterval(renewals))
    for (const accountId of epochs.keys()) await calls.serve({ accountId, body: call })
    epochs.set('moved', 0) // another node runs it, and whoever follows it asks that one
    await isTold.promise
    t.strictSame(told, ['warned of ours', 'ours'])
  },
)
