import fc from 'fast-check'
import t from 'tap'
import {
  type BookedTrade,
  bookAsFound,
  bookExDay,
  bookPurchase,
  bookSale,
  bookTaken,
  type CostBook,
  partOf,
} from '../../src/domain/cost-book.ts'
import type { StockCode } from '../../src/domain/instrument.ts'
import type { Money, Quantity } from '../../src/domain/money.ts'

const CODE = '600036.SH' as StockCode
const yuan = (amount: number) => Math.round(amount * 10_000) as Money

const trade = (quantity: number, price: number, fee = 0): BookedTrade => ({
  code: CODE,
  name: '招商银行',
  timeMs: 1,
  quantity: quantity as Quantity,
  amount: (yuan(price) * quantity) as Money,
  fee: yuan(fee),
})
const found = (quantity: number, price: number | null): CostBook =>
  bookAsFound({
    code: CODE,
    name: '招商银行',
    quantity: quantity as Quantity,
    cost: price === null ? null : ((yuan(price) * quantity) as Money),
    openedMs: 0,
  })

t.test('purchases are averaged with their fees, sales take their part', (t) => {
  const first = bookPurchase(undefined, trade(1_000, 10, 5))
  t.equal(first.cost, yuan(10_005))
  t.equal(first.costFrom, 'deals')
  const both = bookPurchase(first, trade(1_000, 12, 5))
  t.equal(both.cost, yuan(22_010))
  const { book, outcome, closed } = bookSale(both, trade(500, 13, 10))
  t.strictSame(outcome, { cost: yuan(5_502.5), realized: yuan(987.5), costFrom: 'deals' })
  t.equal(book?.cost, yuan(16_507.5))
  t.equal(book?.quantity, 1_500)
  t.equal(closed, undefined)
  t.end()
})

t.test('the last share takes what is left of the cost, and the holding is closed', (t) => {
  let book: CostBook | undefined = bookPurchase(undefined, trade(3, 10, 0.0001))
  const realized: (number | null)[] = []
  let sold = bookSale(book, trade(1, 11))
  for (let rest = 0; rest < 3; rest++) {
    if (rest > 0) sold = bookSale(book, trade(1, 11))
    realized.push(sold.outcome.realized)
    book = sold.book
  }
  t.strictSame(realized, [yuan(1), yuan(1) - 1, yuan(1)])
  t.equal(book, undefined)
  t.strictSame(sold.closed, {
    code: CODE,
    name: '招商银行',
    costFrom: 'deals',
    openedMs: 1,
    boughtQuantity: 3,
    bought: yuan(30),
    soldQuantity: 3,
    sold: yuan(33),
    fees: 1,
    realized: yuan(3) - 1,
    sales: 3,
    closedMs: 1,
  })
  t.end()
})

t.test('without a cost nothing is realized, and it is never 0', (t) => {
  const nothing = { cost: null, realized: null, costFrom: null }
  t.strictSame(bookSale(undefined, trade(100, 10)).outcome, nothing, 'never seen')
  const unknown = bookSale(found(1_000, null), trade(100, 10))
  t.strictSame(unknown.outcome, nothing, 'the client told none')
  t.equal(unknown.book?.cost, null)
  t.equal(unknown.book?.realized, null)
  const short = bookSale(found(100, 10), trade(200, 10))
  t.strictSame(short.outcome, nothing, 'more was sold than was seen')
  t.equal(short.closed?.realized, null)
  t.end()
})

t.test('what the client told stays its word', (t) => {
  const book = bookPurchase(found(1_000, 10), trade(1_000, 12))
  t.equal(bookSale(book, trade(100, 13)).outcome.costFrom, 'client')
  t.end()
})

t.test(
  'shares that no deal explains are taken at the client’s cost, or left for nobody knows what',
  (t) => {
    const book = bookPurchase(undefined, trade(1_000, 10))
    const name = '招商银行'
    const came = bookTaken(
      book,
      { code: CODE, name, quantity: 1_500 as Quantity, cost: yuan(15_300), reason: 'found' },
      9,
    )
    t.match(came.book, {
      cost: yuan(15_300),
      costFrom: 'client',
      quantity: 1_500,
      bought: yuan(15_300),
    })
    const left = bookTaken(
      book,
      { code: CODE, name, quantity: 400 as Quantity, cost: yuan(4_000), reason: 'found' },
      9,
    )
    t.match(left.book, { quantity: 400, sold: null, realized: null })
    const gone = bookTaken(
      book,
      { code: CODE, name, quantity: 0 as Quantity, cost: null, reason: 'found' },
      9,
    )
    t.equal(gone.book, undefined)
    t.match(gone.closed, { realized: null, closedMs: 9 })
    t.end()
  },
)

