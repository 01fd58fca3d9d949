import t from 'tap'
import { learnNames, stockName } from '../../web/shared/names.ts'

const row = (stock_code: string, stock_name: string) => ({ stock_code, stock_name })

t.test('a stock has the name of any row that has one, the newest first', async (t) => {
  t.equal(stockName(row('600036.SH', '')), '600036')
  learnNames([row('600036', '招商银行'), row('600036.SH', '旧名'), row('000001', '000001')])
  t.equal(stockName(row('600036.SH', '600036')), '招商银行')
  t.equal(stockName(row('600036.SH', '招行')), '招行', 'its own word comes first')
  t.equal(stockName(row('000001.SZ', '000001.SZ')), '000001')
  learnNames([row('600036', 'ST 招行')])
  t.equal(stockName(row('600036', '')), '招商银行', 'an old row changes nothing')
  learnNames([row('600036', 'ST 招行')], true)
  t.equal(stockName(row('600036', '')), 'ST 招行')
})
