import t from 'tap'
import type { Price } from '../../src/domain/money.ts'
import { serviceDayMs } from '../../src/domain/session.ts'
import type { Instrument, MarketSource } from '../../src/ports/market-source.port.ts'
import type { MarketEvent, Tick } from '../../src/protocol/market.ts'
import { inTime } from '../in-time.ts'
import { FakeActor, LIMITS, openSystem } from './fixtures/market.ts'
import { tickOf } from './fixtures/ticks.ts'

const XT = { source: 'xt', sidecar: {} } as never
const CODE = '600036.SH'
const turn = () => new Promise<void>((resolve) => setImmediate(resolve))
/** Looks of each desk, and more readings of the clock than all of them take for one. */
const [LOOKS, READINGS] = [3, 30]

/** A terminal that knows names, and limits of today for a close of 36. */
class Knowing implements MarketSource {
  #emit: (tick: Tick) => unknown = () => undefined
  want(code: string): void {
    // On a weekend, and in the night, the newest quotes are of the trading day before, and so is the day of the market.
    void this.#emit({ ...tickOf(code, serviceDayMs(Date.now()), 36.5), lastClose: 36 })
  }
  start(emit: (tick: Tick) => unknown): void {
    this.#emit = emit
  }
  async stop(): Promise<void> {}
  async instruments(codes: readonly string[]): Promise<readonly Instrument[]> {
    const price = (yuan: number) => (yuan * 10_000) as Price
    const limits = { lastClose: price(36), lowerLimit: price(34.2), upperLimit: price(37.8) }
    return codes.map((code) => ({
      code,
      name: `股${code}`,
      ...limits,
      tickSize: price(0.01),
      lotMin: 100,
    }))
  }
}

t.test(
  'F93 a live market tells names and limits of what is watched, and names again to who comes later',
  async (t) => {
    const system = await openSystem({ config: XT, live: new Knowing() })
    t.teardown(() => system.market.stop())
    await system.market.start()
    const heard = Promise.withResolvers<MarketEvent>()
    const first = new FakeActor(system, 1, (event, done) => {
      if (event.kind === 'named') heard.resolve(event)
      done()
    })
    const slot = await first.watch(CODE)
    t.match(await inTime(heard.promise, 'the name'), { names: { [CODE]: `股${CODE}` } })
    t.match(system.quotes.read(slot), { lowerLimit: 342_000, upperLimit: 378_000 })
    const later = new FakeActor(system, 2, (_event, done) => done())
    const answer = await later.ask({ kind: 'watch', codes: [{ code: CODE, hint: 0 }] })
    t.match(answer, { names: { [CODE]: `股${CODE}` } })
    first.leave()
    later.leave()
  },
)

/** It knows the list of what can be traded, while it is there. */
class Listing extends Knowing {
  asked = 0
  isAway = false
  #isBack = () => {}
  override start(emit: (tick: Tick) => unknown, isBack = this.#isBack): void {
    super.start(emit)
    this.#isBack = isBack
  }
  back(): void {
    this.isAway = false
    this.#isBack()
  }
  async listed(): Promise<readonly string[]> {
    this.asked += 1
    if (this.isAway) throw new Error('away')
    return ['600036.SH', '000001.SZ', '510300.SH']
  }
}

const whole = async (system: Awaited<ReturnType<typeof openSystem>>) => {
  for (;;) {
    const told = await system.market.answer({ kind: 'listing', known: '' }, undefined)
    if (told !== null && 'stocks' in told) return told
    await turn()
  }
}

t.test('a live market keeps the list of what can be traded, over a restart', async (t) => {
  const live = new Listing()
  const first = await openSystem({ config: XT, live })
  await first.market.start()
  const list = await inTime(whole(first), 'the list')
  t.match(list, { stocks: [['600036.SH', '股600036.SH'], ['000001.SZ'], ['510300.SH']] })
  await first.market.stop()
  const again = new Listing()
  const second = await openSystem({ config: XT, live: again, saved: first.saved })
  t.teardown(() => second.market.stop())
  await second.market.start()
  t.strictSame(await inTime(whole(second), 'the list of the disk'), list)
  t.equal(live.asked, 1)
  t.equal(again.asked, 0, 'it is of today')
})

t.test(
  'F357 a terminal that is off at midnight, or has the list of yesterday then, tells that of today in the morning',
  async (t) => {
    let wallMs = Date.parse('2026-08-10T16:00:00+08:00')
    let readings = 0
    const monotonicMs = () => {
      readings += 1
      return wallMs
    }
    const time = { wallMs: () => wallMs, monotonicMs }
    /** Resolves when the market, which asks what time it is at each look, has looked many times. */
    const looks = async () => {
      for (const from = readings; readings < from + LOOKS * READINGS; ) await turn()
    }
    const live = new Listing()
    const system = await openSystem({ config: XT, live, time })
    t.teardown(() => system.market.stop())
    await system.market.start()
    t.match(await inTime(whole(system), 'the list of Monday'), { day: '2026-08-10' })
    live.isAway = true
    for (const night of ['00:10', '08:29']) {
      wallMs = Date.parse(`2026-08-11T${night}:00+08:00`)
      await inTime(looks(), 'looks in the night')
    }
    t.equal(live.asked, 1, 'nobody asks in the night')
    for (let minute = 30; minute < 45; minute++) {
      wallMs = Date.parse(`2026-08-11T08:${minute}:00+08:00`)
      await inTime(looks(), 'looks in the morning')
    }
    t.equal(live.asked, 1 + LIMITS.instrumentsTriesMax, 'nor for ever while it is away')
    live.back()
    const listed = async () => {
      for (;;) {
        const told = await whole(system)
        if (told.day === '2026-08-11') return told
        wallMs += 1_000
        await turn()
      }
    }
    t.match(await inTime(listed(), 'the list of today'), { day: '2026-08-11' })
  },
)

t.test(
  'F997 a new stock that the terminal does not know in the night is asked about in the morning',
  async (t) => {
    let wallMs = Date.parse('2026-08-10T23:50:00+08:00')
    let readings = 0
    const monotonicMs = () => {
      readings += 1
      return wallMs
    }
    const looksAt = async (time: string) => {
      wallMs = Date.parse(`2026-08-11T${time}:00+08:00`)
      for (const from = readings; readings < from + LOOKS * READINGS; ) await turn()
    }
    class Unlisted extends Knowing {
      isKnown = false
      override want(): void {} // nobody has a quote of it before it is listed
      override async instruments(codes: readonly string[]): Promise<readonly Instrument[]> {
        return this.isKnown ? super.instruments(codes) : []
      }
    }
    const live = new Unlisted()
    const system = await openSystem({
      config: XT,
      live,
      time: { wallMs: () => wallMs, monotonicMs },
    })
    t.teardown(() => system.market.stop())
    await system.market.start()
    const names: MarketEvent[] = []
    const account = new FakeActor(system, 1, (event, done) => {
      if (event.kind === 'named') names.push(event)
      done()
    })
    await account.watch(CODE)
    for (let minute = 10; minute < 10 + 2 * LIMITS.instrumentsTriesMax; minute++) {
      await inTime(looksAt(`00:${minute}`), 'looks in the night')
    }
    live.isKnown = true
    await inTime(looksAt('08:35'), 'looks in the morning')
    await inTime(looksAt('08:37'), 'looks in the morning')
    t.match(names, [{ names: { [CODE]: `股${CODE}` } }])
    account.leave()
  },
)
