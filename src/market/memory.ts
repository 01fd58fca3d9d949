/** Largest number of codes that fit: beyond it the tables would not fit the counters below. */
const CODES_MAX = 1_048_576
/** Largest price that a band can name, ten-thousandths of a yuan: about 214,748 yuan. */
export const BAND_PRICE_MAX = 2 ** 31 - 1

/** A row of the quote board: 40 float64 (320 bytes, whole cache lines), of which the last holds the sequence number. */
export const ROW_FIELDS = 40
/** The sequence number of a row, in 32-bit words from its start. */
export const ROW_SEQUENCE_WORD = (ROW_FIELDS - 1) * 2
/** The word of the quotes that counts their writes. */
export const writesWord = (codesMax: number): number => codesMax * ROW_FIELDS * 2
/** Low end and two headrooms, see `bands.ts`. */
export const BAND_WORDS = 3
export const CROSSED_BITS = 32
/** The paper client, on the actor board and in the bands. */
export const PAPER_SLOT = 0
/** Float64 of the market clock, of which the first holds sequence and mode; see `clock.ts`. */
export const CLOCK_FIELDS = 8
/** Before the alarm times, which begin on a multiple of eight bytes. */
export const ALARM_HEADER_BYTES = 8

/**
 * All that the market shares with other threads: numbers and shared buffers only, so that it can
 * be handed to a worker. Zero-filled memory is a valid start: no quotes, bands that never ring.
 */
export interface MarketMemory {
  readonly codesMax: number
  /** Slot 0 is the paper client, 1 … n-1 are accounts, as on the actor board. */
  readonly actorSlots: number
  /** One row a code, and one more whose first word counts all writes. */
  readonly quotes: SharedArrayBuffer
  /** By code, then by actor: the feed walks the actors of one code. */
  readonly bands: SharedArrayBuffer
  /** By actor, one bit a code. */
  readonly crossed: SharedArrayBuffer
  /** As `crossed`, of prices that only make a new high. */
  readonly noted: SharedArrayBuffer
  /** By actor: 1 while a wake-up is on its way. */
  readonly wakeUps: SharedArrayBuffer
  /** By actor: 1 while it looks for new highs by itself, and need not be woken for one. */
  readonly gathering: SharedArrayBuffer
  readonly clock: SharedArrayBuffer
  /** By actor: the moment of the market clock at which it wants to be woken, 0 = never; see `alarms.ts`. */
  readonly alarms: SharedArrayBuffer
}

export interface MarketMemoryLimits {
  /** Codes with a row on the board; about 320 bytes each and 12 more per actor. */
  readonly codesMax: number
  /** Actor slots, the paper client included. */
  readonly actorSlots: number
}

/** Throws when a limit is not a whole number in range: that is a bug of the caller. */
export function createMarketMemory({ codesMax, actorSlots }: MarketMemoryLimits): MarketMemory {
  if (!Number.isInteger(codesMax) || codesMax < 1 || codesMax > CODES_MAX) {
    throw new RangeError(`codesMax: ${codesMax}`)
  }
  if (!Number.isInteger(actorSlots) || actorSlots < 1) throw new RangeError(`slots: ${actorSlots}`)
  return {
    codesMax,
    actorSlots,
    quotes: new SharedArrayBuffer((codesMax + 1) * ROW_FIELDS * 8),
    bands: new SharedArrayBuffer(codesMax * actorSlots * BAND_WORDS * 4),
    crossed: new SharedArrayBuffer(actorSlots * crossedWords(codesMax) * 4),
    noted: new SharedArrayBuffer(actorSlots * crossedWords(codesMax) * 4),
    wakeUps: new SharedArrayBuffer(actorSlots * 4),
    gathering: new SharedArrayBuffer(actorSlots * 4),
    clock: new SharedArrayBuffer(CLOCK_FIELDS * 8),
    alarms: new SharedArrayBuffer(ALARM_HEADER_BYTES + actorSlots * 8),
  }
}

export const crossedWords = (codesMax: number): number => Math.ceil(codesMax / CROSSED_BITS)

/**
 * A sequence lock: one writer, any number of readers, nobody waits for a reader. The sequence number
 * is odd while a write is under way; a reader that meets one, or finds another number afterwards,
 * reads again.
 *
 * The writer raises it and the reader confirms it with read-modify-write operations: unlike plain
 * atomic loads and stores they also keep the data accesses between them in place on ARM.
 */
export const beginWrite = (words: Int32Array, index: number): void => {
  Atomics.add(words, index, 1)
}

export const endWrite = (words: Int32Array, index: number): void => {
  Atomics.add(words, index, 1)
}

/** Waits, spinning, while a write is under way: that is some 100 ns. */
export const beginRead = (words: Int32Array, index: number): number => {
  for (;;) {
    const sequence = Atomics.load(words, index)
    if ((sequence & 1) === 0) return sequence
  }
}

/** True when what was read since {@link beginRead} may mix two writes. */
export const isTorn = (words: Int32Array, index: number, sequence: number): boolean =>
  Atomics.compareExchange(words, index, sequence, sequence) !== sequence
