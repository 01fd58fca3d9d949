import t from 'tap'
import {
  EMPTY_SLOT,
  emptied,
  type SignalSlot,
  slotAfterFailure,
  slotAfterTick,
  slotOfNow,
  waitingSignal,
} from '../../../src/strategy/stop-profit/signal-slot.ts'
import { evaluateStopProfit } from '../../../src/strategy/stop-profit/stop-profit.ts'
import { armed, at, fresh, NOW_MS, OPEN, play, policy, price, taken } from './fixture.ts'

const tick = (state: typeof fresh, input: ReturnType<typeof at>) =>
  evaluateStopProfit(policy, state, input)[1]
const HALF = tick(armed(10.7), at(10.64))
const NOTHING = tick(armed(10.7), at(10.69))
const after = (slot: SignalSlot, judgment: typeof HALF, ageMs: number, kept = true) =>
  slotAfterTick({ ...policy, isKeptAlive: kept }, slot, { judgment, nowMs: NOW_MS + ageMs })
const waiting = after(EMPTY_SLOT, HALF, 0)
const stop = after(EMPTY_SLOT, tick(fresh, at(9)), 0)

t.test(
  'a queued half signal survives a retrace for 90 s; without keepalive it vanishes',
  async (t) => {
    t.equal(waiting.waiting?.signal, HALF.signal)
    t.equal(after(waiting, NOTHING, 90_000), waiting)
    t.equal(after(waiting, NOTHING, 90_001), EMPTY_SLOT)
    t.equal(after(waiting, NOTHING, -1), EMPTY_SLOT, 'the clock went back')
    t.equal(after(waiting, NOTHING, 0, false), EMPTY_SLOT)
    t.equal(after(EMPTY_SLOT, NOTHING, 0), EMPTY_SLOT)
  },
)

t.test('a first take-profit whose breakout is void waits no longer', async (t) => {
  const below = tick(armed(10.7), at(10.49))
  t.equal(below.code, 'below_minimum')
  t.equal(after(waiting, below, 1_000), EMPTY_SLOT)
  t.equal(after(stop, below, 1_000), stop, 'a stop-loss is no child of a breakout')
})

t.test('a signal at its threshold exactly stays, until that has moved by a tick', async (t) => {
  const stay = [
    [tick(fresh, at(9.25)), fresh, 'stop_loss', 10, 9.98],
    [tick(taken(11), at(10.23)), taken(11), 'take_profit_full', 10, 11],
  ] as const
  for (const [judgment, state, type, cost, other] of stay) {
    const slot = after(EMPTY_SLOT, judgment, 0)
    t.equal(slot.waiting?.signal.type, type)
    t.equal(slotOfNow(policy, slot, { state, costPrice: price(cost) }), slot, type)
    t.equal(slotOfNow(policy, slot, { state, costPrice: price(other) }), EMPTY_SLOT, type)
  }
})

t.test('a newer detection takes the place of the older', async (t) => {
  const [, newer] = play(armed(10.7), [10.64, 9]).judged
  const slot = after(waiting, newer ?? NOTHING, 1_000)
  t.equal(slot.waiting?.signal.type, 'stop_loss')
  t.equal(slot.waiting?.sinceMs, NOW_MS + 1_000)
})

t.test('with automatic trading off nothing is queued and what is left is cleared', async (t) => {
  for (const gate of ['isMasterOn', 'isModuleOn', 'isTradingOn', 'isStockOn', 'isFreeOfOrders']) {
    const closed = tick(armed(10.7), at(10.64, { gates: { ...OPEN, [gate]: false } }))
    t.equal(after(EMPTY_SLOT, closed, 0), EMPTY_SLOT, gate)
    t.equal(after(waiting, closed, 0), EMPTY_SLOT, gate)
  }
})

t.test('a stock whose quote is refused is skipped: its signal stays', async (t) => {
  for (const gate of ['isInSession', 'isQuoteTrusted']) {
    const skipped = tick(armed(10.7), at(10.64, { gates: { ...OPEN, [gate]: false } }))
    t.equal(after(waiting, skipped, 100_000), waiting, gate)
  }
})

t.test('nobody sees a signal of 300 s', async (t) => {
  t.equal(waitingSignal(policy, waiting, NOW_MS + 299_999), waiting.waiting)
  t.equal(waitingSignal(policy, waiting, NOW_MS + 300_000), undefined)
  t.equal(waitingSignal(policy, EMPTY_SLOT, NOW_MS), undefined)
})

const failed = (slot: SignalSlot, ageMs = 0) => slotAfterFailure(policy, slot, NOW_MS + ageMs)

t.test(
  'a take-profit is dropped after three failures in one minute, a stop-loss never',
  async (t) => {
    const twice = failed(failed(waiting))
    t.equal(twice.waiting, waiting.waiting)
    const thrice = failed(twice)
    t.equal(thrice.waiting, undefined)
    t.equal(failed(twice, 60_000).waiting, waiting.waiting, 'the next minute counts anew')
    const again = after(thrice, HALF, 1_000)
    t.equal(failed(again, 1_000).waiting, undefined, 'a new detection does not reset the count')
    t.equal(failed(stop), stop)
    t.equal(failed(EMPTY_SLOT), EMPTY_SLOT)
    t.strictSame(emptied(twice).failures, twice.failures)
  },
)
