import type { StockCode } from '../domain/instrument.ts'
import type { BrokerDeal, BrokerOrder, OrderRecord } from '../domain/order.ts'
import type { OrderEventKind } from '../domain/order-state.ts'
import type { Position } from '../domain/position.ts'
import type { TradeRecord } from '../domain/trade-record.ts'
import type { SettingChange } from './settings.ts'

/**
 * What the journal of an account tells, past tense. `apply` folds them into the state, nothing
 * else changes it. `source` says who caused it: a token's name, `api`, a strategy, `broker`.
 */
export type AccountEvent =
  /** A new incarnation took over; run-time switches are back at their defaults. */
  | { readonly kind: 'actorStarted'; readonly incarnation: number }
  /** The market clock entered this exchange day; open orders of earlier days are over. */
  | { readonly kind: 'dayOpened'; readonly day: string }
  | { readonly kind: 'connected' }
  | { readonly kind: 'disconnected'; readonly reason: string }
  | {
      readonly kind: 'settingsChanged'
      readonly changes: readonly SettingChange[]
      readonly source: string
    }
  /** An intent: durable before the trading client is called. */
  | { readonly kind: 'orderSubmitted'; readonly order: OrderRecord; readonly source: string }
  /** Something was learned about an order of ours. */
  | {
      readonly kind: 'orderMoved'
      readonly clientOrderId: string
      readonly event: OrderEventKind
      /** The trading client's number, once it is known. */
      readonly orderId: string
      readonly message: string
    }
  /** A row of the trading client for an order we know. */
  | { readonly kind: 'orderReported'; readonly clientOrderId: string; readonly report: BrokerOrder }
  /** An order that this service did not issue. */
  | { readonly kind: 'orderAdopted'; readonly order: OrderRecord }
  | {
      readonly kind: 'dealBooked'
      readonly key: string
      readonly deal: BrokerDeal
      /** Empty when no order is known for it. */
      readonly clientOrderId: string
      readonly record: TradeRecord
    }
  | { readonly kind: 'positionReported'; readonly position: Position }
  | { readonly kind: 'positionClosed'; readonly code: StockCode }
  | {
      readonly kind: 'holdingChanged'
      readonly code: StockCode
      readonly fields: HoldingFields
      readonly source: string
    }
  | {
      readonly kind: 'recordsCleared'
      readonly scope: 'today' | 'all'
      readonly ids: readonly number[]
      readonly source: string
    }

/** Fields of a position that this service keeps and others may set. */
export type HoldingFields = Partial<
  Pick<
    Position,
    'profitTriggered' | 'highestPrice' | 'stopLossPrice' | 'stopProfitEnabled' | 'actedTickMs'
  >
>

/** An event with its place in the journal. */
export interface JournaledEvent {
  readonly seq: number
  /** Epoch ms of the market clock. */
  readonly timeMs: number
  readonly event: AccountEvent
}

/** Deal numbers repeat across stocks and days, so alone they are no key. */
export const dealKey = (day: string, deal: BrokerDeal): string =>
  `${day}|${deal.code}|${deal.side}|${deal.dealId}`
