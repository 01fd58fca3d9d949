import type { InBoth } from './in-both.ts'

/** How a strategy stands with a stock or a grid: what it waits for, or that it is kept back. API, never renamed. */
export const GRID_STANDING_CODES = [
  'waits_level',
  'waits_callback',
  'order_open',
  'paused',
  'held_back',
  'stopping',
  'stopped',
] as const
export type GridStandingCode = (typeof GRID_STANDING_CODES)[number]

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
  disk_late: ['磁盘没有响应', 'the disk does not answer'],
  restore: ['账户数据由备份恢复，等待人工确认', 'restored from a backup, waits for a person'],
  kill_switch: ['急停生效', 'the kill switch'],
  not_ready: ['交易客户端未就绪', 'the trading client is not ready'],
  refused: ['委托被拒', 'its order was refused'],
  master_off: ['总开关已关闭', 'the master switch is off'],
  module_off: ['动态止盈止损模块已关闭', 'the take-profit module is off'],
  trading_off: ['自动止盈止损已关闭', 'auto stop-profit is off'],
  paused: ['网格已暂停', 'the grid is paused'],
  other_mode: [
    '账户不在该网格的模式（实盘/模拟）',
    'the account is in the other mode (live, simulation)',
  ],
  grid_off: ['自动网格已关闭', 'auto grid is off'],
  stock_off: ['该股开关已关闭', 'the switch of this stock is off'],
  sell_not_permitted: ['不允许卖出', 'selling is not allowed'],
  buy_not_permitted: ['不允许买入', 'buying is not allowed'],
  protective_limit: ['今日止盈止损卖出已达上限', 'the protective sales of the day are used up'],
  holding_missing: ['持仓已不在', 'the holding is missing'],
  no_cost: ['成本价未知', 'the cost is not known'],
  ex_day_unknown: ['除权除息价未知', 'the prices of the ex-day are not known yet'],
  outside_session: ['非交易时段', 'outside the trading hours'],
  no_quote: ['没有行情', 'there is no quote'],
  no_price: ['停牌或无最新价', 'halted, or no last price'],
  too_few_looks: [
    '时段刚开始或刚重启，行情观察次数不够',
    'too few looks at the quote since the session began',
  ],
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

/** What would let a strategy go on. What is not here goes on by itself, once it is over. */
const CURES: Readonly<Partial<Record<ReasonCode, readonly [zh: string, en: string]>>> = {
  suspended: ['查明原因后重启账户', 'find the cause and restart the account'],
  disk_space: ['腾出磁盘空间', 'free disk space'],
  restore: ['人工确认核对结果', 'a person confirms what the comparison found'],
  kill_switch: ['人工降低急停级别', 'a person lowers the kill switch'],
  paused: ['人工恢复该网格', 'a person resumes the grid'],
  other_mode: ['切换账户模式', 'switch the mode of the account'],
  master_off: ['打开总开关', 'turn the master switch on'],
  trading_off: ['打开自动止盈止损', 'turn auto stop-profit on'],
  module_off: ['在配置中打开该模块', 'turn the module on in the configuration'],
  grid_off: ['打开自动网格', 'turn auto grid on'],
  stock_off: ['打开该股开关', 'turn the switch of the stock on'],
  sell_not_permitted: ['允许卖出', 'allow selling'],
  buy_not_permitted: ['允许买入', 'allow buying'],
}

export interface Cure extends InBoth {
  /** Somebody has to do it. */
  readonly isForPerson: boolean
}

/** What has to be done, or has to pass, before a strategy goes on that is kept back. */
export function cureOf(reasons: readonly Reason[]): Cure | undefined {
  if (reasons.length === 0) return undefined
  const cures = reasons.map(({ code }) => CURES[code]).filter((cure) => cure !== undefined)
  if (cures.length === 0)
    return { zh: '恢复后自动继续', en: 'it goes on by itself', isForPerson: false }
  const [zh, en] = [cures.map(([each]) => each), cures.map(([, each]) => each)]
  return { zh: zh.join('，'), en: en.join(', '), isForPerson: true }
}
