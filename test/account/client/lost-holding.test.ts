import t from 'tap'
import type { Quantity } from '../../../src/domain/money.ts'
import { BANK, Bench, commands, MORNING_MS, quote, yuan } from '../fixture.ts'
import { dealt, said } from '../play.ts'
import { acting, Chain } from '../strategies/stop-profit/chain.ts'
import {
  costOf,
  DAY_MS,
  exDay,
  FRESH,
  HALF,
  held,
  lists,
  lose,
  nextDay,
  other,
  quoted,
  REMEMBERED,
  remembered,
  row,
  undated,
} from './lost.ts'

t.test('F568 what lists lack for a while on its ex-day is not adjusted twice', async (t) => {
  const bench = exDay()
  bench.input(said({ kind: 'positionPushed', position: row(1_100, 9.0909) }))
  quoted(bench, 10, [11, 10])
  t.match(held(bench), { exDay: { source: 'market', isCostAdjusted: true } })
  t.equal(costOf(bench), yuan(9.0909))
  lose(bench)
  t.equal(held(bench), undefined)
  lists(bench, row(1_100, 9.0909), other)
  quoted(bench, 10.01, [11, 10])
  t.equal(costOf(bench), yuan(9.0909), 'its stop stays where it was')
  t.match(held(bench), { exDay: { isCostAdjusted: true } })
})

t.test(
  'F568 nor is it forgotten that its cost is not adjusted, on that day or later',
  async (t) => {
    for (const days of [0, 1]) {
      const bench = exDay()
      quoted(bench, 10, [11, 10])
      t.equal(costOf(bench), yuan(9.0909))
      if (days > 0) {
        bench.nowMs += DAY_MS
        bench.input({ kind: 'dayOpened', day: '2026-08-13' })
        quoted(bench, 10, [10, 10])
      }
      lose(bench)
      lists(bench, row(1_000, 10), other)
      quoted(bench, 10.01, days > 0 ? [10, 10] : [11, 10])
      t.equal(costOf(bench), yuan(9.0909), `${days} days later`)
    }
  },
)

t.test('F568 where the broker adjusts it meanwhile, that is seen', async (t) => {
  const bench = exDay()
  quoted(bench, 10, [11, 10])
  lose(bench)
  lists(bench, row(1_100, 9.0909), other)
  quoted(bench, 10.01, [11, 10])
  t.equal(costOf(bench), yuan(9.0909))
})

t.test('F568 what was sold and bought again starts fresh', async (t) => {
  const bench = exDay()
  quoted(bench, 10, [11, 10])
  bench.input(
    dealt({ clientOrderId: '', side: 'sell', quantity: 1_000 as Quantity, price: yuan(10) }),
  )
  lose(bench)
  t.equal(held(bench), undefined)
  lists(bench, row(1_000, 10, '2026-08-12'), other)
  quoted(bench, 10.01, [11, 10])
  t.equal(costOf(bench), yuan(10))
  t.equal(held(bench)?.exDay, undefined)
})

t.test('F571 its high begins at what its cost is worth today, not at the old prices', async (t) => {
  // As it was, and with shares that somebody has sold meanwhile.
  for (const quantity of [1_000, 900]) {
    const bench = exDay()
    quoted(bench, 9.2, [11, 10])
    lose(bench)
    lists(bench, row(quantity, 10), other)
    t.equal(costOf(bench), yuan(9.0909))
    t.equal(held(bench)?.highestPrice, yuan(9.2))
  }
})

t.test(
  'F762 what lists lack for a while is the same holding when they show it again',
  async (t) => {
    // With its cost, and while the client does not tell it.
    for (const cost of [10, 0]) {
      const bench = remembered()
      t.match(held(bench), REMEMBERED)
      lose(bench)
      t.equal(held(bench), undefined)
      lists(bench, row(1_000, cost), other)
      t.match(held(bench), REMEMBERED)
      t.equal(costOf(bench), yuan(10))
    }
  },
)

