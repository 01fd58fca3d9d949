import t from 'tap'
import type { AccountInput } from '../../../src/account/step.ts'
import type { StockCode } from '../../../src/domain/instrument.ts'
import type { Money, Quantity } from '../../../src/domain/money.ts'
import type { BrokerPosition } from '../../../src/domain/order.ts'
import {
  BANK,
  Bench,
  brokerDeal,
  brokerPosition,
  commands,
  MORNING_MS,
  quote,
  replies,
  yuan,
} from '../fixture.ts'
import { gone, recovered, timer } from '../play.ts'

const pushed = (row = {}): AccountInput => ({
  kind: 'driver',
  event: { kind: 'positionPushed', position: brokerPosition(row) },
})
const request = (bench: Bench, body: object) =>
  bench.input({ kind: 'request', ref: 1, request: { source: 'test', ...body } as never })

t.test('a holding seen for the first time remembers cost, high and date', async (t) => {
  const bench = new Bench()
  bench.quotes.set(BANK, quote(37))
  bench.ready([brokerPosition({ openDate: '2026-08-03' })])
  t.match(bench.state.positions.get(BANK), {
    quantity: 1_000,
    baseCostPrice: yuan(35.1),
    highestPrice: yuan(37),
    stopLossPrice: yuan(32.47),
    openDate: '2026-08-03 00:00:00',
    profitTriggered: false,
    stopProfitEnabled: true,
  })
})

t.test(
  'the stop that is shown of a fund has three decimals and follows a thousandth',
  async (t) => {
    const fund = { code: '510300.SH' as StockCode, costPrice: yuan(1.023) }
    const bench = new Bench().ready([brokerPosition(fund)])
    const shown = () => bench.state.positions.get(fund.code)?.stopLossPrice
    t.equal(shown(), yuan(0.946), '0.946275')
    bench.input(pushed({ ...fund, costPrice: yuan(1.019) }))
    t.equal(shown(), yuan(0.943), '0.942575')
  },
)

t.test('holdings stand in the order of their codes, whenever they were bought', async (t) => {
  const codes = ['600519.SH', '000001.SZ', '688001.SH', '300750.SZ'] as StockCode[]
  const bench = new Bench().ready(codes.slice(0, 2).map((code) => brokerPosition({ code })))
  for (const code of codes.slice(2)) bench.input(pushed({ code }))
  bench.input(pushed({ code: codes[0], quantity: 2_000 as Quantity }))
  t.strictSame([...bench.state.positions.keys()], codes.toSorted())
})

t.test('the base cost survives averaging; the protective price follows the cost', async (t) => {
  const bench = new Bench().ready([brokerPosition()])
  bench.input(pushed({ quantity: 2_000 as Quantity, costPrice: yuan(30) }))
  t.match(bench.state.positions.get(BANK), {
    baseCostPrice: yuan(35.1),
    costPrice: yuan(30),
    stopLossPrice: yuan(27.75),
  })
})

t.test('the high only rises, and a tick that was acted upon is not acted upon again', async (t) => {
  const bench = new Bench().ready([brokerPosition()])
  const tick = (price: number, timeMs: number) => {
    bench.quotes.set(BANK, quote(price, timeMs))
    bench.input({ kind: 'quotes', crossed: [BANK] })
    return bench.state.positions.get(BANK)?.highestPrice
  }
  t.equal(tick(36, MORNING_MS + 1), yuan(36))
  t.equal(tick(35.5, MORNING_MS + 2), yuan(36))
  t.equal(tick(40, MORNING_MS + 1), yuan(36), 'older than the tick of the last high')
  t.equal(tick(40, MORNING_MS + 3), yuan(40))
})

