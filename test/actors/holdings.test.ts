import t from 'tap'
import type { AccountActorDeps } from '../../actors/account/deps.ts'
import { Holdings } from '../../actors/account/holdings.ts'
import type { StockCode } from '../../src/domain/instrument.ts'
import { ActorBands, BandFeed } from '../../src/market/bands.ts'
import { createMarketMemory } from '../../src/market/memory.ts'
import { QuoteReader, QuoteWriter } from '../../src/market/quote-board.ts'
import { ActorBoard, createActorBoard } from '../../src/runtime/actor-board.ts'
import { BANK, brokerPosition, holder, MORNING_MS } from '../account/fixture.ts'
import { tickOf } from '../market/fixtures/ticks.ts'

const ACTOR = 1
const SLOT = 5

/** An account that holds a stock with a stop, its eyes on a real board, and the market that writes it. */
async function eyes() {
  const bench = holder()
  bench.state.settings = {
    ...bench.state.settings,
    ENABLE_AUTO_OPERATION: true,
    ENABLE_AUTO_TRADING: true,
  }
  const memory = createMarketMemory({ codesMax: 70, actorSlots: 3 })
  const [feed, writer] = [new BandFeed(memory), new QuoteWriter(memory)]
  feed.watch(SLOT, ACTOR)
  const crossed: StockCode[] = []
  const deps = {
    slot: ACTOR,
    bands: new ActorBands(memory, ACTOR),
    quotes: new QuoteReader(memory),
    clock: { nowMs: () => MORNING_MS },
    board: new ActorBoard(createActorBoard(3)),
    market: async () => ({ slots: { [BANK]: SLOT } }),
    limits: { marketWatchMs: 1_000 },
  } as unknown as AccountActorDeps
  const holdings = new Holdings(deps, bench.state, (codes) => crossed.push(...codes))
  await holdings.watchHeld()
  /** A tick; whether the market rings for it. */
  const tick = (yuan: number): boolean =>
    feed.crossAccounts(SLOT, writer.write(SLOT, tickOf(BANK, MORNING_MS, yuan)), 0) > 0
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
