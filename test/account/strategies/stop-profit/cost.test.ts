import t from 'tap'
import { emptyState } from '../../../../src/account/model/state.ts'
import type { BrokerPosition } from '../../../../src/domain/order.ts'
import { BANK, Bench, brokerPosition, policy, quote, yuan } from '../../fixture.ts'
import { said } from '../../play.ts'

const SETTINGS = {
  ...policy.settings,
  ENABLE_AUTO_OPERATION: true,
  ENABLE_AUTO_TRADING: true,
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

t.test('nor does it take a profit of which there is none', async (t) => {
  const bench = watched({ costPrice: yuan(35) }, 36.5)
  report(bench, { costPrice: yuan(38) })
  report(bench, { costPrice: yuan(0) })
  ticks(bench, 37.2, 37.5, 37.3)
  t.strictSame(sent(bench), [], '37.1 is a breakout for the first cost')
})
