import { setTimeout as sleep } from 'node:timers/promises'
import { MessageChannel } from 'node:worker_threads'
import { AccountActor } from '../../actors/account/account.actor.ts'
import { MarketActor } from '../../actors/market/market.actor.ts'
import { loadConfig } from '../../src/config/load.ts'
import type { StockCode } from '../../src/domain/instrument.ts'
import { moneyFromYuan, type Price, type Quantity } from '../../src/domain/money.ts'
import type { BrokerPosition } from '../../src/domain/order.ts'
import { ok } from '../../src/domain/result.ts'
import { ActorAlarm } from '../../src/market/alarms.ts'
import { ActorBands } from '../../src/market/bands.ts'
import { REAL_TIME, SharedClock } from '../../src/market/clock.ts'
import { createMarketMemory } from '../../src/market/memory.ts'
import { QuoteReader } from '../../src/market/quote-board.ts'
import type { SavedApart } from '../../src/market/saved.ts'
import { silentLogger } from '../../src/observability/logger.ts'
import { NO_BARS } from '../../src/ports/bars.port.ts'
import type { Driver } from '../../src/ports/driver.port.ts'
import type { LiveMarket } from '../../src/ports/market-source.port.ts'
import type { DriverCommand, DriverEvent, QueryRows } from '../../src/protocol/driver.ts'
import type { MarketEvent, MarketReplies, MarketRequest } from '../../src/protocol/market.ts'
import { ActorBoard, createActorBoard } from '../../src/runtime/actor-board.ts'
import { Channel } from '../../src/runtime/channel.ts'
import { Histogram } from '../../src/runtime/histogram.ts'
import { Link, portWire } from '../../src/runtime/link.ts'
import { marketLimits } from '../../src/service/settings/limits.ts'
import { accountPolicy, accountThreadLimits } from '../../src/service/settings/policy.ts'
import { MemoryStore } from '../../src/storage/memory-store.ts'
import { account, settings, writeConfig } from './service.ts'

const SLOT = 1
const ASK = { timeoutMs: 10_000 }
const nothingSaved = <T>(): SavedApart<T> => ({
  load: async () => undefined,
  others: async () => [],
  save: async () => {},
})

/** A broker that holds 1,000 shares of each code at 10 yuan, and takes every order. */
class Holder implements Driver {
  readonly #positions: readonly BrokerPosition[]
  readonly #sold: (code: string) => void
  #sink: (event: DriverEvent) => void = () => undefined
  #orders = 0

