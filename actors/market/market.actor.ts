import type { MessagePort } from 'node:worker_threads'
import type { MarketConfig } from '../../src/config/schema.ts'
import { ServiceError } from '../../src/domain/errors.ts'
import type { ClockWriter } from '../../src/market/clock.ts'
import { Replay } from '../../src/market/replay.ts'
import { checkReplayFile, type ReplayFile } from '../../src/market/replay-cursor.ts'
import type { SavedReplay } from '../../src/market/saved.ts'
import { SimulatedSource } from '../../src/market/simulated.ts'
import type { MarketSource } from '../../src/ports/market-source.port.ts'
import type { MarketReplies, MarketRequest } from '../../src/protocol/market.ts'
import type { ActorBoard } from '../../src/runtime/actor-board.ts'
import { inTurn } from '../../src/runtime/in-turn.ts'
import type { BarDesk } from './bar-desk.ts'
import type { ClockDesk } from './clock-desk.ts'
import { type MarketParts, wireDesks } from './desks.ts'
import type { Feed } from './feed.ts'
import type { InstrumentDesk } from './instrument-desk.ts'
import type { ListingDesk } from './listing-desk.ts'
import type { Parties } from './parties.ts'
import type { QuoteDesk } from './quote-desk.ts'
import type { QuoteGiver } from './quote-giver.ts'
import { openGiver, sourceNameOf } from './sharing.ts'

type Source =
  | { readonly kind: 'simulated'; readonly feed: SimulatedSource }
  | { readonly kind: 'replay'; readonly feed: Replay }
  | { readonly kind: 'live'; readonly feed: MarketSource }

/**
 * The market of a process: one source, the board, the bands, the clock. Opened, it answers requests;
 * it feeds from {@link start} to {@link stop}.
 */
export class MarketActor {
  readonly #parts: MarketParts
  readonly #board: ActorBoard
  readonly #clock: ClockWriter
  readonly #parties: Parties
  readonly #feed: Feed
  readonly #bars: BarDesk
  readonly #quotes: QuoteDesk
  readonly #instruments: InstrumentDesk
  readonly #listing: ListingDesk
  readonly #clockDesk: ClockDesk
  readonly #timers: NodeJS.Timeout[] = []
  /** Quotes and bars of one source are not shown under another. */
  readonly #sourceName: string
  /** Where other nodes take quotes from here. */
  readonly #giver: QuoteGiver | undefined
  #source: Source | undefined
  #hasStarted = false
  /** Ticks written when the quotes were last saved. */
  #savedAt = 0
  #stopped: Promise<void> | undefined

  private constructor(parts: MarketParts, sourceName: string) {
    const desks = wireDesks(parts, sourceName, {
      answer: (request, actor) => this.answer(request, actor),
      want: (code, hint) => this.#source?.feed.want(code, hint),
      isFedOnAsking: () => this.#hasStarted && this.#isFedByWish,
      isExact: () => this.#source?.kind === 'replay' && this.#source.feed.exact,
      meanwhile: () => this.#source?.kind === 'replay' && this.#source.feed.readAhead(),
    })
    this.#parts = parts
    this.#sourceName = sourceName
    this.#board = desks.board
    this.#clock = desks.clock
    this.#parties = desks.parties
    this.#feed = desks.feed
    this.#bars = desks.bars
    this.#quotes = desks.quotes
    this.#instruments = desks.instruments
    this.#listing = desks.listing
    this.#clockDesk = desks.clockDesk
    if (desks.live !== undefined) this.#source = { kind: 'live', feed: desks.live.feed }
    this.#giver = openGiver(parts, (code, hint) => this.#quotes.askedElsewhere(code, hint))
  }

  /**
   * Takes up what an earlier process saved: position, clock, last quotes. Feeds nothing yet.
   *
   * Errors  throws one line when the replay file is missing or cannot be read.
   */
  static async open(parts: MarketParts): Promise<MarketActor> {
    const { config } = parts
    if (config.source === 'replay') {
      const file = await checkReplayFile(config.file)
      if (!file.ok) throw new Error(file.error)
      const from = await savedOf(file.value, parts.saved.replay)
      // Whatever else is kept of it goes by the name that it was given first.
      const identity = from?.file ?? file.value.identity
      const market = new MarketActor(parts, identity)
      await market.#openReplay(config, { ...file.value, identity }, from)
      return market
    }
    const market = new MarketActor(parts, sourceNameOf(config))
    if (config.source === 'simulated') await market.#openSimulated(config)
    else await market.#openLive()
    return market
  }

  introduce(name: string, port: MessagePort | null, info: unknown): void {
    this.#parties.introduce(name, port, info)
  }

