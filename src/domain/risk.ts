import type { ErrorCode } from './errors.ts'
import {
  halt,
  lotSize,
  priceLimit,
  priceType,
  protectionPrice,
  sellable,
  tickSize,
} from './exchange-checks.ts'
import { exchangeTime } from './exchange-time.ts'
import { isInYuan } from './instrument.ts'
import { KILL_WORDS } from './kill-level.ts'
import { moneyFromYuan, type Price, round } from './money.ts'
import { PRICE_TYPE } from './order.ts'
import { reckonedPrice } from './reckoned-price.ts'
import { repetition } from './repetition.ts'
import {
  cents,
  type Finding,
  found,
  inYuan,
  noQuote,
  notForThis,
  off,
  pass,
  refused,
  type Values,
  yuan,
} from './risk-finding.ts'
import { type Earlier, estimateOf, type OrderQueueSeen, type RiskInput } from './risk-input.ts'
import { priceText, rulesFor, USUAL_RULE } from './rules.ts'
import { sessionAt } from './session.ts'
import { spanInBoth } from './span.ts'

/** One pre-trade rule. `name` and `code` are API and never renamed. */
export interface RiskRule {
  readonly name: string
  readonly code: ErrorCode
  readonly check: (input: RiskInput) => Finding
}

/** What everything is told that has to wait for space. */
export const DISK_LOW_TEXT =
  '磁盘空间不足，仅可撤单、查询和设置急停 (disk space is low: only cancels, reads and the kill switch)'

const buyPermission = ({ order, isBuyAllowed }: RiskInput): Finding => {
  if (order.side !== 'buy') return notForThis()
  return isBuyAllowed ? pass() : refused('买入权限已关闭 (allowBuy is off)')
}

const sellPermission = ({ order, isSellAllowed }: RiskInput): Finding => {
  if (order.side !== 'sell') return notForThis()
  return isSellAllowed ? pass() : refused('卖出权限已关闭 (allowSell is off)')
}

const killSwitch = ({ order, killLevel, killReason = '' }: RiskInput): Finding => {
  const isBlocked = killLevel === 'entries' ? order.side === 'buy' : killLevel !== 'off'
  const values = { actual: killLevel }
  if (!isBlocked) return pass(values)
  const why = killReason === '' ? '' : `：${killReason}`
  const text = `急停生效（${KILL_WORDS[killLevel]}）${why} (the kill switch is at ${killLevel})`
  return refused(text, values)
}

const connection = ({ isReady }: RiskInput): Finding =>
  isReady ? pass() : refused('交易客户端未就绪 (the trading client is not ready)')

const diskSpace = ({ isDiskLow }: RiskInput): Finding =>
  isDiskLow === true ? refused(DISK_LOW_TEXT) : pass()

const HOURS = '09:30-11:30, 13:00-15:00'

const session = ({ nowMs, isAlwaysOpen }: RiskInput): Finding => {
  if (isAlwaysOpen) return off('模拟行情不限交易时段 (the simulated market is always open)')
  const values = { limit: HOURS, actual: exchangeTime(nowMs) }
  return sessionAt(nowMs) === 'open'
    ? pass(values)
    : refused('当前为非交易时段 (outside trading hours)', values)
}

const refusedRepetition = (earlier: Earlier): Finding =>
  refused(repetition(earlier).message, { actual: earlier.clientOrderId })

/** What is in doubt stays reserved, and what is left may be used; people do not repeat an order of theirs. */
const inDoubt = (input: RiskInput): Finding => {
  const { order, doubtful, doubtfulLike, doubtfulRepeat } = input
  if (doubtfulRepeat !== undefined) return refusedRepetition(doubtfulRepeat)
  const held = order.side === 'buy' ? doubtfulLike : isHeldBack(input) ? doubtful : undefined
  if (held === undefined) return pass()
  return refused(`同方向委托结果未知，等待确认 (order ${held} is in doubt)`, { actual: held })
}

/** An order that went well looks failed to somebody who got no answer: sent anew it would be two. */
const untold = ({ untoldRepeat }: RiskInput): Finding =>
  untoldRepeat === undefined ? pass() : refusedRepetition(untoldRepeat)

