import type { SaleOutcome, TakenCost } from '../../domain/cost-book.ts'
import type { ErrorCode } from '../../domain/errors.ts'
import type { StockCode } from '../../domain/instrument.ts'
import type { KillLevel } from '../../domain/kill-level.ts'
import type { Money, Price, Quantity } from '../../domain/money.ts'
import type {
  Amendment,
  BrokerDeal,
  BrokerOrder,
  OrderRecord,
  Side,
  SignalType,
} from '../../domain/order.ts'
import type { OrderStatus } from '../../domain/order-state.ts'
import type { Position } from '../../domain/position.ts'
import type { SettingChange } from '../../domain/settings/parameters.ts'
import type { TradeRecord } from '../../domain/trade-record.ts'
import type { GatewayStopProfit, TokenNote } from '../../protocol/account.ts'
import type { FoundGain } from './costs.ts'
import type { Difference } from './differences.ts'
import type { GridEvent } from './grid-events.ts'
import type { ProtectiveStage, RaisingTrigger, UnpricedHolding } from './kill-switch.ts'
import type { OrderMoved } from './order-moved.ts'
import type { Restore } from './restore.ts'
import type { LimitChange } from './risk-limits.ts'
import type { TraceEntry } from './trace.ts'

/**
 * What the journal of an account tells, past tense. `apply` folds them into the state, nothing
 * else changes it. `source` says who caused it: a token's name, `api`, a strategy, `broker`.
 * `before` is for the reader of the journal, filled in by `withBefore`; folding ignores it.
 */
