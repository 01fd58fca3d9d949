import fc from 'fast-check'
import t from 'tap'
import type { Price } from '../../../src/domain/money.ts'
import { exitLines } from '../../../src/strategy/stop-profit/exit-lines.ts'
import {
  evaluateStopProfit,
  type StopProfitState,
} from '../../../src/strategy/stop-profit/stop-profit.ts'
import { armed, at, fresh, policy, price, taken } from './fixture.ts'

const CENT = 100
const lines = (state: StopProfitState, cost: number, tickSize = CENT) =>
  exitLines(policy, state, { costPrice: price(cost), tickSize })

const yuanOf = ({ next, stop, high }: { next: Price; stop: Price; high: Price }) => ({
  next: next / 10_000,
  stop: stop / 10_000,
  high: high / 10_000,
})

t.test('what a holding waits for, on the tick size of its board', async (t) => {
  const TABLE: readonly (readonly [string, StopProfitState, number, object | undefined])[] = [
    [
      'the breakout and the stop',
      fresh,
      10,
      { waitsFor: 'breakout', next: 10.6, stop: 9.25, high: 0 },
    ],
    ['the first price that breaks out', fresh, 10.01, { next: 10.62, stop: 9.25 }],
    ['the fall from the high', armed(10.8), 10, { waitsFor: 'pullback', next: 10.74, high: 10.8 }],
    [
      'the exit of the rest',
      taken(11),
      10,
      { waitsFor: 'exit', next: 10.23, stop: 9.25, high: 11 },
    ],
    ['the stop below all tiers', taken(10.5), 10.2, { waitsFor: 'exit', next: 9.43, stop: 9.43 }],
    ['a damaged high', taken(500), 10, { waitsFor: 'exit', next: 0, stop: 9.25, high: 0 }],
    ['no cost', fresh, 0, undefined],
  ]
  for (const [name, state, cost, wanted] of TABLE) {
    const found = lines(state, cost)
    const inYuan = found && { ...found, ...yuanOf(found) }
    t.match(inYuan ?? 'none', wanted ?? 'none', name)
  }
  const near = { ...policy, stopLossRatio: -0.01 }
  const shown = exitLines(near, fresh, { costPrice: price(10), tickSize: CENT })
  t.match(shown, { stop: price(9.8) }, 'no loss below 2 % is executed, whatever the ratio says')
  t.match(lines(fresh, 4.001, 10), { next: price(4.242) }, 'a fund has a third decimal')
})

const cents = (max: number) => fc.integer({ min: 100, max }).map((units) => (units * CENT) as Price)
const states = fc.record({
  highestPrice: cents(4_000),
  profitTriggered: fc.boolean(),
  breakoutTriggered: fc.boolean(),
  breakoutHighestPrice: cents(4_000),
})

/** The code of what a tick at this price comes to, all gates open. */
const judged = (state: StopProfitState, costPrice: Price, units: number) =>
  evaluateStopProfit(policy, state, { ...at(units / 10_000), costPrice })[1].code

t.test('at the line that is told it happens, and one tick before it does not', async (t) => {
  const seen = new Set<string>()
  fc.assert(
    fc.property(states, fc.integer({ min: 10_000, max: 300_000 }), (state, cost) => {
      const costPrice = cost as Price
      const found = exitLines(policy, state, { costPrice, tickSize: CENT })
      if (found === undefined) return false
      const { waitsFor, next, stop } = found
      if (judged(state, costPrice, stop) !== 'stop_loss') return false
      if (judged(state, costPrice, stop + CENT) === 'stop_loss') return false
      if (next <= stop + CENT) return true
      seen.add(waitsFor)
      const [there, before] =
        waitsFor === 'breakout'
          ? [judged(state, costPrice, next), judged(state, costPrice, next - CENT)]
          : [judged(state, costPrice, next), judged(state, costPrice, next + CENT)]
      const acts = ACTS[waitsFor]
      return acts.includes(there) && !acts.includes(before)
    }),
    { numRuns: 2_000 },
  )
  t.equal(seen.size, 3, 'every kind of line was met')
})

/** A fall below what is worth having voids the breakout instead of selling. */
const ACTS: Readonly<Record<'breakout' | 'pullback' | 'exit', readonly string[]>> = {
  breakout: ['breakout_started'],
  pullback: ['take_profit_half', 'below_minimum'],
  exit: ['take_profit_full', 'exit_implausible'],
}
