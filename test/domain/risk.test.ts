import t, { type Test } from 'tap'
import { POLICY } from '../../src/domain/errors.ts'
import { feeRatesOf } from '../../src/domain/fees.ts'
import type { StockCode } from '../../src/domain/instrument.ts'
import type { Money, Price, Quantity } from '../../src/domain/money.ts'
import type { RiskQuote } from '../../src/domain/reckoned-price.ts'
import { firstRefusal, judge, RISK_RULES } from '../../src/domain/risk.ts'
import type { Earlier, RiskInput, RiskLimits, RiskOrder } from '../../src/domain/risk-input.ts'

const yuan = (value: number) => Math.round(value * 10_000) as Price & Money
const shares = (count: number) => count as Quantity
const code = (text: string) => text as StockCode
const at = (time: string, day = '2026-08-11') => Date.parse(`${day}T${time}+08:00`)
const MORNING_MS = at('10:00:00')

const QUOTE: RiskQuote = {
  timeMs: MORNING_MS,
  lastPrice: yuan(36.5),
  lastClose: yuan(36),
  bid: [yuan(36.49)],
  ask: [yuan(36.51)],
}
const BUY: RiskOrder = {
  code: code('600036.SH'),
  side: 'buy',
  quantity: shares(100),
  priceType: 11,
  price: yuan(36.5),
}
const SELL: RiskOrder = { ...BUY, side: 'sell' }
const LIMITS: RiskLimits = {
  maxOrdersPerSecond: 5,
  maxOrdersPerDay: 500,
  maxProtectiveOrdersPerDay: 1_000,
  maxOrderValue: 10_000,
  priceDeviation: 0.02,
  staleQuoteMs: 60_000,
  refuseDuplicates: true,
}
/** Every rule lets it pass. */
const GOOD: RiskInput = {
  order: BUY,
  nowMs: MORNING_MS,
  day: '2026-08-11',
  isAlwaysOpen: false,
  isBuyAllowed: true,
  isSellAllowed: true,
  killLevel: 'off',
  isReady: true,
  name: '招商银行',
  quote: QUOTE,
  cash: yuan(1_000_000),
  cashReserved: yuan(0),
  sellable: shares(1_000),
  sellableReserved: shares(0),
  doubtful: undefined,
  doubtfulLike: undefined,
  duplicate: undefined,
  isProtective: false,
  ordersLastSecond: 0,
  ordersToday: 0,
  protectiveToday: 0,
  ordersKept: 0,
  ordersKeptMax: 2_000,
  feeRates: feeRatesOf({
    commission: 0.0003,
    commission_min: 5,
    stamp_duty: 0.0005,
    transfer_fee: 0.000_01,
  }),
  limits: LIMITS,
}

type Row = readonly [status: 'pass' | 'refused' | 'off', fields: Partial<RiskInput>, why?: string]

const buy = (fields: Partial<RiskOrder>) => ({ order: { ...BUY, ...fields } })
const sell = (fields: Partial<RiskOrder>) => ({ order: { ...SELL, ...fields } })
const limits = (fields: Partial<RiskLimits>) => ({ limits: { ...LIMITS, ...fields } })
const quote = (fields: Partial<RiskQuote>) => ({ quote: { ...QUOTE, ...fields } })

function table(t: Test, name: string, rows: readonly Row[]): void {
  const rule = RISK_RULES.find((row) => row.name === name)
  if (rule === undefined) throw new Error(`there is no rule ${name}`)
  for (const [status, fields, why = JSON.stringify(fields)] of rows) {
    const finding = rule.check({ ...GOOD, ...fields })
    t.equal(finding.status, status, `${why}: ${finding.message}`)
    t.match(finding.message, /^\p{Script=Han}.* \(.+\)$/u, 'Chinese first, then English')
  }
}

t.test('an order that nothing speaks against passes every rule', async (t) => {
  for (const order of [BUY, SELL]) {
    const input = { ...GOOD, order }
    t.equal(firstRefusal(input), undefined)
    t.notOk(judge(input).some(({ status }) => status === 'refused'))
  }
})

