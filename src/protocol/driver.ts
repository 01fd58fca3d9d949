import type {
  BrokerAsset,
  BrokerDeal,
  BrokerOrder,
  BrokerPosition,
  NewOrder,
} from '../domain/order.ts'
import type { Result } from '../domain/result.ts'

/**
 * What is asked of a broker. Nothing is awaited: every answer is a {@link DriverEvent}, so
 * that answers and pushes reach the account in one order, through its mailbox.
 *
 * Numbers of orders and deals are text of at most 96 characters, not only digits: letters at some counters, and
 * `sysid:…` or `row:…` for orders that the client lists without a number of their own (placed by telephone, say). A
 * cancel of a `row:…` is never asked: nothing names it. A number may change when a client is started anew.
 *
 * `callId` is the caller's and comes back in the answer. A call that is not answered within
 * `call_timeout` is the caller's business: it is in doubt, never repeated by the driver.
 */
export type DriverCommand =
  | { readonly kind: 'connect'; readonly callId: number }
  | { readonly kind: 'submit'; readonly callId: number; readonly order: NewOrder }
  | { readonly kind: 'cancel'; readonly callId: number; readonly orderId: string }
  | { readonly kind: 'query'; readonly callId: number; readonly what: QueryKind }
  /**
   * Whether anything that was submitted before may still arrive. Ok means: every submit that was given to
   * this account's driver before it, by this or an earlier life of the account, stands in no call any
   * more, and a later request on the lane of the orders was answered, or what held it (the session, the
   * process) has ended. A driver that cannot say so answers a fault that says what stands, or nothing.
   */
  | {
      readonly kind: 'barrier'
      readonly callId: number
      /** Submits that the account does not know the fate of; there may be others that its books have lost. */
      readonly clientOrderIds?: readonly string[]
    }

export type QueryKind = 'asset' | 'positions' | 'orders' | 'deals'

/** An unanswered or failed report is a fault, never an empty list. */
export interface DriverFault {
  readonly code: 'NOT_CONNECTED' | 'FAILED'
  readonly message: string
  /** Of `connect`: an owner with this epoch has been here, later than the one that asks. */
  readonly clientEpoch?: number
}

export type SubmitOutcome =
  /** The broker has the order under this number; it may still refuse it (status 57). */
  | { readonly kind: 'accepted'; readonly orderId: string }
  /** Definitely not taken. `isTooLate`: it was never sent, because it had waited too long, or nobody waited for it any more. */
  | { readonly kind: 'rejected'; readonly message: string; readonly isTooLate?: true }
  /** Nobody knows: look for it, never send it again. */
  | { readonly kind: 'unknown'; readonly message: string }

interface Report<What extends QueryKind, Rows> {
  readonly what: What
  readonly rows: Rows
  /**
   * In words, rows that the broker lists and nobody can read. The others are as good as ever; but what such
   * a list does not show may be one of these, so that nothing is concluded from its absence.
   */
  readonly leftOut?: readonly string[]
}

export interface OrdersReport extends Report<'orders', readonly BrokerOrder[]> {
  /** Numbers that the list bears beside those of its rows: of other markets and businesses, and of what cannot be read. */
  readonly otherNumbers?: readonly string[]
}

export type QueryRows =
  | Report<'asset', readonly [BrokerAsset]>
  | Report<'positions', readonly BrokerPosition[]>
  | OrdersReport
  | Report<'deals', readonly BrokerDeal[]>

/** Answers (with `callId`) and pushes (without). Deals may come before the answer to their submit, twice, or late. */
export type DriverEvent =
  | {
      readonly kind: 'connectAnswered'
      readonly callId: number
      readonly result: Result<null, DriverFault>
    }
  | {
      readonly kind: 'submitAnswered'
      readonly callId: number
      readonly clientOrderId: string
      readonly outcome: SubmitOutcome
    }
  | {
      readonly kind: 'cancelAnswered'
      readonly callId: number
      readonly orderId: string
      readonly result: Result<null, DriverFault>
    }
  | {
      readonly kind: 'queryAnswered'
      readonly callId: number
      readonly what: QueryKind
      readonly result: Result<QueryRows, DriverFault>
    }
  | {
      readonly kind: 'barrierAnswered'
      readonly callId: number
      readonly result: Result<null, DriverFault>
    }
  | { readonly kind: 'orderPushed'; readonly order: BrokerOrder }
  | { readonly kind: 'dealPushed'; readonly deal: BrokerDeal }
  | { readonly kind: 'positionPushed'; readonly position: BrokerPosition }
  | { readonly kind: 'assetPushed'; readonly asset: BrokerAsset }
  /** A push that nobody can read, in words: what it told is in the reports, as far as those can be read. */
  | { readonly kind: 'pushLeftOut'; readonly text: string }
  /** Told while the account is not connected: the terminal has come back, an attempt may succeed now. */
  | { readonly kind: 'terminalSeen' }
  | {
      readonly kind: 'disconnected'
      readonly reason: string
      /** A later owner has been here: its epoch. */
      readonly clientEpoch?: number
    }

/** From an account's thread to the host of its driver, over one port per account. */
export type HostCommand =
  /** First, and once: from now on the account has an owner with this epoch. */
  | { readonly kind: 'open'; readonly epoch: number }
  | {
      readonly kind: 'command'
      readonly command: DriverCommand
      /** Of an order, milliseconds of `steadyMs`: one that the host finds later is not sent. */
      readonly untilMs?: number
    }
