import type { InBoth } from '../../../../domain/in-both.ts'
import type { GuardRefusal, PlanRefusal } from '../../../../strategy/grid/plan.ts'
import type { DoorRefusal } from '../../../orders/order-intent.ts'

/** Why no order of a grid is sent, or none would be: its guards, its plan, the door, and what keeps its tracker waiting. */
const REFUSAL = {
  no_quota: ['没有投入上限', 'there is no quota'],
  quota_used: ['投入上限已用完', 'the quota is used up'],
  cooling_down: ['冷却时间未到', 'it cools down'],
  budget_too_small: ['剩余额度不足 100 元', 'less than 100 yuan is left of the quota'],
  below_lot: ['不足一手', 'it is less than a lot'],
  above_remaining: ['所需金额超过剩余额度', 'it costs more than is left of the quota'],
  nothing_sellable: ['今日没有可卖数量', 'nothing may be sold today (T+1)'],
  session_ended: ['会话已结束', 'the session has ended'],
  session_paused: ['会话已暂停', 'the session is paused'],
  other_session: ['信号不属于该会话', 'the signal is of another session'],
  holding_missing: ['持仓已不在，等待再次确认', 'the holding is missing'],
  selling_out: ['该股正在止损或清仓卖出', 'all of the stock is being sold'],
  signal_too_old: ['信号已过期', 'the signal is too old'],
  price_drifted: ['现价偏离触发价', 'the price has gone away'],
  at_limit_up: ['已到涨停价', 'it is at limit up'],
  at_limit_down: ['已到跌停价', 'it is at limit down'],
  suspended: ['停牌，没有有效价格', 'halted: there is no price'],
  order_unfinished: ['上一笔委托未了结', 'the order before is not finished'],
  never_sent: [
    '上一笔未能及时发出，等待新行情',
    'the last order could not be sent in time: a newer quote is waited for',
  ],
  just_refused: ['交易客户端刚拒绝过同类委托', 'the trading client has just refused such an order'],
  part_untold: ['上一笔成交数量未明', 'how much of the last order was filled is not told yet'],
  ended_unfilled: ['今日同类委托多次未成交而终结', 'such orders have ended unfilled today'],
  other_side: ['先等待另一方向回调', 'the other side waits for its callback first'],
  level_cooling: ['该档冷却中', 'the level cools down'],
  total_unknown: ['总资产暂时未知', 'the total assets are not known yet'],
} as const satisfies Readonly<
  Record<PlanRefusal | GuardRefusal | DoorRefusal | Waiting, readonly [zh: string, en: string]>
>
type Waiting = 'other_side' | 'level_cooling' | 'total_unknown'
export type RefusalCode = keyof typeof REFUSAL

/** The reason in words, with its code; a code of the pre-trade rules stands for itself. */
export const refusalText = (reason: string): string =>
  Object.hasOwn(REFUSAL, reason) ? `${REFUSAL[reason as RefusalCode][0]} [${reason}]` : reason

/** A refusal in one sentence, Chinese first; one of a pre-trade rule has its own. */
export function refusalSentence({ code, message }: { code: string; message: string }): string {
  if (!Object.hasOwn(REFUSAL, code)) return message
  const [zh, en] = REFUSAL[code as RefusalCode]
  return `${zh} (${en})`
}

export function refusalInBoth(code: RefusalCode): InBoth & { readonly code: string } {
  const [zh, en] = REFUSAL[code]
  return { code, zh, en }
}
