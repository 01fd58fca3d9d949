import t, { type Test } from 'tap'
import type { SharingLimits } from '../../actors/market/sharing.ts'
import type { MarketConfig } from '../../src/config/schema.ts'
import type { MarketSource } from '../../src/ports/market-source.port.ts'
import type { Tick } from '../../src/protocol/market.ts'
import {
  encodeQuote,
  encodeWants,
  parseQuote,
  parseWants,
} from '../../src/protocol/shared-quotes.ts'
import { turnsUntil } from '../in-time.ts'
import { Bus } from './fixtures/bus.ts'
import { type ActorSystem, FakeActor, openSystem, savedInMemory } from './fixtures/market.ts'
import { tickOf } from './fixtures/ticks.ts'

const CODE = '600036.SH'
const OTHER = '000001.SZ'
const SIMULATED: MarketConfig = { source: 'simulated', seed: 1, interval_ms: 5, speed: 1 }
const SLOW: MarketConfig = { ...SIMULATED, interval_ms: 3_600_000 }
const TAKEN: MarketConfig = { source: 'cluster', quotes: 'simulated' }
const REAL: MarketConfig = { source: 'cluster', quotes: 'real' }
const LIMITS: SharingLimits = {
  codesMax: 16,
  forgetMs: 200,
  wantMs: 10,
  gatherMs: 0,
  silenceMs: 300,
  lagMs: 10_000,
}

/** A source that a driver brings, whose ticks the test makes. */
class Hand implements MarketSource {
  readonly wanted: string[] = []
  #emit: ((tick: Tick) => Promise<void> | void) | undefined
  want(code: string): void {
    this.wanted.push(code)
  }
  start(emit: (tick: Tick) => Promise<void> | void): void {
    this.#emit = emit
  }
  async stop(): Promise<void> {}
  tick(code: string, price: number, timeMs = Date.now()): void {
    void this.#emit?.(tickOf(code, timeMs, price))
  }
}

async function stand(t: Test, bus: Bus, node: string, given: Parameters<typeof openSystem>[0]) {
  const sharing = { node, exchange: bus.join(node), limits: LIMITS }
  const system = await openSystem({ sharing, ...given })
  const actors: FakeActor[] = []
  t.teardown(async () => {
    await system.market.stop()
    for (const actor of actors) actor.leave()
  })
  return { ...system, actors }
}
type Stand = Awaited<ReturnType<typeof stand>>

function account(system: Stand) {
  let woken = 0
  const actor = new FakeActor(system, 1, (event, done) => {
    if (event.kind === 'wakeUp') woken += 1
    done()
  })
  system.actors.push(actor)
  return { actor, woken: () => woken }
}

const XT: MarketConfig = { source: 'xt' } as MarketConfig
const originOf = ({ market }: ActorSystem) => market.answer({ kind: 'origin' }, undefined)
const lastOf = ({ quotes }: ActorSystem, slot: number) => quotes.read(slot)

t.test('an account is woken by a tick of another computer', async (t) => {
  const bus = new Bus()
  const giver = await stand(t, bus, 'n1', { config: SIMULATED })
  const taker = await stand(t, bus, 'n2', { config: TAKEN })
  const { actor, woken } = account(taker)
  await Promise.all([giver.market.start(), taker.market.start()])
  const { slots } = await actor.ask({ kind: 'watch', codes: [{ code: CODE, hint: 351_000 }] })
  const slot = slots[CODE] as number
  await turnsUntil(() => lastOf(taker, slot) !== undefined, 'a quote of the other')
  const price = lastOf(taker, slot)?.lastPrice ?? 0
  t.ok(
    Math.abs(price - 351_000) < 36_000,
    `${price} is near the price that the walk was to begin at`,
  )
  actor.bands.set(slot, price, price)
  await turnsUntil(() => woken() > 0, 'a price outside of the band')
  t.match(await originOf(taker), {
    source: 'cluster',
    from: {
      nodes: [{ node: 'n1', source: 'simulated', codes: 1 }],
      wanted: 1,
      silent: 0,
      isConnected: true,
    },
    given: 0,
  })
  t.strictSame(await originOf(giver), { source: 'simulated', given: 1 })
})

