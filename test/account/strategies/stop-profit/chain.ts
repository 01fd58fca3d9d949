import type { AccountPolicy } from '../../../../src/account/model/policy.ts'
import { emptyState } from '../../../../src/account/model/state.ts'
import { nextOrderMs } from '../../../../src/account/strategies/run.ts'
import type { SignalOrder } from '../../../../src/account/strategies/stop-profit/follow-up.ts'
import type { Effect } from '../../../../src/account/turn/turn.ts'
import type { Money, Price, Quantity } from '../../../../src/domain/money.ts'
import type { BrokerOrder, OrderRecord } from '../../../../src/domain/order.ts'
import type { Quote } from '../../../../src/ports/quotes.port.ts'
import {
  BANK,
  Bench,
  brokerDeal,
  brokerOrder,
  brokerPosition,
  policy,
  quote,
  yuan,
} from '../../fixture.ts'
import { said } from '../../play.ts'

/** A stop of 300 shares. */
export const SALE: SignalOrder = {
  signalType: 'stop_loss',
  code: BANK,
  side: 'sell',
  quantity: 300 as Quantity,
  priceType: 5,
  price: 0 as Price,
  signalPrice: yuan(36.4),
}
/** A supplementary purchase of as many. */
export const PURCHASE: SignalOrder = { ...SALE, signalType: 'add_position', side: 'buy' }
/** Five levels on both sides of 36.50. */
export const BOOK: Quote = {
  ...quote(36.5),
  bid: [36.49, 36.48, 36.47, 36.46, 36.45].map(yuan),
  ask: [36.51, 36.52, 36.53, 36.54, 36.55].map(yuan),
}

/** An account whose strategies may act. */
export const acting = (
  pending: Partial<AccountPolicy['pending']> = {},
  risk: Partial<AccountPolicy['risk']> = {},
): Bench => {
  const settings = { ...policy.settings, ENABLE_AUTO_OPERATION: true, ENABLE_AUTO_TRADING: true }
  const changed = { pending: { ...policy.pending, ...pending }, risk: { ...policy.risk, ...risk } }
  return new Bench(emptyState({ ...policy, settings, ...changed }))
}

/** More is bought of what has cost more. */
const heldFor = ({ side }: SignalOrder) =>
  brokerPosition(side === 'buy' ? { costPrice: yuan(38) } : {})

/** An account with a signal's order that works under number `1001`. */
export class Chain {
  readonly bench: Bench
  #number = 1000

  constructor(
    signal: SignalOrder = SALE,
    bench = acting().ready([heldFor(signal)]),
    /** Null: nothing is quoted. */
    book: Quote | null = BOOK,
    row: Partial<BrokerOrder> = {},
  ) {
    this.bench = bench
    if (book !== null) bench.quotes.set(BANK, book)
    bench.signal(signal)
    this.accept(row)
  }
  get last(): OrderRecord {
    const order = [...this.bench.state.orders.values()].at(-1)
    if (order === undefined) throw new Error('no order')
    return order
  }
  get orders(): readonly OrderRecord[] {
    return [...this.bench.state.orders.values()]
  }
  accept(row: Partial<BrokerOrder> = {}): void {
    this.#number += 1
    this.report({ status: 50, orderId: String(this.#number), ...row })
  }
  report(row: Partial<BrokerOrder>): readonly Effect[] {
    const { clientOrderId, orderId, side, quantity, createdMs } = this.last
    const order = brokerOrder({ clientOrderId, orderId, side, quantity, timeMs: createdMs, ...row })
    return this.bench.input(said({ kind: 'orderPushed', order }))
  }
  fill(quantity: number): readonly Effect[] {
    const { clientOrderId, orderId, side, filledQuantity, createdMs } = this.last
    const dealId = `${orderId}-${filledQuantity}`
    const deal = brokerDeal({
      clientOrderId,
      orderId,
      side,
      dealId,
      timeMs: createdMs,
      quantity: quantity as Quantity,
    })
    return this.bench.input(said({ kind: 'dealPushed', deal }))
  }
  /** The broker says what is held and what cash is left after fills. */
  show(quantity: number): void {
    const { costPrice } = this.bench.state.positions.get(BANK) ?? brokerPosition()
    const position = brokerPosition({ quantity: quantity as Quantity, costPrice })
    const cash = yuan(990_000) as number as Money
    const asset = { available: cash, frozen: 0 as Money, marketValue: 0 as Money, total: cash }
    this.bench.input(said({ kind: 'positionPushed', position }))
    this.bench.input(said({ kind: 'assetPushed', asset }))
  }
  /** The market clock passes the limit and rings. */
  ring(): readonly Effect[] {
    this.bench.nowMs = nextOrderMs(this.bench.state, this.bench.nowMs)
    return this.bench.input({ kind: 'alarm' })
  }
}
