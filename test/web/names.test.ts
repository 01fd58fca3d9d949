import t from 'tap'
import { formOf } from '../../web/console/grid-form.ts'
import { bareCode } from '../../web/shared/format.ts'
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

t.test('F506 a code whose digits name another stock stays whole on the pages', async (t) => {
  t.equal(bareCode('111010.SH'), '111010.SH', 'a bond of Shanghai; the digits are of Shenzhen')
  t.equal(bareCode('830799.BJ'), '830799.BJ', 'digits that name none')
  for (const code of ['600036.SH', 'SH.600036', 'sh.600036', '600036']) {
    t.equal(bareCode(code), '600036')
  }
  t.equal(formOf('111010.SH').stock_code, '111010.SH', 'a grid is one of the bond')
  learnNames([row('111010.SH', '立昂转债'), row('111010', '另一只')])
  t.equal(stockName(row('111010.SH', '111010')), '立昂转债')
  t.equal(stockName(row('111011.SH', '111011')), '111011.SH')
})