t.test('F762 across a night too, and by its ex-day it is moved as any other', async (t) => {
  const { openDate: _, ...untold } = row(1_000, 10)
  const bench = new Bench().ready([untold, other])
  bench.nowMs += DAY_MS / 4
  lose(bench)
  t.equal(held(bench), undefined)
  bench.nowMs = MORNING_MS + DAY_MS
  bench.input({ kind: 'dayOpened', day: '2026-08-12' })
  lists(bench, untold, other)
  quoted(bench, 10, [11, 10])
  t.equal(costOf(bench), yuan(9.0909))
})

t.test(
  'F762 what deals have sold or bought meanwhile starts fresh, however late they are told',
  async (t) => {
    for (const side of ['sell', 'buy'] as const) {
      const bench = remembered()
      lose(bench)
      const quantity = 1_000 as Quantity
      bench.input(dealt({ clientOrderId: '', dealId: side, side, quantity, price: yuan(10) }))
      lists(bench, row(1_000, 10), other)
      t.match(held(bench), FRESH, side)
    }
  },
)

t.test(
  'F762 and so does what is shown with other shares, at another cost, or of another day',
  async (t) => {
    for (const shown of [row(900, 10), row(1_000, 10.01), row(1_000, 10, '2026-08-11')]) {
      const bench = remembered()
      lose(bench)
      lists(bench, shown, other)
      t.match(held(bench), FRESH)
    }
  },
)

t.test('F762 a first profit that is taken meanwhile is known with what is left', async (t) => {
  for (const lacking of [0, 2, 3]) {
    const bench = acting().ready([row(1_000, 10), other])
    bench.quotes.set(BANK, quote(11, bench.nowMs))
    const chain = new Chain(HALF, bench)
    for (let n = 0; n < lacking; n++) lists(bench, other)
    chain.fill(600)
    lose(bench)
    t.equal(held(bench), undefined)
    lists(bench, row(400, 10), other)
    t.match(held(bench), { quantity: 400, profitTriggered: true }, `after ${lacking} lists`)
  }
})

t.test('F792 what is bought of it, just before or meanwhile, is part of the holding', async (t) => {
  const bought = dealt({ clientOrderId: '', side: 'buy', quantity: 400 as Quantity })
  for (const lacking of [0, 2, 3]) {
    for (const cost of [10.5, 0]) {
      const bench = remembered()
      for (let n = 0; n < lacking; n++) lists(bench, other)
      bench.input(bought)
      lose(bench)
      t.equal(held(bench), undefined)
      lists(bench, row(1_400, cost), other)
      t.match(held(bench), REMEMBERED, `after ${lacking} lists`)
      t.equal(costOf(bench), yuan(cost || 10))
    }
  }
})

t.test(
  'F793 a list that is behind what was sold of it meanwhile shows the same holding',
  async (t) => {
    // All of it, or one of two deals; told while lists lack it, or before they do.
    for (const shown of [1_000, 700]) {
      for (const lacking of [0, 3]) {
        const bench = acting().ready([row(1_000, 10), other])
        bench.quotes.set(BANK, quote(11, bench.nowMs))
        const chain = new Chain(HALF, bench)
        for (let n = 0; n < lacking; n++) lists(bench, other)
        chain.fill(300)
        chain.fill(300)
        if (lacking === 0) lose(bench)
        t.equal(held(bench), undefined)
        lists(bench, row(shown, 10), other)
        lists(bench, row(400, 10), other)
        t.match(held(bench), { quantity: 400, profitTriggered: true }, `${shown} after ${lacking}`)
      }
    }
  },
)

t.test(
  'F793 nothing of another day, at another cost or of more than there was is such a list',
  async (t) => {
    for (const shown of [row(1_100, 10), row(1_000, 10.01)]) {
      const bench = remembered()
      lose(bench)
      bench.input(dealt({ clientOrderId: '', side: 'sell', quantity: 600 as Quantity }))
      lists(bench, shown, other)
      t.match(held(bench), FRESH)
    }
    const late = remembered()
    lose(late)
    late.input(dealt({ clientOrderId: '', side: 'sell', quantity: 600 as Quantity }))
    nextDay(late, '2026-08-12')
    lists(late, row(1_000, 10), other)
    t.match(held(late), FRESH)
  },
)

