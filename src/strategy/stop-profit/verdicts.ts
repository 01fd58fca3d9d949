import { exchangeTime } from '../../domain/exchange-time.ts'
import type { StockCode } from '../../domain/instrument.ts'
import { type Price, toYuan } from '../../domain/money.ts'
import { priceText } from '../../domain/rules.ts'

/**
 * What a verdict means for the stock.
 *
 *  skipped  nothing was looked at: state and waiting signal stay as they are.
 *  closed   a gate is closed: a waiting signal is dropped.
 *  nothing  looked at, no reason to act.
 *  signal   a reason to act.
 *  blocked  an order is wanted but not possible now: the signal waits, no try is counted.
 *  failed   the signal is not good any more: a try is counted.
 *  order    an order goes out.
 */
export type VerdictKind =
  | 'skipped'
  | 'closed'
  | 'nothing'
  | 'signal'
  | 'blocked'
  | 'failed'
  | 'order'

/** Prices of a verdict as its stock is quoted. */
interface Shown {
  readonly price: string
  readonly threshold: string
}
interface Meaning {
  readonly kind: VerdictKind
  readonly text: (shown: Shown) => string
}

const says = (kind: VerdictKind, chinese: string, english: string): Meaning => ({
  kind,
  text: () => `${chinese} (${english})`,
})
/** For verdicts in which a price met a threshold. */
const compares = (kind: VerdictKind, chinese: string, english: string): Meaning => ({
  kind,
  text: ({ price, threshold }) =>
    `${chinese}：现价 ${price}，界限 ${threshold} (${english}: price ${price}, line ${threshold})`,
})

