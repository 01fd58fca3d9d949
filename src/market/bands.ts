import type { AccountBands } from '../ports/quotes.port.ts'
import {
  BAND_PRICE_MAX,
  BAND_WORDS,
  CROSSED_BITS,
  crossedWords,
  type MarketMemory,
  PAPER_SLOT,
} from './memory.ts'
import { QuoteReader } from './quote-board.ts'

/** Where a price stands to a band. */
const INSIDE = 0
/** Above it, where it makes a new high and nothing else. */
const NEW_HIGH = 1
const OUTSIDE = 2
type Place = typeof INSIDE | typeof NEW_HIGH | typeof OUTSIDE

/**
 * A band is three words, low end and headroom = BAND_PRICE_MAX - high end, of the band and of the quiet prices above
 * it, so that zero-filled memory is the band that holds every price.
 */
class BandTable {
  readonly #words: Int32Array
  readonly #actorSlots: number

  constructor({ bands, actorSlots }: MarketMemory) {
    this.#words = new Int32Array(bands)
    this.#actorSlots = actorSlots
  }

  set(slot: number, actor: number, low: number, high: number, quiet: number): void {
    const at = (slot * this.#actorSlots + actor) * BAND_WORDS
    Atomics.store(this.#words, at, bandPrice(Math.ceil(low)))
    Atomics.store(this.#words, at + 1, BAND_PRICE_MAX - bandPrice(Math.floor(high)))
    Atomics.store(this.#words, at + 2, BAND_PRICE_MAX - bandPrice(Math.floor(quiet)))
  }
  clear(slot: number, actor: number): void {
    this.set(slot, actor, 0, BAND_PRICE_MAX, BAND_PRICE_MAX)
  }
  /**
   * What is read by {@link placeOf} after it is at least as new as now. An atomic read of each word
   * would be a call each, and most of what a tick costs.
   */
  look(): void {
    Atomics.load(this.#words, 0)
  }
  /** `isHighTold`: the tick has told a high of the day, without which nothing keeps a new one. */
  placeOf(slot: number, actor: number, price: number, isHighTold: boolean): Place {
    const at = (slot * this.#actorSlots + actor) * BAND_WORDS
    const low = this.#words[at] as number
    const high = BAND_PRICE_MAX - (this.#words[at + 1] as number)
    if (price < low) return OUTSIDE
    if (price <= high || (high === BAND_PRICE_MAX && low === 0)) return INSIDE
    const quiet = BAND_PRICE_MAX - (this.#words[at + 2] as number)
    return isHighTold && price <= quiet ? NEW_HIGH : OUTSIDE
  }
}

const bandPrice = (price: number): number => Math.min(Math.max(price, 0), BAND_PRICE_MAX)

/** One bit per actor and code: a price has left the band and the actor has not looked yet. */
class CrossedFlags {
  readonly #words: Int32Array
  readonly #perActor: number

  constructor(words: SharedArrayBuffer, { codesMax }: MarketMemory) {
    this.#words = new Int32Array(words)
    this.#perActor = crossedWords(codesMax)
  }

  raise(slot: number, actor: number): void {
    const at = actor * this.#perActor + Math.floor(slot / CROSSED_BITS)
    Atomics.or(this.#words, at, 1 << (slot % CROSSED_BITS))
  }
  any(actor: number): boolean {
    const start = actor * this.#perActor
    for (let at = start; at < start + this.#perActor; at++) {
      if (Atomics.load(this.#words, at) !== 0) return true
    }
    return false
  }
  /** Lowest slot first. */
  take(actor: number): number[] {
    const slots: number[] = []
    const start = actor * this.#perActor
    for (let word = 0; word < this.#perActor; word++) {
      if (Atomics.load(this.#words, start + word) === 0) continue
      let bits = Atomics.exchange(this.#words, start + word, 0)
      while (bits !== 0) {
        const bit = 31 - Math.clz32(bits & -bits)
        slots.push(word * CROSSED_BITS + bit)
        bits &= bits - 1
      }
    }
    return slots
  }
}

/**
 * The bands of one actor, written by that actor alone.
 *
 * No wake-up is lost   The feed writes the quote and then reads the band; `set` writes the band and
 *   then reads the quote. Whichever comes second sees the other. When `set` finds a quote that is
 *   outside the new band and newer than what the actor last took, it raises the flag itself, and no
 *   bell follows. So an actor calls `takeCrossed` again after the last `set` of a step, until it
 *   comes back empty.
 * A quote that was already there when the actor took the flag does not raise it again: a band that
 *   always rings costs one look per tick, not an endless loop.
 * The high of the day leaves a band like a last price, once: with the tick that brings it.
 */
export class ActorBands implements AccountBands {
  readonly #actor: number
  readonly #table: BandTable
  readonly #flags: CrossedFlags
  readonly #noted: CrossedFlags
  readonly #wakeUps: Int32Array
  readonly #gathering: Int32Array
  readonly #quotes: QuoteReader
  /** Sequence number of the row when its flag was last taken. */
  readonly #taken: Int32Array
  /** High of the day of the row at that moment. */
  readonly #takenHigh: Float64Array

  constructor(memory: MarketMemory, actor: number) {
    this.#actor = actor
    this.#table = new BandTable(memory)
    this.#flags = new CrossedFlags(memory.crossed, memory)
    this.#noted = new CrossedFlags(memory.noted, memory)
    this.#gathering = new Int32Array(memory.gathering)
    this.#wakeUps = new Int32Array(memory.wakeUps)
    this.#quotes = new QuoteReader(memory)
    this.#taken = new Int32Array(memory.codesMax)
    this.#takenHigh = new Float64Array(memory.codesMax)
    this.gather(false) // whoever had the row before may have ended while it did
  }

  /** Throws on NaN, which would silently never ring. */
  set(slot: number, low: number, high: number, quiet = high): void {
    if ([low, high, quiet].some(Number.isNaN)) {
      throw new RangeError(`band: ${low} … ${high}, quiet up to ${quiet}`)
    }
    this.#table.set(slot, this.#actor, low, high, quiet)
    if (this.#quotes.sequence(slot) === this.#taken[slot]) return
    const price = this.#quotes.lastPrice(slot)
    const dayHigh = this.#quotes.high(slot)
    this.#table.look()
    if (price <= 0) return
    const isNewHigh = dayHigh > price && dayHigh !== this.#takenHigh[slot]
    const place = this.#table.placeOf(slot, this.#actor, price, dayHigh >= price)
    const highPlace = isNewHigh ? this.#table.placeOf(slot, this.#actor, dayHigh, true) : INSIDE
    const further = Math.max(place, highPlace)
    if (further === OUTSIDE) this.#flags.raise(slot, this.#actor)
    else if (further === NEW_HIGH) this.#noted.raise(slot, this.#actor)
  }

  clear(slot: number): void {
    this.#table.clear(slot, this.#actor)
  }

  takeCrossed(): readonly number[] {
    // First the wake-up, then the flags: one that is raised in between brings a new bell.
    Atomics.store(this.#wakeUps, this.#actor, 0)
    return this.#seen(this.#flags.take(this.#actor))
  }

  takeNoted(): readonly number[] {
    return this.#seen(this.#noted.take(this.#actor))
  }

  /** The feed raises a flag and then reads the word; whoever stops gathering takes what is noted once more. */
  gather(isGathering: boolean): void {
    Atomics.store(this.#gathering, this.#actor, isGathering ? 1 : 0)
  }

  #seen(slots: readonly number[]): readonly number[] {
    for (const slot of slots) {
      this.#taken[slot] = this.#quotes.sequence(slot)
      this.#takenHigh[slot] = this.#quotes.high(slot)
    }
    return slots
  }
}

/** What a tick has written besides its price; the writer of the board is one. */
export interface Written {
  /** The high of the day, when it is new and above the price; else 0. */
  readonly newHigh: number
  /** It judges all that was before anew: bands say nothing. */
  readonly hasOtherClose?: boolean
  /** The high of the day is told, and no price of the day is above it. */
  readonly isHighTold?: boolean
}

/** The side of the market thread: who watches what, whose band a price has left, who needs a wake-up. */
export class BandFeed {
  readonly #table: BandTable
  readonly #flags: CrossedFlags
  readonly #noted: CrossedFlags
  readonly #wakeUps: Int32Array
  readonly #gathering: Int32Array
  /** Watching actors of each code, ascending, the paper client apart. */
  readonly #accounts: number[][]
  readonly #paper: Uint8Array
  readonly #crossed: Int32Array
  #isHighLeft = false

  constructor(memory: MarketMemory) {
    this.#table = new BandTable(memory)
    this.#flags = new CrossedFlags(memory.crossed, memory)
    this.#noted = new CrossedFlags(memory.noted, memory)
    this.#gathering = new Int32Array(memory.gathering)
    this.#wakeUps = new Int32Array(memory.wakeUps)
    this.#accounts = Array.from({ length: memory.codesMax }, () => [])
    this.#paper = new Uint8Array(memory.codesMax)
    this.#crossed = new Int32Array(memory.actorSlots)
  }

  watch(slot: number, actor: number): void {
    if (actor === PAPER_SLOT) {
      this.#paper[slot] = 1
      return
    }
    const actors = this.#accounts[slot]
    if (actors === undefined || actors.includes(actor)) return
    actors.push(actor)
    actors.sort((left, right) => left - right)
  }

  /** Forgets everything of an actor that is gone. */
  drop(actor: number): void {
    for (let slot = 0; slot < this.#accounts.length; slot++) {
      const actors = this.#accounts[slot] ?? []
      const at = actors.indexOf(actor)
      if (at >= 0) actors.splice(at, 1)
      if (at >= 0 || actor === PAPER_SLOT) this.#table.clear(slot, actor)
    }
    if (actor === PAPER_SLOT) this.#paper.fill(0)
    this.#flags.take(actor)
    this.#noted.take(actor)
    Atomics.store(this.#wakeUps, actor, 0)
    Atomics.store(this.#gathering, actor, 0)
  }

  /** Whether the price has left the band of the paper client; raises its flag. */
  crossPaper(slot: number, price: number): boolean {
    if (this.#paper[slot] !== 1) return false
    this.#table.look()
    if (this.#table.placeOf(slot, PAPER_SLOT, price, false) === INSIDE) return false
    this.#flags.raise(slot, PAPER_SLOT)
    return true
  }

  /**
   * Number of accounts to be woken, kept for {@link crossedAt}: those whose band the price has left, or the new high
   * that it brings, or all where bands say nothing; raises their flags. What only makes a new high, and is kept by the
   * high of the day, wakes nobody who takes new highs by himself, and with `areHighsLeft` nobody at all.
   */
  crossAccounts(slot: number, price: number, written: Written, areHighsLeft = false): number {
    const actors = this.#accounts[slot]
    this.#isHighLeft = false
    if (actors === undefined) return 0
    this.#table.look()
    let count = 0
    for (let at = 0; at < actors.length; at++) {
      const actor = actors[at] as number
      const place =
        written.hasOtherClose === true ? OUTSIDE : this.#furthest(slot, actor, price, written)
      if (place === INSIDE) continue
      if (place === OUTSIDE) this.#flags.raise(slot, actor)
      else if (this.#note(slot, actor, areHighsLeft)) continue
      this.#crossed[count++] = actor
    }
    return count
  }

  /** Notes a new high; whether nobody is woken for it. */
  #note(slot: number, actor: number, isLeft: boolean): boolean {
    this.#noted.raise(slot, actor)
    if (!isLeft) return Atomics.load(this.#gathering, actor) === 1
    this.#isHighLeft = true
    return true
  }

  #furthest(
    slot: number,
    actor: number,
    price: number,
    { newHigh, isHighTold = false }: Written,
  ): Place {
    const place = this.#table.placeOf(slot, actor, price, isHighTold)
    if (newHigh <= 0 || place === OUTSIDE) return place
    const highPlace = this.#table.placeOf(slot, actor, newHigh, isHighTold)
    return highPlace > place ? highPlace : place
  }

  /** Whether the last {@link crossAccounts} has noted a new high and woken nobody for it. */
  get isHighLeft(): boolean {
    return this.#isHighLeft
  }

  crossedAt(index: number): number {
    return this.#crossed[index] ?? PAPER_SLOT
  }

  /** Whether a wake-up must be sent: none is on its way. */
  wake(actor: number): boolean {
    return Atomics.exchange(this.#wakeUps, actor, 1) === 0
  }
  hasCrossed(actor: number): boolean {
    return this.#flags.any(actor) || this.#noted.any(actor)
  }
}
