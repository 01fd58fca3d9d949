import t from 'tap'
import { CallLog, snapshotOf } from '../../src/domain/call-log.ts'

const NOW_MS = 1_000_000

t.test('nothing called yet is zeros, not errors', async (t) => {
  t.strictSame(snapshotOf([new CallLog().report(NOW_MS - 1_550)], NOW_MS), {
    total_calls: 0,
    success_calls: 0,
    error_calls: 0,
    timeout_calls: 0,
    error_rate: 0,
    avg_latency_ms: 0,
    p50_latency_ms: 0,
    p95_latency_ms: 0,
    last_error_time: null,
    last_error_msg: null,
    uptime_seconds: 1.6,
    ops: {},
  })
  t.equal(snapshotOf([], NOW_MS).uptime_seconds, 0)
})

t.test('calls of two places are one account', async (t) => {
  const [client, market] = [new CallLog(), new CallLog()]
  const call = { name: 'query_positions', ms: 10 } as const
  client.record({ ...call, outcome: 'success', atMs: 1 })
  client.record({ ...call, outcome: 'error', ms: 30, atMs: 2_000, text: 'refused' })
  client.record({ ...call, outcome: 'timeout', atMs: 3_000, text: 'no answer' })
  market.record({ name: 'get_full_tick', outcome: 'success', ms: 2, atMs: 2_500 })
  const counts = { total: 3, success: 1, error: 2, timeout: 1, error_calls: 2 }
  t.strictSame(
    snapshotOf([client.report(NOW_MS - 10_000), market.report(NOW_MS - 20_000)], NOW_MS),
    {
      total_calls: 4,
      success_calls: 2,
      error_calls: 2,
      timeout_calls: 1,
      error_rate: 0.5,
      avg_latency_ms: 13,
      p50_latency_ms: 10,
      p95_latency_ms: 30,
      last_error_time: 3,
      last_error_msg: 'no answer',
      uptime_seconds: 20,
      ops: {
        query_positions: counts,
        get_full_tick: { total: 1, success: 1, error: 0, timeout: 0, error_calls: 0 },
      },
    },
  )
})

t.test(
  'the rate looks at the last 100 calls, latencies at the last 1,000, counts at all',
  async (t) => {
    const log = new CallLog()
    const call = { name: 'ping_trader', text: 'x'.repeat(1_000) } as const
    for (let n = 0; n < 5_000; n++) {
      const outcome = n >= 4_950 ? 'error' : 'success'
      log.record({ ...call, outcome, ms: n < 4_000 ? 99_999 : n - 3_999, atMs: n })
    }
    const report = log.report(0)
    t.equal(report.recent.length, 1_000)
    t.equal(report.lastError?.text.length, 200)
    const { error_rate, p50_latency_ms, p95_latency_ms, total_calls } = snapshotOf([report], NOW_MS)
    t.strictSame([error_rate, p50_latency_ms, p95_latency_ms, total_calls], [0.5, 501, 951, 5_000])
  },
)

t.test('F961 the latest calls are the latest, whatever the clock was set to', async (t) => {
  const [client, market] = [new CallLog(), new CallLog()]
  const aheadMs = NOW_MS + 3_600_000
  const call = { name: 'query_orders', ms: 1 } as const
  const fail = { ...call, outcome: 'error', text: 'no line' } as const
  for (let n = 0; n < 200; n++) client.record({ ...call, outcome: 'success', atMs: aheadMs + n })
  market.record({ ...fail, text: 'of before', atMs: aheadMs })
  for (let n = 1; n <= 100; n++) client.record({ ...fail, ms: n, atMs: NOW_MS - 200 + n })
  const told = snapshotOf([client.report(0), market.report(0)], NOW_MS)
  t.match(told, { error_rate: 1, last_error_msg: 'no line' })
  t.equal(told.last_error_time, (NOW_MS - 100) / 1_000)
  client.record({ ...call, outcome: 'success', atMs: aheadMs })
  for (let n = 1; n < 100; n++) client.record({ ...call, outcome: 'success', atMs: NOW_MS })
  client.record({ ...fail, atMs: NOW_MS })
  t.match(snapshotOf([client.report(0)], NOW_MS), { error_rate: 0.01 })
  t.match(snapshotOf([market.report(0)], NOW_MS), { error_rate: 1, last_error_msg: 'of before' })
  const quiet = new CallLog()
  const quote = { name: 'get_full_tick', outcome: 'success' } as const
  quiet.record({ ...quote, ms: 1, atMs: NOW_MS - 5_000 })
  for (let n = 0; n < 999; n++) quiet.record({ ...quote, ms: 1, atMs: aheadMs })
  const failing = new CallLog()
  for (let n = 0; n < 1_000; n++) failing.record({ ...fail, ms: 9, atMs: NOW_MS - 1_000 })
  const both = [failing.report(0), quiet.report(0)]
  t.match(snapshotOf(both, NOW_MS), { error_rate: 1, p50_latency_ms: 9 }, 'and nothing since')
})
