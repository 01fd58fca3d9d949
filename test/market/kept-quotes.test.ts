import t from 'tap'
import { newestQuotes } from '../../src/market/kept-quotes.ts'
import type { SavedApart, SavedMarket, SavedQuotes } from '../../src/market/saved.ts'
import type { MarketSource } from '../../src/ports/market-source.port.ts'
import type { Tick } from '../../src/protocol/market.ts'
import { inTime } from '../in-time.ts'
import { FakeActor, LIMITS, openSystem, savedInMemory } from './fixtures/market.ts'
import { at, tickOf } from './fixtures/ticks.ts'

const XT = { source: 'xt', sidecar: {} } as never
const turn = () => new Promise<void>((resolve) => setImmediate(resolve))
const [MINE, THEIRS] = ['600036.SH', '601318.SH']
const MONDAY = at('2026-09-14', '15:00:01')
const TUESDAY = at('2026-09-15', '09:30:03')

t.test('of each code the newest quote counts, with the closes that were beside it', (t) => {
  const set = (time: number, close: number, codes: readonly string[]): SavedQuotes => ({
    source: 'xt',
    ticks: codes.map((code) => tickOf(code, time, 10)),
    closes: Object.fromEntries(codes.map((code) => [code, [close, 0, 0]])),
  })
  const newest = newestQuotes([set(2, 1, ['a', 'b']), set(3, 2, ['b', 'c']), set(2, 3, ['a'])])
  t.strictSame(
    Array.from(newest, ([code, { tick, closes }]) => [code, tick.time, closes?.[0]]),
    [
      ['a', 2, 1],
      ['b', 3, 2],
      ['c', 3, 2],
    ],
  )
  t.end()
})

/** A terminal whose quotes are what the test says. */
class Terminal implements MarketSource {
  emit: (tick: Tick) => unknown = () => undefined
  want(): void {}
  start(emit: (tick: Tick) => unknown): void {
    this.emit = emit
  }
  async stop(): Promise<void> {}
}

/** Places of one data folder, as the store keeps them. */
function folder() {
  const records = new Map<string, SavedQuotes>()
  const { clock } = savedInMemory()
  return (place: string): SavedMarket => {
    const quotes: SavedApart<SavedQuotes> = {
      load: async () => records.get(place),
      others: async () =>
        [...records].filter(([other]) => other !== place).map(([, value]) => value),
      save: async (value) => void records.set(place, structuredClone(value)),
    }
    return { ...savedInMemory(), quotes, clock }
  }
}

/** `upMs`: for how long the computer has been up. */
async function run(saved: SavedMarket, nowMs: number, upMs = nowMs) {
  const live = new Terminal()
  const clocks = { nowMs, upMs }
  const time = { wallMs: () => clocks.nowMs, monotonicMs: () => clocks.upMs }
  const system = await openSystem({ config: XT, live, saved, time })
  await system.market.start()
  const actor = new FakeActor(system, 1, (_event, done) => done())
  const pass = (ms: number) => {
    clocks.nowMs += ms
    clocks.upMs += ms
  }
  const stop = async () => {
    await system.market.stop()
    actor.leave()
  }
  return { system, live, actor, pass, stop }
}

/** A process whose account holds this, on Monday until after the close. */
async function monday(saved: SavedMarket, code: string): Promise<void> {
  const { live, actor, stop } = await run(saved, MONDAY)
  await actor.watch(code)
  live.emit(tickOf(code, MONDAY, 10))
  await stop()
}
const MINUTES_MS = 60_000
/** Of a computer that was switched on some minutes ago. */
const JUST_UP_MS = 5 * MINUTES_MS
const exDay = (code: string) => ({ ...tickOf(code, TUESDAY, 9), lastClose: 9 })
const LAST = { timeMs: MONDAY, lastPrice: 100_000 }

t.test('an account that moves to another process over night takes its close along', async (t) => {
  const place = folder()
  await monday(place('A'), MINE)
  await monday(place('B'), THEIRS)
  const { system, live, actor, stop } = await run(place('A'), TUESDAY)
  for (const code of [MINE, THEIRS]) {
    const slot = await actor.watch(code)
    t.match(system.quotes.read(slot), LAST, 'its last quote')
    await live.emit(exDay(code))
    t.match(system.quotes.read(slot), { closeBefore: 100_000, lastClose: 90_000 }, 'an ex-day')
  }
  await stop()
})

