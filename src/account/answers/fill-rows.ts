import { type FillSum, netOf } from '../../domain/fill-sums.ts'
import { toYuan } from '../../domain/money.ts'
import { isSimulatedFill, strategyLabel, type TradeRecord } from '../../domain/trade-record.ts'
import { recordRow } from './rows.ts'

/** A trade record as a page of them shows it. */
export const fillRow = (record: TradeRecord, note: string | undefined) => ({
  ...recordRow(record, note),
  is_simulated: isSimulatedFill(record),
})

/** `withoutFee`: fills of orders for which no fee was reported. */
export const fillSumRow = (sum: FillSum, withoutFee: number) => ({
  count: sum.count,
  buy: toYuan(sum.bought),
  sell: toYuan(sum.sold),
  net: toYuan(netOf(sum)),
  fees: toYuan(sum.fees),
  without_fee: withoutFee,
})

export const fillStrategyRow = (strategy: string) => ({
  strategy,
  strategy_label: strategyLabel(strategy),
})
