import type { StockCode } from './instrument.ts'
import type { Money, Price, Quantity } from './money.ts'
import type { OrderStatus } from './order-state.ts'

export type Side = 'buy' | 'sell'
/** The broker's numbers for the two sides. */
export const ORDER_TYPE = { buy: 23, sell: 24 } as const satisfies Record<Side, number>
export const sideOf = (orderType: number): Side | undefined =>
  orderType === ORDER_TYPE.buy ? 'buy' : orderType === ORDER_TYPE.sell ? 'sell' : undefined
/**
 * Business of a credit account that nobody does here, by the broker's numbers, with what it does to the shares of a
 * holding: 27, 40 financed purchases; 31, 44 sales that repay; 30, 43 shares that are given back. Those that move no
 * share of it (28, 41 short sales, 29, 42 purchases for the lender, 32, 45 cash) are no orders of a holding.
 */
const OTHER_BUSINESS: ReadonlyMap<number, Side> = new Map<number, Side>([
  [27, 'buy'],
  [30, 'sell'],
  [31, 'sell'],
  [40, 'buy'],
  [43, 'sell'],
  [44, 'sell'],
])
/** Short sales, purchases for the lender, cash: they are in the lists of a credit account, and move no share of it. */
const MOVES_NO_SHARE: ReadonlySet<number> = new Set([28, 29, 32, 41, 42, 45])
export const movesShares = ({ order_type: type }: { readonly order_type: number }): boolean =>
  !MOVES_NO_SHARE.has(type)
export const otherBusinessOf = (orderType: number): Side | undefined =>
  OTHER_BUSINESS.get(orderType)

/** BUY or SELL, as orders and records show the side. */
export const tradeType = (side: Side): 'BUY' | 'SELL' => (side === 'buy' ? 'BUY' : 'SELL')

/** `price_type` numbers of the broker that this market accepts (docs/domain.md 3.1). */
export const PRICE_TYPE = {
  latest: 5,
  limit: 11,
  shConvert5Cancel: 42,
  shConvert5Limit: 43,
  peerBest: 44,
  mineBest: 45,
  szRestCancel: 46,
  szConvert5Cancel: 47,
  szFullOrCancel: 48,
} as const
export const PRICE_TYPES: ReadonlySet<number> = new Set(Object.values(PRICE_TYPE))

/** Status codes of the broker, 48 … 57 and 255, with the text it shows for each. */
export const VENUE_STATUS = {
  48: '未报',
  49: '待报',
  50: '已报',
  51: '已报待撤',
  52: '部成待撤',
  53: '部撤',
  54: '已撤',
  55: '部成',
  56: '已成',
  57: '废单',
  255: '未知',
} as const
export type VenueStatus = keyof typeof VENUE_STATUS

/** In flight for display and for guards; 255 is neither pending nor terminal. */
const PENDING: ReadonlySet<VenueStatus> = new Set<VenueStatus>([48, 49, 50, 51, 52, 55])
const TERMINAL: ReadonlySet<VenueStatus> = new Set<VenueStatus>([53, 54, 56, 57])
export const isPending = (status: VenueStatus): boolean => PENDING.has(status)
export const isTerminal = (status: VenueStatus): boolean => TERMINAL.has(status)

/** What is to be traded, and how. */
export interface OrderTerms {
  readonly code: StockCode
  readonly side: Side
  readonly quantity: Quantity
  readonly priceType: number
  /** 0 unless the price type takes one. */
  readonly price: Price
}

/** An order as it leaves for the broker. */
export interface NewOrder extends OrderTerms {
  readonly clientOrderId: string
  /** `strategy_name` at the broker; also the strategy of the trade record. */
  readonly strategy: string
}

/** An order row as the broker reports it, by push or by query. */
export interface BrokerOrder extends OrderTerms {
  readonly orderId: string
  /** From `order_remark`; empty for orders that are not ours or lost their remark. */
  readonly clientOrderId: string
  readonly filledQuantity: Quantity
  readonly filledAmount: Money
  readonly status: VenueStatus
  readonly statusMessage: string
  /** Epoch milliseconds. */
  readonly timeMs: number
  /** The client has told no time: it is that at which the row was told. */
  readonly isUndated?: true
  readonly strategy: string
  /** Financing or its repayment: never one of ours, however like one it looks. */
  readonly isOtherBusiness?: true
  /** Its id looks like one of ours and was given by somebody else, who has a service like this one. */
  readonly isOthers?: true
  /** Its number was that of an order of ours, which is shown to have another one by now. */
  readonly hasFormerNumber?: true
}

