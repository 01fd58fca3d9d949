import fc from 'fast-check'
import t from 'tap'
import { decideRestart, type RestartPolicy } from '../../src/runtime/restart-policy.ts'

const POLICY: RestartPolicy = {
  intensity: 5,
  periodMs: 60_000,
  backoffMsMin: 200,
  backoffMsMax: 5_000,
}

/** One word per crash: the delay, or `suspend`. */
function story(crashesMs: readonly number[], jitter: number, policy = POLICY): string {
  let earlierMs: readonly number[] = []
  const words = crashesMs.map((nowMs) => {
    const [decision, history] = decideRestart(policy, { earlierMs, nowMs, jitter })
    earlierMs = history
    return decision.kind === 'restart' ? decision.delayMs : `suspend(${decision.crashesInPeriod})`
  })
  return words.join(' ')
}

t.test(
  'the back-off doubles with each crash in the period, then the actor is suspended',
  async (t) => {
    t.equal(story([0, 1, 2, 3, 4, 5], 0.999_999), '200 400 800 1600 3200 suspend(6)')
  },
)

t.test('jitter shortens a back-off by half at most', async (t) => {
  t.equal(story([0, 1, 2], 0), '100 200 400')
})

t.test('the back-off stops growing at its maximum', async (t) => {
  const patient = { ...POLICY, intensity: 9 }
  t.equal(story([0, 1, 2, 3, 4, 5, 6], 1, patient), '200 400 800 1600 3200 5000 5000')
})

t.test('a crash that is a whole period old counts no more', async (t) => {
  t.equal(story([0, 59_999, 60_000, 119_998], 1), '200 400 400 800')
  t.equal(story([0, 60_000, 120_000, 180_000, 240_000, 300_000, 360_000], 1).includes('s'), false)
})

t.test('an intensity of 0 suspends at the first crash', async (t) => {
  t.equal(story([0], 0, { ...POLICY, intensity: 0 }), 'suspend(1)')
})

t.test('a broken setting suspends rather than restarts for ever', async (t) => {
  t.equal(story([0], 0, { ...POLICY, intensity: Number.NaN }), 'suspend(1)')
  const crashes = [0, 1e6, 2e6, 3e6, 4e6, 5e6]
  t.match(story(crashes, 0, { ...POLICY, periodMs: Number.NaN }), /suspend\(6\)$/)
})

t.test('a delay is a whole number that a timer can wait, whatever the input', async () => {
  const anything = fc.oneof(fc.double(), fc.integer(), fc.constantFrom(2 ** 31, 1e308, 0, -1))
  const policy = fc.record({
    intensity: fc.oneof(anything, fc.constant(1e9)),
    periodMs: anything,
    backoffMsMin: anything,
    backoffMsMax: anything,
  })
  const crash = fc.record({
    earlierMs: fc.array(anything, { maxLength: 200 }),
    nowMs: anything,
    jitter: anything,
  })
  fc.assert(
    fc.property(policy, crash, (policy, crash) => {
      const [decision, history] = decideRestart(policy, crash)
      if (decision.kind === 'suspend') return history.length > 0
      const { delayMs } = decision
      const isInRange = delayMs >= 0 && delayMs <= 2 ** 31 - 1 && Number.isInteger(delayMs)
      return (
        isInRange && history.length <= policy.intensity && Object.is(history.at(-1), crash.nowMs)
      )
    }),
    { numRuns: 1_000 },
  )
})

t.test('a sane delay lies between half of the shortest and the longest back-off', async () => {
  const span = fc.tuple(fc.integer({ min: 0, max: 1e6 }), fc.integer({ min: 0, max: 1e6 }))
  const input = fc.record({
    span,
    jitter: fc.double({ min: 0, max: 1, noNaN: true }),
    crashes: fc.integer({ min: 0, max: 100 }),
  })
  fc.assert(
    fc.property(input, ({ span: [a, b], jitter, crashes }) => {
      const [backoffMsMin, backoffMsMax] = [Math.min(a, b), Math.max(a, b)]
      const policy = { intensity: 1_000, periodMs: 1_000, backoffMsMin, backoffMsMax }
      const earlierMs = Array.from({ length: crashes }, () => 0)
      const [decision] = decideRestart(policy, { earlierMs, nowMs: 1, jitter })
      if (decision.kind === 'suspend') return false
      const { delayMs } = decision
      return delayMs >= Math.floor(backoffMsMin / 2) && delayMs <= backoffMsMax
    }),
  )
})
