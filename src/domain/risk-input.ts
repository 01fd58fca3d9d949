import { type FeeParts, type FeeRates, feeParts } from './fees.ts'
import type { KillLevel } from './kill-level.ts'
import type { Money, Price, Quantity } from './money.ts'
import type { OrderRecord, OrderTerms } from './order.ts'
import { type RiskQuote, reckonedPrice } from './reckoned-price.ts'

/** Limits of the pre-trade rules, from the configuration. 0 = the rule is off. */
export interface RiskLimits {
  readonly maxOrdersPerSecond: number
  /** All but protective sales. */
  readonly maxOrdersPerDay: number
  /** Protective sales. */
  readonly maxProtectiveOrdersPerDay: number
  /** Yuan. */
  readonly maxOrderValue: number
  /** Ratio from the last price: 0.1 = ten percent. */
  readonly priceDeviation: number
  readonly staleQuoteMs: number
  /** Whether an order like one that is still open is refused. */
  readonly refuseDuplicates: boolean
}

/** How much of all assets is in stocks, for purchases that strategies want. */
export interface Exposure {
  /** `MAX_TOTAL_POSITION_RATIO`. */
  readonly ratio: number
  /** Holdings at their marks, with what open purchases may still add; undefined = not known for now. */
  readonly value?: Money
  /** Cash and holdings. */
  readonly total?: Money
}

/** The queue that an order would wait in. */
export interface OrderQueueSeen {
  readonly waiting: number
  readonly waitingMax: number
  /** How long it would wait at least, and how long it may, milliseconds. */
  readonly waitMs: number
  readonly waitMsMax: number
}

export type RiskOrder = OrderTerms

/** An order that came before, as it is named to whoever repeats it. */
export type Earlier = Pick<OrderRecord, 'clientOrderId' | 'orderId' | 'status' | 'createdMs'>

/** All that the rules look at, put together at one moment. Nothing else decides. */
export interface RiskInput {
  readonly order: RiskOrder
  /** Market clock, epoch milliseconds, and the exchange day of the account. */
  readonly nowMs: number
  readonly day: string
  /** The simulated market has no hours. */
  readonly isAlwaysOpen: boolean
  readonly isBuyAllowed: boolean
  readonly isSellAllowed: boolean
  readonly killLevel: KillLevel
  /** Why it is there, for people. */
  readonly killReason?: string
  /** Connected to the broker and reconciled with it. */
  readonly isReady: boolean
  /** Free disk space is below its floor: an order that could not be written down must not be sent. */
  readonly isDiskLow?: boolean
  /** Name of the stock; empty when it is not known. A risk warning is part of the name. */
  readonly name: string
  readonly quote: RiskQuote | undefined
  /** As the broker said, own purchases that it may not know yet taken off; undefined before it has said. */
  readonly cash: Money | undefined
  /** Of it, kept back for purchases in doubt. */
  readonly cashReserved: Money
  /** As the broker said, own sales that it may not know yet taken off. */
  readonly sellable: Quantity
  /** Of it, kept back for sales of this code that are in doubt. */
  readonly sellableReserved: Quantity
  /** An order in doubt on the same code and side; and one with the same terms. */
  readonly doubtful: string | undefined
  readonly doubtfulLike: string | undefined
  /**
   * An order of a person that this one, of a person too, may be the repetition of: nobody knows what became
   * of it; or somebody may know, but whoever wanted it was not told.
   */
  readonly doubtfulRepeat?: Earlier | undefined
  readonly untoldRepeat?: Earlier | undefined
  /** An open order with the same terms. */
  readonly duplicate: string | undefined
  /** Whether the order is a sale that protects a holding, wanted by a signal. */
  readonly isProtective: boolean
  /** Our own orders sent within the last second, and on this exchange day without protective sales. */
  readonly ordersLastSecond: number
  /** Places of the second that this order leaves to others. */
  readonly ordersReserved?: number
  /** Present where an order without a place waits for its turn. */
  readonly queue?: OrderQueueSeen
  readonly ordersToday: number
  /** Our own protective sales of this exchange day. */
  readonly protectiveToday: number
  /** Orders that the account keeps, and how many it may. */
  readonly ordersKept: number
  readonly ordersKeptMax: number
  /** By which a quote may be ahead of the market clock: the feed lets in none that is further ahead. */
  readonly quoteAheadMs: number
  readonly feeRates: FeeRates
  readonly limits: RiskLimits
  /** Undefined for the order of a person, which the total of all holdings does not bind. */
  readonly exposure?: Exposure
}

/** What an order would turn over and cost, before it is sent. */
export interface Estimate {
  /** The worst price at which it may trade; 0 = not known. */
  readonly price: Price
  readonly amount: Money
  readonly fees: FeeParts
}

/**
 * Amount and fees at the price that is reckoned with. The product may leave the safe integers, for
 * quantities that the lot rule refuses anyway: no exception, an inexact amount.
 */
export function estimateOf(
  { code, side, quantity, priceType, price }: RiskOrder,
  context: {
    readonly day: string
    readonly quote: RiskQuote | undefined
    readonly feeRates: FeeRates
  },
): Estimate {
  const reckoned = reckonedPrice({ code, side, priceType, price }, context.quote)
  const amount = (reckoned * quantity) as Money
  const fees = feeParts(context.feeRates, { code, side, day: context.day, amount })
  return { price: reckoned, amount, fees }
}
