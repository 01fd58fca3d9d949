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
  /** Of each mode, the last points of its newest day and of the one before it; the older first. */
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
  days: newestOf(days),
})

/** Of the day that goes on, and the close before it. */
const DAYS_KEPT = 2

/** Of each mode: simulated money is another account's, and its days are between those of real money. */
const newestOf = (days: readonly EquityPoint[]): readonly EquityPoint[] => {
  const isKept = (isSimulated: boolean) =>
    days.filter((point) => point.isSimulated === isSimulated).slice(-DAYS_KEPT)
  return [...isKept(false), ...isKept(true)].sort((a, b) => a.timeMs - b.timeMs)
}

/** Whether the day has a point of real money already: one that is simulated does not take its place. */
export const isHeldBack = ({ days }: Pick<EquityBook, 'days'>, point: EquityPoint): boolean =>
  point.isSimulated &&
  days.some((kept) => !kept.isSimulated && exchangeDay(kept.timeMs) === exchangeDay(point.timeMs))

/** With a newer point of its day. What a replay has gone back behind is not before it. */
export const withDayPoint = (
  { days }: Pick<EquityBook, 'days'>,
  point: EquityPoint,
): readonly EquityPoint[] => {
  const day = exchangeDay(point.timeMs)
  const before = days.filter(({ timeMs }) => exchangeDay(timeMs) < day)
  return newestOf([...before, point])
}

/** The last point of an earlier day, of this mode; undefined when none is known. */
export const closeBefore = (
  { days }: Pick<EquityBook, 'days'>,
  { day, isSimulated }: { readonly day: string; readonly isSimulated: boolean },
): EquityPoint | undefined =>
  days.findLast((point) => point.isSimulated === isSimulated && exchangeDay(point.timeMs) < day)
