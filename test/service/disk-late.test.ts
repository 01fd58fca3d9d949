import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { LATE } from '../../src/service/threads/store-watch.ts'
import { lockFolder } from '../../src/storage/log/folder.ts'
import { inTime } from '../in-time.ts'
import { NEEDS_SIGNALS } from '../platform.ts'
import { account, configFile, get, post, type Served, serve, until } from './fixture.ts'
import { Child } from './fixtures/child.ts'

const ID = '10000001'
const HELD = { stock_code: '600036', volume: 1_000, cost_price: 35.1 }
/** Far below the market: it rests. */
const RESTING = { stock_code: '600036', order_type: 23, order_volume: 100, price_type: 11 }
const PROGRAM = fileURLToPath(new URL('../../bin/hold-lock.mjs', import.meta.url))

/** Of the log of the only process of this data folder. */
function lockOf(folder: string): string {
  const logs = join(folder, 'data', 'service', 'logs')
  const [name = ''] = readdirSync(logs)
  return lockFolder(join(logs, name))
}

/** Every append of the store's log stands still, as on a disk that sleeps, until the answer is called. */
async function standStill(t: Test, lock: string): Promise<() => Promise<unknown>> {
  const child = spawn(process.execPath, [PROGRAM, lock], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  t.teardown(() => child.kill('SIGKILL'))
  const ended = once(child, 'close')
  await inTime(once(child.stdout, 'data'), 'the lock of the log')
  return () => {
    child.stdin.end()
    return inTime(ended, 'the end of the lock')
  }
}

const order = ({ gateway }: Pick<Served, 'gateway'>, key: string, price: number) =>
  post(`${gateway}/api/v1/accounts/${ID}/orders`, { ...RESTING, price }, { 'Idempotency-Key': key })
const healthy = ({ gateway }: Pick<Served, 'gateway'>) => get(`${gateway}/api/v1/health`)
/** Resolves when so many accounts count as healthy. */
const untilHealthy = (served: Pick<Served, 'gateway'>, count: number) =>
  until(
    () => healthy(served),
    ({ body }) => Number(body['data']?.['healthy']) === count,
  )

t.test(
  'F464 while the disk stands still no account is healthy, and an order is refused at once',
  async (t) => {
    const folder = t.testdir()
    const served = await serve(t, {
      folder,
      overrides: {
        accounts: [account(ID, [HELD])],
        limits: { store: { late_ms: 500, late_check_ms: 50 }, http: { order_grace_ms: 500 } },
      },
    })
    await until(
      () => order(served, 'first', 32),
      ({ status }) => status === 201,
    )
    const wakeUp = await standStill(t, lockOf(folder))
    const stuck = order(served, 'second', 32.1) // which has the store append
    await untilHealthy(served, 0)
    t.match(await order(served, 'third', 32.2), {
      status: 503,
      body: { code: 'NOT_CONNECTED', error: /磁盘没有响应/ },
    })
    t.match((await get(`${served.gateway}/api/v1/accounts/${ID}/orders`)).status, 200)
    await stuck
    await wakeUp()
    await untilHealthy(served, 1)
    await until(
      () => order(served, 'third', 32.2),
      ({ status }) => status === 201,
    )
  },
)

t.test(
  'F464 a gateway tells of an account whose owner, another process, has a disk that stands still',
  async (t) => {
    const folder = t.testdir()
    const config = configFile(folder, {
      accounts: [account(ID, [HELD])],
      limits: {
        store: { late_ms: 500, late_check_ms: 50 },
        http: { order_grace_ms: 500 },
        cluster: { health_poll_ms: 100, owner_timeout_ms: 60_000 },
      },
    })
    const start = async (...command: string[]) => {
      const [url = ''] = await new Child(t, folder, [...command, '--config', config]).ready()
      return { gateway: url }
    }
    await start('direct', '--account', ID)
    const lock = lockOf(folder)
    const gateway = await start('gateway')
    await until(
      () => order(gateway, 'first', 32),
      ({ status }) => status === 201,
    )
    await untilHealthy(gateway, 1)
    const wakeUp = await standStill(t, lock)
    const stuck = order(gateway, 'second', 32.1)
    await untilHealthy(gateway, 0)
    t.match(await order(gateway, 'third', 32.2), {
      status: 503,
      body: { error: /磁盘没有响应/ },
    })
    await stuck
    await wakeUp()
    await untilHealthy(gateway, 1)
  },
)

t.test(
  'F685 an account whose disk stands still for longer than a commit may take is not started anew',
  async (t) => {
    const folder = t.testdir()
    const served = await serve(t, {
      folder,
      overrides: {
        accounts: [account(ID, [HELD])],
        limits: {
          store: { late_ms: 200, late_check_ms: 50, commit_timeout_ms: 1_000 },
          http: { order_grace_ms: 500 },
        },
      },
    })
    await until(
      () => order(served, 'first', 32),
      ({ status }) => status === 201,
    )
    const wakeUp = await standStill(t, lockOf(folder))
    const stuck = order(served, 'second', 32.1)
    await untilHealthy(served, 0)
    await stuck
    const seen = new Set<number>()
    const endMs = performance.now() + 3_000 // three times what a commit may take
    while (performance.now() < endMs) {
      seen.add((await get(`${served.gateway}/api/v1/accounts/${ID}/orders`)).status)
    }
    t.strictSame([...seen], [200], 'what it has can be read all the while')
    await wakeUp()
    await untilHealthy(served, 1)
    await until(
      () => order(served, 'third', 32.2),
      ({ status }) => status === 201,
    )
  },
)

/** A service that is stopped while an order of it waits for its disk is given up in time. */
async function stoppedWhileStill(t: Test, late_ms: number): Promise<void> {
  const folder = t.testdir()
  const config = configFile(folder, {
    accounts: [account(ID, [HELD])],
    limits: {
      runtime: { process_stop_timeout_ms: 1_000 },
      store: { late_ms, late_check_ms: 50 },
      http: { order_grace_ms: 500 },
    },
  })
  const child = new Child(t, folder, ['up', '--config', config])
  const [gateway = ''] = await child.ready()
  await until(
    () => order({ gateway }, 'first', 32),
    ({ status }) => status === 201,
  )
  await standStill(t, lockOf(folder))
  await order({ gateway }, 'second', 32.1) // which has the store append
  if (late_ms < 1_000) await untilHealthy({ gateway }, 0)
  child.signal('SIGTERM')
  await isKilled(t, child)
  t.equal(child.said('the stop took too long').length, 1)
}

async function isKilled(t: Test, child: Child): Promise<void> {
  const { code, signal } = await inTime(child.exit, 'the end of the service')
  t.match({ code, signal }, { code: null, signal: 'SIGKILL' }, 'nothing else ends it')
}

t.test(
  'F705 a service that is stopped while its disk stands still ends, whenever the disk answers',
  NEEDS_SIGNALS,
  (t) => stoppedWhileStill(t, 200),
)

t.test(
  'F725 a stop is given up whose disk does not count as standing still by then',
  NEEDS_SIGNALS,
  (t) => stoppedWhileStill(t, 600_000),
)

t.test(
  'F724 a start that is stopped while its disk stands still ends, whenever the disk answers',
  NEEDS_SIGNALS,
  async (t) => {
    const folder = t.testdir()
    const config = configFile(folder, {
      accounts: [account(ID, [HELD])],
      limits: {
        runtime: { process_stop_timeout_ms: 1_000 },
        store: { late_ms: 200, late_check_ms: 50 },
      },
    })
    const first = new Child(t, folder, ['up', '--config', config])
    const [gateway = ''] = await first.ready()
    await until(
      () => order({ gateway }, 'first', 32),
      ({ status }) => status === 201,
    )
    const lock = lockOf(folder)
    await first.kill()
    await standStill(t, lock)
    const next = new Child(t, folder, ['up', '--config', config])
    await next.heard(LATE)
    next.signal('SIGTERM')
    await isKilled(t, next)
    t.equal(next.said('stopped before it was ready').length, 1)
  },
)
