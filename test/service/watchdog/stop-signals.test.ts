import t from 'tap'
import { stoppingSignals } from '../../../src/service/watchdog/stop-signals.ts'
import { NEEDS_SIGNALS } from '../../platform.ts'
import { Child } from '../fixtures/child.ts'

const CONFIG = JSON.stringify({
  accounts: [{ account_id: '10000001', qmt_path: 'paper' }],
  gateway: { port: 0 },
  direct: { base_port: 0 },
})

t.test('the end of a terminal stops who is at one, and on Windows everybody', async (t) => {
  t.strictSame(stoppingSignals('linux', true), ['SIGINT', 'SIGTERM', 'SIGHUP'])
  t.strictSame(stoppingSignals('linux', false), ['SIGINT', 'SIGTERM'])
  t.strictSame(stoppingSignals('darwin', false), ['SIGINT', 'SIGTERM'])
  t.strictSame(stoppingSignals('win32', false), ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGBREAK'])
})

t.test(
  'F363 a service that reads and says nothing at a terminal outlives it',
  NEEDS_SIGNALS,
  async (t) => {
    const folder = t.testdir({ 'steward.config.json': CONFIG })
    const child = new Child(t, folder, ['up'])
    const [gateway] = await child.ready()
    child.signal('SIGHUP')
    const health = await fetch(`${gateway}/api/v1/health`)
    t.equal(health.status, 200)
    child.signal('SIGHUP')
    child.signal('SIGTERM')
    const exit = await child.exit
    t.match(exit, { code: 0, signal: null, stderr: [] })
    t.match(child.said('stopping'), [{ signal: 'SIGTERM' }], 'the other one has stopped nothing')
  },
)
