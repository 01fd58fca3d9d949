import { emptyState } from '../../../../src/account/model/state.ts'
import { nextOrderMs } from '../../../../src/account/strategies/run.ts'
import { NAME } from '../../../../src/account/strategies/stop-profit/trace.ts'
import type { Effect } from '../../../../src/account/turn/turn.ts'
import type { Money, Quantity } from '../../../../src/domain/money.ts'
import type {
  BrokerDeal,
  BrokerOrder,
  NewOrder,
  OrderRecord,
} from '../../../../src/domain/order.ts'
import type { Settings } from '../../../../src/domain/settings/table.ts'
import {
  BANK,
  Bench,
  brokerDeal,
  brokerOrder,
  brokerPosition,
  commands,
  ORDER,
  policy,
  quote,
  yuan,
} from '../../fixture.ts'
import { said, timer } from '../../play.ts'

const ON = { ENABLE_AUTO_OPERATION: true, ENABLE_AUTO_TRADING: true }
export const CAP = yuan(70_000)

/** A purchase of the strategy as it left, beside what the broker held and had open then. */
interface Sent {
  readonly order: NewOrder
  /** Of all shares of the stock with it, at its price. */
  readonly value: number
  /** Of all assets that is in stocks with it. */
  readonly part: number
  /** Whether the account knew of every fill. */
  readonly isToldAll: boolean
}

/** One stock that is bought more of, at a broker that fills when it likes and tells when it likes. */
export class Buyer {
  readonly bench: Bench
  /** What the broker really holds, whoever has been told. */
  held: number
  readonly cost: number
  #asset: Money = yuan(1_000_000) as number as Money
  #number = 7_000
  /** Cash is not told. */
  isSilent = false
  readonly #untold: BrokerDeal[] = []
  readonly sent: Sent[] = []
  readonly rows = new Map<string, BrokerOrder>()

