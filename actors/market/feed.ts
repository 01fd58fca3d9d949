import { DAY_MS, exchangeDay, exchangeDayStartMs } from '../../src/domain/exchange-time.ts'
import type { AlarmFeed } from '../../src/market/alarms.ts'
import type { BandFeed } from '../../src/market/bands.ts'
import type { ClockWriter } from '../../src/market/clock.ts'
import type { CodeTable } from '../../src/market/codes.ts'
import { PAPER_SLOT } from '../../src/market/memory.ts'
import type { QuoteWriter } from '../../src/market/quote-board.ts'
import type { MarketLog } from '../../src/market/saved.ts'
import type { MarketEvent, Tick } from '../../src/protocol/market.ts'
import type { ActorBoard } from '../../src/runtime/actor-board.ts'
import type { BarDesk } from './bar-desk.ts'
import type { Parties } from './parties.ts'

export interface FeedOptions {
  readonly board: ActorBoard
  readonly codes: CodeTable
  readonly quotes: QuoteWriter
  readonly bands: BandFeed
  readonly alarms: AlarmFeed
  readonly clock: ClockWriter
  readonly bars: BarDesk
  readonly parties: Parties
  readonly log: MarketLog
  /** Called with a tick of a later day while the clock does not follow ticks: opens the day that is due, if any. */
  readonly dayDue: () => void
  /** Whether each tick must be worked off before the next. */
  readonly isExact: () => boolean
  /** How long a quote keeps out older ones that come after it. */
  readonly overtakenMs: number
  /** Longest wait for a day to be taken in when the feed is not exact: one stuck account holds up nobody for longer. */
  readonly dayWaitMsMax: number
  /** Longest wait of an exact replay for one tick. */
  readonly exactWaitMsMax: number
  /** Of it, how long nobody else is heard: an account that asks the market meanwhile waits for so long. */
  readonly exactBlockMs: number
  /** Some work of the source while it is waited for, a little at each call; false when none is left. */
  readonly meanwhile: () => boolean
  /** Market time after which new highs that decide nothing are looked at in an exact replay. */
  readonly exactHighLookMs: number
  /** Ticks of one turn after which the accounts that the first of them concerns are woken, when the feed is not exact. */
  readonly wakeTicksMax: number
}

/**
 * What happens with a tick: clock, board, bands, wake-ups, in this order, so that whoever is woken sees
 * the quote and never a quote that is newer than the clock.
 *
 * Exact   the paper client is woken first and the feed waits until all is decided; then the accounts,
 *   one after the other, because what they send to the paper client must arrive in the same order
 *   in every run. A tick that crosses nothing waits for nobody. A decision that sends nothing is not
 *   waited for on its way to the disk; only whoever saves how far the replay has come waits for that
 *   ({@link Feed.settled}), so no saved position is ahead of an account. New highs that decide nothing are
 *   looked at together, at moments that follow from the ticks alone ({@link Feed.lookAtHighs}).
 */
export class Feed {
  readonly #options: FeedOptions
  #dayEndMs = Number.NEGATIVE_INFINITY
  #opening: Promise<void> | undefined
  /** Behind a tick that waits the others wait in one line, or an older price would be written last. */
  #line: Promise<void> | undefined
  /** Before the first tick of this time the new highs that are noted are looked at. */
  #highsDueMs = Number.POSITIVE_INFINITY
  #isFull = false
  #written = 0
  /** Ticks since the oldest wake-up that waits. */
  #unrung = 0
  #overtaken = 0
  #overtakenToldMs = Number.NEGATIVE_INFINITY

  constructor(options: FeedOptions) {
    this.#options = options
  }

  /** Ticks written to the board so far. */
  get written(): number {
    return this.#written
  }

  /** The day of this time has been opened by an earlier process; the next one will be told. */
  resumeDay(timeMs: number): void {
    this.#dayEndMs = dayEndMs(timeMs)
    this.#options.clock.openDay(timeMs)
  }

  /** The clock was set back: whatever day it opens next is told. */
  forgetDay(): void {
    this.#dayEndMs = Number.NEGATIVE_INFINITY
  }

  /** In a replay the ticks open the days. */
  #enter(timeMs: number): void {
    if (this.#options.clock.followsTicks) void this.openDay(timeMs)
    else this.#options.dayDue()
  }

