import fc from 'fast-check'
import t, { type Test } from 'tap'
import { apply } from '../../../../src/account/fold/apply.ts'
import { emptyState } from '../../../../src/account/model/state.ts'
import { openOrders, reservedOf } from '../../../../src/account/strategies/grid/lookups.ts'
import type { Quantity } from '../../../../src/domain/money.ts'
import { openCostOf } from '../../../../src/strategy/grid/ledger.ts'
import { rebuildLedger } from '../../../strategy/grid/fixture.ts'
import { BANK } from '../../fixture.ts'
import { gridOn, Scene, sent } from './scene.ts'

const LIMITS = { low: 9, high: 11 }
const CHANGES = ['pause', 'resume', 'resume', 'closeGate', 'openGate', 'openGate', 'stop']
const step = fc.record({
  move: fc.integer({ min: -25, max: 25 }),
  /** What the broker does with orders that are open. */
  client: fc.constantFrom('nothing', 'part', 'fill', 'cancel', 'reject'),
  waitMs: fc.constantFrom(0, 0, 60_000, 400_000),
  change: fc.constantFrom(...Array<string>(40).fill('none'), ...CHANGES),
})

type Orders = ReturnType<typeof sent>
interface Open {
  readonly order: Orders[number]
  readonly id: string
  readonly left: number
}
const LOT = 100
/** Shares that each thing a client can do fills of what is left. */
const FILLED: Readonly<Record<string, (left: number) => number>> = {
  fill: (left) => left,
  part: (left) => Math.min(left, LOT),
}

/** A broker with 1,000 shares, that keeps its own account of what it holds. */
class Client {
  readonly scene = new Scene()
  held = 1_000
  readonly #open = new Map<string, Open>()

  take(orders: Orders): void {
    for (const order of orders) {
      const id = this.scene.take(order)
      this.#open.set(order.clientOrderId, { order, id, left: order.quantity })
      if (order.side === 'sell') this.#report()
    }
  }

  /** Does the same with every open order. What was sent because of it. */
  act(what: string): Orders {
    const later = [...this.#open.values()].flatMap((open) =>
      this.#end(this.#fill(open, what), what),
    )
    return [...later, ...this.#report()]
  }

  #fill(open: Open, what: string): Open {
    const { order, id } = open
    const part = FILLED[what]?.(open.left) ?? 0
    if (part === 0) return open
    this.scene.deal(order, id, part, order.price / 10_000)
    this.held += order.side === 'buy' ? part : -part
    const rest = { order, id, left: open.left - part }
    if (rest.left === 0) this.#open.delete(order.clientOrderId)
    else this.#open.set(order.clientOrderId, rest)
    return rest
  }

  #end({ order, id, left }: Open, what: string): Orders {
    const filledQuantity = (order.quantity - left) as Quantity
    const isRefused = what === 'reject' && filledQuantity === 0
    if (left === 0 || !(what === 'cancel' || isRefused)) return []
    this.#open.delete(order.clientOrderId)
    const status = isRefused ? 57 : filledQuantity > 0 ? 53 : 54
    const row = { ...order, orderId: id, price: order.price as never, status, filledQuantity }
    return sent(this.scene.report(row as Parameters<Scene['report']>[0]))
  }

  /** Everything may be sold but what open sales have frozen. */
  #report(): Orders {
    const sales = [...this.#open.values()].filter(({ order }) => order.side === 'sell')
    const frozen = sales.reduce((sum, { left }) => sum + left, 0)
    return this.scene.holds(this.held, this.held - frozen)
  }
}

interface Step {
  readonly move: number
  readonly client: string
  readonly waitMs: number
  readonly change: string
}

/** One price, what the broker makes of it, and what the operator does; with what must hold. */
function turn(t: Test, client: Client, { move, client: what, waitMs, change }: Step): void {
  const { scene } = client
  const last = (scene.quotes.get(BANK)?.lastPrice ?? 0) / 10_000
  scene.nowMs += waitMs
  scene.wallMs += waitMs
  const isOpen = scene.session.isEnabled && scene.state.settings.ENABLE_GRID_TRADING
  const price = Math.round(last * 100 + move) / 100
  const orders = scene.tick(Math.min(LIMITS.high, Math.max(LIMITS.low, price)))
  if (!isOpen) t.strictSame(orders, [], 'a closed gate lets nothing out')
  const sales = orders.filter(({ side }) => side === 'sell')
  t.ok(sales.every(({ quantity }) => quantity <= client.held))
  client.take(orders)
  client.take(client.act(what))
  act(scene, change)
  const { session } = scene
  const used = openCostOf(session.ledger) + reservedOf(scene.state, session.id)
  t.ok(used <= session.maxInvestment, 'never above the quota')
  const sides = openOrders(scene.state, session.id).map(({ side }) => side)
  t.equal(new Set(sides).size, sides.length, 'one open order a side')
  t.ok(client.held >= 0, 'nothing is sold that is not there')
}

const RATES = { price_interval: 0.01, callback_ratio: 0.002, stop_loss: -0.5, target_profit: 1 }

t.test(
  'whatever happens: quota, shares and gates hold, and the books are those of the trades',
  async (t) => {
    let booked = 0
    const modes = fc.constantFrom({}, { trade_mode: 'shares', fixed_volume: 300 })
    const steps = fc.array(step, { minLength: 20, maxLength: 60 })
    const sound = fc.property(modes, steps, (mode, all) => {
      const client = new Client()
      const { scene } = client
      scene.start({ ...RATES, ...mode })
      for (const each of all) turn(t, client, each)
      const trades = scene.events('gridBooked').map(({ trade }) => trade)
      const entries = trades.map((trade) => ({ ...trade, orderId: trade.tradeId }))
      t.strictSame(scene.session.ledger, rebuildLedger(entries))
      const folded = emptyState(gridOn)
      for (const event of scene.journal) apply(folded, event)
      t.strictSame(folded.grid, scene.state.grid, 'a restart finds everything')
      booked += trades.length
    })
    fc.assert(sound, { numRuns: 80 })
    t.ok(booked > 40, `${booked} trades`)
  },
)

function act(scene: Scene, change: string): void {
  const gate = (globalAllowGridTrading: boolean) =>
    scene.input({
      kind: 'request',
      ref: 9,
      request: { kind: 'saveConfig', changes: { globalAllowGridTrading }, source: 'test' },
    })
  if (change === 'pause') scene.enable(false)
  else if (change === 'resume') scene.enable(true)
  else if (change === 'closeGate') gate(false)
  else if (change === 'openGate') gate(true)
  else if (change === 'stop' && scene.session.buyCount > 3) scene.stop()
}
