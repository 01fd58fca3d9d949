import t from 'tap'
import { emptyState } from '../../../../src/account/model/state.ts'
import { type Decision, NAME } from '../../../../src/account/strategies/stop-profit/trace.ts'
import type { BrokerPosition } from '../../../../src/domain/order.ts'
import { BANK, Bench, brokerPosition, policy, quote, yuan } from '../../fixture.ts'
import { said } from '../../play.ts'

const SETTINGS = {
  ...policy.settings,
  ENABLE_AUTO_OPERATION: true,
  ENABLE_AUTO_TRADING: true,
  ENABLE_STOP_LOSS_BUY: false,
}

/** A holding whose stop and profits are watched. */
function watched(row: Partial<BrokerPosition>, price: number): Bench {
  const bench = new Bench(emptyState({ ...policy, settings: SETTINGS }))
  bench.quotes.set(BANK, quote(price, bench.nowMs))
  return bench.ready([brokerPosition(row)])
}

const report = (bench: Bench, row: Partial<BrokerPosition>) =>
  bench.input(said({ kind: 'positionPushed', position: brokerPosition(row) }))

function ticks(bench: Bench, ...prices: readonly number[]): void {
  for (const price of prices) {
    bench.nowMs += 3_000
    bench.wallMs += 3_000
    bench.quotes.set(BANK, quote(price, bench.nowMs))
    bench.input({ kind: 'quotes', crossed: [BANK] })
  }
}

const sent = (bench: Bench): readonly string[] =>
  [...bench.state.orders.values()].map(({ strategy, quantity }) => `${strategy} ${quantity}`)

const decisionOf = ({ state }: Bench) =>
  (state.trace.of(NAME).get(BANK)?.at(-1) as Decision | undefined)?.verdicts[0]?.code

t.test('a report without a cost sells nothing that the cost of before would not', async (t) => {
  const bench = watched({ costPrice: yuan(35) }, 36)
  report(bench, { costPrice: yuan(32) })
  ticks(bench, 33, 32.2)
  report(bench, { costPrice: yuan(0) })
  ticks(bench, 32.1)
  t.strictSame(sent(bench), [], 'the first cost has its stop at 32.37')
  t.match(bench.state.positions.get(BANK), { costPrice: yuan(32), stopLossPrice: yuan(29.6) })
  ticks(bench, 29.6)
  t.strictSame(sent(bench), ['stop_loss 1000'])
})

t.test('nor does one with the cent that another service shows for none', async (t) => {
  const bench = watched({ costPrice: yuan(35) }, 36)
  report(bench, { costPrice: yuan(0.01) })
  t.match(bench.state.positions.get(BANK), { costPrice: yuan(35), baseCostPrice: yuan(35) })
  ticks(bench, 32.37)
  t.strictSame(sent(bench), ['stop_loss 1000'])
})

t.test('nor does it take a profit of which there is none', async (t) => {
  const bench = watched({ costPrice: yuan(35) }, 36.5)
  report(bench, { costPrice: yuan(38) })
  report(bench, { costPrice: yuan(0) })
  ticks(bench, 37.2, 37.5, 37.3)
  t.strictSame(sent(bench), [], '37.1 is a breakout for the first cost')
})

t.test('a holding whose cost nobody has told is not sold for its profit', async (t) => {
  const bench = watched({ costPrice: yuan(0) }, 36)
  ticks(bench, 36, 36.1, 35.9, 35.8)
  t.strictSame(sent(bench), [], 'every price is a breakout for a cost of one cent')
  const held = bench.state.positions.get(BANK)
  t.match(held, { baseCostPrice: 0, stopLossPrice: 0, breakoutTriggered: false })
  t.equal(decisionOf(bench), 'no_cost')
})

t.test('once its cost is told that is its first cost, and its stop acts', async (t) => {
  const bench = watched({ costPrice: yuan(0) }, 36)
  ticks(bench, 35)
  report(bench, { costPrice: yuan(37) })
  t.match(bench.state.positions.get(BANK), {
    baseCostPrice: yuan(37),
    costPrice: yuan(37),
    stopLossPrice: yuan(34.23),
  })
  ticks(bench, 34.3, 34.22)
  t.strictSame(sent(bench), ['stop_loss 1000'])
})

t.test('a breakout that the release before saw over a cost of one cent is none', async (t) => {
  const bench = watched({ costPrice: yuan(0) }, 36)
  const held = bench.state.positions.get(BANK)
  if (held === undefined) throw new Error('it is held')
  const armed = { breakoutTriggered: true, breakoutHighestPrice: yuan(36) }
  bench.state.positions.set(BANK, { ...held, ...armed, baseCostPrice: yuan(0.01) })
  report(bench, { costPrice: yuan(34.1) })
  ticks(bench, 36, 35.8)
  t.strictSame(sent(bench), [], 'the one over 34.10 is at 36.15')
  ticks(bench, 36.15, 35.9)
  t.strictSame(sent(bench), ['auto_partial 600'])
})

t.test('in a simulation no purchase makes a cost of what has none', async (t) => {
  const bench = watched({ costPrice: yuan(0) }, 36)
  const changes = { simulationMode: true }
  bench.input({ kind: 'request', ref: 1, request: { kind: 'saveConfig', changes, source: 'test' } })
  bench.place({ price: 0, priceType: 5, quantity: 100 })
  t.match(bench.state.simulation?.positions.get(BANK), { quantity: 1_100, costPrice: 0 })
  ticks(bench, 36, 36.1, 35.9, 35.8)
  t.equal(bench.state.simulation?.count, 1, 'the average of nothing and 36 is a tenth of its price')
})