  /** Begins to feed. Resolves when the day has been opened. */
  async start(): Promise<void> {
    if (this.#hasStarted || this.#stopped !== undefined) return
    this.#hasStarted = true
    const { limits } = this.#parts
    if (this.#clock.followsTicks) await this.#feed.openDay(this.#clock.nowMs())
    else await this.#clockDesk.openDueDay()
    this.#every(limits.dayCheckMs, () => this.#checkClock())
    this.#every(limits.clockSaveEveryMs, () => this.#clockDesk.save())
    this.#every(limits.quotesSaveEveryMs, () => this.#saveInPassing())
    this.#every(limits.instrumentsLookMs, () => this.#instruments.look())
    this.#every(limits.instrumentsLookMs, () => this.#listing.look())
    this.#bars.start()
    this.#every(HOUR_MS, () => this.#bars.forgetOld()) // once a day, also of a computer that is off at night
    const isLive = this.#source?.kind === 'live'
    this.#source?.feed.start(
      (tick) => {
        if (isLive && (!this.#clockDesk.isSound(tick) || this.#feed.isOvertaken(tick))) return
        if (isLive) this.#quotes.lay(tick.stock_code)
        this.#giver?.offer(tick)
        return this.#feed.tick(tick)
      },
      () => this.#tellTerminal(),
    )
    this.#giver?.start()
  }

  /** Where quotes come from again, the list of stocks may be had, and the accounts of that terminal may connect again. */
  #tellTerminal(): void {
    this.#parts.log.info({}, 'the source gives quotes')
    this.#listing.again()
    const { reconnectTurnMs } = this.#parts.limits
    inTurn(this.#parties.accounts, reconnectTurnMs, (account) => {
      this.#parties.tell(account, { kind: 'terminalSeen' })
    })
  }

  /** Saves and stops feeding; resolves when all is quiet, or late with a warning. */
  stop(): Promise<void> {
    this.#stopped ??= this.#stop()
    return this.#stopped
  }

  /** Errors  `NOT_A_REPLAY`, `OVERLOADED`, `STOPPING`. */
  async answer(
    request: MarketRequest,
    actor: number | undefined,
  ): Promise<MarketReplies[MarketRequest['kind']]> {
    switch (request.kind) {
      case 'start':
        await this.start()
        return null
      case 'watch': {
        const watched = this.#quotes.watch(request.codes, actor)
        const names = this.#instruments.namesOf(Object.keys(watched.slots))
        return Object.keys(names).length === 0 ? watched : { ...watched, names }
      }
      case 'ticks':
        if (request.waitMs !== undefined)
          await this.#quotes.firstQuotes(request.codes, request.waitMs)
        return this.#quotes.ticks(request.codes)
      case 'bars':
        this.#quotes.slotAsked(request.code)
        return this.#bars.read(request)
      case 'barCount':
        return this.#bars.count(request)
      case 'download':
        this.#quotes.slotAsked(request.code)
        return this.#bars.download(request)
      case 'brokerTime':
        this.#clockDesk.hear(request.timeMs, 'broker')
        return null
      case 'listing':
        return this.#listing.answer(request.known)
      case 'origin':
        return this.#origin()
      case 'replayStatus':
        return this.#replay().countedStatus()
      case 'replayPlay':
        return this.#play(request)
      case 'replayPause':
        return this.#replay().pause()
      case 'replayRewind':
        return this.#replay().rewind()
      case 'stop':
        await this.stop()
        return null
    }
  }

  /** Its source gives quotes of whatever code it is asked for. */
  get #isFedByWish(): boolean {
    return this.#source?.kind === 'simulated' || this.#source?.kind === 'live'
  }

  #origin(): MarketReplies['origin'] {
    const live = this.#source?.kind === 'live' ? this.#source.feed : undefined
    const from = live?.from?.()
    const given = this.#giver?.count ?? 0
    return { source: this.#parts.config.source, ...(from && { from }), given }
  }

