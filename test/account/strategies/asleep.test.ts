import t from 'tap'
import type { Price, Quantity } from '../../../src/domain/money.ts'
import { BANK, commands, policy, quote, yuan } from '../fixture.ts'
import { accepted, dealt, pushed, said, timer } from '../play.ts'
import { canceled, DIP, gridOn, held, only, pass, RISE, rests, withGrid } from './grid/scene.ts'
import { Holder, holding } from './stop-profit/holder.ts'

// The computer sleeps with an order open, and wakes on a later day: the connection to its terminal has gone on.

const DAY_MS = 86_400_000
const WEDNESDAY = { kind: 'dayOpened', day: '2026-08-12' } as const
const at = (value: number): Price => yuan(value)

/** A first take-profit of 600 of 1,000 shares rests at the broker, and a day later nobody has said what became of it. */
function slept() {
  const holder = new Holder()
  holder.ticks(10.61, 10.7, 10.64)
  const { bench } = holder
  const [order] = bench.state.orders.values()
  if (order === undefined) throw new Error('no order')
  const { clientOrderId, quantity } = order
  const row = { clientOrderId, quantity, orderId: '7001', side: 'sell', status: 50 } as const
  bench.input(pushed({ ...row, price: at(10.64) }))
  holder.sellable = 400
  holder.list().later(DAY_MS)
  bench.quotes.set(BANK, quote(10.64, bench.nowMs))
  return { holder, bench, asked: commands(bench.input(WEDNESDAY)) }
}

t.test(
  'F1011 a first take-profit that the computer slept over is not taken again before the first list of the day',
  async (t) => {
    const { holder, bench, asked } = slept()
    t.strictSame(holder.sent, ['auto_partial 600'])
    holder.ticks(10.61, 10.7, 10.64)
    t.strictSame(holder.sent, ['auto_partial 600'])
    bench.answerQueries(asked, { positions: [holding(400)] })
    t.match(bench.state.positions.get(BANK), { quantity: 400, profitTriggered: true })
    holder.ticks(10.61, 10.7, 10.64)
    t.strictSame(holder.sent, ['auto_partial 600'])
  },
)

t.test('F1011 it is taken once the list says that nothing of it was filled', async (t) => {
  const { holder } = slept()
  holder.sellable = 1_000
  holder.later(policy.limits.holdingsLagMs).list().ticks(10.64)
  t.strictSame(holder.sent, ['auto_partial 600', 'auto_partial 600'])
})

t.test(
  'F1014 a list that was asked for as it woke may be behind: the next one tells',
  async (t) => {
    const { holder, bench, asked } = slept()
    bench.answerQueries(asked, { positions: [holding(400, 1_000)] })
    holder.ticks(10.61, 10.7, 10.64)
    bench.input(said({ kind: 'positionPushed', position: holding(400) }))
    t.equal(bench.state.positions.get(BANK)?.quantity, 1_000, 'that list tells it')
    holder.quantity = 400
    holder.list()
    t.match(bench.state.positions.get(BANK), { quantity: 400, profitTriggered: true })
    holder.ticks(10.61, 10.7, 10.64)
    t.strictSame(holder.sent, ['auto_partial 600'])
  },
)

t.test('F1014 nothing waits for ever, where the clock was set back as it woke', async (t) => {
  const { holder, bench } = slept()
  holder.sellable = 1_000
  bench.wallMs -= 60_000
  holder.list().ticks(10.64)
  t.equal(holder.sent.length, 2)
})

t.test('F1011 a stop waits for no such list: it sells what there is', async (t) => {
  const { holder } = slept()
  holder.ticks(9.2)
  t.strictSame(holder.sent, ['auto_partial 600', 'stop_loss 400'])
})

t.test('F1011 nor for ever, by a clock of the computer that is a day behind', async (t) => {
  const { holder, bench } = slept()
  bench.wallMs -= DAY_MS
  holder.ticks(10.64)
  t.equal(holder.sent.length, 2)
})

