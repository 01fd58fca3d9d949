import t from 'tap'
import { spanInBoth } from '../../src/domain/span.ts'

const CASES = [
  [-5, '0 秒', '0 s'],
  [999, '0 秒', '0 s'],
  [59_999, '59 秒', '59 s'],
  [60_000, '1 分钟', '1 min'],
  [3_599_999, '59 分钟', '59 min'],
  [3_600_000, '1 小时', '1 h'],
  [68_460_000, '19 小时', '19 h'],
  [172_799_000, '47 小时', '47 h'],
  [172_800_000, '2 天', '2 d'],
] as const

t.test('a length of time is said in whole units that suit it', async (t) => {
  for (const [ms, zh, en] of CASES) t.strictSame(spanInBoth(ms), { zh, en }, String(ms))
})
