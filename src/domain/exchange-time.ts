/**
 * Wall clock of the exchange. China has had no daylight saving since 1991, so Asia/Shanghai is
 * UTC+8 for every date traded here, and arithmetic replaces the zone of the machine.
 *
 * Units   epoch milliseconds in, text out.
 */
const OFFSET_MS = 8 * 3_600_000
export const DAY_MS = 86_400_000
export const MINUTE_MS = 60_000

/** Calendar days of the exchange since 1970-01-01. */
export const exchangeDayNumber = (epochMs: number): number =>
  Math.floor((epochMs + OFFSET_MS) / DAY_MS)

/** Whether two moments (epoch milliseconds) are of the same exchange day. */
export const isSameExchangeDay = (one: number, other: number): boolean =>
  exchangeDayNumber(one) === exchangeDayNumber(other)

/** The day that was asked for last, counted from the epoch: nearly every question is about the same one. */
let known = { day: Number.NaN, text: '' }

/** `2026-08-11`, the calendar day of the exchange. */
export function exchangeDay(epochMs: number): string {
  const day = exchangeDayNumber(epochMs)
  if (day !== known.day) known = { day, text: exchangeIso(epochMs).slice(0, 10) }
  return known.text
}

const two = (value: number): string => (value < 10 ? `0${value}` : `${value}`)

/** `2026-08-11 10:01:02`, as records and answers show times. */
export function exchangeTime(epochMs: number): string {
  const day = exchangeDay(epochMs)
  const seconds = Math.floor(exchangeTimeOfDayMs(epochMs) / 1_000)
  const minutes = Math.floor(seconds / 60)
  return `${day} ${two(Math.floor(minutes / 60))}:${two(minutes % 60)}:${two(seconds % 60)}`
}

/** `2026-08-11T10:01:02.123000`: the local form with microseconds in which sessions show times. */
export const exchangeTimeIso = (epochMs: number): string =>
  `${exchangeIso(epochMs).slice(0, 23)}000`

/** Milliseconds since midnight at the exchange, 0 … 86 399 999. */
export const exchangeTimeOfDayMs = (epochMs: number): number => {
  const shifted = (epochMs + OFFSET_MS) % DAY_MS
  return shifted < 0 ? shifted + DAY_MS : shifted
}

/** Epoch milliseconds of midnight at the exchange on `2026-08-11`; NaN when that is no date. */
export const exchangeDayStartMs = (day: string): number =>
  Date.parse(`${day}T00:00:00Z`) - OFFSET_MS

/** 0 Sunday … 6 Saturday, at the exchange. */
export const exchangeWeekday = (epochMs: number): number =>
  new Date(epochMs + OFFSET_MS).getUTCDay()

const exchangeIso = (epochMs: number): string => new Date(epochMs + OFFSET_MS).toISOString()

/** No quote is older than the exchanges, and none of a year from 2100 on is meant so: epoch milliseconds. */
const FIRST_MS = Date.parse('1990-12-01T00:00:00+08:00')
const END_MS = Date.parse('2100-01-01T00:00:00+08:00')
const isQuoted = (epochMs: number): boolean => epochMs >= FIRST_MS && epochMs < END_MS

/**
 * Epoch milliseconds of a time as recordings and other programs write it: milliseconds, seconds, or the clock of the
 * exchange in digits (`20260811093000`, also with milliseconds). Undefined: it is none of a time that was traded in.
 */
export function timeRead(written: number): number | undefined {
  if (isQuoted(written)) return Math.round(written)
  if (isQuoted(written * 1_000)) return Math.round(written * 1_000)
  const epochMs = written > SECOND_DIGITS_END ? digitsMs(written, 1_000) : digitsMs(written, 1)
  return isQuoted(epochMs) ? epochMs : undefined
}

/** Beyond all times of 14 digits, below all of 17. */
const SECOND_DIGITS_END = 1e14

/** NaN when that is no date. A number holds 17 digits nearly: the last second of a minute may be its 60th. */
function digitsMs(digits: number, perSecond: 1 | 1_000): number {
  let rest = digits
  const take = (parts: number): number => {
    const part = rest % parts
    rest = (rest - part) / parts
    return part
  }
  const ms = take(perSecond)
  const [second, minute, hour] = [take(100), take(100), take(100)]
  const [date, month, year] = [take(100), take(100), rest]
  const dayMs = Date.UTC(year, month - 1, date)
  const isTime = hour < 24 && minute < 60 && second <= 60 && Number.isInteger(digits)
  const isDate = new Date(dayMs).getUTCDate() === date && month >= 1 && month <= 12
  if (!isTime || !isDate) return Number.NaN
  return dayMs - OFFSET_MS + ((hour * 60 + minute) * 60 + second) * 1_000 + ms
}
