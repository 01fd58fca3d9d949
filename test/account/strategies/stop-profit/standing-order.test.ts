import t from 'tap'
import type { AccountState } from '../../../../src/account/model/state.ts'
import { type HoldingsOutlook, soldToday } from '../../../../src/account/strategies/standing.ts'
import { standing } from '../../../../src/account/strategies/stop-profit/standing.ts'
import type { Quantity } from '../../../../src/domain/money.ts'
import {
  BANK,
  type Bench,
  brokerPosition,
  commands,
  MORNING_MS,
  quote,
  yuan,
} from '../../fixture.ts'
import { accepted } from '../../play.ts'
import { acting, Chain, SALE } from './chain.ts'
import { Holder } from './holder.ts'

const line = ({ state, nowMs, quotes }: Bench, more: Partial<HoldingsOutlook> = {}) =>
  standing(state, BANK, {
    nowMs,
    quote: (code) => quotes.get(code),
    soldToday: soldToday(state, nowMs),
    ...more,
  })
const HOUR_MS = 3_600_000
/** A stop that is sent so long after ten o'clock. */
function sentAfter(ms: number): Chain {
  const bench = acting()
  bench.nowMs = MORNING_MS + ms
  return new Chain(SALE, bench.ready([brokerPosition()]))
}

t.test(
  'an order that rests is told with its price, since when, and when it is canceled',
  async (t) => {
    const holder = new Holder().ticks(9.2)
    const { bench } = holder
    const call = [...bench.state.calls].findLast(([, { kind }]) => kind === 'submit')
    const [order] = bench.state.orders.values()
    if (call === undefined || order === undefined) throw new Error('no order')
    bench.input(accepted(call[0], '1001', order.clientOrderId))
    const found = line(bench)
    t.match(found, {
      code: 'order_open',
      order: { orderId: '1001', signalType: 'stop_loss', quantity: 1_000, status: 'accepted' },
      reasons: [],
      zh: '止损委托在途：1,000 股，价格 9.20，自 10:00:03，最迟 10:00:33 撤单',
      en: 'stop-loss order resting: 1,000 shares at 9.20, since 10:00:03, canceled at 10:00:33 at the latest',
    })
    bench.state.settings = { ...bench.state.settings, ENABLE_AUTO_OPERATION: false }
    t.match(
      line(bench),
      {
        zh: '止损委托在途：1,000 股，价格 9.20，自 10:00:03，不自动撤单；另有：总开关已关闭',
        en: /^stop-loss order resting: .*, never canceled by itself; besides: /,
      },
      'what is switched off cancels nothing',
    )
  },
)

t.test('an order in doubt is told as one', async (t) => {
  const { bench } = new Holder().ticks(9.2).doubt()
  t.match(line(bench), {
    order: { status: 'inDoubt' },
    zh: '止损委托结果未知，正在核实：1,000 股，自 10:00:03',
    en: 'the stop-loss order is in doubt and looked for: 1,000 shares, since 10:00:03',
  })
})

t.test('F940 a time limit that ends in the break at noon ends behind it', async (t) => {
  const chain = sentAfter(1.5 * HOUR_MS - 20_000)
  const told = {
    order: { untilMs: MORNING_MS + 3 * HOUR_MS + 10_000 },
    zh: /，最迟 13:00:10 撤单/,
    en: /, canceled at 13:00:10 at the latest/,
  }
  t.match(line(chain.bench), told)
  t.strictSame(commands(chain.ring()), [], 'nobody takes a cancel in the break')
  t.match(line(chain.bench), told)
  chain.bench.nowMs = MORNING_MS + 3 * HOUR_MS - 20_000
  t.strictSame(commands(chain.bench.input({ kind: 'alarm' })), [])
  t.match(line(chain.bench), told)
  t.match(commands(chain.ring()), [{ kind: 'cancel' }])
  t.equal(chain.bench.nowMs, told.order.untilMs)
})

t.test('F940 of a stop whose time ends in the closing auction no cancel is told', async (t) => {
  const chain = sentAfter(4 * HOUR_MS + 57 * 60_000 - 10_000)
  t.match(line(chain.bench), {
    order: { untilMs: undefined },
    zh: /，不自动撤单/,
    en: /, never canceled by itself/,
  })
  for (let look = 1; look <= 8; look++) t.strictSame(commands(chain.ring()), [])
})

