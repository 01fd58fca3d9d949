import { join } from 'node:path'
import t from 'tap'
import { exchangeDay } from '../../src/domain/exchange-time.ts'
import { ActorAlarm } from '../../src/market/alarms.ts'
import type { MarketEvent } from '../../src/protocol/market.ts'
import { FakeActor, openSystem, replayOf, savedInMemory, untilState } from './fixtures/market.ts'
import { at, tickOf } from './fixtures/ticks.ts'

const T0 = at('2026-08-11', '10:00:00')
const CODE = '600036.SH'
const SIMULATED = { source: 'simulated', seed: 1, interval_ms: 1, speed: 1 } as const
const turn = () => new Promise((resolve) => setImmediate(resolve))
const turnsOf = async (count: number) => {
  for (let n = 0; n < count; n++) await turn()
}

t.test(
  'two runs of one file at speed max give the same events, whatever the actors take their time for',
  async (t) => {
    const prices = Array.from({ length: 400 }, (_, n) => 10 + ((n * 37) % 23) / 10)
    const file = prices.map((price, n) => tickOf(n % 3 === 0 ? CODE : '000001.SZ', T0 + n, price))
    const path = join(t.testdir(), 'day')
    const config = replayOf(path, file)
    const run = async (delays: readonly number[]) => {
      const events: string[] = []
      const system = await openSystem({ config })
      let turns = 0
      const slots = new Map<number, string>()
      const look = async ({ bands, slot: actor }: FakeActor, slot: number, wait: number) => {
        const quote = system.quotes.read(slot)
        const price = quote?.lastPrice ?? 0
        events.push(`${actor} ${slots.get(slot)} ${quote?.timeMs} ${price} ${system.clock.nowMs()}`)
        await turnsOf(wait)
        bands.set(slot, price - 5_000, price + 5_000)
      }
      /** Works in several turns, sets a new band in the end, as an account does that waits for its store. */
      const work = async (event: MarketEvent, self: FakeActor) => {
        const wait = delays[turns++ % delays.length] ?? 0
        await turnsOf(wait)
        if (event.kind === 'dayOpened') events.push(`${self.slot} day ${event.day}`)
        else for (const slot of self.bands.takeCrossed()) await look(self, slot, wait)
      }
      const actors = [2, 0, 1].map(
        (slot) =>
          new FakeActor(system, slot, (event, done, self) => void work(event, self).then(done)),
      )
      for (const actor of actors) {
        for (const code of [CODE, '000001.SZ']) {
          const slot = await actor.watch(code)
          slots.set(slot, code)
          actor.bands.set(slot, 110_000 - actor.slot * 1_000, 115_000)
        }
      }
      await system.market.start()
      t.match(await untilState(system, 'finished'), { ticks_played: 400 })
      await system.market.stop()
      for (const actor of actors) actor.leave()
      return events
    }
    const [first, second] = [await run([0, 1, 2]), await run([3, 0])]
    t.ok(first.length > 200, `${first.length} events`)
    t.same(second, first)
    for (const event of first.filter((line) => !line.includes('day'))) {
      const [, , quoteMs, , clockMs] = event.split(' ')
      t.equal(quoteMs, clockMs, 'the next tick was not sent before')
    }
  },
)

t.test('an account is woken by the first tick past its moment, and waited for', async (t) => {
  const file = [10, 11, 12, 13].map((price, i) => tickOf(CODE, T0 + i * 1_000, price))
  const system = await openSystem({ config: replayOf(join(t.testdir(), 'day'), file) })
  const heard: string[] = []
  const actors = [2, 1].map((slot) => {
    const alarm = new ActorAlarm(system.memory, slot)
    alarm.set(T0 + 500 * slot + 1)
    return new FakeActor(system, slot, (event, done) => {
      if (event.kind !== 'alarm') return done()
      heard.push(`${slot} ${system.clock.nowMs() - T0} ${system.quotes.lastPrice(0)}`)
      alarm.rung()
      if (heard.length === 1) alarm.set(T0 + 3_000)
      setImmediate(done)
    })
  })
  await system.market.start()
  await untilState(system, 'finished')
  t.same(heard, ['1 1000 110000', '2 2000 120000', '1 3000 130000'])
  await system.market.stop()
  for (const actor of actors) actor.leave()
})

