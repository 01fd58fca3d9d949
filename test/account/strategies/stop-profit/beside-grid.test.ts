import t from 'tap'
import type { Effect } from '../../../../src/account/turn/turn.ts'
import type { Quantity } from '../../../../src/domain/money.ts'
import { BANK, brokerPosition, commands, keyOf, policy, set, yuan } from '../../fixture.ts'
import { timer } from '../../play.ts'
import { canceled, gridOn, only, RISE, Scene, sent } from '../grid/scene.ts'

const SETTINGS = {
  ...gridOn.settings,
  ENABLE_AUTO_TRADING: true,
  ENABLE_STOP_LOSS_BUY: false,
  INITIAL_TAKE_PROFIT_RATIO: 0.2,
}

/** 1,000 shares that cost 10; a sale of a grid rests, and a list shows the others. */
class Beside extends Scene {
  readonly sale
  readonly number: string

  constructor() {
    super({ ...gridOn, settings: SETTINGS })
    this.start()
    this.sale = only(this, RISE)
    this.number = this.take(this.sale)
    this.list(this.free)
  }
  get free(): number {
    return 1_000 - this.sale.quantity
  }
  /** A list of the holdings that was asked for now. */
  list(sellable: number, quantity = 1_000): readonly Effect[] {
    const asked = this.input(timer('poll'))
    const shares = { sellable: sellable as Quantity, quantity: quantity as Quantity }
    const positions = [brokerPosition({ costPrice: yuan(10), ...shares })]
    return [...asked, ...this.answerQueries(commands(asked), { positions })]
  }
  /** What was sent and canceled when the price has fallen to the stop. */
  fall(value = 9.2): {
    readonly submits: ReturnType<typeof sent>
    readonly cancels: readonly string[]
  } {
    this.nowMs += 3_000
    this.wallMs += 3_000
    this.price(value)
    const effects = this.input({ kind: 'quotes', crossed: [BANK] })
    return { submits: sent(effects), cancels: canceled(effects) }
  }
  end(status: 53 | 54 = 54, filledQuantity = 0): readonly Effect[] {
    const { clientOrderId, side, quantity } = this.sale
    const filled = filledQuantity as Quantity
    const row = { clientOrderId, side, quantity, orderId: this.number, status }
    return this.report({ ...row, filledQuantity: filled })
  }
}

t.test(
  'a stop has the sale of a grid withdrawn, and sells the whole holding at once',
  async (t) => {
    const scene = new Beside()
    const { submits, cancels } = scene.fall()
    t.strictSame(cancels, [scene.number])
    t.strictSame(submits, [], 'nothing is sent before its end')
    t.strictSame(scene.fall(9.1).cancels, [], 'one cancel')
    t.strictSame(sent(scene.end()), [], 'nor before its shares are free')
    t.strictSame(sent(scene.list(scene.free)), [], 'which a list that is behind does not show')
    t.match(sent(scene.list(1_000)), [{ strategy: 'stop_loss', quantity: 1_000 }])
  },
)

t.test('also where the grid’s sale has all shares that may be sold', async (t) => {
  const scene = new Beside()
  scene.list(0)
  t.strictSame(scene.fall().cancels, [scene.number])
  scene.end()
  scene.later(policy.limits.holdingsLagMs)
  t.match(sent(scene.list(scene.sale.quantity)), [{ strategy: 'stop_loss', quantity: 200 }])
})

t.test('what it has filled by then is not sold again', async (t) => {
  const scene = new Beside()
  scene.deal(scene.sale, scene.number, 100, 10.54)
  scene.list(scene.free, 900)
  t.strictSame(scene.fall().cancels, [scene.number])
  scene.end(53, 100)
  t.match(sent(scene.list(900, 900)), [{ strategy: 'stop_loss', quantity: 900 }])
})

t.test('a grid’s sale that is canceled for its age is not sent again then', async (t) => {
  const scene = new Beside()
  t.strictSame(canceled(scene.later(policy.grid.pendingTimeoutMs)), [scene.number])
  t.strictSame(scene.fall().submits, [])
  t.strictSame(sent(scene.end()), [])
  t.match(sent(scene.list(1_000)), [{ strategy: 'stop_loss', quantity: 1_000 }])
})

