import t from 'tap'
import { amountIn } from '../../web/shared/format.ts'

t.test('an amount is never less than one of its unit, unless it is less than a yuan', async (t) => {
  const cases = [
    [107_364_640, 'yuan', 107_364_640, 'yuan'],
    [1_073_646.4, 'wan', 107.36464, 'wan'],
    [10_000, 'wan', 1, 'wan'],
    [9_999.99, 'wan', 9_999.99, 'yuan'],
    [-35_120, 'wan', -3.512, 'wan'],
    [350_000_000, 'yi', 3.5, 'yi'],
    [1_073_646.4, 'yi', 107.36464, 'wan'],
    [5, 'yi', 5, 'yuan'],
    [0.01, 'yi', 0.01, 'yuan'],
    [0, 'wan', 0, 'yuan'],
  ] as const
  for (const [yuan, wanted, figure, unit] of cases) {
    t.strictSame(amountIn(yuan, wanted), { figure, unit }, `${yuan} in ${wanted}`)
  }
})
