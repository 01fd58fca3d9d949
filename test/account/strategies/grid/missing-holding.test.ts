import t from 'tap'
import { apply } from '../../../../src/account/fold/apply.ts'
import type { AccountPolicy } from '../../../../src/account/model/policy.ts'
import { emptyState } from '../../../../src/account/model/state.ts'
import { nextEvaluationMs } from '../../../../src/account/strategies/run.ts'
import { BANK, policy, yuan } from '../../fixture.ts'
import { started } from '../../play.ts'
import { canceled, DIP, gridOn, only, Scene, sent, withGrid } from './scene.ts'

/** The health of quotes in force: three looks before a stock is judged. */
const enforced: AccountPolicy = { ...gridOn, health: { ...policy.health, isObserveOnly: false } }
/** 15:00:00 of the same day. */
const CLOSE_MS = Date.parse('2026-08-11T07:00:00Z')
const NEXT_OPEN_MS = Date.parse('2026-08-12T01:30:00Z')
const CLEARED = { status: 'stopped', stopReason: 'position_cleared' }

/** Another clock, and nothing happens. */
function at(scene: Scene, ms: number): void {
  scene.nowMs = ms
  scene.wallMs = ms
}
/** A tick a second after the last. */
function soon(scene: Scene, value: number) {
  at(scene, scene.nowMs + 1_000)
  scene.price(value)
  return sent(scene.input({ kind: 'quotes', crossed: [BANK] }))
}
/** Rings what is due next, without a tick. */
function ring(scene: Scene): void {
  at(scene, nextEvaluationMs(scene.state, scene.nowMs))
  scene.input({ kind: 'alarm' })
}

t.test('a holding that was sold at the close ends its grid the same evening', async (t) => {
  const scene = withGrid()
  at(scene, CLOSE_MS + 1_000)
  scene.holds(0)
  t.match(scene.session, { status: 'active', missingSinceMs: CLOSE_MS + 1_000 }, 'one look')
  ring(scene)
  t.equal(scene.nowMs, CLOSE_MS + 4_000, 'an alarm of the market clock, no tick')
  t.match(scene.session, CLEARED)
})

t.test('whatever the health of its quotes says', async (t) => {
  const scene = withGrid({}, enforced)
  scene.holds(0)
  t.strictSame(soon(scene, 9.49), [], 'too few looks for a judgment')
  ring(scene)
  t.match(scene.session, CLEARED)
})

t.test('also without any quote', async (t) => {
  const scene = withGrid()
  scene.quotes.delete(BANK)
  scene.holds(0)
  ring(scene)
  t.match(scene.session, CLEARED)
})

t.test('one that was found gone before the night buys nothing in the morning', async (t) => {
  const scene = withGrid({}, enforced)
  at(scene, CLOSE_MS)
  scene.holds(0)
  at(scene, NEXT_OPEN_MS)
  t.strictSame(scene.ticks(9.49, 9.4, 9.45, 9.46, 9.5), [])
  t.match(scene.session, CLEARED)
})

t.test('while the holding is missing no order of its grid is sent', async (t) => {
  const scene = withGrid()
  t.strictSame(scene.ticks(9.49, 9.4), [])
  scene.holds(0)
  t.strictSame(soon(scene, 9.45), [], 'the callback comes between the two looks')
  t.match(scene.session, { status: 'active', tracker: { isWaiting: true } }, 'and is not lost')
  t.match(scene.holds(1_000), [{ side: 'buy' }], 'a list that was wrong: it goes on')
  t.match(scene.session, { status: 'active', missingSinceMs: 0 })
})

t.test('an order that was canceled for its age is not sent again meanwhile', async (t) => {
  const scene = withGrid()
  const order = only(scene, DIP)
  const orderId = scene.take(order)
  t.strictSame(canceled(scene.later(90_000)), [orderId])
  scene.holds(0)
  const row = { ...order, orderId, price: yuan(9.45), status: 54 as const }
  t.strictSame(sent(scene.report(row)), [])
  ring(scene)
  t.match(scene.session, CLEARED)
})

t.test('exits by price go on meanwhile', async (t) => {
  const scene = withGrid({ max_deviation: 0.05 })
  scene.holds(0)
  t.strictSame(soon(scene, 9.4), [])
  t.match(scene.session, { status: 'stopped', stopReason: 'deviation' })
})

t.test('a look at which the broker has not said what there is begins the count anew', async (t) => {
  const scene = withGrid()
  scene.holds(0)
  scene.input({ kind: 'driver', event: { kind: 'disconnected', reason: 'gone' } })
  t.equal(scene.session.missingSinceMs, 0)
  scene.later(10_000)
  t.match(scene.session, { status: 'active', missingSinceMs: 0 })
})

t.test('after a restart two looks end it too; a paused one stays', async (t) => {
  for (const isPaused of [false, true]) {
    const scene = withGrid()
    if (isPaused) scene.enable(false)
    at(scene, CLOSE_MS + 1_000)
    const state = emptyState(gridOn)
    for (const event of scene.journal) apply(state, event)
    const next = new Scene(gridOn, state)
    at(next, NEXT_OPEN_MS - 3_600_000)
    started(next)
    next.holds(0) // a list that lacks it is believed at the third time only
    next.later(3_000)
    t.match(next.session, isPaused ? { status: 'active', isEnabled: false } : CLEARED)
  }
})