const MEANINGS = {
  outside_session: says('skipped', '非交易时间', 'outside trading hours'),
  no_price: says('skipped', '没有有效行情价格', 'the quote has no price'),
  quote_refused: says('skipped', '行情健康度不足', 'the quote may not feed signals'),
  ex_day_unknown: says(
    'skipped',
    '持股数已变，除权除息价未知，暂不判断',
    'shares have changed, and on which scale prices are is not known yet',
  ),

  not_ready: says('closed', '交易客户端未就绪', 'the trading client is not ready'),
  master_off: says('closed', '自动操作总开关关闭', 'the master switch is off'),
  module_off: says('closed', '动态止盈止损模块关闭', 'the take-profit module is off'),
  trading_off: says('closed', '自动交易开关关闭', 'tier 2, automatic trading, is off'),
  stock_off: says('closed', '该股止盈止损开关关闭', 'the switch of this stock is off'),
  order_open: says('closed', '该股有未完成委托', 'an order of this stock is not finished'),

  no_position: says('nothing', '没有持仓', 'nothing is held'),
  no_cost: says('nothing', '没有有效成本价', 'the cost is not known'),
  loss_implausible: compares('nothing', '止损价异常', 'the loss does not fit the stop price'),
  nothing_sellable: compares('nothing', '可卖数量为零', 'nothing may be sold today'),
  no_breakout: compares('nothing', '未达首次止盈突破价', 'no breakout yet'),
  breakout_started: compares('nothing', '突破，等待回撤', 'breakout: now waits for a pullback'),
  pullback_small: compares('nothing', '回撤不足', 'the pullback is too small'),
  below_minimum: compares(
    'nothing',
    '低于最低止盈价，突破作废',
    'below the minimum: breakout void',
  ),
  exit_implausible: compares('nothing', '动态止盈价异常', 'the exit price does not fit the high'),
  above_exit: compares('nothing', '高于动态止盈价', 'still above the exit price'),

  stop_loss: compares('signal', '触发止损', 'stop-loss'),
  take_profit_half: compares('signal', '触发首次止盈', 'first take-profit'),
  take_profit_full: compares('signal', '触发动态止盈', 'full exit'),

  no_signal: says('nothing', '没有待执行信号', 'no signal waits'),
  sell_not_permitted: says('blocked', '未允许卖出', 'selling is not permitted'),
  pending_order: says('blocked', '该股有在途委托', 'an order of this stock is under way'),
  available_zero_sync_delay: says('blocked', '可卖数量尚未同步', 'sellable shares not known yet'),
  signal_expired: says('failed', '信号已过期', 'the signal is too old'),
  invalid_stop_loss_data: says('failed', '止损信号数据无效', 'the stop-loss signal is not valid'),
  invalid_stop_loss_ratio: compares(
    'failed',
    '止损价与成本之比异常',
    'stop price far from the cost',
  ),
  loss_ratio_too_small: compares('failed', '亏损不足 2%', 'the loss is below 2 %'),
  invalid_take_profit_data: says('failed', '止盈信号数据无效', 'the signal is not valid'),
  take_profit_not_profitable: compares('failed', '现价不高于成本', 'no profit over the cost'),
  take_profit_signal_expired: compares('failed', '低于最低止盈价', 'below the minimum price'),
  nothing_to_sell: says('failed', '没有可卖数量', 'nothing is left to sell'),

  add_off: says('nothing', '补仓开关关闭', 'supplementary buying is off'),
  add_stop_first: says('nothing', '止损优先，不补仓', 'the stop comes before a purchase'),
  add_after_profit: says('nothing', '已首次止盈，不补仓', 'a profit has been taken'),
  add_not_permitted: says('blocked', '未允许买入', 'buying is not permitted'),
  breaker_open: says(
    'blocked',
    '行情熔断中，不补仓',
    'the market data breaker is open: no purchase',
  ),
  add_drop_small: compares('nothing', '跌幅未达补仓线', 'not low enough for a purchase'),
  add_stop_reached: compares('nothing', '已到止损线，不补仓', 'the stop is reached: no purchase'),
  add_room_small: says('nothing', '剩余可补金额不足', 'too little room below the cap'),
  add_pending_order: says(
    'blocked',
    '该股有在途委托，不补仓',
    'an order is under way: no purchase',
  ),
  add_cooling_down: says('blocked', '补仓冷却中', 'the last purchase is too recent'),
  add_total_unknown: says(
    'blocked',
    '总资产暂时未知，暂不补仓',
    'the total assets are not known yet',
  ),
  add_room_below_lot: says(
    'nothing',
    '剩余可补金额不足一手',
    'the room below the cap does not buy one lot',
  ),
  add_below_lot: says('nothing', '补仓金额不足一手', 'the amount does not buy one lot'),

  take_profit_replaced: says(
    'blocked',
    '止损优先，撤销在途止盈委托',
    'a stop-loss takes the place of the take-profit under way',
  ),
  grid_withdrawn: says(
    'blocked',
    '止损优先，撤销在途网格委托',
    'a stop-loss has the orders of the grid withdrawn',
  ),
  order_refused: says('failed', '委托未通过风控', 'a rule refused the order'),
  order_sell: says('order', '发出卖出委托', 'a sale is sent'),
  order_buy: says('order', '发出补仓委托', 'a supplementary purchase is sent'),
} as const satisfies Readonly<Record<string, Meaning>>

/** Stable: shown by the decision trace and kept in the audit. */
export type VerdictCode = keyof typeof MEANINGS

/** Why a tick or a pass did, or did not, lead to something. */
export interface Verdict {
  readonly code: VerdictCode
  /** The price judged; 0 = none. */
  readonly price: Price
  /** The price it was compared with; 0 = none. */
  readonly threshold: Price
}

const NO_PRICE = 0 as Price

export const verdict = (
  code: VerdictCode,
  { price = NO_PRICE, threshold = NO_PRICE }: Partial<Omit<Verdict, 'code'>> = {},
): Verdict => ({ code, price, threshold })

export const kindOf = (code: VerdictCode): VerdictKind => MEANINGS[code].kind

/** One plain sentence about a stock, Chinese first. `sinceMs` (epoch) tells since when a gate is closed. */
export function sentenceOf(
  { code, price, threshold }: Verdict,
  stock: StockCode,
  sinceMs?: number,
): string {
  const shown = { price: priceText(stock, price), threshold: priceText(stock, threshold) }
  // A line so near that it would look reached, or not, by being rounded is told as it is.
  const isHidden = price !== threshold && shown.price === shown.threshold
  const text = MEANINGS[code].text({
    ...shown,
    ...(isHidden && { threshold: String(toYuan(threshold)) }),
  })
  return sinceMs === undefined ? text : `${text}，自 ${exchangeTime(sinceMs)} 起`
}
