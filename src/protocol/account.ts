import type { CallReport } from '../domain/call-log.ts'
import type { ErrorCode } from '../domain/errors.ts'
import type { KillLevel } from '../domain/kill-level.ts'
import type { Side } from '../domain/order.ts'
import type { RuleFinding } from '../domain/risk.ts'
import type { TokenScope } from '../domain/scope.ts'
import type { RiskName, RiskValue } from '../domain/settings/risk.ts'
import type { EarningsAnswer, EarningsQuestion } from './earnings.ts'
import type { FillsAnswer, FillsQuestion } from './fills.ts'
import type { GridAnswer, GridCommand, GridQuestion } from './grid.ts'
import type { BacktestPlan } from './grid-backtest.ts'

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

/** An order as a caller words it. */
interface WordedOrder {
  /** Suffixed code. */
  readonly code: string
  readonly side: Side
  /** Shares. */
  readonly quantity: number
  readonly priceType: number
  /** Ten-thousandths of a yuan; 0 unless the price type takes one. */
  readonly price: number
}

export interface PlaceOrder extends WordedOrder {
  readonly kind: 'placeOrder'
  /** The caller's idempotency key; the same key is one order. Empty: the account makes one. */
  readonly key: string
  /** Of the body under this key. */
  readonly requestHash: string
  readonly strategy: string
  readonly source: string
}

/** One order, under its client order id or the number that the broker gave it. */
export interface FindOrder {
  readonly kind: 'findOrder'
  readonly id: string
}

/**
 * By the front: whose answers were delivered after all, and whose never will be. Client order ids of orders,
 * or of requests for several. `answersLost`: a process that passed orders on is gone with all its answers.
 */
export interface NoteTold {
  readonly kind: 'noteTold'
  readonly told: readonly string[]
  readonly untold: readonly string[]
  readonly source: string
}

/**
 * Whoever sent an order has no answer, and gives it up: where nothing has come under its key, nothing that comes
 * under it later is executed. An order that is there already stays as it is.
 */
export interface WithdrawKey {
  readonly kind: 'withdrawKey'
  /** Client order id. */
  readonly key: string
  readonly source: string
}

/** What became of a key. */
export type KeyAnswer =
  /** Nothing came under it, and nothing will. */
  | { readonly state: 'withdrawn'; readonly message: string }
  /** What came under it was refused before it left, and will be again. */
  | { readonly state: 'refused'; readonly code: ErrorCode; readonly message: string }
  /** There is an order. */
  | { readonly state: 'ordered'; readonly answer: OrderAnswer; readonly isUntold: boolean }

/** A person wants an open order changed: it is canceled, and what is left of it is sent anew as an order of its own. */
export interface AmendOrder {
  readonly kind: 'amendOrder'
  /** The broker's number of the order to change, or ours. */
  readonly orderId: string
  /** Client order id of the order that takes its place. */
  readonly key: string
  /** Of the request body, so that the same key with another body is seen. */
  readonly requestHash: string
  /** Shares that both together may fill; absent: as many as the order was of. */
  readonly quantity?: number
  /** A limit, in ten-thousandths of a yuan; absent: the price of the order. */
  readonly price?: number
  readonly source: string
}

/** Where a change stands. */
export interface AmendAnswer {
  /** The broker's number of the order that is changed, or ours. */
  readonly orderId: string
  /** Of the order that takes its place. */
  readonly clientOrderId: string
  readonly outcome: 'canceling' | 'sent' | 'dropped'
  /** Why nothing takes its place; empty otherwise. */
  readonly reason: string
  /** Of the order that takes its place, once it was sent. */
  readonly order?: OrderAnswer
  readonly replayed: boolean
}

/** What would become of an order, without sending it. */
export interface PreviewOrder extends WordedOrder {
  readonly kind: 'previewOrder'
}

/** Every rule with its verdict, amount and fees. Money in yuan, as it is shown. */
export interface OrderPreview {
  readonly allowed: boolean
  /** Of the first rule that refuses. */
  readonly code: ErrorCode | null
  readonly message: string
  readonly rules: readonly (RuleFinding & { readonly ok: boolean })[]
  /** The worst price at which the order may trade; 0 = not known, and so is what follows from it. */
  readonly price: number
  readonly amount: number
  readonly fees: {
    readonly commission: number
    readonly stamp_duty: number
    readonly transfer_fee: number
    readonly total: number
  }
  /** null = nobody has told how the stock is called. */
  readonly stock_name: string | null
  /** null = there is none, and what follows from one has not been judged. */
  readonly quote: PreviewedQuote | null
  /** The most shares that one such order may be of; null = not known. */
  readonly quantity_max: number | null
  /** Fewest shares of a purchase, and the step above it. */
  readonly lot_min: number
  readonly lot_step: number
  /** Finest step of a price, yuan. */
  readonly tick_size: number
  /** By what this stock can be ordered. */
  readonly price_types: readonly {
    readonly type: number
    /** A price goes along: the limit, or the worst one of a market order. */
    readonly takes_price: boolean
  }[]
}

