import t from 'tap'
import { nextOrderMs } from '../../../../src/account/strategies/run.ts'
import type { Price } from '../../../../src/domain/money.ts'
import { BANK, brokerOrder, quote } from '../../fixture.ts'
import { gone, recovered } from '../../play.ts'
import { canceled, DIP, gridOn, held, only, pass, RISE, Scene, sent } from './scene.ts'

/** Orders of a grid that were canceled for their age, and whether others take their place. */

const NUMBER = '91'

/** A grid whose one order has waited for as long as it may. What was asked of the client then. */
function timedOut(prices: readonly number[], config = {}) {
  const scene = new Scene()
  scene.start(config)
  const order = only(scene, prices)
  scene.take(order)
  const asked = canceled(scene.later(gridOn.grid.pendingTimeoutMs))
  return { scene, order, asked }
}

type Order = ReturnType<typeof timedOut>['order']
const ends = (scene: Scene, order: Order) =>
  sent(scene.report({ ...order, orderId: NUMBER, price: order.price as Price, status: 54 }))

const cancelsByHand = (scene: Scene) =>
  scene.input({
    kind: 'request',
    ref: 500,
    request: { kind: 'cancelOrder', orderId: NUMBER, source: 'somebody' },
  })

t.test('what the canceled order had reserved of the quota is there for the next one', async (t) => {
  const { scene, order } = timedOut(DIP, { position_ratio: 1 })
  t.match(ends(scene, order), [{ side: 'buy', quantity: order.quantity }])
})

/** On a market with a break at noon and a limit to the age of quotes: an order that has waited since then, and is canceled for it. */
function atNoon(placed: string) {
  const { risk } = gridOn
  const scene = new Scene({ ...gridOn, risk: { ...risk, staleQuoteMs: 60_000 } })
  scene.start()
  scene.nowMs = at(placed) - 9_000
  scene.price(10)
  const order = only(scene, RISE)
  scene.take(order)
  t.strictSame(canceled(scene.later(gridOn.grid.pendingTimeoutMs)), [NUMBER])
  return { scene, order }
}
const at = (time: string): number => Date.parse(`2026-08-11T${time}+08:00`)
/** At every second of a span it is asked, and nothing more is quoted. */
function watch(scene: Scene, from: string, to: string) {
  const orders = []
  for (let ms = at(from); ms <= at(to); ms += 1_000) {
    scene.nowMs = ms
    orders.push(...sent(scene.input({ kind: 'alarm' })))
  }
  return orders
}

t.test('F531 an order that ends in the break at noon is sent again in the afternoon', async (t) => {
  const { scene, order } = atNoon('11:28:29')
  scene.nowMs = at('11:30:01')
  t.strictSame(ends(scene, order), [])
  t.strictSame(watch(scene, '11:30:02', '11:30:20'), [])
  t.equal(nextOrderMs(scene.state, scene.nowMs), at('13:00:00'), 'nobody need ask')
  t.strictSame(watch(scene, '12:59:55', '13:00:02'), [], 'at no price of the morning')
  t.equal(
    nextOrderMs(scene.state, scene.nowMs),
    at('13:00:03'),
    'a quote within its band wakes nobody',
  )
  t.match(sent(scene.later(1_000)), [{ side: 'sell', quantity: order.quantity }])
  t.match(scene.events('gridOrderClosed'), [{ outcome: 'reordered' }])
})

t.test('F531 it waits for a client that is away as the afternoon begins', async (t) => {
  const { scene, order } = atNoon('11:28:29')
  scene.nowMs = at('11:30:01')
  ends(scene, order)
  scene.nowMs = at('12:50:00')
  scene.input(gone)
  scene.nowMs = at('13:00:05')
  t.strictSame(sent(scene.later(1_000)), [])
  t.strictSame(scene.events('gridOrderClosed'), [])
  scene.nowMs = at('13:00:20')
  const effects = [...recovered(scene, { positions: [held()] }), ...scene.later(1_000)]
  t.match(sent(effects), [{ side: 'sell', quantity: order.quantity }])
})

t.test(
  'F531 it waits for a quote as long as an order may, and not at all behind the close',
  async (t) => {
    const { scene, order } = atNoon('11:28:29')
    scene.nowMs = at('11:30:01')
    ends(scene, order)
    t.strictSame(watch(scene, '13:00:00', '13:01:28'), [])
    t.strictSame(scene.events('gridOrderClosed'), [])
    t.strictSame(watch(scene, '13:01:30', '13:01:31'), [])
    t.match(scene.events('gridOrderClosed'), [{ outcome: 'canceled' }])
    const late = atNoon('14:55:29')
    late.scene.nowMs = at('15:00:01')
    t.strictSame(ends(late.scene, late.order), [])
    t.match(late.scene.events('gridOrderClosed'), [{ outcome: 'canceled' }])
  },
)

t.test('what a person cancels is not sent again, although its time is up', async (t) => {
  const { scene, order, asked } = timedOut(RISE)
  t.strictSame(asked, [NUMBER])
  cancelsByHand(scene)
  t.strictSame(ends(scene, order), [])
  t.match(scene.events('gridOrderClosed'), [{ outcome: 'canceled' }])
})

t.test('nor what ends after the cancel was given up, whoever has ended it', async (t) => {
  const { scene, order } = timedOut(RISE)
  refuseCancels(scene)
  t.ok(scene.state.cancelsGivenUp.has(order.clientOrderId))
  t.strictSame(ends(scene, order), [])
})

