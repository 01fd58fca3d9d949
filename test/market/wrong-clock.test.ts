import t, { type Test } from 'tap'
import { ActorAlarm } from '../../src/market/alarms.ts'
import type { MarketSource } from '../../src/ports/market-source.port.ts'
import type { MarketEvent, Tick } from '../../src/protocol/market.ts'
import { FakeActor, LIMITS, openSystem, savedInMemory } from './fixtures/market.ts'
import { at, tickOf } from './fixtures/ticks.ts'

const CODE = '600036.SH'
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const TUESDAY_MS = at('2026-08-11', '10:00:00')
const SIMULATED = { source: 'simulated', seed: 1, interval_ms: 1, speed: 1 } as const
const XT = { source: 'xt', sidecar: {} } as never
const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

/** The clocks of a computer, set by hand. */
class Clocks {
  wallMs: number
  passedMs = 1_000_000
  constructor(wallMs: number) {
    this.wallMs = wallMs
  }
  readonly time = { wallMs: () => this.wallMs, monotonicMs: () => this.passedMs }
  pass(ms: number): void {
    this.wallMs += ms
    this.passedMs += ms
  }
}

/** A source that sends what it is told to. */
class Scripted implements MarketSource {
  emit: (tick: Tick) => unknown = () => undefined
  want(): void {}
  start(emit: (tick: Tick) => unknown): void {
    this.emit = emit
  }
  async stop(): Promise<void> {}
  /** One quote of this time. */
  quote(time: number): void {
    this.emit(tickOf(CODE, time, 10))
  }
}

interface Setup {
  readonly clocks: Clocks
  readonly saved?: ReturnType<typeof savedInMemory>
  readonly live?: Scripted
}

/** A market, one account that hears what it tells, and a way to wait for that. */
async function open(t: Test, { clocks, saved = savedInMemory(), live }: Setup) {
  const config = live === undefined ? SIMULATED : XT
  const system = await openSystem({ config, saved, time: clocks.time, ...(live && { live }) })
  const told: MarketEvent[] = []
  const paper = new FakeActor(system, 0, (_event, done) => done())
  const account = new FakeActor(system, 1, (event, done) => {
    told.push(event)
    done()
  })
  await account.watch(CODE)
  await system.market.start()
  const days = () => told.flatMap((event) => (event.kind === 'dayOpened' ? [event.day] : []))
  const until = async (holds: () => boolean) => {
    while (!holds()) await turn()
  }
  /** So many looks at the clocks have been made. */
  const looks = async (count = 5) => {
    for (let n = 0; n < count; n++)
      await new Promise((resolve) => setTimeout(resolve, LIMITS.dayCheckMs))
  }
  const close = async () => {
    await system.market.stop()
    for (const actor of actors.splice(0)) actor.leave()
  }
  const actors = [account, paper]
  t.teardown(close)
  return { system, clock: system.clock, told, days, until, looks, saved, close }
}

t.test('F17 while it runs: four days ahead for seconds, and back', async (t) => {
  for (const jumpMs of [4 * DAY_MS, -4 * DAY_MS]) {
    const clocks = new Clocks(TUESDAY_MS)
    const { clock, days, looks, told, until, close } = await open(t, { clocks })
    clocks.wallMs += jumpMs
    clocks.pass(5_000)
    await looks()
    t.strictSame(days(), ['2026-08-11'], 'no day opens')
    t.equal(clock.nowMs(), TUESDAY_MS + 5_000, 'the market clock does not jump')
    await until(() => told.some(({ kind }) => kind === 'clockDoubted'))
    t.match(clock.doubt?.(), { offMs: jumpMs })
    clocks.wallMs -= jumpMs
    await until(() => told.some(({ kind }) => kind === 'clockTrusted'))
    t.equal(clock.doubt?.(), undefined)
    clocks.pass(15 * HOUR_MS)
    await until(() => days().length > 1)
    t.strictSame(days(), ['2026-08-11', '2026-08-12'], 'and the days go on')
    await close()
  }
})

/** A market that ran on Tuesday and was stopped; what it saved. */
async function tuesday(t: Test) {
  const { saved, close } = await open(t, { clocks: new Clocks(TUESDAY_MS) })
  await close()
  return saved
}

