import fc from 'fast-check'
import t from 'tap'
import type { StockCode } from '../../src/domain/instrument.ts'
import type { Price, Quantity } from '../../src/domain/money.ts'
import {
  boardOf,
  isInClosingAuction,
  isOnTick,
  isUnderRiskWarning,
  limitsInForce,
  lotError,
  priceLimits,
  priceText,
  rulesFor,
  stampDutyPpm,
  transferFeePpm,
} from '../../src/domain/rules.ts'

const code = (text: string) => text as StockCode
const yuan = (value: number) => Math.round(value * 10_000) as Price
const TODAY = '2026-11-20'

t.test('a code belongs to the board of its exchange and digits', async (t) => {
  const cases: [string, string | undefined][] = [
    ['600036.SH', 'main'],
    ['605117.SH', 'main'],
    ['000001.SZ', 'main'],
    ['000001.SH', undefined], // an index
    ['002594.SZ', 'main'],
    ['300750.SZ', 'chinext'],
    ['301236.SZ', 'chinext'],
    ['688981.SH', 'star'],
    ['920118.BJ', 'bse'],
    ['430047.BJ', 'bse'],
    ['899050.BJ', undefined], // an index
    ['510300.SH', 'fund'],
    ['588000.SH', 'starFund'],
    ['159915.SZ', 'fund'],
    ['113050.SH', 'bond'],
    ['127045.SZ', 'bond'],
    ['399001.SZ', undefined],
    ['900901.SH', undefined], // B share
    ['204001.SH', undefined], // repo
    ['131810.SZ', undefined],
  ]
  for (const [text, board] of cases) t.equal(boardOf(code(text)), board, text)
})

t.test('price limits follow board and day, half up to the tick, at least one tick', async (t) => {
  const cases: [string, string, number, [number, number] | undefined, string?][] = [
    ['600036.SH', TODAY, 36, [32.4, 39.6]],
    ['600036.SH', TODAY, 10.05, [9.05, 11.06]], // 9.045 and 11.055
    ['000001.SZ', '2017-01-03', 8.73, [7.86, 9.6]],
    ['300750.SZ', '2020-08-21', 10, [9, 11]],
    ['300750.SZ', '2020-08-24', 10, [8, 12]],
    ['688981.SH', TODAY, 50, [40, 60]],
    ['920118.BJ', TODAY, 10, [7, 13]],
    ['510300.SH', TODAY, 4.005, [3.605, 4.406]],
    ['588000.SH', TODAY, 1, [0.8, 1.2]],
    ['113050.SH', '2022-07-29', 120, undefined],
    ['113050.SH', '2022-08-01', 120, [96, 144]],
    ['600036.SH', TODAY, 0.04, [0.03, 0.05]],
    ['600036.SH', TODAY, 0.01, [0.01, 0.02]],
    ['600036.SH', TODAY, 0, undefined],
    ['688981.SH', '2019-07-19', 50, undefined],
    ['600001.SH', '2026-07-03', 10, [9.5, 10.5], '*ST海投'],
    ['600001.SH', '2026-07-06', 10, [9, 11], '*ST海投'],
    ['300001.SZ', TODAY, 10, [8, 12], 'ST某某'],
  ]
  for (const [text, day, close, expected, name = ''] of cases) {
    const limits = priceLimits(code(text), day, { lastClose: yuan(close), name })
    const wanted = expected && { low: yuan(expected[0]), high: yuan(expected[1]) }
    t.same(limits, wanted, `${text} ${day} ${close}`)
  }
})

t.test('a risk warning is read from the name', async (t) => {
  for (const name of ['ST海投', '*ST海投', 'S*ST海投', 'SST海投'])
    t.ok(isUnderRiskWarning(name), name)
  for (const name of ['招商银行', '', 'TCL科技', 'S佳通']) t.notOk(isUnderRiskWarning(name), name)
})

t.test('F564 also on an ex-day, which the exchange writes before the name', async (t) => {
  for (const name of ['XD*ST海', 'XRST海投', 'DRST海投']) t.ok(isUnderRiskWarning(name), name)
  for (const name of ['XD招商银', 'DR招商银']) t.notOk(isUnderRiskWarning(name), name)
  const limits = priceLimits(code('600001.SH'), '2026-07-03', {
    lastClose: yuan(10),
    name: 'XD*ST海',
  })
  t.strictSame(limits, { low: yuan(9.5), high: yuan(10.5) })
})

