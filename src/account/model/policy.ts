import type { AccountType } from '../../domain/account-type.ts'
import type { FeeRates } from '../../domain/fees.ts'
import type { RiskLimits } from '../../domain/risk-input.ts'
import type { Settings } from '../../domain/settings/table.ts'
import type { GridPolicy } from '../../strategy/grid/policy.ts'
import type { GridRates } from '../../strategy/grid/ratios.ts'
import type { TradeMode } from '../../strategy/grid/session.ts'
import type { HealthPolicy } from '../../strategy/health/health-score.ts'
import type { HealthLimits } from '../../strategy/health/health-tracker.ts'
import type { BreakerPolicy } from '../../strategy/health/market-data-breaker.ts'
import type { ProfitTier } from '../../strategy/stop-profit/protect.ts'
import type { PassPolicy } from '../../strategy/stop-profit/stop-profit-pass.ts'

/**
 * How market time goes: as real time does; by the ticks alone, so that a run can be repeated; or otherwise, at
 * another speed or with pauses.
 */
export type MarketTempo = 'real' | 'exact' | 'other'

/** What an account is told by the configuration; never changes while it runs. */
export interface AccountPolicy {
  readonly accountId: string
  /** What people call it; empty = nothing. */
  readonly alias: string
  readonly clientPath: string
  /** Folder of the service's data; shown, never opened here. */
  readonly dataDir: string
  readonly accountType: AccountType
  /** Name of the driver; shown. */
  readonly driver: string
  /** Orders may leave this computer: what lets more of them through is confirmed. */
  readonly isReal: boolean
  /** Port of direct mode for this account; 0 when it has none. */
  readonly directPort: number
  /** Defaults that hold until the API changes them. */
  readonly settings: Settings
  /** `ENABLE_DYNAMIC_STOP_PROFIT`: from the configuration file only. */
  readonly isStopProfitModuleOn: boolean
  readonly profitTiers: readonly ProfitTier[]
  /** What the API does not change of dynamic take-profit and stop-loss. */
  readonly stopProfit: StopProfitConstants
  readonly health: HealthSettings
  readonly breaker: BreakerPolicy
  readonly grid: GridSettings
  /** Codes shown when the account has no pool file. */
  readonly stockPool: readonly string[]
  /** Cash of the simulation mode, yuan. */
  readonly simulationBalance: number
  /** Limits of the file; those in force are in the state. */
  readonly risk: RiskPolicy
  readonly feeRates: FeeRates
  /** The simulated market has no trading hours. */
  readonly isAlwaysOpen: boolean
  readonly tempo: MarketTempo
  readonly pending: PendingPolicy
  readonly limits: AccountLimits
}

/** Constants of the stop-profit rules that only the configuration file decides. */
export type StopProfitConstants = Pick<
  PassPolicy,
  | 'pullbackRatio'
  | 'signalAgeMaxMs'
  | 'isFullExitBesideOrders'
  | 'isKeptAlive'
  | 'keepAliveMs'
  | 'validMs'
  | 'triesMax'
  | 'addCooldownMs'
> & {
  /** `STOP_LOSS_REPLACES_TAKE_PROFIT`. */
  readonly isTakeProfitReplaced: boolean
}

/** Grids, as the configuration file has them. */
export interface GridSettings extends GridPolicy {
  /** What a session is started with where neither the request nor a template says it. */
  readonly defaults: GridRates & {
    readonly tradeMode: TradeMode
    /** Suggested quota as a part of the market value held, in millionths. */
    readonly maxInvestmentPpm: number
  }
  /** A session needs a holding whose first profit has been taken. */
  readonly isProfitTriggerRequired: boolean
  /** Between two checks of a holding that is gone, milliseconds of the market clock. */
  readonly checkEveryMs: number
  /** Sessions kept; the oldest that have ended go first. */
  readonly sessionsKept: number
  readonly templatesMax: number
}

/** How sources of quotes are scored. */
export interface HealthSettings extends HealthPolicy, HealthLimits {
  /** Name of the source of all quotes of this process. */
  readonly source: string
  /** Between two checks of the quote of a holding, milliseconds of the market clock. */
  readonly checkEveryMs: number
}

/** Limits of the rules and triggers that keep orders back; 0 = off. */
export interface RiskPolicy extends RiskLimits {
  /** Yuan, of one exchange day. */
  readonly maxDailyLoss: number
  readonly maxRejectsInRow: number
}

/** How long a strategy's order may wait, and what becomes of its rest. Times are of the market clock. */
export interface PendingPolicy {
  /** `ENABLE_PENDING_ORDER_AUTO_CANCEL`. */
  readonly isAutoCancel: boolean
  readonly timeoutMs: number
  readonly stopLossTimeoutMs: number
  /** `PENDING_ORDER_AUTO_REORDER`. */
  readonly isAutoReorder: boolean
  readonly priceMode: ReorderPriceMode
  /** Resubmissions of one intent. */
  readonly reordersMax: number
  /** Tries of one resubmission that is refused for now, and the market time between two. */
  readonly triesMax: number
  readonly retryIntervalMs: number
}
export type ReorderPriceMode = 'best' | 'market' | 'limit'

