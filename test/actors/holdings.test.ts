import { mock } from 'node:test'
import t from 'tap'
import type { AccountActorDeps } from '../../actors/account/deps.ts'
import { Holdings } from '../../actors/account/holdings.ts'
import { spreadMs } from '../../actors/account/spread.ts'
import type { MarketTempo } from '../../src/account/model/policy.ts'
import { DAY_MS } from '../../src/domain/exchange-time.ts'
import type { StockCode } from '../../src/domain/instrument.ts'
import { ActorBands, BandFeed } from '../../src/market/bands.ts'
import { createMarketMemory } from '../../src/market/memory.ts'
import { QuoteReader, QuoteWriter } from '../../src/market/quote-board.ts'
import { ActorBoard, createActorBoard } from '../../src/runtime/actor-board.ts'
import {
  BANK,
  brokerDeal,
  brokerPosition,
  holder,
  MORNING_MS,
  quote,
  yuan,
} from '../account/fixture.ts'
import { tickOf } from '../market/fixtures/ticks.ts'

const ACTOR = 1
const ACTORS = 33
const SLOT = 5
const LOOK_MS = 1_000
/** After a rest, of the account at {@link ACTOR}. */
const FIRST_MS = spreadMs(LOOK_MS, ACTOR)

/** An account that holds a stock with a stop, its eyes on a real board, and the market that writes it. */
async function eyes(tempo: MarketTempo = 'real', account = ACTOR) {
  const bench = holder()
  Object.assign(bench.state, { policy: { ...bench.state.policy, tempo } })
  bench.state.settings = {
    ...bench.state.settings,
    ENABLE_AUTO_OPERATION: true,
    ENABLE_AUTO_TRADING: true,
  }
  const memory = createMarketMemory({ codesMax: 70, actorSlots: ACTORS })
  const [feed, writer] = [new BandFeed(memory), new QuoteWriter(memory)]
  feed.watch(SLOT, account)
  const crossed: StockCode[] = []
  const deps = {
    slot: account,
    bands: new ActorBands(memory, account),
    quotes: new QuoteReader(memory),
    clock: { nowMs: () => MORNING_MS },
    board: new ActorBoard(createActorBoard(ACTORS)),
    market: async () => ({ slots: { [BANK]: SLOT } }),
    limits: { marketWatchMs: 1_000, highLookMs: LOOK_MS },
  } as unknown as AccountActorDeps
  const holdings = new Holdings(deps, bench.state, (codes) => crossed.push(...codes))
  await holdings.watchHeld()
  /** A tick; whether the market rings for it. */
  const tick = (yuan: number): boolean =>
    feed.crossAccounts(SLOT, writer.write(SLOT, tickOf(BANK, MORNING_MS, yuan)), writer) > 0
  return { bench, holdings, tick, crossed }
}

t.test('a price beyond the stop of what is held rings', async (t) => {
  const { holdings, tick } = await eyes()
  tick(35.5)
  holdings.moveBands()
  holdings.takeCrossed()
  t.ok(tick(32), 'the cost is 35.1 and the stop 7.5 % below')
  t.strictSame(holdings.takeCrossed(), [BANK])
})

t.test('a price that fell before its band was set is looked at all the same', async (t) => {
  const { holdings, tick, crossed } = await eyes()
  t.notOk(tick(32), 'without a band nobody is woken')
  holdings.moveBands()
  t.strictSame(crossed, [BANK])
})

t.test('a stock that is held no more rings no more', async (t) => {
  const { bench, holdings, tick } = await eyes()
  tick(35.5)
  holdings.moveBands()
  holdings.takeCrossed()
  bench.input({
    kind: 'driver',
    event: { kind: 'positionPushed', position: brokerPosition({ quantity: 0 as never }) },
  })
  t.equal(bench.state.positions.size, 0)
  holdings.moveBands(new Set([BANK]))
  t.notOk(tick(32))
  t.strictSame(holdings.takeCrossed(), [])
})

/** The stock was bought on an earlier day, and has been looked at today. */
async function quietEyes(tempo: MarketTempo = 'real', account = ACTOR) {
  const scene = await eyes(tempo, account)
  const { state } = scene.bench
  const held = state.positions.get(BANK)
  if (held === undefined) throw new Error('it is held')
  state.positions.set(BANK, { ...held, openDate: '2026-08-03 09:31:02', highestPrice: yuan(35.5) })
  const look = (price: number) => {
    scene.bench.quotes.set(BANK, quote(price))
    scene.bench.input({ kind: 'quotes', crossed: [BANK] })
    scene.holdings.moveBands(new Set([BANK]))
  }
  for (const price of [35.3, 35.4, 35.5]) {
    scene.tick(price)
    scene.bench.nowMs += 1
    look(price)
  }
  scene.holdings.takeCrossed()
  mock.timers.tick(LOOK_MS)
  scene.crossed.length = 0
  return { ...scene, look }
}

