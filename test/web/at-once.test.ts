import t from 'tap'
import { EXECUTED_LOSS_MIN } from '../../src/domain/settings/stop-profit.ts'
import { boughtAtOnce, soldAtOnce } from '../../web/console/at-once.ts'
import type { PositionRow } from '../../web/shared/wire.ts'

const row = (fields: Partial<PositionRow>): PositionRow =>
  ({
    stock_code: '600028',
    stop_profit_enabled: true,
    available: 1_000,
    is_priced: true,
    is_cost_known: true,
    cost_price: 10,
    current_price: 9.4,
    stop_loss_price: 9.25,
    why: null,
    ...fields,
  }) as PositionRow
const isSold = (fields: Partial<PositionRow>, tighter?: number): boolean =>
  soldAtOnce([row(fields)], { stopLoss: 7.5, firstProfit: 6 }, tighter).length === 1
/** As the service tells its prices. */
const told = (why: Partial<PositionRow['why']>) =>
  ({ why: { stop: 9.25, sells_at: null, high: null, ...why } }) as Partial<PositionRow>

t.test(
  'F905 a holding at its stop, or below, is sold as soon as nothing keeps that back',
  async (t) => {
    t.notOk(isSold({}))
    t.ok(isSold({ current_price: 9.25 }))
    t.ok(isSold({ current_price: 9 }))
    t.notOk(isSold({ current_price: 9, stop_profit_enabled: false }), 'its own switch is off')
    t.notOk(isSold({ current_price: 9, available: 0 }), 'bought today')
    t.notOk(isSold({ current_price: 9, is_priced: false }), 'nobody knows its price')
    t.notOk(isSold({ current_price: 9, stop_loss_price: 0 }), 'it has none')
  },
)

t.test(
  'F905 a tighter stop is reckoned from the cost, whether a profit was taken or not',
  async (t) => {
    t.ok(isSold({}, 6), 'on the very price')
    t.ok(isSold({ profit_triggered: true }, 5))
    t.notOk(isSold({}, 7))
    t.notOk(isSold({ is_cost_known: false, cost_price: 0 }, 5))
    const nearly = 10 * (1 - EXECUTED_LOSS_MIN)
    t.ok(isSold({ current_price: nearly }, 1))
    t.notOk(isSold({ current_price: nearly + 0.01 }, 1), 'so small a loss is not sold')
  },
)

t.test(
  'F912 by the prices that the service tells, what is sold at once is what it sells',
  async (t) => {
    const of = (price: number, why: Partial<PositionRow['why']>, more?: Partial<PositionRow>) =>
      isSold({ current_price: price, ...told(why), ...more })
    const taken = { profit_triggered: true, stop_loss_price: 10.18 }
    t.ok(of(10.1, { sells_at: 10.17, high: 10.6 }, taken))
    t.notOk(of(9.9, { sells_at: 10.17, high: 10.6 }, taken), 'no profit, and above the stop')
    t.ok(of(9.25, { sells_at: 10.17, high: 10.6 }, taken), 'the stop')
    t.notOk(of(9.85, { stop: 9.8 }, { stop_loss_price: 9.9 }), 'so small a loss is not sold')
    const armed = { sells_at: 10.64, high: 10.7 }
    t.ok(of(10.6, armed), 'the first take-profit of an armed one')
    t.notOk(of(10.65, armed))
    t.notOk(of(10.4, armed), 'too little is left of it')
  },
)

t.test('F912 on an ex-day a tighter stop is reckoned from the cost of today', async (t) => {
  const halved = { cost_price: 20, current_price: 9.9, ...told({}) }
  t.notOk(isSold(halved, 2))
  t.ok(isSold({ ...halved, current_price: 9.5 }, 5))
  const taken = { profit_triggered: true, ...told({ sells_at: 10.17, high: 10.6 }) }
  t.ok(isSold({ ...halved, ...taken, current_price: 10.1 }), 'a profit by that cost')
  t.ok(isSold({ current_price: 9.5, ...told({}) }, 5), 'on other days from the cost itself')
})

t.test(
  'F1027 more is bought at once where the price lies between the stop and the purchase',
  async (t) => {
    const of = (price: number, why: object, more: Partial<PositionRow> = {}) =>
      boughtAtOnce([row({ current_price: price, ...told(why), ...more })])?.length
    t.equal(of(9.31, { adds_at: 9.3 }), 0)
    t.equal(of(9.3, { adds_at: 9.3 }), 1)
    t.equal(of(9.3, { adds_at: 9.3 }, { available: 0 }), 1, 'also of what was bought today')
    t.equal(of(9.25, { adds_at: 9.3 }), 0, 'at the stop it is given up')
    t.equal(of(9.3, { adds_at: 9.3 }, { stop_profit_enabled: false }), 0)
    t.equal(of(9.3, { adds_at: 9.3 }, { is_priced: false }), 0)
    t.equal(of(9.3, { adds_at: null }), 0)
    t.equal(of(9.3, {}), undefined, 'an older service does not say')
    t.equal(boughtAtOnce([row({ current_price: 9.3 })])?.length, 0)
  },
)
