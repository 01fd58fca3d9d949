import t from 'tap'
import { evaluateStopProfit } from '../../../src/strategy/stop-profit/stop-profit.ts'
import type { StopProfitSignal } from '../../../src/strategy/stop-profit/stop-profit-signal.ts'
import {
  type Holding,
  type ValidationInput,
  validateSignal,
} from '../../../src/strategy/stop-profit/validate-signal.ts'
import { kindOf } from '../../../src/strategy/stop-profit/verdicts.ts'
import { armed, at, fresh, NOW_MS, policy, price, shares, taken } from './fixture.ts'

const signalAt = (state: typeof fresh, yuan: number): StopProfitSignal => {
  const { signal } = evaluateStopProfit(policy, state, at(yuan))[1]
  if (signal === undefined) throw new Error(`no signal at ${yuan}`)
  return signal
}
const STOP = signalAt(fresh, 9.2)
const HALF = signalAt(armed(10.7), 10.64)
const FULL = signalAt(taken(11), 10.2)
const HELD: Holding = { quantity: shares(1_000), sellable: shares(1_000), costPrice: price(10) }

const validate = (signal: object, other: Partial<ValidationInput> = {}, rules = policy) =>
  validateSignal(rules, armed(10.7), {
    waiting: { signal: signal as StopProfitSignal, sinceMs: NOW_MS },
    nowMs: NOW_MS,
    holding: HELD,
    hasPendingOrder: false,
    ...other,
  })
const codeOf = (...parameters: Parameters<typeof validate>) => validate(...parameters)[1]?.code

t.test('good signals pass and leave the state alone', async (t) => {
  for (const signal of [STOP, HALF, FULL]) {
    t.equal(codeOf(signal), undefined, signal.type)
    t.equal(codeOf(signal, { holding: undefined }), undefined, `${signal.type}, not held`)
    t.strictSame(validate(signal)[0], armed(10.7))
  }
})

t.test('a signal is refused when it is older than 120 s', async (t) => {
  t.equal(codeOf(HALF, { nowMs: NOW_MS + 120_000 }), undefined)
  t.equal(codeOf(HALF, { nowMs: NOW_MS + 120_001 }), 'signal_expired')
  t.equal(kindOf('signal_expired'), 'failed')
})

t.test('an order under way blocks, unless full exits may go beside it', async (t) => {
  const beside = { ...policy, isFullExitBesideOrders: true }
  for (const signal of [STOP, HALF, FULL]) {
    t.equal(codeOf(signal, { hasPendingOrder: true }), 'pending_order')
    const expected = signal === FULL ? undefined : 'pending_order'
    t.equal(codeOf(signal, { hasPendingOrder: true }, beside), expected)
  }
  t.equal(kindOf('pending_order'), 'blocked')
})

t.test('nothing sellable of what is held blocks: it may not have been reported yet', async (t) => {
  const holding = { ...HELD, sellable: shares(0) }
  t.equal(codeOf(STOP, { holding }), 'available_zero_sync_delay')
  t.equal(kindOf('available_zero_sync_delay'), 'blocked')
  const gone = { ...holding, quantity: shares(0) }
  t.equal(codeOf(STOP, { holding: gone }), undefined)
})

t.test('a stop-loss with a loss below 2 % or an absurd ratio is refused', async (t) => {
  const TABLE: readonly (readonly [object, string | undefined])[] = [
    [{ price: price(0) }, 'invalid_stop_loss_data'],
    [{ costPrice: price(0) }, 'invalid_stop_loss_data'],
    [{ stopPrice: price(0) }, 'invalid_stop_loss_data'],
    [{ stopPrice: price(4.99) }, 'invalid_stop_loss_ratio'],
    [{ stopPrice: price(5) }, undefined],
    [{ stopPrice: price(15.01) }, 'invalid_stop_loss_ratio'],
    [{ price: price(9.81) }, 'loss_ratio_too_small'],
    [{ price: price(9.8) }, undefined],
    [{ price: price(101) }, 'loss_ratio_too_small'],
  ]
  for (const [fields, expected] of TABLE) {
    t.equal(codeOf({ ...STOP, ...fields }), expected, JSON.stringify(fields))
  }
})

t.test('a take-profit needs a profit over the live cost', async (t) => {
  for (const signal of [HALF, FULL]) {
    t.equal(codeOf({ ...signal, price: price(0) }), 'invalid_take_profit_data')
    const costless = { ...signal, costPrice: price(0) }
    t.equal(codeOf(costless, { holding: undefined }), 'invalid_take_profit_data')
    t.equal(codeOf(costless), undefined, 'the live cost counts')
    const dear = { ...HELD, costPrice: signal.price }
    t.equal(codeOf(signal, { holding: dear }), 'take_profit_not_profitable')
    t.equal(
      codeOf({ ...signal, costPrice: signal.price }, { holding: undefined }),
      'take_profit_not_profitable',
    )
  }
})

t.test('a half signal below the minimum price of the live cost ends the breakout', async (t) => {
  const holding = { ...HELD, costPrice: price(10.2) }
  const [state, fault] = validate(HALF, { holding })
  t.equal(fault?.code, 'take_profit_signal_expired')
  t.equal(fault?.threshold, 107_042, 'lowest unit at or above 10.7041503')
  t.strictSame(state, { ...armed(10.7), breakoutTriggered: false, breakoutHighestPrice: 0 })
  t.equal(codeOf(FULL, { holding: { ...HELD, costPrice: price(10.1) } }), undefined)
})
