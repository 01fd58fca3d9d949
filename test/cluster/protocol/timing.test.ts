import t from 'tap'
import {
  DEFAULT_TIMING,
  doubtMs,
  electionWarning,
  interruptionMs,
  ownMs,
  silenceMs,
  type Timing,
  timingFaults,
  watchStallMs,
} from '../../../src/cluster/protocol/timing.ts'

t.test('the times that stand in the schema keep their own rules', async (t) => {
  t.strictSame(timingFaults(DEFAULT_TIMING), [])
  t.equal(electionWarning(DEFAULT_TIMING), undefined)
})

t.test('an owner stops two margins before anybody may take over', async (t) => {
  const { ttlMs, marginMs } = DEFAULT_TIMING
  t.equal(silenceMs(ttlMs, DEFAULT_TIMING) - ownMs(DEFAULT_TIMING), 2 * marginMs)
  t.equal(interruptionMs(DEFAULT_TIMING), 6_000)
  t.equal(watchStallMs(DEFAULT_TIMING), 6_000)
  t.equal(doubtMs(DEFAULT_TIMING), 1_500 + 3_000 + 6_000 + 1_000)
})

t.test('times that would harm are refused by the field', async (t) => {
  const wrong: readonly (readonly [keyof Timing, Partial<Timing>])[] = [
    ['ttlMs', { ttlMs: 11_999 }],
    ['marginMs', { tickMs: 501 }],
    ['marginMs', { marginMs: 3_750 }],
    ['marginMs', { marginMs: 250 }],
    ['engineMs', { engineMs: 2_001 }],
    ['intentTtlMs', { intentTtlMs: 14_000 }],
    ['retryMs', { retryMs: 2_001 }],
    ['renewMs', { renewMs: 0 }],
    ['tickMs', { tickMs: 1.5 }],
    ['brokerCacheMs', { brokerCacheMs: Number.NaN }],
  ]
  for (const [field, fields] of wrong) {
    const faults = timingFaults({ ...DEFAULT_TIMING, ...fields })
    t.strictSame(
      faults.map((fault) => fault.field),
      [field],
      JSON.stringify(fields),
    )
    t.match(faults[0]?.text, /.+ \(.+\)$/)
  }
})

t.test('a lease that an election outlives is allowed, and warned of', async (t) => {
  const short = { ...DEFAULT_TIMING, ttlMs: 13_100 }
  t.strictSame(timingFaults(short), [])
  t.equal(electionWarning(short)?.field, 'ttlMs')
  t.equal(electionWarning({ ...short, ttlMs: 13_101 }), undefined)
})
