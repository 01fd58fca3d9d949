import fc from 'fast-check'
import t from 'tap'
import {
  drawdownOf,
  knownResult,
  monthOf,
  NO_RESULTS,
  profitFactor,
  SalesTally,
  weekOf,
  winRate,
  withResult,
} from '../../src/domain/earnings.ts'
import type { EquityPoint } from '../../src/domain/equity.ts'
import type { StockCode } from '../../src/domain/instrument.ts'
import type { Money, Price, Quantity } from '../../src/domain/money.ts'
import type { Sale } from '../../src/domain/sale.ts'

const results = (...each: (number | null)[]) =>
  each.reduce((sum, one) => withResult(sum, one as Money | null), NO_RESULTS)

const sale = (day: string, realized: number | null, row: Partial<Sale> = {}): Sale => ({
  id: 1,
  code: '600036.SH' as StockCode,
  name: '招商银行',
  timeMs: Date.parse(`${day}T10:00:00+08:00`),
  quantity: 100 as Quantity,
  price: 100_000 as Price,
  amount: 10_000_000 as Money,
  fee: 5 as Money,
  strategy: 'grid',
  orderId: '1',
  dealId: '1',
  isSimulated: false,
  cost: 1 as Money,
  realized: realized as Money | null,
  costFrom: 'deals',
  ...row,
})

const point = (worth: number, day = 1): EquityPoint => ({
  timeMs: day * 86_400_000,
  cash: 0 as Money,
  frozen: 0 as Money,
  marketValue: worth as Money,
  isSimulated: false,
  session: 'open',
})

t.test('wins, losses and what nobody knows are counted apart', (t) => {
  const sum = results(300, -100, 0, null, 200, -100)
  t.match(sum, { count: 6, unknown: 1, wins: 2, losses: 2, gained: 500, lost: 200 })
  t.equal(knownResult(sum), 300)
  t.equal(winRate(sum), 0.4, 'of the five that are known')
  t.equal(profitFactor(sum), 2.5)
  t.equal(winRate(NO_RESULTS), null)
  t.equal(winRate(results(null)), null, 'none is known: no rate of 0')
  t.equal(profitFactor(results(5)), null, 'nothing was lost')
  t.end()
})

t.test('a week begins on its Monday, also over a new year', (t) => {
  const table = [
    ['2026-08-10', '2026-08-10'],
    ['2026-08-14', '2026-08-10'],
    ['2026-08-16', '2026-08-10'],
    ['2026-08-17', '2026-08-17'],
    ['2027-01-01', '2026-12-28'],
  ] as const
  for (const [day, monday] of table) t.equal(weekOf(day), monday, day)
  t.equal(monthOf('2026-08-31'), '2026-08')
  t.end()
})

t.test('sales add up to the same by day, week, month, stock and strategy', (t) => {
  const days = ['2026-07-31', '2026-08-03', '2026-08-11', '2026-08-12']
  const one = fc.record({
    day: fc.constantFrom(...days),
    realized: fc.oneof(fc.constant(null), fc.integer({ min: -1_000, max: 1_000 })),
    code: fc.constantFrom('600036.SH' as StockCode, '000001.SZ' as StockCode),
    strategy: fc.constantFrom('grid', 'manual', 'stop_loss'),
  })
  fc.assert(
    fc.property(fc.array(one), (rows) => {
      const tally = new SalesTally(
        rows.map(({ day, realized, ...row }) => sale(day, realized, row)),
      )
      const groups = [
        tally.byDay,
        tally.byStock,
        tally.byStrategy,
        tally.daysBy(weekOf),
        tally.daysBy(monthOf),
      ]
      return groups.every((sums) => {
        const all = [...sums.values()].map((sum) => sum.results)
        const total = all.reduce((sum, each) => sum + knownResult(each), 0)
        const unknown = all.reduce((sum, each) => sum + each.unknown, 0)
        const { results: whole } = tally.total
        return total === knownResult(whole) && unknown === whole.unknown
      })
    }),
  )
  t.end()
})

t.test('F487 fills of an order that has told its fee with one of them lack none', (t) => {
  const none = { fee: 0 as Money }
  const tally = new SalesTally([
    sale('2026-08-11', 1, { orderId: '7' }),
    sale('2026-08-11', 1, { orderId: '7', ...none }),
    sale('2026-08-11', 1, { orderId: '8', ...none }),
    sale('2026-08-12', 1, { orderId: '7', ...none }),
    sale('2026-08-11', 1, { orderId: '7', code: '000001.SZ' as StockCode, ...none }),
  ])
  t.equal(tally.total.withoutFee, 3, 'another order, another day, another stock')
  t.equal(tally.byDay.get('2026-08-11')?.withoutFee, 2)
  t.end()
})

t.test('the drawdown is the deepest fall below an earlier peak', (t) => {
  const points = [100, 120, 90, 110, 130, 105].map((worth, day) => point(worth, day))
  t.match(drawdownOf(points), {
    amount: 30,
    ratio: 0.25,
    peakMs: 86_400_000,
    troughMs: 172_800_000,
  })
  t.match(drawdownOf([point(1), point(2)]), { amount: 0, ratio: 0 })
  t.equal(drawdownOf([point(1)]), undefined)
  fc.assert(
    fc.property(fc.array(fc.nat(), { minLength: 2, maxLength: 20 }), (worths) => {
      const deepest = Math.max(
        ...worths.map((worth, at) => Math.max(...worths.slice(0, at + 1)) - worth),
      )
      return drawdownOf(worths.map((worth) => point(worth)))?.amount === deepest
    }),
  )
  t.end()
})
