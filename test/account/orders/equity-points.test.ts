import fc from 'fast-check'
import t from 'tap'
import type { AccountActorDeps } from '../../../actors/account/deps.ts'
import { CommitDraft, loadState } from '../../../actors/account/rows.ts'
import { emptyState } from '../../../src/account/model/state.ts'
import { nextPointMs } from '../../../src/account/orders/equity-points.ts'
import { type AccountInput, step } from '../../../src/account/step.ts'
import type { Turn } from '../../../src/account/turn/turn.ts'
import type { EquityPoint } from '../../../src/domain/equity.ts'
import { exchangeDay } from '../../../src/domain/exchange-time.ts'
import { decode } from '../../../src/protocol/codec.ts'
import { TABLE } from '../../../src/protocol/store.ts'
import { PlainStore } from '../../simulation/fixtures/plain-store.ts'
import { BANK, Bench, brokerPosition, MORNING_MS, policy, quote, yuan } from '../fixture.ts'
import { dealt } from '../play.ts'

const MINUTE_MS = 60_000
const at = (time: string) => Date.parse(`2026-08-11T${time}+08:00`)
const ALARM: AccountInput = { kind: 'alarm' }

/** An account whose turns are saved as the shell saves them. */
function saved(bench: Bench, disk = new PlainStore()) {
  const draft = new CommitDraft(bench.state)
  draft.add({ events: bench.journal, dirtyRows: [] } as unknown as Turn)
  const before = draft.take()
  if (before !== undefined && disk.open([]).seq === 0) disk.commit(before)
  const input = (each: AccountInput): Turn => {
    const turn = bench.turn()
    step(turn, each)
    draft.add(turn)
    const commit = draft.take()
    if (commit !== undefined) disk.commit(commit)
    return turn
  }
  const rows = (table: 'equityMinutes' | 'equityDays') =>
    (disk.open([table]).tables[table] ?? []).map(
      ({ key, value }) => [key, decode<EquityPoint>(value)] as const,
    )
  const minutes = () => rows('equityMinutes').map(([, { timeMs }]) => timeMs)
  /** The alarm of the market clock, and how long the journal is then. */
  const ring = (timeMs: number): number => {
    bench.nowMs = timeMs
    return input(ALARM).events.length
  }
  return { bench, disk, input, rows, minutes, ring }
}

/** Holds 1,000 shares at 36 yuan beside a million of cash. */
function holder(bench = new Bench()): Bench {
  bench.ready([brokerPosition()])
  bench.quotes.set(BANK, quote(36))
  return bench
}

t.test('a minute has one point, which is no entry of the journal', (t) => {
  const { ring, rows, minutes } = saved(holder())
  t.equal(ring(MORNING_MS), 0)
  t.equal(ring(MORNING_MS + 30_000), 0)
  t.equal(ring(MORNING_MS + MINUTE_MS), 0)
  t.strictSame(minutes(), [MORNING_MS, MORNING_MS + MINUTE_MS])
  t.strictSame(rows('equityDays'), [
    [
      '2026-08-11',
      {
        timeMs: MORNING_MS + MINUTE_MS,
        cash: 10_000_000_000,
        frozen: 0,
        marketValue: yuan(36) * 1_000,
        isSimulated: false,
        session: 'open',
      },
    ],
  ])
  t.end()
})

t.test('unknown money is a gap: no price, no client, a fill without its reports', (t) => {
  const { bench, ring, input, minutes } = saved(holder())
  bench.quotes.delete(BANK)
  ring(MORNING_MS)
  t.strictSame(minutes(), [], 'nobody has priced the holding')
  t.ok(nextPointMs(bench.state, MORNING_MS) > MORNING_MS, 'and the minute is asked about once')
  bench.quotes.set(BANK, quote(36))
  input(dealt({ orderId: '77' }))
  ring(MORNING_MS + MINUTE_MS)
  t.strictSame(minutes(), [], 'shares and cash are of two moments')
  const away = saved(holder())
  away.input({ kind: 'driver', event: { kind: 'disconnected', reason: 'gone' } })
  away.ring(MORNING_MS)
  t.strictSame(away.minutes(), [], 'what was known last is not what is')
  const young = saved(new Bench())
  young.ring(MORNING_MS)
  t.strictSame(young.minutes(), [])
  t.end()
})

t.test('the lunch break and the close have one point each, the night none', (t) => {
  const { bench, ring, minutes } = saved(holder())
  const rings = ['11:29:00', '11:30:00', '11:31:00', '11:32:00', '15:00:00', '15:01:00', '15:02:00']
  for (const time of rings) ring(at(time))
  const expected = ['11:29:00', '11:30:00', '11:31:00', '15:00:00', '15:01:00']
  t.strictSame(minutes(), expected.map(at))
  t.equal(nextPointMs(bench.state, at('15:02:00')), at('09:30:00') + 86_400_000, 'then it opens')
  t.end()
})

t.test('minutes of earlier days leave, so many at a time, and days stay', (t) => {
  const limited = { ...policy, limits: { ...policy.limits, equityPruneMax: 2 } }
  const { bench, ring, minutes, rows } = saved(holder(new Bench(emptyState(limited))))
  for (let minute = 0; minute < 4; minute++) ring(MORNING_MS + minute * MINUTE_MS)
  const next = MORNING_MS + 86_400_000
  bench.input({ kind: 'dayOpened', day: exchangeDay(next) })
  bench.quotes.set(BANK, quote(37, next))
  ring(next)
  t.equal(minutes().length, 3, 'two have left, one has come')
  ring(next + MINUTE_MS)
  t.strictSame(minutes(), [next, next + MINUTE_MS])
  t.strictSame(
    rows('equityDays').map(([day, { timeMs }]) => [day, timeMs]),
    [
      ['2026-08-11', MORNING_MS + 3 * MINUTE_MS],
      ['2026-08-12', next + MINUTE_MS],
    ],
  )
  t.end()
})

