import { exchangeTime } from '../../../domain/exchange-time.ts'
import type { InBoth } from '../../../domain/in-both.ts'
import { type Price, shares } from '../../../domain/money.ts'
import { isCaughtUp, type OrderRecord, type Side } from '../../../domain/order.ts'
import { priceText } from '../../../domain/rules.ts'
import {
  type Cure,
  cureOf,
  type GridStandingCode,
  inOrder,
  type Reason,
  type ReasonCode,
  reason,
} from '../../../domain/standing.ts'
import type { GridPause, GridSession } from '../../../strategy/grid/session.ts'
import type { GridOrder } from '../../model/grid-book.ts'
import type { AccountState } from '../../model/state.ts'
import { isScaleUnknown } from '../../orders/ex-day.ts'
import { canceledByMs } from '../../orders/follow-up.ts'
import { positionsOf } from '../../turn/holding.ts'
import { healthOf } from '../market-gates.ts'
import { common, doubtText, type Outlook, passageText, UNWATCHED, unproven } from '../standing.ts'
import { type NextOrder, nextOrders } from './announce.ts'
import { endText } from './answers/journal-words.ts'
import { followGrids } from './follow-up.ts'
import { isAwake, openOrders } from './lookups.ts'

/** Who has paused a grid: somebody, a sale that emptied the holding, or an order of which nobody can tell whether it was filled. */
export type PausedBy = 'person' | 'take_profit_full' | 'stop_loss' | 'unheard_fill' | 'unknown'

/** How a session stands, and what it would do next. */
export interface GridStanding extends InBoth {
  readonly code: GridStandingCode
  /** The most binding first. */
  readonly reasons: readonly Reason[]
  readonly pause?: { readonly by: PausedBy; readonly since?: GridPause | undefined } | undefined
  /** What would let it go on; undefined where nothing keeps it back. */
  readonly cure?: Cure | undefined
  /** Of a session that has not ended. */
  readonly next?: Readonly<Record<Side, NextOrder>>
}

/** By the rules that judge its ticks and send its orders. */
export function gridStanding(
  state: AccountState,
  session: GridSession,
  outlook: Outlook,
): GridStanding {
  if (session.status !== 'active') return over(session)
  const next = nextOrders(state, outlook, session)
  const reasons = inOrder(reasonsOf(state, session, outlook))
  const pause = session.isEnabled ? undefined : pauseOf(session)
  const cure = cureOf(reasons)
  const order = orderText(state, session, reasons)
  const code = order === undefined ? codeOf(session, reasons) : 'order_open'
  const waits = waitText(session, next)
  const kept = keptText(reasons, { pause, cure })
  const text = order ?? kept ?? waits
  return {
    code,
    reasons,
    next,
    pause,
    cure,
    ...(order !== undefined && kept !== undefined
      ? { zh: `${order.zh}；${kept.zh}`, en: `${order.en}; ${kept.en}` }
      : text),
  }
}

function over({ status, stopReason }: GridSession): GridStanding {
  if (status === 'stopping') {
    return { code: 'stopping', reasons: [], ...STOPPING }
  }
  const why = END_EN[stopReason] ?? stopReason
  const zh = stopReason === '' ? '已停止' : `已停止：${endText(stopReason)}`
  return { code: 'stopped', reasons: [], zh, en: why === '' ? 'stopped' : `stopped: ${why}` }
}
const STOPPING: InBoth = {
  zh: '停止中：等待在途委托了结',
  en: 'stopping: waits for the end of its orders',
}
const END_EN: Readonly<Record<string, string>> = {
  deviation: 'too far from its center',
  target_profit: 'the profit is reached',
  stop_loss: 'its loss limit is reached',
  expired: 'its time is over',
  position_cleared: 'the holding is gone',
  manual: 'by hand',
  manual_stop: 'by hand',
}

function codeOf({ isEnabled, tracker }: GridSession, reasons: readonly Reason[]): GridStandingCode {
  if (!isEnabled) return 'paused'
  if (reasons.length > 0) return 'held_back'
  return tracker.isWaiting ? 'waits_callback' : 'waits_level'
}

const BY_RULE: ReadonlySet<string> = new Set<PausedBy>([
  'take_profit_full',
  'stop_loss',
  'unheard_fill',
])

function pauseOf({ pause }: GridSession): NonNullable<GridStanding['pause']> {
  if (pause === undefined) return { by: 'unknown' }
  const by = BY_RULE.has(pause.source) ? (pause.source as PausedBy) : 'person'
  return { by, since: pause }
}

/** What its judgment asks before it looks at a price, and whether there is a price to look at. */
function reasonsOf(state: AccountState, session: GridSession, outlook: Outlook): readonly Reason[] {
  const { code } = session
  const { nowMs } = outlook
  const quote = outlook.quote(code)
  const position = positionsOf(state).get(code)
  const found: Reason[] = [...common(state, outlook)]
  const add = (isSo: boolean, why: ReasonCode) => {
    if (isSo) found.push(reason(why))
  }
  add(!session.isEnabled, 'paused')
  add(!isAwake(state, session), 'other_mode')
  add(!state.settings.ENABLE_GRID_TRADING, 'grid_off')
  if (found.some((each) => each.code === 'not_ready')) return found
  add((position?.quantity ?? 0) <= 0, 'holding_missing')
  add(position !== undefined && isScaleUnknown(position), 'ex_day_unknown')
  if (found.some((each) => each.code === 'outside_session')) return found
  const isPriced = quote !== undefined && quote.lastPrice > 0
  add(quote === undefined, 'no_quote')
  add(quote !== undefined && !isPriced, 'no_price')
  const proof = isPriced ? unproven(healthOf(state, code, { nowMs, quote })) : []
  return [...found, ...proof]
}

