import t from 'tap'
import { POLICY } from '../../src/domain/errors.ts'
import { firstRefusal, judge, RISK_RULES } from '../../src/domain/risk.ts'
import type { RiskInput } from '../../src/domain/risk-input.ts'
import { at, BUY, EARLIER, GOOD, limits, quote, SELL, sell, shares, yuan } from './fixtures/risk.ts'

t.test('an order that nothing speaks against passes every rule', async (t) => {
  for (const order of [BUY, SELL]) {
    const input = { ...GOOD, order }
    t.equal(firstRefusal(input), undefined)
    t.notOk(judge(input).some(({ status }) => status === 'refused'))
  }
})

/** Everything wrong at once; each step mends what was refused, and the next rule refuses. */
t.test('the first rule that refuses gives the answer, in this order', async (t) => {
  const steps: readonly [code: string, mended: Partial<RiskInput>][] = [
    ['SELL_NOT_ALLOWED', { isSellAllowed: true }],
    ['KILL_SWITCH', { killLevel: 'off' }],
    ['NOT_CONNECTED', { isReady: true }],
    ['OUTSIDE_SESSION', { isAlwaysOpen: true }],
    ['ORDER_IN_DOUBT_HELD', { sellable: shares(1_000), sellableReserved: shares(0) }],
    ['ORDER_UNTOLD', { untoldRepeat: undefined }],
    ['INSUFFICIENT_SELLABLE', { sellable: shares(10_050) }],
    ['LOT_SIZE', { sellable: shares(10_001) }],
    ['TICK_SIZE', sell({ quantity: shares(10_001), price: yuan(99) })],
    ['PRICE_LIMIT', sell({ quantity: shares(10_001), price: yuan(39) })],
    ['HALTED', quote({ timeMs: 0 })],
    ['MAX_ORDER_VALUE', limits({ maxOrderValue: 0 })],
    ['ORDER_RATE', { ordersLastSecond: 0 }],
    ['ORDER_COUNT', { ordersToday: 0 }],
    ['DUPLICATE_ORDER', { duplicate: undefined }],
    ['PRICE_DEVIATION', sell({ quantity: shares(10_001) })],
    ['STALE_QUOTE', quote({ timeMs: at('12:00:00') })],
    ['OVERLOADED', { ordersKept: 0 }],
  ]
  let input: RiskInput = {
    ...GOOD,
    ...sell({ quantity: shares(10_001), price: yuan(99.001) }),
    isSellAllowed: false,
    killLevel: 'all',
    isReady: false,
    nowMs: at('12:00:00'),
    ...quote({ timeMs: 0, lastPrice: yuan(0) }),
    doubtful: 'A',
    untoldRepeat: EARLIER,
    sellable: shares(10_050),
    sellableReserved: shares(100),
    duplicate: 'A',
    ordersLastSecond: 5,
    ordersToday: 500,
    ordersKept: 2_000,
  }
  for (const [code, mended] of steps) {
    t.equal(firstRefusal(input)?.code, code)
    t.equal(judge(input).find(({ status }) => status === 'refused')?.code, code)
    input = { ...input, ...mended }
  }
  t.equal(firstRefusal(input), undefined)
  const poor = { ...GOOD, isBuyAllowed: false, cash: yuan(0) }
  t.equal(firstRefusal(poor)?.code, 'BUY_NOT_ALLOWED')
  t.equal(firstRefusal({ ...poor, isBuyAllowed: true })?.code, 'INSUFFICIENT_CASH')
  const full = { ...GOOD, exposure: { ratio: 0.95 }, ordersLastSecond: 5 }
  t.equal(firstRefusal({ ...full, ...limits({ maxOrderValue: 1 }) })?.code, 'MAX_ORDER_VALUE')
  t.equal(firstRefusal(full)?.code, 'MAX_TOTAL_POSITION')
})

t.test(
  'names and codes are one of a kind; a rule refuses with 409, a wrong field with 400, a lack of means with 503',
  async (t) => {
    t.equal(new Set(RISK_RULES.map(({ name }) => name)).size, RISK_RULES.length)
    t.equal(new Set(RISK_RULES.map(({ code }) => code)).size, RISK_RULES.length)
    const later = RISK_RULES.filter(({ code }) => POLICY[code].status === 503)
    t.strictSame(
      later.map(({ code }) => code),
      ['DISK_FULL', 'NOT_CONNECTED', 'OVERLOADED'],
    )
    const wrongInItself = RISK_RULES.filter(({ code }) => POLICY[code].status === 400)
    t.strictSame(
      wrongInItself.map(({ code }) => code),
      ['PRICE_TYPE', 'PROTECTION_PRICE'],
    )
    t.ok(RISK_RULES.every(({ code }) => [400, 409, 503].includes(POLICY[code].status)))
  },
)