t.test(
  'F197 invented quotes never reach a market of real ones, nor what nobody can read',
  async (t) => {
    const bus = new Bus()
    const giver = await stand(t, bus, 'n1', { config: SIMULATED })
    const source = new Hand()
    const real = await stand(t, bus, 'n2', { config: XT, live: source })
    const taker = await stand(t, bus, 'n3', { config: REAL })
    const { actor } = account(taker)
    const other = account(giver).actor
    await Promise.all([giver, real, taker].map(({ market }) => market.start()))
    await other.watch(CODE)
    const slot = await actor.watch(CODE)
    const self = { node: 'n1', kind: 'simulated', source: 'simulated' } as const
    bus.inject(CODE, encodeQuote({ ...self, tick: tickOf(CODE, Date.now(), 1) }))
    bus.inject(CODE, Buffer.from('not a quote'))
    bus.inject(CODE, encodeWants({ node: 'n1', kind: 'real', codes: [] }))
    await turnsUntil(() => source.wanted.includes(CODE), 'to be asked by the other')
    const isTold = () => taker.logged.some(({ message }) => /cannot be read/.test(message))
    await turnsUntil(isTold, 'a line of the log')
    t.equal(lastOf(taker, slot), undefined)
    source.tick(CODE, 12.34)
    t.equal(lastOf(taker, slot)?.lastPrice, 123_400)
    t.match(await originOf(giver), { given: 0 }, 'who invents is asked by nobody')
  },
)

t.test('F196 another computer takes over when the first has no quotes any more', async (t) => {
  const bus = new Bus()
  const [one, two] = [new Hand(), new Hand()]
  const first = await stand(t, bus, 'n1', { config: XT, live: one })
  const second = await stand(t, bus, 'n2', { config: XT, live: two })
  const taker = await stand(t, bus, 'n3', { config: REAL })
  const { actor } = account(taker)
  await Promise.all([first, second, taker].map(({ market }) => market.start()))
  const slot = await actor.watch(CODE)
  await turnsUntil(() => one.wanted.includes(CODE) && two.wanted.includes(CODE), 'both to be asked')
  const price = () => lastOf(taker, slot)?.lastPrice
  one.tick(CODE, 10)
  two.tick(CODE, 20)
  t.equal(price(), 100_000, 'one of them is followed')
  bus.cut('n1')
  const standing = lastOf(taker, slot)
  await turnsUntil(() => {
    if (price() === 100_000) two.tick(CODE, 21)
    return price() === 210_000
  }, 'the quotes of the second')
  t.ok((lastOf(taker, slot)?.timeMs ?? 0) >= (standing?.timeMs ?? 0), 'time never goes back')
  two.tick(CODE, 22, Date.now() - 30_000)
  t.equal(price(), 210_000, 'what is older comes too late')
  t.match(await originOf(taker), { from: { nodes: [{ node: 'n2', source: 'xt' }] } })
})

t.test(
  'F198 quotes that nobody gives any more stand with their time, and the log says so',
  async (t) => {
    const bus = new Bus()
    const source = new Hand()
    const giver = await stand(t, bus, 'n1', { config: XT, live: source })
    const taker = await stand(t, bus, 'n2', { config: REAL })
    const { actor } = account(taker)
    await Promise.all([giver.market.start(), taker.market.start()])
    const slot = await actor.watch(CODE)
    await turnsUntil(() => source.wanted.includes(CODE), 'to be asked')
    let timeMs = Date.now() - 60_000
    await turnsUntil(() => {
      timeMs += 1
      source.tick(CODE, 10, timeMs)
      return taker.logged.some(({ message }) => message.endsWith('n1 (xt)'))
    }, 'its name')
    bus.cut('n2')
    source.tick(CODE, 11)
    await turnsUntil(
      () => taker.logged.at(-1)?.message.startsWith('no node') === true,
      'the end of the quotes',
    )
    t.match(lastOf(taker, slot), { timeMs, lastPrice: 100_000 })
    t.match(await originOf(taker), {
      from: { nodes: [], wanted: 1, silent: 1, isConnected: false },
    })
    bus.heal('n2')
    t.equal(lastOf(taker, slot)?.lastPrice, 110_000, 'the last one comes with the connection')
  },
)

t.test('a code that is quoted already is told at once, and no more when nobody asks', async (t) => {
  const bus = new Bus()
  const giver = await stand(t, bus, 'n1', { config: SLOW })
  const own = account(giver).actor
  await giver.market.start()
  await own.watch(CODE)
  const taker = await stand(t, bus, 'n2', { config: TAKEN })
  const { actor } = account(taker)
  await taker.market.start()
  const slot = await actor.watch(CODE)
  await turnsUntil(() => lastOf(taker, slot) !== undefined, 'a quote that is an hour from the next')
  t.match(await originOf(giver), { given: 1 })
  await taker.market.stop()
  for (;;) {
    const told = await originOf(giver)
    if (told !== null && 'given' in told && told.given === 0) break
    await new Promise((resolve) => setImmediate(resolve))
  }
  t.match(await originOf(giver), { given: 0 })
})