/** A stock that an account holds, has ordered or watches. */
export interface OwnStock {
  readonly code: string
  /** Its digits while nobody has said how it is called. */
  readonly name: string
  readonly isHeld: boolean
}

/** The quote by which an order was judged, yuan. */
export interface PreviewedQuote {
  /** Epoch milliseconds of the market. */
  readonly time: number
  /** By the clock of the market, which in a replay is not that of the reader. */
  readonly age_seconds: number
  /** 0 = halted. */
  readonly last_price: number
  /** 0 = not known. */
  readonly last_close: number
  /** The limits that the order has to keep; null = none, or not known. */
  readonly limit_up: number | null
  readonly limit_down: number | null
  /** What is asked and bid, best first, as far as there are levels. */
  readonly ask: readonly PreviewedLevel[]
  readonly bid: readonly PreviewedLevel[]
}

/** A level of the book. */
export interface PreviewedLevel {
  readonly price: number
  /** Shares; null = not known. */
  readonly volume: number | null
}

/** Orders that wait for their turn are not to be sent. */
export interface CancelQueued {
  readonly kind: 'cancelQueued'
  /** Of one order, or the key of a request for several; empty: all. */
  readonly clientOrderId: string
  /** Nobody asks for it: whoever asked for the order is gone without an answer. */
  readonly isCallerGone?: true
  readonly source: string
}

/** The operator's word on an order that no machine can clear up. */
export interface ResolveDoubt {
  readonly kind: 'resolveDoubt'
  readonly clientOrderId: string
  /** The broker's number of it; empty: the broker never got it. */
  readonly orderId: string
  readonly source: string
}

export interface ExecuteBuy {
  readonly kind: 'executeBuy'
  readonly key: string
  readonly requestHash: string
  /** `custom_stock` the first `count`, `random_pool` a sample of `count`, anything else none. */
  readonly strategy: string
  readonly count: number
  /** Suffixed codes. */
  readonly codes: readonly string[]
  /** Client order ids, one for each code; derived from `key` by the account's shell. */
  readonly keys: readonly string[]
  readonly source: string
}

export interface ExecuteSell {
  readonly kind: 'executeSell'
  readonly key: string
  readonly requestHash: string
  readonly code: string
  /** Shares, or the part of the sellable quantity, 0 < ratio ≤ 1. Exactly one of the two is given. */
  readonly quantity?: number
  readonly ratio?: number
  readonly priceType: number
  readonly price: number
  readonly source: string
}

/** Fields of `POST /api/config/save` after validation, by their wire names and in wire units. */
export type ConfigChanges = Readonly<Record<string, number | boolean>>

/** Where an order stands when a request for it is answered. */
export interface OrderAnswer {
  readonly clientOrderId: string
  /** Empty while unknown. */
  readonly orderId: string
  readonly state: 'accepted' | 'rejected' | 'unknown'
  readonly statusMessage: string
  /** The answer of an earlier request with the same key. */
  readonly replayed: boolean
}

/** Several orders of one request. */
interface OrdersAnswer {
  readonly successCount: number
  readonly totalCount: number
  readonly message: string
  readonly orders: readonly OrderAnswer[]
  /** Still waiting for their turn, the first one first; absent: none is. */
  readonly queued?: readonly { readonly clientOrderId: string; readonly code: string }[]
}

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
  findOrder: { readonly row: object; readonly answer: OrderAnswer; readonly isUntold: boolean }
  noteTold: { readonly noted: number }
  answersLost: { readonly noted: number }
  resolveDoubt: OrderAnswer
  cancelOrder: { readonly result: 0 | -1; readonly orderId: string; readonly message: string }
  cancelQueued: { readonly clientOrderIds: readonly string[] }
  amendOrder: AmendAnswer
  withdrawKey: KeyAnswer
  executeBuy: OrdersAnswer
  executeSell: OrdersAnswer
  saveConfig: SwitchReport & { readonly savedCount: number }
  /** The fields that are answered, as they stand. */
  riskLimits: { readonly fields: object }
  /** The same afterwards, and how many limits are others now. */
  setRiskLimits: { readonly fields: object; readonly changedCount: number }
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
