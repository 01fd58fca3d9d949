import { type FeeRates, feesOf } from '../../domain/fees.ts'
import type { StockCode } from '../../domain/instrument.ts'
import type { Money, Price, Quantity } from '../../domain/money.ts'
import {
  type BrokerAsset,
  type BrokerDeal,
  type BrokerOrder,
  type BrokerPosition,
  isTerminal,
} from '../../domain/order.ts'
import type { Books, Changes, Holding, Ledger, PaperDeal, PaperOrder } from './books.ts'
import { askedBy } from './open-orders.ts'

/**
 * What each order freezes, reckoned once: a row of the books is never changed, only replaced, and
 * belongs to one account with its one set of rates.
 */
const FROZEN = new WeakMap<PaperOrder, number>()

/** Last price of a code, 0 when there is none. */
export type PriceOf = (code: StockCode) => Price

/**
 * The books as they will be when the step under way is written: reads fall through to the books,
 * writes stay here. The books themselves are not touched.
 */
export class Draft {
  readonly rates: FeeRates
  readonly #books: Books
  #ledger: Ledger
  readonly #holdings = new Map<StockCode, Holding>()
  readonly #gone = new Set<StockCode>()
  readonly #orders = new Map<string, PaperOrder>()
  readonly #deals: PaperDeal[] = []
  readonly #acted = new Map<StockCode, number>()

  constructor(books: Books, rates: FeeRates) {
    this.#books = books
    this.#ledger = books.ledger
    this.rates = rates
  }

  get ledger(): Ledger {
    return this.#ledger
  }
  set ledger(ledger: Ledger) {
    this.#ledger = ledger
  }

  holding(code: StockCode): Holding | undefined {
    return this.#gone.has(code)
      ? undefined
      : (this.#holdings.get(code) ?? this.#books.holdings.get(code))
  }
  /** Oldest first; those new in this step last. */
  holdings(): readonly Holding[] {
    const codes = new Set([...this.#books.holdings.keys(), ...this.#holdings.keys()])
    return [...codes].flatMap((code) => this.holding(code) ?? [])
  }
  putHolding(holding: Holding): void {
    this.#holdings.set(holding.code, holding)
  }
  dropHolding(code: StockCode): void {
    this.#gone.add(code)
    this.#holdings.delete(code)
  }

  order(orderId: string): PaperOrder | undefined {
    return this.#orders.get(orderId) ?? this.#books.orders.get(orderId)
  }
  /** Still waiting, oldest first: all, or those of one stock. */
  openOrders(code?: StockCode): readonly PaperOrder[] {
    const open: PaperOrder[] = []
    const { open: before } = this.#books
    for (const { row } of code === undefined ? before.values() : before.of(code)) {
      this.#addOpen(open, row.orderId)
    }
    for (const [orderId, { row }] of this.#orders) {
      if (!before.has(orderId) && (code ?? row.code) === row.code) this.#addOpen(open, orderId)
    }
    return open
  }
  #addOpen(open: PaperOrder[], orderId: string): void {
    const order = this.order(orderId)
    if (order !== undefined && !isTerminal(order.row.status)) open.push(order)
  }
  /** Orders of the session until now. */
  orderCount(): number {
    return this.#books.orders.size
  }
  putOrder(order: PaperOrder): void {
    this.#orders.set(order.row.orderId, order)
  }
  putDeal(deal: PaperDeal): void {
    this.#deals.push(deal)
  }

  actedMs(code: StockCode): number {
    return this.#acted.get(code) ?? this.#books.acted.get(code) ?? 0
  }
  /** Time never goes back here: a tick older than one acted upon leaves the newer mark. */
  act(code: StockCode, timeMs: number): void {
    if (timeMs > this.actedMs(code)) this.#acted.set(code, timeMs)
  }

  changes(): Changes {
    return {
      ledger: this.#ledger,
      holdings: [...this.#holdings.values()],
      goneHoldings: [...this.#gone],
      orders: [...this.#orders.values()],
      deals: this.#deals,
      acted: [...this.#acted],
    }
  }

  /** What an open purchase keeps: its rest at the limit, and the fees that may still come. */
  frozenBy(order: PaperOrder): number {
    if (order.row.side === 'sell' || isTerminal(order.row.status)) return 0
    const known = FROZEN.get(order)
    if (known !== undefined) return known
    const frozen = this.#frozenBy(order)
    FROZEN.set(order, frozen)
    return frozen
  }
  #frozenBy({ row, fee }: PaperOrder): number {
    const rest = (row.quantity - row.filledQuantity) * row.price
    const amount = (row.filledAmount + rest) as Money
    const { code, side } = row
    return rest + feesOf(this.rates, { code, side, day: this.#ledger.day, amount }) - fee
  }
  frozen(): Money {
    const { open } = this.#books
    let frozen = open.frozen((order) => this.frozenBy(order))
    for (const [orderId, order] of this.#orders) {
      const before = open.get(orderId)
      frozen += this.frozenBy(order) - (before === undefined ? 0 : this.frozenBy(before))
    }
    return frozen as Money
  }
  /** Cash that a new purchase may use; the proceeds of today's sales are in it. */
  available(): Money {
    return (this.#ledger.cash - this.frozen()) as Money
  }
  /** T+1, less what open sales have asked for. */
  sellable(code: StockCode): Quantity {
    const holding = this.holding(code)
    if (holding === undefined) return 0 as Quantity
    const { open } = this.#books
    let asked = open.asked(code)
    for (const [orderId, order] of this.#orders) {
      if (order.row.code !== code) continue
      const before = open.get(orderId)
      if (before !== undefined) asked -= askedBy(before)
      if (!isTerminal(order.row.status)) asked += askedBy(order)
    }
    return (holding.quantity - holding.locked - asked) as Quantity
  }

  assetRow(priceOf: PriceOf): BrokerAsset {
    let marketValue = 0
    for (const { code, quantity, costPrice } of this.holdings()) {
      marketValue += quantity * (priceOf(code) || costPrice)
    }
    const frozen = this.frozen()
    return {
      available: (this.#ledger.cash - frozen) as Money,
      frozen,
      marketValue: marketValue as Money,
      total: (this.#ledger.cash + marketValue) as Money,
    }
  }
  positionRow({ code, name, quantity, costPrice, openDate }: Holding): BrokerPosition {
    const row = { code, name, quantity, sellable: this.sellable(code), costPrice }
    return openDate === '' ? row : { ...row, openDate }
  }
  positionRows(): readonly BrokerPosition[] {
    return this.holdings().map((holding) => this.positionRow(holding))
  }
  orderRows(): readonly BrokerOrder[] {
    return Array.from(this.#books.orders.values(), ({ row }) => row)
  }
  dealRows(): readonly BrokerDeal[] {
    return this.#books.deals.map(({ row }) => row)
  }
}