/** Named limits, all from the configuration schema. */
export interface AccountLimits {
  readonly callTimeoutMs: number
  readonly connectTimeoutMs: number
  readonly reconnectIntervalMs: number
  readonly reconnectAttemptsMax: number
  readonly reconnectWaitMsMax: number
  /** Longest wait for an attempt in the service hours, and the least time between two. */
  readonly reconnectSessionWaitMsMax: number
  readonly reconnectGapMs: number
  readonly pingIntervalMs: number
  readonly positionQueryIntervalMs: number
  /** Between two looks at open orders while the client pushes no news of orders. */
  readonly openOrdersQueryMs: number
  /** How long lists of holdings and cash may be behind what happened. */
  readonly holdingsLagMs: number
  /** Between two polls for an order in doubt. */
  readonly doubtQueryIntervalMs: number
  /**
   * In a cluster: from a take-over until nothing that the owner before has begun can reach the broker any more, or
   * be missing in its lists. 0 on one computer, whose trading client says by itself what still stands.
   */
  readonly formerCallsMs: number
  /** An order that complete lists have not shown for this long was never taken. */
  readonly doubtSettleMs: number
  /** An order in doubt for longer is the operator's to decide; also the end of a search for deals. */
  readonly doubtQuarantineMs: number
  /** How much earlier than our intent a row without our remark may be, and how much later to need no person. */
  readonly matchBeforeMs: number
  readonly matchAfterMs: number
  /** Calls to cancel one order before a person has to, and the time between two. */
  readonly cancelRetriesMax: number
  readonly cancelRetryIntervalMs: number
  /** Cancels under way that nobody asked for one by one; the next follows an answer. */
  readonly cancelsAtOnceMax: number
  readonly versionHeartbeatMs: number
  readonly recordsDays: number
  /** Days for which ended orders and deals stay in the small tables. */
  readonly ordersKeepDays: number
  /** Orders in the tables at once; one more is refused. */
  readonly ordersMax: number
  /** Refusals whose keys are kept; the oldest go first. */
  readonly denialsMax: number
  /** After so long nobody retries any more because of an answer that was lost. */
  readonly untoldMs: number
  /** Keys of answers that will not be delivered, kept for orders that are not here yet. */
  readonly untoldKeysMax: number
  /** From an order to its answer, at most: the longest that the front lets a request last. */
  readonly answeredWithinMs: number
  /** Orders that were in doubt and are told of in events. */
  readonly settledShownMax: number
  /** Reports in a row without a holding before it counts as gone. */
  readonly missingConfirmations: number
  /** A jump of the computer's clock that keeps purchases back. */
  readonly clockStopMs: number
  /** Orders are refused on quotes that are further ahead of the market clock. */
  readonly quoteAheadMs: number
  /** How long a stock whose shares have changed is not judged while nobody says what its prices do. */
  readonly exDayHoldMs: number
  /** Between two comparisons with the broker. */
  readonly reconcileIntervalMs: number
  /** Age of a comparison on which the kill switch may be lowered. */
  readonly reconcileFreshMs: number
  /** Between two alarms about a restore that no person has confirmed. */
  readonly restoreAlarmMs: number
  /** Differences kept; the oldest go first. */
  readonly differencesMax: number
  /** Trade records that may have a note, and code points of one. */
  readonly fillNotesMax: number
  readonly fillNoteCharsMax: number
  /** Evaluations of one stock that the decision trace keeps. */
  readonly decisionsPerStockMax: number
  /** Of all stocks together. */
  readonly decisionsMax: number
  /** A strategy's order that a rule refuses again and again is written into the journal once in this time. */
  readonly refusalRepeatMs: number
  /** Orders of people that may wait for their turn; how long one may, and how long those of one request. */
  readonly pacedOrdersMax: number
  readonly pacedWaitMs: number
  readonly pacedBatchMs: number
  /** So long before its deadline a request for several stocks is answered with what is still queued. */
  readonly pacedAnswerMs: number
  /** How long the order that takes another one's place may wait for that one's end, and for what it had frozen. */
  readonly amendMs: number
  readonly amendFreezeMs: number
  /** How often it is tried when a rule refuses it for now, and the time between. */
  readonly amendTriesMax: number
  readonly amendRetryMs: number
  /** How long shares that no deal explains may wait for one, before the client's cost is taken for them. */
  readonly costSettleMs: number
  /** Points of equity of one day, and how many old ones leave with a new one. */
  readonly equityMinutesMax: number
  readonly equityPruneMax: number
  /** Orders of a signal that end unfilled again and again are sent at a growing interval, at most this one. */
  readonly signalRetryMaxMs: number
}
