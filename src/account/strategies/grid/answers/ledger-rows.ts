import { exchangeTime, exchangeTimeIso } from '../../../../domain/exchange-time.ts'
import type { StockCode } from '../../../../domain/instrument.ts'
import { type Price, round, toYuan } from '../../../../domain/money.ts'
import { tradeType } from '../../../../domain/order.ts'
import { averagePrice, type Lot, type LotMatch } from '../../../../strategy/grid/ledger.ts'
import { ratioOf } from '../../../../strategy/grid/ratios.ts'
import { LEVEL_UNITS } from '../../../../strategy/grid/tracker.ts'
import type { GridTrade } from '../../../model/grid-book.ts'

/** Whose rows they are. */
export interface RowOwner {
  readonly id: number
  readonly code: StockCode
}

export const tradeRow = (trade: GridTrade) => ({
  id: trade.id,
  session_id: trade.sessionId,
  stock_code: trade.code,
  trade_type: tradeType(trade.side),
  grid_level: toYuan((trade.level / LEVEL_UNITS) as Price),
  trigger_price: toYuan(trade.price),
  volume: trade.quantity,
  amount: toYuan(trade.amount),
  peak_price: toYuan(trade.peakPrice),
  valley_price: toYuan(trade.valleyPrice),
  callback_ratio: round(ratioOf(trade.callbackPpm), 4),
  trade_id: trade.tradeId,
  trade_time: exchangeTimeIso(trade.timeMs),
  grid_center_before: toYuan(trade.centerBefore),
  grid_center_after: toYuan(trade.centerAfter),
  created_at: exchangeTime(trade.timeMs),
})

export const lotRow = ({ id, code }: RowOwner, lot: Lot) => ({
  id: lot.id,
  session_id: id,
  stock_code: code,
  buy_trade_id: lot.buyTradeId,
  buy_order_id: lot.buyOrderId,
  buy_price: toYuan(averagePrice(lot.amount, lot.quantity)),
  original_volume: lot.quantity,
  remaining_volume: lot.remaining,
  realized_volume: lot.quantity - lot.remaining,
  buy_amount: toYuan(lot.amount),
  opened_at: exchangeTimeIso(lot.openedMs),
  updated_at: exchangeTimeIso(lot.updatedMs),
  status: lot.remaining > 0 ? 'open' : 'closed',
})

export function matchRow({ id, code }: RowOwner, match: LotMatch) {
  const isMatched = match.type === 'matched'
  return {
    id: match.id,
    session_id: id,
    stock_code: code,
    buy_lot_id: isMatched ? match.lotId : null,
    sell_trade_id: match.sellTradeId,
    sell_order_id: match.sellOrderId,
    match_type: match.type,
    volume: match.quantity,
    buy_price: isMatched ? toYuan(averagePrice(match.buyAmount, match.quantity)) : null,
    sell_price: toYuan(averagePrice(match.sellAmount, match.quantity)),
    buy_amount: isMatched ? toYuan(match.buyAmount) : null,
    sell_amount: toYuan(match.sellAmount),
    realized_pnl: toYuan(match.realized),
    matched_at: exchangeTimeIso(match.matchedMs),
  }
}
