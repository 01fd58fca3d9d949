import { plainName, wholeCode } from './stock-filter.ts'

/** How a name is spoken: its syllables in order, each with every reading that it may have, the likeliest first. */
export type Sounds = readonly (readonly string[])[]

/** A stock as it is looked for. */
export interface Findable {
  readonly code: string
  readonly name: string
  /** The name as it is compared. */
  readonly folded: string
  readonly sounds: Sounds
}

/** In small letters, and without the stars of a risk warning. */
const fold = (name: string): string => plainName(name).toLowerCase().replaceAll('*', '')

/** Made once for many searches. */
export const findable = (code: string, name: string, sounds: Sounds): Findable => ({
  code,
  name: plainName(name),
  folded: fold(name),
  sounds,
})

/** Readings in one string, as they travel: `zhong/chong qing pi jiu`. */
export const packSounds = (sounds: Sounds): string =>
  sounds.map((readings) => readings.join('/')).join(' ')
export const unpackSounds = (packed: string): Sounds =>
  packed === '' ? [] : packed.split(' ').map((readings) => readings.split('/'))

/**
 * How well a stock fits a text; less is better, undefined = not at all. A code beats a name, a beginning the inside, and
 * the whole a part; a reading that is not the likeliest one counts less.
 */
export type Fit = number | undefined
const FIT = {
  code: 0,
  name: 1,
  sounds: 2,
  codeStart: 3,
  nameStart: 4,
  soundsStart: 5,
  nameInside: 6,
  soundsInside: 7,
  codeInside: 8,
} as const
/** What another reading than the likeliest costs, less than any step of {@link FIT}. */
const UNLIKELY = 0.5
/** From so many digits on the inside of a code is looked at. */
const INSIDE_DIGITS_MIN = 3
/** And from so many letters on the inside of a name. */
const INSIDE_LETTERS_MIN = 2

const DIGITS = /^\d+$/
const LETTERS = /^[a-z0-9]*[a-z][a-z0-9]*$/

/** What is asked, ready to be compared with many stocks. */
export interface StockQuestion {
  /** Without blanks, in small letters. */
  readonly text: string
  /** The one stock that is meant when the text is a whole code. */
  readonly code: string | undefined
}

export function stockQuestion(typed: string): StockQuestion {
  const text = fold(typed)
  return { text, code: wholeCode(text) }
}

export function fitOf(
  { code, folded, sounds }: Findable,
  { text, code: whole }: StockQuestion,
): Fit {
  if (text === '') return undefined
  if (whole === code) return FIT.code
  if (DIGITS.test(text)) return best(ofDigits(code, text), ofName(folded, text))
  return best(ofName(folded, text), LETTERS.test(text) ? ofSounds(sounds, text) : undefined)
}

const best = (one: Fit, other: Fit): Fit =>
  one === undefined || other === undefined ? (one ?? other) : Math.min(one, other)

function ofDigits(code: string, text: string): Fit {
  const digits = code.slice(0, 6)
  if (digits === text) return FIT.code
  if (digits.startsWith(text)) return FIT.codeStart
  return text.length >= INSIDE_DIGITS_MIN && digits.includes(text) ? FIT.codeInside : undefined
}

function ofName(name: string, text: string): Fit {
  if (name === text) return FIT.name
  const at = name.indexOf(text)
  if (at < 0) return undefined
  return at === 0 ? FIT.nameStart : FIT.nameInside
}

function ofSounds(sounds: Sounds, text: string): Fit {
  let found: Fit
  const last = text.length < INSIDE_LETTERS_MIN ? 1 : sounds.length
  for (let at = 0; at < last; at++) {
    const end = spoken(sounds, at, text)
    if (end !== undefined) found = best(found, soundsFit(at, end, sounds.length))
  }
  return found
}

function soundsFit(at: number, end: Spoken, length: number): number {
  const kind = at > 0 ? FIT.soundsInside : end.at === length ? FIT.sounds : FIT.soundsStart
  return kind + (end.isLikely ? 0 : UNLIKELY)
}

interface Spoken {
  /** The syllable after the last one that was spoken. */
  readonly at: number
  /** By no other reading than the likeliest ones. */
  readonly isLikely: boolean
}

/**
 * Whether the text is said by the syllables from `at` on: each whole or by its initial, the last one by any beginning of
 * it. Undefined = no.
 */
function spoken(sounds: Sounds, at: number, text: string): Spoken | undefined {
  if (text === '') return { at, isLikely: true }
  let found: Spoken | undefined
  for (const [index, reading] of (sounds[at] ?? NONE).entries()) {
    const end = spokenAs(reading, sounds, at, text)
    if (end?.isLikely === true && index === 0) return end
    if (end !== undefined) found ??= { at: end.at, isLikely: false }
  }
  return found
}
const NONE: readonly string[] = []

function spokenAs(reading: string, sounds: Sounds, at: number, text: string): Spoken | undefined {
  if (reading[0] !== text[0]) return undefined
  if (reading.startsWith(text)) return { at: at + 1, isLikely: true }
  let found: Spoken | undefined
  for (const length of [reading.length, 1, LONG_INITIAL.test(reading) ? 2 : 1]) {
    if (!text.startsWith(reading.slice(0, length))) continue
    const end = spoken(sounds, at + 1, text.slice(length))
    if (end?.isLikely === true) return end
    found ??= end
  }
  return found
}

const LONG_INITIAL = /^[zcs]h/

export interface Ranked<T> {
  readonly stock: T
  readonly fit: number
}

/**
 * The stocks that a text may mean, best first, at most `limit` of them; of two that fit alike the one for which
 * `isOwn` holds, then the lower code.
 */
export function searchStocks<T extends Findable>(
  stocks: Iterable<T>,
  typed: string,
  { limit, isOwn }: { readonly limit: number; readonly isOwn: (code: string) => boolean },
): readonly T[] {
  const question = stockQuestion(typed)
  const found: Ranked<T>[] = []
  for (const stock of stocks) {
    const fit = fitOf(stock, question)
    if (fit !== undefined) found.push({ stock, fit })
  }
  const own = ({ stock }: Ranked<T>) => (isOwn(stock.code) ? 0 : 1)
  found.sort(
    (one, other) =>
      one.fit - other.fit || own(one) - own(other) || (one.stock.code < other.stock.code ? -1 : 1),
  )
  return found.slice(0, limit).map(({ stock }) => stock)
}
