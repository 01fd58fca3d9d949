import { apply } from '../../../../src/account/fold/apply.ts'
import type { AccountPolicy } from '../../../../src/account/model/policy.ts'
import { emptyState } from '../../../../src/account/model/state.ts'
import { accountBand } from '../../../../src/account/strategies/band.ts'
import { nextOrderMs } from '../../../../src/account/strategies/run.ts'
import type { Effect } from '../../../../src/account/turn/turn.ts'
import type { Money, Quantity } from '../../../../src/domain/money.ts'
import type { BrokerDeal, BrokerOrder, BrokerPosition } from '../../../../src/domain/order.ts'
import type { Quote } from '../../../../src/ports/quotes.port.ts'
import type { DriverCommand, DriverEvent } from '../../../../src/protocol/driver.ts'
import {
  BANK,
  Bench,
  brokerDeal,
  brokerOrder,
  brokerPosition,
  commands,
  quote,
  yuan,
} from '../../fixture.ts'
import { said } from '../../play.ts'

/** Some of the prices lie outside the limits of this day, 9.00 to 11.00. */
const quoteOf = (price: number, timeMs: number): Quote => ({
  ...quote(price, timeMs),
  lastClose: yuan(10),
})

type Submit = Extract<DriverCommand, { kind: 'submit' }>

/** One stock at a broker that fills at the last price, or lets orders rest while nobody trades. */
class Venue {
  quantity = 1_000
  costPrice = yuan(10)
  isTrading = true
  readonly orders = new Map<string, BrokerOrder>()
  readonly deals: BrokerDeal[] = []
  #number = 7_000

  /** Shares that open sales have not taken. */
  get sellable(): number {
    const open = [...this.orders.values()].filter(
      ({ status, side }) => status === 50 && side === 'sell',
    )
    return this.quantity - open.reduce((sum, order) => sum + order.quantity, 0)
  }
  get positions(): readonly BrokerPosition[] {
    if (this.quantity === 0) return []
    const [quantity, sellable] = [this.quantity, this.sellable] as Quantity[]
    return [brokerPosition({ costPrice: this.costPrice, quantity, sellable } as BrokerPosition)]
  }

  submit({ order, callId }: Submit, timeMs: number): readonly DriverEvent[] {
    const { clientOrderId, code, side, quantity, priceType, strategy } = order
    if (side === 'sell' && quantity > this.sellable) throw new Error('more than may be sold')
    const orderId = String(++this.#number)
    const row = brokerOrder({
      orderId,
      clientOrderId,
      code,
      side,
      quantity,
      priceType,
      strategy,
      timeMs,
    })
    this.orders.set(orderId, row)
    const outcome = { kind: 'accepted', orderId } as const
    return [
      { kind: 'submitAnswered', callId, clientOrderId, outcome },
      { kind: 'orderPushed', order: row },
      this.#position(),
    ]
  }

  cancel(orderId: string, callId: number): readonly DriverEvent[] {
    const order = this.orders.get(orderId)
    if (order?.status !== 50) {
      const error = { code: 'FAILED', message: 'ended' } as const
      return [{ kind: 'cancelAnswered', callId, orderId, result: { ok: false, error } }]
    }
    const ended: BrokerOrder = { ...order, status: 54 }
    this.orders.set(orderId, ended)
    const result = { ok: true, value: null } as const
    return [
      { kind: 'cancelAnswered', callId, orderId, result },
      { kind: 'orderPushed', order: ended },
      this.#position(),
    ]
  }

  /** Whatever is open fills now. */
  match(price: number, timeMs: number): readonly DriverEvent[] {
    const events: DriverEvent[] = []
    for (const order of this.isTrading ? [...this.orders.values()] : []) {
      if (order.status !== 50) continue
      const { orderId, clientOrderId, side, quantity } = order
      const filled: BrokerOrder = { ...order, status: 56, filledQuantity: quantity }
      this.orders.set(orderId, filled)
      this.quantity += side === 'sell' ? -quantity : quantity
      const amount = (yuan(price) * quantity) as Money
      const own = { orderId, clientOrderId, side, quantity, timeMs, amount }
      const deal = brokerDeal({ ...own, dealId: `d${orderId}`, price: yuan(price) })
      this.deals.push(deal)
      events.push(
        { kind: 'dealPushed', deal },
        { kind: 'orderPushed', order: filled },
        this.#position(),
      )
    }
    return events
  }

  #position(): DriverEvent {
    const [quantity, sellable] = [this.quantity, Math.max(0, this.sellable)] as Quantity[]
    const { costPrice } = this
    return {
      kind: 'positionPushed',
      position: brokerPosition({ costPrice, quantity, sellable } as BrokerPosition),
    }
  }
}

