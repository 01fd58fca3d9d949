import fc from 'fast-check'
import t from 'tap'
import { openCostOf } from '../../../src/strategy/grid/ledger.ts'
import {
  derivedShares,
  type GridSignal,
  guardRefusal,
  planBuy,
  planSell,
} from '../../../src/strategy/grid/plan.ts'
import { type GridSession, isCooling, withAcceptance } from '../../../src/strategy/grid/session.ts'
import {
  after,
  MORNING_MS,
  money,
  planInput,
  policy,
  price,
  session,
  shares,
  trade,
} from './fixture.ts'

const fixed = (quantity: number): Partial<GridSession> => ({
  tradeMode: 'shares',
  fixedQuantity: shares(quantity),
})

t.test('the purchase plan follows the vectors', async (t) => {
  const used = money(9_000)
  const buy = (fields: Partial<GridSession>, input = {}) =>
    planBuy(policy, session(fields), planInput(input))
  t.strictSame(buy({}), { quantity: 200, reservedPrice: price(9.6492) })
  t.strictSame(buy(fixed(500)), { quantity: 500, reservedPrice: price(9.6492) })
  t.strictSame(buy({}, { reserved: used }), { quantity: 100, reservedPrice: price(9.6492) })
  t.strictSame(buy(fixed(500), { reserved: used }), { refused: 'above_remaining' })
})

t.test(
  'F954 the shares that follow from a holding are the whole hundreds of its part',
  async (t) => {
    const derived = (held: number, positionPpm: number, least = 100) =>
      derivedShares(shares(held), positionPpm, least)
    t.equal(derived(1_500, 333_000), 400, '499.5 shares are no five hundred')
    t.equal(derived(1_502, 333_000), 500, 'and 500.2 are')
    t.equal(derived(999_999_999, 999_999), 999_998_900, 'nor with any part that is less')
    t.equal(derived(2_000, 250_000), 500)
    t.equal(derived(1_234, 1_000_000), 1_200)
    t.equal(derived(300, 250_000), 100, 'at least a lot')
    t.equal(derived(300, 250_000, 200), 200, 'or the fewest of the board')
  },
)

t.test('a purchase is refused, each time for its own reason', async (t) => {
  const refused = (fields: Partial<GridSession>, input = {}) => {
    const plan = planBuy(policy, session(fields), planInput(input))
    return 'refused' in plan ? plan.refused : plan
  }
  t.equal(refused({ maxInvestment: money(0) }), 'no_quota')
  t.equal(refused({}, { reserved: money(10_000) }), 'quota_used')
  t.equal(refused({}, { reserved: money(9_901) }), 'budget_too_small')
  t.equal(refused({}, { reserved: money(9_100) }), 'below_lot')
  const recent = { lastBuyMs: MORNING_MS - 299_999 }
  t.equal(refused(recent), 'cooling_down')
  t.match(refused({ lastBuyMs: MORNING_MS - 300_000 }), { quantity: 200 })
  t.match(refused(recent, { isReorder: true }), { quantity: 200 }, 'a resubmission does not wait')
  t.match(refused({}, { highLimit: price(9.5) }), { reservedPrice: price(9.5) }, 'capped there')
  const star = { rule: { lotMin: 200, quantityMax: 100_000 } }
  t.equal(refused({ ...fixed(100) }, star), 'below_lot', 'the board wants 200')
  const plain = { ...policy, isCounterpartyPrice: false }
  t.match(planBuy(plain, session(), planInput()), { quantity: 200, reservedPrice: price(9.46) })
})

t.test('a sale takes its part of what may be sold today', async (t) => {
  const sold = (fields: Partial<GridSession>, input = {}) => {
    const plan = planSell(policy, session(fields), planInput(input))
    return 'refused' in plan ? plan.refused : plan.quantity
  }
  t.equal(sold({}), 200, 'a quarter of 1 000, in whole hundreds')
  t.equal(sold({}, { sellable: shares(300) }), 100, 'at least a lot')
  t.equal(sold({}, { sellable: shares(50) }), 'below_lot')
  t.equal(sold({}, { sellable: shares(0) }), 'nothing_sellable')
  t.equal(sold(fixed(300)), 300)
  t.equal(sold(fixed(300), { sellable: shares(250) }), 200)
})

t.test('the wait after a sale halves once the price has risen enough', async (t) => {
  const waiting = (elapsedMs: number, trigger: number) => {
    const last = { lastSellMs: MORNING_MS - elapsedMs, lastSellTrigger: price(10) }
    const plan = planSell(policy, session(last), planInput({ triggerPrice: price(trigger) }))
    return 'refused' in plan
  }
  t.ok(waiting(299_000, 10.2), 'not above the threshold')
  t.ok(waiting(149_000, 10.3))
  t.notOk(waiting(150_000, 10.21))
  t.notOk(waiting(300_000, 10))
})

