import { isInvented, type MarketConfig } from '../../src/config/schema.ts'
import { exchangeDay } from '../../src/domain/exchange-time.ts'
import { lastTradingDayMs, serviceDayMs, sessionAt } from '../../src/domain/session.ts'
import { AlarmFeed } from '../../src/market/alarms.ts'
import { BandFeed } from '../../src/market/bands.ts'
import type { ClockRules } from '../../src/market/checked-clock.ts'
import { ClockWriter, type TimeSources } from '../../src/market/clock.ts'
import type { CloseRule } from '../../src/market/closes.ts'
import { CodeTable } from '../../src/market/codes.ts'
import type { MarketMemory } from '../../src/market/memory.ts'
import { QuoteReader, QuoteWriter } from '../../src/market/quote-board.ts'
import type { ReplayLimits } from '../../src/market/replay.ts'
import type { MarketLog, SavedMarket } from '../../src/market/saved.ts'
import type { BarStore } from '../../src/ports/bars.port.ts'
import type { LiveMarket } from '../../src/ports/market-source.port.ts'
import { ActorBoard, type ActorBoardMemory } from '../../src/runtime/actor-board.ts'
import type { LinkLimits } from '../../src/runtime/link.ts'
import { BarDesk, type BarLimits, type BarSource } from './bar-desk.ts'
import { ClockDesk } from './clock-desk.ts'
import { Feed, type FeedOptions } from './feed.ts'
import { InstrumentDesk, type InstrumentLimits } from './instrument-desk.ts'
import { ListingDesk, type ListingLimits } from './listing-desk.ts'
import { Parties, type PartiesOptions } from './parties.ts'
import { QuoteDesk, type QuoteDeskOptions } from './quote-desk.ts'
import type { Sharing } from './sharing.ts'

export interface MarketLimits
  extends ReplayLimits,
    LinkLimits,
    BarLimits,
    InstrumentLimits,
    ListingLimits,
    Omit<ClockRules, 'dayOf' | 'isQuoted'> {
  /** Between two saves of the last quotes and, after the end of a file, of the clock; milliseconds. */
  readonly quotesSaveEveryMs: number
  /** Between two looks at the clocks, and for a new day while no tick moves the clock; milliseconds. */
  readonly dayCheckMs: number
  /** Between two saves of the checked clock, milliseconds. */
  readonly clockSaveEveryMs: number
  /** A quote that is further ahead of the clock is a bad one, milliseconds. */
  readonly quoteAheadMs: number
  /** Live quotes whose times differ more from the clock are told of, and how long they are looked at for that. */
  readonly quoteLeadMs: number
  readonly quoteLeadWindowMs: number
  /** How long a quote keeps out older ones that come after it, milliseconds. */
  readonly quoteOvertakenMs: number
  /** Between two accounts that are told that the source is back, milliseconds. */
  readonly reconnectTurnMs: number
  readonly dayWaitMsMax: number
  /** Between two looks at what is to be asked of the source about codes, milliseconds. */
  readonly instrumentsLookMs: number
  readonly exactWaitMsMax: number
  /** Of it without hearing anybody else, milliseconds. */
  readonly exactBlockMs: number
  /** Market time that new highs which decide nothing may wait in an exact replay, milliseconds. */
  readonly exactHighLookMs: number
  /** Ticks of one turn after which the accounts that they concern are woken, where no replay is exact. */
  readonly wakeTicksMax: number
  /** Rows kept free for codes that are held: asking for ticks creates none beyond. */
  readonly codesReserved: number
  /** How long a stop may wait for the last tick, and again for the actors, milliseconds. */
  readonly stopWaitMsMax: number
}

export interface MarketParts {
  readonly memory: MarketMemory
  readonly board: ActorBoardMemory
  readonly config: MarketConfig
  /** Opens the market that a driver brings, given the clock of this one; undefined when ticks are made or replayed. */
  readonly live?: ((nowMs: () => number) => LiveMarket) | undefined
  /** Near which prices codes begin that are made, where nobody who asks knows; ten-thousandths of a yuan. */
  readonly startPrices?: ReadonlyMap<string, number>
  readonly limits: MarketLimits
  /** In a cluster: how quotes go to its other nodes. */
  readonly sharing?: Sharing | undefined
  readonly saved: SavedMarket
  /** The bars of the source of this name. */
  readonly openBars: (source: string) => BarStore
  /** Takes note of each wake-up. */
  readonly wakes: (actor: number) => void
  readonly log: MarketLog
  readonly time: TimeSources
}

/** What the desks ask of the market itself, whose source may come later than they. */
interface Hooks {
  readonly answer: PartiesOptions['answer']
  readonly want: QuoteDeskOptions['want']
  readonly isFedOnAsking: QuoteDeskOptions['isFedOnAsking']
  readonly isExact: FeedOptions['isExact']
  readonly meanwhile: FeedOptions['meanwhile']
}