t.test('new highs that decide nothing are looked at once, and then together', async (t) => {
  mock.timers.enable({ apis: ['setTimeout'] })
  t.teardown(() => mock.timers.reset())
  const { holdings, tick, crossed } = await quietEyes()
  t.ok(tick(35.6), 'the first one rings')
  t.strictSame(holdings.takeCrossed(), [BANK])
  t.notOk(tick(35.65))
  t.notOk(tick(35.7))
  t.strictSame(holdings.takeCrossed(), [], 'not when something else rings')
  mock.timers.tick(FIRST_MS - 1)
  t.strictSame(crossed, [])
  mock.timers.tick(1)
  t.strictSame(crossed, [BANK], 'nothing is lost, also when no tick follows')
  t.notOk(tick(35.8))
  mock.timers.tick(LOOK_MS - 1)
  t.strictSame(crossed, [BANK], 'from then on at the pace of the limit')
  mock.timers.tick(1)
  t.strictSame(crossed, [BANK, BANK])
  mock.timers.tick(LOOK_MS)
  t.strictSame(crossed, [BANK, BANK], 'and once')
  t.ok(tick(35.9), 'the next one rings again')
  t.ok(tick(32), 'the stop does so always')
  t.strictSame(holdings.takeCrossed(), [BANK])
})

t.test('a market that rises is looked at by each account in a moment of its own', async (t) => {
  mock.timers.enable({ apis: ['setTimeout'] })
  t.teardown(() => mock.timers.reset())
  const accounts = await Promise.all(
    Array.from({ length: ACTORS - 1 }, (_, at) => quietEyes('real', at + 1)),
  )
  for (const { tick, holdings } of accounts) {
    tick(35.6)
    holdings.takeCrossed()
    tick(35.7)
  }
  const looks: number[] = []
  const seen = () => accounts.reduce((sum, { crossed }) => sum + crossed.length, 0)
  for (let ms = 0; ms < LOOK_MS; ms += 10) {
    const before = seen()
    mock.timers.tick(10)
    looks.push(seen() - before)
  }
  t.equal(seen(), ACTORS - 1, 'none later than the limit')
  t.ok(Math.max(...looks) <= 2, 'never all in one piece')
})

t.test('in an exact replay the market alone says when new highs are looked at', async (t) => {
  mock.timers.enable({ apis: ['setTimeout'] })
  t.teardown(() => mock.timers.reset())
  const { holdings, tick, crossed, look } = await quietEyes('exact')
  tick(35.6)
  look(35.5) // whatever moves the bands: it may be a clock on the wall
  t.strictSame(crossed, [])
  mock.timers.tick(10 * LOOK_MS)
  t.strictSame(crossed, [])
  t.strictSame(holdings.takeCrossed(), [BANK], 'with the wake-up of the market')
  t.ok(tick(35.7), 'and nobody gathers: the market leaves highs by itself')
  mock.timers.tick(10 * LOOK_MS)
  t.strictSame(crossed, [])
  t.ok(tick(32), 'the stop rings')
  t.strictSame(holdings.takeCrossed(), [BANK])
})

t.test('who is closed looks at nothing more', async (t) => {
  mock.timers.enable({ apis: ['setTimeout'] })
  t.teardown(() => mock.timers.reset())
  const { holdings, tick, crossed } = await quietEyes()
  tick(35.6)
  holdings.takeCrossed()
  tick(35.7)
  holdings.close()
  mock.timers.tick(LOOK_MS)
  t.strictSame(crossed, [])
})

t.test('F409 the quotes of what was dealt in today are asked for, held or not', async (t) => {
  const sold = '000001.SZ' as StockCode
  const bench = holder()
  const asked: string[] = []
  const deps = {
    slot: ACTOR,
    clock: { nowMs: () => bench.nowMs },
    market: async ({ codes }: { readonly codes: readonly { readonly code: string }[] }) => {
      asked.push(...codes.map(({ code }) => code))
      return { slots: Object.fromEntries(codes.map(({ code }, i) => [code, SLOT + i])) }
    },
    limits: { marketWatchMs: 1_000, highLookMs: LOOK_MS },
  } as unknown as AccountActorDeps
  const row = { clientOrderId: '', code: sold, side: 'sell' } as const
  const told = (dealId: string, timeMs: number) =>
    bench.input({
      kind: 'driver',
      event: { kind: 'dealPushed', deal: brokerDeal({ ...row, dealId, timeMs }) },
    })
  told('d0', bench.nowMs - DAY_MS)
  await new Holdings(deps, bench.state, () => undefined).watchHeld()
  t.strictSame(asked.splice(0), [BANK], 'what was dealt in yesterday is of no day that is told')
  told('d1', bench.nowMs)
  await new Holdings(deps, bench.state, () => undefined).watchHeld()
  t.strictSame(asked, [BANK, sold])
})
