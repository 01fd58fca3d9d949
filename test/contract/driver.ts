import type { Test } from 'tap'
import type { StockCode } from '../../src/domain/instrument.ts'
import type { Price, Quantity } from '../../src/domain/money.ts'
import {
  type BrokerDeal,
  type BrokerOrder,
  isTerminal,
  type NewOrder,
} from '../../src/domain/order.ts'
import type { Driver } from '../../src/ports/driver.port.ts'
import type { DriverCommand, DriverEvent } from '../../src/protocol/driver.ts'
import { inTime } from '../in-time.ts'

/** What the suite needs around a driver: an account with cash and 1,000 sellable shares of the code. */
export interface DriverRig {
  readonly driver: Driver
  readonly code: StockCode
  /** What its counter refuses, where that is not a sale of more than is held. */
  readonly refused?: Partial<NewOrder>
  /** False: it answers what it is asked, and tells nothing by itself. */
  readonly isPushing?: boolean
  /** A new tick: best opposite prices in yuan, plenty of volume. Resolves when it is on its way. */
  tick(prices: { readonly bid: number; readonly ask: number }): Promise<void>
  /** Orders that are sent from now on stand on their way to the broker, until the function it gives is called. */
  hold(): () => void
  close(): Promise<void>
}

type Kind = DriverEvent['kind']
type Of<K extends Kind> = Extract<DriverEvent, { kind: K }>
type WithoutId<C> = C extends unknown ? Omit<C, 'callId'> : never

/** Everything a driver has said, and a way to wait for more. */
export class Witness {
  readonly events: DriverEvent[] = []
  readonly #driver: Driver
  readonly #isPushing: boolean
  #callId = 0
  readonly #waiting = new Set<() => void>()

