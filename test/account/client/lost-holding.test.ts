import t from 'tap'
import type { AccountCommand } from '../../../src/account/commands/on-request.ts'
import type { StockCode } from '../../../src/domain/instrument.ts'
import type { Price, Quantity } from '../../../src/domain/money.ts'
import { type Position, thresholdCost } from '../../../src/domain/position.ts'
import { BANK, Bench, brokerPosition, commands, MORNING_MS, quote, yuan } from '../fixture.ts'
import { dealt, said, timer } from '../play.ts'

const OTHER = '000001.SZ' as StockCode
const DAY_MS = 86_400_000
const OPEN_DATE = '2026-08-03'

const row = (quantity: number, cost: number, openDate: string | undefined = OPEN_DATE) => {
  const shares = quantity as Quantity
  const told = openDate === undefined ? {} : { openDate }
  return brokerPosition({ quantity: shares, sellable: shares, costPrice: yuan(cost), ...told })
}
const other = brokerPosition({ code: OTHER, openDate: OPEN_DATE })

/** 1,000 shares at a cost of 10, on the morning of their ex-day: 1 for 10, after a close of 11. */
function exDay(): Bench {
  const bench = new Bench()
  bench.nowMs = MORNING_MS - DAY_MS
  bench.ready([row(1_000, 10), other])
  bench.nowMs = MORNING_MS + DAY_MS
  bench.input({ kind: 'dayOpened', day: '2026-08-12' })
  return bench
}

/** A quote of today, which tells of the ex-day on its day. */
function quoted(
  bench: Bench,
  price: number,
  closes: readonly [before: number, last: number],
): void {
  const [closeBefore, lastClose] = closes
  bench.nowMs += 3_000
  bench.quotes.set(BANK, {
    ...quote(price, bench.nowMs),
    lastClose: yuan(lastClose),
    closeBefore: yuan(closeBefore),
    lastCloseBefore: yuan(10.8),
  })
  bench.input({ kind: 'quotes', crossed: [BANK] })
}

function lists(bench: Bench, ...rows: readonly ReturnType<typeof row>[]): void {
  bench.nowMs += 30_000
  bench.wallMs += 30_000
  bench.answerQueries(commands(bench.input(timer('poll'))), { positions: rows })
}

function lose(bench: Bench): void {
  for (let n = 0; n < 3; n++) lists(bench, other)
}
const held = (bench: Bench): Position | undefined => bench.state.positions.get(BANK)
const costOf = (bench: Bench): Price | undefined => {
  const position = held(bench)
  return position && thresholdCost(position)
}

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
  const bench = exDay()
  quoted(bench, 9.2, [11, 10])
  lose(bench)
  lists(bench, row(1_000, 10), other)
  t.equal(costOf(bench), yuan(9.0909))
  t.equal(held(bench)?.highestPrice, yuan(9.2))
})

const { openDate: _, ...DATELESS } = row(1_000, 10)
const ask = (bench: Bench, request: AccountCommand): unknown =>
  bench.input({ kind: 'request', ref: 1, request })

const TAKEN = { profitTriggered: true, highestPrice: yuan(11.5) } as const

/** The same shares, whose first profit was taken, and whose stop somebody has switched off. */
function guarded(): Bench {
  const bench = new Bench()
  bench.ready([row(1_000, 10), other])
  ask(bench, { kind: 'updateHolding', code: BANK, ...TAKEN, source: 'user' })
  ask(bench, { kind: 'setStopProfit', code: BANK, enabled: false, source: 'user' })
  lose(bench)
  return bench
}

t.test('F757 what lists lack for a while is on that day what it was', async (t) => {
  for (const [what, again] of [
    ['as it was', row(1_000, 10)],
    ['without its cost', row(1_000, 0)],
    ['without its date', DATELESS],
  ] as const) {
    const bench = guarded()
    t.equal(held(bench), undefined)
    lists(bench, again, other)
    t.match(held(bench), { ...TAKEN, stopProfitEnabled: false }, what)
    t.match(held(bench), { baseCostPrice: yuan(10), openDate: `${OPEN_DATE} 00:00:00` }, what)
    t.equal(costOf(bench), yuan(10), what)
  }
})

t.test('F757 other shares start fresh', async (t) => {
  for (const [what, again] of [
    ['more', row(1_100, 10)],
    ['at another cost', row(1_000, 10.01)],
    ['opened today', row(1_000, 10, '2026-08-11')],
  ] as const) {
    const bench = guarded()
    lists(bench, again, other)
    t.match(held(bench), { profitTriggered: false, stopProfitEnabled: true }, what)
  }
})

t.test('F757 so does what is shown again on another day', async (t) => {
  const bench = guarded()
  bench.nowMs += DAY_MS
  bench.input({ kind: 'dayOpened', day: '2026-08-12' })
  lists(bench, row(1_000, 10), other)
  t.match(held(bench), { profitTriggered: false, stopProfitEnabled: true })
})