  #play({ until, speed }: Extract<MarketRequest, { kind: 'replayPlay' }>) {
    return this.#replay().play({
      ...(until !== undefined && { untilMs: until }),
      ...(speed !== undefined && { speed }),
    })
  }

  #replay(): Replay {
    if (this.#source?.kind !== 'replay') {
      throw new ServiceError('NOT_A_REPLAY', '行情源不是回放 (the market source is not a replay)')
    }
    if (this.#stopped !== undefined) throw new ServiceError('STOPPING', 'the market is stopping')
    return this.#source.feed
  }

  async #openSimulated(config: Extract<MarketConfig, { source: 'simulated' }>): Promise<void> {
    const { seed, interval_ms: intervalMs, speed } = config
    await this.#quotes.load()
    const resume = this.#quotes.show()
    await this.#clockDesk.start(resume)
    const nowMs = () => this.#clock.nowMs()
    const elsewhere = (code: string) => this.#quotes.keptElsewhere(code)
    const { startPrices = new Map() } = this.#parts
    const options = { seed, intervalMs, speed, nowMs, resume, elsewhere, startPrices }
    const feed = new SimulatedSource(options)
    this.#source = { kind: 'simulated', feed }
  }

  /**
   * The last quotes of an earlier process stand, with their time, until newer ones come; but not while
   * the clock is in doubt, because it shows the time of that process too and they would look fresh. It always is at
   * first, where the computer was off over night.
   */
  async #openLive(): Promise<void> {
    if (this.#source === undefined) throw new Error(`nobody brings the market ${this.#sourceName}`)
    await this.#clockDesk.start(await this.#quotes.load())
    if (!this.#clock.isDoubted) this.#quotes.show()
  }

  async #openReplay(
    config: Extract<MarketConfig, { source: 'replay' }>,
    file: ReplayFile,
    from: SavedReplay | undefined,
  ): Promise<void> {
    const feed = await Replay.open(this.#replayOptions(config, file), from)
    this.#source = { kind: 'replay', feed }
    await this.#quotes.restoreReplay(from?.position.timeMs ?? null)
    await this.#setClock(feed, from)
  }

  #replayOptions(
    { speed, autostart }: { speed: number | 'max'; autostart: boolean },
    file: ReplayFile,
  ) {
    const { limits, saved, log, time } = this.#parts
    return {
      file,
      speed,
      autostart,
      limits,
      saved: saved.replay,
      log,
      clockMs: () => this.#clock.nowMs(),
      monotonicMs: time.monotonicMs,
      settled: () => this.#feed.settled(),
      standingStill: async () => this.#feed.lookAtHighs(),
      onFinished: () => {
        this.#clock.runOn()
        void this.#saveQuotes()
      },
      onRewound: () => this.#clock.hold(),
    }
  }

  /** Before the first tick the clock shows the saved time, else that of the first tick: never today's. */
  async #setClock(feed: Replay, from: SavedReplay | undefined): Promise<void> {
    if (from === undefined) {
      const firstMs = await feed.peekMs()
      if (firstMs !== undefined) this.#clock.follow(firstMs)
      else this.#parts.log.error({ file: this.#sourceName }, 'the replay file has no tick')
      return
    }
    this.#clock.follow(from.clockMs)
    if (from.position.timeMs !== null) this.#feed.resumeDay(from.clockMs)
    if (from.state === 'finished') this.#clock.runOn()
  }

  #checkClock(): void {
    this.#clockDesk.look()
    if (this.#clock.followsTicks) return
    void this.#clockDesk.openDueDay()
    void this.#feed.wake()
  }

  #saveInPassing(): void {
    if (this.#feed.written !== this.#savedAt) void this.#saveQuotes()
    if (this.#source?.kind === 'replay') void this.#source.feed.saveClock()
  }

  #saveQuotes(): Promise<void> {
    this.#savedAt = this.#feed.written
    return this.#quotes.save()
  }

  async #stop(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer)
    const { stopWaitMsMax } = this.#parts.limits
    await within(stopWaitMsMax, this.#giver?.stop())
    // An actor that never ends its work holds up an exact replay: what was saved in passing must do then.
    const hasEnded = await within(stopWaitMsMax, this.#source?.feed.stop())
    await this.#saveQuotes()
    this.#clockDesk.look()
    await this.#clockDesk.save()
    await this.#bars.stop()
    const isQuiet = await this.#board.untilQuiet(stopWaitMsMax)
    if (!hasEnded || !isQuiet) this.#parts.log.warn({}, 'the market stops while an actor is busy')
  }

  #every(ms: number, work: () => unknown): void {
    this.#timers.push(setInterval(() => void work(), ms))
  }
}

/** Between two looks at what is old; each day is dealt with once. */
const HOUR_MS = 3_600_000

/** False when it takes longer than `ms`. */
async function within(ms: number, work: Promise<void> | undefined): Promise<boolean> {
  const late = Promise.withResolvers<false>()
  const timer = setTimeout(late.resolve, ms, false)
  const inTime = await Promise.race([Promise.resolve(work).then(() => true), late.promise])
  clearTimeout(timer)
  return inTime
}

/**
 * Where this process was in the file. One that has never played it goes on where the last of the others was: what an
 * account has acted on already it ignores, and what was left out would never come again.
 */
async function savedOf(
  { identity, formerIdentity }: ReplayFile,
  replay: MarketParts['saved']['replay'],
): Promise<SavedReplay | undefined> {
  const isIts = ({ file }: SavedReplay) => file === identity || file === formerIdentity
  const own = await replay.load()
  if (own !== undefined && isIts(own)) return own
  const others = (await replay.others()).filter(isIts)
  return others.toSorted((a, b) => a.position.offset - b.position.offset)[0]
}
