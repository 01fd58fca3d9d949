import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { Tick } from '../../src/protocol/market.ts'
import { turnsUntil } from '../in-time.ts'
import { FakeActor, openSystem, replayOf, untilState } from './fixtures/market.ts'
import { at, tickOf } from './fixtures/ticks.ts'

const DAY = '2026-08-11'
const NEXT = '2026-08-12'
const T0 = at(DAY, '10:00:00')
const CODE = '600036.SH'
const OTHER = '000001.SZ'
const LOW = 100_000
const HIGH = 108_000
const QUIET = 112_000
const CALM = 10.5
const NEW_HIGH = 10.9
const BEYOND = 11.5

const tickAt = (time: number, price: number, code = CODE): Tick => ({
  ...tickOf(code, time, price),
  lastClose: CALM,
})
/** The ticks with the high of the day so far, as a feed tells it. */
function withHighs(ticks: readonly Tick[]): readonly Tick[] {
  const highs = new Map<string, number>()
  return ticks.map((tick) => {
    const key = `${tick.stock_code} ${new Date(tick.time).toDateString()}`
    const high = Math.max(tick.lastPrice, highs.get(key) ?? 0)
    highs.set(key, high)
    return { ...tick, high }
  })
}
const tick = (seconds: number, price: number, code = CODE): Tick =>
  tickAt(T0 + seconds * 1_000, price, code)

/** A look of an account: which codes had crossed, which new highs were noted, and where the market stood. */
interface Look {
  readonly crossed: number
  readonly noted: number
  readonly clockMs: number
  /** Last price of the stock with the highs, ten-thousandths. */
  readonly price: number
}

interface Playing {
  readonly speed?: number | 'max'
  readonly exactHighLookMs?: number
  /** What the account holds. */
  readonly held?: readonly string[]
  /** False: each tick tells its own price as the high of the day. */
  readonly tellsHighs?: boolean
}

/** A replay of these ticks before an account that holds stocks below quiet prices. */
async function playing(t: Test, ticks: readonly Tick[], options: Playing = {}) {
  const {
    speed = 'max',
    exactHighLookMs = 60_000,
    held = [CODE, OTHER],
    tellsHighs = true,
  } = options
  const told = tellsHighs ? withHighs(ticks) : ticks
  const config = replayOf(join(t.testdir(), 'day.ndjson'), told, { speed, autostart: false })
  const system = await openSystem({ config, limits: { exactHighLookMs } })
  const looks: Look[] = []
  let slot = -1
  const account = new FakeActor(system, 1, (event, done, { bands }) => {
    if (event.kind === 'wakeUp') {
      const [crossed, noted] = [bands.takeCrossed().length, bands.takeNoted().length]
      const price = system.quotes.lastPrice(slot)
      looks.push({ crossed, noted, clockMs: system.clock.nowMs() - T0, price })
    }
    done()
  })
  slot = await account.watch(CODE)
  for (const code of held) account.bands.set(await account.watch(code), LOW, HIGH, QUIET)
  await system.market.start()
  t.teardown(async () => {
    await system.market.stop()
    account.leave()
  })
  const play = async (untilMs?: number) => {
    const until = untilMs === undefined ? {} : { until: untilMs }
    await system.market.answer({ kind: 'replayPlay', ...until }, undefined)
    await untilState(system, untilMs === undefined ? 'finished' : 'paused')
  }
  return { system, looks, play }
}

t.test('new highs that decide nothing are looked at together, after market time', async (t) => {
  const ticks = [
    tick(0, CALM),
    tick(1, NEW_HIGH),
    tick(2, CALM),
    tick(30, NEW_HIGH, OTHER),
    tick(60.999, CALM),
    tick(61, CALM),
    tick(62, CALM),
  ]
  const { looks, play } = await playing(t, ticks)
  await play()
  t.strictSame(
    looks,
    [{ crossed: 0, noted: 2, clockMs: 60_999, price: 105_000 }],
    'before the tick that is a minute after the first of them',
  )
})