/** One execution as the broker reports it. */
export interface BrokerDeal {
  readonly dealId: string
  readonly orderId: string
  readonly clientOrderId: string
  readonly code: StockCode
  readonly side: Side
  readonly quantity: Quantity
  readonly price: Price
  readonly amount: Money
  /** All fees of this deal; 0 when the client does not report them. */
  readonly fee: Money
  readonly timeMs: number
  /** The client has told no time: it is that at which the row was told. */
  readonly isUndated?: true
  readonly strategy: string
  /** Of an order that is never one of ours. */
  readonly isOtherBusiness?: true
  /** Its id looks like one of ours and was given by somebody else, as that of its order. */
  readonly isOthers?: true
}

/** A holding as the broker reports it. Rows with quantity 0 occur after a full sale. */
export interface BrokerPosition {
  readonly code: StockCode
  readonly name: string
  readonly quantity: Quantity
  /** What may be sold today, our own open sales already taken off. */
  readonly sellable: Quantity
  readonly costPrice: Price
  /** `2026-08-03`, when the client knows it. */
  readonly openDate?: string
}

/** Cash as the broker reports it. */
export interface BrokerAsset {
  readonly available: Money
  readonly frozen: Money
  readonly marketValue: Money
  readonly total: Money
}

/** Why a strategy wants an order. Such orders have a time limit, and their rest is sent again. */
export const SIGNAL_TYPES = [
  'stop_loss',
  'take_profit_half',
  'take_profit_full',
  'add_position',
] as const
export type SignalType = (typeof SIGNAL_TYPES)[number]

/** One intent of a strategy and the orders that were sent for it, one after the other. */
export interface OrderChain {
  /** The first of them. */
  readonly rootClientOrderId: string
  /** Shares that all of them together may fill. */
  readonly targetQuantity: Quantity
  /** 0 for the first, 1 for the first resubmission, … */
  readonly attempt: number
  /** The one before; empty for the first. */
  readonly follows: string
  /** Price at which the intent arose; 0 = none. */
  readonly signalPrice: Price
}

/** What an order is to be changed into: it is canceled, and an order of its own takes its place. */
export interface Amendment {
  /** Client order id of the order that takes its place. */
  readonly clientOrderId: string
  /** Of the request that asked for it. */
  readonly requestHash: string
  /** Shares that both together may fill. */
  readonly quantity: Quantity
  readonly priceType: number
  readonly price: Price
  readonly source: string
  /** Later it is not sent: whoever asked may have given up. Epoch ms of the market clock and of the wall clock. */
  readonly until: { readonly nowMs: number; readonly wallMs: number }
  readonly outcome: 'canceling' | 'sent' | 'dropped'
  /** Why nothing took its place; empty otherwise. */
  readonly reason: string
}