t.test('on the computer clock an account is woken without a tick', async (t) => {
  const config = { source: 'simulated', seed: 1, interval_ms: 3_600_000, speed: 1 } as const
  const system = await openSystem({ config })
  const alarm = new ActorAlarm(system.memory, 1)
  const woken = Promise.withResolvers<void>()
  const actor = new FakeActor(system, 1, (event, done) => {
    if (event.kind === 'alarm') woken.resolve()
    done()
  })
  await system.market.start()
  alarm.set(system.clock.nowMs() + 1)
  await t.resolves(woken.promise)
  await system.market.stop()
  actor.leave()
})

t.test('the paper client hears of a tick before the accounts do', async (t) => {
  const file = [tickOf(CODE, T0, 10), tickOf(CODE, T0 + 1, 12)]
  const system = await openSystem({ config: replayOf(join(t.testdir(), 'day'), file) })
  const heard: string[] = []
  const actors = [1, 0].map(
    (slot) =>
      new FakeActor(system, slot, (event, done, { bands }) => {
        if (event.kind === 'wakeUp') heard.push(`${slot} ${bands.takeCrossed().length}`)
        setImmediate(done)
      }),
  )
  for (const actor of actors) actor.bands.set(await actor.watch(CODE), 0, 110_000)
  await system.market.start()
  await untilState(system, 'finished')
  t.same(heard, ['0 1', '1 1'])
  await system.market.stop()
  for (const actor of actors) actor.leave()
})

t.test(
  'a new day is told to the paper client first, then to the accounts, before its first tick',
  async (t) => {
    const file = [
      tickOf(CODE, T0, 10),
      tickOf(CODE, at('2026-08-11', '23:59:59.999'), 10),
      tickOf(CODE, at('2026-08-12', '00:00:00'), 11),
      tickOf(CODE, at('2026-08-14', '10:00:00'), 12),
    ]
    for (const speed of ['max', 1e6] as const) {
      const path = join(t.testdir(), 'day')
      const system = await openSystem({ config: replayOf(path, file, { speed }) })
      const heard: string[] = []
      let open = 0
      const actors = [2, 0, 1].map(
        (slot) =>
          new FakeActor(system, slot, (event, done) => {
            if (event.kind !== 'dayOpened') return done()
            if (slot === 0) t.equal(open, 0, 'nobody else is at work')
            open++
            const price = system.quotes.lastPrice(0)
            heard.push(`${slot === 0 ? 'paper' : 'account'} ${event.day} ${price}`)
            t.equal(exchangeDay(system.clock.nowMs()), event.day)
            setImmediate(() => {
              open--
              done()
            })
          }),
      )
      await system.market.start()
      await untilState(system, 'finished')
      const day = (text: string) => [`paper ${text}`, `account ${text}`, `account ${text}`]
      t.same(heard, [
        ...day('2026-08-11 0'),
        ...day('2026-08-12 100000'),
        ...day('2026-08-14 110000'),
      ])
      await system.market.stop()
      for (const actor of actors) actor.leave()
    }
  },
)

t.test('a restart on the same day does not open it again', async (t) => {
  const config = replayOf(join(t.testdir(), 'day'), [
    tickOf(CODE, T0, 10),
    tickOf(CODE, T0 + 1, 11),
  ])
  const saved = savedInMemory()
  const days: string[] = []
  for (let round = 0; round < 2; round++) {
    const system = await openSystem({ config, saved })
    const actor = new FakeActor(system, 0, (event, done) => {
      if (event.kind === 'dayOpened') days.push(event.day)
      done()
    })
    await system.market.start()
    await untilState(system, 'finished')
    await system.market.stop()
    actor.leave()
  }
  t.same(days, ['2026-08-11'])
})

