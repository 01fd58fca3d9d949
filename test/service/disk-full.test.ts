import { existsSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { loadConfig } from '../../src/config/load.ts'
import { silentLogger } from '../../src/observability/logger.ts'
import { startService } from '../../src/service/service.ts'
import { ORDERLY } from '../platform.ts'
import { account, configFile, get, type Json, post, until } from './fixture.ts'
import { Child } from './fixtures/child.ts'
import { fillDisk, freeDisk, SMALL_STORE, smallDisk } from './fixtures/small-disk.ts'

const FIRST = '10000001'
const MIB = 1_048_576
const HELD = { stock_code: '600036', volume: 1_000, cost_price: 35.1 }
const RESTS = { stock_code: '600036', order_type: 24, order_volume: 100, price_type: 11, price: 38 }
/** After a restart: the like of an order whose answer may have been lost would be refused. */
const RESTS_ELSEWHERE = { ...RESTS, price: 37.9 }
const OVERRIDES = {
  accounts: [account(FIRST, [HELD])],
  gateway: { host: '127.0.0.1', port: 0, rate_limit: 0 },
  limits: {
    store: SMALL_STORE,
    runtime: { restart_backoff_min_ms: 1, restart_backoff_max_ms: 10 },
  },
}

/** The gateway's address, and a disk whose free space the test decides on. */
interface Stage {
  readonly gateway: string
  readonly direct: string
  /** Free megabytes from now on; undefined: as many as there are. */
  readonly leave: (megabytes: number | undefined) => void
}

const mine = ({ gateway }: Stage) => `${gateway}/api/v1/accounts/${FIRST}`
const place = (stage: Stage, key: string, order = RESTS) =>
  post(`${mine(stage)}/orders`, order, { 'Idempotency-Key': key })
const cancel = async (stage: Stage, id: string) =>
  (await fetch(`${mine(stage)}/orders/${id}`, { method: 'DELETE' })).status
const setLevel = (stage: Stage, level: string) =>
  post(`${mine(stage)}/kill-switch`, { level, reason: 'test' })
const levelOf = async (stage: Stage) =>
  String((await get(`${mine(stage)}/kill-switch`)).body['data']?.['level'])

async function placed(stage: Stage, key: string, order = RESTS): Promise<string> {
  const answer = await until(
    () => place(stage, key, order),
    ({ status }) => status === 201,
  )
  return String(answer.body['data']?.['order_id'])
}

/** The service has noticed; an order that was faster is one of many keys. */
async function untilLow(stage: Stage): Promise<void> {
  let n = 0
  await until(
    () => place(stage, `faster-${stage.gateway}-${n++}`.slice(-40)),
    ({ body }) => String(body['code']) === 'DISK_FULL',
  )
}

/** What holds below the floor on every disk, and that it ends by itself. */
async function belowTheFloor(t: Test, stage: Stage): Promise<void> {
  const id = await placed(stage, 'before')
  stage.leave(10)
  await untilLow(stage)
  t.match((await get(`${stage.gateway}/api/v1/health`)).body['data'], { total: 1, healthy: 0 })
  const refused = await place(stage, 'low')
  t.equal(refused.status, 503)
  t.match(refused.body, { code: 'DISK_FULL', success: false })
  t.ok(Number(refused.headers.get('Retry-After')) > 0)
  const sale = { stock_code: '600036', quantity: 100 }
  const buy = { strategy: 'custom_stock', quantity: 1, stocks: ['600036'] }
  for (const [path, body] of [
    ['/api/actions/execute_sell', sale],
    ['/api/actions/execute_buy', buy],
    ['/api/config/save', { allowBuy: false }],
  ] as const) {
    const answer = await post(`${stage.direct}${path}`, body)
    t.match(answer, { status: 503, body: { code: 'DISK_FULL' } }, path)
  }
  const other = { account_id: '30000001', qmt_path: 'C:/qmt/userdata_mini', call_timeout: 3 }
  const registered = await post(`${stage.gateway}/api/v1/accounts`, other)
  t.match(registered, { status: 503, body: { code: 'DISK_FULL' } })
  t.match(await get(`${mine(stage)}/positions`), { status: 200 }, 'reads are served')
  t.match(await place(stage, 'before'), { status: 201 }, 'what came before has its answer')
  t.equal(await cancel(stage, id), 200, 'cancels are served')
  t.match(await setLevel(stage, 'entries'), { status: 200 }, 'the kill switch is')
  t.equal(await levelOf(stage), 'entries')
  stage.leave(undefined)
  await placed(stage, 'low') // the key that was refused was not taken up
}

/** A service whose disk has as much space as the test says. */
async function onInventedDisk(t: Test, store: object = {}): Promise<Stage> {
  const folder = t.testdir()
  const limits = { ...OVERRIDES.limits, store: { ...SMALL_STORE, ...store } }
  const file = configFile(folder, { log: { level: 'silent' }, ...OVERRIDES, limits })
  const loaded = loadConfig({ cwd: folder, env: {}, options: { configFile: file } })
  if (!loaded.ok) throw new Error(loaded.error.join('\n'))
  let free = Number.POSITIVE_INFINITY
  const service = await startService({
    config: loaded.value.config,
    scope: { kind: 'up' },
    log: silentLogger,
    freeBytes: async () => free,
    onFatal: (reason) => {
      throw new Error(reason)
    },
  })
  t.teardown(() => service.stop()) // before its folder goes, in which the reserve is being written again
  const [gateway = '', direct = ''] = service.urls
  const leave = (megabytes: number | undefined) => {
    free = megabytes === undefined ? Number.POSITIVE_INFINITY : megabytes * MIB
  }
  return { gateway, direct, leave }
}

t.test('below the floor of free space only cancels, reads and the kill switch', async (t) => {
  await belowTheFloor(t, await onInventedDisk(t))
})

t.test('F964 without a floor a disk that takes no write is low all the same', async (t) => {
  const stage = await onInventedDisk(t, { free_space_floor_mb: 0 })
  await placed(stage, 'before')
  stage.leave(2)
  await placed(stage, 'enough', RESTS_ELSEWHERE)
  stage.leave(1)
  await untilLow(stage)
  t.match((await get(`${stage.gateway}/api/v1/health`)).body['data'], { total: 1, healthy: 0 })
  stage.leave(2 + SMALL_STORE.reserve_mb)
  await placed(stage, 'again')
})

/** The program on a disk of its own; on a system that lets nobody have one, what was shown above is all. */
t.test('a real disk: nearly full, full to the last byte, and with space again', async (t) => {
  const folder = t.testdir()
  const disk = smallDisk(t, 64)
  if (disk === undefined) return void t.pass('this system mounts no disk for a test')
  const file = configFile(folder, { ...OVERRIDES, data_dir: disk })
  const start = async () => {
    const child = new Child(t, folder, ['up', '--config', file])
    const [gateway = '', direct = ''] = await child.ready()
    const leave = (megabytes: number | undefined) => {
      if (megabytes === undefined) freeDisk(disk)
      else fillDisk(disk, megabytes * MIB)
    }
    return { child, gateway, direct, leave }
  }
  const first = await start()
  const reserve = join(disk, 'service', 'reserve')
  await until(
    async () => existsSync(reserve),
    (isThere) => isThere,
  )
  await belowTheFloor(t, first)

  await t.test('full to the last byte: the reserve lets people stop', async (t) => {
    const id = await placed(first, 'rests')
    first.leave(0)
    await untilLow(first)
    t.equal(await cancel(first, id), 200)
    t.match(await setLevel(first, 'all'), { status: 200 })
    t.notOk(existsSync(reserve), 'it was given up')
  })
  await t.test('started while it is nearly full: only cancels again', async (t) => {
    await first.child.kill()
    const second = await start()
    t.equal(await levelOf(second), 'all', 'what was said is durable')
    const answer = await place(second, 'again')
    t.match(answer.body as Json, { code: /KILL_SWITCH|DISK_FULL/ })
    t.match(await get(`${mine(second)}/positions`), { status: 200 })
    second.leave(undefined)
    await until(
      () => setLevel(second, 'off'),
      ({ status }) => status === 200,
    )
    await placed(second, 'after', RESTS_ELSEWHERE)
    await until(
      async () => existsSync(reserve),
      (isThere) => isThere,
    )
    second.child.signal('SIGTERM')
    t.match(await second.child.exit, ORDERLY)
  })
})
