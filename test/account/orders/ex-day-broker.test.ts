import t, { type Test } from 'tap'
import type { Quantity } from '../../../src/domain/money.ts'
import type { BrokerPosition } from '../../../src/domain/order.ts'
import { isTradingDay } from '../../../src/domain/session.ts'
import {
  BANK,
  Bench,
  brokerOrder,
  brokerPosition,
  keyOf,
  MORNING_MS,
  quote,
  yuan,
} from '../fixture.ts'
import { dealt, gone, reborn, said, started } from '../play.ts'

/** The broker shows an ex-day, and the market has not said a word: no close of the day before is known. */

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
const held = (bench: Bench) => bench.state.positions.get(BANK)
const pushed = (row: Partial<BrokerPosition>) =>
  said({ kind: 'positionPushed', position: brokerPosition(row) })
const shares = (count: number) => count as Quantity

/** A holding at 35.1 that was at 40 once, at 18:00 of that day. */
function evening(): Bench {
  const bench = new Bench().ready([brokerPosition()])
  bench.quotes.set(BANK, quote(40, MORNING_MS + 1))
  bench.input({ kind: 'quotes', crossed: [BANK] })
  bench.nowMs = MORNING_MS + 8 * HOUR_MS
  return bench
}

/** The same on the morning of the next exchange day. */
function nextMorning(): Bench {
  const bench = evening()
  bench.nowMs = MORNING_MS + DAY_MS
  bench.input({ kind: 'dayOpened', day: '2026-08-12' })
  return bench
}
const split = { quantity: shares(2_000), costPrice: yuan(17.55) }

t.test('F32 after a split the high follows the cost, and the stop levels stay on', async (t) => {
  for (const begun of [nextMorning, evening]) {
    const bench = begun()
    bench.input(pushed(split))
    t.match(held(bench), {
      ...split,
      highestPrice: yuan(20),
      baseCostPrice: yuan(35.1),
      stopProfitEnabled: true,
      exDay: { day: '2026-08-12', source: 'broker', isCostAdjusted: true },
    })
    t.ok((held(bench)?.stopLossPrice ?? 0) < yuan(20), 'the stop shown is one of the new prices')
    const change = bench.journal.find(({ event }) => event.kind === 'exDayFollowed')
    t.match(
      change,
      { event: { code: BANK, before: { highestPrice: yuan(40) } } },
      'the audit has it',
    )
    bench.input({ kind: 'quotes', crossed: [BANK] })
    t.match(held(bench), { highestPrice: yuan(20) }, 'the last quote of the old prices raises none')
    const next = reborn(bench)
    t.strictSame(held(next), held(bench), 'nor does a restart change it')
  }
})

const MOVED: readonly (readonly [string, Partial<BrokerPosition>, number])[] = [
  ['a cash dividend', { costPrice: yuan(33.345) }, 38],
  ['a bonus with a dividend', { quantity: shares(1_100), costPrice: yuan(31) }, 35.3276],
]
for (const [name, row, high] of MOVED) {
  t.test(`F32 ${name} moves the high with the cost`, async (t) => {
    const bench = nextMorning()
    bench.input(pushed(row))
    t.match(held(bench), { stopProfitEnabled: true, highestPrice: yuan(high) })
  })
}

const KEPT: readonly (readonly [string, (bench: Bench) => void])[] = [
  ['fees settled over night', (bench) => bench.input(pushed({ costPrice: yuan(35.09) }))],
  ['a higher cost', (bench) => bench.input(pushed({ costPrice: yuan(36) }))],
  [
    'a purchase',
    (bench) => {
      const timeMs = bench.nowMs
      bench.input(dealt({ orderId: '9', clientOrderId: keyOf(9), quantity: shares(1_000), timeMs }))
      bench.input(pushed({ quantity: shares(2_000), costPrice: yuan(30) }))
    },
  ],
  [
    'a purchase whose deal is not known yet',
    (bench) => bench.input(pushed({ quantity: shares(2_000), costPrice: yuan(30) })),
  ],
  [
    'a sale whose deal is not known yet, of which the gain lowers the cost',
    (bench) => bench.input(pushed({ quantity: shares(500), costPrice: yuan(31) })),
  ],
  [
    'a sale whose deal is not known yet, at a loss',
    (bench) => bench.input(pushed({ quantity: shares(500), costPrice: yuan(39) })),
  ],
  ['a report without a cost', (bench) => bench.input(pushed({ costPrice: yuan(0) }))],
]
for (const [name, act] of KEPT) {
  t.test(`F32 ${name}: no ex-day`, async (t) => {
    const bench = nextMorning()
    act(bench)
    t.match(held(bench), { stopProfitEnabled: true, highestPrice: yuan(40) })
    t.equal(held(bench)?.exDay, undefined)
  })
}

