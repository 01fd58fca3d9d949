import t from 'tap'
import { marketHealth } from '../../../../src/account/answers/strategies.ts'
import { Whys, whyOf } from '../../../../src/account/answers/why.ts'
import { emptyState } from '../../../../src/account/model/state.ts'
import { type HoldingsOutlook, soldToday } from '../../../../src/account/strategies/standing.ts'
import { standing } from '../../../../src/account/strategies/stop-profit/standing.ts'
import type { Price, Quantity } from '../../../../src/domain/money.ts'
import { BANK, Bench, brokerPosition, MORNING_MS, policy, quote, yuan } from '../../fixture.ts'
import { dealt } from '../../play.ts'
import { Holder, holding } from './holder.ts'

const EVENING_MS = MORNING_MS + 8 * 3_600_000
const outlook = (
  { state, nowMs, quotes }: Bench,
  more: Partial<HoldingsOutlook> = {},
): HoldingsOutlook => ({
  nowMs,
  quote: (code) => quotes.get(code),
  soldToday: soldToday(state, nowMs),
  ...more,
})
const line = (bench: Bench, more: Partial<HoldingsOutlook> = {}) =>
  standing(bench.state, BANK, outlook(bench, more))
const codes = (bench: Bench, more: Partial<HoldingsOutlook> = {}) =>
  line(bench, more)?.reasons.map(({ code }) => code)

t.test('nothing is sold yet: the breakout and the stop are told', async (t) => {
  const { bench } = new Holder()
  t.match(line(bench), {
    code: 'waits_breakout',
    firstProfit: yuan(10.6),
    stop: yuan(9.25),
    reasons: [],
    zh: '未卖出：首次止盈 10.60，止损 9.25',
    en: 'not sold: first profit at 10.60, stop at 9.25',
  })
  t.equal(standing(bench.state, '000001.SZ' as typeof BANK, outlook(bench)), undefined)
})

t.test(
  'after the breakout the high and the price that sells, after the first profit the exit',
  async (t) => {
    const { bench } = new Holder().ticks(10.8)
    t.match(line(bench), {
      code: 'waits_pullback',
      high: yuan(10.8),
      sellsAt: yuan(10.74),
      zh: '等待回落：最高 10.80，回落到 10.74 卖出，止损 9.25',
      en: 'waits for the pullback: high 10.80, sells at 10.74, stop at 9.25',
    })
    const held = bench.state.positions.get(BANK)
    if (held === undefined) throw new Error('it is held')
    const highestPrice = yuan(11)
    bench.state.positions.set(BANK, { ...held, profitTriggered: true, highestPrice })
    t.match(line(bench), {
      code: 'waits_exit',
      high: yuan(11),
      zh: '已首次止盈：动态止盈 10.23（须高于成本 10.00），止损 9.25，最高 11.00',
      en: 'first profit taken: dynamic stop at 10.23 while above the cost of 10.00, stop at 9.25, high 11.00',
    })
    bench.state.positions.set(BANK, { ...held, profitTriggered: true, highestPrice: yuan(10.2) })
    t.match(line(bench), { zh: '已首次止盈：止损 9.25，最高 10.20' }, 'whichever is reached first')
  },
)

t.test('F394 an exit that only acts above the cost is told so, with the stop below', async (t) => {
  const holder = new Holder()
  const { bench } = holder
  const held = bench.state.positions.get(BANK)
  if (held === undefined) throw new Error('it is held')
  bench.state.positions.set(BANK, { ...held, profitTriggered: true, highestPrice: yuan(11) })
  holder.ticks(9.99)
  t.strictSame(holder.sent, [], 'below the exit of 10.23 and the cost: a profit that is none')
  t.match(line(bench), {
    sellsAt: yuan(10.23),
    stop: yuan(9.25),
    zh: /须高于成本 10.00），止损 9.25/,
  })
  holder.ticks(9.25)
  t.strictSame(holder.sent, ['stop_loss 1000'])
})

