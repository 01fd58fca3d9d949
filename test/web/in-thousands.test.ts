import t from 'tap'
import { inThousands } from '../../web/shared/format.ts'

t.test('F804 whole numbers in a text are told in thousands', async (t) => {
  for (const [text, told] of [
    ['12300', '12,300'],
    ['1000000.00', '1,000,000.00'],
    ['买入 12300 @ 36.5', '买入 12,300 @ 36.5'],
    ['部成 400/1000', '部成 400/1,000'],
    ['1200 @ 1.2345', '1,200 @ 1.2345'],
    ['--', '--'],
    ['', ''],
  ] as const) {
    t.equal(inThousands(text), told)
  }
})