t.test('F32 within the day on which it was bought no cost is taken for one', async (t) => {
  const bench = new Bench().ready([brokerPosition()])
  bench.input(pushed(split))
  t.match(held(bench), { ...split, stopProfitEnabled: true })
  t.equal(held(bench)?.exDay, undefined)
})

t.test(
  'F32 a cost that is adjusted days after the market told of the ex-day is no second one',
  async (t) => {
    const bench = nextMorning()
    const closes = { lastClose: yuan(39.2), closeBefore: yuan(40), lastCloseBefore: yuan(36) }
    bench.quotes.set(BANK, { ...quote(39.2, bench.nowMs), ...closes })
    bench.input({ kind: 'quotes', crossed: [BANK] })
    t.match(held(bench), { highestPrice: yuan(39.2), effectiveCost: yuan(34.398) })
    bench.nowMs += DAY_MS
    bench.input({ kind: 'dayOpened', day: '2026-08-13' })
    // The dividend of shares that were sold meanwhile is taken off the cost of those that are left.
    bench.input(pushed({ costPrice: yuan(33.5) }))
    t.match(held(bench), { highestPrice: yuan(39.2), costPrice: yuan(33.5), effectiveCost: 0 })
    t.equal(bench.journal.filter(({ event }) => event.kind === 'exDayFollowed').length, 1)
  },
)

t.test(
  'F916 a purchase that nobody heard, before an ex-day that the broker follows late, leaves the cost adjusted',
  async (t) => {
    const bench = new Bench().ready([brokerPosition()])
    bench.place({ quantity: 1_000, price: yuan(33.7) })
    const order = brokerOrder({ quantity: shares(1_000), price: yuan(33.7), status: 50 })
    bench.input(said({ kind: 'orderPushed', order }))
    bench.input(gone)
    bench.nowMs = MORNING_MS + DAY_MS
    bench.wallMs += DAY_MS
    bench.input({ kind: 'dayOpened', day: '2026-08-12' })
    const closes = { lastClose: yuan(33.32), closeBefore: yuan(34), lastCloseBefore: yuan(36) }
    bench.quotes.set(BANK, { ...quote(33.32, bench.nowMs), ...closes })
    bench.input({ kind: 'quotes', crossed: [BANK] })
    t.match(held(bench), { effectiveCost: yuan(34.398) })
    const bought = { quantity: shares(2_000), costPrice: yuan(34.4) }
    started(bench, { positions: [brokerPosition(bought)] }, '2026-08-12')
    t.match(held(bench), { ...bought, effectiveCost: yuan(33.712) })
    t.equal(held(bench)?.exDay?.isCostAdjusted, false)
  },
)

interface Shown {
  readonly quantity: number
  readonly cost: number
  /** What the ex-day takes off 1, and the close before it. */
  readonly factor?: number
  readonly close?: number
  /** The broker has counted them as filled before the line broke, and no deal was told. */
  readonly isCounted?: boolean
}

/** Purchases that are filled while nobody is there, before an ex-day of 2 %; the list of the morning that follows. */
function boughtUnheard(
  prices: readonly number[],
  { quantity, cost, factor = 0.98, close = 34, isCounted = false }: Shown,
): Bench {
  const bench = new Bench().ready([brokerPosition({ costPrice: yuan(30) })])
  for (const [n, price] of prices.entries()) {
    const terms = { quantity: shares(1_000), price: yuan(price) }
    const key = keyOf(n + 1)
    bench.place({ key, requestHash: `h${n}`, ...terms })
    const row = { orderId: `70${n}`, clientOrderId: key, status: 50 } as const
    bench.input(said({ kind: 'orderPushed', order: brokerOrder({ ...terms, ...row }) }))
    const filled = { ...terms, ...row, status: 56, filledQuantity: terms.quantity } as const
    if (isCounted) bench.input(said({ kind: 'orderPushed', order: brokerOrder(filled) }))
  }
  bench.input(gone)
  bench.nowMs = MORNING_MS + DAY_MS
  bench.wallMs += DAY_MS
  bench.input({ kind: 'dayOpened', day: '2026-08-12' })
  const opened = Math.round(close * factor * 100) / 100
  const closes = {
    lastClose: yuan(opened),
    closeBefore: yuan(close),
    lastCloseBefore: yuan(close + 2),
  }
  bench.quotes.set(BANK, { ...quote(opened, bench.nowMs), ...closes })
  bench.input({ kind: 'quotes', crossed: [BANK] })
  const row = { quantity: shares(quantity), costPrice: yuan(cost) }
  started(bench, { positions: [brokerPosition(row)] }, '2026-08-12')
  return bench
}

const tenthsOfCents = (price: number): number => Math.round(price * 1e4) / 1e4

