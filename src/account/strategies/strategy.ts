import type { StockCode } from '../../domain/instrument.ts'
import type { OrderRecord } from '../../domain/order.ts'
import type { Quote } from '../../ports/quotes.port.ts'
import type { Band } from '../../strategy/band.ts'
import type { Cause } from '../model/cause.ts'
import type { AccountState } from '../model/state.ts'
import type { Turn } from '../turn/turn.ts'

/** What a band is made from besides the state. */
export interface BandSight {
  /** Market clock, epoch ms. */
  readonly nowMs: number
  readonly quote: (code: StockCode) => Quote | undefined
}

/**
 * A strategy as the account runs it. All of it is pure but for the turn: the same state and inputs
 * give the same events. Orders go through the strategies' door (`submitSignal`) and nowhere else.
 */
export interface AccountStrategy {
  /** Stocks whose prices it needs besides those of the holdings. */
  readonly codes: (state: AccountState) => Iterable<StockCode>
  /** Judges one stock now, and acts. Called for every stock that is held or that `codes` names. */
  readonly look: (turn: Turn, code: StockCode, cause: Cause) => void
  /** The prices between which `look` would change nothing; `low > high` = every tick may. */
  readonly bandOf: (state: AccountState, code: StockCode, sight: BandSight) => Band
  /** Stocks that want a look at a moment of the market clock, with that moment in epoch ms. */
  readonly alarms: (state: AccountState) => Iterable<readonly [StockCode, number]>
  /** The whole state changed its mind: a switch was turned. Called before the looks that follow. */
  readonly onSettings?: (turn: Turn) => void
  /** After every input: looks after orders that the strategy follows itself. */
  readonly tend?: (turn: Turn) => void
  /** An order of a signal has ended with fills, and all of them are booked. Called once per order. */
  readonly onFilled?: (turn: Turn, order: SettledOrder) => void
}

/** What a strategy needs to know of an order whose fills are final; orders of a signal have its type. */
export type SettledOrder = Pick<OrderRecord, 'code' | 'signalType'>
