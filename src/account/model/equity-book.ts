import { type EquityPoint, minuteOf, type SessionState } from '../../domain/equity.ts'
import { exchangeDay } from '../../domain/exchange-time.ts'

/** Which points of equity are stored: the keys of the minutes, how the last one stood, and the newest of days. */
export interface EquityBook {
  /** Ascending. */
  minutes: readonly number[]
  /** Of the newest point; undefined before the first. */
  session: SessionState | undefined
  /** Minute in which a point was wanted last, whether or not there was one to write; -1 before. */
  triedMinute: number
  /** The last points of the newest day and of the one before it, the older first. */
  days: readonly EquityPoint[]
}

export const emptyEquityBook = (): EquityBook => ({
  minutes: [],
  session: undefined,
  triedMinute: -1,
  days: [],
})

/** As it was when the rows of the minutes and of the days were written, which come in the order of their keys. */
export const equityBookOf = (
  minutes: readonly EquityPoint[],
  days: readonly EquityPoint[],
): EquityBook => ({
  minutes: minutes.map(({ timeMs }) => minuteOf(timeMs)),
  session: minutes.at(-1)?.session,
  triedMinute: -1,
  days: days.slice(-DAYS_KEPT),
})

/** Of the day that goes on, and the close before it. */
const DAYS_KEPT = 2

/** With a newer point of its day. What a replay has gone back behind is not before it. */
export const withDayPoint = (
  { days }: Pick<EquityBook, 'days'>,
  point: EquityPoint,
): readonly EquityPoint[] => {
  const day = exchangeDay(point.timeMs)
  const before = days.filter(({ timeMs }) => exchangeDay(timeMs) < day)
  return [...before, point].slice(-DAYS_KEPT)
}

/** The last point of an earlier day; undefined when none is known. */
export const closeBefore = (
  { days }: Pick<EquityBook, 'days'>,
  day: string,
): EquityPoint | undefined => days.findLast(({ timeMs }) => exchangeDay(timeMs) < day)