/** There would be enough, but for what sales in doubt may have taken. */
const isHeldBack = ({ order, sellable, sellableReserved }: RiskInput): boolean =>
  order.quantity <= sellable && order.quantity > sellable - sellableReserved

/** What is said of a purchase that is measured in yuan and paid in something else. */
export const OTHER_CURRENCY_TEXT =
  '外币计价的 B 股不按人民币金额买入，请写明数量下单 (B shares are paid in another currency, and this purchase is sized in yuan: place an order for so many shares instead)'

/** Quotas, caps and amounts of strategies are yuan: in dollars a purchase would be several times as large. */
const currency = ({ order, exposure }: RiskInput): Finding => {
  if (order.side !== 'buy' || exposure === undefined) return notForThis()
  return isInYuan(order.code) ? pass() : refused(OTHER_CURRENCY_TEXT)
}

const cash = (input: RiskInput): Finding => {
  if (input.order.side !== 'buy') return notForThis()
  if (input.cash === undefined) return off('可用资金未知 (the cash is not known)')
  const { price, amount, fees } = estimateOf(input.order, input)
  if (price === 0) return noQuote()
  const needed = amount + fees.total
  const free = input.cash - input.cashReserved
  const values = { limit: yuan(free), actual: yuan(needed) }
  if (needed <= free) return pass(values)
  const [wanted, left] = [cents(needed), cents(free)]
  return refused(
    `可用资金不足: 需要 ${wanted}，可用 ${left} (insufficient cash: ${wanted} needed with fees, ${left} available)`,
    values,
  )
}

/** A protective sale is cut to the limit, down to the fewest shares of its board: less could not be sold at all. */
const orderValue = (input: RiskInput): Finding => {
  const limit = input.limits.maxOrderValue
  if (limit === 0) return off()
  if (input.isProtective && isFewest(input)) return notForThis()
  const { price, amount } = estimateOf(input.order, input)
  if (price === 0) return noQuote()
  const values = { limit, actual: yuan(amount) }
  if (amount <= moneyFromYuan(limit)) return pass(values)
  const most = inYuan(limit)
  return refused(
    `委托金额超过单笔上限 ${most} 元 (worth more than one order may be, ${most} yuan; risk.max_order_value)`,
    values,
  )
}

const isFewest = ({ order, day }: RiskInput): boolean =>
  order.quantity <= (rulesFor(order.code, day) ?? USUAL_RULE).lotMin

/** The ratio is kept in millionths, so that exactly the limit may be bought. */
const totalPosition = (input: RiskInput): Finding => {
  const { order, exposure } = input
  if (order.side !== 'buy') return notForThis()
  if (exposure === undefined)
    return off('只限制策略买入，不限制手动委托 (binds strategies, not orders by hand)')
  const { ratio, value, total } = exposure
  if (value === undefined || total === undefined) {
    return refused('总资产暂时未知，暂缓买入 (the total assets are not known for now)')
  }
  const { price, amount } = estimateOf(order, input)
  if (price === 0) return noQuote()
  const most = (total * Math.round(ratio * PPM)) / PPM
  const values = { limit: yuan(Math.floor(most)), actual: yuan(value + amount) }
  if (value + amount <= most) return pass(values)
  const worth = cents(value + amount)
  const part = percentOf(ratio)
  return refused(
    `买入后总持仓 ${worth} 超过总资产的 ${part} (the holdings would be worth ${worth}, more than ${part} of the total assets)`,
    values,
  )
}
const PPM = 1_000_000
const percentOf = (ratio: number): string => `${round(ratio * 100, 4)}%`

/** An order of a person that has no place within the second waits for one, if it will have one in time. */
const orderRate = ({ ordersLastSecond, ordersReserved = 0, queue, limits }: RiskInput): Finding => {
  const limit = limits.maxOrdersPerSecond
  if (limit === 0) return off()
  const values = { limit, actual: ordersLastSecond + 1 }
  const hasPlace = ordersLastSecond + ordersReserved < limit
  if (queue !== undefined)
    return hasPlace && queue.waiting === 0 ? pass(values) : queued(queue, values)
  if (hasPlace) return pass(values)
  return refused(
    `委托过于频繁，每秒最多 ${limit} 笔 (more than ${limit} orders within a second; risk.max_orders_per_second)`,
    values,
  )
}

