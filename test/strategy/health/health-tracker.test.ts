import t from 'tap'
import { HealthTracker } from '../../../src/strategy/health/health-tracker.ts'
import { NOW_MS } from '../stop-profit/fixture.ts'
import { healthPolicy } from './fixture.ts'

const key = (code = '600036.SH', source = 'xtdata', purpose = 'realtime') => ({
  code,
  source,
  purpose,
})
const GOOD = { isOk: true, isGoodData: true, latencyMs: 0, reason: '' }
const trackerOf = (keysMax = 10) => new HealthTracker(healthPolicy, { eventsMax: 100, keysMax })

t.test('a key keeps its newest 100 events', async (t) => {
  const tracker = trackerOf()
  for (let i = 0; i < 50; i++) {
    tracker.record(key(), [{ ...GOOD, isOk: false, timeMs: NOW_MS, reason: 'timeout' }])
  }
  for (let i = 0; i < 70; i++) tracker.record(key(), [{ ...GOOD, timeMs: NOW_MS + i }])
  const { eventCount, failureCount } = tracker.scoreOf(key(), NOW_MS + 100)
  t.strictSame({ eventCount, failureCount }, { eventCount: 100, failureCount: 30 })
  t.equal(tracker.scoreOf(key(), NOW_MS + 300_070).eventCount, 0, 'all are older than the window')
})

t.test(
  'codes are upper-cased, missing names are unknown, latencies are never negative',
  async (t) => {
    const tracker = trackerOf()
    tracker.record(key('600036.sh'), [{ ...GOOD, timeMs: NOW_MS, latencyMs: -5 }])
    tracker.record(key('600036.SH'), [{ ...GOOD, timeMs: NOW_MS, latencyMs: Number.NaN }])
    t.match(tracker.scoreOf(key(), NOW_MS), { eventCount: 2, averageLatencyMs: 0 })
    tracker.record(key('', '', ''), [{ ...GOOD, timeMs: NOW_MS }])
    t.equal(tracker.scoreOf(key('UNKNOWN', 'unknown', 'unknown'), NOW_MS).eventCount, 0)
    t.equal(tracker.scoreOf(key('', '', ''), NOW_MS).eventCount, 1)
    t.ok('unknown' in tracker.snapshot(NOW_MS).stocks)
  },
)

t.test(
  'when there is no room for a new key, the one that was quiet for longest is forgotten',
  async (t) => {
    const tracker = trackerOf(2)
    for (const code of ['A', 'B', 'A', 'C'])
      tracker.record(key(code), [{ ...GOOD, timeMs: NOW_MS }])
    t.strictSame(Object.keys(tracker.snapshot(NOW_MS).stocks), ['A', 'C'])
  },
)

t.test('the snapshot has all events, those of each source and those of each stock', async (t) => {
  const tracker = trackerOf()
  const failed = { ...GOOD, isOk: false, reason: 'timeout' }
  for (let i = 0; i < 3; i++) tracker.record(key(), [{ ...GOOD, timeMs: NOW_MS, latencyMs: 30 }])
  tracker.record(key('000001.SZ', 'Mootdx', 'history'), [{ ...failed, timeMs: NOW_MS }])
  const snapshot = tracker.snapshot(NOW_MS + 1_000)
  t.match(snapshot, {
    enabled: true,
    observe_only: false,
    generated_at: '2026-08-11 10:00:01',
    overall: { score: 87, event_count: 4, consecutive_failures: 1, last_reason: 'timeout' },
    sources: { xtdata: { score: 100, event_count: 3 }, Mootdx: { score: null, status: 'unknown' } },
    trading: { min_score: 70, allow_fallback_source: false },
  })
  t.strictSame(snapshot.stocks['600036.SH']?.['realtime'], {
    score: 100,
    status: 'healthy',
    event_count: 3,
    success_count: 3,
    failure_count: 0,
    consecutive_failures: 0,
    last_success_at: '2026-08-11 10:00:00',
    last_event_at: '2026-08-11 10:00:00',
    avg_latency_ms: 30,
    last_reason: '',
    sources: { xtdata: snapshot.sources['xtdata'] },
  })
  const empty = trackerOf().snapshot(NOW_MS)
  t.match(empty, { overall: { score: null, last_success_at: null }, sources: {}, stocks: {} })
})
