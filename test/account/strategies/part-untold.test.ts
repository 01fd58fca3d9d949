import t from 'tap'
import type { Effect } from '../../../src/account/turn/turn.ts'
import type { Price } from '../../../src/domain/money.ts'
import { type Bench, commands, driver } from '../fixture.ts'
import { canceled, DIP, gridOn, only, RISE, Scene, sent } from './grid/scene.ts'
import { Chain, PURCHASE, SALE } from './stop-profit/chain.ts'

// An order of a strategy ends by its time: its row says that a part was filled (53), and counts none.

const submits = (effects: readonly Effect[]) =>
  commands(effects).flatMap((command) => (command.kind === 'submit' ? [command.order] : []))
const dealsAsked = (effects: readonly Effect[]) =>
  commands(effects).filter((command) => command.kind === 'query' && command.what === 'deals')
/** All that is known of, and nothing more. */
const listed = (bench: Bench, asked: ReturnType<typeof dealsAsked>) =>
  driver(bench, {
    kind: 'queryAnswered',
    callId: asked[0]?.callId ?? 0,
    what: 'deals',
    result: {
      ok: true,
      value: { what: 'deals', rows: [...bench.state.deals.values()].map(({ deal }) => deal) },
    },
  })

const HALF = { ...SALE, signalType: 'take_profit_half' } as const

t.test(
  'F671 what a timed out order of a signal has filled without a word of it is not had twice',
  async (t) => {
    for (const signal of [HALF, PURCHASE]) {
      const chain = new Chain(signal)
      chain.ring()
      const ended = chain.report({ status: 53 })
      t.strictSame(submits(ended), [], signal.signalType)
      t.equal(dealsAsked(ended).length, 1, 'it is looked into at once')
      chain.fill(100)
      if (signal === PURCHASE) chain.show(1_100)
      listed(chain.bench, dealsAsked(ended))
      t.match(chain.last, { quantity: 200, chain: { attempt: 1 } }, 'what is left')

      const none = new Chain(signal)
      none.ring()
      const asked = dealsAsked(none.report({ status: 53 }))
      t.match(submits(listed(none.bench, asked)), [{ quantity: 300 }], 'no deal knows of a part')
    }
  },
)

t.test('F671 a stop waits for no such part: it sells what there is', async (t) => {
  const chain = new Chain()
  chain.ring()
  t.match(submits(chain.report({ status: 53 })), [{ quantity: 300 }])
})

t.test('F671 nor is what a timed out order of a grid has filled', async (t) => {
  for (const prices of [RISE, DIP]) {
    const scene = new Scene()
    scene.start({ position_ratio: 1 })
    const order = only(scene, prices)
    const orderId = scene.take(order)
    t.strictSame(canceled(scene.later(gridOn.grid.pendingTimeoutMs)), [orderId])
    const row = { ...order, orderId, price: order.price as Price, status: 53 } as const
    const ended = scene.report(row)
    t.strictSame(sent(ended), [], order.side)
    scene.deal(order, orderId, 100, order.price / 10_000)
    t.strictSame(scene.settle(), [], 'one that has fills is not sent again')
    t.match(scene.events('gridOrderClosed'), [{ outcome: 'partial_filled_canceled' }])
    t.equal(scene.events('gridBooked').length, 1)
  }
})

t.test('F674 nor does the first deal of several send the rest of a signal', async (t) => {
  for (const filled of [0, 50]) {
    const chain = new Chain(HALF)
    if (filled > 0) chain.fill(filled)
    chain.ring()
    const asked = dealsAsked(chain.report({ status: 53 }))
    chain.fill(100)
    chain.fill(20)
    t.equal(chain.orders.length, 1)
    t.match(submits(listed(chain.bench, asked)), [{ quantity: 180 - filled }])
  }
})

t.test('F675 a signal is not followed anew beside such a part of its order', async (t) => {
  const chain = new Chain(HALF)
  const asked = dealsAsked(chain.report({ status: 53 }))
  chain.bench.signal(HALF)
  t.equal(chain.orders.length, 1, 'somebody canceled it: the signal is there as before')
  chain.bench.signal(SALE)
  t.equal(chain.orders.length, 2, 'a stop sells what there is')
  const other = new Chain(HALF)
  listed(other.bench, dealsAsked(other.report({ status: 53 })))
  other.bench.signal(HALF)
  t.equal(other.orders.length, 2)
  t.equal(asked.length, 1)
})
