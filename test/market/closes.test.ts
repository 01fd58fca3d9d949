import { join } from 'node:path'
import t from 'tap'
import type { CloseRule, Closes } from '../../src/market/closes.ts'
import { createMarketMemory } from '../../src/market/memory.ts'
import { QuoteReader, QuoteWriter } from '../../src/market/quote-board.ts'
import { FakeActor, openSystem, replayOf, untilState } from './fixtures/market.ts'
import { at, tickOf } from './fixtures/ticks.ts'

const [MONDAY, TUESDAY, WEDNESDAY] = ['2026-09-14', '2026-09-15', '2026-09-16']

type Seen = readonly [day: string, time: string, price: number, lastClose: number]

/** What a board knows of closes after these ticks of one stock: of the day before, and its `lastClose`. */
function after(rule: CloseRule, seen: readonly Seen[], kept?: Closes) {
  const memory = createMarketMemory({ codesMax: 4, actorSlots: 2 })
  const [writer, reader] = [new QuoteWriter(memory, rule), new QuoteReader(memory)]
  for (const [index, [day, time, lastPrice, lastClose]] of seen.entries()) {
    writer.write(1, { ...tickOf('600036.SH', at(day, time), lastPrice), lastClose })
    if (index === 0 && kept !== undefined) writer.restoreCloses(1, kept)
  }
  const { closeBefore = 0, lastCloseBefore = 0 } = reader.read(1) ?? {}
  t.equal(reader.read(0), undefined)
  return [closeBefore / 10_000, lastCloseBefore / 10_000]
}

const CASES: readonly (readonly [string, CloseRule, readonly Seen[], readonly [number, number]])[] =
  [
    ['nothing before the first day', 'afterClose', [[MONDAY, '15:00:00', 11, 10.5]], [0, 0]],
    [
      'the price after the close',
      'afterClose',
      [
        [MONDAY, '15:00:00', 11, 10.5],
        [TUESDAY, '09:15:00', 0, 10],
      ],
      [11, 10.5],
    ],
    [
      'of the last trading day, over a weekend',
      'afterClose',
      [
        ['2026-09-11', '15:00:03', 11, 10.5],
        [MONDAY, '09:30:00', 10.1, 10],
      ],
      [11, 10.5],
    ],
    [
      'a price of the closing auction is no close',
      'afterClose',
      [
        [MONDAY, '14:59:57', 11, 10.5],
        [TUESDAY, '09:30:00', 10.1, 10],
      ],
      [0, 10.5],
    ],
    [
      'a price that is gone at the close is none either',
      'afterClose',
      [
        [MONDAY, '10:00:00', 11, 10.5],
        [MONDAY, '15:00:00', 0, 10.5],
        [TUESDAY, '09:30:00', 10.1, 10],
      ],
      [0, 10.5],
    ],
    [
      'the last tick of a recording',
      'lastTick',
      [
        [MONDAY, '10:00:00', 11, 10.5],
        [TUESDAY, '09:30:00', 10.1, 10],
        [TUESDAY, '09:31:00', 10.2, 10],
      ],
      [11, 10.5],
    ],
    [
      'a feed that was away for a day knows none',
      'lastTick',
      [
        [MONDAY, '15:00:00', 11, 10.5],
        [WEDNESDAY, '09:30:00', 10.1, 10],
      ],
      [0, 0],
    ],
    [
      'a stock that was halted all day keeps the close it had',
      'afterClose',
      [
        [MONDAY, '15:00:00', 11, 10.5],
        [TUESDAY, '09:30:00', 0, 11],
        [TUESDAY, '15:00:00', 0, 11],
        [WEDNESDAY, '09:30:00', 10.1, 10],
      ],
      [11, 11],
    ],
    [
      'a recording that is played again',
      'lastTick',
      [
        [MONDAY, '10:00:00', 11, 10.5],
        [TUESDAY, '09:30:00', 10.1, 10],
        [MONDAY, '10:00:00', 11, 10.5],
      ],
      [0, 0],
    ],
    [
      'none where prices are made',
      'never',
      [
        [MONDAY, '15:00:00', 11, 10.5],
        [TUESDAY, '09:30:00', 10.1, 10],
      ],
      [0, 0],
    ],
  ]