t.test('F941 a stop that does not rest is not told as one', async (t) => {
  const { bench } = new Holder().ticks(9.2)
  t.match(line(bench), {
    code: 'order_open',
    zh: '止损委托已发出，尚未回报：1,000 股，价格 9.20，自 10:00:03',
    en: 'stop-loss order sent and not answered yet: 1,000 shares at 9.20, since 10:00:03',
  })
  const chain = sentAfter(1.5 * HOUR_MS - 31_000)
  chain.ring()
  t.match(line(chain.bench), {
    code: 'order_open',
    zh: '止损委托撤单中：300 股，价格 36.50，自 11:29:29',
    en: 'stop-loss order being canceled: 300 shares at 36.50, since 11:29:29',
  })
  chain.fill(100)
  chain.bench.nowMs += 5_000
  chain.report({ status: 53, filledQuantity: 100 as Quantity })
  t.match(line(chain.bench), {
    order: { quantity: 200 },
    zh: /^止损委托已结束，剩余 200 股待委托；另有：非交易时段/,
    en: /^stop-loss order has ended, its rest of 200 shares is still to be sent; besides: outside /,
  })
})

t.test('F941 an end whose fills are not told yet says so', async (t) => {
  const chain = new Chain()
  chain.report({ status: 53, filledQuantity: 100 as Quantity })
  t.match(line(chain.bench), {
    code: 'order_open',
    zh: /^止损委托已结束，等待成交回报/,
    en: /^stop-loss order has ended, its fills are still to be told/,
  })
})

t.test('F943 a stop that no other may follow is not told as one that is canceled', async (t) => {
  const told = {
    code: 'order_open',
    order: { untilMs: undefined },
    zh: /，不自动撤单；另有：/,
    en: /, never canceled by itself; besides: /,
  }
  const WHYS: Readonly<Record<string, (state: AccountState) => void>> = {
    kill_switch: (state) => {
      state.killSwitch = { ...state.killSwitch, level: 'all' }
    },
    sell_not_permitted: (state) => {
      state.settings = { ...state.settings, ENABLE_ALLOW_SELL: false }
    },
    protective_limit: (state) => {
      state.risk = { ...state.risk, maxProtectiveOrdersPerDay: 1 }
    },
  }
  for (const [why, change] of Object.entries(WHYS)) {
    const chain = new Chain()
    change(chain.bench.state)
    t.match(line(chain.bench), { ...told, reasons: [{ code: why }] }, why)
    t.strictSame(commands(chain.ring()), [], `${why}: it keeps its place`)
  }
  const chain = new Chain()
  const isDiskLow = { resting: 'disk_space' } as const
  t.match(line(chain.bench, isDiskLow), told)
  t.match(line(chain.bench)?.en, /, canceled at 10:00:30 at the latest$/)
})

t.test(
  'F924 a stop that was sent again as often as may be is not told as one that is canceled',
  async (t) => {
    const chain = new Chain()
    for (let attempt = 1; attempt <= 2; attempt++) {
      chain.ring()
      chain.report({ status: 54 })
      chain.accept()
      t.match(
        line(chain.bench)?.en,
        /, canceled at \d\d:\d\d:\d\d at the latest/,
        `attempt ${attempt}`,
      )
    }
    chain.ring()
    chain.report({ status: 54 })
    chain.accept()
    t.equal(chain.last.keptFor, undefined, 'its time is not up')
    t.match(line(chain.bench), {
      order: { orderId: chain.last.orderId, untilMs: undefined },
      zh: /，不自动撤单/,
      en: /, never canceled by itself/,
    })
    t.strictSame(commands(chain.ring()), [], 'nor is it')
  },
)

t.test(
  'F924 an order that has kept its place is told as one that is looked at again',
  async (t) => {
    const chain = new Chain()
    const low = { ...quote(36), bid: [36, 35.9, 35.8].map(yuan) }
    chain.report({ price: yuan(35.8) })
    chain.bench.quotes.set(BANK, low)
    t.match(line(chain.bench)?.en, /, canceled at 10:00:30 at the latest/)
    t.strictSame(commands(chain.ring()), [])
    t.match(line(chain.bench), {
      zh: /，保留排队位置，10:01:00 再看/,
      en: /, keeps its place and is looked at again at 10:01:00/,
    })
  },
)