const clockOf = (epochMs: number): string => exchangeTime(epochMs).slice(CLOCK_FROM)
const CLOCK_FROM = 'YYYY-MM-DD '.length
const SIDE: Readonly<Record<Side, InBoth>> = {
  buy: { zh: '买入', en: 'purchase' },
  sell: { zh: '卖出', en: 'sale' },
}

/** The oldest order of it that works. */
function orderText(
  state: AccountState,
  { id, code }: GridSession,
  reasons: readonly Reason[],
): InBoth | undefined {
  const [grid] = openOrders(state, id)
  const order = grid && state.orders.get(grid.clientOrderId)
  if (grid === undefined || order === undefined) return undefined
  const name = SIDE[order.side]
  const left = shares(order.quantity - order.filledQuantity)
  const price = priceText(code, order.price)
  const since = clockOf(order.createdMs)
  const is = {
    zh: `${left} 股，价格 ${price}，自 ${since}`,
    en: `${left} shares at ${price}, since ${since}`,
  }
  if (order.status === 'inDoubt') return doubtText(name, order, is)
  const isLeft = reasons.some((reason) => UNWATCHED.includes(reason.code))
  const untilMs = isLeft ? Number.POSITIVE_INFINITY : canceledByMs(state, followGrids, order)
  const until = Number.isFinite(untilMs) ? clockOf(untilMs) : undefined
  const rests = {
    zh: `${name.zh}委托在途：${is.zh}${until === undefined ? '' : `，最迟 ${until} 撤单`}`,
    en: `${name.en} resting: ${is.en}${until === undefined ? '' : `, canceled at ${until} at the latest`}`,
  }
  const { status } = order
  return passageText(name, { status, rest: restAfter(grid, order) }, is) ?? rests
}

/** What is sent again after its end: the whole, because of one that has fills nothing is. */
function restAfter({ isReorderWanted, requested }: GridOrder, order: OrderRecord) {
  const isFilled = order.filledQuantity > 0 || !isCaughtUp(order)
  return isReorderWanted && order.isReorderWanted === true && !isFilled ? requested : undefined
}

/** What keeps it back, since when and by whom, and what would let it go on. */
function keptText(
  reasons: readonly Reason[],
  { pause, cure }: Pick<GridStanding, 'pause' | 'cure'>,
): InBoth | undefined {
  if (reasons.length === 0) return undefined
  const said = reasons.map((each) => (each.code === 'paused' && pause ? pauseText(pause) : each))
  const [zh, en] = [said.map((each) => each.zh).join('；'), said.map((each) => each.en).join('; ')]
  if (cure === undefined) return { zh, en }
  const ask = cure.isForPerson ? { zh: '需', en: 'To go on: ' } : { zh: '', en: '' }
  return { zh: `${zh}。${ask.zh}${cure.zh}`, en: `${en}. ${ask.en}${cure.en}` }
}

function pauseText({ by, since }: NonNullable<GridStanding['pause']>): InBoth {
  const at = since === undefined ? undefined : exchangeTime(since.sinceMs)
  const { zh, en } = PAUSED_BY[by]
  return {
    zh: `${zh}${at === undefined ? '' : `，自 ${at}`}`,
    en: `${en}${at === undefined ? '' : ` since ${at}`}`,
  }
}
const PAUSED_BY: Readonly<Record<PausedBy, InBoth>> = {
  person: { zh: '人工暂停', en: 'paused by a person' },
  take_profit_full: {
    zh: '动态止盈清仓后自动暂停',
    en: 'paused by rule, after the dynamic stop has sold the holding',
  },
  stop_loss: {
    zh: '止损清仓后自动暂停',
    en: 'paused by rule, after the stop-loss has sold the holding',
  },
  unheard_fill: {
    zh: '委托过夜后成交不明，自动暂停，请在交易客户端核对成交',
    en: 'paused by rule, because nobody can tell what an order has filled over night: look at the fills in the trading client',
  },
  unknown: { zh: '已暂停', en: 'paused' },
}

/** Prices are those that act: a level itself may lie between two ticks. */
function waitText(session: GridSession, next: Readonly<Record<Side, NextOrder>>): InBoth {
  const { tracker, code } = session
  const text = (price: Price) => priceText(code, price)
  const one = tracker.direction === 'falling' ? next.buy : next.sell
  if (tracker.isWaiting) {
    const [from, at] = [text(one.from), text(one.sendsAt)]
    return one.side === 'buy'
      ? {
          zh: `已越下档，等待回升：最低 ${from}，升到 ${at} 买入${sharesZh(one)}`,
          en: `below its level, waits for the turn: low ${from}, buys${sharesEn(one)} at ${at}`,
        }
      : {
          zh: `已越上档，等待回落：最高 ${from}，跌到 ${at} 卖出${sharesZh(one)}`,
          en: `above its level, waits for the turn: high ${from}, sells${sharesEn(one)} at ${at}`,
        }
  }
  const [low, high] = [text(next.buy.price), text(next.sell.price)]
  return {
    zh: `等待越档：跌到 ${low} 后回升买入${sharesZh(next.buy)}，涨到 ${high} 后回落卖出${sharesZh(next.sell)}`,
    en: `waits for a level: buys${sharesEn(next.buy)} on the turn after ${low}, sells${sharesEn(next.sell)} on the turn after ${high}`,
  }
}

/** How many, or why none. */
const sharesZh = ({ quantity, blocked }: NextOrder): string =>
  blocked === undefined ? ` ${shares(quantity ?? 0)} 股` : `（暂不可：${blocked.zh}）`
const sharesEn = ({ quantity, blocked }: NextOrder): string =>
  blocked === undefined ? ` ${shares(quantity ?? 0)} shares` : ` (not now: ${blocked.en})`