for (const [name, rule, seen, expected] of CASES) {
  t.test(`the close of the day before: ${name}`, async (t) => {
    t.strictSame(after(rule, seen), expected)
  })
}

t.test('F278 quotes of a day without trading are no closes, and hide none', async (t) => {
  // The exchange tests its systems on a Saturday, with prices of its own.
  const saturday: readonly Seen[] = [
    ['2026-09-12', '10:00:00', 13, 11],
    ['2026-09-12', '15:30:00', 13, 11],
  ]
  const friday: Seen = ['2026-09-11', '15:00:03', 11, 10.5]
  const monday: Seen = [MONDAY, '09:30:00', 11.1, 11]
  t.strictSame(after('afterClose', [friday, ...saturday, monday]), [11, 10.5])
  t.strictSame(after('afterClose', [friday, ...saturday]), [0, 0], 'nothing is compared meanwhile')
  const thursday: Seen = ['2026-09-10', '15:00:03', 11, 10.5]
  t.strictSame(after('afterClose', [thursday, ...saturday, monday]), [0, 0])
  t.strictSame(after('afterClose', [...saturday, monday]), [0, 0])
})

t.test('F320 quotes of the evening of a trading day are no closes, and hide none', async (t) => {
  // The exchange tests its systems in the evening, too.
  const evening: readonly Seen[] = [
    [MONDAY, '18:30:00', 13, 12],
    [MONDAY, '21:00:00', 13, 12],
  ]
  const afterHours: Seen = [MONDAY, '15:30:00', 11, 10.5]
  const tuesday: Seen = [TUESDAY, '09:30:00', 11.1, 11]
  t.strictSame(after('afterClose', [afterHours, ...evening, tuesday]), [11, 10.5])
  t.strictSame(
    after('afterClose', [afterHours, ...evening]),
    [0, 0],
    'nothing is compared meanwhile',
  )
  t.strictSame(after('afterClose', [...evening, tuesday]), [0, 0])
})

t.test('F744 a quote that says nothing of the close takes nothing back', async (t) => {
  const ended: Seen = [MONDAY, '15:00:00', 11, 10.5]
  // An ex-day of a stock that is halted: 10 stands for 11.
  const halted: readonly Seen[] = [
    [TUESDAY, '09:30:00', 0, 10],
    [TUESDAY, '15:00:02', 0, 0],
  ]
  const next: Seen = [WEDNESDAY, '09:30:00', 0, 10]
  t.strictSame(after('afterClose', [ended, ...halted, next]), [11, 10], 'it was told on Tuesday')
  const silent: readonly Seen[] = [
    [TUESDAY, '09:30:00', 0, 0],
    [TUESDAY, '15:00:02', 0, 0],
  ]
  t.strictSame(after('afterClose', [ended, ...silent, next]), [0, 0], 'nobody told it on Tuesday')
  const told: Seen = [TUESDAY, '15:00:03', 10.1, 10]
  t.strictSame(
    after('afterClose', [ended, ...silent, told]),
    [11, 10.5],
    'a day begins with a word',
  )
  const stale: Seen = [TUESDAY, '09:15:00', 0, 10.5]
  const mute: Seen = [MONDAY, '15:00:03', 11, 0]
  t.strictSame(after('afterClose', [ended, mute, stale]), [11, 10.5], 'not turned over yet')
})

