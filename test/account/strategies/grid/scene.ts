import type { GridEvent } from '../../../../src/account/model/grid-events.ts'
import type { AccountPolicy } from '../../../../src/account/model/policy.ts'
import { type AccountState, emptyState } from '../../../../src/account/model/state.ts'
import { unshownShares } from '../../../../src/account/orders/available.ts'
import type { Effect } from '../../../../src/account/turn/turn.ts'
import type { GridFields } from '../../../../src/domain/grid-fields.ts'
import type { Money, Price, Quantity } from '../../../../src/domain/money.ts'
import type { BrokerOrder } from '../../../../src/domain/order.ts'
import type { GridCommand } from '../../../../src/protocol/grid.ts'
import type { GridSession } from '../../../../src/strategy/grid/session.ts'
import {
  BANK,
  Bench,
  brokerDeal,
  brokerOrder,
  brokerPosition,
  commands,
  policy,
  quote,
  yuan,
} from '../../fixture.ts'

export const gridOn: AccountPolicy = {
  ...policy,
  settings: { ...policy.settings, ENABLE_AUTO_OPERATION: true },
}
const TICK_MS = 3_000

export interface Sent {
  readonly clientOrderId: string
  readonly side: 'buy' | 'sell'
  readonly quantity: Quantity
  readonly price: number
  readonly callId: number
}

/** 1,000 shares that cost 10 yuan, and a broker that says what the test lets it say. */
export class Scene extends Bench {
  #orders = 0
  #deals = 0
  #ref = 0

  /** With a state that was loaded it is as before the first input of its life. */
  constructor(from: AccountPolicy = gridOn, loaded?: AccountState) {
    super(loaded ?? emptyState(from))
    if (loaded === undefined) this.ready([held()])
    this.price(10)
  }

  /** The newest quote, without anybody looking at it. */
  price(value: number): void {
    this.quotes.set(BANK, { ...quote(value, this.nowMs), lastClose: yuan(10) })
  }

  /** Three seconds later the price is this. What was sent then. */
  tick(value: number): readonly Sent[] {
    this.nowMs += TICK_MS
    this.wallMs += TICK_MS
    this.price(value)
    return sent(this.input({ kind: 'quotes', crossed: [BANK] }))
  }

  ticks(...prices: readonly number[]): readonly Sent[] {
    return prices.flatMap((value) => this.tick(value))
  }

  later(ms: number): readonly Effect[] {
    this.nowMs += ms
    this.wallMs += ms
    this.price((this.quotes.get(BANK)?.lastPrice ?? 0) / 10_000)
    return this.input({ kind: 'alarm' })
  }

