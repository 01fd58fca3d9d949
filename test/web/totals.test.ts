import t from 'tap'
import { type AccountFigures, profitOf, totalsOf } from '../../web/monitor/totals.ts'

const of = (fields: Partial<AccountFigures> = {}): AccountFigures => ({
  money: undefined,
  profit: 100,
  profitRatio: 0.1,
  unpriced: 0,
  uncosted: 0,
  pending: 0,
  isSimulation: false,
  isConnected: true,
  isOld: false,
  ...fields,
})
/** None of its holdings has a cost. */
const uncosted = of({ profit: undefined, profitRatio: undefined, uncosted: 2 })

t.test('an account whose holdings have no cost leaves the profit of the others', async (t) => {
  const { profit, uncosted: left } = totalsOf([of(), uncosted, of({ profit: -30, uncosted: 1 })])
  t.match(profit, { value: 70, all: 3, known: 3 })
  t.equal(left, 3, 'what is not in it is counted')
  t.equal(totalsOf([uncosted, uncosted]).profit.value, undefined, 'nobody has a cost')
  t.equal(totalsOf([uncosted, of({ isSimulation: true })]).profit.value, undefined, 'play money')
  const unpriced = of({ profit: undefined, unpriced: 1, uncosted: 1 })
  t.equal(totalsOf([of(), unpriced]).profit.value, undefined, 'a price comes again')
  t.equal(totalsOf([of(), of({ profit: undefined })]).profit.value, undefined, 'not heard of')
})

t.test('holdings of simulated accounts are not said to be left out once more', async (t) => {
  const simulated = of({ isSimulation: true, uncosted: 4 })
  t.equal(totalsOf([of({ uncosted: 1 }), simulated]).uncosted, 1)
  t.equal(totalsOf([simulated, simulated]).uncosted, 8, 'all are simulated')
})

t.test('F806 of no cost there is no share, as the console says it too', async (t) => {
  const none = { total_positions: 0, total_cost: 0, total_profit: 0, total_profit_ratio: 0 }
  t.match(profitOf(none), { profit: 0, profitRatio: undefined })
  t.match(profitOf({ ...none, total_positions: 1, total_cost: 1_000 }), { profitRatio: 0 })
})
