import { MessageChannel } from 'node:worker_threads'
import t from 'tap'
import { openPaperDriver } from '../../actors/account/open-driver.ts'
import type { HostThreadData } from '../../src/drivers/host.ts'
import { limits as limitsOfPaper } from '../../src/drivers/paper/config.ts'
import type { PaperIntroduction } from '../../src/drivers/paper/host/paper.actor.ts'
import type { PaperHostLimits } from '../../src/drivers/paper/host/paper.thread.ts'
import { BandFeed } from '../../src/market/bands.ts'
import { CodeTable } from '../../src/market/codes.ts'
import { createMarketMemory } from '../../src/market/memory.ts'
import { QuoteWriter } from '../../src/market/quote-board.ts'
import { createLogMemory } from '../../src/observability/log-memory.ts'
import type { MarketEvent, MarketRequest, Tick } from '../../src/protocol/market.ts'
import { ActorBoard, createActorBoard } from '../../src/runtime/actor-board.ts'
import { Channel } from '../../src/runtime/channel.ts'
import { Link, portWire } from '../../src/runtime/link.ts'
import { startThread } from '../../src/runtime/thread.ts'
import { Witness } from '../contract/driver.ts'
import { orderOf, price, SETTINGS, SH } from './fixtures/paper.ts'

/** The market's side of the memory, without a source: the test is the source. */
function marketAround(board: ActorBoard) {
  const memory = createMarketMemory({ codesMax: 8, actorSlots: board.slots })
  const codes = new CodeTable(8)
  const feed = new BandFeed(memory)
  const writer = new QuoteWriter(memory)
  const link = new MessageChannel()
  const wakeUps = new MessageChannel()
  const market = new Link(portWire(link.port1), {
    peer: 'paper',
    limits: { openAsksMax: 8 },
    answer: (body) => {
      const request = body as MarketRequest
      if (request.kind !== 'watch') throw new Error(request.kind)
      const slots: Record<string, number> = {}
      for (const { code } of request.codes) {
        const slot = codes.assign(code) ?? 0
        feed.watch(slot, 0)
        slots[code] = slot
      }
      return { slots }
    },
  })
  const events = new Channel<MarketEvent, never>(wakeUps.port1, {
    board,
    self: 0,
    peer: 0,
    receive: () => undefined,
  })
  let timeMs = Date.now()
  const tick = (code: string, yuan: number) => {
    timeMs += 1
    const slot = codes.assign(code) ?? 0
    const levels = [yuan, 0, 0, 0, 0]
    const quote: Tick = {
      time: timeMs,
      stock_code: code,
      lastPrice: yuan,
      lastClose: 36,
      volume: 1,
      amount: 1,
      open: yuan,
      high: yuan,
      low: yuan,
      bidPrice: levels,
      askPrice: levels,
      bidVol: [900, 0, 0, 0, 0],
      askVol: [900, 0, 0, 0, 0],
    }
    if (feed.crossPaper(slot, writer.write(slot, quote)) && feed.wake(0))
      events.send({ kind: 'wakeUp' })
  }
  const close = () => {
    link.port1.close()
    wakeUps.port1.close()
  }
  return { memory, market, tick, close, ports: { market: link.port2, events: wakeUps.port2 } }
}

t.test(
  'in its own thread, on the real quote board: orders rest, the wake-up rings, they fill',
  async (t) => {
    const board = new ActorBoard(createActorBoard(2))
    const market = marketAround(board)
    const data: HostThreadData<PaperHostLimits> = {
      dataDir: t.testdir(),
      slot: 0,
      actorBoard: board.memory,
      market: market.memory,
      logs: createLogMemory('silent', 1),
      limits: {
        paper: limitsOfPaper.parse({ first_quote_wait_ms: 10_000 }),
        store: { write_margin_mb: 0, write_retry_ms: 10 },
        market: { ask_timeout_ms: 10_000, watch_timeout_ms: 10_000 },
        runtime: { open_asks_max: 8, heartbeat_interval_ms: 10 },
      },
    }
    const thread = startThread({
      entry: 'src/drivers/paper/host/paper.thread.ts',
      name: 'paper',
      data,
      ports: market.ports,
    })
    await thread.ready
    const line = new MessageChannel()
    const introduction: PaperIntroduction = {
      slot: 1,
      account: { account_id: '10000001', paper: SETTINGS },
    }
    thread.introduce('account/10000001', line.port2, introduction)
    const driver = openPaperDriver({ port: line.port1, board, slot: 1, epoch: 1 })
    const witness = new Witness(driver)
    await witness.connect()
    market.tick(SH, 36)
    const orderId = await witness.submit(orderOf({ price: price(35) }))
    await board.untilQuiet()
    market.tick(SH, 35.5)
    await board.untilQuiet()
    t.equal(witness.events.filter(({ kind }) => kind === 'dealPushed').length, 0, 'not yet')
    market.tick(SH, 34.9)
    t.match(await witness.ended(orderId), { status: 56, filledAmount: 34_900_000 })
    await board.untilQuiet()
    const beats = board.heartbeat(0)
    t.ok(beats > 0)
    thread.stop()
    t.same(await thread.exited, { code: 0 })
    driver.close()
    market.close()
  },
)