/** An account at this client, tick by tick, as a thread would run it. */
export class Player {
  readonly venue = new Venue()
  readonly #policy: AccountPolicy
  readonly #isBanded: boolean
  /** Called with every order that leaves the account. */
  readonly #sent: (bench: Bench, order: Submit['order']) => void
  bench: Bench

  constructor(
    policy: AccountPolicy,
    isBanded: boolean,
    sent: (bench: Bench, order: Submit['order']) => void,
  ) {
    this.#policy = policy
    this.#isBanded = isBanded
    this.#sent = sent
    this.bench = new Bench(emptyState(policy))
    this.bench.quotes.set(BANK, quoteOf(10, this.bench.nowMs))
    this.#start(1)
  }

  tick(price: number): void {
    const { bench } = this
    bench.nowMs += 3_000
    bench.wallMs += 3_000
    this.#hear(this.venue.match(price, bench.nowMs))
    const isCrossed = this.#isCrossed(price)
    bench.quotes.set(BANK, quoteOf(price, bench.nowMs))
    if (isCrossed) this.#work(bench.input({ kind: 'quotes', crossed: [BANK] }))
    this.#hear(this.venue.match(price, bench.nowMs))
    if (nextOrderMs(bench.state, 0) <= bench.nowMs) this.#work(bench.input({ kind: 'alarm' }))
  }

  /** The thread ends and a new one reads the journal. */
  restart(): void {
    const state = emptyState(this.#policy)
    const { journal, nowMs, wallMs, quotes } = this.bench
    for (const event of journal) apply(state, event)
    this.bench = new Bench(state)
    this.bench.journal.push(...journal)
    Object.assign(this.bench, { nowMs, wallMs })
    for (const [code, known] of quotes) this.bench.quotes.set(code, known)
    this.#start(2)
  }

  save(changes: Record<string, boolean>): void {
    const request = { kind: 'saveConfig', changes, source: 'test' } as const
    this.#work(this.bench.input({ kind: 'request', ref: 1, request }))
  }
  stock(enabled: boolean): void {
    if (!this.bench.state.positions.has(BANK)) return
    const request = { kind: 'setStopProfit', code: BANK, enabled, source: 'test' } as const
    this.#work(this.bench.input({ kind: 'request', ref: 1, request }))
  }

  #start(incarnation: number): void {
    this.#work(this.bench.input({ kind: 'started', incarnation, day: '2026-08-11' }))
  }

  #isCrossed(price: number): boolean {
    if (!this.#isBanded) return true
    const sight = { nowMs: this.bench.nowMs, quote: () => this.bench.quotes.get(BANK), floor: 0 }
    const { low, high } = accountBand(this.bench.state, BANK, sight)
    return yuan(price) < low || yuan(price) > high
  }

  #work(effects: readonly Effect[]): void {
    for (const command of commands(effects)) this.#hear(this.#carryOut(command))
  }
  #hear(events: readonly DriverEvent[]): void {
    for (const event of events) this.#work(this.bench.input(said(event)))
  }

  #carryOut(command: DriverCommand): readonly DriverEvent[] {
    const { venue, bench } = this
    const { callId } = command
    switch (command.kind) {
      case 'connect':
        return [{ kind: 'connectAnswered', callId, result: { ok: true, value: null } }]
      case 'barrier':
        return [{ kind: 'barrierAnswered', callId, result: { ok: true, value: null } }]
      case 'submit':
        this.#sent(bench, command.order)
        return venue.submit(command, bench.nowMs)
      case 'cancel':
        return venue.cancel(command.orderId, callId)
      case 'query': {
        const { what } = command
        const cash = yuan(1_000_000)
        const asset = { available: cash, frozen: 0, marketValue: 0, total: cash }
        const lists = {
          orders: [...venue.orders.values()],
          deals: venue.deals,
          positions: venue.positions,
        }
        const rows = what === 'asset' ? [asset] : lists[what]
        const result = { ok: true, value: { what, rows } as never } as const
        return [{ kind: 'queryAnswered', callId, what, result }]
      }
    }
  }
}