/** Away while a person trades: these deals, newest first, and what is held afterwards at 36 yuan. */
function traded(deals: readonly (readonly [side: 'buy' | 'sell', shares: number])[], left: number) {
  const bench = new Bench().ready([brokerPosition()])
  const held = bench.state.positions.get(BANK)
  if (held === undefined) throw new Error('it is held')
  const before = { profitTriggered: true, highestPrice: yuan(50), openDate: '2026-08-03 00:00:00' }
  bench.state.positions.set(BANK, { ...held, ...before })
  bench.input(gone)
  bench.nowMs += 3_600_000
  bench.wallMs += 3_600_000
  bench.quotes.set(BANK, quote(36, bench.nowMs))
  const rows = deals.map(([side, shares], i) => {
    const quantity = shares as Quantity
    const amount = (yuan(36) * shares) as Money
    const own = { clientOrderId: '', orderId: `${i}`, dealId: `d${i}` }
    return brokerDeal({ ...own, side, quantity, amount, timeMs: bench.nowMs - i * 60_000 })
  })
  const positions = [brokerPosition({ quantity: left as Quantity, costPrice: yuan(36) })]
  recovered(bench, { deals: rows, positions })
  bench.nowMs += 60_000
  bench.wallMs += 60_000
  for (let i = 0; i < 2; i++) {
    bench.answerQueries(commands(bench.input(timer('poll'))), { deals: rows, positions })
  }
  return bench.state.positions.get(BANK)
}

t.test('F399 what was sold and bought again while nobody looked starts fresh too', async (t) => {
  const anew = { profitTriggered: false, highestPrice: yuan(36), baseCostPrice: yuan(36) }
  const sold = traded(
    [
      ['buy', 500],
      ['sell', 1_000],
    ],
    500,
  )
  t.match(sold, { ...anew, quantity: 500, openDate: /^2026-08-11 11:0/ })
  const kept = { profitTriggered: true, highestPrice: yuan(50) }
  const turned = traded(
    [
      ['sell', 1_000],
      ['buy', 1_000],
    ],
    1_000,
  )
  t.match(turned, kept, 'bought first: it was never gone')
  const part = traded(
    [
      ['buy', 500],
      ['sell', 900],
    ],
    600,
  )
  t.match(part, { ...kept, quantity: 600 })
  const shown = traded(
    [
      ['buy', 500],
      ['sell', 1_000],
    ],
    1_500,
  )
  t.match(shown, { ...kept, quantity: 1_500 }, 'a list had the sale before its deal came')
})

t.test('sold out and bought again starts fresh', async (t) => {
  const bench = new Bench().ready([brokerPosition()])
  request(bench, { kind: 'updateHolding', code: '600036', profitTriggered: true })
  t.match(bench.state.positions.get(BANK), { profitTriggered: true })
  bench.input(pushed({ quantity: 0 as Quantity, sellable: 0 as Quantity }))
  t.equal(bench.state.positions.size, 0)
  bench.input(pushed({ quantity: 0 as Quantity, sellable: 0 as Quantity }))
  t.equal(bench.state.positions.size, 0, 'a residual row of zero shares opens nothing')
  bench.input(pushed())
  t.match(bench.state.positions.get(BANK), { profitTriggered: false })
})

const EVENING_MS = Date.parse('2026-08-11T12:00:00Z')
const MORE = ['000001.SZ', '000002.SZ', '600000.SH'] as (typeof BANK)[]
const pollWith = (bench: Bench, positions: readonly BrokerPosition[] = []) =>
  bench.answerQueries(commands(bench.input({ kind: 'timer', name: 'poll' })), { positions })

t.test('an empty list counts in trading hours only, and while no order is open', async (t) => {
  const closed = new Bench().ready([brokerPosition()])
  closed.nowMs = EVENING_MS
  for (let n = 0; n < 5; n++) pollWith(closed)
  t.equal(closed.state.positions.size, 1)
  const busy = new Bench().ready([brokerPosition()])
  busy.place()
  for (let n = 0; n < 5; n++) pollWith(busy)
  t.equal(busy.state.positions.size, 1)
})

t.test('a list with few of the holdings is believed only when it lasts', async (t) => {
  const rows = [BANK, ...MORE].map((code) => brokerPosition({ code }))
  const bench = new Bench().ready(rows)
  for (let n = 0; n < 19; n++) pollWith(bench, rows.slice(0, 1))
  t.equal(bench.state.positions.size, 4)
  pollWith(bench, rows.slice(0, 1))
  t.equal(bench.state.positions.size, 1)
  const some = new Bench().ready(rows)
  for (let n = 0; n < 2; n++) pollWith(some, rows.slice(0, 2))
  t.equal(some.state.positions.size, 2, 'half of them are another matter')
})

