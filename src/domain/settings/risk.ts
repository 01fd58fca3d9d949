import { count, flag, type NumberRow, ratio, type SimpleRow, seconds, yuan } from './row.ts'

/**
 * The limits that keep orders back: the section `risk` of the file is made from this table, and so is what may be changed
 * of it while an account runs. The order is the order of `steward check`.
 */
export const riskRows = {
  max_orders_per_second: count(5, 0, 10_000, [
    '每秒最多委托数，人工委托超出则排队，0 = 关闭',
    'orders per second; more of people wait for their turn; 0 = off',
  ]),
  max_orders_per_day: count(500, 0, 1_000_000, [
    '每日最多委托数，不含保护性卖出，0 = 关闭',
    'orders per day, all but protective sales; 0 = off',
  ]),
  max_protective_orders_per_day: count(1_000, 0, 1_000_000, [
    '每日最多保护性卖出（止盈止损）数，0 = 关闭',
    'take-profit and stop-loss sales per day; 0 = off',
  ]),
  max_order_value: yuan(0, 0, 1e11, [
    '一笔委托的最大金额，0 = 关闭',
    'largest value of one order; 0 = off',
  ]),
  price_deviation: ratio(0, 0, 1, [
    '委托价与最新价的最大偏离，0 = 关闭',
    'largest distance of a price from the last price; 0 = off',
  ]),
  max_daily_loss: yuan(0, 0, 1e11, [
    '当日亏损达到此值时停止买入，0 = 关闭',
    'loss of the day at which purchases stop; 0 = off',
  ]),
  max_rejects_in_row: count(10, 0, 10_000, [
    '连续被柜台拒绝几次后停止全部新委托，0 = 关闭',
    'refusals of the broker in a row at which all new orders stop; 0 = off',
  ]),
  stale_quote_seconds: seconds(60, 0, 86_400, [
    '行情停更多久后不再据此下单，0 = 关闭',
    'age at which a quote is too old to order by; 0 = off',
  ]),
  refuse_duplicates: flag(false, [
    '拒绝与在途委托相同的委托，不论键值',
    'refuse an order like one that is still open, whatever its key',
  ]),
} as const satisfies Readonly<Record<string, SimpleRow>>

export type RiskName = keyof typeof riskRows
/** The limits as the file has them, defaults filled in. */
export type RiskSection = {
  readonly [N in RiskName]: (typeof riskRows)[N] extends NumberRow ? number : boolean
}
const isRiskName = (name: string): name is RiskName => Object.hasOwn(riskRows, name)
export const RISK_NAMES: readonly RiskName[] = Object.keys(riskRows).filter(isRiskName)
