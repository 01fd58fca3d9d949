import type { DirtyRow } from '../../src/account/model/dirty-row.ts'
import type { AccountPolicy } from '../../src/account/model/policy.ts'
import { emptyState } from '../../src/account/model/state.ts'
import { isSettled } from '../../src/account/orders/assets.ts'
import type { AccountInput } from '../../src/account/step.ts'
import type { Effect, Turn } from '../../src/account/turn/turn.ts'
import { exchangeDay } from '../../src/domain/exchange-time.ts'
import type { StockCode } from '../../src/domain/instrument.ts'
import type { Money, Price, Quantity } from '../../src/domain/money.ts'
import type { Side } from '../../src/domain/order.ts'
import { ok } from '../../src/domain/result.ts'
import type { Sale } from '../../src/domain/sale.ts'
import { applyChanges, type Books, booksOf } from '../../src/drivers/paper/books.ts'
import type { CorporateAction } from '../../src/drivers/paper/corporate-action.ts'
import { Draft } from '../../src/drivers/paper/draft.ts'
import { type PaperInput, step } from '../../src/drivers/paper/step.ts'
import type { Quote } from '../../src/ports/quotes.port.ts'
import type { DriverCommand, DriverEvent } from '../../src/protocol/driver.ts'
import { BANK, Bench, policy, quote, yuan } from './fixture.ts'
import { timer } from './play.ts'

/** As the embedded client is run: it answers from the books that it trades on. */
export const PAPER_POLICY: AccountPolicy = {
  ...policy,
  limits: { ...policy.limits, holdingsLagMs: 0 },
}
const LIMITS = { ordersPerDayMax: 1_000 }
const KEY_STEM = '01ARZ3NDEKTSV4RRFFQ69G'

/** An account and the books of the embedded client, both pure, with nothing between them but messages in their order. */
export class PaperLife extends Bench {
  readonly books: Books
  readonly rows: DirtyRow[] = []
  readonly #turns: Turn[] = []
  #orders = 0

  constructor(cash: number, shares: number, cost: number) {
    super(emptyState(PAPER_POLICY))
    const held = {
      code: BANK,
      name: '招商银行',
      quantity: shares as Quantity,
      locked: 0 as Quantity,
      costPrice: yuan(cost),
      openDate: '2026-08-03',
    }
    const ledger = {
      cash: yuan(cash) as number as Money,
      day: '',
      session: 1,
      orderSeq: 0,
      dealSeq: 0,
    }
    this.books = booksOf({
      ledger,
      holdings: shares > 0 ? [held] : [],
      orders: [],
      deals: [],
      acted: [],
    })
  }

  begin(price: number): this {
    this.quotes.set(BANK, quote(price, this.nowMs))
    this.counter({ kind: 'dayOpened', day: exchangeDay(this.nowMs) })
    this.hear({ kind: 'started', incarnation: 1, day: exchangeDay(this.nowMs) })
    return this
  }

  override turn(): Turn {
    const turn = super.turn()
    this.#turns.push(turn)
    return turn
  }

  /** An input of the account and all that follows from it, at the counter too. */
  hear(input: AccountInput): void {
    this.#follow(this.input(input))
  }

  /** Something that happens at the counter, and who hears of it. */
  counter(input: PaperInput): void {
    const priceOf = (code: StockCode) => this.quotes.get(code)?.lastPrice ?? (0 as Price)
    const context = { rates: PAPER_POLICY.feeRates, limits: LIMITS, priceOf }
    const { changes, events } = step(this.books, input, context)
    if (changes !== null) applyChanges(this.books, changes)
    for (const event of events) this.hear({ kind: 'driver', event })
  }

  #follow(effects: readonly Effect[]): void {
    for (const turn of this.#turns.splice(0)) this.rows.push(...turn.dirtyRows)
    for (const effect of effects) if (effect.kind === 'call') this.#carryOut(effect.command)
  }

  #carryOut(command: DriverCommand): void {
    const { callId, kind } = command
    const { nowMs } = this
    if (kind === 'submit') {
      const { order } = command
      return this.counter({ kind, callId, order, quote: this.quotes.get(order.code), nowMs })
    }
    if (kind === 'cancel') {
      return this.counter({ kind, callId, orderId: command.orderId, nowMs })
    }
    const event: DriverEvent =
      kind === 'connect'
        ? { kind: 'connectAnswered', callId, result: ok(null) }
        : kind === 'barrier'
          ? { kind: 'barrierAnswered', callId, result: ok(null) }
          : {
              kind: 'queryAnswered',
              callId,
              what: command.what,
              result: ok(this.#report(command.what)),
            }
    this.hear({ kind: 'driver', event })
  }

  #report(what: 'orders' | 'deals' | 'positions' | 'asset') {
    const draft = this.draft()
    const rows = {
      orders: draft.orderRows(),
      deals: draft.dealRows(),
      positions: draft.positionRows(),
      asset: [draft.assetRow((code) => this.quotes.get(code)?.lastPrice ?? (0 as Price))],
    }
    return { what, rows: rows[what] } as never
  }

  draft(): Draft {
    return new Draft(this.books, PAPER_POLICY.feeRates)
  }

  order(side: Side, quantity: number, price: number): void {
    this.#orders += 1
    const key = `${KEY_STEM}${String(this.#orders).padStart(4, '0')}`
    const request = { key, requestHash: key, side, quantity, price: price as Price }
    this.#follow(this.place(request))
  }

  cancelOldest(): void {
    for (const order of this.state.orders.open()) {
      const request = { kind: 'cancelOrder', orderId: order.orderId, source: 'test' } as const
      return this.hear({ kind: 'request', ref: 9_000 + this.#orders, request })
    }
  }

  tick(price: number, fields: Partial<Quote> = {}): void {
    this.nowMs += 3_000
    this.wallMs += 3_000
    const now = { ...quote(0, this.nowMs), lastPrice: price as Price, bid: [price as Price] }
    const seen = { ...now, ask: [price as Price], ...fields }
    this.quotes.set(BANK, seen)
    this.counter({ kind: 'tick', code: BANK, quote: seen })
    this.hear({ kind: 'quotes', crossed: [BANK] })
  }

  nextDay(actions: readonly CorporateAction[] = []): void {
    this.nowMs += 86_400_000
    this.wallMs += 86_400_000
    const day = exchangeDay(this.nowMs)
    this.counter({ kind: 'dayOpened', day })
    this.hear({ kind: 'dayOpened', day })
    if (actions.length > 0) this.counter({ kind: 'corporateActions', actions, nowMs: this.nowMs })
  }

  /** Holdings and cash have been asked for once more. */
  settle(): boolean {
    if (!isSettled(this.state)) this.hear(timer('poll'))
    return isSettled(this.state)
  }

  sales(): readonly Sale[] {
    return this.rows.flatMap((row) => (row.table === 'sales' ? [row.row as Sale] : []))
  }

  /** What all sales have realized; NaN when one is not known. */
  realized(): number {
    return this.sales().reduce((sum, { realized }) => sum + (realized ?? Number.NaN), 0)
  }

  /** What the holdings are worth above their cost. */
  unrealized(): number {
    let sum = 0
    for (const { code, quantity, cost } of this.state.costs.books.values()) {
      sum += (this.quotes.get(code)?.lastPrice ?? Number.NaN) * quantity - (cost ?? Number.NaN)
    }
    return sum
  }

  /** As the counter has it. */
  marketValue(): number {
    let sum = 0
    for (const { code, quantity } of this.books.holdings.values()) {
      sum += (this.quotes.get(code)?.lastPrice ?? Number.NaN) * quantity
    }
    return sum
  }
}
