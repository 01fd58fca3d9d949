import t from 'tap'
import { exchangeDay } from '../../src/domain/exchange-time.ts'
import { ClockWriter, REAL_TIME, SharedClock, sparingUptime } from '../../src/market/clock.ts'
import { createMarketMemory } from '../../src/market/memory.ts'
import { LIMITS } from './fixtures/market.ts'

const RULES = { ...LIMITS, dayOf: exchangeDay, isQuoted: () => true }

const setUp = () => {
  const memory = createMarketMemory({ codesMax: 1, actorSlots: 1 })
  const real = { wall: 5_000_000, monotonic: 100 }
  const time = { wallMs: () => real.wall, monotonicMs: () => real.monotonic }
  const writer = new ClockWriter(memory, RULES, time)
  return { real, writer, clock: new SharedClock(memory, time) }
}

t.test('without a replay the clock is that of the computer', async (t) => {
  const { real, writer, clock } = setUp()
  t.equal(clock.nowMs(), 5_000_000, 'also before anybody has looked')
  writer.check(undefined)
  real.wall += 9_000
  real.monotonic += 9_000
  writer.advance(7_000_000)
  t.equal(clock.nowMs(), 5_009_000, 'and ticks do not move it')
  t.notOk(writer.followsTicks)
  t.ok(clock.isSure())
})

t.test('F17 all threads go on through a jump of the computer', async (t) => {
  const { real, writer, clock } = setUp()
  writer.check(undefined)
  writer.openDay(clock.nowMs())
  real.wall += 4 * 86_400_000
  t.equal(clock.nowMs(), 5_000_000, 'also before anybody has looked')
  real.monotonic += 1_000
  real.wall += 1_000
  t.match(writer.look(), [{ kind: 'doubted' }])
  t.equal(clock.nowMs(), 5_001_000)
  t.strictSame(clock.doubt(), { sinceMs: 5_001_000, offMs: 4 * 86_400_000 })
  t.equal(clock.day(), '1970-01-01')
  t.notOk(clock.isSure())
  real.wall -= 4 * 86_400_000
  t.match(writer.look(), [{ kind: 'returned' }])
  t.equal(clock.doubt(), undefined)
})

t.test('F536 what the computer has slept counts before anybody has looked', async (t) => {
  const memory = createMarketMemory({ codesMax: 1, actorSlots: 1 })
  const real = { wall: 5_000_000, monotonic: 100, uptime: 70_000 }
  const time = {
    wallMs: () => real.wall,
    monotonicMs: () => real.monotonic,
    uptimeMs: () => real.uptime,
  }
  const writer = new ClockWriter(memory, RULES, time)
  const clock = new SharedClock(memory, time)
  writer.check(undefined)
  const pass = (ms: number, sleptMs = 0) => {
    real.monotonic += ms
    real.wall += ms + sleptMs
    real.uptime += ms + sleptMs
  }
  pass(400)
  t.equal(clock.nowMs(), 5_000_400)
  pass(100, 4 * 3_600_000)
  t.equal(clock.nowMs(), 5_000_500 + 4 * 3_600_000, 'what is decided now is not of before')
  real.wall -= 3 * 3_600_000
  t.equal(clock.nowMs(), 5_000_500 + 4 * 3_600_000, 'whatever the clock on the wall says')
  real.wall += 3 * 3_600_000
  t.strictSame(writer.look(), [], 'and whoever looks agrees')
  t.equal(clock.nowMs(), 5_000_500 + 4 * 3_600_000)
  real.uptime += 900
  t.equal(clock.nowMs(), 5_000_500 + 4 * 3_600_000, 'an uptime in whole seconds is no sleep')
})

t.test('in a replay it is the time of the latest tick, and never goes back', async (t) => {
  const { real, writer, clock } = setUp()
  writer.follow(1_000)
  t.equal(clock.nowMs(), 1_000)
  real.monotonic += 50
  real.wall += 50
  t.equal(clock.nowMs(), 1_000, 'real time does not move it')
  writer.advance(3_000)
  writer.advance(2_000)
  t.equal(clock.nowMs(), 3_000)
})

t.test('after the end of the file it goes on in real time, which may not jump', async (t) => {
  const { real, writer, clock } = setUp()
  writer.follow(1_000)
  writer.advance(3_000)
  real.monotonic += 9
  writer.runOn()
  t.equal(clock.nowMs(), 3_000)
  real.monotonic += 250.7
  real.wall -= 3_600_000
  t.equal(clock.nowMs(), 3_250)
  writer.advance(9_000)
  t.equal(clock.nowMs(), 3_250, 'ticks no longer move it')
  writer.hold()
  real.monotonic += 1_000
  t.equal(clock.nowMs(), 3_250, 'until the file starts over')
  writer.advance(2_000)
  t.equal(clock.nowMs(), 3_250, 'and then only forward')
  writer.advance(4_000)
  t.equal(clock.nowMs(), 4_000)
})

t.test('the real time sources move forward', async (t) => {
  const before = REAL_TIME.monotonicMs()
  t.ok(REAL_TIME.monotonicMs() >= before)
  t.ok(REAL_TIME.wallMs() > 1.7e12)
})

t.test('the uptime is asked for again once the computer may have slept', async (t) => {
  let [wallMs, monotonicMs, upMs, asked] = [1_000_000, 5_000, 60_000, 0]
  const uptime = sparingUptime({
    wallMs: () => wallMs,
    monotonicMs: () => monotonicMs,
    uptimeMs: () => {
      asked += 1
      return upMs
    },
  })
  const pass = (ms: number, sleptMs = 0) => {
    wallMs += ms + sleptMs
    upMs += ms + sleptMs
    monotonicMs += ms
  }
  t.equal(uptime(), 60_000)
  pass(1)
  t.equal(uptime(), 60_001, 'goes on by itself')
  t.equal(asked, 1, 'without being asked for')
  pass(0, 7_200_000)
  t.equal(uptime(), 7_260_001, 'a sleep shows at once, however short ago it was asked for')
  pass(5)
  t.equal(uptime(), 7_260_006)
  t.equal(asked, 3, 'and soon in any case, where the clock has been set back meanwhile')
  wallMs -= 3_600_000
  pass(0, 3_600_000)
  t.equal(uptime(), 7_260_006, 'the one thing that hides it, for as long as that')
  pass(5)
  t.equal(uptime(), 10_860_011)
})
