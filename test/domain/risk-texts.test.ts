import t from 'tap'
import { inBoth } from '../../src/domain/in-both.ts'
import { firstRefusal, judge } from '../../src/domain/risk.ts'
import type { RiskInput } from '../../src/domain/risk-input.ts'
import {
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

t.test('a repeat is told with what it repeats, and how to mean it', async (t) => {
  const why = (fields: Partial<RiskInput>) => firstRefusal({ ...GOOD, ...fields })
  const doubted = why({ doubtfulRepeat: DOUBTED })
  t.equal(doubted?.actual, EARLIER.clientOrderId)
  for (const told of [EARLIER.clientOrderId, '2026-08-11 10:00:00', 'Idempotency-Key']) {
    t.match(doubted?.message, told)
    t.match(why({ untoldRepeat: EARLIER })?.message, told)
  }
  t.match(why({ untoldRepeat: EARLIER })?.message, 'order_id=1001, state=accepted')
  t.match(why({ untoldRepeat: { ...EARLIER, orderId: '' } })?.message, 'order_id=null')
})

t.test(
  'a refusal is said in each language alone, with ages in words and money in thousands',
  async (t) => {
    const both = (fields: Partial<RiskInput>) =>
      inBoth(firstRefusal({ ...GOOD, ...fields })?.message ?? '')
    const exposure = { ratio: 0.95, value: yuan(91_351), total: yuan(100_000) }
    const rows: readonly (readonly [Partial<RiskInput>, zh: string, en: RegExp])[] = [
      [
        { killLevel: 'entries', killReason: '“午间 (noon)”' },
        '急停生效（停止买入）：“午间 (noon)”',
        /^the kill switch is at entries: “午间 \(noon\)”$/,
      ],
      [
        { killLevel: 'all', killReason: '连续 10 笔委托被拒 (orders refused in a row)' },
        '急停生效（停止全部新委托）：连续 10 笔委托被拒',
        /^the kill switch is at all: orders refused in a row$/,
      ],
      [
        { cash: yuan(3_000) },
        '可用资金不足: 需要 3,655.04，可用 3,000.00',
        /^insufficient cash: 3,655.04 needed with fees, 3,000.00 available$/,
      ],
      [
        quote({ timeMs: MORNING_MS - 68_460_000 }),
        '行情已停更 19 小时（可能停牌，或本机时钟快了），为安全不下单',
        /stands still for 19 h/,
      ],
      [
        { ordersLastSecond: 5 },
        '委托过于频繁，每秒最多 5 笔',
        /^more than 5 orders within a second/,
      ],
      [
        limits({ maxOrderValue: 1_000 }),
        '委托金额超过单笔上限 1,000.00 元',
        /^worth more than one order may be/,
      ],
      [
        { exposure },
        '买入后总持仓 95,001.00 超过总资产的 95%',
        /^the holdings would be worth 95,001.00, more than 95%/,
      ],
    ]
    for (const [fields, zh, en] of rows) {
      t.equal(both(fields).zh, zh)
      t.match(both(fields).en, en)
    }
  },
)

t.test(
  'F785 that all holdings would be worth too much is told with figures in English too',
  async (t) => {
    const exposure = { ratio: 0.95, value: yuan(1_250_000), total: yuan(1_300_000) }
    const { zh, en } = inBoth(firstRefusal({ ...GOOD, exposure })?.message ?? '')
    t.equal(zh, '买入后总持仓 1,253,650.00 超过总资产的 95%')
    t.equal(en, 'the holdings would be worth 1,253,650.00, more than 95% of the total assets')
  },
)

t.test(
  'F803 every figure of a refusal is told in English too, and shares in thousands',
  async (t) => {
    const exposure = { ratio: 0.95, value: yuan(91_351), total: yuan(100_000) }
    const star = code('688981.SH')
    const rows: Readonly<Record<string, readonly Partial<RiskInput>[]>> = {
      price_type: [
        buy({ priceType: 47 }),
        { ...buy({ priceType: 42 }), nowMs: Date.parse('2026-08-11T14:58:00+08:00') },
      ],
      protection_price: [buy({ code: star, priceType: 42, price: yuan(0) })],
      cash: [{ cash: yuan(3_000) }],
      sellable: [sell({ quantity: shares(12_300) })],
      lot_size: [
        buy({ quantity: shares(50) }),
        buy({ quantity: shares(150) }),
        buy({ quantity: shares(1_000_100) }),
      ],
      tick_size: [buy({ price: yuan(36.511) })],
      price_limit: [buy({ price: yuan(39.61) }), buy({ price: yuan(32.39) })],
      max_order_value: [limits({ maxOrderValue: 1_000 })],
      max_total_position: [{ exposure }],
      order_rate: [
        { ordersLastSecond: 5 },
        { queue: { waiting: 20, waitingMax: 20, waitMs: 0, waitMsMax: 10_000 } },
        { queue: { waiting: 3, waitingMax: 20, waitMs: 12_000, waitMsMax: 10_000 } },
      ],
      order_count: [{ ordersToday: 500 }],
      protective_count: [{ isProtective: true, protectiveToday: 1_000 }],
      price_deviation: [buy({ price: yuan(38) })],
      stale_quote: [quote({ timeMs: MORNING_MS - 68_460_000 })],
    }
    const told: string[] = []
    for (const [name, inputs] of Object.entries(rows)) {
      for (const fields of inputs) {
        const found = judge({ ...GOOD, ...fields }).find((row) => row.name === name)
        t.equal(found?.status, 'refused', name)
        const { zh, en } = inBoth(found?.message ?? '')
        told.push(zh)
        const figures = zh.match(/\d[\d,.]*/g) ?? []
        t.strictSame(
          figures.filter((figure) => !en.includes(figure)),
          [],
          `${zh}: ${en}`,
        )
      }
    }
    t.ok(told.includes('可卖数量不足: 委托 12,300，可卖 1,000'))
    t.ok(told.includes('委托数量超过单笔上限 1,000,000'))
  },
)