  constructor(driver: Driver, isPushing = true) {
    this.#driver = driver
    this.#isPushing = isPushing
    driver.open((event) => {
      this.events.push(event)
      for (const wake of this.#waiting) wake()
      this.#waiting.clear()
    })
  }

  /** Sends and returns the number of the call. */
  send(command: WithoutId<DriverCommand>): number {
    this.#callId += 1
    this.#driver.send({ ...command, callId: this.#callId } as DriverCommand)
    return this.#callId
  }
  /** The first event of a kind that fits, now or later. */
  async until<K extends Kind>(
    kind: K,
    fits: (event: Of<K>) => boolean = () => true,
  ): Promise<Of<K>> {
    for (;;) {
      for (const event of this.events) {
        if (event.kind === kind && fits(event as Of<K>)) return event as Of<K>
      }
      await this.next(kind)
    }
  }
  /** Resolves with the next event; `wanted` is what the test hopes for. */
  next(wanted = 'event'): Promise<void> {
    const coming = new Promise<void>((resolve) => {
      this.#waiting.add(resolve)
    })
    const last = this.events.at(-1)?.kind ?? 'nothing'
    return inTime(coming, `the ${wanted} of a driver, whose last word was ${last}`)
  }
  answerTo<K extends Extract<DriverEvent, { callId: number }>['kind']>(
    kind: K,
    callId: number,
  ): Promise<Of<K>> {
    return this.until(kind, (event) => (event as { callId: number }).callId === callId)
  }
  async connect(): Promise<void> {
    const { result } = await this.answerTo('connectAnswered', this.send({ kind: 'connect' }))
    if (!result.ok) throw new Error(result.error.message)
  }
  async rows(what: 'asset' | 'positions' | 'orders' | 'deals') {
    const { result } = await this.answerTo('queryAnswered', this.send({ kind: 'query', what }))
    if (!result.ok) throw new Error(result.error.message)
    return result.value
  }
  async submit(order: NewOrder): Promise<string> {
    const { outcome } = await this.answerTo('submitAnswered', this.send({ kind: 'submit', order }))
    if (outcome.kind !== 'accepted') throw new Error(outcome.message)
    return outcome.orderId
  }
  /** The row of an order once it fits: as it is pushed, or as somebody who asks again finds it. */
  async order(orderId: string, fits: (order: BrokerOrder) => boolean): Promise<BrokerOrder> {
    const isIt = (order: BrokerOrder) => order.orderId === orderId && fits(order)
    if (this.#isPushing) return (await this.until('orderPushed', ({ order }) => isIt(order))).order
    for (;;) {
      const report = await this.rows('orders')
      const found = report.what === 'orders' ? report.rows.find(isIt) : undefined
      if (found !== undefined) return found
    }
  }
  /** The row in which the order has come to its end. */
  ended(orderId: string): Promise<BrokerOrder> {
    return this.order(orderId, ({ status }) => isTerminal(status))
  }
  /** The first deal. */
  async deal(): Promise<BrokerDeal | undefined> {
    if (this.#isPushing) return (await this.until('dealPushed')).deal
    const report = await this.rows('deals')
    return report.what === 'deals' ? report.rows[0] : undefined
  }
}

let lastOrder = 0
const orderFor = (code: StockCode, parts: Partial<NewOrder>): NewOrder => {
  lastOrder += 1
  return {
    clientOrderId: `CONTRACT${String(lastOrder).padStart(18, '0')}`,
    code,
    side: 'buy',
    quantity: 100 as Quantity,
    priceType: 11,
    price: 100_000 as Price,
    strategy: 'manual',
    ...parts,
  }
}

/**
 * The acceptance suite that every driver passes: what the account relies on, whatever is behind.
 * `open` gives a fresh rig each time, its market at bid 9.99 and ask 10.00 with lastClose 10.
 */
export function driverContract(runner: Test, open: () => Promise<DriverRig>): void {
  const scene = (
    name: string,
    play: (t: Test, rig: DriverRig, witness: Witness) => Promise<void>,
  ) =>
    runner.test(name, async (t) => {
      const rig = await open()
      try {
        await play(t, rig, new Witness(rig.driver, rig.isPushing))
      } finally {
        await rig.close()
      }
    })
  connectionScenes(scene)
  orderScenes(scene)
  barrierScenes(scene)
  refusalScenes(scene)
}

type Scene = (
  name: string,
  play: (t: Test, rig: DriverRig, witness: Witness) => Promise<void>,
) => void

function connectionScenes(scene: Scene): void {
  scene(
    'before it is connected a submit is rejected and a report is a fault',
    async (t, rig, w) => {
      const order = orderFor(rig.code, {})
      const submitted = await w.answerTo('submitAnswered', w.send({ kind: 'submit', order }))
      t.match(submitted, { clientOrderId: order.clientOrderId, outcome: { kind: 'rejected' } })
      const asked = await w.answerTo('queryAnswered', w.send({ kind: 'query', what: 'positions' }))
      t.match(asked.result, { ok: false, error: { code: 'NOT_CONNECTED' } })
      const canceled = await w.answerTo('cancelAnswered', w.send({ kind: 'cancel', orderId: '1' }))
      t.match(canceled, { orderId: '1', result: { ok: false, error: { code: 'NOT_CONNECTED' } } })
    },
  )

  scene('once connected the four reports answer, each with its own rows', async (t, rig, w) => {
    await w.connect()
    const asset = await w.rows('asset')
    const [row] = asset.what === 'asset' ? asset.rows : []
    t.equal((row?.available ?? 0) + (row?.frozen ?? 0) + (row?.marketValue ?? 0), row?.total)
    const positions = await w.rows('positions')
    t.match(positions.rows, [{ code: rig.code, quantity: 1_000, sellable: 1_000 }])
    t.same((await w.rows('orders')).rows, [])
    t.same((await w.rows('deals')).rows, [])
  })

  scene('after close nothing is heard', async (t, rig, w) => {
    await w.connect()
    const heard = w.events.length
    w.send({ kind: 'query', what: 'asset' })
    rig.driver.close()
    await rig.tick({ bid: 9.99, ask: 10 })
    t.equal(w.events.length, heard)
  })
}

function orderScenes(scene: Scene): void {
  scene(
    'an order that crosses is accepted and filled, and the reports agree',
    async (t, rig, w) => {
      await w.connect()
      const order = orderFor(rig.code, { quantity: 200 as Quantity, strategy: 'grid' })
      const orderId = await w.submit(order)
      t.match(orderId, /^\d{1,19}$/, 'an order number that fits 64 bits')
      const ended = await w.ended(orderId)
      const { clientOrderId } = order
      t.match(ended, { status: 56, clientOrderId, strategy: 'grid', filledQuantity: 200 })
      const deal = await w.deal()
      t.match(deal, { orderId, clientOrderId, code: rig.code, side: 'buy', strategy: 'grid' })
      const deals = await w.rows('deals')
      const dealt =
        deals.what === 'deals' ? deals.rows.filter((row) => row.orderId === orderId) : []
      t.equal(
        dealt.reduce((sum, { quantity }) => sum + quantity, 0),
        200,
      )
      const orders = await w.rows('orders')
      t.match(orders.rows.at(-1), { orderId, status: 56, filledAmount: ended.filledAmount })
      const positions = await w.rows('positions')
      t.match(positions.rows[0], { quantity: 1_200, sellable: 1_000 }, 'T+1')
    },
  )

  scene('an order that does not cross waits for its price', async (t, rig, w) => {
    await w.connect()
    const orderId = await w.submit(orderFor(rig.code, { price: 98_000 as Price }))
    await w.order(orderId, ({ status }) => status === 50)
    await rig.tick({ bid: 9.78, ask: 9.79 })
    t.match(await w.ended(orderId), { status: 56, filledAmount: 9_790_000 })
  })

  scene('a cancel is answered, ends the order and frees the shares', async (t, rig, w) => {
    await w.connect()
    const sale = { side: 'sell', price: 105_000 as Price, quantity: 300 as Quantity } as const
    const orderId = await w.submit(orderFor(rig.code, sale))
    t.match((await w.rows('positions')).rows[0], { quantity: 1_000, sellable: 700 })
    const { result } = await w.answerTo('cancelAnswered', w.send({ kind: 'cancel', orderId }))
    t.ok(result.ok)
    t.match(await w.ended(orderId), { status: 54, filledQuantity: 0 })
    t.match((await w.rows('positions')).rows[0], { sellable: 1_000 })
    const again = await w.answerTo('cancelAnswered', w.send({ kind: 'cancel', orderId }))
    t.match(again.result, { ok: false, error: { code: 'FAILED', message: /./ } })
  })
}

function barrierScenes(scene: Scene): void {
  scene(
    'a barrier that is answered ok stands behind everything sent before it',
    async (t, rig, w) => {
      await w.connect()
      const idle = await w.answerTo('barrierAnswered', w.send({ kind: 'barrier' }))
      t.match(idle.result, { ok: true }, 'nothing is under way')
      const orders = [orderFor(rig.code, { price: 98_000 as Price }), orderFor(rig.code, {})]
      for (const order of orders) w.send({ kind: 'submit', order })
      for (;;) {
        const { result } = await w.answerTo('barrierAnswered', w.send({ kind: 'barrier' }))
        if (result.ok) break
        t.match(result.error, { code: 'FAILED', message: /./ }, 'or it says what stands')
      }
      const { rows } = await w.rows('orders')
      const listed = rows.map((row) => ('clientOrderId' in row ? row.clientOrderId : ''))
      t.strictSame(
        listed.sort(),
        orders.map(({ clientOrderId }) => clientOrderId).sort(),
        'lists asked for after it show all of them',
      )
    },
  )

  scene('no barrier is answered ok while an order stands on its way', async (t, rig, w) => {
    await w.connect()
    const release = rig.hold()
    const order = orderFor(rig.code, {})
    w.send({ kind: 'submit', order })
    for (let i = 0; i < 3; i++) {
      const { result } = await w.answerTo('barrierAnswered', w.send({ kind: 'barrier' }))
      t.match(result, { ok: false, error: { code: 'FAILED', message: /./ } })
      t.strictSame((await w.rows('orders')).rows, [], 'the lists pass it')
    }
    release()
    for (;;) {
      const { result } = await w.answerTo('barrierAnswered', w.send({ kind: 'barrier' }))
      if (result.ok) break
    }
    t.match((await w.rows('orders')).rows, [{ clientOrderId: order.clientOrderId }])
  })

  scene('without a connection a barrier says nothing', async (t, _rig, w) => {
    const { result } = await w.answerTo('barrierAnswered', w.send({ kind: 'barrier' }))
    t.match(result, { ok: false, error: { code: 'NOT_CONNECTED' } })
  })
}

function refusalScenes(scene: Scene): void {
  scene('an order refused at the counter has a number, status 57 and a text', async (t, rig, w) => {
    await w.connect()
    const tooMany = { side: 'sell', quantity: 5_000 as Quantity } as const
    const orderId = await w.submit(orderFor(rig.code, rig.refused ?? tooMany))
    t.match(await w.ended(orderId), { status: 57, statusMessage: /./, filledQuantity: 0 })
    t.match((await w.rows('orders')).rows, [{ orderId, status: 57 }])
  })

  scene('a cancel of an unknown order is a fault', async (t, _rig, w) => {
    await w.connect()
    const answer = await w.answerTo('cancelAnswered', w.send({ kind: 'cancel', orderId: '42' }))
    t.match(answer, { orderId: '42', result: { ok: false, error: { code: 'FAILED' } } })
  })

  scene('every call is answered once, with its own number', async (t, rig, w) => {
    await w.connect()
    const calls = [
      w.send({ kind: 'query', what: 'asset' }),
      w.send({ kind: 'submit', order: orderFor(rig.code, {}) }),
      w.send({ kind: 'query', what: 'orders' }),
      w.send({ kind: 'cancel', orderId: '42' }),
      w.send({ kind: 'query', what: 'deals' }),
      w.send({ kind: 'barrier' }),
    ]
    const answered = () =>
      w.events.flatMap((event) => ('callId' in event && event.callId > 0 ? [event.callId] : []))
    while (answered().length <= calls.length) await w.next()
    t.same(answered().slice(1).sort(), calls)
  })
}
