import { feeRatesOf } from '../../domain/fees.ts'
import type { StockCode } from '../../domain/instrument.ts'
import { moneyFromYuan, type Price, type Quantity } from '../../domain/money.ts'
import { type NewOrder, PRICE_TYPE } from '../../domain/order.ts'
import type { Quote } from '../../ports/quotes.port.ts'
import { encode } from '../../protocol/codec.ts'
import { applyChanges, type Books, booksOf } from './books.ts'
import { type PaperInput, type StepContext, step } from './step.ts'

const CODE = '600000.SH' as StockCode
const DAY = '2026-03-02'
const DAY_MS = Date.parse(`${DAY}T10:00:00+08:00`)
const PRICE = 100_000 as Price
const HIGHER = 100_100 as Price
const SHARES = 1_000 as Quantity
const LEVELS = [0, 0, 0, 0, 0]
const RATES = { commission: 0.0003, commission_min: 5, stamp_duty: 0.0005, transfer_fee: 0.000_01 }

/**
 * Sells at a counter that does not exist, so that the code of a sale has run before the first one comes: one order
 * that is filled at once and one that waits for a tick. Nothing is written. Returns the deals that were made.
 */
export function rehearse(): number {
  const books = madeUpBooks()
  const quote = quoteAt(PRICE, DAY_MS)
  play(books, { kind: 'dayOpened', day: DAY })
  for (const [index, price] of [PRICE, HIGHER].entries()) {
    const order = { ...ORDER, clientOrderId: `rehearsal-${index}`, price }
    play(books, { kind: 'submit', callId: index, order, quote, nowMs: DAY_MS })
  }
  play(books, { kind: 'tick', code: CODE, quote: quoteAt(HIGHER, DAY_MS + 1) })
  return books.deals.length
}

const CONTEXT: StepContext = {
  rates: feeRatesOf(RATES),
  limits: { ordersPerDayMax: 10 },
  priceOf: () => PRICE,
}
const ORDER: Omit<NewOrder, 'clientOrderId' | 'price'> = {
  code: CODE,
  side: 'sell',
  quantity: (SHARES / 2) as Quantity,
  priceType: PRICE_TYPE.limit,
  strategy: 'rehearsal',
}

function play(books: Books, input: PaperInput): void {
  const { changes, events } = step(books, input, CONTEXT)
  encode(events)
  if (changes === null) return
  encode(changes)
  applyChanges(books, changes)
}

const madeUpBooks = (): Books =>
  booksOf({
    ledger: { cash: moneyFromYuan(1_000_000), day: '', session: 1, orderSeq: 0, dealSeq: 0 },
    holdings: [
      {
        code: CODE,
        name: CODE,
        quantity: SHARES,
        locked: 0 as Quantity,
        costPrice: PRICE,
        openDate: '2026-02-02',
      },
    ],
    orders: [],
    deals: [],
    acted: [],
  })

const quoteAt = (price: Price, timeMs: number): Quote => ({
  timeMs,
  lastPrice: price,
  open: price,
  high: price,
  low: price,
  lastClose: PRICE,
  bid: [price, ...LEVELS.slice(1)] as Price[],
  ask: LEVELS as Price[],
  bidVolume: LEVELS,
  askVolume: LEVELS,
  volume: 0,
  amount: 0,
})
