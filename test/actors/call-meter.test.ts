import { mock } from 'node:test'
import t from 'tap'
import { CallMeter } from '../../actors/account/call-meter.ts'
import { snapshotOf } from '../../src/domain/call-log.ts'
import { silentLogger } from '../../src/observability/logger.ts'
import type { DriverCommand } from '../../src/protocol/driver.ts'

const query = (
  callId: number,
  what: 'asset' | 'positions' | 'orders' | 'deals',
): DriverCommand => ({ kind: 'query', callId, what })
const FAILED = { ok: false, error: { code: 'FAILED', message: 'broken' } } as const

t.test(
  'calls are counted under the names of existing clients, each with its one end',
  async (t) => {
    const meter = new CallMeter(silentLogger)
    const answer = (callId: number, result: typeof FAILED | { ok: true; value: null }) =>
      meter.answered({ kind: 'cancelAnswered', callId, orderId: '1', result })
    meter.began(query(1, 'asset'), true, '')
    meter.began(query(2, 'asset'), false, '')
    meter.began(query(3, 'deals'), false, '')
    meter.began({ kind: 'cancel', callId: 4, orderId: '1' }, false, '')
    meter.began({ kind: 'connect', callId: 5 }, false, '')
    answer(1, { ok: true, value: null })
    answer(2, FAILED)
    meter.timedOut(3)
    answer(3, { ok: true, value: null }) // too late
    answer(4, { ok: true, value: null })
    answer(5, { ok: true, value: null })
    const { ops, total_calls, last_error_msg } = snapshotOf([meter.report()], Date.now())
    t.equal(total_calls, 4, 'connecting is not counted')
    t.equal(last_error_msg, 'no answer in time')
    t.match(ops, {
      ping_trader: { total: 1, success: 1 },
      query_asset: { total: 1, error: 1, timeout: 0 },
      query_trades: { total: 1, error: 1, timeout: 1 },
      cancel_order: { total: 1, success: 1 },
    })
  },
)

t.test('F980 a clock that is set right makes nobody have run for years', async (t) => {
  mock.timers.enable({ apis: ['Date'], now: Date.UTC(2016, 0, 1) })
  t.teardown(() => mock.timers.reset())
  const meter = new CallMeter(silentLogger)
  mock.timers.setTime(Date.UTC(2026, 10, 30))
  t.ok(snapshotOf([meter.report()], Date.now()).uptime_seconds < 3_600)
})

t.test('at debug the log leads from a request to its call and to the end of it', async (t) => {
  const lines: (readonly [string, object])[] = []
  const debug = (fields: object, message: string) => void lines.push([message, fields])
  const meter = new CallMeter({ ...silentLogger, debug })
  meter.began({ kind: 'cancel', callId: 4, orderId: '1' }, false, 'request-7')
  meter.answered({ kind: 'cancelAnswered', callId: 4, orderId: '1', result: FAILED })
  t.match(lines, [
    ['call', { correlationId: 'request-7', call: 'cancel_order', callId: 4 }],
    ['call ended', { correlationId: 'request-7', callId: 4, outcome: 'error', text: 'broken' }],
  ])
})
