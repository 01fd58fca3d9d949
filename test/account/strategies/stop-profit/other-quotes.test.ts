import t from 'tap'
import { emptyState } from '../../../../src/account/model/state.ts'
import type { StockCode } from '../../../../src/domain/instrument.ts'
import { BANK, Bench, brokerPosition, policy, quote, yuan } from '../../fixture.ts'

const OTHER = '000001.SZ' as StockCode
const COST = 10

/** Two holdings at this cost, of which one falls. */
function fallen(to: number, settings: object = {}) {
  const on = { ENABLE_AUTO_OPERATION: true, ENABLE_AUTO_TRADING: true, ...settings }
  const bench = new Bench(emptyState({ ...policy, settings: { ...policy.settings, ...on } }))
  const held = (code: StockCode) => brokerPosition({ code, costPrice: yuan(COST) })
  for (const code of [BANK, OTHER]) bench.quotes.set(code, quote(COST, bench.nowMs))
  bench.ready([BANK, OTHER].map(held))
  const fall = () => {
    bench.nowMs += 3_000
    bench.quotes.set(BANK, { ...quote(to, bench.nowMs), lastClose: yuan(COST) })
    const turn = bench.turn()
    const asked: StockCode[] = []
    const look = turn.inputs.quote
    Object.assign(turn.inputs, {
      quote: (code: StockCode) => {
        asked.push(code)
        return look(code)
      },
    })
    bench.work(turn, { kind: 'quotes', crossed: [BANK] })
    const orders = [...bench.state.orders.values()].map(({ side, signalType }) => [
      side,
      signalType,
    ])
    return { orders, isOtherAsked: asked.includes(OTHER) }
  }
  return fall()
}

t.test('a stock that falls to its stop is sold without a look at any other', async (t) => {
  t.strictSame(fallen(9.2), { orders: [['sell', 'stop_loss']], isOtherAsked: false })
})

t.test('nor is one looked at where a purchase is kept back for another reason', async (t) => {
  const full = { MAX_POSITION_VALUE: 9_000 }
  t.strictSame(fallen(9.28, full), { orders: [], isOtherAsked: false })
  const bought = fallen(9.28)
  t.strictSame(bought, { orders: [['buy', 'add_position']], isOtherAsked: true }, 'but to buy')
})
