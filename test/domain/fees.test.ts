import fc from 'fast-check'
import t from 'tap'
import { feeParts, feeRatesOf, feesOf } from '../../src/domain/fees.ts'
import type { StockCode } from '../../src/domain/instrument.ts'
import { type Money, moneyFromYuan as money, toYuan } from '../../src/domain/money.ts'

const FEES = { commission: 0.0003, commission_min: 5, stamp_duty: null, transfer_fee: null }
const rates = feeRatesOf(FEES)
const SH = '600036.SH' as StockCode
const FUND = '510300.SH' as StockCode
const BOND = '113050.SH' as StockCode

t.test('commission with its minimum, stamp duty on stock sales, transfer fee', async (t) => {
  const cases: ['buy' | 'sell', StockCode, string, number, number][] = [
    ['buy', SH, '2026-08-11', 36_100, 11.19], // 10.83 + 0.36
    ['sell', SH, '2026-08-11', 36_100, 29.24], // 10.83 + 18.05 + 0.36
    ['sell', SH, '2023-08-25', 36_100, 47.29], // 10.83 + 36.10 + 0.36
    ['sell', SH, '2017-06-01', 36_100, 47.65], // 10.83 + 36.10 + 0.72
    ['buy', SH, '2020-06-01', 36_100, 11.55], // 10.83 + 0.72
    ['buy', SH, '2026-08-11', 1_000, 5.01],
    ['sell', SH, '2026-08-11', 1_000, 5.51],
    ['sell', FUND, '2026-08-11', 36_100, 10.83],
    ['buy', BOND, '2026-08-11', 36_100, 10.83],
    ['buy', SH, '2026-08-11', 0, 0],
    ['buy', SH, '2026-08-11', 16_666.67, 5.17], // commission 5.000001 is the minimum
    ['sell', SH, '2026-08-11', 80_000_000_000, 64_800_000], // far beyond 2⁵³ before the division
  ]
  for (const [side, code, day, amount, expected] of cases) {
    const fees = feesOf(rates, { code, side, day, amount: money(amount) })
    t.equal(toYuan(fees), expected, `${side} ${code} ${day} ${amount}`)
  }
})

t.test('every rate can be set', async (t) => {
  const set = { commission: 0.001, commission_min: 0, stamp_duty: 0.002, transfer_fee: 0 }
  const own = feeRatesOf(set)
  const sale = { code: SH, side: 'sell', day: '2010-01-04', amount: money(10_000) } as const
  t.equal(toYuan(feesOf(own, sale)), 30)
  t.equal(toYuan(feesOf(own, { ...sale, code: FUND })), 10, 'funds pay no stamp duty')
  const dear = feeRatesOf({ ...set, transfer_fee: 0.001 })
  t.equal(toYuan(feesOf(dear, sale)), 40)
  t.equal(toYuan(feesOf(dear, { ...sale, code: FUND })), 10, 'nor a transfer fee')
})

t.test('fees are whole fen and never fall when the amount rises', async () => {
  const amount = fc.integer({ min: 0, max: 1_000_000_000_000 })
  const sides = fc.constantFrom('buy' as const, 'sell' as const)
  fc.assert(
    fc.property(amount, amount, sides, (a, b, side) => {
      const at = (units: number) =>
        feesOf(rates, { code: SH, side, day: '2026-08-11', amount: units as Money })
      return at(a) <= at(a + b) && at(a) % 100 === 0
    }),
  )
})

t.test('the parts of the fees are shown one by one and add up', async (t) => {
  const sale = { code: SH, side: 'sell', day: '2026-08-11', amount: money(36_100) } as const
  const parts = feeParts(rates, sale)
  t.strictSame(
    [parts.commission, parts.stampDuty, parts.transfer, parts.total].map(toYuan),
    [10.83, 18.05, 0.36, 29.24],
  )
  t.equal(parts.total, feesOf(rates, sale))
})