t.test('on the computer clock a timer notices the new day', async (t) => {
  const real = { wall: at('2026-08-11', '23:59:59') }
  const time = { wallMs: () => real.wall, monotonicMs: () => 0 }
  const config = { ...SIMULATED, interval_ms: 3_600_000 }
  const system = await openSystem({ config, time })
  const days: string[] = []
  const both = Promise.withResolvers<void>()
  const actor = new FakeActor(system, 1, (event, done) => {
    if (event.kind === 'dayOpened') days.push(event.day)
    if (days.length === 2) both.resolve()
    done()
  })
  await system.market.start()
  real.wall += 1_000
  await both.promise
  t.same(days, ['2026-08-11', '2026-08-12'])
  await system.market.stop()
  actor.leave()
})

t.test(
  'an actor that does not take the day in holds up nobody for longer than the limit',
  async (t) => {
    const system = await openSystem({ config: SIMULATED, limits: { dayWaitMsMax: 5 } })
    const stuck = new FakeActor(system, 0, () => undefined)
    await system.market.start()
    t.match(system.logged, [{ level: 'warn', message: /still busy/ }])
    const { ticks } = await stuck.ask({ kind: 'ticks', codes: [CODE] })
    t.ok(ticks[CODE])
    system.board.resetInFlight(0, 0)
    await system.market.stop()
    stuck.leave()
  },
)

t.test(
  'a message that was lost with its sender holds up an exact replay no longer than the limit',
  async (t) => {
    const file = [tickOf(CODE, T0, 10), tickOf(CODE, T0 + 1, 11)]
    const config = replayOf(join(t.testdir(), 'day'), file, { speed: 'max' })
    const system = await openSystem({ config, limits: { exactWaitMsMax: 5 } })
    const alive = setInterval(() => undefined, 1_000) // a wait on shared memory keeps no process alive
    t.teardown(() => clearInterval(alive))
    system.board.begin(1)
    await system.market.start()
    await untilState(system, 'finished')
    t.match(system.logged, [{ level: 'error', message: /not finished with/ }])
    t.ok(system.board.isQuiet(), 'and it is forgiven')
    await system.market.stop()
  },
)

t.test('a wake-up is not sent again before the actor has taken the last one', async (t) => {
  const file = Array.from({ length: 50 }, (_, n) => tickOf(CODE, T0, 10 + n))
  const system = await openSystem({
    config: replayOf(join(t.testdir(), 'day'), file, { speed: 1 }),
  })
  let wakeUps = 0
  const actor = new FakeActor(system, 1, (event, done) => {
    if (event.kind === 'wakeUp') wakeUps++
    done()
  })
  actor.bands.set(await actor.watch(CODE), 1, 0)
  await system.market.start()
  await untilState(system, 'finished')
  await system.board.untilQuiet()
  t.equal(wakeUps, 1)
  t.same(actor.bands.takeCrossed(), [0])
  await system.market.stop()
  actor.leave()
})

t.test(
  'an account that comes back after its end hears what crossed for it, and only that',
  async (t) => {
    const file = [tickOf(CODE, T0, 10), tickOf(CODE, T0 + 1, 12), tickOf(CODE, T0 + 2, 13)]
    const config = replayOf(join(t.testdir(), 'day'), file, { autostart: false })
    const system = await openSystem({ config })
    const first = new FakeActor(system, 1, (_event, done) => done())
    first.bands.set(await first.watch(CODE), 1, 0)
    first.leave()
    await system.market.start()
    const play = (until: number) => system.market.answer({ kind: 'replayPlay', until }, undefined)
    await play(T0 + 1)
    await untilState(system, 'paused')
    const crossed: number[] = []
    const second = new FakeActor(system, 1, (_event, done, { bands }) => {
      crossed.push(...bands.takeCrossed())
      done()
    })
    const slot = await second.watch(CODE)
    second.bands.set(slot, 0, 125_000)
    await play(T0 + 2)
    await untilState(system, 'finished')
    t.same(crossed, [slot])
    await system.market.stop()
    second.leave()
  },
)

