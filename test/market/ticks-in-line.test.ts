import t from 'tap'
import { type BarStore, NO_BARS } from '../../src/ports/bars.port.ts'
import type { MarketSource } from '../../src/ports/market-source.port.ts'
import type { MarketEvent, Tick } from '../../src/protocol/market.ts'
import { FakeActor, openSystem } from './fixtures/market.ts'
import { at, tickOf } from './fixtures/ticks.ts'

const CODE = '600036.SH'
const HOUR_MS = 3_600_000
const XT = { source: 'xt', sidecar: {} } as never
const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

/** A source whose quotes the test brings. */
class Handed implements MarketSource {
  emit: (tick: Tick) => unknown = () => undefined
  want(): void {}
  start(emit: (tick: Tick) => unknown): void {
    this.emit = emit
  }
  async stop(): Promise<void> {}
}

t.test('F831 quotes that come while two days open are written in their order', async (t) => {
  const live = new Handed()
  let wallMs = at('2026-08-11', '10:00:00')
  let passedMs = 1_000_000
  const time = { wallMs: () => wallMs, monotonicMs: () => passedMs }
  const pass = (ms: number) => {
    wallMs += ms
    passedMs += ms
  }
  const system = await openSystem({ config: XT, live, time })
  t.teardown(() => system.market.stop())
  const days: string[] = []
  /** Of the days that are not yet taken in. */
  const held: (() => void)[] = []
  let isBusy = false
  const hear = (event: MarketEvent, done: () => void) => {
    if (event.kind === 'dayOpened') days.push(event.day)
    if (isBusy) held.push(done)
    else done()
  }
  const paper = new FakeActor(system, 0, (_event, done) => done())
  const account = new FakeActor(system, 1, hear)
  t.teardown(() => {
    for (const actor of [account, paper]) actor.leave()
  })
  await account.watch(CODE)
  await system.market.start()
  isBusy = true
  for (const [hours, price] of [
    [24, 11],
    [24, 9],
  ] as const) {
    pass(hours * HOUR_MS)
    live.emit(tickOf(CODE, wallMs, price))
  }
  while (held.length === 0) await turn()
  t.equal(system.quotes.read(0), undefined, 'they wait for the days')
  isBusy = false
  for (const done of held.splice(0)) done()
  while (system.quotes.read(0) === undefined || days.length < 3) await turn()
  await turn()
  t.strictSame(days, ['2026-08-11', '2026-08-12', '2026-08-13'])
  t.equal(system.quotes.read(0)?.timeMs, wallMs, 'the newest stands')
})

t.test('F831 nor does one that waits for the disk come behind a newer one', async (t) => {
  const live = new Handed()
  let wallMs = at('2026-08-11', '10:00:00')
  const time = { wallMs: () => wallMs, monotonicMs: () => wallMs }
  const { promise: onDisk, resolve: release } = Promise.withResolvers<void>()
  let saves = 0
  const bars: BarStore = {
    ...NO_BARS,
    save: () => {
      saves++
      return onDisk
    },
  }
  const limits = { barsPendingMax: 1, barsFlushMs: HOUR_MS }
  const system = await openSystem({ config: XT, live, time, bars, limits })
  t.teardown(() => system.market.stop())
  const account = new FakeActor(system, 1, (_event, done) => done())
  t.teardown(() => account.leave())
  await account.watch(CODE)
  await system.market.start()
  const quote = (price: number) => {
    wallMs += 60_000
    live.emit(tickOf(CODE, wallMs, price))
  }
  for (const price of [10, 11, 12]) quote(price) // one bar is finished, and no more have place
  while (saves === 0) await turn()
  quote(9)
  release()
  await turn()
  t.equal(system.quotes.read(0)?.timeMs, wallMs, 'the newest stands')
})
