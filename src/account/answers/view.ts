import type { Position } from '../../domain/position.ts'
import type { TradeRecord } from '../../domain/trade-record.ts'
import type { AccountState } from '../model/state.ts'
import { positionsOf } from '../turn/holding.ts'
import type { Sight } from '../turn/turn.ts'
import type { PositionRow } from './rows.ts'

/** What a view is made from. Pure: the same inputs give the same object. */
export interface ViewInputs extends Sight {
  readonly state: AccountState
  /** The row of a holding at the newest quote. */
  readonly row: (position: Position) => PositionRow
  /** Newest first; given only to the views that list records. */
  readonly records: readonly TradeRecord[]
  /** Candidates shown by the console. */
  readonly stockPool: readonly string[]
  /** Quotes arrive. */
  readonly isFeedAvailable: boolean
}

/** Times of the connection are shown in seconds; null where there is none. */
export const seconds = (ms: number | undefined): number | null =>
  ms === undefined ? null : ms / 1000

export type View = (inputs: ViewInputs) => object

/** The holdings at the newest quotes. */
export const heldRows = ({ state, row }: ViewInputs): readonly PositionRow[] =>
  [...positionsOf(state).values()].map(row)
