import { inQuotes } from '../../../../domain/in-both.ts'
import { type Money, type Price, shares, toYuan } from '../../../../domain/money.ts'
import type { Side } from '../../../../domain/order.ts'
import { priceText } from '../../../../domain/rules.ts'
import { ratioOf } from '../../../../strategy/grid/ratios.ts'
import { LEVEL_UNITS } from '../../../../strategy/grid/tracker.ts'
import type { GridEvent, GridOutcome } from '../../../model/grid-events.ts'
import type { JournalWords } from '../../../model/presented.ts'
import { refusalText } from './refusal-words.ts'

type Presenters = Required<Pick<JournalWords, GridEvent['kind']>>

const GRID = 'grid'
const BROKER = 'broker'
const MARKET = 'market'

const SIDE: Readonly<Record<Side, string>> = { buy: '买入', sell: '卖出' }
const OUTCOME: Readonly<Record<GridOutcome, string>> = {
  filled: '全部成交',
  partial_filled_canceled: '部分成交后撤单',
  canceled: '已撤',
  rejected: '被交易客户端拒绝',
  reordered: '撤单后已重报',
}

const MONEY: ReadonlySet<string> = new Set([
  'price',
  'amount',
  'centerPrice',
  'currentCenter',
  'maxInvestment',
  'lastPrice',
  'peakPrice',
  'valleyPrice',
  'triggerPrice',
  'reservedPrice',
  'bookedAmount',
  'centerBefore',
  'centerAfter',
  'buyAmount',
  'sellAmount',
  'lastSellTrigger',
  'to',
  'of',
  'realized',
  'remainingCost',
  'takenOff',
  'off',
])
const LEVELS: ReadonlySet<string> = new Set(['level', 'crossedLevel'])
const RATIO = 'Ppm'

/** A grid event as JSON shows it: money and levels in yuan, ratios as decimals under `…Ratio`. */
function shown(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shown)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => field(name, inner)))
}

function field(name: string, value: unknown): readonly [string, unknown] {
  if (typeof value !== 'number') return [name, shown(value)]
  if (name.endsWith(RATIO)) return [`${name.slice(0, -RATIO.length)}Ratio`, ratioOf(value)]
  if (MONEY.has(name)) return [name, toYuan(value as Money)]
  return LEVELS.has(name) ? [name, toYuan((value / LEVEL_UNITS) as Money)] : [name, value]
}

/** The event without its kind, which stands beside it. */
function bodyOf({ kind: _, ...body }: GridEvent): unknown {
  return shown(body)
}

/** A price where the event does not say of which stock: 10.50, 4.126. */
const someText = (price: Price): string => toYuan(price).toFixed(3).replace(/0$/, '')

/** Why a session ended, in words. */
const END: Readonly<Record<string, string>> = {
  deviation: '偏离超限',
  target_profit: '达到目标收益',
  stop_loss: '达到止损',
  expired: '到期',
  position_cleared: '持仓已清空',
  manual: '手动停止',
  manual_stop: '手动停止',
}
export const endText = (reason: string): string => END[reason] ?? refusalText(reason)

const grids = {
  gridStarted: (event) => ({
    source: event.source,
    summary: `启动网格 ${event.session.id}：${event.session.code}，中心价 ${priceText(event.session.code, event.session.centerPrice)} (grid ${event.session.id} started: ${event.session.code} around ${priceText(event.session.code, event.session.centerPrice)})`,
    body: bodyOf(event),
  }),
  gridSwitched: (event) => ({
    source: event.source,
    summary: `网格 ${event.sessionId} ${event.isEnabled ? '恢复' : '暂停'} (grid ${event.sessionId} ${event.isEnabled ? 'resumed' : 'paused'})`,
    body: bodyOf(event),
  }),
  gridTracked: (event) => ({
    source: MARKET,
    summary: `网格 ${event.sessionId} ${event.tracker.isWaiting ? '越过档位，等待回调' : '跟踪价格'}，现价 ${someText(event.tracker.lastPrice)} (grid ${event.sessionId} tracked, now ${someText(event.tracker.lastPrice)})`,
    body: bodyOf(event),
  }),
  gridRescaled: (event) => ({
    source: MARKET,
    summary: `网格 ${event.sessionId} 除权除息，中心价 ${someText(event.exDay.before.currentCenter)} → ${someText(event.currentCenter)} (ex day of grid ${event.sessionId}: center ${someText(event.exDay.before.currentCenter)} → ${someText(event.currentCenter)})`,
    body: bodyOf(event),
  }),
  gridRefused: (event) => ({
    source: GRID,
    summary: `网格 ${event.sessionId} 未${SIDE[event.side]}：${refusalText(event.reason)} (no order of grid ${event.sessionId})`,
    body: bodyOf(event),
  }),
  gridOrderPlaced: (event) => ({
    source: GRID,
    summary: `网格 ${event.order.sessionId} 登记委托 ${event.order.clientOrderId}：${SIDE[event.order.side]} ${shares(event.order.requested)} 股 (order of grid ${event.order.sessionId}: ${event.order.side} ${shares(event.order.requested)} shares)`,
    body: bodyOf(event),
  }),
  gridOrderTimedOut: (event) => ({
    source: GRID,
    summary: `网格委托 ${event.clientOrderId} 超时未成交，撤单${event.isReorderWanted ? '后重报' : ''} (time is up)`,
    body: bodyOf(event),
  }),
  gridBooked: (event) => {
    const { sessionId, side, quantity, code, price } = event.trade
    const [count, at] = [shares(quantity), priceText(code, price)]
    const summary = `网格 ${sessionId} 记账 ${SIDE[side]} ${count} 股，价格 ${at} (booked for grid ${sessionId}: ${side} ${count} shares at ${at})`
    return { source: BROKER, summary, body: bodyOf(event) }
  },
  gridOrderClosed: (event) => ({
    source: BROKER,
    summary: `网格委托 ${event.clientOrderId} 结束：${OUTCOME[event.outcome]} (grid order ended)`,
    body: bodyOf(event),
  }),
  gridStopping: (event) => ({
    source: event.source,
    summary: `网格 ${event.sessionId} 停止中：${endText(event.reason)}，等待在途委托 (grid ${event.sessionId} stopping)`,
    body: bodyOf(event),
  }),
  gridStopped: (event) => ({
    source: event.source,
    summary: `网格 ${event.sessionId} 已停止：${endText(event.reason)} (grid ${event.sessionId} stopped)`,
    body: bodyOf(event),
  }),
} satisfies Partial<Presenters>

const templates = {
  gridTemplateSaved: (event) => ({
    source: event.source,
    summary: `保存网格模板：${inQuotes(event.template.name)} (template saved)`,
    body: bodyOf(event),
  }),
  gridTemplateUsed: (event) => ({
    source: event.source,
    summary: `使用网格模板：${inQuotes(event.name)} (template used)`,
    body: bodyOf(event),
  }),
  gridTemplateDeleted: (event) => ({
    source: event.source,
    summary: `删除网格模板：${inQuotes(event.name)} (template deleted)`,
    body: bodyOf(event),
  }),
} satisfies Partial<Presenters>

/** Every event of a grid in the words of people. */
export const gridEvents: Presenters = { ...grids, ...templates }
