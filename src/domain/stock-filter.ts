import { normalizeCode, type StockCode } from './instrument.ts'

/** What a name may have in it that nobody sees. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

/**
 * A name that others tell, without what nobody sees: it stands in one line with codes, prices and volumes, and a sign that
 * turns the direction of reading would have 100 shares read as 001.
 */
export const seenName = (name: string): string => name.replace(UNSEEN, '')

/** Ends of lines and tabs, with the blanks about them. */
const BREAKS = /\s*[\t-\r\u0085\u2028\u2029]\s*/gu
const ANY_UNSEEN = new RegExp(UNSEEN.source, 'u')
/** Words that others tell, without what nobody sees and in one line. */
export const seenText = (text: string): string =>
  ANY_UNSEEN.test(text) ? seenName(text.replace(BREAKS, ' ')).trim() : text

/**
 * A name as it is shown and looked for: exchanges write some with wide letters and blanks between the characters,
 * `万  科Ａ`.
 */
export const plainName = (name: string): string =>
  seenName(name).normalize('NFKC').replace(/\s+/g, '')

/** `sh600036`, as many programs write it. */
const PREFIXED = /^(sh|sz|bj)(?=\d)/

/** The one stock that is meant by a text without blanks, in small letters; undefined where it is no whole code. */
export function wholeCode(text: string): StockCode | undefined {
  const whole = normalizeCode(text.replace(PREFIXED, '$1.'))
  return whole.ok ? whole.value : undefined
}

/**
 * Tells which rows a filter leaves: those with the text in code or name, however wide or spaced either is written. A star
 * that is typed is looked for.
 */
export function stockFilter(typed: string): (code: string, name: string) => boolean {
  const text = plainName(typed).toLowerCase()
  const whole = wholeCode(text)
  const isWhole = (code: string): boolean => {
    const known = normalizeCode(code)
    return known.ok && known.value === whole
  }
  const plain = new Map<string, string>()
  const plainOf = (name: string): string => {
    const known = plain.get(name) ?? plainName(name).toLowerCase()
    plain.set(name, known)
    return known
  }
  return (code, name) =>
    code.toLowerCase().includes(text) ||
    plainOf(name).includes(text) ||
    (whole !== undefined && isWhole(code))
}
