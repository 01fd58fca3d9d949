import t from 'tap'
import type { StockCode } from '../../../src/domain/instrument.ts'
import {
  type BreakerState,
  CLOSED_BREAKER,
  countMarketData,
  isBreakerOpen,
  type MarketDataResult,
} from '../../../src/strategy/health/market-data-breaker.ts'
import { BANK, NOW_MS } from '../stop-profit/fixture.ts'

const policy = { isEnabled: true, failuresMax: 3, windowMs: 60_000, breakMs: 300_000, stocksMax: 3 }
const OTHER = '000001.SZ' as StockCode
const DAY = '2026-08-11'
const told = (isGood: boolean, afterMs: number, code = BANK, day = DAY): MarketDataResult => {
  const nowMs = NOW_MS + afterMs
  return { code, isGood, nowMs, quoteMs: nowMs, day }
}
const bad = (state: BreakerState, afterMs: number, code = BANK) =>
  countMarketData(policy, state, told(false, afterMs, code))
const good = (state: BreakerState, afterMs: number) =>
  countMarketData(policy, state, told(true, afterMs))
const isOpen = (state: BreakerState, afterMs: number) => isBreakerOpen(state, NOW_MS + afterMs)

t.test('three failures of one stock stop purchases for 300 s', async (t) => {
  const twice = bad(bad(CLOSED_BREAKER, 0), 60_000)
  t.equal(isOpen(twice, 60_000), false)
  const thrice = bad(twice, 120_000)
  t.equal(isOpen(thrice, 120_000), true)
  t.equal(isOpen(thrice, 419_999), true)
  t.equal(isOpen(thrice, 420_000), false)
})

t.test('a failure more than 60 s after the one before counts as the first', async (t) => {
  const late = bad(bad(bad(CLOSED_BREAKER, 0), 1_000), 61_001)
  t.equal(isOpen(late, 61_001), false)
  t.equal(late.failures.get(BANK)?.count, 1)
})

t.test('a success forgives the stock, and each stock counts for itself', async (t) => {
  const forgiven = bad(good(bad(bad(CLOSED_BREAKER, 0), 1), 2), 3)
  t.equal(isOpen(forgiven, 3), false)
  const mixed = bad(bad(bad(CLOSED_BREAKER, 0), 1, OTHER), 2)
  t.equal(isOpen(mixed, 2), false)
  t.equal(good(CLOSED_BREAKER, 0), CLOSED_BREAKER, 'nothing to forgive')
})

t.test('each quote counts once, and with another day the count begins anew', async (t) => {
  const once = bad(CLOSED_BREAKER, 0)
  const again = { ...told(false, 1), quoteMs: NOW_MS }
  t.equal(countMarketData(policy, once, again), once)
  t.equal(countMarketData(policy, once, { ...again, isGood: true }), once, 'nor does it forgive')
  const twice = bad(once, 1_000)
  const next = countMarketData(policy, twice, told(false, 2_000, BANK, '2026-08-12'))
  t.equal(next.failures.get(BANK)?.count, 1)
  t.equal(isOpen(next, 2_000), false)
})

t.test(
  'switched off it counts nothing, and it never remembers more stocks than allowed',
  async (t) => {
    const off = { ...policy, isEnabled: false }
    t.equal(countMarketData(off, CLOSED_BREAKER, told(false, 0)), CLOSED_BREAKER)
    let state = CLOSED_BREAKER
    for (let i = 0; i < 10; i++) state = bad(state, i, `60000${i}.SH` as StockCode)
    t.strictSame([...state.failures.keys()], ['600007.SH', '600008.SH', '600009.SH'])
  },
)