t.test('permission is asked for the side of the order', async (t) => {
  table(t, 'permission_buy', [
    ['pass', {}],
    ['refused', { isBuyAllowed: false }],
    ['off', { ...sell({}), isBuyAllowed: false }],
  ])
  table(t, 'permission_sell', [
    ['pass', sell({})],
    ['refused', { ...sell({}), isSellAllowed: false }],
    ['off', { isSellAllowed: false }],
  ])
})

t.test('the kill switch stops purchases at entries and everything above it', async (t) => {
  table(t, 'kill_switch', [
    ['pass', { killLevel: 'off' }],
    ['refused', { killLevel: 'entries' }],
    ['pass', { ...sell({}), killLevel: 'entries' }],
    ['refused', { killLevel: 'all' }],
    ['refused', { ...sell({}), killLevel: 'all' }],
    ['refused', { ...sell({}), killLevel: 'cancel_all' }],
  ])
})

t.test('nothing leaves before the broker is ready', async (t) => {
  table(t, 'connection', [
    ['pass', {}],
    ['refused', { isReady: false }],
  ])
})

t.test(
  'orders go in trading hours, both ends included; the simulated market has none',
  async (t) => {
    table(t, 'session', [
      ['refused', { nowMs: at('09:29:59') }],
      ['pass', { nowMs: at('09:30:00') }],
      ['pass', { nowMs: at('11:30:00') }],
      ['refused', { nowMs: at('11:30:00') + 1 }],
      ['refused', { nowMs: at('12:59:59') }],
      ['pass', { nowMs: at('13:00:00') }],
      ['pass', { nowMs: at('15:00:00') }],
      ['refused', { nowMs: at('15:00:00') + 1 }],
      ['refused', { nowMs: at('10:00:00', '2026-08-15') }, 'Saturday'],
      ['refused', { nowMs: at('10:00:00', '2026-10-01') }, 'holiday'],
      ['off', { nowMs: at('10:00:00', '2026-08-15'), isAlwaysOpen: true }],
    ])
  },
)

t.test(
  'what is in doubt is reserved, the rest may be used; a purchase is not repeated',
  async (t) => {
    const doubtful = '01ARZ3NDEKTSV4RRFFQ69G5FAV'
    const held = { doubtful, sellableReserved: shares(400) }
    table(t, 'order_in_doubt', [
      ['pass', {}],
      ['pass', { ...sell({ quantity: shares(600) }), ...held }, 'what is left'],
      ['refused', { ...sell({ quantity: shares(601) }), ...held }, 'enough, but for the doubt'],
      ['refused', { ...sell({ quantity: shares(1_000) }), ...held }],
      ['pass', { ...sell({ quantity: shares(1_001) }), ...held }, 'too much in any case'],
      ['pass', { doubtful }, 'a purchase with other terms'],
      ['refused', { doubtful, doubtfulLike: doubtful }, 'the same again'],
    ])
  },
)

const EARLIER: Earlier = {
  clientOrderId: '01ARZ3NDEKTSV4RRFFQ69G5FAV',
  orderId: '1001',
  status: 'accepted',
  createdMs: MORNING_MS,
}

t.test(
  'a person repeats no order of a person that is in doubt, or that nobody told of',
  async (t) => {
    const doubtfulRepeat: Earlier = { ...EARLIER, orderId: '', status: 'inDoubt' }
    for (const side of [buy({}), sell({})]) {
      table(t, 'order_in_doubt', [['refused', { ...side, doubtfulRepeat }]])
      table(t, 'order_untold', [
        ['pass', side],
        ['refused', { ...side, untoldRepeat: EARLIER }],
      ])
    }
    const why = (fields: Partial<RiskInput>) => firstRefusal({ ...GOOD, ...fields })
    const doubted = why({ doubtfulRepeat })
    t.equal(doubted?.actual, EARLIER.clientOrderId)
    for (const told of [EARLIER.clientOrderId, '2026-08-11 10:00:00', 'Idempotency-Key']) {
      t.match(doubted?.message, told)
      t.match(why({ untoldRepeat: EARLIER })?.message, told)
    }
    t.match(why({ untoldRepeat: EARLIER })?.message, 'order_id=1001, state=accepted')
    t.match(why({ untoldRepeat: { ...EARLIER, orderId: '' } })?.message, 'order_id=null')
  },
)

