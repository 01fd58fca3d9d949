import t from 'tap'
import { apply } from '../../../../src/account/fold/apply.ts'
import { emptyState } from '../../../../src/account/model/state.ts'
import type { Price } from '../../../../src/domain/money.ts'
import type { BrokerPosition } from '../../../../src/domain/order.ts'
import { rescaledSession } from '../../../../src/strategy/grid/ex-day.ts'
import { pnlOf } from '../../../../src/strategy/grid/pnl.ts'
import { type GridSession, withTrade } from '../../../../src/strategy/grid/session.ts'
import { after, price, session, trade } from '../../../strategy/grid/fixture.ts'
import { BANK, commands, MORNING_MS, quote, yuan } from '../../fixture.ts'
import { timer } from '../../play.ts'
import { DIP, gridOn, held, only, RISE, Scene, type Sent, sent, withGrid } from './scene.ts'

const DAY_MS = 86_400_000

/** One tick of the day after, and what is sent with it. */
function look(
  scene: Scene,
  value: number,
  { lastClose, closeBefore }: { readonly lastClose: number; readonly closeBefore: number },
): readonly Sent[] {
  scene.nowMs += 3_000
  scene.wallMs += 3_000
  const earlier = { closeBefore: yuan(closeBefore), lastCloseBefore: yuan(9.9) }
  const closes = { lastClose: yuan(lastClose), ...earlier }
  scene.quotes.set(BANK, { ...quote(value, scene.nowMs), ...closes })
  return sent(scene.input({ kind: 'quotes', crossed: [BANK] }))
}

/** How many orders. */
const tick = (scene: Scene, value: number, lastClose: number, closeBefore = 10): number =>
  look(scene, value, { lastClose, closeBefore }).length

function nextDay(): Scene {
  const scene = new Scene(gridOn)
  scene.start()
  scene.tick(10.1)
  scene.nowMs = MORNING_MS + DAY_MS
  scene.input({ kind: 'dayOpened', day: '2026-08-12' })
  return scene
}

t.test('an ex-day moves the center of a grid, and buys nothing', async (t) => {
  const scene = nextDay()
  t.equal(tick(scene, 9, 9), 0)
  t.match(scene.session, { centerPrice: yuan(9), currentCenter: yuan(9), status: 'active' })
  t.notOk(scene.session.tracker.isWaiting, 'no level was crossed')
  t.equal(tick(scene, 9.1, 9), 0)
  t.equal(scene.events('gridRescaled').length, 1, 'once a day')
  t.equal(tick(scene, 9.5, 9), 0)
  t.equal(tick(scene, 9.44, 9), 1, 'the upper level is 9.45, and its callback 9.4525')
  const state = emptyState(gridOn)
  for (const event of scene.journal) apply(state, event)
  t.strictSame([...state.grid.sessions.values()], [...scene.state.grid.sessions.values()])
})

/** On the day after, half of the price is taken off. */
function halved(scene: Scene): Scene {
  scene.settle()
  scene.nowMs = MORNING_MS + DAY_MS
  scene.input({ kind: 'dayOpened', day: '2026-08-12' })
  tick(scene, 5, 5)
  return scene
}

t.test('F373 an ex-day is no loss of what a grid holds, and stops none', async (t) => {
  const scene = withGrid({ stop_loss: -0.05 })
  scene.fill(only(scene, DIP))
  const before = scene.session
  const [lot] = before.ledger.open
  halved(scene)
  t.equal(scene.session.status, 'active')
  t.match(scene.session.ledger.open, [{ ...lot, takenOff: (lot?.remaining ?? 0) * yuan(5) }])
  const pnlAt = (session: GridSession, value: number) =>
    pnlOf({ session, ledger: session.ledger, price: price(value), held: undefined }).total
  t.equal(pnlAt(scene.session, 5), pnlAt(before, 10), 'as it stood at 10')
  const state = emptyState(gridOn)
  for (const event of scene.journal) apply(state, event)
  t.strictSame([...state.grid.sessions.values()], [...scene.state.grid.sessions.values()])
})

t.test('F373 nor is it a gain of what is to be bought back', async (t) => {
  const scene = withGrid()
  scene.fill(only(scene, RISE))
  const [sold] = scene.session.ledger.unmatched
  halved(scene)
  const sellAmount = (sold?.sellAmount ?? 0) - (sold?.quantity ?? 0) * yuan(5)
  t.match(scene.session.ledger.unmatched, [{ ...sold, sellAmount }])
  const { session } = scene
  const bought = withTrade(session, trade('buy', sold?.quantity ?? 0, 5)).session
  t.equal(bought.ledger.realized, sellAmount - (sold?.quantity ?? 0) * yuan(5))
})

/** In the evening the broker shows the halved cost: by the center, at 9.45, a share has lost 4.725. */
function toldByBroker(): Scene {
  const scene = withGrid()
  scene.fill(only(scene, DIP))
  scene.settle()
  scene.nowMs = MORNING_MS + DAY_MS / 3
  scene.wallMs = scene.nowMs
  const { quantity } = scene.state.positions.get(BANK) ?? { quantity: 0 }
  const list = (position: BrokerPosition) =>
    scene.answerQueries(commands(scene.input(timer('poll'))), { positions: [position] })
  list(held(quantity))
  scene.wallMs += 60_000
  scene.nowMs += 60_000
  list({ ...held(2 * quantity), costPrice: yuan(5) })
  return scene
}