t.test('guards', async (t) => {
  const signal: GridSignal = {
    sessionId: 1,
    side: 'buy',
    triggerPrice: price(10),
    timeMs: MORNING_MS,
  }
  const limits = { low: price(9), high: price(11) }
  const guard = (fields = {}, input = {}) =>
    guardRefusal(policy, session(fields), {
      signal,
      nowMs: MORNING_MS,
      latestPrice: price(10),
      limits,
      isHeld: true,
      isSellingOut: false,
      ...input,
    })
  const sale: GridSignal = { ...signal, side: 'sell' }
  t.equal(guard(), undefined)
  t.equal(guard({ id: 2 }), 'other_session')
  t.equal(guard({ status: 'stopping' }), 'session_ended')
  t.equal(guard({ isEnabled: false }), 'session_paused')
  t.equal(guard({}, { isHeld: false }), 'holding_missing')
  t.equal(guard({}, { isSellingOut: true }), 'selling_out')
  t.equal(guard({}, { isSellingOut: true, signal: sale }), undefined, 'a sale is no purchase')
  t.equal(guard({}, { nowMs: MORNING_MS + 60_001 }), 'signal_too_old')
  t.equal(guard({}, { nowMs: MORNING_MS + 60_000 }), undefined)
  t.equal(guard({}, { nowMs: MORNING_MS - 5_001 }), 'signal_too_old', 'from the future')
  t.equal(guard({}, { latestPrice: price(10.1001) }), 'price_drifted')
  t.equal(guard({}, { latestPrice: price(10.1) }), undefined)
  const at = (yuan: number, which = signal) => ({
    latestPrice: price(yuan),
    signal: { ...which, triggerPrice: price(yuan) },
  })
  t.equal(guard({}, at(10.999)), 'at_limit_up')
  t.equal(guard({}, at(10.998)), undefined)
  t.equal(guard({}, at(10.999, sale)), undefined, 'a sale may go out there')
  t.equal(guard({}, at(9.001, sale)), 'at_limit_down')
  t.equal(guard({}, at(9.001)), undefined, 'a purchase may')
  t.equal(guard({}, { latestPrice: price(0) }), 'suspended')
  t.equal(guard({}, { latestPrice: price(0), limits: undefined }), undefined, 'unknown passes')
})

t.test('cool-downs use the level that set the order off', async (t) => {
  const levelCooldownMs = policy.levelCooldownMs
  const order = (level: number, nowMs: number) => ({
    side: 'sell' as const,
    triggerPrice: price(10.55),
    level,
    nowMs,
    coolingFromMs: nowMs - levelCooldownMs,
  })
  const first = withAcceptance(session(), order(1, MORNING_MS))
  t.match(first, { lastSellMs: MORNING_MS, lastSellTrigger: price(10.55), lastBuyMs: 0 })
  const asked = { cooldownMs: levelCooldownMs, nowMs: MORNING_MS + 59_999 }
  t.ok(isCooling(first, { ...asked, level: 1 }))
  t.notOk(isCooling(first, { ...asked, level: 2 }))
  t.notOk(isCooling(first, { ...asked, level: 1, nowMs: MORNING_MS + 60_000 }))
  const later = withAcceptance(first, order(2, MORNING_MS + 60_000))
  t.equal(later.cooled.length, 1, 'old ones are forgotten')
})

t.test(
  'whatever is bought and sold: the quota and the sellable shares are never exceeded',
  async (t) => {
    const safe = fc.property(
      fc.constantFrom('amount' as const, 'shares' as const),
      fc.integer({ min: 1, max: 20 }),
      fc.array(
        fc.record({
          side: fc.constantFrom('buy' as const, 'sell' as const),
          at: fc.integer({ min: 500, max: 1_500 }),
          better: fc.integer({ min: 0, max: 5 }),
          sellable: fc.integer({ min: 0, max: 2_000 }),
        }),
        { maxLength: 30 },
      ),
      (tradeMode, lots, rows) => {
        let current = session({ tradeMode, fixedQuantity: shares(lots * 100) })
        for (const { side, at, better, sellable } of rows) {
          const input = planInput({
            triggerPrice: price(at / 100),
            latestPrice: price(at / 100),
            sellable: shares(sellable),
            isReorder: true,
          })
          const plan = (side === 'buy' ? planBuy : planSell)(policy, current, input)
          if ('refused' in plan) continue
          if (side === 'sell') t.ok(plan.quantity <= sellable, 'never more than may be sold')
          const paid = plan.reservedPrice / 10_000 - better / 100
          current = after(current, trade(side, plan.quantity, paid))
          t.ok(openCostOf(current.ledger) <= current.maxInvestment, 'never above the quota')
          t.ok(plan.quantity % 100 === 0)
        }
      },
    )
    fc.assert(safe, { numRuns: 200 })
  },
)
