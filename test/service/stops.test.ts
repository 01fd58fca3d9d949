import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { loadConfig } from '../../src/config/load.ts'
import type { LogFields } from '../../src/observability/logger.ts'
import { type RunningService, startService } from '../../src/service/service.ts'
import { NEEDS_SIGNALS } from '../platform.ts'
import { account, configFile, get, serve, until } from './fixture.ts'
import { Child } from './fixtures/child.ts'

const FIRST = '10000001'
/** One account, so that the second process has to start all its threads when it takes over. */
const ONE = {
  accounts: [account(FIRST, [])],
  limits: {
    cluster: { ping_ms: 100, seek_again_ms: 100, retry_ms: 20, health_poll_ms: 100 },
    runtime: { restart_backoff_min_ms: 1, restart_backoff_max_ms: 10, restart_intensity: 1_000 },
  },
}

interface Said {
  readonly message: string
  readonly fields: LogFields
}

/** A log that calls `hear` with every message, at the moment at which it is written. */
function hearingLog(hear: (said: Said) => void) {
  const note = (fields: LogFields, message: string) => hear({ message, fields })
  const log = { debug: note, info: note, warn: note, error: note, child: () => log }
  return log
}

/** The gateway alone, in this process; what ends it is the test's to say. */
function startGateway(config: string, hear: (said: Said) => void): Promise<RunningService> {
  const loaded = loadConfig({ cwd: '.', env: {}, options: { configFile: config } })
  if (!loaded.ok) throw new Error(loaded.error.join('\n'))
  return startService({
    config: loaded.value.config,
    scope: { kind: 'gateway' },
    log: hearingLog(hear),
    onFatal: (reason) => {
      throw new Error(reason)
    },
  })
}

const ownerOf = (t: Test, folder: string, config: string) =>
  new Child(t, folder, ['direct', '--account', FIRST, '--config', config])

/** What a process that takes an account over says on the way, in this order. */
const PHASES = ['account owned', 'actor starts', 'account is up'] as const

for (const phase of PHASES) {
  t.test(`stopped during a take-over, at "${phase}": everything ends in order`, async (t) => {
    const folder = t.testdir()
    const config = configFile(folder, { ...ONE, log: { level: 'info' } })
    const owner = ownerOf(t, folder, config)
    await owner.ready()
    const stopped = Promise.withResolvers<void>()
    const failed: Said[] = []
    const service = await startGateway(config, (said) => {
      if (said.message === phase) service.stop().then(stopped.resolve, stopped.reject)
      if (said.message === 'a part of the stop failed') failed.push(said)
    })
    await owner.kill()
    await stopped.promise
    t.strictSame(failed, [])
    const next = ownerOf(t, folder, config)
    await next.ready()
    t.equal(next.said('account owned').length, 1, 'the account is free for the next one')
  })
}

t.test('an account that cannot be left does not keep the others', async (t) => {
  const failed: Said[] = []
  const folder = t.testdir()
  const log = hearingLog((said) => {
    if (said.message === 'a part of the stop failed') failed.push(said)
  })
  const { service } = await serve(t, { folder, log })
  const [first, second] = service.accounts.accounts()
  if (first === undefined || second === undefined) throw new Error('two accounts are configured')
  const leave = first.leave.bind(first)
  first.leave = async () => {
    await leave()
    throw new Error('planted')
  }
  await service.stop()
  t.match(failed, [{ fields: { reason: /planted/ } }])
  t.equal(service.system.board.status(second.slot), 'stopped')
  // The databases are closed: another process has all of it at once.
  const again = await serve(t, { folder })
  t.ok(again.service.accounts.accounts().every(({ isOwner }) => isOwner))
})