t.test('F1015 nor is a purchase repeated whose fills the broker has only counted', async (t) => {
  for (const counted of [0, 3_700]) {
    const holder = new Holder()
    const { bench } = holder
    bench.state.settings = { ...bench.state.settings, ENABLE_STOP_LOSS_BUY: true }
    const falls = () => {
      bench.quotes.set(BANK, { ...quote(9.28, holder.later(3_000).bench.nowMs), lastClose: at(10) })
      bench.input({ kind: 'quotes', crossed: [BANK] })
    }
    falls()
    const once = ['add_position 3700']
    t.strictSame(holder.sent, once)
    const [clientOrderId = ''] = bench.state.orders.keys()
    const terms = { clientOrderId, orderId: '7001', side: 'buy', price: at(9.28) } as const
    const filledQuantity = counted as Quantity
    const [quantity, status] = [3_700 as Quantity, counted > 0 ? 56 : 50] as const
    bench.input(pushed({ ...terms, quantity, status, filledQuantity }))
    holder.later(DAY_MS)
    falls()
    bench.input(WEDNESDAY)
    falls()
    t.strictSame(holder.sent, once)
    holder.later(policy.limits.holdingsLagMs)
    holder.quantity = 4_700
    holder.list()
    falls()
    t.strictSame(holder.sent, once, 'it is there')
  }
})

t.test('F1011 nor is a level of a grid traded again before that list', async (t) => {
  for (const [prices, left] of [
    [RISE, 800],
    [DIP, 1_200],
  ] as const) {
    for (const isFilled of [true, false]) {
      const scene = withGrid()
      rests(scene, only(scene, prices))
      pass(scene, DAY_MS)
      const asked = commands(scene.input(WEDNESDAY))
      t.strictSame(scene.ticks(10, ...prices), [])
      scene.answerQueries(asked, { positions: [held()] })
      t.strictSame(scene.ticks(prices[2]), [], 'that one may be behind')
      pass(scene, policy.limits.holdingsLagMs)
      const next = commands(scene.input(timer('poll')))
      scene.answerQueries(next, { positions: [held(isFilled ? left : 1_000)] })
      t.equal(scene.events('gridBooked').length, isFilled ? 1 : 0)
      scene.ticks(prices[2])
      const orders = scene.events('gridOrderPlaced').length
      t.equal(orders, isFilled ? 1 : 2, 'its callback stands as long as nobody knows')
    }
  }
})

t.test(
  'F1013 an order of a grid that stood in a call over night is canceled for its age once it is of today',
  async (t) => {
    const scene = withGrid()
    const order = only(scene, RISE)
    scene.input({ kind: 'callTimedOut', callId: order.callId })
    pass(scene, DAY_MS)
    scene.input(WEDNESDAY)
    scene.input(accepted(order.callId, '901', order.clientOrderId))
    const price = order.price as Price
    const row = { ...order, orderId: '901', price, status: 50, timeMs: scene.nowMs } as const
    const told = scene.input(pushed(row))
    t.match(scene.state.orders.get(order.clientOrderId), { day: '2026-08-12' })
    const effects = [...told, ...scene.later(gridOn.grid.pendingTimeoutMs)]
    t.strictSame(canceled(effects), ['901'], 'it works at the price of the day before')
  },
)

t.test('F1013 a first take-profit too, where a fill says first that it is of today', async (t) => {
  const holder = new Holder().ticks(10.61, 10.7, 10.64)
  const { bench } = holder
  const [clientOrderId = ''] = bench.state.orders.keys()
  const [callId = 0] = [...bench.state.calls].findLast(([, { kind }]) => kind === 'submit') ?? []
  holder.doubt().later(DAY_MS)
  bench.quotes.set(BANK, quote(10.5, bench.nowMs))
  bench.input(WEDNESDAY)
  bench.input(accepted(callId, '901', clientOrderId))
  const fill = { orderId: '901', clientOrderId, side: 'sell', timeMs: bench.nowMs } as const
  bench.input(dealt({ ...fill, quantity: 100 as Quantity }))
  const order = bench.state.orders.get(clientOrderId)
  t.match(order, { day: '2026-08-12', filledQuantity: 100, status: 'pendingCancel' })
})
