import t from 'tap'
import {
  type AddInput,
  addPosition,
  addPriceOf,
  scenarioOf,
} from '../../../src/strategy/stop-profit/add-position.ts'
import { fresh, NOW_MS, policy, price, shares, taken } from './fixture.ts'

const input = (yuan: number, other: Partial<AddInput> = {}): AddInput => ({
  nowMs: NOW_MS,
  price: price(yuan),
  rule: { lotMin: 100, quantityMax: 1_000_000 },
  holding: { quantity: shares(1_000), sellable: shares(1_000), costPrice: price(10) },
  hasPendingOrder: false,
  isBuyAllowed: true,
  isBreakerOpen: false,
  isSimulation: false,
  lastAddMs: 0,
  ...other,
})
const decide = (yuan: number, other: Partial<AddInput> = {}, rules = policy, state = fresh) => {
  const found = addPosition(rules, state, input(yuan, other))
  return typeof found === 'object' ? found.code : found
}
const holding = (quantity: number) => ({ ...input(10).holding, quantity: shares(quantity) })

t.test('buying comes first when its threshold is nearer than the stop', async (t) => {
  const at = (addLevel: number) => scenarioOf({ ...policy, addLevel })
  t.equal(at(0.93), 'add_position_first')
  t.equal(at(0.925), 'stop_loss_first', 'equal counts as not nearer, whatever doubles say')
  t.equal(at(0.92), 'stop_loss_first')
})

t.test('more is bought from the threshold down to the stop', async (t) => {
  t.equal(addPriceOf(policy, { costPrice: price(10), profitTriggered: false }), price(9.3))
  t.equal(decide(9.3001), 'add_drop_small')
  t.equal(decide(9.3), 3_700)
  t.equal(decide(9.2501), 3_700)
  t.equal(decide(9.25), 'add_stop_reached')
})

t.test(
  'nothing is bought when it is off, after a profit, or when the stop comes first',
  async (t) => {
    t.equal(decide(9.3, {}, { ...policy, isAddOn: false }), 'add_off')
    t.equal(decide(9.3, {}, { ...policy, addLevel: 0.92 }), 'add_stop_first')
    t.equal(decide(9.3, {}, policy, taken(11)), 'add_after_profit')
    t.equal(decide(0), 'no_price')
    t.equal(decide(9.3, { holding: { ...holding(1_000), costPrice: price(0) } }), 'no_cost')
    t.equal(decide(9.3, { holding: holding(0) }), 'no_position')
    t.equal(addPriceOf(policy, { costPrice: price(10), profitTriggered: true }), 0)
  },
)

t.test('a purchase stays below the cap of the stock and needs room of 1000 yuan', async (t) => {
  t.equal(decide(9.3, { holding: holding(4_000) }), 3_500, '32 800 yuan are left')
  t.equal(decide(9.3, { holding: holding(7_419) }), 100, '1 003.30 yuan are left')
  t.equal(decide(9.3, { holding: holding(7_420) }), 'add_room_small', '994 yuan are left')
  t.equal(decide(9.3, { holding: holding(9_000) }), 'add_room_small')
})

t.test('a purchase waits for permission, open orders and the last purchase', async (t) => {
  t.equal(decide(9.3, { isBuyAllowed: false }), 'add_not_permitted')
  t.equal(decide(9.3, { hasPendingOrder: true }), 'add_pending_order')
  t.equal(decide(9.3, { lastAddMs: NOW_MS - 119_999 }), 'add_cooling_down')
  t.equal(decide(9.3, { lastAddMs: NOW_MS - 120_000 }), 3_700)
})

t.test('an amount below one lot buys one lot, in simulation nothing', async (t) => {
  const dear = { holding: { ...holding(100), costPrice: price(600) } }
  t.equal(decide(557, dear), 100)
  t.equal(decide(557, { ...dear, isSimulation: true }), 'add_below_lot')
})