t.test('cash covers amount and fees, less what is reserved', async (t) => {
  const needed = 36.5 * 100 + 5 + 0.04 // least commission, transfer fee
  table(t, 'cash', [
    ['pass', { cash: yuan(needed) }, 'to the last unit'],
    ['refused', { cash: (yuan(needed) - 1) as Money }, 'one unit short'],
    ['refused', { cash: yuan(needed), cashReserved: 1 as Money }],
    ['pass', { cash: yuan(needed + 10), cashReserved: yuan(10) }],
    ['refused', { cash: yuan(0), cashReserved: yuan(10) }],
    ['off', { ...sell({}), cash: yuan(0) }],
    ['off', { cash: undefined }],
    ['off', { ...buy({ priceType: 5, price: yuan(0) }), quote: undefined }],
    ['pass', { ...buy({ priceType: 5, price: yuan(0) }), cash: yuan(3_651 + 5.04) }, 'best ask'],
    ['refused', { ...buy({ priceType: 5, price: yuan(0) }), cash: yuan(3_651 + 5.03) }],
  ])
})

t.test(
  'a price type of another exchange, or a worst price that nobody knows, is refused',
  async (t) => {
    const star = code('688981.SH')
    table(t, 'price_type', [
      ['pass', buy({ priceType: 42 })],
      ['refused', buy({ priceType: 47 })],
      ['refused', buy({ code: code('000001.SZ'), priceType: 42 })],
    ])
    table(t, 'protection_price', [
      ['off', buy({ priceType: 42, price: yuan(0) })],
      ['off', buy({ code: star, priceType: 5, price: yuan(0) })],
      ['pass', buy({ code: star, priceType: 42 })],
      ['refused', buy({ code: star, priceType: 42, price: yuan(0) })],
    ])
  },
)

t.test('a sale takes what may be sold today, less what is reserved', async (t) => {
  table(t, 'sellable', [
    ['pass', sell({ quantity: shares(1_000) })],
    ['refused', sell({ quantity: shares(1_001) })],
    ['pass', { ...sell({ quantity: shares(600) }), sellableReserved: shares(400) }],
    ['refused', { ...sell({ quantity: shares(601) }), sellableReserved: shares(400) }],
    ['refused', { ...sell({ quantity: shares(0) }), sellable: shares(0) }, 'nothing is too much'],
    ['refused', { ...sell({}), sellable: shares(0) }],
    ['off', { sellable: shares(0) }, 'purchases'],
  ])
})

t.test('lots follow the board; an odd remainder is sold whole', async (t) => {
  const star = code('688981.SH')
  table(t, 'lot_size', [
    ['pass', buy({ quantity: shares(100) })],
    ['refused', buy({ quantity: shares(99) })],
    ['refused', buy({ quantity: shares(150) })],
    ['refused', buy({ quantity: shares(0) })],
    ['refused', buy({ quantity: shares(100.5) })],
    ['pass', buy({ quantity: shares(1_000_000) })],
    ['refused', buy({ quantity: shares(1_000_100) })],
    ['pass', { ...sell({ quantity: shares(50) }), sellable: shares(50) }],
    ['pass', { ...sell({ quantity: shares(150) }), sellable: shares(250) }],
    ['refused', { ...sell({ quantity: shares(50) }), sellable: shares(100) }],
    ['pass', { ...sell({ quantity: shares(50) }), ...reserved(1_050, 1_000) }, 'what is left'],
    ['pass', buy({ code: star, quantity: shares(200) })],
    ['pass', buy({ code: star, quantity: shares(201) })],
    ['refused', buy({ code: star, quantity: shares(199) })],
    ['off', buy({ code: code('000001.SH'), quantity: shares(1) }), 'an index: the counter knows'],
  ])
})
const reserved = (sellable: number, mine: number) => ({
  sellable: shares(sellable),
  sellableReserved: shares(mine),
})

t.test('a limit is a whole number of ticks of the board', async (t) => {
  const fund = code('510300.SH')
  table(t, 'tick_size', [
    ['pass', buy({ price: yuan(36.51) })],
    ['refused', buy({ price: yuan(36.511) })],
    ['refused', buy({ price: (yuan(36.51) + 1) as Price })],
    ['pass', buy({ code: fund, price: yuan(4.001) })],
    ['refused', buy({ code: fund, price: yuan(4.0005) })],
    ['off', buy({ priceType: 5, price: yuan(0) })],
    ['off', buy({ code: code('399001.SZ') })],
  ])
})

