import { type EquityPoint, minuteOf, type SessionState } from '../../domain/equity.ts'

/** Which points of equity are stored, not what they say: the keys of the minutes, and how the last one stood. */
export interface EquityBook {
  /** Ascending. */
  minutes: readonly number[]
  /** Of the newest point; undefined before the first. */
  session: SessionState | undefined
  /** Minute in which a point was wanted last, whether or not there was one to write; -1 before. */
  triedMinute: number
}

export const emptyEquityBook = (): EquityBook => ({
  minutes: [],
  session: undefined,
  triedMinute: -1,
})

/** As it was when the rows of the minutes were written, which come in the order of their keys. */
export const equityBookOf = (points: readonly EquityPoint[]): EquityBook => ({
  minutes: points.map(({ timeMs }) => minuteOf(timeMs)),
  session: points.at(-1)?.session,
  triedMinute: -1,
})
