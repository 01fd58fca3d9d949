import type { StockCode } from '../domain/instrument.ts'
import type { BrokerAsset, BrokerDeal, OrderRecord } from '../domain/order.ts'
import type { Position } from '../domain/position.ts'
import type { OrderAnswer } from '../protocol/account.ts'
import type { QueryKind, QueryRows } from '../protocol/driver.ts'
import { type Connection, DISCONNECTED } from './connection.ts'
import type { AccountPolicy } from './policy.ts'
import type { Settings } from './settings.ts'

/** A deal that has been booked, by its key; the serial number of its record with it. */
export interface BookedDeal {
  readonly deal: BrokerDeal
  readonly recordId: number
  readonly strategy: string
  /** Exchange day of the booking. */
  readonly day: string
}

/** A call at the trading client that has not been answered. */
export type PendingCall =
  | { readonly kind: 'connect' }
  | { readonly kind: 'submit'; readonly clientOrderId: string }
  | { readonly kind: 'cancel'; readonly clientOrderId: string; readonly ref: number | undefined }
  | {
      readonly kind: 'query'
      readonly what: QueryKind
      readonly purpose: 'recover' | 'poll' | 'doubt' | 'ping'
    }

/** A request that waits until all its orders have been answered. */
export interface Waiting {
  readonly ref: number
  readonly kind: 'placeOrder' | 'executeBuy' | 'executeSell'
  readonly total: number
  /** Client order id → answer, in the order of the request; undefined while it is open. */
  readonly answers: Map<string, OrderAnswer | undefined>
}

/**
 * All that an account knows.
 *
 * The first group is durable: it changes only in `apply`, one journal event at a time, and folding
 * the journal gives it again. The second is what the trading client said last and what is under
 * way; it starts empty in every incarnation.
 */
export interface AccountState {
  readonly policy: AccountPolicy

  seq: number
  day: string
  nextRecordId: number
  /** Client order ids made here so far; their entropy. */
  idCounter: number
  settings: Settings
  readonly stored: Map<string, number | boolean>
  readonly positions: Map<StockCode, Position>
  readonly orders: Map<string, OrderRecord>
  readonly deals: Map<string, BookedDeal>

  /** Trading client's order number → client order id. */
  readonly orderIds: Map<string, string>
  connection: Connection
  asset: BrokerAsset | undefined
  assetAtMs: number
  nextCallId: number
  readonly calls: Map<number, PendingCall>
  readonly waiting: Set<Waiting>
  /** Reports gathered while recovering. */
  readonly reports: Map<QueryKind, QueryRows>
  /** Holdings missing from that many reports in a row. */
  readonly missing: Map<StockCode, number>
  /** Orders in doubt → wall clock of the first look that did not find them. */
  readonly absentSinceMs: Map<string, number>
  isReady: boolean
  dataVersion: number
  recordsVersion: number
}

export function emptyState(policy: AccountPolicy): AccountState {
  return {
    policy,
    seq: 0,
    day: '',
    nextRecordId: 1,
    idCounter: 0,
    settings: policy.settings,
    stored: new Map(),
    positions: new Map(),
    orders: new Map(),
    deals: new Map(),
    orderIds: new Map(),
    connection: DISCONNECTED,
    asset: undefined,
    assetAtMs: 0,
    nextCallId: 1,
    calls: new Map(),
    waiting: new Set(),
    reports: new Map(),
    missing: new Map(),
    absentSinceMs: new Map(),
    isReady: false,
    dataVersion: 1,
    recordsVersion: 1,
  }
}
