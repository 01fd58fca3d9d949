import t, { type Test } from 'tap'
import type { StockCode } from '../../src/domain/instrument.ts'
import type { Money, Price } from '../../src/domain/money.ts'
import { RISK_RULES } from '../../src/domain/risk.ts'
import type { RiskInput } from '../../src/domain/risk-input.ts'
import {
  at,
  buy,
  code,
  DOUBTED,
  EARLIER,
  GOOD,
  limits,
  MORNING_MS,
  quote,
  sell,
  shares,
  yuan,
} from './fixtures/risk.ts'

type Row = readonly [status: 'pass' | 'refused' | 'off', fields: Partial<RiskInput>, why?: string]

function table(t: Test, name: string, rows: readonly Row[]): void {
  const rule = RISK_RULES.find((row) => row.name === name)
  if (rule === undefined) throw new Error(`there is no rule ${name}`)
  for (const [status, fields, why = JSON.stringify(fields)] of rows) {
    const finding = rule.check({ ...GOOD, ...fields })
    t.equal(finding.status, status, `${why}: ${finding.message}`)
    t.match(finding.message, /^\p{Script=Han}.* \(.+\)$/u, 'Chinese first, then English')
  }
}

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

t.test(
  'a person repeats no order of a person that is in doubt, or that nobody told of',
  async (t) => {
    for (const side of [buy({}), sell({})]) {
      table(t, 'order_in_doubt', [['refused', { ...side, doubtfulRepeat: DOUBTED }]])
      table(t, 'order_untold', [
        ['pass', side],
        ['refused', { ...side, untoldRepeat: EARLIER }],
      ])
    }
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
      ['pass', { ...buy({ priceType: 42 }), nowMs: at('14:56:59') }],
      ['refused', { ...buy({ priceType: 42 }), nowMs: at('14:57:00') }, 'the closing auction'],
      ['refused', { ...sell({ priceType: 44 }), nowMs: at('15:00:00') }, 'the closing auction'],
      ['pass', { ...sell({ priceType: 5 }), nowMs: at('14:58:00') }],
      ['pass', { ...sell({ priceType: 11 }), nowMs: at('14:58:00') }],
      ['pass', { ...buy({ code: code('510300.SH'), priceType: 42 }), nowMs: at('14:58:00') }],
      ['pass', { ...buy({ priceType: 42 }), nowMs: at('14:58:00'), isAlwaysOpen: true }],
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

t.test('a market order may be of half as many shares on STAR and ChiNext', async (t) => {
  const [star, chinext] = [code('688981.SH'), code('300750.SZ')]
  const of = (stock: StockCode, priceType: number, quantity: number) =>
    buy({ code: stock, priceType, quantity: shares(quantity) })
  table(t, 'lot_size', [
    ['pass', of(star, 11, 100_000)],
    ['pass', of(star, 5, 100_000), 'the latest price is a limit'],
    ['pass', of(star, 42, 50_000)],
    ['refused', of(star, 42, 50_001)],
    ['pass', of(chinext, 11, 300_000)],
    ['pass', of(chinext, 47, 150_000)],
    ['refused', of(chinext, 47, 150_100)],
    ['pass', of(code('600036.SH'), 42, 1_000_000)],
    ['pass', { ...of(chinext, 47, 1_000_000), day: '2020-08-21' }, 'before its reform'],
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
    [
      'off',
      { ...sell({}), ...limits({ maxOrderValue: 1 }), isProtective: true },
      'a lot of a stop',
    ],
    [
      'refused',
      {
        ...sell({ quantity: shares(200) }),
        ...limits({ maxOrderValue: 1 }),
        isProtective: true,
      },
      'more than a lot of it',
    ],
  ])
})

t.test('F561 a strategy buys nothing that is paid in another currency', async (t) => {
  const exposure = { ratio: 0.95, value: yuan(0), total: yuan(1_000_000) }
  const of = (text: string) => buy({ code: code(text) })
  table(t, 'currency', [
    ['pass', { ...of('600036.SH'), exposure }],
    ['refused', { ...of('900932.SH'), exposure }],
    ['refused', { ...of('200012.SZ'), exposure }],
    ['off', of('900932.SH'), 'an order by hand'],
    ['off', { ...sell({ code: code('900932.SH') }), exposure }],
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
    ['pass', buy({ priceType: 42, price: yuan(0) }), 'all that is offered is near'],
    [
      'refused',
      { ...buy({ priceType: 42, price: yuan(0) }), ...quote({ ask: [yuan(36.51), yuan(37.3)] }) },
      'the last of the five levels is far',
    ],
    [
      'refused',
      { ...sell({ priceType: 42, price: yuan(0) }), ...quote({ bid: [yuan(36.49), yuan(35.7)] }) },
    ],
    [
      'refused',
      buy({ code: code('688981.SH'), priceType: 42, price: yuan(43.2) }),
      'a purchase on STAR may go up to its worst price',
    ],
    ['pass', buy({ code: code('688981.SH'), priceType: 42, price: yuan(37) })],
  ])
})

t.test('F826 a quote of the future, by a clock that was set back, is refused', async (t) => {
  const aheadMs = GOOD.quoteAheadMs
  table(t, 'stale_quote', [
    ['pass', quote({ timeMs: MORNING_MS + aheadMs }), 'as far ahead as a feed lets in'],
    ['refused', quote({ timeMs: MORNING_MS + aheadMs + 1 }), 'nobody knows how old it is'],
    ['refused', quote({ timeMs: MORNING_MS + 86_400_000 }), 'a day'],
    ['off', { ...quote({ timeMs: MORNING_MS + 86_400_000 }), ...limits({ staleQuoteMs: 0 }) }],
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
