import type { Bands } from '../ports/quotes.port.ts'
import {
  BAND_PRICE_MAX,
  BAND_WORDS,
  CROSSED_BITS,
  crossedWords,
  type MarketMemory,
  PAPER_SLOT,
} from './memory.ts'
import { QuoteReader } from './quote-board.ts'

/**
 * A band is two words, low end and headroom = BAND_PRICE_MAX - high end, so that zero-filled memory
 * is the band that holds every price.
 */
class BandTable {
  readonly #words: Int32Array
  readonly #actorSlots: number

  constructor({ bands, actorSlots }: MarketMemory) {
    this.#words = new Int32Array(bands)
    this.#actorSlots = actorSlots
  }

  set(slot: number, actor: number, low: number, high: number): void {
    const at = (slot * this.#actorSlots + actor) * BAND_WORDS
    Atomics.store(this.#words, at, bandPrice(Math.ceil(low)))
    Atomics.store(this.#words, at + 1, BAND_PRICE_MAX - bandPrice(Math.floor(high)))
  }
  clear(slot: number, actor: number): void {
    this.set(slot, actor, 0, BAND_PRICE_MAX)
  }
  /**
   * What is read by {@link isOutside} after it is at least as new as now. An atomic read of each word
   * would be a call each, and most of what a tick costs.
   */
  look(): void {
    Atomics.load(this.#words, 0)
  }
  isOutside(slot: number, actor: number, price: number): boolean {
    const at = (slot * this.#actorSlots + actor) * BAND_WORDS
    const low = this.#words[at] as number
    const high = BAND_PRICE_MAX - (this.#words[at + 1] as number)
    return price < low || (price > high && (high < BAND_PRICE_MAX || low > 0))
  }
}

const bandPrice = (price: number): number => Math.min(Math.max(price, 0), BAND_PRICE_MAX)

/** One bit per actor and code: a price has left the band and the actor has not looked yet. */
class CrossedFlags {
  readonly #words: Int32Array
  readonly #perActor: number

  constructor({ crossed, codesMax }: MarketMemory) {
    this.#words = new Int32Array(crossed)
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
export class ActorBands implements Bands {
  readonly #actor: number
  readonly #table: BandTable
  readonly #flags: CrossedFlags
  readonly #wakeUps: Int32Array
  readonly #quotes: QuoteReader
  /** Sequence number of the row when its flag was last taken. */
  readonly #taken: Int32Array
  /** High of the day of the row at that moment. */
  readonly #takenHigh: Float64Array

  constructor(memory: MarketMemory, actor: number) {
    this.#actor = actor
    this.#table = new BandTable(memory)
    this.#flags = new CrossedFlags(memory)
    this.#wakeUps = new Int32Array(memory.wakeUps)
    this.#quotes = new QuoteReader(memory)
    this.#taken = new Int32Array(memory.codesMax)
    this.#takenHigh = new Float64Array(memory.codesMax)
  }

  /** Throws on NaN, which would silently never ring. */
  set(slot: number, low: number, high: number): void {
    if (Number.isNaN(low) || Number.isNaN(high)) throw new RangeError(`band: ${low} … ${high}`)
    this.#table.set(slot, this.#actor, low, high)
    if (this.#quotes.sequence(slot) === this.#taken[slot]) return
    const price = this.#quotes.lastPrice(slot)
    const dayHigh = this.#quotes.high(slot)
    this.#table.look()
    if (price <= 0) return
    const isNewHigh = dayHigh > price && dayHigh !== this.#takenHigh[slot]
    if (
      this.#table.isOutside(slot, this.#actor, price) ||
      (isNewHigh && this.#table.isOutside(slot, this.#actor, dayHigh))
    ) {
      this.#flags.raise(slot, this.#actor)
    }
  }

  clear(slot: number): void {
    this.#table.clear(slot, this.#actor)
  }

  takeCrossed(): readonly number[] {
    // First the wake-up, then the flags: one that is raised in between brings a new bell.
    Atomics.store(this.#wakeUps, this.#actor, 0)
    const slots = this.#flags.take(this.#actor)
    for (const slot of slots) {
      this.#taken[slot] = this.#quotes.sequence(slot)
      this.#takenHigh[slot] = this.#quotes.high(slot)
    }
    return slots
  }
}

/** The side of the market thread: who watches what, whose band a price has left, who needs a wake-up. */
export class BandFeed {
  readonly #table: BandTable
  readonly #flags: CrossedFlags
  readonly #wakeUps: Int32Array
  /** Watching actors of each code, ascending, the paper client apart. */
  readonly #accounts: number[][]
  readonly #paper: Uint8Array
  readonly #crossed: Int32Array

  constructor(memory: MarketMemory) {
    this.#table = new BandTable(memory)
    this.#flags = new CrossedFlags(memory)
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
    Atomics.store(this.#wakeUps, actor, 0)
  }

  /** Whether the price has left the band of the paper client; raises its flag. */
  crossPaper(slot: number, price: number): boolean {
    if (this.#paper[slot] !== 1) return false
    this.#table.look()
    if (!this.#table.isOutside(slot, PAPER_SLOT, price)) return false
    this.#flags.raise(slot, PAPER_SLOT)
    return true
  }

  /**
   * Number of accounts whose band the price has left, or the high of the day that it brings (0 = none that is
   * new and above it), or of all where bands say nothing; raises their flags and keeps them for {@link crossedAt}.
   */
  crossAccounts(slot: number, price: number, newHigh: number, isOfAll = false): number {
    const actors = this.#accounts[slot]
    if (actors === undefined) return 0
    this.#table.look()
    let count = 0
    for (let at = 0; at < actors.length; at++) {
      const actor = actors[at] as number
      const isCrossed =
        isOfAll ||
        this.#table.isOutside(slot, actor, price) ||
        (newHigh > 0 && this.#table.isOutside(slot, actor, newHigh))
      if (!isCrossed) continue
      this.#flags.raise(slot, actor)
      this.#crossed[count++] = actor
    }
    return count
  }
  crossedAt(index: number): number {
    return this.#crossed[index] ?? PAPER_SLOT
  }

  /** Whether a wake-up must be sent: none is on its way. */
  wake(actor: number): boolean {
    return Atomics.exchange(this.#wakeUps, actor, 1) === 0
  }
  hasCrossed(actor: number): boolean {
    return this.#flags.any(actor)
  }
}
