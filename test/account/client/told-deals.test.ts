import t, { type Test } from 'tap'
import type { Money, Quantity } from '../../../src/domain/money.ts'
import type { BrokerDeal, BrokerOrder } from '../../../src/domain/order.ts'
import { type Client, compare, connect, driver, together } from '../client.ts'
import { type Bench, brokerDeal, brokerOrder, yuan } from '../fixture.ts'
import { reborn } from '../play.ts'

/** The same choices with each run. */
function dice(seed: number): (sides: number) => number {
  let state = seed >>> 0
  return (sides) => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % sides
  }
}

interface Terminal {
  /** Of how it writes its numbers: as they are, with zeros in pushes, none in pushes, of each order by themselves. */
  readonly manner: 'plain' | 'zeros' | 'unnumbered' | 'ofEachOrder'
  readonly isRenumbered: boolean
  readonly isInexact: boolean
}

const KEYS = ['01ARZ3NDEKTSV4RRFFQ69G5FAV', '01ARZ3NDEKTSV4RRFFQ69G5FAW'] as const
const ORDERED = 1_000 as Quantity

/** Two orders of ours, of one stock, price and side, and what has truly been filled of them. */
class Truth {
  readonly #roll: (sides: number) => number
  readonly #terminal: Terminal
  readonly fills: { order: number; deal: BrokerDeal }[] = []
  isAnew = false

  constructor(roll: (sides: number) => number, terminal: Terminal) {
    this.#roll = roll
    this.#terminal = terminal
  }

  fillOne(nowMs: number): void {
    const order = this.#roll(2)
    const quantity = (100 * (1 + this.#roll(2))) as Quantity
    if (this.filled(order) + quantity > ORDERED) return
    const price = yuan(36.5 - this.#roll(2) / 100)
    const ofOrder = this.fills.filter((fill) => fill.order === order).length
    const dealId =
      this.#terminal.manner === 'ofEachOrder' ? `${ofOrder + 1}` : `10400${this.fills.length + 1}`
    const amount = (price * quantity) as Money
    const timeMs = nowMs - (nowMs % 1_000)
    const row = { dealId, quantity, price, amount, timeMs, orderId: '', clientOrderId: KEYS[order] }
    this.fills.push({ order, deal: brokerDeal(row as Partial<BrokerDeal>) })
  }

  filled(order: number): number {
    const own = this.fills.filter((fill) => fill.order === order)
    return own.reduce((sum, { deal }) => sum + deal.quantity, 0)
  }

  number = (order: number): string => `${(this.isAnew ? 2_001 : 1_001) + order}`

  orders(): BrokerOrder[] {
    return KEYS.map((clientOrderId, order) => {
      const filledQuantity = this.filled(order) as Quantity
      const status = filledQuantity === 0 ? 50 : filledQuantity === ORDERED ? 56 : 55
      const orderId = this.number(order)
      return brokerOrder({ clientOrderId, orderId, quantity: ORDERED, filledQuantity, status })
    })
  }

  deals(): BrokerDeal[] {
    return this.fills.map(({ order, deal }) => ({ ...deal, orderId: this.number(order) }))
  }

  /** As a push tells it, perhaps once more. */
  pushed(index: number): BrokerDeal | undefined {
    const deal = this.deals()[index]
    const fill = this.fills[index]
    if (deal === undefined || fill === undefined) return undefined
    const { manner, isInexact } = this.#terminal
    const timeMs = deal.timeMs + (isInexact ? this.#roll(2) * 700 : 0)
    if (manner === 'zeros') return { ...deal, timeMs, dealId: `000${deal.dealId}` }
    if (manner !== 'unnumbered' || this.#roll(2) === 0) return { ...deal, timeMs }
    // By the first name of its order, as sidecar and script do.
    const { quantity, price } = deal
    return { ...deal, dealId: `row:${1_001 + fill.order}:${deal.timeMs}:${quantity}:${price}` }
  }
}

const booked = ({ state }: Bench): number[] =>
  KEYS.map((key) => state.orders.get(key)?.filledQuantity ?? -1)

function place(bench: Bench, client: Client, truth: Truth): void {
  for (const key of KEYS) bench.place({ key, quantity: ORDERED })
  client.orders = truth.orders()
  for (const order of client.orders) driver(bench, { kind: 'orderPushed', order })
}

/** A life of pushes and lists in any order, some of them again and some never, with restarts between. */
function live(t: Test, seed: number, terminal: Terminal): void {
  const roll = dice(seed)
  const truth = new Truth(roll, terminal)
  let { bench, client } = together()
  place(bench, client, truth)
  const news = (lag: number): void => {
    client.orders = truth.orders()
    client.deals = truth.deals().slice(0, truth.fills.length - lag)
    if (roll(2) === 0) client.deals.reverse()
  }
  const again = (): void => {
    const before = bench
    bench = reborn(before)
    bench.journal.push(...before.journal)
    connect(bench, client, bench.input({ kind: 'started', incarnation: 2, day: '2026-08-11' }))
  }
  const moves = [
    () => truth.fillOne(bench.nowMs),
    () => truth.fillOne(bench.nowMs),
    () => {
      const deal = truth.pushed(roll(Math.max(1, truth.fills.length)))
      if (deal !== undefined) driver(bench, { kind: 'dealPushed', deal })
    },
    () => {
      const order = truth.orders()[roll(2)]
      if (order !== undefined) driver(bench, { kind: 'orderPushed', order })
    },
    () => {
      news(roll(2))
      compare(bench, client)
    },
    () => {
      bench.nowMs += 500
      bench.wallMs += 500
    },
    () => {
      if (roll(4) === 0) again()
    },
    () => {
      if (terminal.isRenumbered && roll(4) === 0) truth.isAnew = true
    },
  ]
  const told = () => `seed ${seed}: ${JSON.stringify(terminal)}`
  for (let move = 0; move < 60; move += 1) {
    moves[roll(moves.length)]?.()
    const ahead = booked(bench).some((shares, order) => shares > truth.filled(order))
    if (!ahead) continue
    t.fail(`more is booked than was filled, ${told()}`)
    return
  }
  news(0)
  for (let times = 0; times < 5; times += 1) compare(bench, client)
  for (const index of truth.fills.keys()) {
    const deal = truth.pushed(index)
    if (deal !== undefined) driver(bench, { kind: 'dealPushed', deal })
  }
  again()
  const want = KEYS.map((_, order) => truth.filled(order))
  t.strictSame(booked(bench), want, told())
  const shares = [...bench.state.deals.values()].reduce((sum, { deal }) => sum + deal.quantity, 0)
  t.equal(shares, (want[0] ?? 0) + (want[1] ?? 0), `all deals, ${told()}`)
}

const LIVES = 15

t.test(
  'F851 whatever is told of the fills of two orders, and however often, each counts once',
  async (t) => {
    for (const manner of ['plain', 'zeros', 'unnumbered', 'ofEachOrder'] as const) {
      for (const bits of [0, 1, 2, 3]) {
        const terminal = { manner, isRenumbered: bits >= 2, isInexact: bits % 2 === 1 }
        for (let seed = 1; seed <= LIVES; seed += 1) live(t, seed, terminal)
      }
    }
  },
)
