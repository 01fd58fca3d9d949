import { join } from 'node:path'
import t, { type Test } from 'tap'
import { Supervisor, type VitalSpec } from '../../../actors/supervisor/supervisor.actor.ts'
import type { Registration } from '../../../src/config/account.ts'
import { loadConfig } from '../../../src/config/load.ts'
import type { Config } from '../../../src/config/schema.ts'
import type { CorporateAction } from '../../../src/drivers/paper/corporate-action.ts'
import { createMarketMemory } from '../../../src/market/memory.ts'
import { createLogMemory } from '../../../src/observability/log-memory.ts'
import { silentLogger } from '../../../src/observability/logger.ts'
import type { StoreControl } from '../../../src/protocol/store.ts'
import { ActorBoard, createActorBoard } from '../../../src/runtime/actor-board.ts'
import { createLatencyBoard } from '../../../src/runtime/latency-board.ts'
import { Link, portWire } from '../../../src/runtime/link.ts'
import type { Thread } from '../../../src/runtime/thread.ts'
import { startService } from '../../../src/service/service.ts'
import { supervisorLimits } from '../../../src/service/settings/limits.ts'
import { ActorSystem } from '../../../src/service/threads/actor-system.ts'
import { HOST_SLOTS, Trading } from '../../../src/service/threads/trading.ts'
import { PATIENCE_MS } from '../../in-time.ts'
import { configFile } from '../fixture.ts'

function configOf(t: Test): Config {
  const folder = t.testdir({ data: {} })
  const loaded = loadConfig({ cwd: folder, env: {}, options: { configFile: configFile(folder) } })
  if (!loaded.ok) throw new Error(loaded.error.join('\n'))
  return { ...loaded.value.config, data_dir: join(folder, 'data') }
}

/** No thread can be started with it: as when the system has none left, for as long as it is there. */
const UNTAKEN = { code: () => undefined } as unknown as CorporateAction

/** Remembers what it has started. */
class Remembering extends Supervisor {
  readonly started: Thread[] = []

  override async startVital(spec: VitalSpec): Promise<Thread> {
    const thread = await super.startVital(spec)
    this.started.push(thread)
    return thread
  }
}

function tradingOf(t: Test, corporateActions: readonly CorporateAction[]) {
  const config = configOf(t)
  const { limits } = config
  const slots = limits.accounts_max + HOST_SLOTS
  const board = new ActorBoard(createActorBoard(slots))
  const supervisor = new Remembering({
    board,
    log: silentLogger,
    onFatal: (reason) => t.fail(reason),
    nowMs: () => performance.now(),
    random: Math.random,
    limits: supervisorLimits(limits),
  })
  t.teardown(() => supervisor.stopAll())
  const open = () =>
    Trading.open({
      config,
      scope: { kind: 'up' },
      supervisor,
      board: board.memory,
      memory: createMarketMemory({ codesMax: limits.market.codes_max, actorSlots: slots }),
      latency: createLatencyBoard(slots),
      logs: createLogMemory('error', 100),
      serveRecords: (port) => {
        new Link(portWire(port), {
          peer: 'market',
          limits: { openAsksMax: 100 },
          answer: (body) => ((body as StoreControl).kind === 'list' ? [] : null),
        })
      },
      corporateActions,
    })
  return { supervisor, open }
}

t.test('F355 threads that failed to start are started by the next that needs them', async (t) => {
  const actions = [UNTAKEN]
  const system = await ActorSystem.open({
    config: configOf(t),
    scope: { kind: 'up' },
    log: silentLogger,
    logs: createLogMemory('error', 100),
    onFatal: (reason) => t.fail(reason),
    allowFaults: false,
    corporateActions: actions,
  })
  t.teardown(() => system.close())
  await t.rejects(system.market(), /could not be cloned/)
  actions.pop()
  const market = await system.market()
  t.match(await market.ask({ kind: 'origin' }, { timeoutMs: 60_000 }), { source: String })
})

t.test('F355 and nothing of the first attempt is left beside them', async (t) => {
  const actions = [UNTAKEN]
  const { supervisor, open } = tradingOf(t, actions)
  await t.rejects(open(), /could not be cloned/)
  t.strictSame(
    supervisor.started.map(({ name }) => name),
    ['market'],
  )
  t.match(await supervisor.started[0]?.exited, { code: 0 })
  actions.pop()
  const trading = await open()
  t.match(trading.market, { name: 'market' })
})

t.test('F355 so is the thread of a real broker', async (t) => {
  const actions: CorporateAction[] = []
  const { open } = tradingOf(t, actions)
  const trading = await open()
  actions.push(UNTAKEN)
  await t.rejects(trading.host('gateway'), /could not be cloned/)
  actions.pop()
  t.match(await trading.host('gateway'), { name: 'gateway' })
})

t.test(
  'F355 an account whose start has failed is started when it is registered again',
  async (t) => {
    const actions = [UNTAKEN]
    const service = await startService({
      config: { ...configOf(t), accounts: [] },
      scope: { kind: 'gateway' },
      log: silentLogger,
      onFatal: (reason) => t.fail(reason),
      corporateActions: actions,
    })
    t.teardown(() => service.stop())
    const { accounts } = service
    const register = () =>
      accounts.register({
        account_id: '10000009',
        qmt_path: 'C:/qmt/userdata_mini',
        call_timeout: PATIENCE_MS / 1_000,
      } as Registration)
    await t.rejects(register(), /could not be cloned/)
    await t.rejects(register(), /could not be cloned/, 'it is not called registered')
    actions.pop()
    t.match(await register(), { connected: true })
    t.strictSame(
      accounts.accounts().map(({ accountId, isOwner }) => [accountId, isOwner]),
      [['10000009', true]],
    )
  },
)