t.test('F17 a start with a clock that is wrong for seconds', async (t) => {
  for (const jumpMs of [4 * DAY_MS, -4 * DAY_MS]) {
    const saved = await tuesday(t)
    const clocks = new Clocks(TUESDAY_MS + HOUR_MS + jumpMs)
    clocks.passedMs = 5
    const { clock, days, looks, until, close } = await open(t, { clocks, saved })
    clocks.pass(5_000)
    await looks()
    t.strictSame(days(), [])
    t.equal(clock.day?.(), '2026-08-11')
    t.ok(clock.nowMs() < TUESDAY_MS + HOUR_MS)
    clocks.wallMs -= jumpMs
    await until(() => clock.doubt?.() === undefined)
    await looks()
    t.equal(clock.nowMs(), TUESDAY_MS + HOUR_MS + 5_000)
    t.strictSame(days(), [], 'it is Tuesday still')
    await close()
  }
})

t.test('a start on the next day opens it when its clock has stood for a while', async (t) => {
  const saved = await tuesday(t)
  const clocks = new Clocks(TUESDAY_MS + DAY_MS)
  clocks.passedMs = 5
  const { clock, days, until } = await open(t, { clocks, saved })
  t.strictSame(days(), [])
  t.equal(clock.day?.(), '2026-08-11')
  clocks.pass(LIMITS.clockSettleMs)
  await until(() => days().length > 0)
  t.strictSame(days(), ['2026-08-12'])
  t.equal(clock.nowMs(), TUESDAY_MS + DAY_MS + LIMITS.clockSettleMs)
})

t.test('a start on the same day, or the first of all, waits for nothing', async (t) => {
  const first = await open(t, { clocks: new Clocks(TUESDAY_MS) })
  t.strictSame(first.days(), ['2026-08-11'])
  await first.close()
  const clocks = new Clocks(TUESDAY_MS + 3 * HOUR_MS)
  clocks.passedMs = 5
  const { clock } = await open(t, { clocks, saved: first.saved })
  t.equal(clock.doubt?.(), undefined)
  t.equal(clock.nowMs(), TUESDAY_MS + 3 * HOUR_MS)
})

t.test('live: a quote of today proves the day at once', async (t) => {
  const live = new Scripted()
  const before = await open(t, { clocks: new Clocks(TUESDAY_MS), live })
  live.quote(TUESDAY_MS)
  await before.close()
  const nowMs = TUESDAY_MS + DAY_MS
  const clocks = new Clocks(nowMs)
  clocks.passedMs = 5
  const { clock, days, until, system } = await open(t, { clocks, saved: before.saved, live })
  t.equal(system.quotes.read(0), undefined, 'old quotes would look fresh')
  live.quote(nowMs - 2_000)
  await until(() => days().length > 0)
  t.strictSame(days(), ['2026-08-12'])
  t.equal(clock.nowMs(), nowMs)
  await until(() => system.quotes.read(0)?.timeMs === nowMs - 2_000)
})

t.test('live: a quote from the future is left out, whatever day it would begin', async (t) => {
  const live = new Scripted()
  const { days, looks, system } = await open(t, { clocks: new Clocks(TUESDAY_MS), live })
  live.quote(TUESDAY_MS - 1_000)
  live.quote(TUESDAY_MS + 4 * DAY_MS)
  live.quote(TUESDAY_MS + LIMITS.quoteAheadMs + 1)
  await looks()
  t.equal(system.quotes.read(0)?.timeMs, TUESDAY_MS - 1_000)
  t.strictSame(days(), ['2026-08-11'])
  t.ok(system.logged.some(({ message }) => message === 'quotes from the future were left out'))
})

t.test('F509 live: a clock that has been wrong from the start is told by the quotes', async (t) => {
  const live = new Scripted()
  const clocks = new Clocks(TUESDAY_MS)
  const { system } = await open(t, { clocks, live })
  const alerts = () => system.logged.filter((line) => line['alert'] === 'clock_off')
  for (let seconds = 0; seconds <= 180; seconds += 3) {
    clocks.pass(3_000)
    live.quote(clocks.wallMs - 90_000)
  }
  t.match(alerts(), [{ level: 'error', leadMs: -90_000, message: /时钟快了.*it is ahead/ }])
})

