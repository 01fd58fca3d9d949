import type { StockCode } from '../domain/instrument.ts'
import { LEVELS } from './quote-row.ts'

/** A line where it was read: bytes from `start` to `end`. */
export interface LineBytes {
  readonly bytes: Uint8Array
  readonly start: number
  readonly end: number
}

/** What a scan found, in the fields of a tick. One object for many scans. */
export interface ScannedTick {
  time: number
  stock_code: StockCode
  lastPrice: number
  open: number
  high: number
  low: number
  lastClose: number
  volume: number
  amount: number
  readonly bidPrice: number[]
  readonly askPrice: number[]
  readonly bidVol: number[]
  readonly askVol: number[]
}

const NUMBERS = [
  ...(['time', 'lastPrice', 'open', 'high', 'low', 'lastClose', 'volume', 'amount'] as const),
]
const LISTS = ['bidPrice', 'askPrice', 'bidVol', 'askVol'] as const
const CODE = 'stock_code'
/** The name of a field as it stands in a line. */
interface Name {
  /** With quotation marks and colon. */
  readonly bytes: DataView
  /** Numbers first, then lists, then the code; its bit among those that were met. */
  readonly index: number
}
const FIRST_LIST = NUMBERS.length
const CODE_INDEX = FIRST_LIST + LISTS.length
const NAMES: readonly Name[] = [...NUMBERS, ...LISTS, CODE].map((field, index) => {
  const { buffer } = new TextEncoder().encode(`"${field}":`)
  return { bytes: new DataView(buffer), index }
})
const ALL = (1 << NAMES.length) - 1

const TAB = 9
const RETURN = 13
const SPACE = 32
const QUOTE = 34
const COMMA = 44
const POINT = 46
const ZERO = 48
const COLON = 58
const LIST_BEGIN = 91
const BACKSLASH = 92
const LIST_END = 93
const BEGIN = 123
const END = 125
const ASCII_END = 128

/** A whole number of so many digits, and the power of ten under it, are both exact: so is their quotient. */
const DIGITS_MAX = 15
const POWERS = Array.from({ length: DIGITS_MAX + 1 }, (_, digits) => 10 ** digits)
/** No number of a tick is negative. */
const NONE = -1
/** Spellings of codes are looked up by six digits and what follows, as one number. */
const CODE_DIGITS = 6
const SUFFIX_BYTES_MAX = 3

/** `600036` and `600036.SH` as whole numbers, of different ranges; NONE for what is spelt in another way. */
function codeKey(bytes: Uint8Array, start: number, end: number): number {
  const suffixBytes = end - start - CODE_DIGITS
  if (suffixBytes !== 0 && suffixBytes !== SUFFIX_BYTES_MAX) return NONE
  let key = 0
  for (let at = start; at < start + CODE_DIGITS; at++) {
    const digit = (bytes[at] as number) - ZERO
    if (digit < 0 || digit > 9) return NONE
    key = key * 10 + digit
  }
  if (suffixBytes === 0) return key * EXCHANGES
  return suffixOf(bytes, start + CODE_DIGITS, key * EXCHANGES)
}

/** Exchanges and none. */
const EXCHANGES = 4
const SUFFIXES = ['.SH', '.SZ', '.BJ'].map((text) => new TextEncoder().encode(text))

function suffixOf(bytes: Uint8Array, at: number, key: number): number {
  for (let index = 0; index < SUFFIXES.length; index++) {
    if (isAt(bytes, at, SUFFIXES[index] as Uint8Array)) return key + index + 1
  }
  return NONE
}

function isAt(bytes: Uint8Array, start: number, text: Uint8Array): boolean {
  for (let at = 0; at < text.length; at++) if (bytes[start + at] !== text[at]) return false
  return true
}

/** Four bytes at a time. */
function isNameAt(view: DataView, start: number, name: DataView): boolean {
  const end = name.byteLength
  if (start + end > view.byteLength) return false
  let at = 0
  for (; at + 4 <= end; at += 4) {
    if (view.getInt32(start + at) !== name.getInt32(at)) return false
  }
  for (; at < end; at++) if (view.getUint8(start + at) !== name.getUint8(at)) return false
  return true
}

/**
 * Reads the usual line of a recording from its bytes: an object of plain numbers, lists of plain
 * numbers and simple texts. Whatever is spelt in another way it leaves to a JSON parser, which gives
 * the same numbers for the lines that are taken here. Allocates nothing.
 */
