import { exchangeTime, isSameExchangeDay } from '../../../domain/exchange-time.ts'
import { type InBoth, inBoth } from '../../../domain/in-both.ts'
import type { StockCode } from '../../../domain/instrument.ts'
import { type Price, shares } from '../../../domain/money.ts'
import {
  isCaughtUp,
  isGoneOnWith,
  type OrderRecord,
  type SignalType,
} from '../../../domain/order.ts'
import { isOpen } from '../../../domain/order-state.ts'
import { type Position, thresholdCost } from '../../../domain/position.ts'
import { priceText, tickSizeOf } from '../../../domain/rules.ts'
import { inOrder, type Reason, type ReasonCode, reason } from '../../../domain/standing.ts'
import { type ExitLines, exitLines } from '../../../strategy/stop-profit/exit-lines.ts'
import type { Gates } from '../../../strategy/stop-profit/gates.ts'
import { leavesOf } from '../../model/order-book.ts'
import type { AccountState } from '../../model/state.ts'
import { freeShares } from '../../orders/available.ts'
import { isScaleUnknown } from '../../orders/ex-day.ts'
import { canceledByMs, trackedOrders } from '../../orders/follow-up.ts'
import { protectiveCount } from '../../orders/protective-limit.ts'
import { positionsOf } from '../../turn/holding.ts'
import {
  common,
  doubtText,
  type HoldingsOutlook,
  type Outlook,
  passageText,
  type Standing,
  type StandingOrder,
  UNWATCHED,
  unproven,
} from '../standing.ts'
import { chainRest, followSignals } from './follow-up.ts'
import { areSwitchesOn } from './gateway-module.ts'
import { isUsedUp } from './keep-place.ts'
import { addsAtOf, passPolicyOf } from './pass-policy.ts'
import { gatesOf } from './stock-gates.ts'
import { type Decision, NAME } from './trace.ts'

/** How protective sales stand with a holding; undefined for what is not held. */
export function standing(
  state: AccountState,
  code: StockCode,
  outlook: HoldingsOutlook,
): Standing | undefined {
  const position = positionsOf(state).get(code)
  if (position === undefined) return undefined
  const soldToday = outlook.soldToday.get(code) ?? 0
  if (position.quantity === 0) return soldOut(soldToday)
  const lines = linesOf(state, position)
  const working = state.simulation === undefined ? saleOf(state, code) : undefined
  const reasons = inOrder(reasonsOf(state, position, { outlook, hasOrder: working !== undefined }))
  const order = working && shownOrder(state, working, { outlook, reasons })
  const waits = `waits_${lines?.waitsFor ?? 'breakout'}` as const
  const kept = reasons.length > 0 ? 'held_back' : waits
  return {
    code: order === undefined ? kept : 'order_open',
    ...(lines === undefined ? NO_LINES : shownLines(lines)),
    addsAt: addsAtOf(state, position),
    soldToday,
    ...(order && { order }),
    reasons,
    ...textOf(code, { lines, order, reasons, soldToday }),
  }
}

/** A new high before the breakout changes no word of it, and in a rising market there is one a second for each holding. */
export function standsAsBefore(state: AccountState, before: Position, after: Position): boolean {
  return isSameLines(linesOf(state, before), linesOf(state, after))
}

const linesOf = (state: AccountState, position: Position): ExitLines | undefined =>
  exitLines(passPolicyOf(state), position, {
    costPrice: thresholdCost(position),
    tickSize: tickSizeOf(position.code),
  })

const isSameLines = (one: ExitLines | undefined, other: ExitLines | undefined): boolean =>
  one?.waitsFor === other?.waitsFor &&
  one?.next === other?.next &&
  one?.stop === other?.stop &&
  one?.high === other?.high &&
  one?.above === other?.above

const NONE = 0 as Price
const NO_LINES = { firstProfit: NONE, sellsAt: NONE, stop: NONE, high: NONE, addsAt: NONE }

const shownLines = ({ waitsFor, next, stop, high }: ExitLines) =>
  waitsFor === 'breakout'
    ? { ...NO_LINES, firstProfit: next, stop }
    : { ...NO_LINES, sellsAt: next, stop, high }

const soldOut = (soldToday: number): Standing => ({
  code: 'sold_out',
  ...NO_LINES,
  soldToday,
  reasons: [],
  zh: soldToday > 0 ? `今日已卖出 ${shares(soldToday)} 股，已无持股` : '已无持股',
  en: soldToday > 0 ? `sold today: ${shares(soldToday)} shares, none is left` : 'nothing is left',
})

/** An order of a signal. */
type SignalRecord = OrderRecord & Required<Pick<OrderRecord, 'signalType'>>

/** The sale of a signal that works; of several the oldest. */
const saleOf = (state: AccountState, code: StockCode): SignalRecord | undefined =>
  trackedOrders(state).find(
    (one): one is SignalRecord =>
      one.code === code && one.side === 'sell' && one.signalType !== undefined,
  )

