import type { StockCode } from './instrument.ts'
import type { Money, Price, Quantity } from './money.ts'
import type { BrokerDeal, Side } from './order.ts'

/** One confirmed fill; the row behind `/api/trade-records`. */
export interface TradeRecord {
  /** Serial number, 1, 2, 3 … within the account. */
  readonly id: number
  readonly code: StockCode
  readonly name: string
  /** Epoch milliseconds of the market clock. */
  readonly timeMs: number
  readonly side: Side
  readonly price: Price
  readonly quantity: Quantity
  readonly amount: Money
  readonly fee: Money
  readonly dealId: string
  readonly orderId: string
  readonly strategy: string
}

/** What the record of a deal has of its own; its number and names come from the books. */
export const tradeOf = (
  deal: BrokerDeal,
  { id, name, strategy }: Pick<TradeRecord, 'id' | 'name' | 'strategy'>,
): TradeRecord => ({
  id,
  code: deal.code,
  name,
  timeMs: deal.timeMs,
  side: deal.side,
  price: deal.price,
  quantity: deal.quantity,
  amount: deal.amount,
  fee: deal.fee,
  dealId: deal.dealId,
  orderId: deal.orderId,
  strategy,
})

/** Numbers that only orders have which the simulation mode filled. A trading client numbers with digits. */
const SIMULATED_ORDER = /^(GRID_)?SIM/

/** Whether the fill is of the simulation mode. */
export const isSimulatedFill = ({ orderId }: Pick<TradeRecord, 'orderId'>): boolean =>
  SIMULATED_ORDER.test(orderId)

/** Strategy under which an order that a person sends is stored, whatever name the caller gives his own. */
export const BY_HAND = { buy: 'M_real', sell: 'manual_real' } as const

/** Stored strategy → display label (docs/domain.md 4.7). */
const LABEL: ReadonlyMap<string, string> = new Map([
  ['simu', '模拟'],
  ['simu_partial', '模拟'],
  ['simu_full', '模拟'],
  ['auto_partial', '浮盈'],
  ['auto_full', '止盈'],
  ['stop_loss', '止损'],
  ['grid', '网格'],
  ['manual', '手动'],
  ['M_real', '手动买入'],
  ['M_simu', '模拟买入'],
  ['manual_real', '手动卖出'],
  ['manual_simu', '模拟卖出'],
  ['external', '外部'],
  ['recovered', '找回'],
  ['default', '默认'],
  ['add_position', '补仓'],
])

/** Whether a name that a trading client shows is one that this service gives. */
export const isOwnStrategy = (strategy: string): boolean =>
  strategy !== 'external' && (LABEL.has(strategy) || strategy.startsWith('reorder_'))

/** The label of a stored strategy; an unknown one is shown as it is. */
export function strategyLabel(strategy: string): string {
  return LABEL.get(strategy) ?? (strategy.startsWith('reorder_') ? '重报' : strategy)
}