t.test('and so does one whose stock somebody has looked at here before', async (t) => {
  const place = folder()
  await monday(place('B'), THEIRS)
  const { system, live, actor, stop } = await run(place('A'), TUESDAY)
  t.teardown(stop)
  await actor.ask({ kind: 'ticks', codes: [THEIRS] })
  await live.emit(exDay(THEIRS))
  const slot = await actor.watch(THEIRS)
  t.match(system.quotes.read(slot), { closeBefore: 100_000, lastClose: 90_000 })
})

t.test(
  'F748 what the day has told outlives the night behind a quote that says nothing',
  async (t) => {
    const evening = { ...tickOf(MINE, at('2026-09-14', '18:30:00'), 13), lastClose: 12 }
    const emptied = { ...tickOf(MINE, MONDAY + 2_000, 0), lastClose: 0 }
    for (const [name, last] of [
      ['a test in the evening', evening],
      ['a row that was emptied', emptied],
    ] as const) {
      const saved = folder()('A')
      const before = await run(saved, MONDAY)
      await before.actor.watch(MINE)
      await before.live.emit(tickOf(MINE, MONDAY, 10))
      before.pass(last.time - MONDAY)
      await before.live.emit(last)
      await before.stop()
      const { system, live, actor, stop } = await run(saved, TUESDAY)
      const slot = await actor.watch(MINE)
      t.match(system.quotes.read(slot), { timeMs: last.time }, name)
      await live.emit(exDay(MINE))
      t.match(system.quotes.read(slot), { closeBefore: 100_000, lastClose: 90_000 }, name)
      await stop()
    }
  },
)

t.test('F406 a computer that was off over night knows the close of the day before', async (t) => {
  const place = folder()
  await monday(place(''), MINE)
  await t.test('at the first quote, by which its clock is proved', async (t) => {
    const first = await run(place(''), TUESDAY, JUST_UP_MS)
    const slot = await first.actor.watch(MINE)
    t.equal(first.system.quotes.read(slot), undefined, 'until then it would look fresh')
    await first.stop()
    const second = await run(place(''), TUESDAY, JUST_UP_MS)
    const row = await second.actor.watch(MINE)
    await second.live.emit(exDay(MINE))
    t.match(second.system.quotes.read(row), { closeBefore: 100_000, lastClose: 90_000 })
    await second.stop()
  })
  await t.test('and shows its last quotes once its clock has stood for a while', async (t) => {
    const later = folder()
    await monday(later(''), MINE)
    const { system, actor, pass, stop } = await run(later(''), TUESDAY - 120 * MINUTES_MS, 0)
    t.teardown(stop)
    const slot = await actor.watch(MINE)
    t.equal(system.quotes.read(slot), undefined)
    pass(LIMITS.clockSettleMs)
    const shown = async () => {
      while (system.quotes.read(slot) === undefined) await turn()
    }
    await inTime(shown(), 'the last quote')
    t.match(system.quotes.read(slot), LAST)
  })
})

t.test(
  'what others hold takes no row, and is not saved here, before somebody watches it',
  async (t) => {
    const place = folder()
    await monday(place('B'), THEIRS)
    const { live, actor, stop } = await run(place('A'), MONDAY)
    t.equal(await actor.watch(MINE), 0, 'the first row')
    live.emit(tickOf(MINE, MONDAY, 10))
    await stop()
    const saved = await place('A').quotes.load()
    t.strictSame(
      saved?.ticks.map(({ stock_code }) => stock_code),
      [MINE],
    )
  },
)

t.test('a quote of a process that is run no more is not shown a year later', async (t) => {
  const place = folder()
  await monday(place('B'), THEIRS)
  const later = at('2027-09-14', '15:00:01')
  const own = await run(place(''), later)
  await own.actor.watch(MINE)
  own.live.emit(tickOf(MINE, later, 10))
  await own.stop()
  const { system, actor, stop } = await run(place(''), later)
  t.equal(system.quotes.read(await actor.watch(THEIRS)), undefined)
  t.match(system.quotes.read(await actor.watch(MINE)), { timeMs: later })
  await stop()
})