export type AccountEvent =
  | GridEvent
  /** A new incarnation took over; run-time switches are back at their defaults. */
  | { readonly kind: 'actorStarted'; readonly incarnation: number }
  /** The market clock entered this exchange day; open orders of earlier days are over. */
  | {
      readonly kind: 'dayOpened'
      readonly day: string
      /** Ended orders and deals from before this moment were forgotten, epoch ms of the market clock. */
      readonly keepFromMs?: number
      /** Client order ids of earlier days that did not end with theirs: they may still reach the broker. */
      readonly mayArrive?: readonly string[]
    }
  /**
   * The books are older than what the trading client has seen. Nothing is sent before they are compared, and,
   * but for journals of an earlier release, before a person has confirmed what that has found.
   */
  | ({ readonly kind: 'restoreFound'; readonly isPersonAsked?: true } & Pick<
      Restore,
      'mark' | 'fromEpoch' | 'clientEpoch' | 'former'
    >)
  /** All four reports have been compared since. */
  | { readonly kind: 'restoreCompared'; readonly mark: string; readonly differences: number }
  /** A person has seen what was found: orders may leave again. */
  | { readonly kind: 'restoreConfirmed'; readonly mark: string; readonly source: string }
  /** A wrong clock had opened a later day; nothing ends and nothing is forgotten by its being taken back. */
  | { readonly kind: 'dayTakenBack'; readonly day: string; readonly before: string }
  /** The clock of the computer stands `offMs` from the market clock, which does not follow it. */
  | { readonly kind: 'clockDoubted'; readonly offMs: number }
  /** It is followed again; the market clock was set by `shiftMs` for it, 0 when the other one came back. */
  | { readonly kind: 'clockTrusted'; readonly shiftMs: number }
  | { readonly kind: 'connected' }
  /** A named token that may see this account was made or withdrawn. */
  | ({ readonly kind: 'tokenChanged' } & TokenNote)
  | { readonly kind: 'disconnected'; readonly reason: string }
  | {
      readonly kind: 'settingsChanged'
      readonly changes: readonly SettingChange[]
      readonly source: string
    }
  /** A person has changed limits of the risk rules, in whole parts. */
  | {
      readonly kind: 'riskChanged'
      readonly changes: readonly LimitChange[]
      readonly source: string
    }
  /** Refused here, before the broker saw it. `code` is the stable code of the refusal. */
  | {
      readonly kind: 'orderDenied'
      readonly clientOrderId: string
      readonly stockCode: string
      readonly side: Side
      /** Shares; 0 when the refusal came before they were reckoned. */
      readonly quantity: number
      readonly priceType: number
      readonly price: Price
      readonly strategy: string
      readonly code: ErrorCode
      readonly message: string
      readonly source: string
      /** Hash of the request; present: the refusal is the answer to this key from now on. */
      readonly requestHash?: string
      /** Keys of older refusals that make room for it, so that folding needs no configuration. */
      readonly forgets?: readonly string[]
    }
  /** A key under which nothing had come by then: what comes under it later is refused. */
  | {
      readonly kind: 'keyWithdrawn'
      readonly clientOrderId: string
      readonly source: string
      /** Keys of older refusals that make room for it. */
      readonly forgets?: readonly string[]
    }
  /** An intent: durable before the broker is called. */
  | { readonly kind: 'orderSubmitted'; readonly order: OrderRecord; readonly source: string }
  /** One request for several stocks was taken; asked again, it means exactly these orders. */
  | {
      readonly kind: 'batchPlaced'
      readonly key: string
      readonly batch: Batch
      readonly source: string
    }
  /** Some of its orders do not wait for their turn any more: they were sent in this turn, or never will be. */
  | {
      readonly kind: 'batchAdvanced'
      readonly key: string
      readonly clientOrderIds: readonly string[]
      readonly isSent: boolean
      /** Why they were not, for people. */
      readonly refusals: readonly string[]
      readonly source: string
    }
  /** Something was learned about an order of ours. */
  | OrderMoved
  /** A row of the broker for an order we know. */
  | {
      readonly kind: 'orderReported'
      readonly clientOrderId: string
      readonly report: BrokerOrder
      readonly before?: OrderStatus
    }
  /** The trading client gave an order of ours another number; from now on it is meant by that. */
  | {
      readonly kind: 'orderRenumbered'
      readonly clientOrderId: string
      readonly orderId: string
      readonly formerId: string
      /** The former number was never its own: somebody had copied its remark. */
      readonly isCopy?: true
    }
  /** Answers about these orders did not get to whoever wanted them, or may not have. */
  | {
      readonly kind: 'orderUntold'
      readonly clientOrderIds: readonly string[]
      readonly source: string
    }
  /** Whoever asked for them has been told what became of them. */
  | {
      readonly kind: 'orderTold'
      readonly clientOrderIds: readonly string[]
      /** By an end in good order: no later end puts it in doubt again. */
      readonly isForGood?: true
      readonly source: string
    }
  /** Something about an order that a person should look at; it changes nothing. */
  | { readonly kind: 'orderWarned'; readonly clientOrderId: string; readonly text: string }
  /** No machine can say what became of an order in doubt. `candidates`: numbers that it may have. */
  | {
      readonly kind: 'orderQuarantined'
      readonly clientOrderId: string
      readonly candidates: readonly string[]
      readonly reason: string
    }
  /** The operator says what became of it: it has this number, or the broker never got it (empty). */
  | {
      readonly kind: 'doubtDecided'
      readonly clientOrderId: string
      readonly orderId: string
      /** The broker had it, and it has ended there. */
      readonly isOver?: true
      readonly source: string
    }
  /** Its time was up, and it works on: a cancel would help nothing, or no more orders may follow it today. */
  | {
      readonly kind: 'orderKept'
      readonly clientOrderId: string
      readonly keptFor: 'place' | 'used_up'
      readonly reason: string
    }
  /** A person wants an order changed: it is canceled in the same turn, and another is to take its place. */
  | {
      readonly kind: 'orderAmended'
      readonly clientOrderId: string
      readonly stockCode: StockCode
      readonly amendment: Amendment
      readonly source: string
    }
  /** The order that takes its place was sent in this turn, or never will be. */
  | {
      readonly kind: 'amendmentEnded'
      readonly clientOrderId: string
      readonly outcome: 'sent' | 'dropped'
      /** Why it was not, for people. */
      readonly reason: string
    }
  /** The rest of a canceled order is not sent again. */
  | { readonly kind: 'reorderDropped'; readonly clientOrderId: string; readonly reason: string }
  /** The gateway's own stop-profit was switched, or has other ratios. It does not outlive the process. */
  | {
      readonly kind: 'gatewayModuleSet'
      readonly isEnabled: boolean
      readonly ratios: GatewayRatios
      readonly source: string
    }
  /** Simulation mode: an order that nobody else saw was filled at once. */
  | {
      readonly kind: 'orderSimulated'
      readonly clientOrderId: string
      readonly record: TradeRecord
      /** Of a sale: what it has earned in the simulation. Absent in journals of earlier releases. */
      readonly sale?: SaleOutcome
      /** Of a signal's order: its fill means what it would mean at the broker. */
      readonly signalType?: SignalType
      readonly source: string
    }
  /** Holdings that no deal explains, at the cost that the client tells: what was there when costs were first followed. */
  | {
      readonly kind: 'costsTaken'
      readonly taken: readonly TakenCost[]
      /** What those had gained on the day that is no part of it. Absent in journals of earlier releases. */
      readonly found?: FoundGain
    }
  /**
   * No deal tells of an order whose day is over, and the holding has changed by so many shares: that is what was filled,
   * unless something is told of it before it ends.
   */
  | {
      readonly kind: 'orderTakenForFilled'
      readonly clientOrderId: string
      readonly quantity: Quantity
    }
  /** What follows from the fills of a signal's order has been done: it is final. */
  | { readonly kind: 'signalFilled'; readonly clientOrderId: string }
  /** Why a strategy sent this order; for the reader of the journal. */
  | {
      readonly kind: 'decisionMade'
      readonly clientOrderId: string
      readonly decision: TraceEntry
      /** Name of the strategy; absent where there was only one that gave reasons. */
      readonly strategy?: string
    }
  /** An order that this service did not issue, or one of its own that its books have lost. */
  | { readonly kind: 'orderAdopted'; readonly order: OrderRecord }
  | {
      readonly kind: 'dealBooked'
      readonly key: string
      readonly deal: BrokerDeal
      /** Empty when no order is known for it. */
      readonly clientOrderId: string
      readonly record: TradeRecord
      /** Of the order it belongs to. */
      readonly before?: Pick<OrderRecord, 'status' | 'filledQuantity'>
    }
  | {
      readonly kind: 'positionReported'
      readonly position: Position
      /** Absent when the holding is new. */
      readonly before?: HoldingBefore
    }
  | {
      readonly kind: 'positionClosed'
      readonly code: StockCode
      /**
       * Shares that deals had left of it: lists have lacked it until it counts as closed, and it may be shown again. Absent
       * where the client or deals said that it is gone, and in journals of earlier releases.
       */
      readonly left?: number
      readonly before?: HoldingBefore
    }
  | {
      readonly kind: 'holdingChanged'
      readonly code: StockCode
      readonly fields: HoldingFields
      readonly source: string
      /** The same fields as they were. */
      readonly before?: HoldingFields
    }
  /** A holding is without a right from a day on: what is remembered of it moved to the scale of the new prices. */
  | {
      readonly kind: 'exDayFollowed'
      readonly code: StockCode
      readonly fields: ExDayFields
      /** Shares that were bought on the day and booked before it was told of; absent: none. */
      readonly bought?: number
      /** Some of the same fields as they were. */
      readonly before?: Partial<ExDayFields>
    }
  | {
      readonly kind: 'recordsCleared'
      readonly scope: 'today' | 'all'
      readonly ids: readonly number[]
      readonly source: string
    }
  /** A person has written a note beside a trade record, changed or deleted it. */
  | {
      readonly kind: 'fillNoted'
      readonly recordId: number
      readonly code: StockCode
      /** Null: there was none; there is none any more. */
      readonly before: string | null
      readonly note: string | null
      readonly source: string
    }
  | {
      readonly kind: 'killSwitchSet'
      readonly before: KillLevel
      readonly level: KillLevel
      readonly reason: string
      /** Null when a person did it. */
      readonly trigger: RaisingTrigger | null
      /** What the trigger had counted: refusals, or the loss in ten-thousandths of a yuan. */
      readonly value: number
      readonly source: string
    }
  /** The protective sales of a day come near their limit, or have reached it; told once each. */
  | {
      readonly kind: 'protectiveLimitNeared'
      readonly day: string
      readonly stage: ProtectiveStage
      readonly count: number
      readonly limit: number
    }
  /**
   * The total with which this exchange day begins: what its loss is measured from. It comes again while nothing has
   * traded yet, and with the first price of what had none.
   */
  | {
      readonly kind: 'dayTotalSeen'
      readonly day: string
      readonly total: Money
      /** As {@link DayTotal} has it. */
      readonly result?: Money
      readonly unpriced?: readonly UnpricedHolding[]
    }
  /** Our books and a report of the broker did not agree; the next events follow the report. */
  | {
      readonly kind: 'differenceFound'
      readonly difference: Difference
      /** Differences with lower numbers were forgotten. */
      readonly keepFromId: number
    }