t.test('the price of the stop itself is low enough', async (t) => {
  const scene = new Beside()
  t.strictSame(scene.fall(9.25).cancels, [scene.number])
})

t.test('it stays where the stop could not be sent all the same', async (t) => {
  const above = new Beside()
  t.strictSame(above.fall(9.26).cancels, [], 'above the stop')
  const stopped = new Beside()
  set(stopped, 'all')
  t.strictSame(stopped.fall().cancels, [], 'no sale may leave')
  const beside = new Beside()
  byHand(beside)
  t.strictSame(beside.fall().cancels, [], 'a person’s order would keep it back anyway')
})

/** A person sells 300 shares at 10.9. */
function byHand(scene: Beside): (status: 50 | 54) => readonly Effect[] {
  const order = { key: keyOf(1), requestHash: 'h1', side: 'sell', quantity: 300 } as const
  scene.place({ ...order, price: yuan(10.9) })
  const quantity = 300 as Quantity
  const row = { clientOrderId: keyOf(1), orderId: '77', side: 'sell', quantity } as const
  const tell = (status: 50 | 54) => scene.report({ ...row, status, price: yuan(10.9) })
  tell(50)
  scene.list(scene.free - 300)
  return tell
}

t.test('two sales that end one after the other do not split the stop', async (t) => {
  const scene = new Beside()
  const tell = byHand(scene)
  scene.fall()
  t.strictSame(sent(scene.end()), [], 'the person’s is open')
  t.strictSame(sent(scene.list(scene.free - 300)), [])
  t.strictSame(sent(tell(54)), [])
  t.strictSame(sent(scene.list(700)), [], 'a list that shows only the end of one')
  t.match(sent(scene.list(1_000)), [{ strategy: 'stop_loss', quantity: 1_000 }])
})

t.test('nor do two of grids, of which one had a session that has ended', async (t) => {
  const scene = new Beside()
  const second = { ...scene.sale, clientOrderId: keyOf(2), quantity: 300 as Quantity }
  scene.place({ key: keyOf(2), side: 'sell', quantity: 300, price: yuan(10.9) })
  const grid = scene.state.grid.orders.get(scene.sale.clientOrderId)
  if (grid === undefined) throw new Error('no order of a grid')
  scene.state.grid.orders.set(keyOf(2), { ...grid, clientOrderId: keyOf(2), isClosed: true })
  const row = { ...second, orderId: '77', price: yuan(10.9) }
  scene.report({ ...row, status: 50 })
  scene.list(scene.free - 300)
  t.strictSame(scene.fall().cancels, [scene.number, '77'])
  scene.end()
  t.strictSame(sent(scene.list(700)), [], 'the other is still open')
  t.strictSame(sent(scene.report({ ...row, status: 54 })), [])
  t.strictSame(sent(scene.list(700)), [], 'a list that shows only the end of one')
  t.match(sent(scene.list(1_000)), [{ strategy: 'stop_loss', quantity: 1_000 }])
})

t.test('F323 a grid buys nothing while a stop waits for the end of its own sale', async (t) => {
  const scene = new Beside()
  t.strictSame(scene.fall().cancels, [scene.number])
  scene.end()
  const rebound = [9.15, 9.2, 9.15, 9.2].flatMap((price) => scene.fall(price).submits)
  t.strictSame(rebound, [], 'the callback of a purchase, below the stop')
  t.match(sent(scene.list(1_000)), [{ strategy: 'stop_loss', quantity: 1_000 }])
})

t.test('F323 nor while a full exit works; what comes of that decides', async (t) => {
  const scene = new Scene({ ...gridOn, settings: SETTINGS })
  scene.start()
  const stop = only(scene, [9.2])
  t.match(stop, { side: 'sell', quantity: 1_000 })
  const number = scene.take(stop)
  t.strictSame(scene.ticks(9.15, 9.2, 9.15, 9.2), [], 'it rests')
  const { side, quantity, clientOrderId } = stop
  t.strictSame(scene.ticks(9.4), [], 'above the stop')
  scene.report({ clientOrderId, orderId: number, side, quantity, status: 54 })
  t.match(scene.ticks(9.35, 9.4), [{ side: 'buy' }], 'nothing is sold out any more')
})