t.test(
  'F921 a cost that is adjusted beside an unheard purchase above it is adjusted',
  async (t) => {
    const mixed = (30 + 33.7) / 2
    for (const [cost, isCostAdjusted] of [
      [mixed, false],
      [mixed * 0.98, true],
    ] as const) {
      const bench = boughtUnheard([33.7], { quantity: 2_000, cost: tenthsOfCents(cost) })
      t.equal(held(bench)?.exDay?.isCostAdjusted, isCostAdjusted, `${cost}`)
      const effective = isCostAdjusted ? 0 : tenthsOfCents(mixed * 0.98)
      t.equal(held(bench)?.effectiveCost, yuan(effective))
    }
  },
)

t.test('F921 of several unheard purchases each is reckoned at its own price', async (t) => {
  for (const prices of [
    [31, 33.9],
    [33.9, 31],
  ]) {
    const mixed = (30 + 31 + 33.9) / 3
    for (const [cost, isCostAdjusted] of [
      [mixed, false],
      [mixed * 0.98, true],
    ] as const) {
      const bench = boughtUnheard(prices, { quantity: 3_000, cost: tenthsOfCents(cost) })
      t.equal(held(bench)?.exDay?.isCostAdjusted, isCostAdjusted, `${prices} ${cost}`)
    }
  }
})

const PAID = [[0.92], [0.97], [1], [0.93, 0.99], [0.99, 0.93]]
/** Closes, what an ex-day takes off 1, and what was paid of the close. */
const MORNINGS = [34, 31, 29, 27].flatMap((close) =>
  [0.995, 0.98, 0.95, 0.9, 0.7].flatMap((factor) =>
    PAID.map((parts) => ({ close, factor, parts })),
  ),
)

/** All that was bought has come: whether the broker's cost is of the old scale is told apart. */
function tellsApart(t: Test, isCounted: boolean): void {
  for (const { close, factor, parts } of MORNINGS) {
    const paid = parts.map((part) => Math.round(close * part * 100) / 100)
    const mixed = (30 + paid.reduce((sum, each) => sum + each, 0)) / (1 + paid.length)
    const quantity = 1_000 * (1 + paid.length)
    const found = [1, factor].map((part) => {
      const shown = { quantity, cost: tenthsOfCents(mixed * part), factor, close, isCounted }
      return held(boughtUnheard(paid, shown))?.exDay?.isCostAdjusted
    })
    t.strictSame(found, [false, true], `${close} ${factor} ${paid}`)
  }
}

t.test('F921 whatever was paid, and however much the ex-day takes off', async (t) => {
  tellsApart(t, false)
})

t.test(
  'F952 nor is it lowered, or left, wrongly where the broker had counted the purchase',
  async (t) => {
    tellsApart(t, true)
  },
)

/** At a time of an August day the client lists the holding once more; what it shows has not changed. */
function lists(
  bench: Bench,
  day: number,
  time: string,
  row: Partial<BrokerPosition>,
): readonly string[] {
  bench.nowMs = Date.parse(`2026-08-${day}T${time}+08:00`)
  const today = `2026-08-${day}`
  if (bench.state.day < today && isTradingDay(today)) bench.input({ kind: 'dayOpened', day: today })
  return bench
    .input(pushed(row))
    .flatMap((effect) =>
      effect.kind === 'log' && effect.level === 'error' ? [effect.message] : [],
    )
}
const doubled = { quantity: shares(2_000) }

t.test(
  'F488 shares of an ex-day that are shown the evening before wait for its prices',
  async (t) => {
    const bench = evening()
    bench.input(pushed(doubled))
    const unknown = { day: '2026-08-12', factor: null }
    t.match(held(bench)?.exDay, unknown)
    const times = [
      [11, '18:45:00'],
      [11, '23:59:59'],
      [12, '09:00:00'],
      [12, '09:59:59'],
    ] as const
    for (const [day, time] of times) {
      t.strictSame(lists(bench, day, time, doubled), [], 'nothing of its day has traded')
      t.match(held(bench)?.exDay, unknown, time)
    }
    t.match(lists(bench, 12, '10:00:00', doubled), [/ex_day_hold_ms/])
    t.match(held(bench)?.exDay, { day: '2026-08-12', source: 'assumed' })
  },
)

t.test('F488 nor do the weekend and the lunch break count', async (t) => {
  const friday = evening()
  lists(friday, 14, '18:00:00', {})
  lists(friday, 14, '18:00:01', doubled)
  t.strictSame(lists(friday, 15, '12:00:00', doubled), [])
  t.match(held(friday)?.exDay, { day: '2026-08-17', factor: null }, 'Saturday')
  const noon = nextMorning()
  lists(noon, 12, '11:20:00', doubled)
  t.strictSame(lists(noon, 12, '13:19:59', doubled), [])
  t.match(lists(noon, 12, '13:20:00', doubled), [/ex_day_hold_ms/])
})
