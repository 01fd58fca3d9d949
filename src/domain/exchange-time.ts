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