t.test(
  'what a share has lost is what the market says, also where the broker was first',
  async (t) => {
    for (const isOfEarlierRelease of [false, true]) {
      const scene = toldByBroker()
      const { session } = scene
      const [lot] = session.ledger.open
      const remaining = lot?.remaining ?? 0
      t.equal(lot?.takenOff, remaining * yuan(4.725))
      if (isOfEarlierRelease && session.exDay !== undefined) {
        const { off: _, ...exDay } = session.exDay
        const open = session.ledger.open.map(({ takenOff: _, ...rest }) => rest)
        scene.state.grid.sessions.set(session.id, {
          ...session,
          exDay,
          ledger: { ...session.ledger, open },
        })
      }
      scene.nowMs = MORNING_MS + DAY_MS
      scene.input({ kind: 'dayOpened', day: '2026-08-12' })
      tick(scene, 6, 6, 12)
      tick(scene, 6.01, 6, 12)
      t.match(scene.session.ledger.open, [{ ...lot, takenOff: remaining * yuan(6) }])
      t.match(scene.session, { centerPrice: yuan(5), exDay: { off: yuan(6) } })
      t.equal(scene.events('gridRescaled').length, 2, 'once by each')
    }
  },
)

t.test('a center that the evening before had on the new scale is not moved again', async (t) => {
  const scene = new Scene(gridOn)
  scene.tick(10.1)
  scene.nowMs = MORNING_MS + DAY_MS / 3
  const position = { ...held(2_000), costPrice: yuan(5) }
  scene.input({ kind: 'driver', event: { kind: 'positionPushed', position } })
  const top = { max_investment: 10_000 }
  scene.ask({ kind: 'gridStart', code: '600036', top, config: {}, source: 'test' })
  t.match(scene.session, { centerPrice: yuan(5.05) }, 'the high, as the broker has halved it')
  scene.nowMs = MORNING_MS + DAY_MS
  scene.input({ kind: 'dayOpened', day: '2026-08-12' })
  tick(scene, 5, 5)
  t.match(scene.session, { centerPrice: yuan(5.05), currentCenter: yuan(5.05), status: 'active' })
})

t.test('on an ordinary day the center stays', async (t) => {
  const scene = nextDay()
  tick(scene, 9.8, 10)
  t.match(scene.session, { centerPrice: yuan(10), currentCenter: yuan(10) })
  t.strictSame(scene.events('gridRescaled'), [])
})

t.test(
  'a factor that is said anew begins with the old prices; what was traded since stays',
  async (t) => {
    const half = { day: '2026-08-12', factor: { to: 1, of: 2 } }
    const tenth = { day: '2026-08-12', factor: { to: 9, of: 10 } }
    const first = session()
    const halved = { ...first, ...rescaledSession(first, half) }
    t.match(halved, { centerPrice: price(5), currentCenter: price(5) })
    t.equal(halved.tracker.lastPrice, Math.round(first.tracker.lastPrice / 2) as Price)
    const again = { ...halved, ...rescaledSession(halved, tenth) }
    t.match(again, { centerPrice: price(9), currentCenter: price(9) })
    const traded = after(halved, trade('buy', 200, 4.75))
    const later = rescaledSession(traded, tenth)
    t.match(later, { centerPrice: price(9), currentCenter: price(4.75), tracker: traded.tracker })
  },
)

t.test('F677 no crossing of prices without their close of the day before buys', async (t) => {
  for (const early of [0, 9.9]) {
    const scene = nextDay()
    t.equal(tick(scene, 9, early), 0, 'a level of the old center is crossed')
    t.ok(scene.session.tracker.isWaiting)
    t.equal(tick(scene, 9, 9), 0, 'the price has not moved')
    t.match(scene.session, { currentCenter: yuan(9), tracker: { isWaiting: false } })
    t.equal(tick(scene, 9.05, 9), 0)
    t.equal(tick(scene, 8.5, 9) + tick(scene, 8.55, 9), 1, 'a fall of this day does')
  }
})

t.test('F715 a center that the day has set before its ex-day is told is not moved', async (t) => {
  for (const early of [0, 9.9]) {
    const scene = nextDay()
    tick(scene, 9, early)
    const [order] = look(scene, 9.05, { lastClose: early, closeBefore: 10 })
    if (order === undefined) throw new Error('a level of the old center, and its turn')
    scene.fill(order)
    scene.settle()
    const { currentCenter } = scene.session
    t.equal(currentCenter, order.price)
    t.equal(tick(scene, 9.05, 9) + tick(scene, 9, 9), 0, 'the price has hardly moved')
    t.match(scene.session, { centerPrice: yuan(9), currentCenter, exDay: { day: '2026-08-12' } })
    t.equal(tick(scene, 9.6, 9) + tick(scene, 9.54, 9), 1, 'a rise of this day does')
  }
})
