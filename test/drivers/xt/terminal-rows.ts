import { toYuan } from '../../../src/domain/money.ts'
import {
  type BrokerAsset,
  type BrokerDeal,
  type BrokerOrder,
  type BrokerPosition,
  ORDER_TYPE,
} from '../../../src/domain/order.ts'
import type { QuoteParts } from '../fixtures/paper.ts'

/** Rows of the counter with the field names of xtquant's objects. */
export type Fields = Readonly<Record<string, unknown>>

/** A field that is there and cannot be read. */
export const UNREADABLE = { unreadable: true }

/** Lists show suffixed codes, pushes bare ones. */
type Spelling = 'suffixed' | 'bare'
const codeText = (code: string, spelling: Spelling) =>
  spelling === 'bare' ? code.slice(0, 6) : code

export const orderFields = (owner: string, row: BrokerOrder, spelling: Spelling): Fields => ({
  account_id: owner,
  account_type: 2,
  stock_code: codeText(row.code, spelling),
  order_id: row.orderId,
  order_sysid: `S${row.orderId}`,
  order_type: ORDER_TYPE[row.side],
  order_volume: row.quantity,
  price_type: row.priceType,
  price: toYuan(row.price),
  traded_volume: row.filledQuantity,
  traded_price: row.filledQuantity === 0 ? 0 : toYuan(row.filledAmount) / row.filledQuantity,
  order_status: row.status,
  status_msg: row.statusMessage,
  order_remark: row.clientOrderId,
  strategy_name: row.strategy,
  order_time: Math.floor(row.timeMs / 1_000),
})

export const dealFields = (owner: string, row: BrokerDeal, spelling: Spelling): Fields => ({
  account_id: owner,
  account_type: 2,
  stock_code: codeText(row.code, spelling),
  order_id: row.orderId,
  traded_id: row.dealId,
  order_type: ORDER_TYPE[row.side],
  traded_volume: row.quantity,
  traded_price: toYuan(row.price),
  traded_amount: toYuan(row.amount),
  traded_time: Math.floor(row.timeMs / 1_000),
  strategy_name: row.strategy,
  order_remark: row.clientOrderId,
})

export const positionFields = (owner: string, row: BrokerPosition): Fields => ({
  account_id: owner,
  account_type: 2,
  stock_code: row.code,
  instrument_name: row.name,
  volume: row.quantity,
  can_use_volume: row.sellable,
  open_price: toYuan(row.costPrice),
})

export const assetFields = (owner: string, row: BrokerAsset): Fields => ({
  account_id: owner,
  account_type: 2,
  cash: toYuan(row.available),
  frozen_cash: toYuan(row.frozen),
  market_value: toYuan(row.marketValue),
  total_asset: toYuan(row.total),
})

/** As the library answers it, in the names of the terminal; only what it pushes has names of its own. */
export const statusFields = (owner: string, kind: number, state: number): Fields => ({
  m_strAccountID: owner,
  m_nAccountType: kind,
  m_nStatus: state,
})

/** A tick with volumes in lots, as the terminal counts them. */
export function tickFields(parts: QuoteParts): Fields {
  const levels = (side: QuoteParts['bid'] = []) => ({
    price: Array.from({ length: 5 }, (_, level) => side[level]?.[0] ?? 0),
    volume: Array.from({ length: 5 }, (_, level) => (side[level]?.[1] ?? 0) / 100),
  })
  const [bid, ask] = [levels(parts.bid), levels(parts.ask)]
  return {
    time: parts.timeMs ?? Date.now(),
    lastPrice: parts.last ?? 0,
    lastClose: parts.lastClose ?? 0,
    open: 0,
    high: 0,
    low: 0,
    volume: 12,
    amount: 43_200,
    bidPrice: bid.price,
    askPrice: ask.price,
    bidVol: bid.volume,
    askVol: ask.volume,
  }
}

/** Two daily bars, volumes in lots. */
export const HISTORY = {
  time: [Date.parse('2026-08-10T00:00:00+08:00'), Date.parse('2026-08-11T00:00:00+08:00')],
  open: [35, 36],
  high: [36.5, 37],
  low: [34.8, 35.9],
  close: [36, 36.8],
  volume: [120_000, 98_000],
  amount: [430_000_000, 356_000_000],
}