t.test('a limit stays inside the price limits of the day, both included', async (t) => {
  table(t, 'price_limit', [
    ['pass', buy({ price: yuan(39.6) })],
    ['refused', buy({ price: yuan(39.61) })],
    ['pass', sell({ price: yuan(32.4) })],
    ['refused', sell({ price: yuan(32.39) })],
    ['refused', buy({ price: yuan(32.39) }), 'on either side'],
    ['pass', buy({ code: code('300750.SZ'), price: yuan(43.2) })],
    ['refused', buy({ code: code('300750.SZ'), price: yuan(43.21) })],
    ['refused', { ...buy({ price: yuan(37.81) }), name: '*ST 招行', day: '2026-06-01' }],
    ['pass', { ...buy({ price: yuan(37.8) }), name: '*ST 招行', day: '2026-06-01' }],
    ['off', { ...buy({ price: yuan(43) }), ...quote({ lastPrice: yuan(43) }) }, 'traded beyond it'],
    ['off', { ...buy({ price: yuan(99) }), quote: undefined }],
    ['off', { ...buy({ price: yuan(99) }), ...quote({ lastClose: yuan(0) }) }],
    ['off', buy({ priceType: 5, price: yuan(0) })],
  ])
})

t.test(
  'a stock whose quote has no price is halted; one without a quote is for the counter',
  async (t) => {
    table(t, 'halt', [
      ['pass', {}],
      ['refused', quote({ lastPrice: yuan(0) })],
      ['off', { quote: undefined }],
    ])
  },
)

t.test('an order is worth at most the limit', async (t) => {
  table(t, 'max_order_value', [
    ['pass', limits({ maxOrderValue: 3_650 })],
    ['refused', limits({ maxOrderValue: 3_649.99 })],
    ['off', limits({ maxOrderValue: 0 })],
    ['pass', { ...sell({ priceType: 5 }), ...limits({ maxOrderValue: 3_649 }) }, 'best bid'],
    ['refused', { ...sell({ priceType: 5 }), ...limits({ maxOrderValue: 3_648.99 }) }],
    ['off', { ...buy({ priceType: 5 }), quote: undefined }],
  ])
})

t.test('all holdings together are worth at most a part of all assets', async (t) => {
  const of = (value: number, total: number, ratio = 0.95) => ({
    exposure: { ratio, value: yuan(value), total: yuan(total) },
  })
  table(t, 'max_total_position', [
    ['pass', of(91_350, 100_000), 'exactly 95 000 yuan'],
    ['refused', of(91_350.01, 100_000)],
    ['refused', of(91_350, 99_999)],
    ['pass', of(0, 10_000, 0.365), 'no float noise: 0.365 of 10 000 is 3 650'],
    ['pass', { ...of(91_349, 100_000), ...buy({ priceType: 5, price: yuan(0) }) }, 'the best ask'],
    ['refused', { ...of(91_350, 100_000), ...buy({ priceType: 5, price: yuan(0) }) }],
    ['refused', { exposure: { ratio: 1 } }, 'not known for now'],
    ['off', {}, 'an order by hand'],
    ['off', { ...sell({}), ...of(99_000, 100_000) }],
  ])
})

t.test('so many orders in a second, so many on a day', async (t) => {
  table(t, 'order_rate', [
    ['pass', { ordersLastSecond: 4 }],
    ['refused', { ordersLastSecond: 5 }],
    ['off', { ordersLastSecond: 5, ...limits({ maxOrdersPerSecond: 0 }) }],
  ])
  table(t, 'order_count', [
    ['pass', { ordersToday: 499 }],
    ['refused', { ordersToday: 500 }],
    ['off', { ordersToday: 500, ...limits({ maxOrdersPerDay: 0 }) }],
    [
      'off',
      { ordersToday: 500, isProtective: true },
      'protective sales are counted for themselves',
    ],
  ])
  table(t, 'protective_count', [
    ['off', { protectiveToday: 1_000 }, 'it is for protective sales alone'],
    ['pass', { isProtective: true, protectiveToday: 999, ordersToday: 500 }],
    ['refused', { isProtective: true, protectiveToday: 1_000 }],
    [
      'off',
      { isProtective: true, protectiveToday: 1_000, ...limits({ maxProtectiveOrdersPerDay: 0 }) },
    ],
  ])
  table(t, 'order_table', [
    ['pass', { ordersKept: 1_999 }],
    ['refused', { ordersKept: 2_000 }],
  ])
})