  constructor(codes: readonly string[], sold: (code: string) => void) {
    this.#sold = sold
    this.#positions = codes.map((code) => ({
      code: code as StockCode,
      name: code,
      costPrice: 100_000 as Price,
      quantity: 1_000 as Quantity,
      sellable: 1_000 as Quantity,
    }))
  }
  open(sink: (event: DriverEvent) => void): void {
    this.#sink = sink
  }
  send(command: DriverCommand): void {
    if (command.kind === 'submit') this.#sold(command.order.code)
    setImmediate(() => this.#sink(this.#answer(command)))
  }
  close(): void {}

  #answer(command: DriverCommand): DriverEvent {
    const { callId } = command
    switch (command.kind) {
      case 'connect':
        return { kind: 'connectAnswered', callId, result: ok(null) }
      case 'cancel':
        return { kind: 'cancelAnswered', callId, orderId: command.orderId, result: ok(null) }
      case 'query':
        return {
          kind: 'queryAnswered',
          callId,
          what: command.what,
          result: ok(this.#rows(command)),
        }
      case 'barrier':
        return { kind: 'barrierAnswered', callId, result: ok(null) }
      case 'submit': {
        this.#orders += 1
        const outcome = { kind: 'accepted', orderId: String(this.#orders) } as const
        const { clientOrderId } = command.order
        return { kind: 'submitAnswered', callId, clientOrderId, outcome }
      }
    }
  }
  #rows({ what }: Extract<DriverCommand, { kind: 'query' }>): QueryRows {
    const cash = moneyFromYuan(1e6)
    const zero = moneyFromYuan(0)
    if (what === 'asset') {
      return { what, rows: [{ available: cash, frozen: zero, marketValue: zero, total: cash }] }
    }
    return what === 'positions' ? { what, rows: this.#positions } : { what, rows: [] }
  }
}

/** An account whose stop loss sells, on a market of the sidecar's, all in this thread. */
export async function openSeller(
  folder: string,
  codes: readonly string[],
  live: LiveMarket,
  sold: (code: string) => void,
) {
  const config = benchConfig(folder)
  const memory = createMarketMemory({ codesMax: 8_192, actorSlots: 3 })
  const actorBoard = createActorBoard(3)
  const board = new ActorBoard(actorBoard)
  const market = await MarketActor.open({
    memory,
    board: actorBoard,
    live: () => live,
    limits: marketLimits(config.limits),
    time: REAL_TIME,
    config: { ...xtMarket(), source: 'xt' },
    saved: {
      replay: nothingSaved(),
      quotes: nothingSaved(),
      clock: nothingSaved(),
      listing: nothingSaved(),
    },
    openBars: () => NO_BARS,
    wakes: () => {},
    log: silentLogger,
  })
  const [asks, wakeUps] = [new MessageChannel(), new MessageChannel()]
  market.introduce('link:account/1', asks.port1, { slot: SLOT })
  market.introduce('events:account/1', wakeUps.port1, { slot: SLOT })
  const link = new Link(portWire(asks.port2), { peer: 'market', limits: { openAsksMax: 1_024 } })
  const [account] = config.accounts
  if (account === undefined) throw new Error('no account')
  const actor = await AccountActor.start({
    policy: { ...accountPolicy(config, account, 0), isAlwaysOpen: true },
    slot: SLOT,
    board,
    incarnation: 1,
    log: silentLogger,
    latency: {
      tickToStep: new Histogram(),
      tickToIntent: new Histogram(),
      commit: new Histogram(),
      commitToSubmit: new Histogram(),
      wokenAtMs: () => 0,
      nowMs: () => 0,
    },
    limits: accountThreadLimits(config),
    quotes: new QuoteReader(memory),
    bands: new ActorBands(memory, SLOT),
    alarm: new ActorAlarm(memory, SLOT),
    clock: new SharedClock(memory),
    time: REAL_TIME,
    store: new MemoryStore(),
    driver: () => new Holder(codes, sold),
    market: <R extends MarketRequest>(request: R) =>
      link.ask<MarketReplies[R['kind']]>(request, ASK),
    stockPool: async () => [],
  })
  const channel = new Channel<never, MarketEvent>(wakeUps.port2, {
    board,
    self: SLOT,
    peer: SLOT,
    receive: (event, done) => actor.onMarket(event, done),
  })
  await market.start()
  const close = async () => {
    await actor.stop()
    channel.close()
    await market.stop()
    for (const port of [asks.port1, asks.port2, wakeUps.port1]) port.close()
  }
  /** Has quotes pushed until every code has one: the first pushes come before the subscription. */
  const untilQuoted = async (wanted: readonly string[], pushAll: () => void) => {
    const isQuoted = async () => {
      const { ticks } = await link.ask<MarketReplies['ticks']>(
        { kind: 'ticks', codes: wanted },
        ASK,
      )
      return wanted.every((code) => code in ticks)
    }
    while (!(await isQuoted())) {
      pushAll()
      await sleep(50)
    }
  }
  return { untilQuoted, close }
}

const xtMarket = () => ({
  python: '',
  xtquant_path: '',
  attach: '',
  token_file: '',
  qmt_path: '',
  quote_port: 0,
})

function benchConfig(folder: string) {
  const strategy = { ENABLE_AUTO_OPERATION: true, ENABLE_AUTO_TRADING: true }
  const file = writeConfig(folder, settings(folder, [account(0, 0)], { strategy }))
  const loaded = loadConfig({ cwd: folder, env: {}, options: { configFile: file } })
  if (!loaded.ok) throw new Error(loaded.error.join('\n'))
  return loaded.value.config
}
