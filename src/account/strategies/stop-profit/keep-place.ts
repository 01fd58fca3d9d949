import { type Price, toYuan } from '../../../domain/money.ts'
import { type OrderRecord, PRICE_TYPE, toldNumber } from '../../../domain/order.ts'
import { onStep, withinCage } from '../../../domain/price-cage.ts'
import { counterpartyPrice, reckonedPrice } from '../../../domain/reckoned-price.ts'
import { limitsInForce, tickSizeOf } from '../../../domain/rules.ts'
import type { Quote } from '../../../ports/quotes.port.ts'
import { dayInForce } from '../../model/days.ts'
import type { ReorderPriceMode } from '../../model/policy.ts'
import type { AccountState } from '../../model/state.ts'
import { isRestRefused } from '../../orders/nothing-instead.ts'
import { isQuoteRefused } from '../../orders/quote-rules.ts'
import { isStopHeld } from '../../orders/selling-out.ts'
import { nameOf } from '../../turn/holding.ts'
import type { Sight, Turn } from '../../turn/turn.ts'
import { areSwitchesOn } from './gateway-module.ts'

/**
 * Why an order whose time is up is not canceled. Of the first three a person need not know: the order is looked
 * at again when the switches are on, when there is a price, or when its rest may leave.
 */
type Reason = 'switched_off' | 'no_price' | 'not_let' | 'same_price' | 'at_limit' | 'used_up'

/**
 * Whether an order of a signal whose time is up works on, because a cancel would help nothing: what is sent
 * instead gets the price that it has already, and the end of the queue. Nor is it canceled when nothing may
 * be sent instead. It is told once for each order, durably, and a limit that is used up as an error.
 */
export function keepsPlace(turn: Turn, order: OrderRecord): boolean {
  const reason = reasonToKeep(turn, order)
  if (reason === undefined) return false
  tell(turn, order, reason)
  return true
}

function reasonToKeep(turn: Turn, order: OrderRecord): Reason | undefined {
  const { state, inputs } = turn
  if (!areSwitchesOn(state, order.code)) return 'switched_off'
  const quote = inputs.quote(order.code)
  if (quote === undefined || quote.lastPrice === 0) return 'no_price'
  if (isQuoteRefused(state, quote, inputs.nowMs)) return 'no_price'
  const price = nextPrice(state, order, quote)
  if (price === 0) return 'no_price'
  if (isRestRefused(turn, order)) return 'not_let'
  const restsAt = restingPrice(order)
  if (restsAt === price) return 'same_price'
  if (restsAt !== undefined && isAtLimit(state, order, { quote, restsAt })) return 'at_limit'
  return isUsedUp(state, order, inputs) ? 'used_up' : undefined
}

/** Whether it works on when its time is up, because it was sent again as often as it may be on one day. */
export function isUsedUp(
  state: AccountState,
  order: OrderRecord,
  sight: Pick<Sight, 'nowMs' | 'quote'>,
): boolean {
  const { reordersMax } = state.policy.pending
  if (canceledBefore(state, order, sight.nowMs) < reordersMax) return false
  // What is not sent again must not keep the stop-loss of its stock back for the rest of the day.
  return order.signalType === 'stop_loss' || !isStopHeld(state, sight, order.code)
}

/**
 * The price that its rest would get now, 0 when there is none. Where no rest is sent again the signal that
 * is found anew sends it, at the price type of signals.
 */
function nextPrice(state: AccountState, { code, side, chain }: OrderRecord, quote: Quote): Price {
  const { pending } = state.policy
  const none = 0 as Price
  if (!pending.isAutoReorder) {
    return reckonedPrice({ code, side, priceType: PRICE_TYPE.latest, price: none }, quote)
  }
  const signalPrice = chain?.signalPrice ?? none
  return restPrice(state, { code, side, signalPrice }, quote)
}

/**
 * Where it rests: its limit, or the one that the broker has shown for it, else the last price as it was sent.
 * Undefined when nobody knows: then it may be canceled, and what follows it has a limit of its own.
 */
const restingPrice = ({ price, quotedPrice }: OrderRecord): Price | undefined =>
  price > 0 ? price : quotedPrice

interface Resting {
  readonly quote: Quote
  readonly restsAt: Price
}

/**
 * Nothing can be offered for less than a sale at the lower limit, or bid above a purchase at the upper. A limit
 * that the market has gone beyond is none: the close of the day before was wrong.
 */
