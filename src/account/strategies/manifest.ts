import type { StockCode } from '../../domain/instrument.ts'
import type { OrderRecord } from '../../domain/order.ts'
import type { Position } from '../../domain/position.ts'
import type { AccountRequest } from '../../protocol/account.ts'
import type { Band } from '../../strategy/band.ts'
import type { AccountEvent } from '../model/events.ts'
import type { JournalWords } from '../model/presented.ts'
import type { AccountState } from '../model/state.ts'
import type { MemoryOf } from '../model/strategy-memory.ts'
import type { Cause, TraceEntry } from '../model/trace.ts'
import type { FollowUpPolicy } from '../orders/follow-up.ts'
import type { Sight, Turn } from '../turn/turn.ts'
import type { HoldingsOutlook, Standing } from './standing.ts'
import type { TraceRow } from './trace-row.ts'

/**
 * A strategy as the account runs it, all of it: whoever iterates over the registry knows no strategy
 * by name. It is pure but for the turn: the same state and inputs give the same events. Orders go
 * through the door of automatic orders (`submitIntent`) and nowhere else.
 */
export interface StrategyManifest {
  /** Under it the decision trace and the journal know it; never changed. */
  readonly name: string

  // What it works on.

  /** Stocks whose prices it needs besides those of the holdings. */
  readonly codes?: (state: AccountState) => Iterable<StockCode>
  /** Its gates, its rules, its order: judges one stock now. Called for every stock that is held or that `codes` names. */
  readonly evaluate: (turn: Turn, code: StockCode, cause: Cause) => void
  /** The prices between which `evaluate` would change nothing; `low > high` = every tick may. */
  readonly bandOf: (state: AccountState, code: StockCode, sight: Sight) => Band
  /** Stocks that want an evaluation at a moment of the market clock, with that moment in epoch ms. */
  readonly alarms?: (state: AccountState) => Iterable<readonly [StockCode, number]>

  /** How its working orders are followed. */
  readonly followUp?: FollowUpPolicy

  // What it remembers, and what makes it think again.

  /** What it keeps in memory besides the holdings. */
  readonly memory?: MemoryOf<unknown>
  /** Events, known to it alone, after which every watched stock is judged again. */
  readonly wokenBy?: ReadonlySet<AccountEvent['kind']>
  /** The whole state changed its mind: a switch was turned. Called before the evaluations that follow. */
  readonly onSettings?: (turn: Turn) => void
  /** A simulation began or ended, so the holdings are others. Without this its memory begins anew. */
  readonly onModeChanged?: (turn: Turn) => void
  /** An order of a signal has ended with fills, and all of them are booked. Called once per order. */
  readonly onFilled?: (turn: Turn, order: SettledOrder) => void
  /** After every input, when its orders have been followed: manages what else it has under way. */
  readonly manage?: (turn: Turn) => void

  // What it answers.

  /** Requests that are its own. Errors are thrown before the first event. */
  readonly requests?: StrategyRequests
  /** How it stands with a stock: what it waits for, or what keeps it back. Asked by whoever reads, never by a tick. */
  readonly standing?: (
    state: AccountState,
    code: StockCode,
    outlook: HoldingsOutlook,
  ) => Standing | undefined
  /** Whether that reads the same when nothing but the price marks of a holding has changed. Without this it is made anew. */
  readonly standsAsBefore?: (state: AccountState, before: Position, after: Position) => boolean
  /** What it has noted in the trace, as `GET /api/decisions` shows it. */
  traceRow(entry: TraceEntry): TraceRow
  /** The words for the events that are its own. */
  readonly journal?: JournalWords
}

/** What a strategy needs to know of an order whose fills are final; orders of a signal have its type. */
export type SettledOrder = Pick<OrderRecord, 'code' | 'signalType'> & {
  /** A fill of the simulation. A real order may end while it runs, and is of the real holding all the same. */
  readonly isSimulated?: boolean
}

type StrategyRequests = {
  readonly [K in AccountRequest['kind']]?: (
    turn: Turn,
    request: Extract<AccountRequest, { kind: K }>,
    ref: number,
  ) => void
}