t.test(
  'F745 what a day has told outlives a restart behind a quote that says nothing',
  async (t) => {
    const whole: Seen = [MONDAY, '15:00:00', 11, 10.5]
    const next: Seen = [TUESDAY, '09:30:00', 10.1, 10]
    for (const [name, last] of [
      ['a test in the evening', [MONDAY, '18:30:00', 13, 12]],
      ['a row that was emptied', [MONDAY, '15:00:03', 0, 0]],
    ] as const) {
      const memory = createMarketMemory({ codesMax: 4, actorSlots: 2 })
      const writer = new QuoteWriter(memory, 'afterClose')
      for (const [day, time, lastPrice, lastClose] of [whole, last]) {
        writer.write(1, { ...tickOf('600036.SH', at(day, time), lastPrice), lastClose })
      }
      const kept = new QuoteReader(memory).closes(1)
      t.strictSame(after('afterClose', [last, next], kept), [11, 10.5], name)
    }
  },
)

/** What the board knows on the last of these days of the high of the day before, in yuan. */
function highBefore(seen: readonly (readonly [...Seen, high: number])[], rule: CloseRule): number {
  const memory = createMarketMemory({ codesMax: 4, actorSlots: 2 })
  const writer = new QuoteWriter(memory, rule)
  for (const [day, time, lastPrice, lastClose, high] of seen) {
    writer.write(1, { ...tickOf('600036.SH', at(day, time), lastPrice), lastClose, high })
  }
  return (new QuoteReader(memory).read(1)?.highBefore ?? 0) / 10_000
}

const NEXT = [TUESDAY, '09:30:00', 11, 11, 11] as const
const HIGHS = [
  ['one of the closing auction', 12, [[MONDAY, '15:00:03', 11, 10.5, 12], NEXT]],
  ['the last price where no high is told', 11, [[MONDAY, '15:00:03', 11, 10.5, 0], NEXT]],
  [
    'of a whole day',
    12,
    [[MONDAY, '10:00:00', 12, 10.5, 12], [MONDAY, '15:00:03', 11, 10.5, 12], NEXT],
  ],
  [
    'none of a row of the day before that is repeated all day',
    0,
    [
      ['2026-09-11', '15:00:03', 10.5, 10, 13],
      [MONDAY, '09:24:00', 10.5, 10, 13],
      [MONDAY, '15:00:03', 10.5, 10, 13],
      [TUESDAY, '09:30:00', 11, 10.5, 11],
    ],
  ],
  [
    'none of a test in the evening',
    11.2,
    [[MONDAY, '15:00:03', 11, 10.5, 11.2], [MONDAY, '18:30:00', 13, 12, 13], NEXT],
  ],
  [
    'none of a row of the day before that is repeated',
    11.4,
    [
      ['2026-09-11', '15:00:03', 10.5, 10, 13],
      [MONDAY, '09:00:00', 10.5, 10, 13],
      [MONDAY, '09:24:00', 10.5, 10, 13],
      [MONDAY, '15:00:03', 11, 10.5, 11.4],
      NEXT,
    ],
  ],
  [
    'none of two days before',
    0,
    [
      [MONDAY, '15:00:03', 11, 10.5, 12],
      [WEDNESDAY, '09:30:00', 11, 11, 11],
    ],
  ],
] as const

t.test('F812 the high of the day before is known', async (t) => {
  for (const [name, wanted, seen] of HIGHS) t.equal(highBefore(seen, 'afterClose'), wanted, name)
  t.equal(highBefore(HIGHS[0][2], 'lastTick'), 12, 'of a recording')
  t.equal(highBefore(HIGHS[0][2], 'never'), 0, 'not where prices are made')
})

/** What is quoted as the last price of an auction has not traded, and may be withdrawn. */
const NOT_TRADED = [
  [
    'none that an auction has only offered',
    11.2,
    [
      [MONDAY, '09:16:00', 11.55, 10.5, 0],
      [MONDAY, '10:00:00', 10.6, 10.5, 10.7],
      [MONDAY, '15:00:03', 11, 10.5, 11.2],
      NEXT,
    ],
  ],
  [
    'none of a row of the day before that is repeated until something is traded, its close unknown',
    11.2,
    [
      [MONDAY, '09:29:00', 10.5, 10, 11.5],
      [MONDAY, '09:40:00', 10.6, 10.5, 10.7],
      [MONDAY, '15:00:03', 11, 10.5, 11.2],
      NEXT,
    ],
  ],
] as const