/** While one of these holds nothing would be sent instead of a sale whose time is up, or nobody looks at it. */
const NO_OTHER: ReadonlySet<ReasonCode> = new Set<ReasonCode>([
  ...UNWATCHED,
  'disk_space',
  'kill_switch',
  'sell_not_permitted',
  'protective_limit',
])

function shownOrder(
  state: AccountState,
  order: SignalRecord,
  { outlook, reasons }: { readonly outlook: Outlook; readonly reasons: readonly Reason[] },
): StandingOrder {
  const isLeft =
    order.keptFor === 'used_up' ||
    !areSwitchesOn(state, order.code) ||
    reasons.some(({ code }) => NO_OTHER.has(code)) ||
    isUsedUp(state, order, outlook)
  const untilMs = isLeft ? Number.POSITIVE_INFINITY : canceledByMs(state, followSignals, order)
  const isFollowed = !isOpen(order.status) && isCaughtUp(order) && isGoneOnWith(order)
  const rest = isFollowed ? chainRest(state, order) : undefined
  return {
    clientOrderId: order.clientOrderId,
    orderId: order.orderId,
    strategy: order.strategy,
    signalType: order.signalType,
    quantity: rest ?? leavesOf(order),
    price: priceOf(order),
    sinceMs: order.createdMs,
    ...(Number.isFinite(untilMs) && { untilMs }),
    isKept: order.keptFor === 'place',
    isQuarantined: order.isQuarantined === true,
    status: order.status,
    rest,
  }
}

const priceOf = ({ price, quotedPrice = NONE }: OrderRecord): Price =>
  price > 0 ? price : quotedPrice

/** Gates as the judgment asks them, by the names under which the reasons are told. */
const GATE_REASONS = {
  isModuleOn: 'module_off',
  isTradingOn: 'trading_off',
  isStockOn: 'stock_off',
} as const satisfies Partial<Record<keyof Gates, ReasonCode>>

function reasonsOf(
  state: AccountState,
  position: Position,
  { outlook, hasOrder }: { readonly outlook: HoldingsOutlook; readonly hasOrder: boolean },
): readonly Reason[] {
  const { code } = position
  const quote = outlook.quote(code)
  const { gates, health } = gatesOf(state, position, { nowMs: outlook.nowMs, quote })
  const found: Reason[] = [...common(state, outlook)]
  const add = (isSo: boolean, why: ReasonCode) => {
    if (isSo) found.push(reason(why))
  }
  for (const gate of Object.keys(GATE_REASONS) as (keyof typeof GATE_REASONS)[]) {
    add(!gates[gate], GATE_REASONS[gate])
  }
  add(!state.settings.ENABLE_ALLOW_SELL, 'sell_not_permitted')
  add(isLimitReached(state, outlook.nowMs), 'protective_limit')
  add(thresholdCost(position) <= 0, 'no_cost')
  add(isScaleUnknown(position), 'ex_day_unknown')
  if (gates.isInSession) {
    const isPriced = quote !== undefined && quote.lastPrice > 0
    add(quote === undefined, 'no_quote')
    add(quote !== undefined && !isPriced, 'no_price')
    if (isPriced) found.push(...unproven(health))
  }
  // Before the client has told, and while an order of its own has the shares, zero says nothing of them.
  const isTold = gates.isReady && !hasOrder
  add(isTold && (!gates.isFreeOfOrders || isOtherOpen(state, code)), 'order_open')
  add(isTold && freeShares(state, code) <= 0 && !isOtherOpen(state, code), 'nothing_sellable')
  const refused = refusalOf(state, code, outlook.nowMs)
  if (refused !== undefined && !hasOrder) found.push(refused)
  return found
}

function isLimitReached(state: AccountState, nowMs: number): boolean {
  if (state.risk.maxProtectiveOrdersPerDay === 0) return false
  const { limit, count } = protectiveCount(state, nowMs)
  return count >= limit
}

/** Any unfinished order of the stock keeps its signals waiting. */
const isOtherOpen = (state: AccountState, code: StockCode): boolean =>
  state.simulation === undefined && state.orders.hasOpen(code)

/** The sale that the newest evaluation wanted to send today, and was not let; a refused purchase keeps none back. */
function refusalOf(state: AccountState, code: StockCode, nowMs: number): Reason | undefined {
  const newest = state.trace.of(NAME).get(code)?.at(-1) as Decision | undefined
  if (newest?.refusal === undefined || newest.refusedSide === 'buy') return undefined
  if (!isSameExchangeDay(newest.timeMs, nowMs)) return undefined
  const time = clockOf(newest.timeMs)
  const { zh, en } = inBoth(newest.refusal.message)
  return reason('refused', { zh: `（${time}：${zh}）`, en: ` (${time}: ${en})` })
}

const DAY_LENGTH = 10
const clockOf = (epochMs: number): string => exchangeTime(epochMs).slice(DAY_LENGTH + 1)

interface Said {
  readonly lines: ExitLines | undefined
  readonly order: StandingOrder | undefined
  readonly reasons: readonly Reason[]
  readonly soldToday: number
}

