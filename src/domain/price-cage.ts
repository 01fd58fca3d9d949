import type { Board } from './data/board-rules.ts'
import type { StockCode } from './instrument.ts'
import type { Price } from './money.ts'
import type { Side } from './order.ts'
import type { RiskQuote } from './reckoned-price.ts'
import { boardOf, tickSizeOf } from './rules.ts'

const PERCENT = 2
/** Where a cheap stock may go further than that: so many ticks. */
const TICKS = 10
const WITH_TICKS: ReadonlySet<Board | undefined> = new Set<Board>(['main', 'chinext'])

type Book = Pick<RiskQuote, 'bid' | 'ask' | 'lastPrice'>

/**
 * A limit no further through the book than the exchange lets it while trading is continuous (价格笼子): a purchase at
 * most 2 % or ten ticks above the best offer, a sale as much below the best bid; without one the best price of the own
 * side counts, then the last. What goes further is refused. Wider ranges (Beijing 5 %, funds none) are left unused: such
 * an order meets the first levels all the same.
 *
 * Source  docs/domain.md 3.8.
 */
export function withinCage(
  { code, side, price }: { readonly code: StockCode; readonly side: Side; readonly price: Price },
  quote: Book | undefined,
): Price {
  const [opposite, own] = side === 'buy' ? [quote?.ask, quote?.bid] : [quote?.bid, quote?.ask]
  const base = [opposite?.[0], own?.[0], quote?.lastPrice].find(
    (one) => one !== undefined && one > 0,
  )
  if (base === undefined) return price
  const tick = tickSizeOf(code)
  const width = WITH_TICKS.has(boardOf(code)) ? TICKS * tick : 0
  if (side === 'buy') {
    const most = Math.floor((base * (100 + PERCENT)) / (100 * tick)) * tick
    return Math.min(price, Math.max(most, base + width)) as Price
  }
  const least = Math.ceil((base * (100 - PERCENT)) / (100 * tick)) * tick
  return Math.max(price, Math.min(least, base - width)) as Price
}

/** The step of a stock at which an order of a price goes that lies between two: a sale the one below, a purchase the one above. */
export function onStep(code: StockCode, side: Side, price: Price): Price {
  const step = tickSizeOf(code)
  return ((side === 'sell' ? Math.floor(price / step) : Math.ceil(price / step)) * step) as Price
}
