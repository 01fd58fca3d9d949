import t from 'tap'
import { statusObject } from '../../../src/account/answers/gateway.ts'
import { emptyState } from '../../../src/account/model/state.ts'
import type { Effect } from '../../../src/account/turn/turn.ts'
import { exchangeDay } from '../../../src/domain/exchange-time.ts'
import { Bench, commands, policy } from '../fixture.ts'
import { gone, said, timer } from '../play.ts'

const MINUTE_MS = 60_000
const { reconnectSessionWaitMsMax: capMs, reconnectGapMs: gapMs } = policy.limits
/** A Tuesday, at this time of the exchange. */
const on = (time: string, day = '2026-08-11'): number => Date.parse(`${day}T${time}+08:00`)

/** An account that begins at this moment; its client is away. */
function startedAt(ms: number, accountId = policy.accountId): Bench {
  const bench = new Bench(emptyState({ ...policy, accountId }))
  goTo(bench, ms)
  const effects = bench.input({ kind: 'started', incarnation: 1, day: exchangeDay(ms) })
  fails(bench, effects)
  return bench
}

function goTo(bench: Bench, ms: number): void {
  bench.nowMs = ms
  bench.wallMs = ms
}

/** The attempt among these effects ends with a refusal. */
function fails(
  bench: Bench,
  effects: readonly Effect[],
  message = 'connect -1',
): readonly Effect[] {
  const callId = commands(effects).find(({ kind }) => kind === 'connect')?.callId ?? 0
  const result = { ok: false, error: { code: 'FAILED', message } } as const
  return bench.input(said({ kind: 'connectAnswered', callId, result }))
}

/** Waits and fails so many times; the moment at which the wait after that began. */
function failing(bench: Bench, times: number): void {
  for (let i = 0; i < times; i++) {
    goTo(bench, bench.state.connection.nextAttemptMs ?? Number.NaN)
    fails(bench, bench.input(timer('reconnect')))
  }
}

const waitOf = (effects: readonly Effect[]): number | undefined =>
  effects.flatMap((effect) =>
    effect.kind === 'timer' && effect.name === 'reconnect' ? [effect.delayMs] : [],
  )[0]
const waitsMs = ({ state, wallMs }: Bench): number =>
  (state.connection.nextAttemptMs ?? Number.NaN) - wallMs
const attempts = (effects: readonly Effect[]): number =>
  commands(effects).filter(({ kind }) => kind === 'connect').length
const SEEN = { kind: 'terminalSeen' } as const

t.test(
  'F94 whatever the back-off has become, a wait in the hours of the exchange is short',
  (t) => {
    const bench = startedAt(on('03:00:00'))
    failing(bench, 5)
    t.equal(waitsMs(bench), 32 * MINUTE_MS, 'at night it is as configured')
    for (const time of ['08:30:00', '09:09:59', '12:00:00', '15:04:59']) {
      goTo(bench, on(time))
      const waitMs = waitOf(fails(bench, bench.input(timer('reconnect')))) ?? Number.NaN
      t.ok(waitMs > 0 && waitMs <= capMs, `${time}: ${waitMs}`)
    }
    goTo(bench, on('15:05:00'))
    fails(bench, bench.input(timer('reconnect')))
    t.equal(waitsMs(bench), 32 * MINUTE_MS)
    t.end()
  },
)

t.test('F94 a wait that began before the hours ends with their beginning', (t) => {
  const bench = startedAt(on('06:00:00'))
  failing(bench, 5)
  goTo(bench, on('08:20:00'))
  fails(bench, bench.input(timer('reconnect')))
  const dueMs = bench.state.connection.nextAttemptMs ?? Number.NaN
  t.ok(dueMs >= on('08:30:00') && dueMs <= on('08:30:00') + capMs, new Date(dueMs).toISOString())
  t.end()
})

t.test('a clock that is set into the hours shortens the wait that runs', (t) => {
  const bench = startedAt(on('03:00:00'))
  failing(bench, 5)
  bench.nowMs = on('09:10:00') // the wall clock of the thread is steady: it knows nothing of this
  const effects = bench.input({ kind: 'clockTrusted', shiftMs: 1 })
  t.ok((waitOf(effects) ?? Number.NaN) <= capMs)
  const dueMs = bench.state.connection.nextAttemptMs
  bench.wallMs += 1_000
  bench.nowMs += 1_000
  t.equal(waitOf(bench.input(timer('version'))), undefined, 'it is not put off by looking')
  t.equal(bench.state.connection.nextAttemptMs, dueMs)
  t.end()
})

t.test('in doubt about the time either clock may shorten a wait, and nothing else happens', (t) => {
  const bench = startedAt(on('03:00:00'))
  failing(bench, 5)
  bench.clockDoubt = { sinceMs: bench.nowMs, offMs: on('09:10:00') - bench.nowMs }
  const effects = bench.input({ kind: 'clockDoubted', offMs: bench.clockDoubt.offMs })
  t.ok((waitOf(effects) ?? Number.NaN) <= capMs)
  t.strictSame(commands(effects), [])
  t.end()
})

t.test('neither weekend nor holiday has such hours', (t) => {
  for (const day of ['2026-08-15', '2026-10-01']) {
    const bench = startedAt(on('07:00:00', day))
    failing(bench, 5)
    goTo(bench, on('10:00:00', day))
    fails(bench, bench.input(timer('reconnect')))
    t.equal(waitsMs(bench), 32 * MINUTE_MS, day)
    bench.wallMs += MINUTE_MS
    t.equal(waitOf(bench.input(SEEN)), undefined)
  }
  t.end()
})

