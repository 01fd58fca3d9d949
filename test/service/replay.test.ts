import { join } from 'node:path'
import t, { type Test } from 'tap'
import { get, type Json, post, serve, until } from './fixture.ts'
import { at, BAD_LINES, BANK, DAYS, day, record, TIMES } from './fixtures/days.ts'
import { accountTables, journalOf, paperTables, type Tables } from './fixtures/disk.ts'
import { Play, replaying } from './fixtures/play.ts'
import { script } from './fixtures/script.ts'

const ACCOUNTS = ['10000001', '10000002']

/** A fresh folder with its own copy of the recording. */
function table(t: Test, name: string) {
  const folder = join(t.testdir({ [name]: {} }), name)
  return { folder, recording: record(join(folder, 'days.ndjson')) }
}

/** What the stopped service has left on the disk. */
async function onDisk(folder: string): Promise<Record<string, Tables>> {
  const dataDir = join(folder, 'data')
  const found: Record<string, Tables> = {}
  for (const id of ACCOUNTS) {
    found[id] = await accountTables(dataDir, id)
    found[`paper/${id}`] = await paperTables(dataDir, id)
  }
  return found
}

async function played(t: Test, name: string, between?: (play: Play) => Promise<void>) {
  const { folder, recording } = table(t, name)
  const play = await Play.open(t, { folder, recording })
  await script(t, play, () => between?.(play) ?? Promise.resolve())
  await play.stop()
  const { answers, looks } = play
  return { answers, looks, disk: await onDisk(folder) }
}

function sameDisk(t: Test, one: Record<string, Tables>, two: Record<string, Tables>): void {
  for (const id of ACCOUNTS) {
    const [ours, theirs] = [journalOf(one[id] ?? {}), journalOf(two[id] ?? {})]
    t.ok(ours.length > 30, `account ${id} has a journal of ${ours.length} events`)
    t.strictSame(ours, theirs, 'event by event')
    t.strictSame(one[id], two[id], 'journal, hashes and rows to the byte')
    t.strictSame(one[`paper/${id}`], two[`paper/${id}`], 'books of the client to the byte')
  }
}

/**
 * Leaves out what a restart may change: the number of an order whose caller gave no key is made by
 * the running process, and `last_update` tells when a holding was reported.
 */
const withoutLife = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (key, inner: unknown) =>
      key === 'client_order_id' || key === 'last_update' ? undefined : inner,
    ),
  )

t.test('two runs of one recording end the same, to the byte', async (t) => {
  const one = await played(t, 'one')
  t.test('in another folder', async (t) => {
    const two = await played(t, 'two')
    t.strictSame(two.answers, one.answers)
    t.strictSame(two.looks, one.looks)
    sameDisk(t, one.disk, two.disk)
  })
  t.test('with a restart while orders wait: the same orders, fills and records', async (t) => {
    const two = await played(t, 'restarted', (play) => play.restart())
    t.strictSame(withoutLife(two.answers), withoutLife(one.answers))
    t.strictSame(withoutLife(two.looks), withoutLife(one.looks))
    for (const id of ACCOUNTS) {
      t.strictSame(two.disk[id]?.['records'], one.disk[id]?.['records'])
      t.strictSame(two.disk[`paper/${id}`]?.['acted'], one.disk[`paper/${id}`]?.['acted'])
    }
  })
})

t.test('a recording that starts by itself waits for every account', async (t) => {
  const disks: Record<string, Tables>[] = []
  for (const name of ['one', 'two']) {
    const { folder, recording } = table(t, name)
    const overrides = { ...replaying(recording.file), ...playing(recording.file, {}) }
    const { service, direct } = await serve(t, { folder, overrides })
    await finished(direct[0] ?? '')
    await service.system.board.untilQuiet()
    await service.stop()
    disks.push(await onDisk(folder))
  }
  const [one = {}, two = {}] = disks
  sameDisk(t, one, two)
})

const playing = (file: string, fields: object) => ({
  market: { source: 'replay', file, speed: 'max', ...fields },
})
const status = async (direct: string): Promise<Json> =>
  (await get(`${direct}/api/replay/status`)).body
const finished = (direct: string) =>
  until(
    () => status(direct),
    ({ state }) => String(state) === 'finished',
  )

