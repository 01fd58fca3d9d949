import type { Position } from '../../domain/position.ts'
import type { TradeRecord } from '../../domain/trade-record.ts'
import type { AccountState } from '../model/state.ts'
import type { Outlook } from '../strategies/standing.ts'
import { positionsOf } from '../turn/holding.ts'
import type { HeldRow, Shape } from './held-rows.ts'
import type { PositionRow } from './rows.ts'

/** What a view is made from. Pure: the same inputs give the same object. */
export interface ViewInputs extends Outlook {
  readonly state: AccountState
  /** A holding at the newest quote. */
  readonly row: (position: Position) => HeldRow
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
/** The JSON of a view, put together from that of its rows: the same, to the byte. */
export type ViewParts = (inputs: ViewInputs) => Iterable<Uint8Array>

/** The holdings at the newest quotes. */
export const heldRows = ({ state, row }: ViewInputs): readonly PositionRow[] =>
  Array.from(positionsOf(state).values(), (position) => row(position).row)

/** The holdings as they stand in a list, as parts of its JSON. */
export function* heldParts({ state, row }: ViewInputs, shape: Shape): Iterable<Uint8Array> {
  let before = OPEN
  for (const position of positionsOf(state).values()) {
    yield before
    yield row(position).bytes(shape)
    before = COMMA
  }
  yield before === OPEN ? EMPTY : CLOSE
}
const OPEN = Buffer.from('[')
const COMMA = Buffer.from(',')
const CLOSE = Buffer.from(']')
const EMPTY = Buffer.from('[]')
