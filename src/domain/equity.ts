import { exchangeDay, MINUTE_MS } from './exchange-time.ts'
import type { Money } from './money.ts'

/** What an account was worth at a moment, as far as it was known: a moment without one has no point. */
export interface EquityPoint {
  /** Epoch milliseconds of the market clock. */
  readonly timeMs: number
  /** All cash, what is frozen for open purchases with it. */
  readonly cash: Money
  readonly frozen: Money
  readonly marketValue: Money
  /** Of the simulation mode: another account, in a way. */
  readonly isSimulated: boolean
  readonly session: SessionState
}
export type SessionState = 'open' | 'closed'

/** Minutes since 1970: the key of a point of today. */
export const minuteOf = (timeMs: number): number => Math.floor(timeMs / MINUTE_MS)

/** Exchange day of such a key. */
export const dayOfMinute = (minute: number): string => exchangeDay(minute * MINUTE_MS)

/** Cash and holdings together. */
export const worthOf = ({ cash, marketValue }: Pick<EquityPoint, 'cash' | 'marketValue'>): Money =>
  (cash + marketValue) as Money
