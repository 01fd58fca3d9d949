import t from 'tap'
import { limitsSchema } from '../../../src/config/limits.ts'
import { accountHeap, frontLimits, journalAsksMax } from '../../../src/service/settings/limits.ts'

t.test('every limit of the section is a limit of the front', async (t) => {
  const { http, ...others } = limitsSchema.parse({})
  const limits = frontLimits({ ...others, http: { ...http, close_timeout_ms: 7, sse_kept_max: 8 } })
  t.equal(limits.drainTimeoutMs, 7)
  t.equal(limits.sseKeptMax, 8)
})

t.test(
  'F422 all accounts may wait for silent servers with all that each has under way',
  async (t) => {
    const limits = limitsSchema.parse({ accounts_max: 100, runtime: { steps_in_flight_max: 64 } })
    t.ok(journalAsksMax(limits) >= 100 * 65)
  },
)

t.test(
  'few accounts have more room for what lives shortly, many the least, and none too much',
  async (t) => {
    const limits = limitsSchema.parse({})
    const youngMb = (accounts: number) => accountHeap(limits, accounts).maxYoungGenerationSizeMb
    t.strictSame([0, 1, 5, 6, 10, 13, 14, 300].map(youngMb), [8, 8, 8, 6, 4, 3, 3, 3])
    const { runtime } = limits
    const small = { ...limits, runtime: { ...runtime, accounts_young_heap_mb: 1 } }
    t.equal(accountHeap(small, 1).maxYoungGenerationSizeMb, runtime.account_young_heap_mb)
  },
)