t.test('the high of the day counts for a holding that was there before it', async (t) => {
  const high = (openDate: string) => {
    const bench = new Bench().ready([brokerPosition({ openDate })])
    bench.quotes.set(BANK, { ...quote(36, MORNING_MS + 1), high: yuan(37) })
    bench.input({ kind: 'quotes', crossed: [BANK] })
    return bench.state.positions.get(BANK)?.highestPrice
  }
  t.equal(high('2026-08-10'), yuan(37))
  t.equal(high('2026-08-11'), yuan(36), 'who bought at noon has not seen the morning')
})

t.test('an empty list is not "no holdings" until it has been said twice', async (t) => {
  const bench = new Bench().ready([brokerPosition()])
  const poll = () => bench.answerQueries(commands(bench.input({ kind: 'timer', name: 'poll' })))
  poll()
  t.equal(bench.state.positions.size, 1)
  poll()
  t.equal(bench.state.positions.size, 0)
})

t.test('a failed report concludes nothing', async (t) => {
  const bench = new Bench().ready([brokerPosition()])
  for (const query of commands(bench.input({ kind: 'timer', name: 'poll' }))) {
    if (query.kind !== 'query') continue
    const { callId, what } = query
    const result = { ok: false, error: { code: 'FAILED', message: 'busy' } } as const
    bench.input({ kind: 'driver', event: { kind: 'queryAnswered', callId, what, result } })
  }
  t.equal(bench.state.positions.size, 1)
  t.equal(bench.state.connection.phase, 'connected')
})

t.test('per-stock switch and literal fields are kept by name in any spelling', async (t) => {
  const bench = new Bench().ready([brokerPosition()])
  t.match(replies(request(bench, { kind: 'setStopProfit', code: 'SH.600036', enabled: false })), [
    { enabled: false },
  ])
  t.match(bench.state.positions.get(BANK), { stopProfitEnabled: false })
  request(bench, {
    kind: 'updateHolding',
    code: BANK,
    highestPrice: yuan(50),
    stopLossPrice: yuan(30),
  })
  t.match(bench.state.positions.get(BANK), { highestPrice: yuan(50), stopLossPrice: yuan(30) })
})

