import fc from 'fast-check'
import t from 'tap'
import type { StockCode } from '../../src/domain/instrument.ts'
import { isTerminal } from '../../src/domain/order.ts'
import type { Books } from '../../src/drivers/paper/books.ts'
import { Draft } from '../../src/drivers/paper/draft.ts'
import type { PaperInput } from '../../src/drivers/paper/step.ts'
import type { DriverEvent } from '../../src/protocol/driver.ts'
import { Counter, DAY_MS, orderOf, price, quoteOf, SH, SZ, shares } from './fixtures/paper.ts'

const STAR = '688981.SH' as StockCode
const FUND = '510300.SH' as StockCode

const cents = fc.integer({ min: 3_200, max: 4_000 }).map((units) => units / 100)
const volume = fc.integer({ min: 0, max: 600 })
const level = fc.tuple(cents, volume)
const parts = fc.record({
  last: fc.oneof({ weight: 9, arbitrary: cents }, fc.constant(0)),
  ask: fc.array(level, { maxLength: 5 }).map((levels) => levels.sort((a, b) => a[0] - b[0])),
  bid: fc.array(level, { maxLength: 5 }).map((levels) => levels.sort((a, b) => b[0] - a[0])),
  timeMs: fc.integer({ min: DAY_MS, max: DAY_MS + 50 }),
})
const code = fc.constantFrom(SH, SH, SZ, STAR, FUND)
const quantity = fc.oneof(
  fc.integer({ min: 1, max: 20 }).map((lots) => lots * 100),
  fc.integer({ min: 0, max: 1_200 }),
)
type Move =
  | { readonly kind: 'submit'; readonly [part: string]: unknown }
  | { readonly kind: 'cancel'; readonly pick: number }
  | { readonly kind: 'tick'; readonly code: StockCode; readonly parts: object }
  | { readonly kind: 'day' }
const move: fc.Arbitrary<Move> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('submit' as const),
      code,
      quantity,
      yuan: cents,
      side: fc.constantFrom('buy', 'sell'),
      parts,
      priceType: fc.constantFrom(11, 11, 11, 5, 42, 43, 44, 45, 46, 48),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('cancel' as const), pick: fc.nat(20) }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('tick' as const), code, parts }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('day' as const) }) },
)

let day = 0
function inputOf(counter: Counter, drawn: Move, callId: number): PaperInput {
  if (drawn.kind === 'day') {
    day += 1
    return { kind: 'dayOpened', day: `2026-09-${String((day % 28) + 1).padStart(2, '0')}` }
  }
  if (drawn.kind === 'tick') return { kind: 'tick', code: drawn.code, quote: quoteOf(drawn.parts) }
  if (drawn.kind === 'cancel') {
    const orderId = [...counter.books.orders.keys()].at(drawn.pick) ?? 'none'
    return { kind: 'cancel', callId, orderId, nowMs: DAY_MS }
  }
  const {
    yuan,
    parts: book,
    ...rest
  } = drawn as unknown as {
    yuan: number
    parts: object
    code: StockCode
    quantity: number
    side: 'buy' | 'sell'
    priceType: number
  }
  const order = {
    ...orderOf({ ...rest, quantity: shares(rest.quantity), price: price(yuan) }),
    clientOrderId: `call${callId}`,
  }
  return { kind: 'submit', callId, order, quote: quoteOf(book), nowMs: DAY_MS }
}

function brokenHolding(counter: Counter): string {
  const { books, context } = counter
  const draft = new Draft(books, context.rates)
  if (draft.available() < 0) return 'cash is short'
  if (draft.frozen() < 0) return 'frozen is negative'
  for (const { code: held, quantity: count, locked } of books.holdings.values()) {
    if (count < 0 || locked < 0 || locked > count) return `holding ${count}/${locked}`
    if (draft.sellable(held) < 0) return 'oversold'
  }
  return ''
}

/** The sums that are kept as orders come and go, against a look at all of them. */
function brokenSums({ books, context }: Counter): string {
  const draft = new Draft(books, context.rates)
  const open = [...books.open.values()]
  const frozen = open.reduce((sum, order) => sum + draft.frozenBy(order), 0)
  if (draft.frozen() !== frozen) return `frozen ${draft.frozen()}, not ${frozen}`
  const codes = new Set(open.map(({ row }) => row.code))
  if (codes.size !== [...books.open.codes()].length) return 'codes of open orders are wrong'
  for (const code of codes) {
    const same = open.filter(({ row }) => row.code === code)
    const sales = same.filter(({ row }) => row.side === 'sell')
    const asked = sales.reduce((sum, { row }) => sum + row.quantity - row.filledQuantity, 0)
    if (books.open.asked(code) !== asked) return `asked ${books.open.asked(code)}, not ${asked}`
    const listed = draft.openOrders(code).map(({ row }) => row.orderId)
    if (listed.join() !== same.map(({ row }) => row.orderId).join())
      return 'list of a code is wrong'
  }
  return ''
}

function brokenOrder({ books }: Counter): string {
  for (const { row, fee } of books.orders.values()) {
    if (row.filledQuantity > row.quantity) return 'overfilled'
    if (row.status === 56 && row.filledQuantity !== row.quantity) return 'filled in part only'
    if (fee < 0) return 'negative fee'
    if (isTerminal(row.status) === books.open.has(row.orderId)) return 'open list is wrong'
  }
  return ''
}

/** What deals say that cash and holdings must be. */
class Sums {
  cash: number
  readonly held: Map<StockCode, number>

  constructor({ ledger, holdings }: Books) {
    this.cash = ledger.cash
    this.held = new Map(Array.from(holdings.values(), (row) => [row.code, row.quantity]))
  }

  add(events: readonly DriverEvent[]): void {
    for (const event of events) {
      if (event.kind !== 'dealPushed') continue
      const { side, code: dealt, quantity: count, amount, fee } = event.deal
      const sign = side === 'buy' ? 1 : -1
      this.cash -= sign * amount + fee
      this.held.set(dealt, (this.held.get(dealt) ?? 0) + sign * count)
    }
  }

  differs({ ledger, holdings }: Books): boolean {
    const isOff = ([dealt, count]: [StockCode, number]) =>
      (holdings.get(dealt)?.quantity ?? 0) !== count
    return this.cash !== ledger.cash || [...this.held].some(isOff)
  }
}

t.test(
  'whatever happens: nothing negative, nothing oversold, deals explain every change',
  async (t) => {
    let deals = 0
    const holds = fc.property(fc.array(move, { minLength: 20, maxLength: 60 }), (moves) => {
      const counter = new Counter()
      const sums = new Sums(counter.books)
      moves.forEach((drawn, i) => {
        sums.add(counter.take(inputOf(counter, drawn, i)))
        const broken = brokenHolding(counter) || brokenOrder(counter) || brokenSums(counter)
        if (broken !== '') throw new Error(broken)
        if (sums.differs(counter.books)) throw new Error('deals do not explain the books')
      })
      deals += counter.books.ledger.dealSeq
    })
    fc.assert(holds, { numRuns: 300 })
    t.ok(deals > 300, 'the moves drawn do trade')
  },
)

t.test('the same inputs give the same events', async (t) => {
  const run = (moves: readonly Move[]) => {
    day = 0
    const counter = new Counter()
    return moves.map((drawn, i) => counter.take(inputOf(counter, drawn, i)))
  }
  fc.assert(
    fc.property(fc.array(move, { maxLength: 40 }), (moves) => {
      t.strictSame(run(moves), run(moves))
    }),
    { numRuns: 60 },
  )
})
