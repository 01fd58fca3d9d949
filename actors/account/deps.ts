import type { AccountPolicy } from '../../src/account/model/policy.ts'
import type { TimeSources } from '../../src/market/clock.ts'
import type { Logger } from '../../src/observability/logger.ts'
import type { Clock } from '../../src/ports/clock.port.ts'
import type { Driver } from '../../src/ports/driver.port.ts'
import type { AccountBands, Alarm, Quotes } from '../../src/ports/quotes.port.ts'
import type { AccountStore } from '../../src/ports/store.port.ts'
import type { MarketReplies, MarketRequest } from '../../src/protocol/market.ts'
import type { ActorBoard } from '../../src/runtime/actor-board.ts'
import type { Histogram } from '../../src/runtime/histogram.ts'
import type { MailboxLimits } from '../../src/runtime/mailbox.ts'
import type { AuditPagesLimits } from './audit-pages.ts'
import type { EarningsPagesLimits } from './earnings-pages.ts'
import type { FillPagesLimits } from './fill-pages.ts'
import type { CallBy } from './order-check.ts'

export interface AccountActorLimits extends AuditPagesLimits, EarningsPagesLimits, FillPagesLimits {
  readonly mailbox: MailboxLimits
  /** Turns whose commits are under way; further messages wait in the mailbox. */
  readonly stepsInFlightMax: number
  /** What nobody waits for, and would be found again, is saved by then; 0: like everything else, at once. */
  readonly lazySaveMs: number
  /** Turns that may wait for it. */
  readonly lazyTurnsMax: number
  /** Between two looks at new highs that decide nothing; 0: each is looked at as it comes. */
  readonly highLookMs: number
  /** From a decision until its order leaves; later it never does. */
  readonly orderSendMs: number
  /** Rows of one range query. */
  readonly recordsPage: number
  /** Records in one answer; older ones are left out. */
  readonly recordsShownMax: number
  /** An ask to the market thread ends by then. */
  readonly marketAskMs: number
  /** One whose failure ends the account: it cannot watch over a stock without its quotes. */
  readonly marketWatchMs: number
}

/** Where an account writes how long things take. */
export interface ActorLatency {
  /** From the wake-up to the beginning of the step that hears it. */
  readonly tickToStep: Histogram
  readonly tickToIntent: Histogram
  /** From the end of a step to its being on disk. */
  readonly commit: Histogram
  /** From an order's being on disk to its leaving for the broker. */
  readonly commitToSubmit: Histogram
  /** When the last wake-up of this account was sent; monotonic milliseconds, as {@link nowMs}. */
  readonly wokenAtMs: () => number
  readonly nowMs: () => number
}

/** What the shell of an account is given. All of it can be replaced in a test. */
export interface AccountActorDeps {
  readonly policy: AccountPolicy
  readonly slot: number
  readonly incarnation: number
  /** Suspended: no strategies, no orders. */
  readonly isReduced?: boolean
  readonly board: ActorBoard
  readonly quotes: Quotes
  readonly bands: AccountBands
  /** Wakes the account when the market clock gets there. */
  readonly alarm: Alarm
  readonly clock: Clock
  /** For durations, which a clock that jumps must not change. */
  readonly time: TimeSources
  readonly store: AccountStore
  /** The broker keeps time of its own; absent, it lives by the market clock. */
  readonly isReal?: boolean
  /** Absent: this process is in no cluster, and the store alone decides. */
  readonly callBy?: CallBy
  /** The way to the broker for an owner with this epoch. */
  readonly driver: (epoch: number) => Driver
  /** Without `timeoutMs` an ask ends after `marketAskMs`. */
  readonly market: <R extends MarketRequest>(
    request: R,
    timeoutMs?: number,
  ) => Promise<MarketReplies[R['kind']]>
  readonly log: Logger
  readonly latency: ActorLatency
  /** Of the tally board: its calls are counted there. Absent: nothing was counted before, and nobody goes on with it. */
  readonly tallies?: Float64Array
  readonly limits: AccountActorLimits
  /** Candidates shown by the console, read when asked for. */
  readonly stockPool: () => Promise<readonly string[]>
}
