import t from 'tap'
import { explainRefusal } from '../../src/domain/refusals.ts'

const TEXTS = [
  ['可用资金不足：需要3655.00，可用12.00', 'INSUFFICIENT_CASH'],
  ['可用股份不足：委托1100，可卖1000', 'INSUFFICIENT_SELLABLE'],
  ['委托数量低于最小申报数量200', 'LOT_SIZE'],
  ['委托数量必须为100的整数倍', 'LOT_SIZE'],
  ['委托数量超过单笔上限1000000', 'LOT_SIZE'],
  ['零股余额必须一次性申报卖出', 'LOT_SIZE'],
  ['委托价格不是最小变动单位0.01的整数倍', 'TICK_SIZE'],
  ['委托价格超过涨停价40.15', 'PRICE_LIMIT'],
  ['委托价格低于跌停价32.85', 'PRICE_LIMIT'],
  ['证券停牌，不能委托：600036.SH', 'HALTED'],
  ['证券代码不可交易：900901.SH', 'CODE_NOT_TRADABLE'],
  ['证券代码不存在或无行情：600001.SH', 'CODE_NOT_TRADABLE'],
  ['不支持的报价类型', 'PRICE_TYPE'],
  ['该报价类型仅适用于上海市场', 'PRICE_TYPE'],
  ['限价委托的委托价格必须大于零', 'PRICE_TYPE'],
  ['当日委托笔数超过上限', 'ORDER_COUNT'],
  ['委托金额超过上限', 'MAX_ORDER_VALUE'],
  ['交易客户端未收到该委托', 'NOT_RECEIVED'],
  ['写入后超时或调用方已断开，未发往柜台', 'NOT_SENT'],
  ['作出决定后过久才能发出（电脑睡眠或磁盘停顿）', 'NOT_SENT'],
  ['等待过久，未发往柜台', 'NOT_SENT'],
  ['已过时限，未发往柜台', 'NOT_SENT'],
  ['终端当时没有响应，未执行', 'NOT_SENT'],
  ['[251005][证券停止交易]', 'CLIENT_REFUSED'],
  ['', 'CLIENT_REFUSED'],
] as const

t.test('every text of the embedded client has a stable name and a sentence', async (t) => {
  for (const [text, code] of TEXTS) {
    const refusal = explainRefusal(text)
    t.equal(refusal.code, code, text)
    t.match(refusal.explanation, /^[A-Z].*\.$/, text)
  }
})
