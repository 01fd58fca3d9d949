import fc from 'fast-check'
import t from 'tap'
import type { Money, Price } from '../../../src/domain/money.ts'
import {
  afterExDay,
  averagePrice,
  bookTrade,
  EMPTY_LEDGER,
  type Ledger,
  type LedgerTrade,
  type Lot,
  type LotMatch,
  openCostOf,
  summaryOf,
} from '../../../src/strategy/grid/ledger.ts'
import { shareOf } from '../../../src/strategy/grid/ratios.ts'
import { money, price, rebuildLedger, shares, trade } from './fixture.ts'

/** Books as somebody keeps them who files every row. */
class Books {
  ledger: Ledger = EMPTY_LEDGER
  readonly lots = new Map<number, Lot>()
  readonly matches = new Map<number, LotMatch>()

  book(...trades: readonly LedgerTrade[]): this {
    for (const each of trades) {
      const { ledger, lots, matches } = bookTrade(this.ledger, each)
      this.ledger = ledger
      for (const lot of lots) this.lots.set(lot.id, lot)
      for (const match of matches) this.matches.set(match.id, match)
    }
    return this
  }
}

t.test('the ledger follows the vectors, sale of the base holding first', async (t) => {
  const books = new Books()
  const rows = [
    { trade: trade('sell', 200, 10.5), open: 0, cost: 0, unmatched: 200, realized: 0 },
    { trade: trade('buy', 100, 10), open: 0, cost: 0, unmatched: 100, realized: 50 },
    { trade: trade('buy', 300, 9.8), open: 200, cost: 1_960, unmatched: 0, realized: 120 },
    { trade: trade('sell', 100, 10.2), open: 100, cost: 980, unmatched: 0, realized: 160 },
  ]
  for (const [index, row] of rows.entries()) {
    books.book(row.trade)
    const summary = summaryOf(books.ledger, price(10))
    const seen = [summary.openQuantity, summary.openCost, summary.unmatchedQuantity]
    t.strictSame(seen, [row.open, money(row.cost), row.unmatched], `trade ${index + 1}`)
    t.equal(summary.realized, money(row.realized), `trade ${index + 1}`)
  }
  const { unrealized, truePnl } = summaryOf(books.ledger, price(10))
  t.strictSame([unrealized, truePnl], [money(20), money(180)])
})

t.test('the newest lot goes first: the worked example', async (t) => {
  const books = new Books().book(
    trade('buy', 200, 9.5),
    trade('buy', 100, 9),
    trade('sell', 100, 9.6),
  )
  const { realized, unrealized } = summaryOf(books.ledger, price(9.6))
  t.strictSame([realized, unrealized], [money(60), money(20)])
  t.strictSame(
    books.ledger.open.map(({ remaining, remainingCost }) => [remaining, remainingCost]),
    [[200, money(1_900)]],
  )
  t.match(books.matches.get(1), { lotId: 2, buyAmount: money(900), sellAmount: money(960) })
})

t.test(
  'a purchase covers the newest unmatched sale and leaves the rest as a new row',
  async (t) => {
    const [first, second] = [trade('sell', 100, 10), trade('sell', 200, 11)]
    const books = new Books().book(first, second, trade('buy', 50, 9))
    t.match(books.matches.get(2), { type: 'matched', quantity: 50, realized: money(100) })
    t.match(books.matches.get(3), { type: 'unmatched', quantity: 150, sellTradeId: second.tradeId })
    t.match(books.lots.get(1), { remaining: 0, quantity: 50 }, 'the covering lot is closed')
    t.strictSame(
      books.ledger.unmatched.map(({ id }) => id),
      [1, 3],
      'what is left of the newest stays the newest',
    )
    books.book(trade('buy', 200, 9))
    t.match(books.matches.get(1), { quantity: 50, realized: money(50) })
    t.equal(books.ledger.unmatched[0]?.quantity, 50)
  },
)

const anyTrades = fc.array(
  fc.record({
    side: fc.constantFrom('buy' as const, 'sell' as const),
    lots: fc.integer({ min: 1, max: 9 }),
    odd: fc.integer({ min: 0, max: 99 }),
    amount: fc.integer({ min: 1, max: 500_000_000 }),
  }),
  { maxLength: 40 },
)
const tradesOf = (
  rows: readonly { side: 'buy' | 'sell'; lots: number; odd: number; amount: number }[],
) =>
  rows.map(
    ({ side, lots, odd, amount }, i): LedgerTrade => ({
      side,
      quantity: shares(lots * 100 + odd),
      amount: amount as Money,
      tradeId: `${i}`,
      orderId: `${i}`,
      timeMs: i,
    }),
  )
const sum = <T>(rows: Iterable<T>, of: (row: T) => number) => {
  let total = 0
  for (const row of rows) total += of(row)
  return total
}

