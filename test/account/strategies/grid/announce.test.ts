import fc from 'fast-check'
import t from 'tap'
import { nextOrders } from '../../../../src/account/strategies/grid/announce.ts'
import { openOrders } from '../../../../src/account/strategies/grid/lookups.ts'
import { BANK, yuan } from '../../fixture.ts'
import { DIP, gridOn, only, RISE, Scene } from './scene.ts'

const TICK_MS = 3_000
/** As it is told at the moment of the next tick, before that has come. */
const announced = (scene: Scene) =>
  nextOrders(
    scene.state,
    { nowMs: scene.nowMs + TICK_MS, quote: (code) => scene.quotes.get(code) },
    scene.session,
  )

t.test('both sides are told with shares and price, and what would stop them', async (t) => {
  const scene = new Scene()
  scene.start()
  t.match(announced(scene), {
    buy: {
      phase: 'level',
      price: yuan(9.49),
      sendsAt: yuan(9.54),
      quantity: 200,
      blocked: undefined,
    },
    sell: { phase: 'level', price: yuan(10.51), sendsAt: yuan(10.45), quantity: 200 },
  })
  scene.ticks(RISE[0], RISE[1])
  t.match(announced(scene), {
    sell: { phase: 'callback', from: yuan(10.6), price: yuan(10.54), quantity: 200 },
    buy: { phase: 'other', blocked: { code: 'other_side' } },
  })
})

t.test(
  'what would stop an order is told: shares of today, cash, limits, permissions, an order under way',
  async (t) => {
    const scene = new Scene()
    scene.start()
    scene.holds(1_000, 0)
    t.match(announced(scene).sell, { quantity: undefined, blocked: { code: 'nothing_sellable' } })
    scene.holds(1_000)
    const asset = { available: 1, frozen: 0, marketValue: 0, total: 1 } as never
    scene.input({ kind: 'driver', event: { kind: 'assetPushed', asset } })
    t.match(announced(scene).buy, {
      quantity: 200,
      blocked: { code: 'INSUFFICIENT_CASH', en: /insufficient cash/ },
    })
    const { state } = scene
    state.settings = { ...state.settings, ENABLE_ALLOW_SELL: false }
    t.match(announced(scene).sell, { blocked: { code: 'SELL_NOT_ALLOWED' } })

    const limited = new Scene()
    limited.start({ price_interval: 0.1 })
    t.match(announced(limited).buy, { blocked: undefined })
    t.match(announced(limited).sell.price, yuan(11.01), 'above limit up: it is never crossed')

    const busy = new Scene()
    busy.start()
    only(busy, DIP)
    t.match(announced(busy).buy, { blocked: { code: 'order_unfinished' } })
  },
)

const RATES = { price_interval: 0.01, callback_ratio: 0.002, stop_loss: -0.5, target_profit: 1 }
const moves = fc.array(
  fc.record({
    move: fc.integer({ min: -12, max: 12 }),
    fills: fc.boolean(),
    sellable: fc.constantFrom(1_000, 1_000, 1_000, 150, 0),
  }),
  { minLength: 20, maxLength: 60 },
)

/** One play: what came was what was announced, or the announcement told what stood in the way. */
class Play {
  readonly seen = new Set<string>()
  readonly #scene: Scene

  constructor(mode: 'amount' | 'shares', isCounterpartyPrice: boolean) {
    const grid = {
      ...gridOn.grid,
      isCounterpartyPrice,
      buyCooldownMs: 9_000,
      sellCooldownMs: 9_000,
    }
    this.#scene = new Scene({ ...gridOn, grid: { ...grid, levelCooldownMs: 3_000 } })
    this.#scene.start({ ...RATES, trade_mode: mode, fixed_volume: 200 })
  }

  /** What was not as announced; undefined when all was. */
  step({ move, fills, sellable }: { move: number; fills: boolean; sellable: number }) {
    const scene = this.#scene
    if (scene.session.status !== 'active') return undefined
    const last = scene.quotes.get(BANK)?.lastPrice ?? 0
    const price = Math.min(11, Math.max(9, (last + move * 100) / 10_000))
    const next = announced(scene)
    const before = scene.session.tracker
    const refusals = scene.events('gridRefused').length
    const [order] = scene.tick(Math.round(price * 100) / 100)
    const refused = scene.events('gridRefused').slice(refusals)[0]
    const side = order?.side ?? refused?.side
    const difference = side && this.#differs({ told: next[side], at: yuan(price), order, refused })
    if (order !== undefined) this.#follow(order, fills)
    else if (openOrders(scene.state, scene.session.id).length === 0) scene.holds(1_000, sellable)
    return difference === undefined
      ? undefined
      : { difference, before, next, price, order, refused }
  }

  #differs({ told, at, order, refused }: Outcome): string | undefined {
    if (told.phase !== 'callback') return `not before the turn: ${told.phase}`
    if (told.side === 'buy' ? at < told.price : at > told.price) return 'too early'
    this.seen.add(`${told.side} ${order === undefined ? 'refused' : 'sent'}`)
    if (at !== told.price) return undefined
    this.seen.add('at the price')
    if (refused !== undefined) {
      return told.blocked?.code === refused.reason ? undefined : `not told: ${refused.reason}`
    }
    if (told.blocked !== undefined) return `told to be stopped: ${told.blocked.code}`
    const isSame = order?.quantity === told.quantity && order?.price === told.orderPrice
    return isSame ? undefined : `${order?.quantity} at ${order?.price}`
  }

  #follow(order: Sent, fills: boolean): void {
    const id = this.#scene.take(order)
    if (fills) {
      this.#scene.deal(order, id, order.quantity, order.price / 10_000)
      this.#scene.settle()
    } else {
      const { clientOrderId, side, quantity } = order
      this.#scene.report({ clientOrderId, side, quantity, orderId: id, status: 54 })
    }
  }
}
type Sent = ReturnType<Scene['tick']>[number]
interface Outcome {
  readonly told: ReturnType<typeof nextOrders>['buy']
  readonly at: number
  readonly order: Sent | undefined
  readonly refused: { readonly side: 'buy' | 'sell'; readonly reason: string } | undefined
}

t.test('the order that comes is the one that was announced', async (t) => {
  const seen = new Set<string>()
  fc.assert(
    fc.property(
      moves,
      fc.constantFrom('amount', 'shares'),
      fc.boolean(),
      (steps, mode, isOther) => {
        const play = new Play(mode as 'amount' | 'shares', isOther)
        for (const step of steps) {
          const wrong = play.step(step)
          if (wrong !== undefined) throw new Error(JSON.stringify(wrong))
        }
        for (const each of play.seen) seen.add(each)
      },
    ),
    { numRuns: 80 },
  )
  const all = ['at the price', 'buy refused', 'buy sent', 'sell refused', 'sell sent']
  t.strictSame([...seen].sort(), all, 'everything was met')
})