t.test('F509 live: exchanges that test on closed days and at night say nothing', async (t) => {
  const table = [
    ['2026-08-15', '10:00:00', 2 * DAY_MS],
    ['2026-10-05', '10:00:00', 4 * DAY_MS],
    ['2026-08-11', '18:30:00', 16 * HOUR_MS],
  ] as const
  for (const [day, time, untilOpenMs] of table) {
    const live = new Scripted()
    const clocks = new Clocks(at(day, time))
    const { system, close } = await open(t, { clocks, live })
    const stream = (behindMs: number) => {
      for (let seconds = 0; seconds <= 180; seconds += 3) {
        clocks.pass(3_000)
        live.quote(clocks.wallMs - behindMs)
      }
    }
    stream(900_000)
    clocks.pass(untilOpenMs)
    stream(400)
    const told = system.logged.filter((line) => 'leadMs' in line)
    t.strictSame(told, [], day)
    await close()
  }
})

t.test('F510 live: quotes that move on a holiday of the table are told, and once', async (t) => {
  const table = [
    ['2026-10-05', 1],
    ['2026-10-09', 0],
    ['2026-10-10', 0], // a Saturday, on which exchanges test
  ] as const
  for (const [day, count] of table) {
    const live = new Scripted()
    const clocks = new Clocks(at(day, '10:00:00'))
    const { system, close } = await open(t, { clocks, live })
    for (let seconds = 0; seconds <= 300; seconds += 3) {
      clocks.pass(3_000)
      live.quote(clocks.wallMs - 400)
    }
    const alerts = system.logged.filter((line) => line['alert'] === 'holiday_quotes')
    t.equal(alerts.length, count, day)
    await close()
  }
})

t.test('live: a quote that was overtaken on its way moves nothing', async (t) => {
  const live = new Scripted()
  const { looks, system } = await open(t, { clocks: new Clocks(TUESDAY_MS), live })
  live.quote(TUESDAY_MS - 1_000)
  live.quote(TUESDAY_MS - 3_600_000)
  live.quote(TUESDAY_MS - 1_001)
  await looks()
  t.equal(system.quotes.read(0)?.timeMs, TUESDAY_MS - 1_000)
  const told = system.logged.filter(
    ({ message }) => message === 'quotes came after newer ones: left out',
  )
  t.equal(told.length, 1, 'and is said once, not for each')
  live.quote(TUESDAY_MS - 1_000)
  await looks()
  t.equal(system.quotes.read(0)?.timeMs, TUESDAY_MS - 1_000, 'the same time may come twice')
})

t.test('live: a feed that goes back in time is believed after a while', async (t) => {
  const live = new Scripted()
  const clocks = new Clocks(TUESDAY_MS)
  const { looks, system } = await open(t, { clocks, live })
  live.quote(TUESDAY_MS)
  clocks.pass(LIMITS.quoteOvertakenMs + 1)
  live.quote(TUESDAY_MS - 3_600_000)
  await looks()
  t.equal(system.quotes.read(0)?.timeMs, TUESDAY_MS - 3_600_000)
})

t.test('live: with the wall gone wrong, quotes go on and are not from the future', async (t) => {
  const live = new Scripted()
  const clocks = new Clocks(TUESDAY_MS)
  const { clock, looks, system, until } = await open(t, { clocks, live })
  clocks.wallMs -= 4 * DAY_MS
  clocks.pass(1_000)
  await until(() => clock.doubt?.() !== undefined)
  live.quote(TUESDAY_MS + 900)
  await looks()
  t.equal(system.quotes.read(0)?.timeMs, TUESDAY_MS + 900)
  t.equal(clock.nowMs(), TUESDAY_MS + 1_000)
})

t.test(
  'F827 live: a feed that comes back gives up a wall that was believed meanwhile',
  async (t) => {
    for (const jumpMs of [-DAY_MS, DAY_MS]) {
      const live = new Scripted()
      const clocks = new Clocks(TUESDAY_MS)
      const { clock, days, looks, saved, system, told, until, close } = await open(t, {
        clocks,
        live,
      })
      live.quote(TUESDAY_MS - 1_000)
      clocks.wallMs += jumpMs
      clocks.pass(1_000)
      await until(() => clock.doubt?.() !== undefined)
      clocks.pass(LIMITS.clockConfirmMs + 1_000)
      await until(() => clock.doubt?.() === undefined)
      t.equal(clock.nowMs(), clocks.wallMs, 'a day off')
      await until(() => days().length === 2)
      await looks() // until that is taken in
      const realMs = () => clocks.wallMs - jumpMs
      for (let second = 0; second < 12; second++) {
        clocks.pass(1_000)
        live.quote(realMs() - 400)
      }
      t.equal(clock.nowMs(), realMs())
      await until(() => system.quotes.read(0)?.timeMs === realMs() - 400)
      await until(() => days().length === 3 && days().at(-1) === '2026-08-11')
      await until(() => told.filter(({ kind }) => kind === 'clockDoubted').length === 2)
      t.match(clock.doubt?.(), { offMs: jumpMs }, 'and purchases wait until it is set right')
      await close()
      const next = await open(t, { clocks, saved, live })
      t.equal(next.clock.nowMs(), realMs(), 'also in the next process')
      await next.close()
    }
  },
)