t.test('a code that names no exchange is refused with what to add', async (t) => {
  const bench = new Bench().ready([brokerPosition()])
  const refused = (code: string) =>
    request(bench, { kind: 'setStopProfit', code, enabled: false }).flatMap((effect) =>
      effect.kind === 'refuse' ? [`${effect.error.code} ${effect.error.message}`] : [],
    )
  t.match(refused('430047'), [/^UNKNOWN_EXCHANGE stock_code: “430047” .*\.SH、\.SZ 或 \.BJ \(/])
  t.match(refused('43'), [/^CODE_INVALID stock_code: “43” .*六位数字/])
})

t.test('another stop-loss ratio shows at once, in a simulation and behind it', async (t) => {
  const bench = new Bench().ready([brokerPosition({ costPrice: yuan(10) })])
  const save = (changes: object) => request(bench, { kind: 'saveConfig', changes })
  const stop = () => bench.state.positions.get(BANK)?.stopLossPrice
  save({ stockStopLoss: 8 })
  t.equal(stop(), yuan(9.2))
  request(bench, { kind: 'updateHolding', code: BANK, stopLossPrice: yuan(9.1) })
  save({ stopLossBuy: 6, stockStopLoss: 8 })
  t.equal(stop(), yuan(9.1), 'the same ratio again leaves what a person has written')
  save({ simulationMode: true })
  save({ stockStopLoss: 5 })
  t.equal(bench.state.simulation?.positions.get(BANK)?.stopLossPrice, yuan(9.5))
  t.equal(stop(), yuan(9.5))
})

t.test('a stop that is not given follows a high, a flag or a parameter that is', async (t) => {
  const bench = new Bench().ready([brokerPosition()])
  const shown = () => bench.state.positions.get(BANK)?.stopLossPrice
  const update = (fields: object) =>
    request(bench, { kind: 'updateHolding', code: BANK, ...fields } as never)
  const save = (stockStopLoss: number) =>
    request(bench, { kind: 'saveConfig', changes: { stockStopLoss } } as never)
  t.equal(shown(), yuan(32.47))
  save(5)
  t.equal(shown(), yuan(33.35), 'at once, though no new high comes')
  update({ highestPrice: yuan(40), profitTriggered: true })
  const after = shown() ?? 0
  t.ok(after > yuan(35.1), 'what is left is sold by the high')
  update({ highestPrice: yuan(44) })
  t.ok((shown() ?? 0) > after)
  const [answer] = replies(update({ stopLossPrice: yuan(30) }))
  t.equal(shown(), yuan(30))
  t.match(answer, { message: /只用于显示.*重启后会重新计算/ }, 'it does not vanish without a word')
})

t.test('F672 the stop that is shown follows a cost that moves a little at a time', async (t) => {
  const bench = new Bench().ready([brokerPosition({ costPrice: yuan(36) })])
  const shown = () => bench.state.positions.get(BANK)?.stopLossPrice
  const creep = (from: number, to: number) => {
    for (let cost = from; cost >= to; cost -= 0.008) {
      bench.input(pushed({ costPrice: yuan(cost) }))
    }
  }
  t.equal(shown(), yuan(33.3))
  bench.input(pushed({ costPrice: yuan(35.992) }))
  t.equal(shown(), yuan(33.3), 'by a tick it stays')
  creep(35.984, 35.5)
  const right = 0.925 * 35.5
  t.ok(Math.abs((shown() ?? 0) - yuan(right)) <= 2 * yuan(0.01), 'and is no farther off than that')
  request(bench, { kind: 'updateHolding', code: BANK, stopLossPrice: yuan(30) })
  creep(35.496, 35)
  t.equal(shown(), yuan(30), 'what a person has written stands')
})

t.test(
  'initialize takes the highest of stored, today and now, and counts what has no quote',
  async (t) => {
    const bench = new Bench().ready([brokerPosition({ openDate: '2026-08-03' })])
    t.match(replies(request(bench, { kind: 'initializePositions', changes: {} })), [
      { success: false, errorCount: 1 },
    ])
    bench.quotes.set(BANK, { ...quote(36), high: yuan(38) })
    t.match(replies(request(bench, { kind: 'initializePositions', changes: {} })), [
      { success: true, updatedCount: 1 },
    ])
    t.match(bench.state.positions.get(BANK), { highestPrice: yuan(38) })
  },
)

t.test(
  'F455 initialize leaves out the high of the day of what was bought on that day',
  async (t) => {
    const bench = new Bench()
    bench.quotes.set(BANK, { ...quote(36), high: yuan(38) })
    bench.ready([brokerPosition({ openDate: '2026-08-11' })])
    t.match(replies(request(bench, { kind: 'initializePositions', changes: {} })), [
      { success: true, updatedCount: 1 },
    ])
    t.match(bench.state.positions.get(BANK), { highestPrice: yuan(36) })
  },
)

t.test(
  'settings come in wire units, are kept in run-time units, and only some survive a start',
  async (t) => {
    const bench = new Bench().ready()
    const changes = {
      stockStopLoss: 8,
      stopLossBuy: 6,
      globalAutoOperation: true,
      globalAllowBuySell: true,
      connectPort: 5000,
    }
    t.match(replies(request(bench, { kind: 'saveConfig', changes })), [
      { isMonitoring: true, autoTradingEnabled: true },
    ])
    t.match(bench.state.settings, {
      STOP_LOSS_RATIO: -0.08,
      BUY_GRID_LEVEL_1: 0.94,
      ENABLE_AUTO_OPERATION: true,
    })
    bench.input({ kind: 'started', incarnation: 2, day: '2026-08-11' })
    t.match(bench.state.settings, {
      STOP_LOSS_RATIO: -0.08,
      ENABLE_AUTO_OPERATION: false,
      ENABLE_AUTO_TRADING: true,
    })
  },
)
