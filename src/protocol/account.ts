import type { CallReport } from '../domain/call-log.ts'
import type { KillLevel } from '../domain/kill-level.ts'
import type { TokenScope } from '../domain/scope.ts'
import type { RiskName, RiskValue } from '../domain/settings/risk.ts'
import type { EarningsAnswer, EarningsQuestion } from './earnings.ts'
import type { FillNoted, FillsAnswer, FillsQuestion, NoteFill } from './fills.ts'
import type { GridAnswer, GridCommand, GridQuestion } from './grid.ts'
import type { BacktestPlan } from './grid-backtest.ts'
import type {
  AmendAnswer,
  AmendOrder,
  CancelQueued,
  ExecuteBuy,
  ExecuteSell,
  FindOrder,
  FoundByKey,
  KeyAnswer,
  NoteTold,
  OrderAnswer,
  OrderPreview,
  OrdersAnswer,
  OwnStock,
  PlaceOrder,
  PreviewOrder,
  ResolveDoubt,
  WithdrawKey,
} from './orders.ts'

/**
 * Read models of an account: JSON bytes, finished by the actor. Those of the `status` family end
 * before `,"timestamp":"…"}`, which the front appends; those of `/api/v1` and `gatewayStatus` are whole.
 */
export const RESOURCES = [
  // the `status` family: direct mode, and its compatible reads on the gateway
  'connection',
  'status',
  'positions',
  'positionsAll',
  'orders',
  'queuedOrders',
  'tradeRecords',
  'config',
  'debug',
  'stockPool',
  'events',
  'killSwitch',
  'reconcile',
  'gridSessions',
  // gateway, /api/v1
  'v1Status',
  'v1Positions',
  'v1Asset',
  'v1Orders',
  'v1QueuedOrders',
  'v1Trades',
  'v1KillSwitch',
  'v1Reconcile',
  // the front adds where the account is, and puts those of several together
  'overview',
  // gateway, completed by the front with what only direct mode knows
  'gatewayStatus',
] as const
export type Resource = (typeof RESOURCES)[number]

/** One finished read model. Current while the account's version word and the quotes stand where they stood. */
export interface Published {
  readonly resource: Resource
  /** JSON text in UTF-8. */
  readonly bytes: Uint8Array
  /** The account's version word when it was built. */
  readonly version: number
  /** Board slots whose quotes it shows, and the sum of their sequence numbers when it was built. */
  readonly quoteSlots: readonly number[]
  readonly quoteStamp: number
  /** `data_version` of the position family. */
  readonly dataVersion: number
}

/** Commands and queries of one account. Commands are answered only after the change is durable. */
/** Told to an account: who asked under this correlation id has gone. */
export interface AccountTold {
  readonly withdrawn: string
}