/** The desks of a market, and what they share. */
export interface MarketDesks {
  readonly board: ActorBoard
  readonly clock: ClockWriter
  readonly parties: Parties
  readonly feed: Feed
  readonly bars: BarDesk
  readonly quotes: QuoteDesk
  readonly instruments: InstrumentDesk
  readonly listing: ListingDesk
  readonly clockDesk: ClockDesk
  /** The market that a driver brings. */
  readonly live: LiveMarket | undefined
}

/** Gives each desk what it needs of the others. Nothing runs yet. */
export function wireDesks(parts: MarketParts, sourceName: string, market: Hooks): MarketDesks {
  const { memory, limits, log, config } = parts
  const board = new ActorBoard(parts.board)
  const codes = new CodeTable(memory.codesMax)
  const bands = new BandFeed(memory)
  /** A market that is made up knows no weekends. */
  const dayMs = isInvented(config) ? (epochMs: number) => epochMs : lastTradingDayMs
  const dayOf = (epochMs: number) => exchangeDay(dayMs(epochMs))
  const isQuoted = (epochMs: number) => isInvented(config) || sessionAt(epochMs) === 'open'
  const clock = new ClockWriter(memory, { ...limits, dayOf, isQuoted }, parts.time)
  const parties = new Parties({ board, bands, limits, wakes: parts.wakes, answer: market.answer })
  const live = parts.live?.(() => clock.nowMs())
  const bars = new BarDesk({
    source: barSource(config, live),
    store: parts.openBars(sourceName),
    codes,
    codesMax: memory.codesMax,
    limits,
    nowMs: () => clock.nowMs(),
    log,
  })
  const instruments = new InstrumentDesk({
    ask: live?.feed.instruments?.bind(live.feed),
    codes,
    reader: new QuoteReader(memory),
    writer: new QuoteWriter(memory),
    // In the night a terminal does not know a new stock yet, and tells what others were called the day before.
    dayMs: () => (isInvented(config) ? clock.nowMs() : serviceDayMs(clock.nowMs())),
    monotonicMs: parts.time.monotonicMs,
    limits,
    named: (names) => {
      for (const account of parties.accounts) parties.tell(account, { kind: 'named', names })
    },
    log,
  })
  const listing = new ListingDesk({
    source: sourceName,
    listed: live?.feed.listed?.bind(live.feed),
    details: live?.feed.instruments?.bind(live.feed),
    saved: parts.saved.listing,
    dayMs: () => serviceDayMs(clock.nowMs()),
    monotonicMs: parts.time.monotonicMs,
    limits,
    log,
  })
  const quotes = new QuoteDesk({
    sourceName,
    memory,
    closeRule: closeRuleOf(config),
    codes,
    bands,
    bars,
    saved: parts.saved.quotes,
    codesReserved: limits.codesReserved,
    want: (code, hint) => {
      market.want(code, hint)
      instruments.want(code)
    },
    isFedOnAsking: market.isFedOnAsking,
    monotonicMs: parts.time.monotonicMs,
    log,
  })
  const feed = new Feed({
    board,
    codes,
    bands,
    alarms: new AlarmFeed(memory),
    clock,
    parties,
    bars,
    log,
    quotes: new QuoteWriter(memory, closeRuleOf(config)),
    dayDue: () => void clockDesk.openDueDay(),
    isExact: market.isExact,
    meanwhile: market.meanwhile,
    overtakenMs: limits.quoteOvertakenMs,
    dayWaitMsMax: limits.dayWaitMsMax,
    exactWaitMsMax: limits.exactWaitMsMax,
    exactBlockMs: limits.exactBlockMs,
    exactHighLookMs: limits.exactHighLookMs,
    wakeTicksMax: limits.wakeTicksMax,
  })
  const clockDesk = new ClockDesk({
    clock,
    feed,
    parties,
    saved: parts.saved.clock,
    log,
    dayMs,
    quoteAheadMs: limits.quoteAheadMs,
    quoteLeadMs: limits.quoteLeadMs,
    quoteLeadWindowMs: limits.quoteLeadWindowMs,
    trusted: () => void quotes.show(),
  })
  return { board, clock, parties, feed, bars, quotes, instruments, listing, clockDesk, live }
}

function closeRuleOf(config: MarketConfig): CloseRule {
  if (isInvented(config)) return 'never'
  return config.source === 'replay' ? 'lastTick' : 'afterClose'
}

function barSource(config: MarketConfig, live: LiveMarket | undefined): BarSource {
  if (config.source === 'simulated') return { kind: 'simulated', seed: config.seed }
  if (live === undefined) return { kind: 'replay' }
  const { source: name } = config
  return { kind: 'live', name, fetch: live.fetch, isInvented: isInvented(config) }
}
