import { emptyState } from '../../../../src/account/model/state.ts'
import type { Effect } from '../../../../src/account/turn/turn.ts'
import type { StockCode } from '../../../../src/domain/instrument.ts'
import type { Quantity } from '../../../../src/domain/money.ts'
import type { BrokerPosition } from '../../../../src/domain/order.ts'
import { BANK, Bench, brokerPosition, commands, keyOf, policy, quote, yuan } from '../../fixture.ts'
import { accepted, barred, barrierIn, dealt, timer } from '../../play.ts'

const ON = { ENABLE_AUTO_OPERATION: true, ENABLE_AUTO_TRADING: true, ENABLE_STOP_LOSS_BUY: false }

export const holding = (sellable: number, quantity = sellable, code = BANK): BrokerPosition =>
  brokerPosition({
    code,
    costPrice: yuan(10),
    quantity: quantity as Quantity,
    sellable: sellable as Quantity,
  })

/** 1,000 shares at a cost of 10 yuan; the stop is at 9.25. */
export class Holder {
  readonly bench: Bench
  sellable = 1_000
  quantity = 1_000

  readonly code: StockCode

  constructor(pending: Partial<typeof policy.pending> = {}, code = BANK) {
    this.code = code
    const settings = { ...policy.settings, ...ON }
    const risk = { ...policy.risk, refuseDuplicates: true }
    this.bench = new Bench(
      emptyState({ ...policy, risk, settings, pending: { ...policy.pending, ...pending } }),
    )
    this.bench.quotes.set(code, quote(10, this.bench.nowMs))
    this.bench.ready([holding(1_000, 1_000, code)])
  }
  later(ms: number): this {
    this.bench.nowMs += ms
    this.bench.wallMs += ms
    return this
  }
  ticks(...prices: readonly number[]): this {
    for (const price of prices) {
      this.later(3_000)
      this.bench.quotes.set(this.code, quote(price, this.bench.nowMs))
      this.bench.input({ kind: 'quotes', crossed: [this.code] })
    }
    return this
  }
  /** A sale by hand. */
  sell(n: number, quantity: number): readonly Effect[] {
    const order = { key: keyOf(n), requestHash: `h${n}`, price: 0, priceType: 5 }
    return this.bench.place({ ...order, side: 'sell', quantity })
  }
  /** The newest order is not answered in time. */
  doubt(): this {
    const call = [...this.bench.state.calls].findLast(([, { kind }]) => kind === 'submit')
    this.bench.input({ kind: 'callTimedOut', callId: call?.[0] ?? 0 })
    return this
  }
  /** It is filled, and a list shows what is left. */
  fill(orderId: string): this {
    const { bench } = this
    const call = [...bench.state.calls].findLast(([, { kind }]) => kind === 'submit')
    const order = [...bench.state.orders.values()].at(-1)
    if (call === undefined || order === undefined) throw new Error('no order')
    const { clientOrderId, quantity } = order
    bench.input(accepted(call[0], orderId, clientOrderId))
    const dealId = `d${orderId}`
    bench.input(dealt({ orderId, clientOrderId, dealId, side: 'sell', quantity }))
    this.sellable -= quantity
    this.quantity -= quantity
    return this.list()
  }
  list(): this {
    const asked = commands(this.bench.input(timer('poll')))
    this.bench.answerQueries(asked, {
      positions: [holding(this.sellable, this.quantity, this.code)],
    })
    return this
  }
  /** One look for orders in doubt; the driver says whether something may still arrive. */
  look(isCleared: boolean): this {
    const effects = this.bench.input(timer('doubt'))
    const barrier = barrierIn(effects)
    const rows = { positions: [holding(this.sellable, this.quantity, this.code)] }
    this.bench.answerQueries(commands(effects), rows)
    if (barrier === undefined) return this
    const error = { code: 'FAILED', message: 'it stands' } as const
    const next = this.bench.input(barred(barrier, isCleared ? undefined : { ok: false, error }))
    this.bench.answerQueries(commands(next), rows)
    return this
  }
  get sent(): readonly string[] {
    return [...this.bench.state.orders.values()].map(
      ({ strategy, quantity }) => `${strategy} ${quantity}`,
    )
  }
}