t.test('a day has so many points at most, and a replay that goes back writes them anew', (t) => {
  const limited = { ...policy, limits: { ...policy.limits, equityMinutesMax: 3 } }
  const { ring, minutes } = saved(holder(new Bench(emptyState(limited))))
  for (let minute = 0; minute < 5; minute++) ring(MORNING_MS + minute * MINUTE_MS)
  t.strictSame(
    minutes(),
    [2, 3, 4].map((minute) => MORNING_MS + minute * MINUTE_MS),
  )
  ring(MORNING_MS + 3 * MINUTE_MS)
  t.strictSame(
    minutes(),
    [2, 3].map((minute) => MORNING_MS + minute * MINUTE_MS),
  )
  t.end()
})

t.test('a restart goes on, and a folder without points begins', async (t) => {
  const first = saved(holder())
  first.ring(MORNING_MS)
  first.ring(MORNING_MS + MINUTE_MS)
  const store = { open: async (names: never) => ({ epoch: 2, ...first.disk.open(names) }) }
  const { state } = await loadState({ policy, store } as unknown as AccountActorDeps)
  t.strictSame(state.equity.minutes, first.bench.state.equity.minutes)
  t.equal(state.equity.session, 'open')
  const bench = holder(new Bench(state))
  const next = saved(bench, first.disk)
  next.ring(MORNING_MS + MINUTE_MS)
  t.equal(next.minutes().length, 2, 'that minute has its point')
  next.ring(MORNING_MS + 2 * MINUTE_MS)
  t.equal(next.minutes().length, 3)
  const old = { open: async () => ({ epoch: 2, seq: 0, tables: {} }) }
  const before = await loadState({ policy, store: old } as unknown as AccountActorDeps)
  t.strictSame(before.state.equity.minutes, [])
})

t.test('only the alarm of the market clock writes one', (t) => {
  const exact = saved(holder(new Bench(emptyState({ ...policy, tempo: 'exact' }))))
  exact.input({ kind: 'timer', name: 'version' })
  t.strictSame(exact.minutes(), [], 'a timer of this computer says nothing of market time')
  exact.ring(MORNING_MS)
  t.equal(exact.minutes().length, 1)
  t.end()
})

t.test('a feed that is gone makes no points, and a clock in doubt none either', (t) => {
  const risk = { ...policy.risk, staleQuoteMs: 60_000 }
  const { bench, ring, minutes } = saved(holder(new Bench(emptyState({ ...policy, risk }))))
  ring(MORNING_MS)
  ring(MORNING_MS + 2 * MINUTE_MS)
  t.strictSame(minutes(), [MORNING_MS], 'its last price is no price of now')
  bench.quotes.set(BANK, quote(36, MORNING_MS + 3 * MINUTE_MS))
  ring(MORNING_MS + 3 * MINUTE_MS)
  t.equal(minutes().length, 2)
  bench.quotes.set(BANK, quote(36, MORNING_MS + 4 * MINUTE_MS))
  bench.clockDoubt = { offMs: 600_000 } as never
  ring(MORNING_MS + 4 * MINUTE_MS)
  t.equal(minutes().length, 2)
  t.end()
})

t.test('two runs over the same prices store the same points, whatever timers do', (t) => {
  const moves = fc.array(
    fc.record({
      price: fc.integer({ min: 30, max: 40 }),
      stepMs: fc.integer({ min: 1, max: 90_000 }),
    }),
    { minLength: 1, maxLength: 30 },
  )
  const run = (ticks: readonly { price: number; stepMs: number }[], timers: readonly boolean[]) => {
    const life = saved(holder(new Bench(emptyState({ ...policy, tempo: 'exact' }))))
    const { bench } = life
    let alarmMs = nextPointMs(bench.state, bench.nowMs)
    for (const [index, { price, stepMs }] of ticks.entries()) {
      bench.nowMs += stepMs
      bench.quotes.set(BANK, quote(price, bench.nowMs))
      if (timers[index % timers.length]) life.input({ kind: 'timer', name: 'version' })
      if (bench.nowMs >= alarmMs) life.ring(bench.nowMs)
      alarmMs = nextPointMs(bench.state, bench.nowMs)
    }
    return [life.rows(TABLE.equityMinutes), life.rows(TABLE.equityDays)]
  }
  fc.assert(
    fc.property(moves, fc.array(fc.boolean(), { minLength: 1, maxLength: 7 }), (ticks, timers) => {
      t.strictSame(run(ticks, timers), run(ticks, [false]))
    }),
    { numRuns: 30 },
  )
  t.end()
})

t.test('a simulation has points of its own kind', (t) => {
  const settings = { ...policy.settings, ENABLE_SIMULATION_MODE: true }
  const bench = new Bench(emptyState({ ...policy, settings }))
  bench.input({ kind: 'started', incarnation: 1, day: '2026-08-11' })
  const { ring, rows } = saved(bench)
  ring(MORNING_MS)
  t.equal(rows('equityDays')[0]?.[1].isSimulated, true)
  t.equal(rows('equityDays')[0]?.[1].cash, 10_000_000_000)
  t.end()
})

t.test('nothing is written while the disk is full', (t) => {
  const bench = holder()
  const turn = bench.turn()
  Object.assign(turn.inputs, { isDiskLow: true })
  step(turn, ALARM)
  t.strictSame(turn.dirtyRows, [])
  t.equal(bench.state.equity.minutes.length, 0)
  t.end()
})
