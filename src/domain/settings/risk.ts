import { UNITS_PER_YUAN } from '../money.ts'
import {
  count,
  flag,
  type NumberRow,
  ratio,
  type SimpleRow,
  seconds,
  type Unit,
  yuan,
} from './row.ts'

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
    '一笔委托的最大金额，止盈止损超出时分笔卖出，0 = 关闭',
    'largest value of one order; stops beyond it are sold in parts; 0 = off',
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
export const isRiskName = (name: string): name is RiskName => Object.hasOwn(riskRows, name)
export const RISK_NAMES: readonly RiskName[] = Object.keys(riskRows).filter(isRiskName)

/**
 * A limit as an account keeps it: a whole number, so that two of them are the same or are not. Money in ten-thousandths
 * of a yuan, ratios in millionths, times in milliseconds.
 */
export type RiskValue = number | boolean

const PARTS: Partial<Record<Unit, number>> = {
  yuan: UNITS_PER_YUAN,
  ratio: 1_000_000,
  seconds: 1_000,
}

/** Parts of one unit of the file. */
export function riskParts(name: RiskName): number {
  const row: SimpleRow = riskRows[name]
  return row.kind === 'flag' ? 1 : (PARTS[row.unit] ?? 1)
}

/** What the file or a caller says, in whole parts, rounded to the nearest. */
export const riskValue = (name: RiskName, said: number | boolean): RiskValue =>
  typeof said === 'boolean' ? said : Math.round(said * riskParts(name))

/** As the file would say it. */
export const riskShown = (name: RiskName, value: RiskValue): number | boolean =>
  typeof value === 'boolean' ? value : value / riskParts(name)

/** How much gets through: nothing is more than a limit that is off. */
const roomOf = (value: RiskValue): number => {
  if (typeof value === 'boolean') return value ? 0 : 1
  return value === 0 ? Number.POSITIVE_INFINITY : value
}

/**
 * Whether a change of a limit of a live account has to be confirmed: when more gets through after it. Fewer protective
 * sales are stops that are refused sooner, so that limit is confirmed in both directions.
 */
export function isToConfirm(name: RiskName, before: RiskValue, after: RiskValue): boolean {
  if (name === 'max_protective_orders_per_day') return before !== after
  return roomOf(after) > roomOf(before)
}
