import fc from 'fast-check'
import t from 'tap'
import { reconnectWaitMs } from '../../../src/account/model/connection.ts'
import { Bench, commands } from '../fixture.ts'

const policy = {
  reconnectIntervalMs: 60_000,
  reconnectAttemptsMax: 5,
  reconnectWaitMsMax: 3_600_000,
  reconnectSessionWaitMsMax: 15_000,
}
/** At night, when the configured waits stand. */
const NIGHT = { accountId: '10000001', nowMs: Date.parse('2026-08-11T22:00:00+08:00') }

t.test('waits double up to the configured step, then stay', async (t) => {
  const waits = [0, 1, 2, 3, 4, 5, 6, 50].map((n) => reconnectWaitMs(policy, n, NIGHT) / 1000)
  t.strictSame(waits, [60, 120, 240, 480, 960, 1_920, 1_920, 1_920])
  const long = { ...policy, reconnectAttemptsMax: 10 }
  t.equal(reconnectWaitMs(long, 9, NIGHT), 3_600_000)
})

t.test('no input makes a wait that a timer would turn into a hot loop', async () => {
  const anything = fc.double({ noNaN: false })
  const moment = fc.integer({ min: 0, max: 4_000_000_000_000 })
  const safe = fc.property(
    anything,
    anything,
    fc.record({ wait: anything, session: anything, nowMs: moment, offMs: moment }),
    fc.integer(),
    (interval, max, { wait, session, nowMs, offMs }, failures) => {
      const limits = {
        reconnectIntervalMs: interval,
        reconnectAttemptsMax: max,
        reconnectWaitMsMax: wait,
        reconnectSessionWaitMsMax: session,
      }
      const sight = { accountId: '1', nowMs, clockDoubt: { sinceMs: 0, offMs } }
      const delay = reconnectWaitMs(limits, failures, sight)
      return Number.isFinite(delay) && delay > 0 && delay <= 2 ** 31 - 1
    },
  )
  fc.assert(safe)
})

t.test('a failed connection is tried again after the wait, and counted', async (t) => {
  const bench = new Bench()
  bench.nowMs = NIGHT.nowMs
  const [first] = commands(bench.input({ kind: 'started', incarnation: 1, day: '2026-08-11' }))
  const failed = {
    kind: 'connectAnswered',
    callId: first?.callId ?? 0,
    result: { ok: false, error: { code: 'FAILED', message: 'not running' } },
  } as const
  const effects = bench.input({ kind: 'driver', event: failed })
  t.match(effects, [{ kind: 'log' }, { kind: 'timer', name: 'reconnect', delayMs: 60_000 }])
  t.match(bench.state.connection, { phase: 'disconnected', isReconnecting: true, attempts: 0 })
  t.match(commands(bench.input({ kind: 'timer', name: 'reconnect' })), [{ kind: 'connect' }])
  t.match(bench.state.connection, { phase: 'connecting', attempts: 1 })
})

t.test(
  'a lost connection clears the flag at once, tries again at once and acts on nothing meanwhile',
  async (t) => {
    const bench = new Bench().ready()
    t.equal(bench.state.isReady, true)
    const effects = bench.input({ kind: 'driver', event: { kind: 'disconnected', reason: 'gone' } })
    t.match(effects.at(-1), { kind: 'timer', name: 'reconnect', delayMs: 0 })
    t.match(bench.state.connection, {
      phase: 'disconnected',
      isReconnecting: true,
      lastPingOkMs: undefined,
    })
    t.equal(bench.state.isReady, false)
  },
)

t.test('a ping that is not answered is a lost connection', async (t) => {
  const bench = new Bench().ready()
  const [ping] = commands(bench.input({ kind: 'timer', name: 'ping' }))
  bench.input({ kind: 'callTimedOut', callId: ping?.callId ?? 0 })
  t.match(bench.state.connection, { phase: 'disconnected', isReconnecting: true })
})