t.test('F833 live: also where the service was started anew meanwhile', async (t) => {
  const live = new Scripted()
  const clocks = new Clocks(TUESDAY_MS)
  const { clock, saved, until, close } = await open(t, { clocks, live })
  clocks.wallMs -= DAY_MS
  await until(() => clock.doubt?.() !== undefined)
  clocks.pass(LIMITS.clockConfirmMs + 1_000)
  await until(() => clock.doubt?.() === undefined)
  await close()
  const next = await open(t, { clocks, saved, live })
  for (let second = 0; second < 12; second++) {
    clocks.pass(1_000)
    live.quote(clocks.wallMs + DAY_MS - 400)
  }
  t.equal(next.clock.nowMs(), clocks.wallMs + DAY_MS)
})

t.test('live: a computer that slept trades with the first quote of the morning', async (t) => {
  const live = new Scripted()
  const clocks = new Clocks(TUESDAY_MS)
  const { clock, days, system, until } = await open(t, { clocks, live })
  clocks.wallMs += DAY_MS
  live.quote(TUESDAY_MS + DAY_MS - 1_000)
  await until(() => system.quotes.read(0) !== undefined)
  t.equal(clock.nowMs(), TUESDAY_MS + DAY_MS)
  t.strictSame(days(), ['2026-08-11', '2026-08-12'])
})

t.test('live: a day without trading does not open', async (t) => {
  const live = new Scripted()
  const clocks = new Clocks(at('2026-08-14', '22:00:00'))
  const { clock, days, looks, until } = await open(t, { clocks, live })
  for (let hour = 0; hour < 49; hour++) {
    clocks.pass(HOUR_MS)
    await looks(1)
  }
  await looks()
  t.strictSame(days(), ['2026-08-14'], 'Sunday night is of Friday')
  t.equal(clock.day?.(), '2026-08-14')
  clocks.pass(2 * HOUR_MS)
  await until(() => days().length > 1)
  t.strictSame(days(), ['2026-08-14', '2026-08-17'])
})

t.test('live: the first start of all on a Sunday is on Friday', async (t) => {
  const clocks = new Clocks(at('2026-08-16', '12:00:00'))
  const { days } = await open(t, { clocks, live: new Scripted() })
  t.strictSame(days(), ['2026-08-14'])
})

t.test('a folder whose clock was ahead is not stuck: the day is told again', async (t) => {
  const saved = savedInMemory()
  await saved.clock.save({ timeMs: TUESDAY_MS + 4 * DAY_MS, uptimeMs: DAY_MS })
  const clocks = new Clocks(TUESDAY_MS)
  const { clock, days, until } = await open(t, { clocks, saved })
  t.strictSame(days(), [])
  t.match(clock.doubt?.(), { offMs: -4 * DAY_MS })
  clocks.pass(LIMITS.clockConfirmMs + 1_000)
  await until(() => days().length > 0)
  t.strictSame(days(), ['2026-08-11'])
  t.ok(clock.isSure?.())
})

t.test(
  'F17 nothing that is due in two days is due because of a jump, a grid’s end as little',
  async (t) => {
    const clocks = new Clocks(TUESDAY_MS)
    const { system, told, looks, until } = await open(t, { clocks })
    const isRung = () => told.some(({ kind }) => kind === 'alarm')
    new ActorAlarm(system.memory, 1).set(TUESDAY_MS + 2 * DAY_MS)
    clocks.wallMs += 4 * DAY_MS
    clocks.pass(5_000)
    await until(() => told.some(({ kind }) => kind === 'clockDoubted'))
    await looks()
    clocks.wallMs -= 4 * DAY_MS
    await until(() => told.some(({ kind }) => kind === 'clockTrusted'))
    await looks()
    t.notOk(isRung())
    clocks.pass(2 * DAY_MS)
    await until(isRung)
  },
)