function queued(
  { waiting, waitingMax, waitMs, waitMsMax }: OrderQueueSeen,
  values: Values,
): Finding {
  const rate = `每秒最多 ${values.limit} 笔`
  if (waiting >= waitingMax) {
    const text = `委托排队已满：${rate}，已有 ${waiting} 笔等待 (the queue is full with ${waiting} orders: risk.max_orders_per_second ${values.limit}, limits.account.paced_orders_max ${waitingMax})`
    return refused(text, values)
  }
  if (waitMs > waitMsMax) {
    const text = `委托排队过长：${rate}，前有 ${waiting} 笔，需等 ${waitMs} 毫秒 (it would wait too long, ${waitMs} ms behind ${waiting} orders: risk.max_orders_per_second ${values.limit}, limits.account.paced_wait_ms ${waitMsMax})`
    return refused(text, values)
  }
  return found(
    'pass',
    `${rate}，排队约 ${waitMs} 毫秒后发出 (${values.limit} orders a second: waits about ${waitMs} ms for its turn)`,
    values,
  )
}

const orderCount = ({ isProtective, ordersToday, limits }: RiskInput): Finding => {
  const limit = limits.maxOrdersPerDay
  if (limit === 0) return off()
  if (isProtective) return notForThis()
  const values = { limit, actual: ordersToday + 1 }
  if (ordersToday < limit) return pass(values)
  return refused(
    `当日委托笔数已达上限 ${limit} (as many orders as a day may have, ${limit}; risk.max_orders_per_day)`,
    values,
  )
}

/** Orders of other kinds never take the place of a stop: protective sales are counted for themselves. */
const protectiveCount = ({ isProtective, protectiveToday, limits }: RiskInput): Finding => {
  const limit = limits.maxProtectiveOrdersPerDay
  if (limit === 0) return off()
  if (!isProtective) return notForThis()
  const values = { limit, actual: protectiveToday + 1 }
  if (protectiveToday < limit) return pass(values)
  return refused(
    `当日止盈止损卖出已达上限 ${limit} (as many protective sales as a day may have, ${limit}; risk.max_protective_orders_per_day)`,
    values,
  )
}

const duplicateOrder = ({ duplicate, limits }: RiskInput): Finding => {
  if (!limits.refuseDuplicates) return off()
  if (duplicate === undefined) return pass()
  const text = `与未完成委托 ${duplicate} 重复 (the same as that open order; risk.refuse_duplicates)`
  return refused(text, { actual: duplicate })
}

const TOLERANCE = 1e-9

/** A limit, or the worst price that a market order may have; the latest price is by its nature not far from itself. */
const priceDeviation = ({ order, quote, limits }: RiskInput): Finding => {
  const limit = limits.priceDeviation
  if (limit === 0) return off()
  if (order.priceType === PRICE_TYPE.latest) return notForThis()
  const last: Price | 0 = quote?.lastPrice ?? 0
  if (last <= 0) return noQuote()
  const worst = reckonedPrice(order, quote)
  if (worst === 0) return notForThis()
  const ratio = Math.abs(worst - last) / last
  const values = { limit, actual: round(ratio, 6) }
  if (ratio <= limit + TOLERANCE) return pass(values)
  const latest = priceText(order.code, last as Price)
  return refused(
    `委托价格偏离最新价 ${latest} 过多 (too far from the latest price ${latest}; risk.price_deviation)`,
    values,
  )
}

/** By a clock that was set back a quote that stands is of the future, and nobody knows how old it is. */
const staleQuote = ({ nowMs, quote, limits, quoteAheadMs }: RiskInput): Finding => {
  if (limits.staleQuoteMs === 0) return off()
  if (quote === undefined) return noQuote()
  if (quote.timeMs - nowMs > quoteAheadMs) return ofFuture(quote.timeMs - nowMs)
  const ageMs = Math.max(0, nowMs - quote.timeMs)
  const values = { limit: limits.staleQuoteMs / 1_000, actual: ageMs / 1_000 }
  if (ageMs <= limits.staleQuoteMs) return pass(values)
  const { zh, en } = spanInBoth(ageMs)
  const text = `行情已停更 ${zh}（可能停牌，或本机时钟快了），为安全不下单 (the quote stands still for ${en}, the stock may be halted, or the clock of this computer ahead; risk.stale_quote_seconds)`
  return refused(text, values)
}

