import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { CrashPoint } from '../../actors/account/faults.ts'
import { ORDERLY } from '../platform.ts'
import { account, configFile, get, type Json, post, until } from './fixture.ts'
import { Child } from './fixtures/child.ts'
import { at } from './fixtures/days.ts'

const CODE = '600036'
const COST = 35.1
/** A high that comes once, in the middle of calm prices. */
const HIGH = 35.4
const TICKS = 3_000
const TICK_MS = 2_000
const OPEN_MS = at('2026-09-14', '09:30:00')
const CRASHING = join(import.meta.dirname, 'fixtures', 'crashing.process.ts')

function record(file: string): void {
  const lines = Array.from({ length: TICKS }, (_, n) => {
    const lastPrice = n === TICKS / 2 ? HIGH : COST - 0.01 * (1 + (n % 5))
    return JSON.stringify({
      time: OPEN_MS + n * TICK_MS,
      stock_code: CODE,
      lastPrice,
      lastClose: COST,
    })
  })
  writeFileSync(file, lines.join('\n'))
}

/** A life of the service that plays the recording from where it stands. */
async function live(t: Test, folder: string, point?: CrashPoint) {
  const file = join(folder, 'ticks.ndjson')
  const config = configFile(folder, {
    accounts: [account('10000001', [{ stock_code: CODE, volume: 1_000, cost_price: COST }])],
    market: { source: 'replay', file, speed: 'max', autostart: false },
    limits: { market: { save_every_ms: 10 } },
  })
  const child =
    point === undefined
      ? new Child(t, folder, ['up', '--config', config])
      : new Child(t, folder, [config, JSON.stringify(point)], CRASHING)
  const [gateway = '', direct = ''] = await child.ready()
  await until(
    () => get(`${gateway}/api/v1/accounts/10000001/status`),
    ({ body }) => String(body['data']?.['ready']) === 'true',
  )
  await post(`${direct}/api/replay/play`, {}).catch(() => undefined) // it may die before it answers
  return { child, direct }
}

const POINTS: readonly CrashPoint[] = [
  { at: 'beforeCommit', kind: 'holdingChanged' },
  { at: 'afterCommit', kind: 'holdingChanged' },
]

for (const point of POINTS) {
  t.test(`killed ${point.at} of a new high: the replay that goes on has it`, async (t) => {
    const folder = t.testdir()
    record(join(folder, 'ticks.ndjson'))
    const first = await live(t, folder, point)
    t.equal((await first.child.exit).signal, 'SIGKILL')

    const second = await live(t, folder)
    await until(
      () => get(`${second.direct}/api/replay/status`),
      ({ body }) => String(body['state']) === 'finished',
    )
    const { body } = await get(`${second.direct}/api/positions-all`)
    const rows = body['data'] as unknown as Json[]
    t.match(rows, [{ stock_code: CODE, highest_price: HIGH }])
    second.child.signal('SIGTERM')
    t.match(await second.child.exit, ORDERLY)
  })
}