/** What is under way comes first, then what keeps it back, then the prices. */
function textOf(code: StockCode, { lines, order, reasons, soldToday }: Said): InBoth {
  const kept = {
    zh: reasons.map(({ zh }) => zh).join('；'),
    en: reasons.map(({ en }) => en).join('; '),
  }
  const sold =
    soldToday > 0
      ? {
          zh: `；今日已卖 ${shares(soldToday)} 股`,
          en: `; sold today: ${shares(soldToday)} shares`,
        }
      : { zh: '', en: '' }
  if (order !== undefined) {
    const { zh, en } = orderText(code, order)
    const also = kept.zh === '' ? kept : { zh: `；另有：${kept.zh}`, en: `; besides: ${kept.en}` }
    return { zh: `${zh}${also.zh}${sold.zh}`, en: `${en}${also.en}${sold.en}` }
  }
  const at = lines === undefined ? undefined : linesText(code, lines)
  if (reasons.length > 0) {
    const behind = at === undefined ? { zh: '', en: '' } : { zh: `（${at.zh}）`, en: ` (${at.en})` }
    return {
      zh: `暂不止盈止损：${kept.zh}${behind.zh}${sold.zh}`,
      en: `held back: ${kept.en}${behind.en}${sold.en}`,
    }
  }
  const head = HEADS[lines?.waitsFor ?? 'breakout']
  return { zh: `${head.zh}${at?.zh ?? ''}${sold.zh}`, en: `${head.en}${at?.en ?? ''}${sold.en}` }
}

const HEADS: Readonly<Record<ExitLines['waitsFor'], InBoth>> = {
  breakout: { zh: '未卖出：', en: 'not sold: ' },
  pullback: { zh: '等待回落：', en: 'waits for the pullback: ' },
  exit: { zh: '已首次止盈：', en: 'first profit taken: ' },
}

function linesText(code: StockCode, { waitsFor, next, stop, high, above }: ExitLines): InBoth {
  const shown = (price: Price) => (price > 0 ? priceText(code, price) : '--')
  const [at, low, top, cost] = [shown(next), shown(stop), shown(high), shown(above)]
  switch (waitsFor) {
    case 'breakout':
      return { zh: `首次止盈 ${at}，止损 ${low}`, en: `first profit at ${at}, stop at ${low}` }
    case 'pullback':
      return {
        zh: `最高 ${top}，回落到 ${at} 卖出，止损 ${low}`,
        en: `high ${top}, sells at ${at}, stop at ${low}`,
      }
    case 'exit':
      // Whichever is higher is reached first; a price that falls past both exit and cost at once waits for the stop.
      return next > stop
        ? {
            zh: `动态止盈 ${at}（须高于成本 ${cost}），止损 ${low}，最高 ${top}`,
            en: `dynamic stop at ${at} while above the cost of ${cost}, stop at ${low}, high ${top}`,
          }
        : { zh: `止损 ${low}，最高 ${top}`, en: `stop at ${low}, high ${top}` }
  }
}

const SIGNALS: Readonly<Record<SignalType, InBoth>> = {
  stop_loss: { zh: '止损', en: 'stop-loss' },
  take_profit_half: { zh: '首次止盈', en: 'first profit' },
  take_profit_full: { zh: '动态止盈', en: 'dynamic stop' },
  add_position: { zh: '补仓', en: 'purchase' },
}

function orderText(code: StockCode, order: StandingOrder): InBoth {
  const { signalType, quantity, price, sinceMs, untilMs, isKept, status, isQuarantined } = order
  const at = price > 0 ? priceText(code, price) : undefined
  const since = clockOf(sinceMs)
  const { zh, en } = SIGNALS[signalType]
  const name = { zh, en: `${en} order` }
  if (status === 'inDoubt') {
    const is = {
      zh: `${shares(quantity)} 股，自 ${since}`,
      en: `${shares(quantity)} shares, since ${since}`,
    }
    return doubtText(name, { isQuarantined }, is)
  }
  const is = {
    zh: `${shares(quantity)} 股${at === undefined ? '' : `，价格 ${at}`}，自 ${since}`,
    en: `${shares(quantity)} shares${at === undefined ? '' : ` at ${at}`}, since ${since}`,
  }
  const end = endText(untilMs, isKept)
  const rests = {
    zh: `${name.zh}委托在途：${is.zh}，${end.zh}`,
    en: `${name.en} resting: ${is.en}, ${end.en}`,
  }
  return passageText(name, order, is) ?? rests
}

/** What becomes of an order when its time is up. */
function endText(untilMs: number | undefined, isKept: boolean): InBoth {
  if (untilMs === undefined) return { zh: '不自动撤单', en: 'never canceled by itself' }
  const until = clockOf(untilMs)
  return isKept
    ? {
        zh: `保留排队位置，${until} 再看`,
        en: `keeps its place and is looked at again at ${until}`,
      }
    : { zh: `最迟 ${until} 撤单`, en: `canceled at ${until} at the latest` }
}
