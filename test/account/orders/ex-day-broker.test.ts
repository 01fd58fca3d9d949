import t from 'tap'
import type { Quantity } from '../../../src/domain/money.ts'
import type { BrokerPosition } from '../../../src/domain/order.ts'
import { BANK, Bench, brokerPosition, keyOf, MORNING_MS, quote, yuan } from '../fixture.ts'
import { dealt, reborn, said } from '../play.ts'

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
