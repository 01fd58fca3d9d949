import t from 'tap'
import { slicesOf } from '../../../src/drivers/bigqmt/market.ts'

t.test('history is asked for in slices that hold no more than the limit', async (t) => {
  const asked = { period: '1m', from: '2026-08-10', to: '2026-08-14' } as const
  t.strictSame(slicesOf(asked, 8_000), [['20260810', '20260814']])
  t.strictSame(slicesOf(asked, 482), [
    ['20260810', '20260811'],
    ['20260812', '20260813'],
    ['20260814', '20260814'],
  ])
  t.equal(slicesOf(asked, 1).length, 5, 'a day at least')
  t.strictSame(slicesOf({ ...asked, period: '1d' }, 4), [
    ['20260810', '20260813'],
    ['20260814', '20260814'],
  ])
  t.strictSame(slicesOf({ ...asked, to: '2026-08-09' }, 8_000), [])
})