t.test('the operator plays, pauses, rewinds', async (t) => {
  const { folder, recording } = table(t, 'one')
  const { ticks, lastMs } = recording
  const play = await Play.open(t, { folder, recording })
  const control = async (verb: string, body: object = {}) =>
    (await post(`${play.direct}/api/replay/${verb}`, body)).body

  const total = { ticks_total: ticks, bad_lines: BAD_LINES.length }
  const idle = { state: 'idle', ticks_played: 0, time: null, ...total }
  t.match(await status(play.direct), { status: 'success', data: idle, ...idle })

  const morning = at(day(0), TIMES.morning)
  t.match(await control('play', { until: morning }), { state: 'playing' }, 'answered at once')
  const first = await play.to(day(0), TIMES.morning)
  t.match(first, { state: 'paused', ticks_played: 6, time: morning }, 'the moment itself is played')
  t.match(await play.to(day(0), '13:59:59'), { state: 'paused', ticks_played: 6 }, 'and no more')

  t.match(await control('play', { speed: 1 }), { state: 'playing', ticks_played: 6 })
  t.match(await status(play.direct), { state: 'playing' }, 'hours to wait at this speed')
  t.match(await control('pause'), { state: 'paused', ticks_played: 6, time: morning })
  for (const body of [{ until: 'noon' }, { until: -1 }, { speed: 0 }, { speed: 'fast' }]) {
    t.equal((await post(`${play.direct}/api/replay/play`, body)).status, 400)
  }
  t.match(
    await status(play.direct),
    { state: 'paused', ticks_played: 6 },
    'a mistake moves nothing',
  )

  await control('play', { speed: 'max' })
  t.match(await finished(play.direct), { ticks_played: ticks, time: lastMs, ...total })
  t.match(await control('play'), { state: 'finished' }, 'there is nothing left')
  t.match(await control('rewind'), { state: 'idle', ticks_played: 0, time: null })
  await control('play')
  t.match(await finished(play.direct), { ticks_played: ticks, time: lastMs, ...total })
})

t.test(
  'the clock follows the ticks, holidays pass, what was bought becomes sellable',
  async (t) => {
    const play = await Play.open(t, table(t, 'one'))
    const timestamp = async () => (await get(`${play.direct}/api/orders`)).body['timestamp']
    t.equal(
      await timestamp(),
      `${day(0)} ${TIMES.open}`,
      'before the first tick: that of the first',
    )
    const friday = DAYS.indexOf('2026-09-30') // a week of holidays follows
    await play.to(day(friday), TIMES.morning)
    t.equal(await timestamp(), '2026-09-30 10:30:00')

    const buy = { order_type: 23, order_volume: 100, price_type: 5 }
    t.match(await play.order(1, BANK, buy), { status: 'accepted' })
    t.match(await play.holding(BANK), { volume: 1_100, available: 1_000, open_date: /2026-09-14/ })
    const { body } = await get(`${play.direct}/api/trade-records`)
    t.match(body['data']?.[0], { id: 1, trade_time: '2026-09-30 10:30:00', volume: 100 })
    const { body: trades } = await get(`${play.v1(1)}/trades`)
    t.match(trades['data']?.['trades'], [{ 成交数量: 100 }])

    await play.to(day(friday), TIMES.close)
    t.match(await play.holding(BANK), { volume: 1_100, available: 1_000 }, 'not on the same day')
    t.match(await play.to('2026-10-07', TIMES.close), { time: at('2026-09-30', TIMES.close) })
    t.match(await play.holding(BANK), { available: 1_000 }, 'nor on a day without a tick')
    await play.to(day(friday + 1), TIMES.open)
    t.equal(await timestamp(), '2026-10-08 09:30:00')
    t.match(await play.holding(BANK), { volume: 1_100, available: 1_100 })
    t.strictSame((await get(`${play.direct}/api/orders`)).body['data'], [], "the day's list is new")
    t.strictSame((await get(`${play.v1(1)}/trades`)).body['data'], { trades: [] })

    await play.to()
    const end = `${DAYS.at(-1)} ${TIMES.close}`
    t.ok(String(await timestamp()) >= end, 'after the last tick the clock goes on from there')
  },
)

t.test('a market that is no recording cannot be replayed', async (t) => {
  const { direct } = await serve(t)
  const refused = { status: 409, body: { code: 'NOT_A_REPLAY', success: false, status: 'error' } }
  t.match(await get(`${direct[0]}/api/replay/status`), refused)
  for (const verb of ['play', 'pause', 'rewind']) {
    t.match(await post(`${direct[0]}/api/replay/${verb}`), refused)
  }
})