  ask(request: GridCommand): readonly Effect[] {
    this.#ref += 1
    return this.input({ kind: 'request', ref: this.#ref, request })
  }

  start(config: GridFields = {}): readonly Effect[] {
    const fields = { max_investment: 10_000, center_price: 10, max_deviation: 0.5, ...config }
    return this.ask({ kind: 'gridStart', code: '600036', top: {}, config: fields, source: 'test' })
  }

  stop(): readonly Effect[] {
    return this.ask({ kind: 'gridStop', target: { by: 'all' }, source: 'test' })
  }

  enable(enabled: boolean): readonly Effect[] {
    return this.ask({ kind: 'gridEnable', sessionId: 1, enabled, source: 'test' })
  }

  /** The broker takes it under a number, which is returned. */
  take({ clientOrderId, callId, side, quantity }: Sent): string {
    this.#orders += 1
    const orderId = `9${this.#orders}`
    const outcome = { kind: 'accepted' as const, orderId }
    this.input({
      kind: 'driver',
      event: { kind: 'submitAnswered', callId, clientOrderId, outcome },
    })
    this.report({ clientOrderId, orderId, side, quantity, status: 50 })
    return orderId
  }

  report(row: Partial<BrokerOrder>): readonly Effect[] {
    const order = brokerOrder({ ...row, timeMs: this.nowMs, strategy: 'grid' })
    return this.input({ kind: 'driver', event: { kind: 'orderPushed', order } })
  }

  deal(order: Sent, orderId: string, quantity: number, value: number, dealId = ''): void {
    this.#deals += 1
    const deal = brokerDeal({
      dealId: dealId === '' ? `d${this.#deals}` : dealId,
      orderId,
      clientOrderId: order.clientOrderId,
      side: order.side,
      price: yuan(value),
      quantity: quantity as Quantity,
      amount: (quantity * yuan(value)) as Money,
      timeMs: this.nowMs,
      strategy: 'grid',
    })
    this.input({ kind: 'driver', event: { kind: 'dealPushed', deal } })
  }

  /** Taken and filled whole, as ordered. */
  fill(order: Sent, value = order.price / 10_000): void {
    this.deal(order, this.take(order), order.quantity, value)
  }

  /** The broker shows in its holding and its cash what was filled. What was sent then. */
  settle(): readonly Sent[] {
    const { state } = this
    const held = (state.positions.get(BANK)?.quantity ?? 0) + unshownShares(state, BANK)
    const cash = yuan(999_000) as number as Money
    const asset = { available: cash, frozen: 0 as Money, marketValue: 0 as Money, total: cash }
    const first = this.holds(held)
    return [
      ...first,
      ...sent(this.input({ kind: 'driver', event: { kind: 'assetPushed', asset } })),
    ]
  }

  /** What was sent when it was told so. */
  holds(quantity: number, sellable = quantity): readonly Sent[] {
    const position = held(quantity, sellable)
    return sent(this.input({ kind: 'driver', event: { kind: 'positionPushed', position } }))
  }

  get session(): GridSession {
    const session = [...this.state.grid.sessions.values()].at(-1)
    if (session === undefined) throw new Error('no session')
    return session
  }

  events<K extends GridEvent['kind']>(kind: K): readonly Extract<GridEvent, { kind: K }>[] {
    return this.journal.flatMap(({ event }) =>
      event.kind === kind ? [event as Extract<GridEvent, { kind: K }>] : [],
    )
  }
}

export const held = (quantity = 1_000, sellable = quantity) =>
  brokerPosition({
    quantity: quantity as Quantity,
    sellable: sellable as Quantity,
    costPrice: yuan(10),
  })

export const sent = (effects: readonly Effect[]): readonly Sent[] =>
  commands(effects).flatMap((command) =>
    command.kind === 'submit' ? [{ ...command.order, callId: command.callId }] : [],
  )
export const canceled = (effects: readonly Effect[]): readonly string[] =>
  commands(effects).flatMap((command) => (command.kind === 'cancel' ? [command.orderId] : []))
export const refusedWith = (effects: readonly Effect[]) =>
  effects.flatMap((effect) => (effect.kind === 'refuse' ? [effect.error] : []))
export const answered = (effects: readonly Effect[]): readonly Record<string, unknown>[] =>
  effects.flatMap((effect) =>
    effect.kind === 'reply' ? [(effect.value as { fields: Record<string, unknown> }).fields] : [],
  )

/** A scene in which a grid runs. */
export function withGrid(config: GridFields = {}, from: AccountPolicy = gridOn): Scene {
  const scene = new Scene(from)
  scene.start(config)
  return scene
}

/** Above the upper level of 10 and back: the next order is a sale. */
export const RISE = [10.51, 10.6, 10.54] as const
/** Below the lower level of 10 and back: the next order is a purchase. */
export const DIP = [9.49, 9.4, 9.45] as const

/** The one order that these prices lead to. */
export function only(scene: Scene, prices: readonly number[]): Sent {
  const [order, ...more] = scene.ticks(...prices)
  if (order === undefined || more.length > 0) throw new Error(`${more.length + 1} orders`)
  return order
}

/** So much time passes, of both clocks, and nobody is rung. */
export function pass(scene: Scene, ms: number): void {
  scene.nowMs += ms
  scene.wallMs += ms
}

/** It rests at the broker under its limit. */
export function rests(scene: Scene, order: Sent): void {
  const orderId = scene.take(order)
  scene.report({ ...order, orderId, price: order.price as Price, status: 50 })
}