  constructor(held: number, cost: number, settings: Partial<Settings> = {}) {
    this.held = held
    this.cost = cost
    const own = { ...policy, settings: { ...policy.settings, ...ON, ...settings } }
    this.bench = new Bench(emptyState(own))
    this.bench.quotes.set(BANK, quote(cost, this.bench.nowMs))
    this.bench.ready([this.#position()])
  }
  #position() {
    const quantity = this.held as Quantity
    return brokerPosition({ costPrice: yuan(this.cost), quantity, sellable: quantity })
  }
  get open(): readonly BrokerOrder[] {
    return [...this.rows.values()].filter(({ status }) => status === 50)
  }
  get last(): OrderRecord | undefined {
    return [...this.bench.state.orders.values()].at(-1)
  }
  get verdict(): string | undefined {
    const [entry] = (this.bench.state.trace.of(NAME).get(BANK) ?? []).slice(-1)
    return (entry as { verdicts?: readonly { code: string }[] })?.verdicts?.at(-1)?.code
  }

  tick(price: number, asked = price): this {
    this.wait(3_000)
    const levels = { lastClose: yuan(this.cost), ask: [yuan(asked), yuan(asked), yuan(asked)] }
    this.bench.quotes.set(BANK, { ...quote(price, this.bench.nowMs), ...levels })
    this.#work(this.bench.input({ kind: 'quotes', crossed: [BANK] }))
    return this
  }
  wait(ms: number): this {
    this.bench.nowMs += ms
    this.bench.wallMs += ms
    return this
  }
  ring(): this {
    const next = nextOrderMs(this.bench.state, this.bench.nowMs)
    if (Number.isFinite(next)) this.wait(next - this.bench.nowMs)
    this.#work(this.bench.input({ kind: 'alarm' }))
    return this
  }
  /** The broker fills so much of an open order, and says so; or tells of it later. */
  fill(order: BrokerOrder | undefined, quantity: number, isTold = true): this {
    if (order === undefined || quantity <= 0) return this
    const { orderId, clientOrderId, price } = order
    const filledQuantity = (order.filledQuantity + quantity) as Quantity
    const status = filledQuantity === order.quantity ? 56 : order.status
    const row = { ...order, filledQuantity, status } as BrokerOrder
    this.rows.set(orderId, row)
    this.held += quantity
    const amount = (price * quantity) as Money
    this.#asset = (this.#asset - amount) as Money
    const timeMs = this.bench.nowMs
    const shares = quantity as Quantity
    const own = { orderId, clientOrderId, price, amount, timeMs, quantity: shares }
    this.#untold.push(brokerDeal({ ...own, dealId: `d${orderId}-${filledQuantity}` }))
    return isTold ? this.tell() : this
  }
  /** A person buys, and it is filled at once. */
  byHand(quantity: number, price: number): this {
    const request = { ...ORDER, quantity, price: yuan(price) }
    this.#work(this.bench.input({ kind: 'request', ref: 2, request }))
    return this.fill(this.open.at(-1), quantity)
  }
  /** What has happened is told at last. */
  tell(): this {
    for (const deal of this.#untold.splice(0)) {
      this.#work(this.bench.input(said({ kind: 'dealPushed', deal })))
      const order = this.rows.get(deal.orderId)
      if (order !== undefined) this.#work(this.bench.input(said({ kind: 'orderPushed', order })))
    }
    return this
  }
  /** The lists of holdings and cash are asked for and answered. */
  list(): this {
    this.wait(policy.limits.positionQueryIntervalMs)
    this.#work(this.bench.input(timer('poll')))
    return this
  }
  save(changes: Readonly<Record<string, number | boolean>>): this {
    const request = { kind: 'saveConfig', changes, source: 'test' } as const
    this.#work(this.bench.input({ kind: 'request', ref: 1, request }))
    return this
  }

  #work(effects: readonly Effect[]): void {
    for (const command of commands(effects)) {
      const { callId } = command
      if (command.kind === 'submit') this.#take(command.order, callId)
      else if (command.kind === 'cancel') this.#cancel(command.orderId, callId)
      else if (command.kind === 'query') this.#answer(command)
    }
  }
  #take(order: NewOrder, callId: number): void {
    const { clientOrderId, quantity } = order
    const last = this.bench.quotes.get(BANK)?.lastPrice ?? yuan(0)
    const price = order.priceType === 11 ? order.price : last
    const coming = this.open.reduce((sum, row) => sum + row.quantity - row.filledQuantity, 0)
    if (order.side === 'buy' && order.strategy !== 'manual') {
      const bought = (coming + quantity) * price
      const part = (this.held * last + bought) / (this.held * last + this.#asset)
      const isToldAll = this.#untold.length === 0
      this.sent.push({ order, value: this.held * price + bought, part, isToldAll })
    }
    const orderId = String(++this.#number)
    const timeMs = this.bench.nowMs
    const row = brokerOrder({ ...order, orderId, price, timeMs })
    this.rows.set(orderId, row)
    const outcome = { kind: 'accepted', orderId } as const
    this.#work(this.bench.input(said({ kind: 'submitAnswered', callId, clientOrderId, outcome })))
    this.#work(this.bench.input(said({ kind: 'orderPushed', order: row })))
  }
  #cancel(orderId: string, callId: number): void {
    const row = this.rows.get(orderId)
    const result = { ok: true, value: null } as const
    this.#work(this.bench.input(said({ kind: 'cancelAnswered', callId, orderId, result })))
    if (row?.status !== 50) return
    const ended = { ...row, status: row.filledQuantity > 0 ? 53 : 54 } as BrokerOrder
    this.rows.set(orderId, ended)
    this.#work(this.bench.input(said({ kind: 'orderPushed', order: ended })))
  }
  #answer(query: ReturnType<typeof commands>[number]): void {
    if (query.kind !== 'query') return
    const { callId, what } = query
    if (this.isSilent && what === 'asset') return
    const lists = {
      asset: [{ available: this.#asset, frozen: 0, marketValue: 0, total: this.#asset }],
      orders: [...this.rows.values()],
      positions: [this.#position()],
      deals: [],
    }
    const result = { ok: true, value: { what, rows: lists[what] } as never } as const
    this.#work(this.bench.input(said({ kind: 'queryAnswered', callId, what, result })))
  }
}