t.test('an exit that the tiers put below the cost is never told', async (t) => {
  const profitTiers = [{ level: 0.05, coefficient: 0.94 }]
  const bench = new Bench(emptyState({ ...policy, profitTiers })).ready([holding(1_000)])
  const held = bench.state.positions.get(BANK)
  if (held === undefined) throw new Error('it is held')
  bench.state.positions.set(BANK, { ...held, profitTriggered: true, highestPrice: yuan(10.5) })
  t.match(line(bench), { sellsAt: yuan(9.25), stop: yuan(9.25), zh: /止损 9.25，最高 10.50/ })
  t.notMatch(line(bench)?.zh, /动态止盈 \d/)
})

t.test('what was sold today is told behind, and what is gone as sold out', async (t) => {
  const holder = new Holder().ticks(10.8, 10.7)
  holder.fill('1001')
  const { bench } = holder
  t.match(line(bench), { code: 'waits_exit', soldToday: 600 })
  t.match(line(bench)?.zh, /；今日已卖 600 股$/)
  t.match(line(bench)?.en, /; sold today: 600 shares$/)
  const held = bench.state.positions.get(BANK)
  if (held === undefined) throw new Error('it is held')
  bench.state.positions.set(BANK, { ...held, quantity: 0 as Quantity })
  t.match(line(bench), { code: 'sold_out', zh: '今日已卖出 600 股，已无持股', reasons: [] })
})

t.test('F769 shares are told in thousands, as everywhere else on the page', async (t) => {
  const holder = new Holder().ticks(10.8, 10.7)
  const { bench } = holder
  const sold = { ...outlook(bench), soldToday: new Map([[BANK, 1_234_600]]) }
  const told = standing(bench.state, BANK, sold)
  t.match([told?.zh, told?.en], [/；今日已卖 1,234,600 股$/, /; sold today: 1,234,600 shares$/])
  const held = bench.state.positions.get(BANK)
  if (held === undefined) throw new Error('it is held')
  bench.state.positions.set(BANK, { ...held, quantity: 0 as Quantity })
  t.match(standing(bench.state, BANK, sold), {
    zh: '今日已卖出 1,234,600 股，已无持股',
    en: 'sold today: 1,234,600 shares, none is left',
  })
})

t.test('what was sold before midnight and is told after it was not sold today', async (t) => {
  const { bench } = new Holder()
  const late = { side: 'sell', clientOrderId: '', timeMs: MORNING_MS - 86_400_000 } as const
  bench.input(dealt({ ...late, orderId: '900' }))
  t.match(line(bench), { soldToday: 0 })
  t.notMatch(line(bench)?.zh, /今日已卖/)
  bench.input(dealt({ ...late, orderId: '901', timeMs: MORNING_MS }))
  t.match(line(bench), { soldToday: 100 })
})

t.test('what keeps it back: each reason alone, and the lines behind', async (t) => {
  const off = (name: keyof typeof policy.settings) => (bench: Bench) => {
    bench.state.settings = { ...bench.state.settings, [name]: false }
  }
  const TABLE: readonly (readonly [string, (bench: Bench) => void, Partial<HoldingsOutlook>?])[] = [
    ['suspended', () => {}, { resting: 'suspended' }],
    ['disk_space', () => {}, { resting: 'disk_space' }],
    ['disk_late', () => {}, { resting: 'disk_late' }],
    [
      'kill_switch',
      ({ state }) => {
        state.killSwitch = { ...state.killSwitch, level: 'all' }
      },
    ],
    [
      'restore',
      ({ state }) => {
        const times = { foundMs: MORNING_MS, comparedMs: MORNING_MS, confirmedMs: 0 }
        state.restore = { mark: 'm', fromEpoch: 1, clientEpoch: 2, ...times }
      },
    ],
    ['master_off', off('ENABLE_AUTO_OPERATION')],
    ['trading_off', off('ENABLE_AUTO_TRADING')],
    ['sell_not_permitted', off('ENABLE_ALLOW_SELL')],
    [
      'stock_off',
      ({ state }) => {
        const held = state.positions.get(BANK)
        if (held !== undefined) state.positions.set(BANK, { ...held, stopProfitEnabled: false })
      },
    ],
    [
      'outside_session',
      (bench) => {
        bench.nowMs = EVENING_MS
      },
    ],
    ['no_quote', ({ quotes }) => quotes.clear()],
    ['no_price', ({ quotes }) => quotes.set(BANK, { ...quote(10), lastPrice: 0 as Price })],
  ]
  for (const [code, change, more = {}] of TABLE) {
    const { bench } = new Holder()
    change(bench)
    t.match(line(bench, more), { code: 'held_back', stop: yuan(9.25) }, code)
    t.strictSame(codes(bench, more), [code], code)
    t.match(line(bench, more)?.zh, /^暂不止盈止损：.+（首次止盈 10\.60，止损 9\.25）$/, code)
    t.match(
      line(bench, more)?.en,
      /^held back: .+ \(first profit at 10\.60, stop at 9\.25\)$/,
      code,
    )
  }
})