t.test('F95 a terminal that shows itself is tried at once, within the hours only', (t) => {
  const bench = startedAt(on('09:10:00'))
  const dueMs = bench.state.connection.nextAttemptMs
  bench.wallMs += gapMs
  t.equal(waitOf(bench.input(SEEN)), 0)
  t.equal(attempts(bench.input(timer('reconnect'))), 1)
  t.not(bench.state.connection.nextAttemptMs, dueMs)

  const night = startedAt(on('20:00:00'))
  night.wallMs += gapMs
  t.equal(waitOf(night.input(SEEN)), undefined)
  t.equal(waitsMs(night), MINUTE_MS - gapMs)
  t.end()
})

t.test('F95 however often it shows itself, attempts keep their distance', (t) => {
  const bench = startedAt(on('09:10:00'))
  bench.wallMs += 500
  t.equal(waitOf(bench.input(SEEN)), gapMs - 500)
  bench.wallMs += 500
  t.equal(waitOf(bench.input(SEEN)), undefined, 'the attempt is due already')
  t.end()
})

t.test('F95 an attempt under way is not doubled; if it fails, another follows soon', (t) => {
  const bench = startedAt(on('09:10:00'))
  bench.wallMs += gapMs
  const under = bench.input(timer('reconnect'))
  t.equal(attempts(under), 1)
  bench.wallMs += 100
  t.strictSame(commands(bench.input(SEEN)), [])
  t.strictSame(commands(bench.input(timer('reconnect'))), [])
  t.equal(waitOf(fails(bench, under)), gapMs - 100)
  bench.wallMs += gapMs
  const waitMs = waitOf(fails(bench, bench.input(timer('reconnect')))) ?? Number.NaN
  t.ok(waitMs > gapMs, 'once')
  t.end()
})

t.test(
  'a terminal that shows itself moves no account that is connected or does without it',
  (t) => {
    const bench = new Bench().ready()
    t.strictSame(bench.input(SEEN), [])
    const settings = { ...policy.settings, ENABLE_SIMULATION_MODE: true }
    const alone = new Bench(emptyState({ ...policy, settings }))
    alone.input({ kind: 'started', incarnation: 1, day: '2026-08-11' })
    t.strictSame(alone.input(SEEN), [])
    t.end()
  },
)

t.test('accounts that wait for one terminal do not come back in one moment', (t) => {
  const due = Array.from({ length: 100 }, (_, i) => {
    const bench = startedAt(on('08:29:30'), String(10_000_001 + i))
    return (bench.state.connection.nextAttemptMs ?? Number.NaN) - on('08:30:00')
  })
  t.ok(due.every((ms) => ms > 0 && ms <= capMs))
  for (let second = 0; second < capMs; second += 1_000) {
    const together = due.filter((ms) => ms >= second && ms < second + 1_000).length
    t.ok(together <= 25, `${together} within the second ${second}`)
  }
  t.end()
})

t.test('a terminal that stays off does not fill the log', (t) => {
  const bench = startedAt(on('09:10:00'))
  let told = 1
  for (let i = 0; i < 99; i++) {
    goTo(bench, bench.state.connection.nextAttemptMs ?? Number.NaN)
    const effects = fails(bench, bench.input(timer('reconnect')))
    told += effects.filter(({ kind }) => kind === 'log').length
  }
  t.equal(bench.state.connection.failures, 100)
  t.equal(told, 13)
  t.end()
})

t.test('the status says since when, how often, why, and when the next attempt is due', (t) => {
  const bench = startedAt(on('09:10:00'))
  const shown = () =>
    statusObject({ state: bench.state, isFeedAvailable: false } as Parameters<
      typeof statusObject
    >[0])
  const first = on('09:10:00') / 1_000
  t.match(shown(), {
    disconnected_since: first,
    failures: 1,
    last_failure: 'connect -1',
    waiting_for_terminal: true,
  })
  t.equal(shown().next_attempt_at, (bench.state.connection.nextAttemptMs ?? 0) / 1_000)
  failing(bench, 2)
  t.match(shown(), { disconnected_since: first, failures: 3 })
  bench.wallMs += capMs
  const callId = commands(bench.input(timer('reconnect')))[0]?.callId ?? 0
  t.match(shown(), { next_attempt_at: null, waiting_for_terminal: false })
  bench.input(said({ kind: 'connectAnswered', callId, result: { ok: true, value: null } }))
  t.match(shown(), {
    disconnected_since: null,
    failures: 0,
    next_attempt_at: null,
    waiting_for_terminal: false,
  })
  bench.wallMs += 5_000
  bench.input(gone)
  t.match(shown(), { disconnected_since: bench.wallMs / 1_000, last_failure: 'gone', failures: 0 })
  t.end()
})

t.test('a start in simulation mode says so, and how to leave it', (t) => {
  const settings = { ...policy.settings, ENABLE_SIMULATION_MODE: true }
  const said = (incarnation: number) => {
    const bench = new Bench(emptyState({ ...policy, driver: 'xt', settings }))
    const effects = bench.input({ kind: 'started', incarnation, day: '2026-08-11' })
    return effects.flatMap((effect) => (effect.kind === 'log' ? [effect] : []))
  }
  t.match(said(1), [
    { level: 'warn', message: /模拟模式.*ENABLE_SIMULATION_MODE.*simulation mode/s },
  ])
  t.match(
    said(2),
    [{ level: 'warn', message: /重新启动.*restarted/s }],
    'also of the account alone',
  )
  const real = new Bench(emptyState({ ...policy, driver: 'xt' }))
  const effects = real.input({ kind: 'started', incarnation: 1, day: '2026-08-11' })
  t.notOk(effects.some((effect) => effect.kind === 'log'))
  t.end()
})