/** What this service knows of one order; the row of the order table. */
export interface OrderRecord extends NewOrder {
  /** The broker's number; empty until it is known. */
  readonly orderId: string
  readonly status: OrderStatus
  /** Last code seen at the broker; 48 before the first. */
  readonly venueStatus: VenueStatus
  readonly statusMessage: string
  readonly filledQuantity: Quantity
  readonly filledAmount: Money
  /** Epoch milliseconds of the market clock. */
  readonly createdMs: number
  readonly updatedMs: number
  /** Exchange day, `2026-08-11`: the order ends with it. */
  readonly day: string
  /** Hash of the request body under this key, so that the same key with another body is seen. */
  readonly requestHash: string
  /** Shares filled by the broker's word, when that is more than its deals have shown. */
  readonly venueFilledQuantity?: Quantity
  /** Shares of its holding that are gone since its day, while it may still be told what was filled of it. */
  readonly goneQuantity?: Quantity
  /** In doubt, and no machine can decide it: the operator does. Stock and side stay held. */
  readonly isQuarantined?: true
  /** Set on orders of a strategy's signal. */
  readonly signalType?: SignalType
  readonly chain?: OrderChain
  /** Refused here and never sent: it had waited too long, or whoever asked for it was gone. The broker has said nothing of it. */
  readonly isTooLate?: true
  /** Its time was up, or it was never sent: what is left of what it is part of is to be sent again. */
  readonly isReorderWanted?: true
  /** More was wanted than one order may be of: once it is filled whole, the next part is sent. */
  readonly hasNextPart?: true
  /** Last price as it was sent, of a signal's order without a limit of its own. */
  readonly quotedPrice?: Price
  /** Not canceled although its time was up: `place` in the queue, or `used_up` what may be sent again. */
  readonly keptFor?: 'place' | 'used_up'
  /** Canceled so that another order takes its place: nothing of it is sent again. */
  readonly isReplaced?: true
  /** What it was last to be changed into. */
  readonly amendment?: Amendment
  /** When it was found out what had become of it after all, epoch ms of the market clock. */
  readonly doubtEndedMs?: number
  /**
   * Since when its outcome could be told and, for all we know, was not: whoever wanted it may take it for
   * failed. Epoch ms of the market clock. Only on orders of people.
   */
  readonly untoldMs?: number
  /** Told, by a process that ended in good order: no end of another puts that in doubt again. */
  readonly isTold?: true
  /** Its fills are final, and what follows from them has been done. */
  readonly isSettled?: true
  /** Ours, and lost from the books with an older database: the trading client's row brought it back. */
  readonly isRecovered?: true
  /** Numbers that it had before the trading client gave it this one, the oldest first. */
  readonly formerIds?: readonly string[]
  /**
   * Since when lists of the trading client show it no more although it had not ended, epoch ms of the market
   * clock. In doubt: nobody knows why. Expired: it counts as ended, until it is shown again.
   */
  readonly vanishedMs?: number
  /** It vanished before a cancel had left or done anything: that is seen to once it is shown again, also by a later life. */
  readonly isCancelWanted?: true
  /** Of somebody else's order: the order of ours whose remark it bears as well. */
  readonly copyOf?: string
  /** Of somebody else's order: what its remark says, when that looks like an id of ours. */
  readonly remark?: string
}

/** The broker has a cancel in hand; an order that shows it may be another's doing. */
export const isInHand = ({ venueStatus }: Pick<OrderRecord, 'venueStatus'>): boolean =>
  venueStatus === 51 || venueStatus === 52

/** Whether the broker had it under a number, shows it no more, and nobody knows why. */
export const isVanished = ({ status, vanishedMs }: OrderRecord): boolean =>
  status === 'inDoubt' && vanishedMs !== undefined

/** What stands for the number of an order that another one has now: which one it has itself a list will tell. */
const TAKEN = 'taken:'
export const takenNumber = (orderId: string): string => `${TAKEN}${orderId}`
export const isNumberTaken = ({ orderId }: Pick<OrderRecord, 'orderId'>): boolean =>
  orderId.startsWith(TAKEN)

/** The number by which people are told of it: empty where the client has given none, or has given it to another order since. */
export const toldNumber = (order: Pick<OrderRecord, 'orderId'>): string =>
  isNumberTaken(order) ? '' : order.orderId

/** An order that the client lists without any number, or under one that is not known: nothing can name it in a cancel. */
const isUnnumbered = (orderId: string): boolean =>
  orderId.startsWith('row:') || isNumberTaken({ orderId })

/** Whether there is a number by which the trading client can be asked to cancel. */
export const isNamed = ({ orderId }: Pick<OrderRecord, 'orderId'>): boolean =>
  orderId !== '' && !isUnnumbered(orderId)

/** Shares that are filled, by deals or by what the broker says of the order. */
export const countedOf = ({ filledQuantity, venueFilledQuantity = 0 as Quantity }: OrderRecord) =>
  Math.max(filledQuantity, venueFilledQuantity) as Quantity

/** Whether every share that the broker says is filled has been booked. */
export const isCaughtUp = ({ filledQuantity, venueFilledQuantity = 0 as Quantity }: OrderRecord) =>
  filledQuantity >= venueFilledQuantity

/** Another order is to follow it: with its rest, or with the next part of what is wanted. */
export const isGoneOnWith = ({ isReorderWanted, hasNextPart, status }: OrderRecord): boolean =>
  isReorderWanted === true || (hasNextPart === true && status === 'filled')