export class TickScanner {
  readonly #codeOf: (spelling: string) => StockCode | undefined
  readonly #codes = new Map<number, StockCode>()
  // Numbers with a fraction from the start: their layout never changes.
  readonly #numbers = new Float64Array(FIRST_LIST)
  /** What is being filled, and its lists in their order. */
  #tick = newScannedTick()
  readonly #lists: number[][] = []
  #bytes: Uint8Array = new Uint8Array(0)
  #view: DataView = new DataView(new ArrayBuffer(0))
  #at = 0
  /** Names in the order of the line before: the next line has the same one. */
  readonly #order: Name[] = []

  /** @param codeOf the code of a spelling; asked once for each */
  constructor(codeOf: (spelling: string) => StockCode | undefined) {
    this.#codeOf = codeOf
  }

  /** Fills `into` with the tick of a line and returns it; undefined when it must be parsed. Fields that it lacks are 0. */
  scan({ bytes, start, end }: LineBytes, into: ScannedTick): ScannedTick | undefined {
    this.#begin(bytes, start, into)
    if (!this.#take(BEGIN)) return undefined
    let met = 0
    for (let place = 0; ; place++) {
      const bit = this.#member(place)
      if (bit === NONE) return undefined
      met |= bit
      if (this.#take(COMMA)) continue
      if (!this.#take(END) || this.#at > end) return undefined
      break
    }
    this.#skipSpace()
    if (this.#at < end) return undefined
    if (met !== ALL) this.#clear(met)
    return this.#found()
  }

  #begin(bytes: Uint8Array, start: number, into: ScannedTick): void {
    this.#at = start
    if (bytes !== this.#bytes) {
      this.#bytes = bytes
      this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    }
    if (into === this.#tick) return
    this.#tick = into
    this.#lists[0] = into.bidPrice
    this.#lists[1] = into.askPrice
    this.#lists[2] = into.bidVol
    this.#lists[3] = into.askVol
  }

  #found(): ScannedTick {
    const [tick, numbers] = [this.#tick, this.#numbers]
    tick.time = numbers[0] as number
    tick.lastPrice = numbers[1] as number
    tick.open = numbers[2] as number
    tick.high = numbers[3] as number
    tick.low = numbers[4] as number
    tick.lastClose = numbers[5] as number
    tick.volume = numbers[6] as number
    tick.amount = numbers[7] as number
    return tick
  }

  /** One name and its value. Returns the bit of the name, 0 for one that is no field, NONE for what must be parsed. */
  #member(place: number): number {
    this.#skipSpace()
    const index = this.#name(place)
    if (index === NONE) return this.#other()
    this.#skipSpace()
    return this.#value(index) ? 1 << index : NONE
  }

  #name(place: number): number {
    const usual = this.#order[place]
    const name = usual !== undefined && this.#isHere(usual) ? usual : this.#findName()
    if (name === undefined) return NONE
    if (name !== usual && place <= this.#order.length) this.#order[place] = name
    this.#at += name.bytes.byteLength
    return name.index
  }

  #isHere(name: Name): boolean {
    return isNameAt(this.#view, this.#at, name.bytes)
  }

  #findName(): Name | undefined {
    return NAMES.find((name) => this.#isHere(name))
  }

  #value(index: number): boolean {
    if (index === CODE_INDEX) return this.#code()
    if (index >= FIRST_LIST) return this.#levels(this.#lists[index - FIRST_LIST] as number[])
    const value = this.#number()
    this.#numbers[index] = value
    return value !== NONE
  }

  /**
   * A member that is no field of a tick: its value must be simple to be passed over. A colon further
   * away may belong to a name that is one.
   */
  #other(): number {
    if (!this.#text() || this.#bytes[this.#at] !== COLON) return NONE
    this.#at++
    this.#skipSpace()
    const first = this.#bytes[this.#at]
    if (first === QUOTE) return this.#text() ? 0 : NONE
    if (first === LIST_BEGIN) return this.#levels(this.#others) ? 0 : NONE
    return this.#number() === NONE ? NONE : 0
  }
  readonly #others = newLevels()

  /** A number without a sign and an exponent, NONE for any other. */
  #number(): number {
    const bytes = this.#bytes
    const start = this.#at
    let at = start
    let value = 0
    let digit = (bytes[at] as number) - ZERO
    while (digit >= 0 && digit <= 9) {
      value = value * 10 + digit
      digit = (bytes[++at] as number) - ZERO
    }
    const digits = at - start
    if (digits === 0 || digits > DIGITS_MAX || (digits > 1 && bytes[start] === ZERO)) return NONE
    this.#at = at
    return bytes[at] === POINT ? this.#fraction(value, digits) : value
  }

  /** What follows the point of a number that has begun with `whole`. */
  #fraction(whole: number, wholeDigits: number): number {
    const bytes = this.#bytes
    const start = this.#at + 1
    let at = start
    let value = whole
    let digit = (bytes[at] as number) - ZERO
    while (digit >= 0 && digit <= 9) {
      value = value * 10 + digit
      digit = (bytes[++at] as number) - ZERO
    }
    const digits = at - start
    this.#at = at
    if (digits === 0 || wholeDigits + digits > DIGITS_MAX) return NONE
    return value / (POWERS[digits] as number)
  }