/** Ratios that the gateway's own module goes by, all decimal. */
export type GatewayRatios = Pick<
  GatewayStopProfit,
  'stopLossRatio' | 'breakoutRatio' | 'pullbackRatio' | 'sellRatio'
>

/** Fields of a position that this service keeps and others may set. */
export type HoldingFields = Partial<
  Pick<
    Position,
    | 'profitTriggered'
    | 'highestPrice'
    | 'breakoutTriggered'
    | 'breakoutHighestPrice'
    | 'stopLossPrice'
    | 'stopProfitEnabled'
    | 'actedTickMs'
  >
>

/** Fields of a position that an ex-day moves. */
export type ExDayFields = Required<
  Pick<
    Position,
    'highestPrice' | 'breakoutHighestPrice' | 'stopLossPrice' | 'effectiveCost' | 'exDay'
  >
>

/** What became of a request for several stocks. */
export interface Batch {
  readonly requestHash: string
  /** Of the orders that were sent, in the order of the request. */
  readonly clientOrderIds: readonly string[]
  /** Stocks that were asked for. */
  readonly total: number
  /** What was not sent, with the reason, for people. */
  readonly refusals: readonly string[]
  /** Of the orders that wait for their turn, the first one first; absent: none does. */
  readonly queued?: readonly string[]
  /** Epoch ms of the market clock. */
  readonly createdMs: number
}

/** What the broker had said of a holding until then. */
export type HoldingBefore = Pick<Position, 'quantity' | 'sellable' | 'costPrice'>

/** An event with its place in the journal. */
export interface JournaledEvent {
  readonly seq: number
  /** Epoch ms of the market clock. */
  readonly timeMs: number
  readonly event: AccountEvent
}
