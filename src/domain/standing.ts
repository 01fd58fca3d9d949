import type { InBoth } from './in-both.ts'

/** How a strategy stands with a stock: what it waits for, or that it is kept back. API, never renamed. */
export const STANDING_CODES = [
  'waits_breakout',
  'waits_pullback',
  'waits_exit',
  'order_open',
  'held_back',
  'sold_out',
] as const
export type StandingCode = (typeof STANDING_CODES)[number]

/**
 * What keeps a strategy back, under names that are API. Of several the most binding comes first: what a person has to
 * mend, then what a person has chosen, then what passes by itself.
 */
const REASONS = {
  suspended: ['账户已降级运行，策略停止', 'the account runs reduced: no strategies'],
  disk_space: ['磁盘空间不足', 'disk space is low'],
  restore: ['账户数据由备份恢复，等待人工确认', 'restored from a backup, waits for a person'],
  kill_switch: ['急停生效', 'the kill switch'],
  not_ready: ['交易客户端未就绪', 'the trading client is not ready'],
  refused: ['委托被拒', 'its order was refused'],
  master_off: ['总开关已关闭', 'the master switch is off'],
  module_off: ['动态止盈止损模块已关闭', 'the take-profit module is off'],
  trading_off: ['自动止盈止损已关闭', 'auto stop-profit is off'],
  grid_off: ['自动网格已关闭', 'auto grid is off'],
  stock_off: ['该股开关已关闭', 'the switch of this stock is off'],
  sell_not_permitted: ['不允许卖出', 'selling is not allowed'],
  buy_not_permitted: ['不允许买入', 'buying is not allowed'],
  protective_limit: ['今日止盈止损卖出已达上限', 'the protective sales of the day are used up'],
  no_cost: ['成本价未知', 'the cost is not known'],
  ex_day_unknown: ['除权除息价未知', 'the prices of the ex-day are not known yet'],
  outside_session: ['非交易时段', 'outside the trading hours'],
  no_quote: ['没有行情', 'there is no quote'],
  no_price: ['停牌或无最新价', 'halted, or no last price'],
  quote_refused: ['行情质量不足', 'the quotes are not good enough'],
  order_open: ['该股有未了结委托', 'an order of this stock is not finished'],
  nothing_sellable: ['今日可卖数量为零（T+1）', 'nothing may be sold today (T+1)'],
} as const satisfies Readonly<Record<string, readonly [zh: string, en: string]>>

export type ReasonCode = keyof typeof REASONS
export const REASON_CODES = Object.keys(REASONS) as readonly ReasonCode[]

export interface Reason extends InBoth {
  readonly code: ReasonCode
}

/** A reason in its own words, or with more to say behind them. */
export function reason(code: ReasonCode, more: InBoth = NOTHING_MORE): Reason {
  const [zh, en] = REASONS[code]
  return { code, zh: `${zh}${more.zh}`, en: `${en}${more.en}` }
}
const NOTHING_MORE: InBoth = { zh: '', en: '' }

export const inOrder = (reasons: readonly Reason[]): readonly Reason[] =>
  reasons.toSorted((a, b) => REASON_CODES.indexOf(a.code) - REASON_CODES.indexOf(b.code))
