import t from 'tap'
import { EXECUTED_LOSS_MIN } from '../../src/domain/settings/stop-profit.ts'
import { atTheirStop } from '../../web/console/at-once.ts'
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
const isSold = (fields: Partial<PositionRow>, stopLoss?: number): boolean =>
  atTheirStop([row(fields)], stopLoss).length === 1

t.test(
  'F960 a holding at its stop, or below, is sold as soon as nothing keeps that back',
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
  'F960 a tighter stop is reckoned from the cost, whether a profit was taken or not',
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
