import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { ORDERLY } from '../platform.ts'
import { account, configFile, get, type Json, post, serve, settings, until } from './fixture.ts'
import { Child } from './fixtures/child.ts'
import { at } from './fixtures/days.ts'
import { accountTables, journalOf } from './fixtures/disk.ts'

const ID = '10000001'
const CODE = '600036'
const COST = 35.1
const TICKS = 3_000
const TICK_MS = 2_000
const OPEN_MS = at('2026-09-14', '09:30:00')
const PAUSES = [0.3, 0.55, 1].map((part) => OPEN_MS + Math.floor(TICKS * part) * TICK_MS)
const CRASHING = join(import.meta.dirname, 'fixtures', 'crashing.process.ts')
const cents = (yuan: number): number => Math.round(yuan * 100) / 100

/** Prices that climb in waves and stay below a breakout; each tick tells the high of the day. */
const CLIMB = Array.from({ length: TICKS }, (_, n) =>
  cents(COST - 0.2 + (1.6 * n) / TICKS + 0.3 * Math.sin(n / 40) + 0.01 * (n % 3)),
)
const HIGHEST = Math.max(...CLIMB)

function record(file: string): void {
  let high = 0
  const lines = CLIMB.map((lastPrice, n) => {
    high = Math.max(high, lastPrice)
    const time = OPEN_MS + n * TICK_MS
    return JSON.stringify({ time, stock_code: CODE, lastPrice, high, lastClose: COST })
  })
  writeFileSync(file, lines.join('\n'))
}

/** One account that has held the stock for long, and the recording; `overrides` of limits. */
function replaying(folder: string, limits: object = {}): object {
  const file = join(folder, 'ticks.ndjson')
  record(file)
  const held = { stock_code: CODE, volume: 1_000, cost_price: COST, open_date: '2026-08-03' }
  return {
    accounts: [account(ID, [held])],
    market: { source: 'replay', file, speed: 'max', autostart: false },
    limits: { ...limits, market: { save_every_ms: 10 } },
  }
}

const highOf = async (direct: string): Promise<unknown> =>
  ((await get(`${direct}/api/positions-all`)).body['data'] as unknown as Json[])[0]?.[
    'highest_price'
  ]
const stands = (direct: string) =>
  until(
    () => get(`${direct}/api/replay/status`),
    ({ body: { state } }) => String(state) !== 'playing',
  )

/** Plays with a few pauses: the highs that were shown, and the journal. */
async function played(t: Test, folder: string, limits: object = {}) {
  const overrides = settings(replaying(folder, limits))
  const { service, direct } = await serve(t, { folder, overrides })
  const url = direct[0] ?? ''
  const highs: unknown[] = []
  for (const untilMs of PAUSES) {
    await post(`${url}/api/replay/play`, untilMs === PAUSES.at(-1) ? {} : { until: untilMs })
    await stands(url)
    highs.push(await highOf(url))
  }
  await service.system.board.untilQuiet()
  await service.stop()
  const tables = await accountTables(join(folder, 'data'), ID)
  return { highs, journal: journalOf(tables), tables }
}

t.test(
  'an exact replay leaves new highs that decide nothing, and is the same each time',
  async (t) => {
    const folder = t.testdir({ one: {}, two: {}, each: {} })
    const [one, two, each] = [
      await played(t, join(folder, 'one')),
      await played(t, join(folder, 'two')),
      await played(t, join(folder, 'each'), { account: { high_look_ms: 0 } }),
    ]
    t.strictSame(one.journal, two.journal)
    t.strictSame(one.tables, two.tables, 'to the byte')
    t.strictSame(one.highs, each.highs, 'wherever it stands still, as if each had been looked at')
    t.equal(one.highs.at(-1), HIGHEST)
    const looks = (journal: readonly { readonly kind: string }[]) =>
      journal.filter(({ kind }) => kind === 'holdingChanged').length
    const [few, many] = [looks(one.journal), looks(each.journal)]
    t.ok(few > 2 && few * 2 < many, `${few} instead of ${many}`)
  },
)

t.test('killed while a new high waits for its look: the replay that goes on has it', async (t) => {
  const folder = t.testdir()
  const config = configFile(folder, replaying(folder))
  const live = async (child: Child) => {
    const [gateway = '', direct = ''] = await child.ready()
    await until(
      () => get(`${gateway}/api/v1/accounts/${ID}/status`),
      ({ body }) => String(body['data']?.['ready']) === 'true',
    )
    await post(`${direct}/api/replay/play`, {}).catch(() => undefined) // it may die before it answers
    return direct
  }
  const point = { at: 'beforeCommit', kind: 'holdingChanged' } as const
  const first = new Child(t, folder, [config, JSON.stringify(point)], CRASHING)
  await live(first)
  t.equal((await first.exit).signal, 'SIGKILL')

  const second = new Child(t, folder, ['up', '--config', config])
  const direct = await live(second)
  await stands(direct)
  t.equal(await highOf(direct), HIGHEST)
  second.signal('SIGTERM')
  t.match(await second.exit, ORDERLY)
})