  /**
   * Whether a live quote has come after a newer one of its code, as quotes do that a feed had kept back while
   * it was away: its price is over, and no stop may fall for it.
   */
  isOvertaken({ stock_code: code, time }: Tick): boolean {
    const { clock, codes, log, overtakenMs, quotes } = this.#options
    const slot = codes.slotOf(code)
    const nowMs = clock.nowMs()
    if (slot === undefined || !quotes.isOvertaken(slot, time, nowMs, overtakenMs)) return false
    this.#overtaken += 1
    // A feed that comes back may bring thousands.
    if (Math.abs(nowMs - this.#overtakenToldMs) >= overtakenMs) {
      this.#overtakenToldMs = nowMs
      log.warn(
        { code, quotedMs: time, count: this.#overtaken },
        'quotes came after newer ones: left out',
      )
    }
    return true
  }

  /** Returns a promise only when the next tick must wait for it. */
  tick(tick: Tick): Promise<void> | void {
    const taken = this.#line === undefined ? this.#take(tick) : this.#takeBehind(this.#line, tick)
    if (taken === undefined) return
    const line = taken.finally(() => {
      if (this.#line === line) this.#line = undefined
    })
    this.#line = line
    return line
  }

  #takeBehind(line: Promise<void>, tick: Tick): Promise<void> {
    const take = () => this.#take(tick)
    return line.then(take, take)
  }

  #take(tick: Tick): Promise<void> | void {
    const { board, isExact, bars } = this.#options
    if (bars.isFull) return bars.flush().then(() => this.#take(tick))
    if (tick.time >= this.#highsDueMs || (this.#areHighsLeft && !isExact())) {
      const looked = this.lookAtHighs()
      if (looked !== undefined) return looked.then(() => this.#take(tick))
    }
    if (tick.time >= this.#dayEndMs) this.#enter(tick.time)
    if (this.#opening !== undefined) return this.#opening.then(() => this.#take(tick))
    if (!isExact()) {
      this.#sendFreely(tick)
      return this.wake()
    }
    if (board.isDecided()) return this.#sendThenWake(tick)
    return this.#decidedThen(() => this.#sendThenWake(tick))
  }

  get #areHighsLeft(): boolean {
    return this.#highsDueMs < Number.POSITIVE_INFINITY
  }

  /**
   * Accounts that an exact replay did not wake for a new high look at it: after a while of market time, before the
   * day is over, before a tick takes a high of the day back, and before the replay stands still. Returns a promise only when one takes its time.
   */
  lookAtHighs(): Promise<void> | void {
    if (!this.#areHighsLeft) return
    this.#highsDueMs = Number.POSITIVE_INFINITY
    const { bands, parties } = this.#options
    return this.#decidedThen(() => {
      const actors = parties.accounts.filter((actor) => bands.hasCrossed(actor))
      return this.#inTurn(actors, 0, (actor) => parties.wake(actor))
    })
  }

  #sendThenWake(tick: Tick): Promise<void> | void {
    const sent = this.#sendExactly(tick)
    return sent === undefined ? this.wake() : sent.then(() => this.wake())
  }

  /** Wakes the accounts whose moment the clock has passed. Returns a promise only when the next tick must wait for it. */
  wake(): Promise<void> | void {
    const { alarms, clock, isExact, parties } = this.#options
    if (!alarms.isAnySet) return
    const nowMs = clock.nowMs()
    if (!alarms.isDue(nowMs)) return
    const due = alarms.takeDue(nowMs)
    if (isExact()) return this.#inTurn(due, 0, (actor) => parties.tell(actor, { kind: 'alarm' }))
    for (const actor of due) parties.tell(actor, { kind: 'alarm' })
  }

  /** One actor after the other, each once the one before has decided. Returns a promise only when one takes its time. */
  #inTurn(
    actors: readonly number[],
    from: number,
    ring: (actor: number) => void,
  ): Promise<void> | void {
    const actor = actors[from]
    if (actor === undefined) return
    ring(actor)
    return this.#decidedThen(() => this.#inTurn(actors, from + 1, ring))
  }

  /** At once where everybody is done, or will be in a moment. */
  #decidedThen(next: () => Promise<void> | void): Promise<void> | void {
    const { board, exactBlockMs, meanwhile } = this.#options
    if (board.isDecidedWithin(exactBlockMs, meanwhile)) return next()
    return this.#exactlyDecided().then(next)
  }