t.test('stopped while an account that crashed waits to be started again', async (t) => {
  const overrides = {
    limits: { runtime: { restart_backoff_min_ms: 3_600_000, restart_backoff_max_ms: 3_600_000 } },
  }
  const { service } = await serve(t, { overrides })
  const [first] = service.accounts.accounts()
  if (first === undefined) throw new Error('an account is configured')
  service.system.supervisor.fault('account/10000001', 'throw')
  await until(
    async () => service.system.board.status(first.slot),
    (status) => status === 'restarting',
  )
  await service.stop()
  t.equal(service.system.board.status(first.slot), 'stopped')
})

const ORDERLY = { code: 0, signal: null, stderr: [] }

for (const phase of ['', ...PHASES]) {
  t.test(
    `SIGTERM during a take-over, at "${phase || 'owner gone'}": exit 0`,
    NEEDS_SIGNALS,
    async (t) => {
      const folder = t.testdir()
      const config = configFile(folder, ONE)
      const owner = ownerOf(t, folder, config)
      await owner.ready()
      const gateway = new Child(t, folder, ['gateway', '--config', config])
      await gateway.ready()
      await owner.kill()
      if (phase !== '') await gateway.heard(phase)
      gateway.signal('SIGTERM')
      t.match(await gateway.exit, ORDERLY)
      t.notMatch(gateway.lines().join('\n'), /too long|Error/)
    },
  )
}

// What a start says on the way: the log, the account, its thread.
for (const phase of ['account owned', 'actor starts'] as const) {
  t.test(
    `SIGTERM during a start, at "${phase}", and again at once: exit 0`,
    NEEDS_SIGNALS,
    async (t) => {
      const folder = t.testdir()
      const config = configFile(folder, ONE)
      const child = new Child(t, folder, ['up', '--config', config])
      await child.heard(phase)
      child.signal('SIGTERM')
      child.signal('SIGTERM')
      t.match(await child.exit, ORDERLY)
      t.equal(child.said('stopped').length, 1, 'stopped in order, not given up')
    },
  )
}

/** A request that never comes whole keeps the front for as long as it may. */
async function keepStopping(t: Test, url: string): Promise<void> {
  const half = connect(Number(new URL(url).port), '127.0.0.1')
  half.on('error', () => undefined)
  t.teardown(() => half.destroy())
  half.write(`POST /api/v1/accounts/${FIRST}/orders HTTP/1.1\r\nHost: 127.0.0.1\r\n`)
  half.write('Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{')
  await once(half, 'connect')
  await get(`${url}/api/v1/accounts`) // who came before it has been met
}
const patience = (http: object, runtime: object = {}) => ({
  ...ONE,
  limits: { runtime, http: { body_timeout_ms: 60_000, ...http } },
})

t.test('SIGTERM twice, the second while the first is obeyed: exit 0', NEEDS_SIGNALS, async (t) => {
  const folder = t.testdir()
  const config = configFile(folder, patience({ close_timeout_ms: 5_000 }))
  const child = new Child(t, folder, ['up', '--config', config])
  const [url = ''] = await child.ready()
  await keepStopping(t, url)
  child.signal('SIGTERM')
  await child.heard('stopping')
  await delay(1_100) // past what counts as one and the same signal
  t.equal(child.said('stopped').length, 0, 'it still stops')
  child.signal('SIGTERM')
  t.match(await child.exit, ORDERLY)
})

t.test(
  'F609 a stop that takes longer than it may is given up, and says so',
  NEEDS_SIGNALS,
  async (t) => {
    const folder = t.testdir()
    const slow = patience({ close_timeout_ms: 60_000 }, { process_stop_timeout_ms: 1_000 })
    const child = new Child(t, folder, ['up', '--config', configFile(folder, slow)])
    const [url = ''] = await child.ready()
    await keepStopping(t, url)
    child.signal('SIGTERM')
    t.match(await child.exit, { code: 1, signal: null })
    t.equal(child.said('the stop took too long').length, 1)
  },
)

t.test('what is shipped stops within five seconds, its last lines included', async (t) => {
  const loaded = loadConfig({ cwd: t.testdir(), env: {}, options: {} })
  t.ok(loaded.ok && loaded.value.config.limits.runtime.process_stop_timeout_ms <= 4_500)
})