t.test('of several reasons the most binding one comes first', async (t) => {
  const { bench } = new Holder()
  const { state } = bench
  state.settings = { ...state.settings, ENABLE_AUTO_OPERATION: false, ENABLE_ALLOW_SELL: false }
  state.killSwitch = { ...state.killSwitch, level: 'cancel_all' }
  bench.nowMs = EVENING_MS
  t.strictSame(codes(bench), ['kill_switch', 'master_off', 'sell_not_permitted', 'outside_session'])
  t.match(line(bench)?.zh, /^暂不止盈止损：急停生效（停止并撤单）；总开关已关闭；/)
  state.killSwitch = { ...state.killSwitch, level: 'entries' }
  t.notMatch(codes(bench), ['kill_switch'], 'a level that stops purchases lets sales pass')
})

t.test('shares bought today are no reason for ever, and unknown ones are not zero', async (t) => {
  const bench = new Bench(emptyState({ ...policy, settings: ON }))
  bench.quotes.set(BANK, quote(10))
  bench.ready([holding(0, 1_000)])
  t.strictSame(codes(bench), ['nothing_sellable'])
  bench.state.isReady = false
  t.strictSame(codes(bench), ['not_ready'], 'nobody knows what may be sold')
})
const ON = { ...policy.settings, ENABLE_AUTO_OPERATION: true, ENABLE_AUTO_TRADING: true }

t.test('an order by hand keeps the signals of its stock waiting', async (t) => {
  const holder = new Holder()
  holder.sell(1, 100)
  t.strictSame(codes(holder.bench), ['order_open'])
})