t.test('an order like one that is open is refused, unless that is allowed', async (t) => {
  table(t, 'duplicate_order', [
    ['pass', {}],
    ['refused', { duplicate: 'A' }, 'risk.refuse_duplicates'],
    ['off', { duplicate: 'A', ...limits({ refuseDuplicates: false }) }],
  ])
})

t.test('a limit stays near the last price, the limit included', async (t) => {
  table(t, 'price_deviation', [
    ['pass', buy({ price: yuan(37.23) }), 'exactly 2 % above'],
    ['refused', buy({ price: yuan(37.24) })],
    ['pass', buy({ price: yuan(35.77) }), 'exactly 2 % below'],
    ['refused', buy({ price: yuan(35.76) })],
    ['off', { ...buy({ price: yuan(39) }), ...limits({ priceDeviation: 0 }) }],
    ['off', buy({ priceType: 5, price: yuan(0) })],
    ['off', { ...buy({ price: yuan(39) }), quote: undefined }],
  ])
})

t.test('a quote is at most so old, by the market clock', async (t) => {
  table(t, 'stale_quote', [
    ['pass', quote({ timeMs: MORNING_MS - 60_000 })],
    ['refused', quote({ timeMs: MORNING_MS - 60_001 })],
    ['pass', quote({ timeMs: MORNING_MS + 5_000 }), 'newer than the clock'],
    ['off', { ...quote({ timeMs: 0 }), ...limits({ staleQuoteMs: 0 }) }],
    ['off', { quote: undefined }],
  ])
})

t.test('prices of a fund are told with three decimals', async (t) => {
  const near = quote({ lastPrice: yuan(4.12), lastClose: yuan(4.126) })
  const why = (price: number, fields: Partial<RiskInput> = {}) =>
    firstRefusal({
      ...GOOD,
      ...buy({ code: code('510300.SH'), price: yuan(price) }),
      ...near,
      ...fields,
    })?.message
  t.match(why(4.54), '涨停价 4.539 ')
  t.match(why(3.71), '跌停价 3.713 ')
  t.match(why(4.5, limits({ priceDeviation: 0.02 })), '最新价 4.120 ')
})

t.test('limit and actual value are told in yuan, shares, seconds', async (t) => {
  const told = (name: string, fields: Partial<RiskInput>) => {
    const finding = judge({ ...GOOD, ...fields }).find((row) => row.name === name)
    return [finding?.limit, finding?.actual]
  }
  t.strictSame(told('cash', { cash: yuan(3_000) }), [3_000, 3_655.04])
  t.strictSame(told('sellable', sell({ quantity: shares(1_001) })), [1_000, 1_001])
  t.strictSame(told('lot_size', buy({ quantity: shares(150) })), [100, 150])
  t.strictSame(told('tick_size', buy({ price: yuan(36.511) })), [0.01, 36.511])
  t.strictSame(told('price_limit', buy({ price: yuan(39.61) })), [39.6, 39.61])
  t.strictSame(told('price_limit', {}), ['32.40-39.60', 36.5])
  const fund = { code: code('510300.SH'), price: yuan(4.1) }
  const near = quote({ lastPrice: yuan(4.126), lastClose: yuan(4.126) })
  t.strictSame(told('price_limit', { ...buy(fund), ...near }), ['3.713-4.539', 4.1])
  t.strictSame(told('price_deviation', buy({ price: yuan(37.24) })), [0.02, 0.020274])
  const exposure = { ratio: 0.95, value: yuan(91_351), total: yuan(100_000) }
  t.strictSame(told('max_total_position', { exposure }), [95_000, 95_001])
  t.strictSame(told('stale_quote', quote({ timeMs: MORNING_MS - 61_500 })), [60, 61.5])
  t.strictSame(told('order_rate', { ordersLastSecond: 5 }), [5, 6])
  t.strictSame(told('session', {}), ['09:30-11:30, 13:00-15:00', '2026-08-11 10:00:00'])
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