function isAtLimit(
  state: AccountState,
  { code, side }: OrderRecord,
  { quote, restsAt }: Resting,
): boolean {
  const { lastPrice } = quote
  const limits = limitsInForce(code, state.day, { ...quote, name: nameOf(state, code) })
  if (limits === undefined) return false
  if (side === 'sell') return restsAt === limits.low && lastPrice >= restsAt
  return restsAt === limits.high && lastPrice <= restsAt
}

/** Orders of this day for the same stock, side and signal that were canceled since one of them was filled, whoever canceled them. */
export function canceledBefore(state: AccountState, order: OrderRecord, nowMs: number): number {
  const unmet = state.orders.unmetInRow(order, dayInForce(state, nowMs))
  return unmet.filter(
    ({ status, clientOrderId }) => status === 'canceled' && clientOrderId !== order.clientOrderId,
  ).length
}

const UNTOLD: ReadonlySet<Reason> = new Set<Reason>(['switched_off', 'no_price', 'not_let'])

function tell(turn: Turn, order: OrderRecord, reason: Reason): void {
  if (UNTOLD.has(reason)) return
  const keptFor = reason === 'used_up' ? 'used_up' : 'place'
  // A limit that is used up is told also of an order that kept its place before; each once.
  if (order.keptFor === keptFor || order.keptFor === 'used_up') return
  const text = textOf(turn.state, order, reason)
  turn.emit({ kind: 'orderKept', clientOrderId: order.clientOrderId, keptFor, reason: text })
  const message = `${order.strategy} ${order.code}, order ${toldNumber(order) || order.clientOrderId}: ${text}`
  if (keptFor === 'used_up') turn.error(message)
  else turn.warn(message)
}

function textOf(state: AccountState, order: OrderRecord, reason: Reason): string {
  const at = toYuan(restingPrice(order) ?? (0 as Price))
  switch (reason) {
    case 'used_up': {
      const { reordersMax } = state.policy.pending
      return `今日该股该信号已连续重报 ${reordersMax} 次未成交，最后一笔不再撤单，请人工查看 (sent again ${reordersMax} times in a row today: the last order works on, look at it)`
    }
    case 'at_limit':
      return `已在涨跌停价 ${at} 排队，保留排队位置 (it rests at the price limit of ${at} and keeps its place)`
    default:
      return `重报价格仍为 ${at}，保留排队位置 (sent again it would get the same price, ${at}: it keeps its place)`
  }
}

interface Resent extends Pick<OrderRecord, 'code' | 'side'> {
  readonly signalPrice: Price
}

/**
 * {@link reorderPrice}, no farther from the last price than `risk.price_deviation` lets an order: a limit bounds what
 * protects, and never keeps it back.
 */
export function restPrice(
  { policy, risk }: AccountState,
  resent: Resent,
  quote: Quote | undefined,
): Price {
  const price = reorderPrice(policy.pending.priceMode, resent, quote)
  const last = quote?.lastPrice ?? 0
  if (risk.priceDeviation === 0 || last <= 0 || price <= 0) return price
  const tick = tickSizeOf(resent.code)
  const ticks = (ratio: number) => (last * ratio) / tick
  const least = Math.ceil(ticks(1 - risk.priceDeviation) - NOISE) * tick
  const most = Math.floor(ticks(1 + risk.priceDeviation) + NOISE) * tick
  return Math.min(Math.max(price, least), most) as Price
}
/** Of doubles; no price comes as near as this to the next tick. */
const NOISE = 1e-6

/**
 * Price of a resubmission, 0 when there is none: third level of the other side → first → last →
 * close of the day before → the signal's; `market` begins at the last, `limit` with the signal's. No further through
 * the book than the exchange takes it, and on a price step, also where the quote is on none.
 *
 * Source  docs/domain.md 3.8.
 */
export function reorderPrice(
  mode: ReorderPriceMode,
  resent: Resent,
  quote: Quote | undefined,
): Price {
  const { code, side } = resent
  const price = ladderPrice(mode, resent, quote)
  return price > 0 ? onStep(code, side, withinCage({ code, side, price }, quote)) : price
}

function ladderPrice(
  mode: ReorderPriceMode,
  { side, signalPrice }: Resent,
  quote: Quote | undefined,
): Price {
  if (mode === 'best') return counterpartyPrice(side, quote, signalPrice)
  const market = [quote?.lastPrice, quote?.lastClose]
  const prices = mode === 'limit' ? [signalPrice, ...market] : [...market, signalPrice]
  return prices.find((price) => price !== undefined && price > 0) ?? (0 as Price)
}
