import t from 'tap'
import { standOf, type Trigger } from '../../web/console/triggers.ts'

const loss = (actual: number | null, next_at?: number): Trigger => ({
  name: 'max_daily_loss',
  raises: 'entries',
  clears_itself: false,
  unit: 'yuan',
  limit: 5_000,
  actual,
  ...(next_at !== undefined && { next_at }),
})

t.test('F852 a day that has gained has lost nothing', async (t) => {
  t.strictSame(standOf(loss(-4_930, 5_000)), {
    actual: 0,
    at: 5_000,
    gain: 4_930,
    isAgain: false,
    share: 0,
  })
  t.match(standOf(loss(1_250)), { actual: 1_250, gain: 0, share: 25 })
  t.match(standOf(loss(9_000)), { share: 100 })
  t.match(standOf(loss(null)), { actual: null, gain: 0, share: 0 })
})

t.test(
  'F852 a loss that has stopped purchases once does so again at the next figure',
  async (t) => {
    t.match(standOf(loss(5_200, 10_200)), {
      at: 10_200,
      isAgain: true,
      share: (5_200 / 10_200) * 100,
    })
    t.match(standOf({ ...loss(null, 0), limit: 0 }), { at: 0, isAgain: false, share: 0 })
  },
)

t.test('F852 a clock that is behind is as wrong as one that is ahead', async (t) => {
  const clock = { name: 'clock_jump', unit: 'seconds', limit: 60, actual: -7_200 }
  t.match(standOf({ ...loss(0), ...clock }), { actual: 7_200, at: 60, gain: 0, share: 100 })
})
