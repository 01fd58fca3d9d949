/** Stable name of why a broker refused an order. API, never renamed. */
export type RefusalCode = keyof typeof EXPLANATIONS

/** The client's text as it came, with a name and a sentence beside it that say what it means. */
export interface Refusal {
  readonly code: RefusalCode
  /** Plain words: what is wrong, and what helps. */
  readonly explanation: string
}

const EXPLANATIONS = {
  INSUFFICIENT_CASH:
    'There is not enough free cash for this purchase with its fees. Cancel other purchases or buy less.',
  INSUFFICIENT_SELLABLE:
    'Fewer shares may be sold today than were ordered: bought today, or asked for by another open sale.',
  LOT_SIZE: 'The quantity does not fit the lots of this board.',
  TICK_SIZE: 'The price is not a whole multiple of the smallest price step.',
  PRICE_LIMIT: "The price lies outside today's price limits.",
  HALTED: 'Trading of this stock is halted.',
  CODE_NOT_TRADABLE: 'The trading client does not trade this code, or has no quote for it.',
  PRICE_TYPE: 'This price type does not exist on the market of this stock, or needs a price.',
  ORDER_COUNT: 'The trading client takes no more orders of this account today.',
  MAX_ORDER_VALUE: 'The order is worth more than one order may be.',
  NOT_SENT:
    'The order was never sent to the trading client: it could not be in time. It may be placed again under a new key.',
  NOT_RECEIVED: 'The trading client never got this order. It may be placed again under a new key.',
  CLIENT_REFUSED: 'The trading client refused the order; its own words are the only reason known.',
} as const

/** How the texts of brokers begin; the first that fits counts. */
const BEGINNINGS: readonly (readonly [string, RefusalCode])[] = [
  ['可用资金不足', 'INSUFFICIENT_CASH'],
  ['资金不足', 'INSUFFICIENT_CASH'],
  ['可用股份不足', 'INSUFFICIENT_SELLABLE'],
  ['可用数量不足', 'INSUFFICIENT_SELLABLE'],
  ['证券可用数量不足', 'INSUFFICIENT_SELLABLE'],
  ['委托数量', 'LOT_SIZE'],
  ['零股余额', 'LOT_SIZE'],
  ['委托价格不是最小变动单位', 'TICK_SIZE'],
  ['委托价格超过涨停价', 'PRICE_LIMIT'],
  ['委托价格低于跌停价', 'PRICE_LIMIT'],
  ['证券停牌', 'HALTED'],
  ['证券代码', 'CODE_NOT_TRADABLE'],
  ['不支持的报价类型', 'PRICE_TYPE'],
  ['该报价类型', 'PRICE_TYPE'],
  ['限价委托的委托价格', 'PRICE_TYPE'],
  ['当日委托笔数超过上限', 'ORDER_COUNT'],
  ['委托金额超过上限', 'MAX_ORDER_VALUE'],
  ['写入后超时或调用方已断开', 'NOT_SENT'],
  ['作出决定后过久才能发出', 'NOT_SENT'],
  ['等待过久，未发往柜台', 'NOT_SENT'],
  ['已过时限，未发往柜台', 'NOT_SENT'],
  ['终端当时没有响应，未执行', 'NOT_SENT'],
  ['交易客户端未收到该委托', 'NOT_RECEIVED'],
  ['人工确认：交易客户端未收到该委托', 'NOT_RECEIVED'],
]

/** What a refusal text means. A text that nobody knows is `CLIENT_REFUSED`. */
export function explainRefusal(text: string): Refusal {
  const words = text.trimStart()
  const known = BEGINNINGS.find(([beginning]) => words.startsWith(beginning))
  const code = known?.[1] ?? 'CLIENT_REFUSED'
  return { code, explanation: EXPLANATIONS[code] }
}