t.test(
  'after any trades every share and every unit of money is in exactly one place',
  async (t) => {
    const closes = fc.property(anyTrades, (rows) => {
      const trades = tradesOf(rows)
      const { ledger, lots, matches } = new Books().book(...trades)
      const all = [...matches.values()]
      const matched = all.filter(({ type }) => type === 'matched')
      const of = (side: string, field: 'quantity' | 'amount') =>
        sum(
          trades.filter((each) => each.side === side),
          (each) => each[field],
        )
      t.equal(
        sum(all, ({ sellAmount }) => sellAmount),
        of('sell', 'amount'),
      )
      t.equal(
        sum(all, ({ quantity }) => quantity),
        of('sell', 'quantity'),
      )
      t.equal(sum(matched, ({ buyAmount }) => buyAmount) + openCostOf(ledger), of('buy', 'amount'))
      t.equal(
        sum(lots.values(), ({ quantity }) => quantity),
        of('buy', 'quantity'),
      )
      t.equal(ledger.boughtQuantity, of('buy', 'quantity'))
      t.equal(
        sum(matched, ({ realized }) => realized),
        ledger.realized,
      )
      t.equal(
        sum(matched, ({ quantity }) => quantity),
        ledger.matchedQuantity,
      )
      t.strictSame([lots.size, matches.size], [ledger.lotCount, ledger.matchCount])
      t.ok(ledger.open.length === 0 || ledger.unmatched.length === 0, 'never both')
      t.strictSame(
        [...lots.values()].filter(({ remaining }) => remaining > 0),
        ledger.open,
      )
      t.strictSame(
        all
          .filter(({ type }) => type === 'unmatched')
          .map(({ id }) => id)
          .sort((a, b) => a - b),
        ledger.unmatched.map(({ id }) => id).sort((a, b) => a - b),
      )
      t.ok(
        [...lots.values()].every(
          ({ remaining, remainingCost }) => remaining > 0 || remainingCost === 0,
        ),
      )
    })
    fc.assert(closes, { numRuns: 150 })
  },
)

const pricedTrades = fc.array(
  fc.record({
    side: fc.constantFrom('buy' as const, 'sell' as const),
    quantity: fc.integer({ min: 1, max: 900 }),
    price: fc.integer({ min: 20_000, max: 200_000 }),
  }),
  { maxLength: 12 },
)

t.test(
  'an ex-day alone earns and loses nothing, whatever is traded before and after',
  async (t) => {
    const day = '2026-08-12'
    const off = fc.integer({ min: -5_000, max: 15_000 })
    const same = fc.property(pricedTrades, pricedTrades, off, (before, later, off) => {
      const book = (ledger: Ledger, rows: typeof before, less: number) =>
        rows.reduce((books, { side, quantity, price: at }) => {
          const made = trade(side, quantity, (at - less) / 10_000)
          const timeMs = rows === later ? made.timeMs + 86_400_000 : made.timeMs
          return bookTrade(books, { ...made, timeMs }).ledger
        }, ledger)
      const was = book(EMPTY_LEDGER, before, 0)
      const is = afterExDay(was, { day, off })
      const [plain, moved] = [book(was, later, 0), book(is, later, off)]
      const one = summaryOf(plain, price(9))
      const other = summaryOf(moved, (price(9) - off) as Price)
      const facts = ({
        realized,
        unrealized,
        truePnl,
        openQuantity,
        unmatchedQuantity,
      }: typeof one) => [realized, unrealized, truePnl, openQuantity, unmatchedQuantity].join()
      if (facts(one) !== facts(other)) throw new Error(`${facts(one)} is not ${facts(other)}`)
      if (openCostOf(is) !== openCostOf(was)) throw new Error('what was paid has changed')
      const back = afterExDay(is, { day, off: -off })
      return JSON.stringify(back) === JSON.stringify(was)
    })
    fc.assert(same, { numRuns: 150 })
    t.pass()
  },
)

t.test('rebuilding from the trades gives the running ledger', async (t) => {
  const same = fc.property(anyTrades, (rows) => {
    const trades = tradesOf(rows)
    t.strictSame(rebuildLedger(trades), new Books().book(...trades).ledger)
  })
  fc.assert(same, { numRuns: 100 })
  t.strictSame(rebuildLedger([]), EMPTY_LEDGER, 'without trades there is nothing')
})

t.test('parts of an amount are exact far beyond the safe products', async (t) => {
  t.equal(shareOf(9_000_000_000_000_000, 1, 3), 3_000_000_000_000_000)
  t.equal(shareOf(10, 1, 4), 3, 'half up')
  t.equal(averagePrice(money(1_000), shares(300)), 33_333)
  t.equal(averagePrice(money(0), shares(0)), 0)
})