t.test('F563 a stock whose name says that it is new has no limit', async (t) => {
  const limits = (text: string, name: string, day = TODAY) =>
    priceLimits(code(text), day, { lastClose: yuan(10), name })
  for (const text of ['603999.SH', '301999.SZ', '688999.SH', '920999.BJ']) {
    t.equal(limits(text, 'N新股'), undefined, `${text} on its first day`)
    t.not(limits(text, '新股'), undefined, `${text} afterwards`)
  }
  t.equal(limits('603999.SH', 'C新股'), undefined, 'and on the next four')
  t.strictSame(limits('603999.SH', 'N新股', '2023-04-07'), limits('603999.SH', '', '2023-04-07'))
  t.not(limits('113999.SH', 'N新转债'), undefined, 'a bond has others then')
  for (const name of ['CDR', 'Ningbo Bank', 'NC']) {
    t.not(limits('603999.SH', name), undefined, `${name} is no such name`)
  }
})

t.test('quantities follow the lots of the board', async (t) => {
  const cases: [string, 'buy' | 'sell', number, number, string | undefined][] = [
    ['600036.SH', 'buy', 100, 0, undefined],
    ['600036.SH', 'buy', 150, 0, 'NOT_A_MULTIPLE'],
    ['600036.SH', 'buy', 50, 0, 'BELOW_MINIMUM'],
    ['600036.SH', 'buy', 0, 0, 'NOT_A_QUANTITY'],
    ['600036.SH', 'buy', 100.5, 0, 'NOT_A_QUANTITY'],
    ['600036.SH', 'buy', 1_000_100, 0, 'ABOVE_MAXIMUM'],
    ['600036.SH', 'sell', 250, 250, undefined],
    ['600036.SH', 'sell', 50, 250, undefined],
    ['600036.SH', 'sell', 30, 250, 'ODD_REMAINDER_SPLIT'],
    ['600036.SH', 'sell', 120, 250, 'ODD_REMAINDER_SPLIT'],
    ['600036.SH', 'sell', 150, 300, 'NOT_A_MULTIPLE'],
    ['600036.SH', 'sell', 200, 250, undefined],
    ['688981.SH', 'buy', 199, 0, 'BELOW_MINIMUM'],
    ['688981.SH', 'buy', 201, 0, undefined],
    ['688981.SH', 'buy', 100_001, 0, 'ABOVE_MAXIMUM'],
    ['688981.SH', 'sell', 150, 150, undefined],
    ['688981.SH', 'sell', 150, 500, 'BELOW_MINIMUM'],
    ['920118.BJ', 'buy', 101, 0, undefined],
    ['920118.BJ', 'buy', 99, 0, 'BELOW_MINIMUM'],
    ['113050.SH', 'buy', 10, 0, undefined],
    ['113050.SH', 'buy', 15, 0, 'NOT_A_MULTIPLE'],
    ['510300.SH', 'buy', 110, 0, 'NOT_A_MULTIPLE'],
  ]
  for (const [text, side, quantity, sellable, expected] of cases) {
    const rule = rulesFor(code(text), TODAY)
    if (rule === undefined) throw new Error(text)
    const question = { side, quantity: quantity as Quantity, sellable: sellable as Quantity }
    t.equal(lotError(rule, question), expected, `${side} ${quantity} of ${sellable} ${text}`)
  }
})

t.test('stocks tick by a cent, funds and bonds by a tenth of it', async (t) => {
  const at = (text: string, price: number) => {
    const rule = rulesFor(code(text), TODAY)
    return rule !== undefined && isOnTick(rule, yuan(price))
  }
  t.ok(at('600036.SH', 36.01))
  t.notOk(at('600036.SH', 36.011))
  t.ok(at('510300.SH', 4.001))
  t.notOk(at('510300.SH', 4.0011))
  t.ok(at('113050.SH', 120.123))
})