t.test('F501 nor what somebody ends while nobody is connected', async (t) => {
  const { scene, order } = timedOut(RISE)
  refuseCancels(scene)
  scene.input(gone)
  const row = brokerOrder({ ...order, orderId: NUMBER, price: order.price as Price, status: 54 })
  const effects = recovered(scene, { orders: [row], positions: [held()] })
  t.strictSame(sent(effects), [])
  t.equal(scene.state.orders.get(order.clientOrderId)?.status, 'canceled')
})

t.test('a cancel that is taken at the second try has it sent again', async (t) => {
  const { scene, order } = timedOut(RISE)
  refuseCancels(scene, 1)
  t.match(ends(scene, order), [{ side: 'sell', quantity: 200 }])
})

/** The client refuses so many cancels, and lists the order as working. */
function refuseCancels(scene: Scene, times = Number.POSITIVE_INFINITY): void {
  for (let i = 0; i < times; i++) {
    const [callId] = [...scene.state.calls].find(([, { kind }]) => kind === 'cancel') ?? []
    if (callId === undefined) return
    const result = { ok: false, error: { code: 'FAILED', message: 'no' } } as const
    const event = { kind: 'cancelAnswered', callId, orderId: NUMBER, result } as const
    scene.input({ kind: 'driver', event })
    scene.nowMs += 1_000
    scene.wallMs += 1_000
    scene.input({ kind: 'timer', name: 'cancels' })
    const [look] =
      [...scene.state.calls].find(
        ([, call]) => call.kind === 'query' && call.purpose === 'cancel',
      ) ?? []
    if (look === undefined) return
    const value = { what: 'orders', rows: [] } as const
    const listed = { kind: 'queryAnswered', what: 'orders', result: { ok: true, value } } as const
    scene.input({ kind: 'driver', event: { ...listed, callId: look } })
  }
}

// The last price of the morning may come when the break has begun. It is old as trading goes on, and many stocks trade only after a while.

const denials = (scene: Scene) =>
  scene.journal.flatMap(({ event }) => (event.kind === 'orderDenied' ? [event.code] : []))

/** A grid that waits for the turn of these prices, which came with the last one of the morning, as nobody could act. */
function turnedAtNoon(prices: readonly number[], last: number) {
  const { risk } = gridOn
  const scene = new Scene({ ...gridOn, risk: { ...risk, staleQuoteMs: 60_000 } })
  scene.start()
  scene.nowMs = at('11:29:40')
  t.strictSame(scene.ticks(10, ...prices), [])
  scene.nowMs = at('11:30:02')
  scene.price(last)
  t.strictSame(sent(scene.input({ kind: 'quotes', crossed: [BANK] })), [])
  t.strictSame(watch(scene, '12:59:55', '13:00:10'), [], 'at no price of the morning')
  t.strictSame(denials(scene), ['STALE_QUOTE'], 'it was found, once')
  return scene
}

t.test(
  'F955 a sale whose turn came at noon is sent with the first price of the afternoon',
  async (t) => {
    const scene = turnedAtNoon([10.51, 10.6], 10.54)
    t.match(scene.session.tracker, { isWaiting: true, direction: 'rising', peakPrice: 106_000 })
    t.match(scene.tick(10.54), [{ side: 'sell', quantity: 200 }])
  },
)

t.test('F955 and so is a purchase, unless the price has fallen on', async (t) => {
  t.match(turnedAtNoon([9.49, 9.4], 9.46).tick(9.46), [{ side: 'buy', quantity: 200 }])
  const fallen = turnedAtNoon([9.49, 9.4], 9.46)
  t.strictSame(fallen.tick(9.38), [])
  t.match(fallen.session.tracker, { isWaiting: true, direction: 'falling', valleyPrice: 93_800 })
  t.match(fallen.tick(9.43), [{ side: 'buy', quantity: 200 }], 'from the lower valley')
})

t.test('F955 where every quote is old it stands as well, and is told once a minute', async (t) => {
  const { risk } = gridOn
  const scene = new Scene({ ...gridOn, risk: { ...risk, staleQuoteMs: 60_000 } })
  scene.start()
  scene.nowMs = at('10:00:00')
  scene.ticks(10.51, 10.6)
  const count = scene.journal.length
  const late = (lateMs: number) => {
    for (let look = 0; look < 100; look++) {
      pass(scene, 3_000)
      scene.price(10.53 + (look % 2) / 100)
      const newest = scene.quotes.get(BANK) ?? quote(10.53)
      scene.quotes.set(BANK, { ...newest, timeMs: newest.timeMs - lateMs })
      t.strictSame(sent(scene.input({ kind: 'quotes', crossed: [BANK] })), [])
    }
    const kinds = scene.journal.slice(count).map(({ event }) => event.kind)
    return kinds.filter((kind) => kind === 'orderDenied' || kind === 'gridTracked').length
  }
  t.equal(late(90_000), 8, 'of 70 new prices in four minutes')
  t.match(scene.session.tracker, { isWaiting: true, peakPrice: 106_000 })
  t.equal(late(-1_200_000), 18, 'of 100 of the future in five')
  t.match(scene.tick(10.54), [{ side: 'sell', quantity: 200 }])
})