t.test('an ex-day earns nothing and loses nothing', (t) => {
  const day = '2026-08-12'
  const book = bookPurchase(undefined, trade(1_000, 10))
  const worth = (each: CostBook | undefined, price: number) =>
    yuan(price) * (each?.quantity ?? 0) - (each?.cost ?? 0)
  // 10 转 5 派 1: 15.00 → (15 − 0.1) / 1.5
  const factor = { to: yuan(9.9333), of: yuan(15) }
  const known = { day, source: 'market', factor, quantity: 1_000 as Quantity } as const
  const before = bookExDay(book, known)
  t.equal(worth(before, 9.9333), worth(book, 15), 'while the shares are not there')
  t.strictSame(bookExDay(before, known), before, 'told again it is followed once')
  const cost = ((before.cost ?? 0) + yuan(9.9333) * 500) as Money
  const taken = {
    code: CODE,
    name: '',
    quantity: 1_500 as Quantity,
    cost,
    reason: 'exDay',
  } as const
  const { book: after } = bookTaken(before, taken, 9)
  t.equal(worth(after, 9.9333), worth(book, 15), 'and once they are')
  t.equal(after?.costFrom, 'deals')
  t.end()
})

t.test('a client that tells of it first is followed until the market speaks', (t) => {
  const day = '2026-08-12'
  const book = bookPurchase(undefined, trade(1_000, 10))
  const split = { to: yuan(10), of: yuan(11) } // one for ten
  const quantity = 1_100 as Quantity
  const told = bookExDay(book, { day, source: 'broker', factor: split, quantity })
  t.equal(told.quantity, 1_100)
  t.equal(told.cost, yuan(10_000), 'all shares have cost what they had')
  const factor = { to: yuan(13.6), of: yuan(15) } // and 0.04 a share besides
  const market = bookExDay(told, { day, source: 'market', factor, quantity })
  t.equal(market.cost, yuan(10_000 - 1_000 * 1.4 + 100 * 13.6))
  t.equal(yuan(13.6) * 1_100 - (market.cost ?? 0), yuan(15_000 - 10_000))
  t.end()
})

t.test('a part of a sum is exact, half up, also of losses and of sums beyond a double', (t) => {
  t.equal(partOf(10 as Money, 1, 4), 3)
  t.equal(partOf(-10 as Money, 1, 4), -2)
  t.equal(partOf(-11 as Money, 1, 4), -3)
  t.equal(partOf(9_007_199_254_740_991 as Money, 999_999_999, 1_000_000_000), 9_007_199_245_733_792)
  t.end()
})

const deals = fc.array(
  fc.record({
    isSale: fc.boolean(),
    quantity: fc.integer({ min: 1, max: 5_000 }),
    price: fc.integer({ min: 1, max: 20_000_000 }),
    fee: fc.integer({ min: 0, max: 1_000_000 }),
  }),
  { maxLength: 40 },
)

type Move = { isSale: boolean; quantity: number; price: number; fee: number }
interface Played {
  readonly book: CostBook | undefined
  readonly cash: number
  readonly realized: number
  readonly paid: number
}
const NOTHING: Played = { book: undefined, cash: 0, realized: 0, paid: 0 }

/** A deal; a sale of no more than there is. */
function next(played: Played, { isSale, quantity, price, fee }: Move): Played {
  const { book, cash, realized, paid } = played
  const count = isSale ? Math.min(quantity, book?.quantity ?? 0) : quantity
  if (count === 0) return played
  const each = { ...trade(count, 0), amount: (price * count) as Money, fee: fee as Money }
  if (!isSale) {
    const spent = each.amount + fee
    return { book: bookPurchase(book, each), cash: cash - spent, realized, paid: paid + spent }
  }
  const after = bookSale(book, each)
  const gained = after.outcome.realized ?? Number.NaN
  return { book: after.book, cash: cash + each.amount - fee, realized: realized + gained, paid }
}

t.test('realized and unrealized are together what the account has gained, to the unit', (t) => {
  fc.assert(
    fc.property(deals, fc.integer({ min: 1, max: 20_000_000 }), (moves, mark) => {
      const { book, cash, realized } = moves.reduce(next, NOTHING)
      const worth = mark * (book?.quantity ?? 0)
      return realized + (worth - (book?.cost ?? 0)) === cash + worth
    }),
    { numRuns: 500 },
  )
  t.end()
})

t.test('what is left of a cost is never less than nothing, nor more than was paid', (t) => {
  fc.assert(
    fc.property(deals, (moves) => {
      const { book, paid } = moves.reduce(next, NOTHING)
      const cost = book === undefined ? 0 : (book.cost ?? -1)
      return cost >= 0 && cost <= paid
    }),
    { numRuns: 300 },
  )
  t.end()
})