t.test('F792 what may have been sold out before it was bought starts fresh', async (t) => {
  for (const sides of [
    ['sell', 'buy'],
    ['buy', 'sell'],
  ] as const) {
    const bench = remembered()
    lose(bench)
    const quantity = 1_000 as Quantity
    for (const side of sides)
      bench.input(dealt({ clientOrderId: '', dealId: side, side, quantity }))
    lists(bench, row(1_000, 10), other)
    t.match(held(bench), FRESH)
  }
})

t.test('F779 new shares that are shown without their cost have none of before', async (t) => {
  const bench = acting().ready([undated(1_000, 10), other])
  lose(bench)
  nextDay(bench, '2026-08-12')
  lists(bench, undated(1_000, 0), other)
  t.equal(costOf(bench), 0)
  const sent: string[] = []
  for (const price of [8, 7.99, 7.98]) {
    bench.nowMs += 3_000
    bench.wallMs += 3_000
    bench.quotes.set(BANK, quote(price, bench.nowMs))
    const effects = bench.input({ kind: 'quotes', crossed: [BANK] })
    sent.push(...commands(effects).map(({ kind }) => kind))
  }
  t.strictSame(sent, [], 'bought at 8, and not sold')
})

t.test('F779 what a night, or the day of its purchase, tells apart is known so, too', async (t) => {
  const night = remembered()
  night.nowMs += DAY_MS / 4
  lose(night)
  night.nowMs = MORNING_MS + (22 * DAY_MS) / 24 // eight o'clock
  night.input({ kind: 'dayOpened', day: '2026-08-12' })
  lists(night, undated(1_000, 0), other)
  t.match(held(night), REMEMBERED)

  const dated = remembered()
  lose(dated)
  nextDay(dated, '2026-08-12')
  lists(dated, row(1_000, 0), other)
  t.match(held(dated), REMEMBERED)
})

t.test(
  'F780 what the client has said to be none is none, and what is bought anew fresh',
  async (t) => {
    const bench = remembered()
    lose(bench)
    lists(bench, row(0, 0), other)
    lists(bench, row(1_000, 10), other)
    t.match(held(bench), FRESH)
  },
)

t.test('F780 and so is what was away for a whole day of trading', async (t) => {
  for (const days of [['2026-08-12'], ['2026-08-12', '2026-08-13']]) {
    const bench = remembered()
    lose(bench)
    for (const day of days) nextDay(bench, day)
    bench.input(said({ kind: 'positionPushed', position: undated(1_000, 10) }))
    t.match(held(bench), days.length === 1 ? REMEMBERED : FRESH)
  }
})

t.test(
  'F781 a first profit that is taken meanwhile is known at the cost that it has left',
  async (t) => {
    const bench = acting().ready([row(1_000, 10), other])
    bench.quotes.set(BANK, quote(11, bench.nowMs))
    const chain = new Chain(HALF, bench)
    for (let n = 0; n < 2; n++) lists(bench, other)
    chain.fill(600)
    lose(bench)
    lists(bench, row(400, 8.5), other)
    t.match(held(bench), { quantity: 400, profitTriggered: true, costPrice: yuan(8.5) })
  },
)

t.test(
  'F782 what deals have sold, and bought anew before lists lacked it, starts fresh',
  async (t) => {
    const bench = remembered()
    for (const [side, shares] of [
      ['sell', 1_000],
      ['buy', 400],
    ] as const) {
      const quantity = shares as Quantity
      const timeMs = bench.nowMs + (side === 'buy' ? 2_000 : 1_000)
      bench.input(
        dealt({ clientOrderId: '', dealId: side, side, quantity, price: yuan(10), timeMs }),
      )
    }
    lose(bench)
    t.equal(held(bench), undefined)
    lists(bench, undated(400, 0), other)
    t.match(held(bench), FRESH)
  },
)