t.test('what the rules have refused today is told with its time', async (t) => {
  const { bench } = new Holder()
  const { policy: own } = bench.state
  Object.assign(bench.state, { policy: { ...own, limits: { ...own.limits, ordersMax: 0 } } })
  bench.nowMs += 3_000
  bench.quotes.set(BANK, quote(9.2, bench.nowMs))
  bench.input({ kind: 'quotes', crossed: [BANK] })
  const [refused] = line(bench)?.reasons ?? []
  t.match(refused, { code: 'refused' })
  t.match(refused?.zh, /^委托被拒（10:00:03：委托表已满/)
  t.match(refused?.en, /^its order was refused \(10:00:03: too many orders/)
})

t.test('F566 a purchase that the rules have refused keeps no sale back', async (t) => {
  const { bench } = new Holder()
  const { settings, risk } = bench.state
  Object.assign(bench.state, {
    settings: { ...settings, ENABLE_STOP_LOSS_BUY: true },
    risk: { ...risk, maxOrderValue: 100 },
  })
  bench.nowMs += 3_000
  bench.quotes.set(BANK, quote(9.28, bench.nowMs))
  bench.input({ kind: 'quotes', crossed: [BANK] })
  const denied = bench.journal.filter(({ event }) => event.kind === 'orderDenied')
  t.match(denied, [{ event: { side: 'buy', code: 'MAX_ORDER_VALUE' } }])
  t.match(line(bench), { code: 'waits_breakout', reasons: [], stop: yuan(9.25) })
})

t.test(
  'a line is made anew after the account has changed, and is the same object while it reads the same',
  async (t) => {
    const { bench } = new Holder()
    let news = 0
    const whys = new Whys(bench.state, () => {
      news += 1
    })
    const sight = () => ({
      nowMs: bench.nowMs,
      quote: (code: typeof BANK) => bench.quotes.get(code),
    })
    const held = () => {
      const position = bench.state.positions.get(BANK)
      if (position === undefined) throw new Error('it is held')
      return position
    }
    whys.begin(sight(), { version: 1 })
    const first = whys.of(held(), quote(10))
    t.match(first, {
      why_zh: '未卖出：首次止盈 10.60，止损 9.25',
      why: { stop: 9.25, reasons: [] },
    })
    t.equal(whys.of(held(), quote(10.2)), first, 'a price is nothing to it')
    whys.begin(sight(), { version: 2 })
    t.equal(whys.of(held(), quote(10.2)), first, 'another version that says the same')
    t.equal(news, 0)
    bench.state.settings = { ...bench.state.settings, ENABLE_AUTO_OPERATION: false }
    whys.begin(sight(), { version: 2 })
    t.equal(whys.of(held(), quote(10.2)), first, 'nobody has said that something changed')
    whys.begin(sight(), { version: 3 })
    t.match(whys.of(held(), quote(10.2)), { why: { state: 'held_back', reasons: ['master_off'] } })
    t.equal(news, 1)
    whys.begin({ ...sight(), nowMs: EVENING_MS }, { version: 3 })
    t.match(whys.of(held(), quote(10.2)), { why: { reasons: ['master_off', 'outside_session'] } })
    whys.keepOnly(new Map())
    t.match(whys.of(held(), undefined), { why: { reasons: ['master_off', 'outside_session'] } })
    t.equal(news, 2, 'one that was forgotten is no news')
  },
)

t.test('where no strategy has anything to say the line is empty', async (t) => {
  const bench = new Bench().ready([brokerPosition()])
  t.match(whyOf(bench.state, BANK, outlook(bench), []), { why_zh: '', why_en: '', why: null })
})

/** One holding, whose quotes count only once they were looked at often enough, and the settings of a `Holder`. */
function judging(): Bench {
  const { settings } = new Holder().bench.state
  const health = { ...policy.health, isObserveOnly: false }
  return new Bench(emptyState({ ...policy, settings, health })).ready([holding(1_000)])
}
const look = (bench: Bench, price: number) => {
  bench.nowMs += 3_000
  bench.quotes.set(BANK, quote(price, bench.nowMs))
  return bench.input({ kind: 'quotes', crossed: [BANK] })
}

t.test('F923 a quote that stays within its band for long is told as it is judged', async (t) => {
  const bench = judging()
  for (const price of [10, 10]) look(bench, price)
  t.match(codes(bench), ['too_few_looks'])
  look(bench, 10)
  t.strictSame(codes(bench), [])
  bench.nowMs += 400_000
  bench.quotes.set(BANK, quote(10.01, bench.nowMs))
  t.match(line(bench), { code: 'waits_breakout', reasons: [] })
})

t.test('F923 asking for a line is no look at a quote that nobody has seen', async (t) => {
  const bench = judging()
  bench.quotes.set(BANK, quote(10, bench.nowMs))
  for (let i = 0; i < 5; i++) {
    t.match(codes(bench), ['too_few_looks'])
    bench.nowMs += 3_000
  }
})

t.test('F942 asking how quotes do is no look at one that nobody has seen', async (t) => {
  const bench = judging()
  bench.quotes.set(BANK, quote(10, bench.nowMs))
  for (let i = 0; i < 5; i++) {
    const { stocks } = marketHealth(bench.state, outlook(bench))
    t.strictSame(stocks, {})
    bench.nowMs += 3_000
  }
  look(bench, 9.2)
  t.match(codes(bench), ['too_few_looks'], 'as where nobody has asked')
  t.equal(bench.state.orders.size, 0)
})

t.test('F1027 the price at which more would be bought is told, on or off', async (t) => {
  const { bench } = new Holder()
  t.equal(bench.state.settings.ENABLE_STOP_LOSS_BUY, false)
  t.equal(line(bench)?.addsAt, yuan(9.3))
  const why = whyOf(bench.state, BANK, outlook(bench)).why as { adds_at: number | null }
  t.equal(why.adds_at, 9.3)
  const held = bench.state.positions.get(BANK)
  if (held === undefined) throw new Error('it is held')
  bench.state.positions.set(BANK, { ...held, profitTriggered: true })
  t.equal(line(bench)?.addsAt, 0, 'after a profit nothing is')
})