export type AccountRequest =
  | GridCommand
  | { readonly kind: 'gridAsk'; readonly question: GridQuestion }
  | { readonly kind: 'earningsAsk'; readonly question: EarningsQuestion }
  | { readonly kind: 'fillsAsk'; readonly question: FillsQuestion }
  | { readonly kind: 'read'; readonly resource: Resource }
  | AuditQuery
  | DecisionsQuery
  | { readonly kind: 'marketHealth' }
  | {
      readonly kind: 'gatewayStopProfit'
      readonly module: GatewayStopProfit
      readonly source: string
    }
  | { readonly kind: 'stopProfitRows' }
  | { readonly kind: 'calls' }
  /** The stocks that the account has to do with, and what it calls them. */
  | { readonly kind: 'stockNames' }
  | PlaceOrder
  | PreviewOrder
  | FindOrder
  | NoteTold
  | { readonly kind: 'answersLost'; readonly source: string }
  /** By a process that ends in good order: what it had to answer was delivered, or it has said what was not. */
  | { readonly kind: 'answersGiven'; readonly source: string }
  | { readonly kind: 'cancelOrder'; readonly orderId: string; readonly source: string }
  | AmendOrder
  | CancelQueued
  | WithdrawKey
  | ResolveDoubt
  | ExecuteBuy
  | ExecuteSell
  | { readonly kind: 'saveConfig'; readonly changes: ConfigChanges; readonly source: string }
  | { readonly kind: 'riskLimits' }
  | SetRiskLimits
  | NoteFill
  | { readonly kind: 'setMaster'; readonly on: boolean; readonly source: string }
  /** By the service; those that are in the journal already are passed over. */
  | { readonly kind: 'noteTokens'; readonly changes: readonly TokenNote[] }
  | {
      readonly kind: 'updateHolding'
      readonly code: string
      readonly profitTriggered?: boolean
      /** Ten-thousandths of a yuan. */
      readonly highestPrice?: number
      readonly stopLossPrice?: number
      readonly source: string
    }
  | {
      readonly kind: 'setStopProfit'
      readonly code: string
      readonly enabled: boolean
      readonly source: string
    }
  | {
      readonly kind: 'initializePositions'
      readonly changes: ConfigChanges
      readonly source: string
    }
  | { readonly kind: 'clearRecords'; readonly scope: 'today' | 'all'; readonly source: string }
  | { readonly kind: 'importData'; readonly source: string }
  | {
      readonly kind: 'setKillSwitch'
      readonly level: KillLevel
      /** For people; may be empty. */
      readonly reason: string
      readonly source: string
      /** What the caller has seen: another level that stops more is not lowered. */
      readonly from?: KillLevel
      /** What stops more than this level stays as it is. */
      readonly isRaiseOnly?: true
    }
  /** A person has seen what was found after the restore of this name. */
  | { readonly kind: 'confirmRestore'; readonly mark: string; readonly source: string }

/** Changes limits of the risk rules: all of them, or none. */
export interface SetRiskLimits {
  readonly kind: 'setRiskLimits'
  readonly limits: readonly WantedLimit[]
  /** The last characters of the account id, where more would get through at a real broker; else anything. */
  readonly confirm: string
  readonly source: string
}
/** In whole parts. */
export interface WantedLimit {
  readonly name: RiskName
  /** As whoever asks has seen it. */
  readonly from: RiskValue
  /** Null: as the file says it. */
  readonly to: RiskValue | null
}

/**
 * A page of the journal: newest first, those before `before` when given; or oldest first, those
 * after `after`. At most one of the two is given.
 */
export interface AuditQuery {
  readonly kind: 'audit'
  /** 1 … {@link AUDIT_LIMIT_MAX}. */
  readonly limit: number
  readonly before?: number
  readonly after?: number
  /** Only events of these kinds; empty: all. Errors  `VALIDATION` for one that does not exist. */
  readonly kinds: readonly string[]
  /** Without the highs and stop prices that the market moves by itself. */
  readonly quiet?: boolean
  /**
   * With `after`: what was written lately, as it is on disk by now. Nothing is hurried there for it, and what has left
   * the database is not found.
   */
  readonly isRecent?: true
}
export const AUDIT_LIMIT_MAX = 500

/** A named token that may see the account was made or withdrawn. Numbered upwards. */
export interface TokenNote {
  readonly number: number
  readonly timeMs: number
  readonly act: 'added' | 'revoked'
  readonly name: string
  readonly scope: TokenScope
  /** Empty: all. */
  readonly accounts: readonly string[]
  /** The user of the computer who did it. */
  readonly by: string
}

/** The gateway's own take-profit and stop-loss, for an account whose own strategy is off. Decimal ratios. */
export interface GatewayStopProfit {
  readonly isEnabled: boolean
  readonly stopLossRatio: number
  readonly breakoutRatio: number
  readonly pullbackRatio: number
  readonly sellRatio: number
  /** After so much silence of the gateway the account goes on without it. */
  readonly heldMs: number
}

/** What is remembered of one holding, under its wire names; prices in yuan. */
export interface StopProfitRow {
  readonly stock_code: string
  readonly highest_price: number
  readonly profit_triggered: boolean
  readonly profit_breakout_triggered: boolean
  readonly breakout_highest_price: number
  readonly last_price: number
}

/** Evaluations of the strategies, newest first. */
export interface DecisionsQuery {
  readonly kind: 'decisions'
  /** Suffixed code; empty: of every stock. */
  readonly code: string
  /** 1 … {@link DECISIONS_LIMIT_MAX}. */
  readonly limit: number
}
export const DECISIONS_LIMIT_MAX = 1_000

