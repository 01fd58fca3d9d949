import {
  type BookedTrade,
  bookPurchase,
  bookSale,
  type SaleOutcome,
} from '../../domain/cost-book.ts'
import { exchangeTime } from '../../domain/exchange-time.ts'
import { bareCode, type StockCode } from '../../domain/instrument.ts'
import { type Money, notional, type Price, type Quantity } from '../../domain/money.ts'
import { type OrderRecord, PRICE_TYPE, type Side, tradeType } from '../../domain/order.ts'
import { type Position, putPosition } from '../../domain/position.ts'
import { boundedBy, takesProtection } from '../../domain/price-type.ts'
import { counterpartyPrice } from '../../domain/reckoned-price.ts'
import type { OrderAnswer } from '../../protocol/orders.ts'
import {
  afterPurchase,
  afterSale,
  keepNewest,
  type Simulation,
  simulatedFee,
} from '../model/simulation.ts'
import { nameOf } from '../turn/holding.ts'
import type { Turn } from '../turn/turn.ts'
import type { ApprovedOrder } from './approval.ts'
import { displayedStop } from './quote-rules.ts'

/** Where an order comes from, beside its terms. */
export interface OrderOrigin extends Pick<OrderRecord, 'signalType' | 'chain' | 'quotedPrice'> {
  /** Of the number of a simulated order, where an order has one record for all its fills. */
  readonly simulatedPrefix?: string | undefined
}

/** What an order has turned over in all. */
export interface Fills {
  /** The broker's number; empty when it never got one. */
  readonly orderId: string
  readonly quantity: Quantity
  readonly amount: Money
}

/** What became of a simulated order; no fills when there was no price. */
export interface SimulatedOrder {
  readonly answer: OrderAnswer
  readonly fills?: Fills
}

const COUNTER_DIGITS = 4

/** What became of a simulated order under this key, as a repeated answer; undefined when there is none. */
export function simulatedBefore({ state }: Turn, key: string): OrderAnswer | undefined {
  const kept = state.simulation?.answers.get(key)
  return kept && { ...kept.answer, replayed: true }
}

/**
 * Fills an order at once, whole, at its price or at that of the other side. Holdings and cash of the
 * simulation follow; the record is written like any other.
 *
 * Source  docs/domain.md 9.3, 4.7.
 */
export function simulateOrder(
  turn: Turn,
  simulation: Simulation,
  order: ApprovedOrder,
  origin: OrderOrigin,
): SimulatedOrder {
  const { clientOrderId, side, code, quantity } = order
  const price = priceOf(turn, order)
  const base = { clientOrderId, orderId: '', replayed: false } as const
  if (price === 0) {
    const statusMessage = '无行情 (no price)'
    const answer: OrderAnswer = { ...base, state: 'rejected', statusMessage }
    keep(turn, simulation, order, answer)
    return { answer }
  }
  simulation.count += 1
  const { simulatedPrefix, signalType } = origin
  const orderId =
    simulatedPrefix === undefined
      ? numberOf(turn.inputs.nowMs, simulation.count)
      : `${simulatedPrefix}_${tradeType(side)}_${turn.inputs.nowMs}`
  const amount = notional(price, quantity)
  const fee = simulatedFee(side, amount)
  const held = simulation.positions.get(code)
  const fill = { price, quantity, nowMs: turn.inputs.nowMs }
  const after =
    side === 'buy'
      ? afterPurchase(held, code, fill)
      : held && afterSale(held, fill, signalType === 'take_profit_half')
  simulation.cash = (simulation.cash + (side === 'buy' ? -amount : amount) - fee) as Money
  book(turn, simulation, { order, origin, after, orderId, price, fee })
  const answer: OrderAnswer = { ...base, orderId, state: 'accepted', statusMessage: '' }
  keep(turn, simulation, order, answer)
  return { answer, fills: { orderId, quantity, amount } }
}

function priceOf({ inputs }: Turn, { priceType, price, side, code }: ApprovedOrder): Price {
  if (priceType === PRICE_TYPE.limit && price > 0) return price
  const found = counterpartyPrice(side, inputs.quote(code))
  if (found === 0 || !takesProtection(code, priceType)) return found
  return boundedBy(side, found, price)
}

/** `SIM202609140930010001`: the time and a running number. */
const numberOf = (nowMs: number, count: number): string =>
  `SIM${digits(nowMs)}${String(count % 10 ** COUNTER_DIGITS).padStart(COUNTER_DIGITS, '0')}`
const digits = (epochMs: number): string => exchangeTime(epochMs).replaceAll(/\D/g, '')

interface Booking {
  readonly order: ApprovedOrder
  readonly origin: OrderOrigin
  readonly after: Position | undefined
  readonly orderId: string
  readonly price: Price
  readonly fee: Money
}

function book(turn: Turn, simulation: Simulation, booking: Booking): void {
  const { state, inputs } = turn
  const { order, origin, after, orderId, price, fee } = booking
  const { code, side, quantity } = order
  const name = nameOf(state, code)
  if (after === undefined) simulation.positions.delete(code)
  else putPosition(simulation.positions, { ...after, stopLossPrice: displayedStop(state, after) })
  const amount = notional(price, quantity)
  const timeMs = inputs.nowMs
  const sale = costsAfter(simulation, side, { code, name, timeMs, quantity, amount, fee })
  turn.emit({
    kind: 'orderSimulated',
    clientOrderId: order.clientOrderId,
    record: {
      id: state.nextRecordId,
      code,
      name,
      timeMs,
      side,
      price,
      quantity,
      amount,
      fee,
      dealId: isWhole(origin) ? orderId : dealIdOf(timeMs, code, side),
      orderId,
      strategy: strategyOf(order, origin),
    },
    ...(sale === undefined ? {} : { sale }),
    ...(origin.signalType === undefined ? {} : { signalType: origin.signalType }),
    source: order.source,
  })
  state.dataVersion += 1
}

/** Moves what the simulated holding has cost; of a sale, what it has earned. */
function costsAfter(
  { costs }: Simulation,
  side: Side,
  trade: BookedTrade,
): SaleOutcome | undefined {
  const before = costs.get(trade.code)
  if (side === 'buy') {
    costs.set(trade.code, bookPurchase(before, trade))
    return undefined
  }
  const { book, outcome } = bookSale(before, trade)
  if (book === undefined) costs.delete(trade.code)
  else costs.set(trade.code, book)
  return outcome
}

const dealIdOf = (nowMs: number, code: StockCode, side: Side): string =>
  `SIM_${digits(nowMs)}_${bareCode(code)}_${side === 'buy' ? 'BUY' : 'SELL'}`

/** Whether the order has one record, under its own number. */
const isWhole = ({ simulatedPrefix }: OrderOrigin): boolean => simulatedPrefix !== undefined

/** What a strategy did is `simu`; a person's order says so and which side it was. A whole order keeps its name. */
function strategyOf(order: ApprovedOrder, origin: OrderOrigin): string {
  if (isWhole(origin)) return order.strategy
  if (order.requestHash === '') return 'simu'
  return order.side === 'buy' ? 'M_simu' : 'manual_simu'
}

/** For a caller that asks again; the oldest answers go first. */
function keep(
  { state }: Turn,
  { answers }: Simulation,
  { clientOrderId, requestHash }: ApprovedOrder,
  answer: OrderAnswer,
): void {
  keepNewest(answers, state.policy.limits.ordersMax, [clientOrderId, { requestHash, answer }])
}
