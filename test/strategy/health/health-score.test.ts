import t from 'tap'
import {
  type HealthEvent,
  type HealthPolicy,
  judgeQuote,
  mayFeedSignals,
  scoreOf,
} from '../../../src/strategy/health/health-score.ts'
import { NOW_MS } from '../stop-profit/fixture.ts'
import { healthPolicy as policy } from './fixture.ts'

let serial = 0
const event = (ageMs: number, other: Partial<HealthEvent> = {}): HealthEvent => ({
  timeMs: NOW_MS - ageMs,
  isOk: true,
  isGoodData: true,
  latencyMs: 0,
  reason: '',
  serial: serial++,
  ...other,
})
const good = (ageMs: number, latencyMs = 0) => event(ageMs, { latencyMs })
const bad = (ageMs: number) => event(ageMs, { isOk: false, reason: 'timeout' })
const hollow = (ageMs: number) => event(ageMs, { isGoodData: false })
const score = (events: readonly HealthEvent[], rules = policy) => scoreOf(rules, events, NOW_MS)

t.test('the score follows the vectors', async (t) => {
  const VECTORS = [
    [[good(4_000), good(3_000), good(2_000)], 100, 'healthy'],
    [[good(3_000, 30), good(2_000, 60), bad(1_000)], 83, 'healthy'],
    [[good(6_000, 300), bad(3_000), bad(1_000)], 65, 'degraded'],
    [[bad(3_000), bad(2_000), bad(1_000)], 11, 'down'],
    [[hollow(3_000), hollow(2_000), hollow(1_000)], 1, 'down'],
    [[good(2_000), good(1_000)], null, 'unknown'],
  ] as const
  for (const [events, expected, status] of VECTORS) {
    t.match(score(events), { score: expected, status }, `${expected} ${status}`)
  }
})

t.test('without events all is empty, with too few the counts are there', async (t) => {
  t.strictSame(score([]), {
    score: null,
    status: 'unknown',
    eventCount: 0,
    successCount: 0,
    failureCount: 0,
    consecutiveFailures: 0,
    lastSuccessMs: null,
    lastEventMs: null,
    averageLatencyMs: null,
    lastReason: null,
  })
  t.strictSame(score([good(2_000, 31), bad(1_000)]), {
    score: null,
    status: 'unknown',
    eventCount: 2,
    successCount: 1,
    failureCount: 1,
    consecutiveFailures: 1,
    lastSuccessMs: NOW_MS - 2_000,
    lastEventMs: NOW_MS - 1_000,
    averageLatencyMs: 31,
    lastReason: 'timeout',
  })
  t.equal(score([], { ...policy, eventsMin: 0 }).score, null, 'a minimum of 0 counts as 1')
})

t.test(
  'events outside the window do not count, and their order in the list does not matter',
  async (t) => {
    const events = [bad(300_001), good(300_000), good(200_000), good(1_000)]
    t.match(score(events), { eventCount: 3, failureCount: 0 })
    t.strictSame(score(events.toReversed()), score(events))
    t.equal(score([good(-50), good(-40), good(-30)]).score, 100, 'never fresher than now')
  },
)

t.test('a status begins at its score', async (t) => {
  const statusAt = (points: number) => {
    const only: HealthPolicy = {
      ...policy,
      healthyScore: points + 1,
      degradedScore: points,
      unstableScore: points - 1,
    }
    return score([good(6_000, 300), bad(3_000), bad(1_000)], only).status
  }
  t.equal(statusAt(64), 'healthy')
  t.equal(statusAt(65), 'degraded')
  t.equal(statusAt(66), 'unstable')
  t.equal(statusAt(67), 'down')
})

t.test(
  'only quotes of a healthy first source feed signals, unless it is only observed',
  async (t) => {
    const quote = (points: number | null, isFallbackSource = false) => ({
      score: points,
      isFallbackSource,
    })
    t.equal(judgeQuote(policy, quote(70)), 'healthy_enough')
    t.equal(judgeQuote(policy, quote(69)), 'score_too_low')
    t.equal(judgeQuote(policy, quote(null)), 'too_few_events')
    t.equal(judgeQuote(policy, quote(100, true)), 'fallback_source')
    t.equal(judgeQuote(policy, undefined), 'no_quote')
    t.equal(judgeQuote({ ...policy, isFallbackAllowed: true }, quote(100, true)), 'healthy_enough')
    for (const off of [{ isEnabled: false }, { isObserveOnly: true }]) {
      t.equal(judgeQuote({ ...policy, ...off }, undefined), 'not_enforced')
      t.equal(mayFeedSignals(judgeQuote({ ...policy, ...off }, quote(null))), true)
    }
    t.equal(mayFeedSignals(judgeQuote(policy, quote(70))), true)
    t.equal(mayFeedSignals(judgeQuote(policy, quote(69))), false)
  },
)