t.test(
  'F388 a node that gives quotes, started anew, has fed again what only others hold',
  async (t) => {
    const bus = new Bus()
    const taker = await stand(t, bus, 'n2', { config: REAL })
    const { actor } = account(taker)
    await taker.market.start()
    const slot = await actor.watch(CODE)
    const saved = savedInMemory()
    await saved.quotes.save({ source: 'xt', ticks: [tickOf(CODE, Date.now() - 1_000, 10)] })
    const source = new Hand()
    const giver = await stand(t, bus, 'n1', { config: XT, live: source, saved })
    await giver.market.start()
    await turnsUntil(() => lastOf(taker, slot) !== undefined, 'the last quote of before')
    t.strictSame(source.wanted, [CODE])
    source.tick(CODE, 9)
    t.equal(lastOf(taker, slot)?.lastPrice, 90_000)
  },
)

t.test(
  'others are given what there is room for: rows that are kept for holdings stay free',
  async (t) => {
    const bus = new Bus()
    const source = new Hand()
    const giver = await stand(t, bus, 'n1', { config: XT, live: source, codesMax: 3 })
    const taker = await stand(t, bus, 'n2', { config: REAL })
    const { actor } = account(taker)
    await Promise.all([giver.market.start(), taker.market.start()])
    const codes = [CODE, OTHER, '300750.SZ'].map((code) => ({ code, hint: 0 }))
    await actor.ask({ kind: 'watch', codes })
    await turnsUntil(() => source.wanted.length > 0, 'to be asked')
    await turnsUntil(() => taker.logged.length > 0, 'a further telling')
    t.strictSame(source.wanted, [CODE], 'two rows of three are reserved')
  },
)

t.test('what travels between computers is read as it was written, or not at all', async (t) => {
  const tick = { ...tickOf(CODE, 1_790_000_000_123, 12.34), bidPrice: [12.33, 0, 0, 0, 0] }
  const quote = { node: 'n1', kind: 'real', source: 'xt', tick } as const
  t.strictSame(parseQuote(CODE, encodeQuote(quote)), quote)
  const deep = { ...tick, askVol: Array<number>(20).fill(1) }
  t.match(parseQuote(CODE, encodeQuote({ ...quote, tick: deep })), {
    tick: { askVol: { length: 5 } },
  })
  const wants = { node: 'n2', kind: 'real', codes: [{ code: CODE, hint: 1, isNew: true }] } as const
  t.strictSame(parseWants(encodeWants(wants)), wants)
  const bad: readonly (readonly [string, Uint8Array])[] = [
    ['a negative price', encodeQuote({ ...quote, tick: { ...tick, lastPrice: -1 } })],
    ['a price that is no number', encodeQuote({ ...quote, tick: { ...tick, high: Number.NaN } })],
    ['a time that is none', encodeQuote({ ...quote, tick: { ...tick, time: 0 } })],
    ['a level that is none', encodeQuote({ ...quote, tick: { ...tick, askVol: [-1] } })],
    ['nothing', new Uint8Array(0)],
    ['what somebody wants', encodeWants(wants)],
  ]
  for (const [what, bytes] of bad) t.equal(parseQuote(CODE, bytes), undefined, what)
  const unknown = encodeWants({ ...wants, codes: [{ code: 'x', hint: 0, isNew: false }] })
  t.equal(parseWants(unknown), undefined)
  t.equal(parseWants(encodeQuote(quote)), undefined)
})

t.test('however many codes are wanted, each telling is a message that servers take', async (t) => {
  const bus = new Bus()
  const told: number[] = []
  const ears = bus.join('n1')
  ears.open({
    quote: () => undefined,
    wants: (bytes) => told.push(bytes.length),
    opened: () => undefined,
  })
  const taker = await stand(t, bus, 'n2', { config: REAL, codesMax: 10_000 })
  const { actor } = account(taker)
  await taker.market.start()
  const codes = Array.from({ length: 9_000 }, (_, i) => ({ code: `${600_000 + i}.SH`, hint: 0 }))
  await actor.ask({ kind: 'watch', codes })
  await turnsUntil(() => told.length >= 3, 'three messages')
  t.ok(Math.max(...told) < 100_000, `${Math.max(...told)} bytes`)
})

t.test('a telling that is lost is made up for by the next one', async (t) => {
  const bus = new Bus()
  const giver = await stand(t, bus, 'n1', { config: SLOW })
  const [first, second] = [
    await stand(t, bus, 'n2', { config: TAKEN }),
    await stand(t, bus, 'n3', { config: TAKEN }),
  ]
  await Promise.all([giver, first].map(({ market }) => market.start()))
  const slot = await account(first).actor.watch(CODE)
  await turnsUntil(() => lastOf(first, slot) !== undefined, 'the giver to know the code')
  bus.loses = 'n3'
  await second.market.start()
  const late = await account(second).actor.watch(CODE)
  await turnsUntil(
    () => lastOf(second, late) !== undefined,
    'a quote that is an hour from the next',
  )
  t.equal(bus.loses, undefined)
})