  /** Levels beyond the last are read and left out, missing ones are 0. */
  #levels(levels: number[]): boolean {
    if (!this.#take(LIST_BEGIN)) return false
    let count = 0
    this.#skipSpace()
    if (this.#bytes[this.#at] !== LIST_END) {
      do {
        this.#skipSpace()
        const value = this.#number()
        if (value === NONE) return false
        if (count < LEVELS) levels[count++] = value
      } while (this.#take(COMMA))
    }
    while (count < LEVELS) levels[count++] = 0
    return this.#take(LIST_END)
  }

  #code(): boolean {
    const start = this.#at + 1
    if (!this.#text()) return false
    const end = this.#at - 1
    const key = codeKey(this.#bytes, start, end)
    if (key === NONE) return false
    const known = this.#codes.get(key) ?? this.#meet(key, start, end)
    if (known === undefined) return false
    this.#tick.stock_code = known
    return true
  }

  /** There are no more keys than a few million, and a market has some thousand codes. */
  #meet(key: number, start: number, end: number): StockCode | undefined {
    const code = this.#codeOf(String.fromCharCode(...this.#bytes.subarray(start, end)))
    if (code === undefined) return undefined
    if (this.#codes.size >= CODES_MAX) this.#codes.clear()
    this.#codes.set(key, code)
    return code
  }

  /** A text of plain characters. */
  #text(): boolean {
    const bytes = this.#bytes
    if (bytes[this.#at] !== QUOTE) return false
    let at = this.#at + 1
    for (;;) {
      const byte = bytes[at++]
      if (byte === QUOTE) break
      if (byte === undefined || byte < SPACE || byte === BACKSLASH || byte >= ASCII_END)
        return false
    }
    this.#at = at
    return true
  }

  /** Whether this character comes next, space aside; passes over it. */
  #take(wanted: number): boolean {
    if (this.#bytes[this.#at] !== wanted) {
      this.#skipSpace()
      if (this.#bytes[this.#at] !== wanted) return false
    }
    this.#at++
    return true
  }

  #skipSpace(): void {
    for (;;) {
      const byte = this.#bytes[this.#at] as number
      if (byte > SPACE || (byte !== SPACE && byte !== TAB && byte !== RETURN)) return
      this.#at++
    }
  }

  #clear(met: number): void {
    for (let index = 0; index < NAMES.length; index++) {
      if ((met & (1 << index)) !== 0) continue
      if (index === CODE_INDEX) this.#tick.stock_code = '' as StockCode
      else if (index >= FIRST_LIST) this.#lists[index - FIRST_LIST]?.fill(0)
      else this.#numbers[index] = 0
    }
  }
}

/** Spellings remembered. */
const CODES_MAX = 16_384

const newLevels = (): number[] => Array.from({ length: LEVELS }, () => 0.5)

/** To be filled by scans; its numbers have a fraction from the start, so its layout never changes. */
export const newScannedTick = (): ScannedTick => ({
  time: 0.5,
  stock_code: '' as StockCode,
  lastPrice: 0.5,
  open: 0.5,
  high: 0.5,
  low: 0.5,
  lastClose: 0.5,
  volume: 0.5,
  amount: 0.5,
  bidPrice: newLevels(),
  askPrice: newLevels(),
  bidVol: newLevels(),
  askVol: newLevels(),
})
