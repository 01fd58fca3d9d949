import type { StockCode } from '../../src/domain/instrument.ts'
import { moneyFromYuan, notional, type Price, type Quantity } from '../../src/domain/money.ts'
import type { BrokerDeal, BrokerOrder, BrokerPosition, NewOrder } from '../../src/domain/order.ts'
import { ok } from '../../src/domain/result.ts'
import type { DriverCommand, DriverEvent, QueryRows } from '../../src/protocol/driver.ts'

/** What it is told with: a moment, and what a stock costs at it. */
export interface MadeUpMoment {
  readonly nowMs: number
  readonly priceOf: (code: StockCode) => Price
}

const NONE = moneyFromYuan(0)
const CASH = moneyFromYuan(1_000_000)
const STATUS = { taken: 50, filled: 56 } as const

/** A broker that exists in a rehearsal only: it holds some shares of each stock, and fills every order whole. */
export class MadeUpBroker {
  readonly #held: Map<StockCode, BrokerPosition>
  readonly #orders: BrokerOrder[] = []
  readonly #deals: BrokerDeal[] = []

  constructor(held: readonly BrokerPosition[]) {
    this.#held = new Map(held.map((position) => [position.code, position]))
  }

  /** The answer to a command, and what a trading client pushes after it, in its order. */
  answer(command: DriverCommand, moment: MadeUpMoment): readonly DriverEvent[] {
    const { callId } = command
    const result = ok(null)
    switch (command.kind) {
      case 'connect':
        return [{ kind: 'connectAnswered', callId, result }]
      case 'barrier':
        return [{ kind: 'barrierAnswered', callId, result }]
      case 'cancel':
        return [{ kind: 'cancelAnswered', callId, orderId: command.orderId, result }]
      case 'query': {
        const { what } = command
        return [{ kind: 'queryAnswered', callId, what, result: ok(this.#rows(what)) }]
      }
      case 'submit':
        return this.#sell(callId, command.order, moment)
    }
  }

  #sell(callId: number, order: NewOrder, { nowMs, priceOf }: MadeUpMoment): DriverEvent[] {
    const { clientOrderId, code, quantity } = order
    const orderId = String(this.#orders.length + 1)
    const taken: BrokerOrder = {
      ...order,
      orderId,
      filledQuantity: 0 as Quantity,
      filledAmount: NONE,
      status: STATUS.taken,
      statusMessage: '',
      timeMs: nowMs,
    }
    const price = priceOf(code)
    const amount = notional(price, quantity)
    const { side, strategy } = order
    const deal: BrokerDeal = {
      dealId: orderId,
      orderId,
      clientOrderId,
      code,
      side,
      quantity,
      price,
      amount,
      fee: NONE,
      timeMs: nowMs,
      strategy,
    }
    const filled = {
      ...taken,
      filledQuantity: quantity,
      filledAmount: amount,
      status: STATUS.filled,
    }
    this.#orders.push(filled)
    this.#deals.push(deal)
    this.#held.delete(code)
    return [
      { kind: 'submitAnswered', callId, clientOrderId, outcome: { kind: 'accepted', orderId } },
      { kind: 'orderPushed', order: taken },
      { kind: 'dealPushed', deal },
      { kind: 'orderPushed', order: filled },
    ]
  }

  #rows(what: QueryRows['what']): QueryRows {
    switch (what) {
      case 'asset':
        return { what, rows: [{ available: CASH, frozen: NONE, marketValue: NONE, total: CASH }] }
      case 'positions':
        return { what, rows: [...this.#held.values()] }
      case 'orders':
        return { what, rows: this.#orders }
      case 'deals':
        return { what, rows: this.#deals }
    }
  }
}
