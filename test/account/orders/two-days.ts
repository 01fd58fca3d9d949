import { apply } from '../../../src/account/fold/apply.ts'
import { emptyState } from '../../../src/account/model/state.ts'
import { accountBand } from '../../../src/account/strategies/band.ts'
import type { StockCode } from '../../../src/domain/instrument.ts'
import type { Money, Price, Quantity } from '../../../src/domain/money.ts'
import type { BrokerPosition, OrderRecord } from '../../../src/domain/order.ts'
import { isOpen } from '../../../src/domain/order-state.ts'
import type { Position } from '../../../src/domain/position.ts'
import type { Quote } from '../../../src/ports/quotes.port.ts'
import {
  BANK,
  Bench,
  brokerDeal,
  brokerOrder,
  brokerPosition,
  commands,
  MORNING_MS,
  policy,
  quote,
} from '../fixture.ts'
import { said, timer } from '../play.ts'

export const DAY_MS = 86_400_000
export const HOUR_MS = 3_600_000
const TICK_MS = 3_000

const ON = {
  ...policy,
  settings: {
    ...policy.settings,
    ENABLE_AUTO_OPERATION: true,
    ENABLE_AUTO_TRADING: true,
    ENABLE_STOP_LOSS_BUY: false,
  },
  limits: { ...policy.limits, holdingsLagMs: 0 },
}

/** What the market says of a day besides its prices; ten-thousandths of a yuan. */
export type Day = Partial<Pick<Quote, 'lastClose' | 'closeBefore' | 'lastCloseBefore'>>

/** One holding of an account that sells by itself, at a broker that fills at once. Prices are ten-thousandths of a yuan. */
export class TwoDays {
  bench: Bench
  readonly code: StockCode
  /** Signals with the number of the tick that led to them. */
  readonly signals: string[] = []
  /** What a person is alarmed by. */
  readonly errors: string[] = []
  #day: Day = { lastClose: 0 as Price }
  #high = 0
  #ticks = 0
  #openMs = 0
  #filled = 0

  constructor({ cost, code = BANK }: { cost: number; code?: StockCode }) {
    this.code = code
    this.bench = new Bench(emptyState(ON))
    this.bench.nowMs = MORNING_MS - DAY_MS
    this.bench.ready([this.row({ costPrice: cost as Price })])
    this.bench.nowMs = MORNING_MS
  }

  row(parts: Partial<BrokerPosition> = {}): BrokerPosition {
    return brokerPosition({ code: this.code, ...parts })
  }
  get held(): Position | undefined {
    return this.bench.state.positions.get(this.code)
  }

  /** The second day begins, and trading half an hour later. */
  nextDay(day: Day): this {
    this.bench.nowMs = MORNING_MS + DAY_MS - HOUR_MS
    this.bench.input({ kind: 'dayOpened', day: '2026-08-12' })
    this.#high = 0
    this.#openMs = MORNING_MS + DAY_MS - HOUR_MS / 2
    return this.says(day)
  }
  /** From the next tick on. */
  says(day: Day): this {
    this.#day = day
    return this
  }
  at(hours: number): this {
    this.bench.nowMs = MORNING_MS + hours * HOUR_MS
    return this
  }
  /** The broker lists what it holds now: shares and cost as fractions of what they were. */
  reports(parts: { readonly cost?: number; readonly shares?: number }): this {
    const { held } = this
    if (held === undefined) return this
    const quantity = Math.floor((parts.shares ?? 1) * held.quantity + 1e-6) as Quantity
    const costPrice = Math.round((parts.cost ?? 1) * held.costPrice) as Price
    this.#list(this.row({ quantity, sellable: quantity, costPrice }))
    return this
  }
  /** The thread ended, and another one begins with what was durable. */
  restart(): this {
    const { journal, nowMs, wallMs, quotes } = this.bench
    const state = emptyState(ON)
    for (const event of journal) apply(state, event)
    this.bench = new Bench(state)
    this.bench.journal.push(...journal)
    Object.assign(this.bench, { nowMs, wallMs })
    for (const [code, seen] of quotes) this.bench.quotes.set(code, seen)
    this.bench.ready(this.held === undefined ? [] : [this.#asHeld()])
    return this
  }
  #asHeld(): BrokerPosition {
    const { quantity, costPrice } = this.held as Position
    return this.row({ quantity, sellable: quantity, costPrice })
  }

  /** One tick after the other. Only those outside the band are looked at, as in the service. */
  ticks(...prices: readonly number[]): this {
    for (const price of prices) this.#tick(price as Price)
    return this
  }
  /** A quote of an earlier day under today's date; its high is not today's. */
  repeats(price: number): this {
    this.ticks(price)
    this.#high = 0
    return this
  }
  #tick(price: Price): void {
    const { bench, code } = this
    bench.nowMs = Math.max(bench.nowMs, this.#openMs) + TICK_MS
    bench.wallMs += TICK_MS
    this.#ticks += 1
    this.#high = Math.max(this.#high, price)
    const now = quote(0, bench.nowMs)
    const before = bench.quotes.get(code)
    const isOther = before?.lastClose !== this.#day.lastClose // the market wakes for that
    bench.quotes.set(code, { ...now, lastPrice: price, high: this.#high as Price, ...this.#day })
    const sight = { nowMs: bench.nowMs, quote: (of: StockCode) => bench.quotes.get(of), floor: 0 }
    const band = accountBand(bench.state, code, sight)
    if (!isOther && price >= band.low && price <= band.high) return
    for (const effect of bench.input({ kind: 'quotes', crossed: [code] })) {
      if (effect.kind === 'log' && effect.level === 'error') this.errors.push(effect.message)
    }
    this.#fill()
  }

  #fill(): void {
    const orders = [...this.bench.state.orders.values()].filter(({ status }) => isOpen(status))
    for (const order of orders) {
      this.signals.push(`${this.#ticks} ${order.signalType}`)
      this.#filled += 1
      this.#fillOne(order)
    }
  }
  #fillOne({ clientOrderId, quantity, side }: OrderRecord): void {
    const { bench, held, code } = this
    const price = (bench.quotes.get(code)?.lastPrice ?? 0) as Price
    const own = { clientOrderId, code, orderId: `7${this.#filled}`, side, timeMs: bench.nowMs }
    bench.input(
      said({ kind: 'orderPushed', order: brokerOrder({ ...own, quantity, priceType: 5 }) }),
    )
    const deal = { ...own, dealId: `d${this.#filled}`, quantity, price }
    const amount = (price * quantity) as Money
    bench.input(said({ kind: 'dealPushed', deal: brokerDeal({ ...deal, amount }) }))
    const left = ((held?.quantity ?? 0) - quantity) as Quantity
    const costPrice = held?.costPrice ?? (0 as Price)
    this.#list(this.row({ quantity: left, sellable: left, costPrice }))
  }
  #list(row: BrokerPosition): void {
    const { bench } = this
    bench.answerQueries(commands(bench.input(timer('poll'))), { positions: [row] })
  }
}