t.test('what decides something is looked at at once, and takes them along', async (t) => {
  const ticks = [tick(0, CALM), tick(1, NEW_HIGH), tick(2, BEYOND, OTHER), tick(90, CALM)]
  const { looks, play } = await playing(t, ticks)
  await play()
  t.strictSame(looks, [{ crossed: 1, noted: 1, clockMs: 2_000, price: 109_000 }])
})

t.test('they are looked at before a replay stands still', async (t) => {
  const ticks = [tick(0, CALM), tick(1, NEW_HIGH), tick(2, CALM), tick(3, 11), tick(4, CALM)]
  const { system, looks, play } = await playing(t, ticks)
  await play(T0 + 2_000)
  t.strictSame(looks.splice(0), [{ crossed: 0, noted: 1, clockMs: 2_000, price: 105_000 }])
  t.ok(system.board.isQuiet(), 'and with all that follows')
  await play()
  t.strictSame(looks, [{ crossed: 0, noted: 1, clockMs: 4_000, price: 105_000 }], 'also at its end')
})

t.test('they are looked at before their day is over, by the clock of that day', async (t) => {
  const morning = at(NEXT, '09:30:00')
  const ticks = [tick(0, CALM), tick(1, NEW_HIGH), tickAt(morning, CALM, OTHER), tick(90_000, CALM)]
  const { looks, play } = await playing(t, ticks, { exactHighLookMs: 86_400_000 })
  await play()
  t.strictSame(looks, [{ crossed: 0, noted: 1, clockMs: 1_000, price: 109_000 }])
})

t.test('they are looked at before a tick takes the high of the day back', async (t) => {
  const ticks = [tick(0, CALM), tick(1, NEW_HIGH), tick(2, CALM, OTHER), tick(3, CALM)]
  const { looks, play } = await playing(t, ticks, { tellsHighs: false })
  await play()
  t.strictSame(looks, [{ crossed: 0, noted: 1, clockMs: 2_000, price: 109_000 }])
})

t.test('a replay that is slowed down in its course leaves none behind', async (t) => {
  const ticks = [tick(0, CALM), tick(1, NEW_HIGH), tick(2, BEYOND, OTHER), tick(3, CALM)]
  const { system, looks, play } = await playing(t, ticks, {
    exactHighLookMs: 3_600_000,
    held: [CODE],
  })
  const operator = new FakeActor(system, 2, async (event, done, self) => {
    if (event.kind === 'wakeUp') {
      self.bands.takeCrossed()
      await self.ask({ kind: 'replayPlay', speed: 1_000 })
    }
    done()
  })
  t.teardown(() => operator.leave())
  operator.bands.set(await operator.watch(OTHER), LOW, HIGH)
  await play()
  t.strictSame(looks, [{ crossed: 0, noted: 1, clockMs: 2_000, price: 109_000 }])
})

t.test('at the pace of a clock each rings', async (t) => {
  const ticks = [tick(0, CALM), tick(1, NEW_HIGH), tick(2, NEW_HIGH, OTHER), tick(3, CALM)]
  const { looks, play } = await playing(t, ticks, { speed: 1_000 })
  await play()
  const noted = () => looks.reduce((sum, look) => sum + look.noted, 0)
  await turnsUntil(() => noted() >= 2, 'both highs: nobody waits for a look at this pace')
  t.equal(noted(), 2)
  t.ok(looks.every(({ crossed }) => crossed === 0))
})

t.test('without a wait the next tick comes after the look', async (t) => {
  const ticks = [tick(0, CALM), tick(1, NEW_HIGH), tick(1, CALM), tick(2, CALM)]
  const { looks, play } = await playing(t, ticks, { exactHighLookMs: 0 })
  await play()
  t.strictSame(looks, [{ crossed: 0, noted: 1, clockMs: 1_000, price: 109_000 }])
})