/** Fields of `POST /api/config/save` after validation, by their wire names and in wire units. */
export type ConfigChanges = Readonly<Record<string, number | boolean>>

/** What a strategy made of a stock, as far as the front adds to it. */
interface ToldDecision {
  readonly message: string
  readonly steps: readonly { readonly message: string }[]
  readonly refusal: { readonly message: string } | null
}

export interface AccountReplies {
  gridStart: GridAnswer
  gridPreview: GridAnswer
  gridBacktest: { readonly fields: BacktestPlan }
  gridStop: GridAnswer
  gridEnable: GridAnswer
  gridTemplateSave: GridAnswer
  gridTemplateUse: GridAnswer
  gridTemplateDelete: GridAnswer
  gridTemplateDefault: GridAnswer
  gridAsk: GridAnswer
  earningsAsk: EarningsAnswer
  fillsAsk: FillsAnswer
  read: Published
  /** A JSON object in UTF-8: `entries`, `total`, `pagination`; how many entries were looked at for it. */
  audit: { readonly bytes: Uint8Array; readonly looked: number }
  /** Rows as they are answered; `total` counts those that are kept. */
  decisions: {
    readonly decisions: readonly ToldDecision[]
    readonly total: number
    readonly refused: readonly { readonly message: string }[]
  }
  /** Snapshot as it is answered. */
  marketHealth: { readonly snapshot: object }
  gatewayStopProfit: { readonly isEnabled: boolean }
  stopProfitRows: { readonly rows: readonly StopProfitRow[] }
  /** Calls of this actor to the broker. */
  calls: CallReport
  stockNames: { readonly stocks: readonly OwnStock[] }
  placeOrder: OrderAnswer
  previewOrder: OrderPreview
  /** As it is answered, where it stands, and whether somebody is missing the news of it. */
  findOrder: FoundByKey
  noteTold: { readonly noted: number }
  answersLost: { readonly noted: number }
  answersGiven: { readonly noted: number }
  resolveDoubt: OrderAnswer
  cancelOrder: { readonly result: 0 | -1; readonly orderId: string; readonly message: string }
  cancelQueued: { readonly clientOrderIds: readonly string[] }
  amendOrder: AmendAnswer
  withdrawKey: KeyAnswer
  executeBuy: OrdersAnswer
  executeSell: OrdersAnswer
  saveConfig: SwitchReport & {
    readonly savedCount: number
    /** What the exits that were saved do not do as they stand together; absent from an owner of an earlier release. */
    readonly warnings?: readonly string[]
  }
  /** The fields that are answered, as they stand. */
  riskLimits: { readonly fields: object }
  /** The same afterwards, and how many limits are others now. */
  setRiskLimits: { readonly fields: object; readonly changedCount: number }
  noteFill: FillNoted
  setMaster: SwitchReport
  noteTokens: { readonly noted: number }
  updateHolding: { readonly message: string }
  setStopProfit: { readonly message: string; readonly enabled: boolean }
  initializePositions: {
    readonly success: boolean
    readonly message: string
    readonly updatedCount: number
    readonly errorCount: number
  }
  clearRecords: { readonly message: string; readonly removed: number }
  /** The fields of the read model `killSwitch`, as they are answered. */
  setKillSwitch: { readonly fields: object }
  /** Those of `reconcile`. */
  confirmRestore: { readonly fields: object }
  importData: SwitchReport & { readonly message: string; readonly appliedCount: number }
}

/** The three switches that several answers repeat. */
export interface SwitchReport {
  readonly isMonitoring: boolean
  readonly autoTradingEnabled: boolean
  readonly gridTradingEnabled: boolean
}

export type ReplyTo<R extends AccountRequest> = AccountReplies[R['kind']]

/**
 * What the supervisor says to an account thread over its control port. Only obeyed when the thread was
 * started with faults allowed, which only tests do.
 */
export interface AccountControl {
  readonly kind: 'fault'
  readonly fault: 'throw' | 'loop' | 'memory'
}