  /** Tells that the clock has entered the day of this time, if that is news. Resolves when it is taken in. */
  openDay(timeMs: number): Promise<void> {
    if (timeMs < this.#dayEndMs) return this.#opening ?? Promise.resolve()
    this.#dayEndMs = dayEndMs(timeMs)
    this.#options.clock.advance(timeMs)
    const before = this.#opening ?? Promise.resolve()
    const opening = before
      .then(() => this.#tellDay(timeMs))
      .finally(() => {
        if (this.#opening === opening) this.#opening = undefined
      })
    this.#opening = opening
    return opening
  }

  async #tellDay(timeMs: number): Promise<void> {
    const { parties } = this.#options
    const event: MarketEvent = { kind: 'dayOpened', day: exchangeDay(timeMs), timeMs }
    await this.#quiet()
    this.#options.clock.openDay(timeMs)
    parties.tell(PAPER_SLOT, event)
    await this.#quiet()
    for (const account of parties.accounts) {
      parties.tell(account, event)
      if (this.#options.isExact()) await this.#quiet()
    }
    await this.#quiet()
  }

  async #quiet(): Promise<void> {
    const { board, isExact, dayWaitMsMax, log } = this.#options
    if (isExact()) return this.#exactlyDecided()
    const isQuiet = await board.untilQuiet(dayWaitMsMax)
    if (!isQuiet) log.warn({}, 'the day has opened while an actor is still busy')
  }

  /** Waits for everybody, however long the work takes, but not for a message that was lost with its sender, nor for the disk. */
  async #exactlyDecided(): Promise<void> {
    const { board, exactWaitMsMax } = this.#options
    if (!(await board.untilDecided(exactWaitMsMax))) this.#forgive()
  }

  #forgive(): void {
    const { board, exactWaitMsMax, log } = this.#options
    log.error({ waitedMs: exactWaitMsMax }, 'a tick was not finished with; the replay goes on')
    board.forgiveInFlight()
  }

  /** Resolves when all that an exact replay has led to so far is on disk; at once when it is not exact. */
  async settled(): Promise<void> {
    const { board, isExact, exactWaitMsMax } = this.#options
    if (!isExact() || board.isQuiet()) return
    if (!(await board.untilQuiet(exactWaitMsMax))) this.#forgive()
  }

  #sendFreely(tick: Tick): void {
    const { bands, parties, quotes } = this.#options
    const slot = this.#slotOf(tick)
    if (slot === undefined) return
    const price = this.#write(slot, tick)
    // Nothing trades without a price; an account must know that its quote has none.
    if (price > 0 && bands.crossPaper(slot, price)) parties.wakeSoon(PAPER_SLOT)
    const count = bands.crossAccounts(slot, price, quotes)
    for (let index = 0; index < count; index++) parties.wakeSoon(bands.crossedAt(index))
    this.#unrung = parties.isBellWaiting ? this.#unrung + 1 : 0
    if (this.#unrung < this.#options.wakeTicksMax) return
    this.#unrung = 0
    parties.ring()
  }

  #sendExactly(tick: Tick): Promise<void> | void {
    const { bands, quotes } = this.#options
    const slot = this.#slotOf(tick)
    if (slot === undefined) return
    if (this.#areHighsLeft && quotes.takesHighBack(slot, tick)) {
      const looked = this.lookAtHighs()
      if (looked !== undefined) return looked.then(() => this.#sendExactly(tick))
    }
    const price = this.#write(slot, tick)
    if (price > 0 && bands.crossPaper(slot, price)) return this.#ringPaperFirst(slot, price)
    const count = bands.crossAccounts(slot, price, quotes, true)
    if (bands.isHighLeft && !this.#areHighsLeft) {
      this.#highsDueMs = Math.min(tick.time + this.#options.exactHighLookMs, this.#dayEndMs)
    }
    if (count > 0) return this.#ringInTurn(count)
  }

  #ringPaperFirst(slot: number, price: number): Promise<void> | void {
    const { bands, parties, quotes } = this.#options
    const { newHigh, hasOtherClose } = quotes // the next tick writes others
    parties.wake(PAPER_SLOT)
    // Only then: what the paper client told the accounts may have moved their bands.
    return this.#decidedThen(() =>
      this.#ringInTurn(bands.crossAccounts(slot, price, { newHigh, hasOtherClose })),
    )
  }

  #ringInTurn(count: number): Promise<void> | void {
    const { bands, parties } = this.#options
    const crossed = Array.from({ length: count }, (_, index) => bands.crossedAt(index))
    return this.#inTurn(crossed, 0, (actor) => parties.wake(actor))
  }

  #write(slot: number, tick: Tick): number {
    this.#options.clock.advance(tick.time)
    this.#written++
    const price = this.#options.quotes.write(slot, tick)
    if (price !== 0) this.#options.bars.tick(slot, tick, price)
    return price
  }

  #slotOf(tick: Tick): number | undefined {
    const slot = this.#options.codes.assign(tick.stock_code)
    if (slot === undefined && !this.#isFull) {
      this.#isFull = true
      const { size } = this.#options.codes
      this.#options.log.error({ code: tick.stock_code, codes: size }, 'the quote board is full')
    }
    return slot
  }
}

const dayEndMs = (timeMs: number): number => exchangeDayStartMs(exchangeDay(timeMs)) + DAY_MS
