import t from 'tap'
import type { ExitInput } from '../../../src/strategy/grid/exits.ts'
import { exitOf, isExpired } from '../../../src/strategy/grid/exits.ts'
import { deviationsOf, pnlOf } from '../../../src/strategy/grid/pnl.ts'
import type { GridSession } from '../../../src/strategy/grid/session.ts'
import { investedOf, tradeCountOf } from '../../../src/strategy/grid/session.ts'
import { after, MORNING_MS, money, price, session, shares, trade } from './fixture.ts'

const exit = (from: GridSession, yuan: number, input: Partial<ExitInput> = {}) =>
  exitOf(from, { price: price(yuan), nowMs: MORNING_MS, isCleared: false, ...input })

t.test('each exit, in its order', async (t) => {
  t.equal(exit(session(), 10), undefined)
  t.equal(exit(session(), 11.51), 'deviation', 'before any signal')
  t.equal(exit(session(), 11.5), undefined, 'the limit itself does not count')
  t.equal(exit(session({ currentCenter: price(11.51) }), 11.51), 'deviation', 'of the centers')
  const bought = after(session({ maxDeviationPpm: 500_000 }), trade('buy', 1_000, 9.5))
  t.equal(exit(bought, 10.5), undefined, 'a target needs a sale')
  t.equal(exit(bought, 8.5), 'stop_loss', 'a stop does not; the exact threshold counts')
  t.equal(exit(bought, 8.51), undefined)
  const both = after(bought, trade('sell', 100, 9.6))
  t.equal(exit(both, 10.6), 'target_profit', '10 realized and 900 × 1.1 open: exactly 10 %')
  t.equal(exit(both, 10.59), undefined)
  const sold = after(session(), trade('sell', 500, 10))
  t.equal(exit(sold, 9), undefined, 'without a purchase there is neither')
  const late = { nowMs: MORNING_MS + 7 * 86_400_000 + 1 }
  t.equal(exit(session(), 10, late), 'expired')
  t.equal(isExpired(session(), late.nowMs - 1), false, 'the last moment belongs to it')
  t.equal(exit(session(), 10, { isCleared: true }), 'position_cleared')
  t.equal(exit(session(), 11.51, { ...late, isCleared: true }), 'deviation', 'the first one counts')
})

const snapshot = (from: GridSession, yuan: number, rest = {}) =>
  pnlOf({ session: from, ledger: from.ledger, price: price(yuan), held: undefined, ...rest })

t.test('the snapshot comes from the ledger', async (t) => {
  const from = after(
    session(),
    trade('buy', 200, 9.5),
    trade('buy', 100, 9),
    trade('sell', 100, 9.6),
  )
  t.match(snapshot(from, 9.6), {
    method: 'ledger_true_pnl',
    isDegraded: false,
    hasLedger: true,
    mark: price(9.6),
    profitRatio: 0.008,
    total: money(80),
    realized: money(60),
    unrealized: money(20),
    openQuantity: 200,
    matchedQuantity: 100,
    unmatchedQuantity: 0,
    denominator: money(10_000),
    denominatorType: 'max_investment',
  })
  t.equal(investedOf(from), money(1_900))
  t.equal(tradeCountOf(from), 3)
  t.equal(from.currentCenter, price(9.6))
})

t.test('a fresh purchase is no profit and no loss; a fresh session is not degraded', async (t) => {
  t.match(snapshot(after(session(), trade('buy', 100, 9.5)), 9.5), { profitRatio: 0, total: 0 })
  t.match(snapshot(session(), 10), { profitRatio: 0, isDegraded: false, hasLedger: false })
})

t.test('selling the base holding makes no profit of its own', async (t) => {
  const from = after(session(), trade('sell', 200, 10.5))
  t.match(snapshot(from, 9), { total: 0, unmatchedQuantity: 200, hasLedger: true })
})

t.test(
  'without a ledger: totals, then cash flow over market value, then over the quota',
  async (t) => {
    const from = after(session(), trade('buy', 200, 9.5), trade('sell', 100, 10))
    const gone = { ledger: undefined }
    t.match(snapshot(from, 10, gone), {
      method: 'memory_true_pnl',
      isDegraded: false,
      total: money(100),
      hasLedger: false,
      realized: money(-900),
      unrealized: money(1_000),
      openQuantity: 100,
    })
    const amountsOnly = { ...from, buyQuantity: shares(0), sellQuantity: shares(0) }
    t.match(snapshot(amountsOnly, 10, { ...gone, held: shares(900) }), {
      method: 'fallback_market_value_ratio',
      isDegraded: true,
      profitRatio: -0.1,
      denominator: money(9_000),
      denominatorType: 'position_market_value',
    })
    t.match(snapshot(amountsOnly, 10, gone), {
      method: 'cash_flow_legacy',
      isDegraded: true,
      profitRatio: -0.09,
    })
    t.equal(snapshot({ ...amountsOnly, maxInvestment: money(0) }, 10, gone).profitRatio, 0)
  },
)

t.test('without a price the mark is the present center', async (t) => {
  t.equal(snapshot(session({ currentCenter: price(9.9) }), 0).mark, price(9.9))
})

t.test('deviations are signed where the specification says so', async (t) => {
  const from = { centerPrice: price(10), currentCenter: price(9.5) }
  t.strictSame(deviationsOf(from, price(9.69)), {
    deviation: 0.05,
    center: -0.05,
    market: 0.02,
    effective: 0.05,
  })
  t.strictSame(deviationsOf({ ...from, centerPrice: price(0) }, price(0)), {
    deviation: 0,
    center: 0,
    market: 0,
    effective: 0,
  })
})