t.test('the simulated market answers any code at once; others are left out', async (t) => {
  const system = await openSystem({ config: SIMULATED, codesMax: 5 })
  const front = new FakeActor(system, 3, (_event, done) => done())
  t.same(await front.ask({ kind: 'ticks', codes: [CODE] }), { ticks: {} }, 'not before the start')
  await system.market.start()
  const { ticks } = await front.ask({ kind: 'ticks', codes: [CODE, 'nonsense'] })
  t.same(Object.keys(ticks), [CODE])
  t.match(ticks[CODE], { stock_code: CODE, bidPrice: { length: 5 } })
  await front.ask({ kind: 'ticks', codes: ['000001.SZ', '000002.SZ'] })
  await t.rejects(front.ask({ kind: 'ticks', codes: ['000003.SZ'] }), { code: 'OVERLOADED' })
  await front.watch('000004.SZ')
  await front.watch('000005.SZ')
  await t.rejects(front.watch('000006.SZ'), { code: 'OVERLOADED' }, 'the board is full')
  await system.market.stop()
  front.leave()
})

t.test('replay requests are refused on another source', async (t) => {
  const system = await openSystem({ config: SIMULATED })
  for (const kind of ['replayStatus', 'replayPlay', 'replayPause', 'replayRewind'] as const) {
    await t.rejects(system.market.answer({ kind }, undefined), { code: 'NOT_A_REPLAY' })
  }
  await system.market.stop()
})

t.test('simulated prices do not jump at a restart', async (t) => {
  const saved = savedInMemory()
  const config = { ...SIMULATED, interval_ms: 1 }
  const first = await openSystem({ config, saved })
  await first.market.start()
  const actor = new FakeActor(first, 1, (_event, done) => done())
  const slot = await actor.watch(CODE)
  while (first.quotes.sequence(slot) < 40) await turn()
  await first.market.stop()
  const before = first.quotes.read(slot)
  actor.leave()
  const second = await openSystem({ config: { ...SIMULATED, interval_ms: 3_600_000 }, saved })
  t.same(second.quotes.read(0), before, 'shown before the first new tick')
  await second.market.start()
  while (second.quotes.sequence(0) < 4) await turn()
  const after = second.quotes.read(0)
  t.equal(after?.lastPrice, before?.lastPrice)
  t.equal(after?.lastClose, before?.lastClose)
  t.ok((after?.timeMs ?? 0) > (before?.timeMs ?? 0))
  await second.market.stop()
})

t.test('a replay with more codes than rows goes on without them and says so once', async (t) => {
  const file = ['600036', '000001', '300750'].map((code) => tickOf(code, T0, 10))
  const config = replayOf(join(t.testdir(), 'day'), [...file, ...file])
  const system = await openSystem({ config, codesMax: 2 })
  await system.market.start()
  t.match(await untilState(system, 'finished'), { ticks_played: 6 })
  t.equal(system.logged.filter(({ message }) => message === 'the quote board is full').length, 1)
  await system.market.stop()
})

t.test('a save that fails is logged and stops nothing', async (t) => {
  const refuse = { load: async () => undefined, save: () => Promise.reject(new Error('disk full')) }
  const apart = { ...refuse, others: async () => [] }
  const saved = { replay: apart, quotes: apart, clock: refuse, listing: refuse }
  const config = replayOf(join(t.testdir(), 'day'), [tickOf(CODE, T0, 10)])
  const system = await openSystem({ config, saved })
  await system.market.start()
  t.match(await untilState(system, 'finished'), { ticks_played: 1 })
  await system.market.stop()
  t.ok(system.logged.some(({ message }) => message.includes('could not save')))
})

t.test('a stop does not wait for ever for an actor that never ends its work', async (t) => {
  const file = [tickOf(CODE, T0, 10), tickOf(CODE, T0 + 1, 12)]
  const saved = savedInMemory()
  const config = replayOf(join(t.testdir(), 'day'), file)
  const system = await openSystem({ config, saved, limits: { stopWaitMsMax: 5 } })
  const rung = Promise.withResolvers<void>()
  const stuck = new FakeActor(system, 1, (event, done) => {
    if (event.kind === 'wakeUp') rung.resolve()
    else done()
  })
  stuck.bands.set(await stuck.watch(CODE), 0, 110_000)
  await system.market.start()
  await rung.promise
  t.match(await system.market.answer({ kind: 'replayStatus' }, undefined), {
    state: 'playing',
    ticks_played: 1,
  })
  await system.market.stop()
  t.match(system.logged, [{ level: 'warn', message: /while an actor is busy/ }])
  system.board.resetInFlight(1, 0)
  stuck.leave()
})