t.test('stamp duty is on sales of stocks and was halved on 2023-08-28', async (t) => {
  const stock = code('600036.SH')
  t.equal(stampDutyPpm(stock, 'sell', '2023-08-27'), 1_000)
  t.equal(stampDutyPpm(stock, 'sell', '2023-08-28'), 500)
  t.equal(stampDutyPpm(stock, 'buy', TODAY), 0)
  t.equal(stampDutyPpm(code('510300.SH'), 'sell', TODAY), 0)
  t.equal(stampDutyPpm(code('113050.SH'), 'sell', TODAY), 0)
})

t.test('a market that trades beyond the limits of the table has others', async (t) => {
  const at = (price: number) =>
    limitsInForce(code('159915.SZ'), TODAY, {
      lastClose: yuan(2.9),
      lastPrice: yuan(price),
      name: '',
    })
  const limits = { low: yuan(2.61), high: yuan(3.19) }
  for (const inside of [2.61, 2.9, 3.19, 0]) t.strictSame(at(inside), limits, `${inside}`)
  for (const outside of [2.609, 3.191]) t.equal(at(outside), undefined, `${outside}`)
})

t.test('the transfer fee is on stocks alone, and was halved on 2022-04-29', async (t) => {
  const at = (text: string, day: string) => transferFeePpm(code(text), day)
  for (const stock of ['600036.SH', '000001.SZ', '300750.SZ', '688981.SH']) {
    t.strictSame([at(stock, '2022-04-28'), at(stock, '2022-04-29')], [20, 10], stock)
  }
  t.strictSame([at('920118.BJ', '2022-04-28'), at('920118.BJ', TODAY)], [25, 10])
  for (const none of [
    '510300.SH',
    '588000.SH',
    '159915.SZ',
    '161725.SZ',
    '113050.SH',
    '127045.SZ',
  ]) {
    t.strictSame([at(none, '2022-04-28'), at(none, TODAY)], [0, 0], none)
  }
})

t.test('a price is written with the decimals of its board', async (t) => {
  const cases: [string, number, string][] = [
    ['600036.SH', 36, '36.00'],
    ['688981.SH', 50.5, '50.50'],
    ['920118.BJ', 12.34, '12.34'],
    ['510300.SH', 4.1, '4.100'],
    ['588000.SH', 1.0004, '1.000'],
    ['161725.SZ', 0.987, '0.987'],
    ['113050.SH', 120.123, '120.123'],
    ['000001.SH', 3_500.12, '3500.12'], // an index has no board
  ]
  for (const [text, value, expected] of cases) {
    t.equal(priceText(code(text), yuan(value)), expected, text)
  }
})

t.test('limits lie on the tick and around the close of the day before', async () => {
  const codes = ['600036.SH', '300750.SZ', '688981.SH', '920118.BJ', '510300.SH', '113050.SH']
  const closes = fc.integer({ min: 10, max: 30_000_000 })
  fc.assert(
    fc.property(fc.constantFrom(...codes), closes, (text, units) => {
      const rule = rulesFor(code(text), TODAY)
      if (rule === undefined) return false
      const lastClose = (units * rule.tickSize) as Price
      const limits = priceLimits(code(text), TODAY, { lastClose })
      if (limits === undefined) return false
      const { low, high } = limits
      return (
        low % rule.tickSize === 0 &&
        high % rule.tickSize === 0 &&
        low < lastClose &&
        lastClose < high
      )
    }),
  )
})

t.test(
  'F283 the closing auction takes no cancels; Shanghai has none for funds and bonds',
  async (t) => {
    const barred = (code: string, time: string) =>
      isInClosingAuction(code as StockCode, Date.parse(`2026-08-${time}+08:00`))
    for (const code of [
      '600036.SH',
      '688981.SH',
      '000001.SZ',
      '159915.SZ',
      '123001.SZ',
      '920118.BJ',
    ]) {
      t.notOk(barred(code, '11T14:56:59.999'), code)
      t.ok(barred(code, '11T14:57:00'), code)
      t.ok(barred(code, '11T15:00:00'), code)
      t.notOk(barred(code, '11T15:00:00.001'), code)
      t.notOk(barred(code, '15T14:58:00'), 'a Saturday')
    }
    for (const code of ['510300.SH', '588000.SH', '113050.SH']) t.notOk(barred(code, '11T14:58:00'))
  },
)