t.test('F813 only what the close tells is the high of a day', async (t) => {
  for (const [name, wanted, seen] of NOT_TRADED) {
    t.equal(highBefore(seen, 'afterClose'), wanted, name)
    t.equal(highBefore(seen, 'lastTick'), wanted, `of a recording: ${name}`)
  }
})

t.test('F812 and outlives a restart, in the day and over night', async (t) => {
  const memory = createMarketMemory({ codesMax: 4, actorSlots: 2 })
  const [writer, reader] = [new QuoteWriter(memory, 'afterClose'), new QuoteReader(memory)]
  const write = (slot: number, [day, time, price, lastClose, high]: readonly [...Seen, number]) =>
    writer.write(slot, { ...tickOf('600036.SH', at(day, time), price), lastClose, high })
  write(1, [MONDAY, '15:00:03', 11, 10.5, 12])
  const overnight = reader.closes(1) as Closes
  write(2, [MONDAY, '15:00:03', 11, 10.5, 11])
  writer.restoreCloses(2, overnight)
  write(2, NEXT)
  t.equal(reader.read(2)?.highBefore, 120_000, 'over night')
  write(3, NEXT)
  writer.restoreCloses(3, reader.closes(2) as Closes)
  t.equal(reader.read(3)?.highBefore, 120_000, 'in the day')
  write(0, [MONDAY, '15:00:03', 11, 10.5, 11.5])
  writer.restoreCloses(0, overnight.slice(0, 5) as unknown as Closes)
  write(0, NEXT)
  t.equal(reader.read(0)?.highBefore, 115_000, 'of what an earlier release kept, by its last quote')
})

t.test('what an earlier process knew goes on, whenever it ended', async (t) => {
  const overnight: readonly Seen[] = [
    [MONDAY, '15:00:00', 11, 10.5],
    [TUESDAY, '09:30:00', 10.1, 10],
  ]
  t.strictSame(after('afterClose', overnight, [100_000, 99_000, 110_000]), [11, 10.5])
  t.strictSame(after('lastTick', overnight, [100_000, 99_000, 0]), [0, 10.5], 'it played further')
  const inTheDay: readonly Seen[] = [
    [TUESDAY, '09:30:00', 10.1, 10],
    [TUESDAY, '09:30:03', 10.2, 10],
  ]
  t.strictSame(after('afterClose', inTheDay, [110_000, 105_000, -101_000]), [11, 10.5])
})

t.test('a lastClose that changes within the day wakes, wherever the price stands', async (t) => {
  const [code, fromMs] = ['600036.SH', at(MONDAY, '10:00:00')]
  const file = [
    { ...tickOf(code, fromMs, 10), lastClose: 10.2 },
    { ...tickOf(code, fromMs + 1, 10), lastClose: 10.2 },
    { ...tickOf(code, fromMs + 2, 10), lastClose: 9.9 },
    { ...tickOf(code, fromMs + 3, 10), lastClose: 9.9 },
  ]
  const system = await openSystem({ config: replayOf(join(t.testdir(), 'day'), file) })
  const heard: number[] = []
  const actor = new FakeActor(system, 1, (event, done, { bands }) => {
    if (event.kind === 'wakeUp' && bands.takeCrossed().length > 0) {
      heard.push(system.clock.nowMs() - fromMs)
    }
    setImmediate(done)
  })
  actor.bands.set(await actor.watch(code), 90_000, 110_000)
  await system.market.start()
  await untilState(system, 'finished')
  t.same(heard, [2])
  await system.market.stop()
  actor.leave()
})
