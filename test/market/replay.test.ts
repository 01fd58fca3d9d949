import { appendFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { checkReplayFile } from '../../src/market/replay-cursor.ts'
import { inTime } from '../in-time.ts'
import { FakeActor, openSystem, replayOf, savedInMemory, untilState } from './fixtures/market.ts'
import { at, tickOf } from './fixtures/ticks.ts'

const DAY = '2026-08-11'
const T0 = at(DAY, '10:00:00')
const CODE = '600036.SH'
const ticks = (count: number, gapMs = 1_000) =>
  Array.from({ length: count }, (_, n) => tickOf(CODE, T0 + n * gapMs, 10 + n / 100))

t.test(
  'F548 a replay file that is missing or no file is told before the start, in both languages',
  async (t) => {
    const dir = t.testdir({ 'day.ndjson': '{}' })
    const gone = await checkReplayFile(join(dir, 'gone.ndjson'))
    t.match(gone, { ok: false, error: /gone\.ndjson 不存在 \(does not exist\)$/ })
    t.match(await checkReplayFile(dir), { ok: false, error: /不是文件 \(is not a file\)$/ })
    t.match(await checkReplayFile(join(dir, 'day.ndjson')), { ok: true, value: { bytes: 2 } })
    const config = { source: 'replay', file: join(dir, 'gone'), speed: 1, autostart: true } as const
    await t.rejects(openSystem({ config }), { message: /does not exist/ })
  },
)

t.test('bad lines are skipped, counted and logged with their number', async (t) => {
  const path = join(t.testdir(), 'day.ndjson')
  const config = replayOf(path, [])
  const good = (n: number) => JSON.stringify(tickOf('600036', T0 + n, 10 + n))
  const parts = [
    `\uFEFF${good(1)}`,
    'nonsense',
    '',
    good(3),
    good(2),
    'x'.repeat(70_000),
    `${good(4)}\r`,
    JSON.stringify({ ...tickOf('830799', T0 + 5, 1) }),
    good(6),
  ]
  writeFileSync(path, parts.join('\n'))
  const system = await openSystem({ config })
  await system.market.start()
  const status = await untilState(system, 'finished')
  t.same(status, {
    state: 'finished',
    ticks_played: 4,
    ticks_total: 4,
    bad_lines: 4,
    time: T0 + 6,
  })
  t.same(
    system.logged.filter(({ level }) => level === 'warn').map(({ line, reason }) => [line, reason]),
    [
      [2, 'not JSON'],
      [5, 'time goes backwards'],
      [6, 'line too long'],
      [8, 'no valid stock_code'],
    ],
  )
  await system.market.stop()
})

t.test('one tick from far ahead opens no day and costs no tick after it', async (t) => {
  const NEXT = at('2026-08-12', '09:30:00')
  const times = [T0, T0 + 1_000, T0 + 4 * 86_400_000, T0 + 2_000, T0 + 3_000]
  // The first of the next day stands before one that is late: that one is the bad line.
  const file = [...times, NEXT, T0 + 4_000, NEXT + 1_000, NEXT + 5 * 86_400_000]
  for (const chunkBytes of [65_536, 64]) {
    const config = replayOf(
      join(t.testdir(), `day${chunkBytes}`),
      file.map((time) => tickOf(CODE, time, 10)),
    )
    const system = await openSystem({ config, limits: { chunkBytes } })
    const days: string[] = []
    const actor = new FakeActor(system, 1, (event, done) => {
      if (event.kind === 'dayOpened') days.push(event.day)
      done()
    })
    await system.market.start()
    t.match(await untilState(system, 'finished'), { ticks_played: 7, bad_lines: 2 })
    t.strictSame(days, [DAY, '2026-08-12', '2026-08-17'])
    t.match(
      system.logged.filter(({ level }) => level === 'warn'),
      [
        { line: 3, reason: 'time far ahead of the lines after it' },
        { line: 7, reason: 'time goes backwards' },
      ],
    )
    await system.market.stop()
    actor.leave()
  }
})

t.test('of very many bad lines the first twenty and then each thousandth is logged', async (t) => {
  const path = join(t.testdir(), 'day.ndjson')
  const config = replayOf(path, [])
  appendFileSync(path, 'bad\n'.repeat(3_500))
  const system = await openSystem({ config })
  await system.market.start()
  t.match(await untilState(system, 'finished'), { bad_lines: 3_500, ticks_total: 0, time: null })
  const logged = system.logged.filter(({ level }) => level === 'warn')
  t.equal(logged.length, 20 + 3)
  await system.market.stop()
})

t.test('before the first tick the clock shows the time of that tick', async (t) => {
  const config = replayOf(join(t.testdir(), 'day'), ticks(3), { autostart: false })
  const system = await openSystem({ config })
  t.equal(system.clock.nowMs(), T0)
  await system.market.start()
  t.equal(system.clock.nowMs(), T0)
  t.same(await system.market.answer({ kind: 'replayStatus' }, undefined), {
    state: 'idle',
    ticks_played: 0,
    ticks_total: 3,
    bad_lines: 0,
    time: null,
  })
  await system.market.stop()
})

t.test('play goes up to and including `until`, then pauses, and answers at once', async (t) => {
  const same = [tickOf('000001.SZ', T0 + 2_000, 5), tickOf('300750.SZ', T0 + 2_000, 6)]
  const all = [...ticks(3), ...same, ...ticks(6).slice(3)]
  const config = replayOf(join(t.testdir(), 'day'), all, { autostart: false })
  const system = await openSystem({ config })
  await system.market.start()
  const play = (until?: number) =>
    system.market.answer({ kind: 'replayPlay', ...(until && { until }) }, undefined)
  t.match(await play(T0 + 2_000), { state: 'playing', ticks_played: 0 })
  t.match(await untilState(system, 'paused'), { ticks_played: 5, time: T0 + 2_000 })
  t.equal(system.clock.nowMs(), T0 + 2_000)
  t.match(await play(T0 + 2_000), { state: 'playing' }, 'nothing lies between')
  t.match(await untilState(system, 'paused'), { ticks_played: 5 })
  await play(T0 + 3_999)
  t.match(await untilState(system, 'paused'), { ticks_played: 6, time: T0 + 3_000 })
  await play()
  t.match(await untilState(system, 'finished'), { ticks_played: 8, time: T0 + 5_000 })
  t.match(await play(), { state: 'finished' }, 'a finished replay stays finished')
  await system.market.stop()
})

t.test('play while playing changes speed and `until`; pause and stop end a wait', async (t) => {
  const config = replayOf(join(t.testdir(), 'day'), ticks(6, 3_600_000), { speed: 1 })
  const system = await openSystem({ config })
  const ask = (kind: 'replayPause' | 'replayStatus') => system.market.answer({ kind }, undefined)
  await system.market.start()
  t.match(await untilState(system, 'playing'), {})
  const until = T0 + 2 * 3_600_000
  await system.market.answer({ kind: 'replayPlay', until, speed: 'max' }, undefined)
  t.match(await untilState(system, 'paused'), { ticks_played: 3 })
  await system.market.answer({ kind: 'replayPlay', speed: 1 }, undefined)
  t.match(
    await ask('replayStatus'),
    { state: 'playing', ticks_played: 3 },
    'the next is an hour off',
  )
  t.match(await ask('replayPause'), { state: 'paused', ticks_played: 3 })
  await system.market.answer({ kind: 'replayPlay' }, undefined)
  await system.market.stop()
})

t.test(
  'at a numeric speed ticks wait for their time in scale, ticks of one time come together',
  async (t) => {
    const all = ticks(4).flatMap((tick) => [tick, { ...tick, stock_code: '000001.SZ' }])
    const config = replayOf(join(t.testdir(), 'day'), all, { speed: 100 })
    const system = await openSystem({ config })
    const startMs = performance.now()
    await system.market.start()
    const counts = new Set<number>()
    for (;;) {
      const status = await system.market.answer({ kind: 'replayStatus' }, undefined)
      if (status === null || !('state' in status)) throw new Error('no status')
      counts.add(status.ticks_played)
      if (status.state === 'finished') break
      await new Promise((resolve) => setImmediate(resolve))
    }
    t.same(
      [...counts].filter((count) => count % 2 === 1),
      [],
      'never half of a time stamp',
    )
    t.ok(performance.now() - startMs >= 29, 'three gaps of a second in 30 ms at least')
    await system.market.stop()
  },
)

t.test('at the end the last quotes stay and the clock goes on in real time', async (t) => {
  const config = replayOf(join(t.testdir(), 'day'), ticks(3))
  const real = { monotonic: 0 }
  const time = { wallMs: () => 1, monotonicMs: () => real.monotonic }
  const system = await openSystem({ config, time })
  await system.market.start()
  await untilState(system, 'finished')
  t.equal(system.clock.nowMs(), T0 + 2_000)
  real.monotonic += 5_000
  t.equal(system.clock.nowMs(), T0 + 7_000)
  t.match(await system.market.answer({ kind: 'ticks', codes: [CODE, '000001.SZ'] }, undefined), {
    ticks: { [CODE]: { time: T0 + 2_000, lastPrice: 10.02 } },
  })
  await system.market.stop()
})

t.test('rewind starts over, idle; the clock does not go back', async (t) => {
  const config = replayOf(join(t.testdir(), 'day'), ticks(50))
  const system = await openSystem({ config })
  await system.market.start()
  await untilState(system, 'finished')
  const before = system.clock.nowMs()
  t.match(await system.market.answer({ kind: 'replayRewind' }, undefined), {
    state: 'idle',
    ticks_played: 0,
    ticks_total: 50,
    time: null,
  })
  t.ok(system.clock.nowMs() >= before)
  await system.market.answer({ kind: 'replayPlay', until: T0 + 9_000 }, undefined)
  t.match(await untilState(system, 'paused'), { ticks_played: 10, time: T0 + 9_000 })
  t.ok(system.clock.nowMs() >= before)
  await system.market.stop()
})

t.test(
  'a restarted process goes on where it was, with the quotes and the clock it had',
  async (t) => {
    const config = replayOf(join(t.testdir(), 'day'), ticks(40), { autostart: false })
    const saved = savedInMemory()
    const first = await openSystem({ config, saved })
    await first.market.start()
    await first.market.answer({ kind: 'replayPlay', until: T0 + 9_500 }, undefined)
    await untilState(first, 'paused')
    await first.market.stop()

    const second = await openSystem({ config, saved })
    t.equal(second.clock.nowMs(), T0 + 9_000)
    t.match(await untilState(second, 'paused'), { ticks_played: 10, ticks_total: 40 })
    const { ticks: quotes } = (await second.market.answer(
      { kind: 'ticks', codes: [CODE] },
      undefined,
    )) as {
      ticks: object
    }
    t.match(quotes, { [CODE]: { time: T0 + 9_000, lastPrice: 10.09 } })
    await second.market.start()
    await second.market.answer({ kind: 'replayPlay' }, undefined)
    t.match(await untilState(second, 'finished'), { ticks_played: 40 })
    const clockMs = second.clock.nowMs()
    await second.market.stop()

    const third = await openSystem({ config, saved })
    t.match(await untilState(third, 'finished'), { ticks_played: 40, time: T0 + 39_000 })
    t.ok(third.clock.nowMs() >= clockMs)
    await third.market.stop()
  },
)

t.test(
  'stopped while playing, a restart plays on to the same `until` at the same speed',
  async (t) => {
    const config = replayOf(join(t.testdir(), 'day'), ticks(30, 3_600_000), { autostart: false })
    const saved = savedInMemory()
    const first = await openSystem({ config, saved })
    await first.market.start()
    const until = T0 + 20 * 3_600_000
    await first.market.answer({ kind: 'replayPlay', until, speed: 0.5 }, undefined)
    while ((await untilState(first, 'playing')).ticks_played === 0);
    await first.market.stop()
    const second = await openSystem({ config, saved })
    await second.market.start()
    t.match(await untilState(second, 'playing'), { ticks_played: 1 })
    await second.market.answer({ kind: 'replayPlay', until, speed: 'max' }, undefined)
    t.match(await untilState(second, 'paused'), { ticks_played: 21 })
    await second.market.stop()
  },
)

t.test('another file, or a changed one, starts at its beginning', async (t) => {
  const path = join(t.testdir(), 'day')
  const saved = savedInMemory()
  const first = await openSystem({ config: replayOf(path, ticks(5)), saved })
  await first.market.start()
  await untilState(first, 'finished')
  await first.market.stop()
  const later = ticks(7).map((tick) => ({ ...tick, time: tick.time + 86_400_000 }))
  const second = await openSystem({ config: replayOf(path, later, { autostart: false }), saved })
  t.match(await untilState(second, 'idle'), { ticks_played: 0, ticks_total: 7 })
  t.equal(second.clock.nowMs(), T0 + 86_400_000)
  t.same(await second.market.answer({ kind: 'ticks', codes: [CODE] }, undefined), { ticks: {} })
  await second.market.stop()
})

t.test(
  'after a kill the ticks since the last save come again, and no bad line is counted twice',
  async (t) => {
    const path = join(t.testdir(), 'day')
    const config = replayOf(path, ticks(3), { autostart: false })
    appendFileSync(path, `bad\n${JSON.stringify(tickOf(CODE, T0 + 9_000, 11))}\n`)
    const saved = savedInMemory()
    const first = await openSystem({ config, saved })
    await first.market.start()
    await first.market.answer({ kind: 'replayPlay', until: T0 + 5_000 }, undefined)
    await untilState(first, 'paused')
    const kept = await saved.replay.load()
    await first.market.answer({ kind: 'replayPlay' }, undefined)
    await untilState(first, 'finished')
    await first.market.stop()
    if (kept !== undefined) await saved.replay.save(kept) // as if the process had died before
    const second = await openSystem({ config, saved })
    await second.market.start()
    await second.market.answer({ kind: 'replayPlay' }, undefined)
    t.match(await untilState(second, 'finished'), { ticks_played: 4, bad_lines: 1 })
    await second.market.stop()
  },
)

t.test('a play that comes while the position is being saved is not lost', async (t) => {
  const config = replayOf(join(t.testdir(), 'day'), ticks(6), { autostart: false })
  const saved = savedInMemory()
  const gate = Promise.withResolvers<void>()
  const begun = Promise.withResolvers<void>()
  const slow: typeof saved = {
    ...saved,
    replay: {
      load: () => saved.replay.load(),
      others: () => saved.replay.others(),
      save: async (value) => {
        begun.resolve()
        await gate.promise
        await saved.replay.save(value)
      },
    },
  }
  const system = await openSystem({ config, saved: slow })
  const play = (until?: number) =>
    system.market.answer({ kind: 'replayPlay', ...(until && { until }) }, undefined)
  await system.market.start()
  await play(T0 + 1_000)
  await begun.promise
  t.match(await untilState(system, 'paused'), { ticks_played: 2 }, 'paused, and not yet saved')
  t.match(await play(), { state: 'playing' })
  gate.resolve()
  t.match(await untilState(system, 'finished'), { ticks_played: 6 })
  await system.market.stop()
})

t.test('F275 a pause that a play follows at once does not wait for its end', async (t) => {
  const config = replayOf(join(t.testdir(), 'day'), ticks(3, 3_600_000), { speed: 1 })
  const system = await openSystem({ config })
  await system.market.start()
  const ask = (kind: 'replayPause' | 'replayPlay') => system.market.answer({ kind }, undefined)
  const answers = Promise.all([ask('replayPause'), ask('replayPlay')])
  t.match(await inTime(answers, 'both answers'), [{ state: 'paused' }, { state: 'playing' }])
  await inTime(system.market.stop(), 'the stop')
})

t.test('F275 rewinds and plays asked for at once are done one after the other', async (t) => {
  const config = replayOf(join(t.testdir(), 'day'), ticks(300), { autostart: false })
  const system = await openSystem({ config })
  await system.market.start()
  const ask = (kind: 'replayRewind' | 'replayPlay') => system.market.answer({ kind }, undefined)
  await ask('replayPlay')
  const kinds = [
    'replayRewind',
    'replayRewind',
    'replayPlay',
    'replayRewind',
    'replayPlay',
  ] as const
  const answers = await inTime(Promise.all(kinds.map(ask)), 'five answers')
  t.match(
    answers,
    ['idle', 'idle', 'playing', 'idle', 'playing'].map((state) => ({ state })),
  )
  t.match(await inTime(untilState(system, 'finished'), 'the end'), { ticks_played: 300 })
  t.strictSame(
    system.logged.filter(({ level }) => level !== 'info'),
    [],
  )
  await system.market.stop()
})