function ofFuture(aheadMs: number): Finding {
  const { zh, en } = spanInBoth(aheadMs)
  const text = `行情时间比本机时钟快 ${zh}，不知行情有多旧，为安全不下单；请校准时钟 (the quote is ${en} ahead of the clock of this computer, so nobody knows how old it is: set the clock right; limits.market.quote_ahead_ms)`
  return refused(text, { actual: -aheadMs / 1_000 })
}

const capacity = ({ ordersKept, ordersKeptMax }: RiskInput): Finding => {
  const values = { limit: ordersKeptMax, actual: ordersKept + 1 }
  if (ordersKept < ordersKeptMax) return pass(values)
  return refused('委托表已满 (too many orders; see limits.account.orders_in_memory_max)', values)
}

/**
 * Every pre-trade rule, in the order in which they are asked: the first refusal is the answer.
 * Those that say whether this account trades at all come first, then what the order itself gets
 * wrong, then what would be unwise. Cancels are never asked.
 */
export const RISK_RULES: readonly RiskRule[] = [
  { name: 'permission_buy', code: 'BUY_NOT_ALLOWED', check: buyPermission },
  { name: 'permission_sell', code: 'SELL_NOT_ALLOWED', check: sellPermission },
  { name: 'kill_switch', code: 'KILL_SWITCH', check: killSwitch },
  { name: 'disk_space', code: 'DISK_FULL', check: diskSpace },
  { name: 'connection', code: 'NOT_CONNECTED', check: connection },
  { name: 'session', code: 'OUTSIDE_SESSION', check: session },
  { name: 'order_in_doubt', code: 'ORDER_IN_DOUBT_HELD', check: inDoubt },
  { name: 'order_untold', code: 'ORDER_UNTOLD', check: untold },
  { name: 'price_type', code: 'PRICE_TYPE', check: priceType },
  { name: 'protection_price', code: 'PROTECTION_PRICE', check: protectionPrice },
  { name: 'currency', code: 'OTHER_CURRENCY', check: currency },
  { name: 'cash', code: 'INSUFFICIENT_CASH', check: cash },
  { name: 'sellable', code: 'INSUFFICIENT_SELLABLE', check: sellable },
  { name: 'lot_size', code: 'LOT_SIZE', check: lotSize },
  { name: 'tick_size', code: 'TICK_SIZE', check: tickSize },
  { name: 'price_limit', code: 'PRICE_LIMIT', check: priceLimit },
  { name: 'halt', code: 'HALTED', check: halt },
  { name: 'max_order_value', code: 'MAX_ORDER_VALUE', check: orderValue },
  { name: 'max_total_position', code: 'MAX_TOTAL_POSITION', check: totalPosition },
  { name: 'order_rate', code: 'ORDER_RATE', check: orderRate },
  { name: 'order_count', code: 'ORDER_COUNT', check: orderCount },
  { name: 'protective_count', code: 'PROTECTIVE_COUNT', check: protectiveCount },
  { name: 'duplicate_order', code: 'DUPLICATE_ORDER', check: duplicateOrder },
  { name: 'price_deviation', code: 'PRICE_DEVIATION', check: priceDeviation },
  { name: 'stale_quote', code: 'STALE_QUOTE', check: staleQuote },
  { name: 'order_table', code: 'OVERLOADED', check: capacity },
]

export interface RuleFinding extends Finding {
  readonly name: string
  readonly code: ErrorCode
}

/** What every rule says, in order. */
export const judge = (input: RiskInput): readonly RuleFinding[] =>
  RISK_RULES.map(({ name, code, check }) => ({ name, code, ...check(input) }))

/** The first rule that refuses; undefined = the order may go. */
export const firstRefusal = (input: RiskInput): RuleFinding | undefined => {
  for (const { name, code, check } of RISK_RULES) {
    const finding = check(input)
    if (finding.status === 'refused') return { name, code, ...finding }
  }
  return undefined
}
