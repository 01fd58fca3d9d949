import fc from 'fast-check'
import t from 'tap'
import { moneyFromYuan, type Price } from '../../../src/domain/money.ts'
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
  isTotalKnown: () => true,
  coming: shares(0),
  isSimulation: false,
  lastAddMs: () => 0,
  ...other,
})
const decide = (yuan: number, other: Partial<AddInput> = {}, rules = policy, state = fresh) => {
  const found = addPosition(rules, state, input(yuan, other))
  return typeof found === 'object' ? found.code : found
}
const dear = (quantity: number, cost: number) => ({
  holding: { ...holding(quantity), costPrice: price(cost) },
})
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
  t.equal(decide(9.3, { lastAddMs: () => NOW_MS - 119_999 }), 'add_cooling_down')
  t.equal(decide(9.3, { lastAddMs: () => NOW_MS - 120_000 }), 3_700)
})

t.test('an amount below one lot buys one lot, in simulation nothing', async (t) => {
  const small = { ...policy, addAmount: moneyFromYuan(5_000) }
  t.equal(decide(93, dear(100, 100), small), 100)
  t.equal(decide(93, { ...dear(100, 100), isSimulation: true }, small), 'add_below_lot')
})

t.test(
  'never more than the room below the cap, also where one lot is more than that',
  async (t) => {
    const star = { rule: { lotMin: 200, quantityMax: 100_000 } }
    t.equal(decide(604, dear(100, 650)), 'add_room_below_lot', '200 shares would be 120 800 yuan')
    t.equal(
      decide(93, { ...dear(600, 100), ...star }),
      'add_room_below_lot',
      '14 200 yuan, 18 600 asked',
    )
    t.equal(decide(93, { ...dear(500, 100), ...star }), 200, '23 500 yuan are left')
    t.equal(decide(557, { ...dear(100, 600), isSimulation: true }), 'add_below_lot')
  },
)

t.test('what other purchases may still add counts as held', async (t) => {
  t.equal(decide(9.3, { holding: holding(1_000), coming: shares(3_000) }), 3_500)
  t.equal(decide(9.3, { holding: holding(1_000), coming: shares(6_420) }), 'add_room_small')
})

t.test('while it is not known what all assets are worth a purchase waits', async (t) => {
  t.equal(decide(9.3, { isTotalKnown: () => false }), 'add_total_unknown')
})

t.test('whatever is held and asked for, the holding stays below its cap', async () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 100_000 }),
      fc.integer({ min: 0, max: 50_000 }),
      fc.integer({ min: 100, max: 10_000_000 }),
      fc.constantFrom(100, 200, 10),
      fc.integer({ min: 1_000, max: 100_000 }),
      (quantity, coming, units, lotMin, amount) => {
        const held = { quantity: shares(quantity), sellable: shares(0), costPrice: units as Price }
        const at = Math.floor(units * 0.928) as Price
        const asked = { holding: held, coming: shares(coming), price: at }
        const rules = { ...policy, addAmount: moneyFromYuan(amount) }
        const rule = { lotMin, quantityMax: 1_000_000 }
        const found = decide(0, { ...asked, rule }, rules)
        return (
          typeof found === 'string' || (quantity + coming + found) * at <= rules.positionValueMax
        )
      },
    ),
  )
})
