import t from 'tap'
import { inCamelCase } from '../../src/config/camel-case.ts'

t.test('a section keeps its values under the names of the code', async (t) => {
  const section = { a: 1, ping_ms: 2, retry_after_s: 3, past_minute_days: 4 }
  t.same(inCamelCase(section), { a: 1, pingMs: 2, retryAfterS: 3, pastMinuteDays: 4 })
})
