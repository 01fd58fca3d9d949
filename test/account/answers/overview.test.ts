import t from 'tap'
import { overview, stopFields } from '../../../src/account/answers/overview.ts'
import type { PositionRow } from '../../../src/account/answers/rows.ts'
import type { ViewInputs } from '../../../src/account/answers/view.ts'
import {
  closeBefore,
  emptyEquityBook,
  equityBookOf,
  isHeldBack,
  withDayPoint,
} from '../../../src/account/model/equity-book.ts'
import { emptyState } from '../../../src/account/model/state.ts'
import type { EquityPoint } from '../../../src/domain/equity.ts'
import type { Money, Quantity } from '../../../src/domain/money.ts'
import {
  BANK,
  Bench,
  brokerDeal,
  brokerPosition,
  driver,
  policy,
  quote,
  set,
  yuan,
} from '../fixture.ts'
import { viewInputs } from './fixtures/view-inputs.ts'

const shown = (bench: Bench, more: Partial<ViewInputs> = {}) =>
  Object(overview({ ...viewInputs(bench), ...more }))

const point = (day: string, cash: number, isSimulated = true): EquityPoint => ({
  timeMs: Date.parse(`${day}T15:00:00+08:00`),
  cash: yuan(cash) as never,
  frozen: 0 as never,
  marketValue: 0 as never,
  isSimulated,
  session: 'closed',
})

t.test('what the day has brought is of holdings and deals, and a part of what was there', (t) => {
  const bench = new Bench().ready([brokerPosition()])
  bench.quotes.set(BANK, { ...quote(36, bench.nowMs), lastClose: yuan(35) as never })
  const { today, account } = shown(bench)
  t.match(today, { pnl: 1_000, method: 'holdings_and_deals', reason: null, day: '2026-08-11' })
  t.equal(today.ratio, Math.round((1_000 / (account.totalAssets - 1_000)) * 1e6) / 1e6)
  t.end()
})

t.test('deals of the last trading day are no part of a day without trading', (t) => {
  const bench = new Bench().ready([brokerPosition()])
  driver(bench, { kind: 'dealPushed', deal: brokerDeal({ clientOrderId: '', orderId: '77' }) })
  const position = brokerPosition({ quantity: 1_100 as Quantity })
  driver(bench, { kind: 'positionPushed', position })
  const [cash, none] = [996_345_0000 as Money, 0 as Money]
  const asset = { available: cash, frozen: none, marketValue: none, total: cash }
  driver(bench, { kind: 'assetPushed', asset })
  bench.quotes.set(BANK, { ...quote(36, bench.nowMs), lastClose: yuan(35) })
  t.match(shown(bench).today, { day: '2026-08-11', pnl: 945 })
  // No day opens where nothing trades: the last one stays open.
  bench.nowMs += 86_400_000
  t.equal(bench.state.day, '2026-08-11')
  t.match(shown(bench).today, { day: '2026-08-12', pnl: 0 })
  t.end()
})

t.test('F370 a deal of the day before that is told today is no part of today', (t) => {
  const bench = new Bench().ready([brokerPosition()])
  bench.nowMs += 86_400_000
  bench.input({ kind: 'dayOpened', day: '2026-08-12' })
  const deal = brokerDeal({ clientOrderId: '', orderId: '77', timeMs: bench.nowMs - 72_000_000 })
  driver(bench, { kind: 'dealPushed', deal })
  const position = brokerPosition({ quantity: 1_100 as Quantity })
  driver(bench, { kind: 'positionPushed', position })
  const [cash, none] = [996_345_0000 as Money, 0 as Money]
  const asset = { available: cash, frozen: none, marketValue: none, total: cash }
  driver(bench, { kind: 'assetPushed', asset })
  bench.quotes.set(BANK, { ...quote(36, bench.nowMs), lastClose: yuan(35) })
  t.equal(bench.journal.filter(({ event }) => event.kind === 'dealBooked').length, 1)
  t.match(shown(bench).today, { day: '2026-08-12', pnl: 1_100 }, 'all shares were there before')
  t.end()
})

t.test('F371 what a terminal repeats before the auction, or is a test, is no result', (t) => {
  const bench = new Bench().ready([brokerPosition()])
  const at = (time: string) => {
    bench.nowMs = Date.parse(`${time}+08:00`)
    bench.quotes.set(BANK, { ...quote(36, bench.nowMs), lastClose: yuan(35) })
    return shown(bench).today
  }
  // The price and the close before it of the day before, at the time of now.
  t.match(at('2026-08-12T08:58:00'), { day: '2026-08-12', pnl: 0 })
  t.match(at('2026-08-12T09:25:00'), { day: '2026-08-12', pnl: 1_000 })
  t.match(at('2026-08-15T10:30:00'), { day: '2026-08-15', pnl: 0 }, 'a Saturday')
  t.end()
})

t.test('what nobody knows is nothing, never 0', (t) => {
  const bench = new Bench().ready([brokerPosition()])
  t.match(shown(bench).today, { pnl: null, ratio: null, reason: 'equity_unknown' })
  t.match(shown(new Bench()).today, { pnl: null, ratio: null, reason: 'equity_unknown' })
  t.end()
})

t.test('a simulation is measured by the close before, once there is one', (t) => {
  const settings = { ...policy.settings, ENABLE_SIMULATION_MODE: true }
  const bench = new Bench(emptyState({ ...policy, settings }))
  bench.input({ kind: 'started', incarnation: 1, day: '2026-08-11' })
  t.match(shown(bench).today, { pnl: null, reason: 'no_close_before' })
  bench.state.equity.days = [point('2026-08-10', 990_000)]
  t.match(shown(bench).today, { pnl: 10_000, ratio: 0.010101, method: 'equity' })
  bench.state.equity.days = [point('2026-08-10', 990_000, false)]
  t.match(shown(bench).today, { pnl: null }, 'real money of the day before is another account')
  t.end()
})

t.test('the close before is that of an earlier day, also when a replay goes back', (t) => {
  const days = ['2026-08-07', '2026-08-10', '2026-08-11'].map((day) => point(day, 1))
  let book = emptyEquityBook()
  for (const one of days) book = { ...book, days: withDayPoint(book, one) }
  const before = (day: string) => closeBefore(book, { day, isSimulated: true })
  t.equal(before('2026-08-11'), days[1])
  t.equal(before('2026-08-12'), days[2])
  t.equal(book.days.length, 2)
  const back = point('2026-08-10', 2)
  book = { ...book, days: withDayPoint(book, back) }
  t.strictSame(book.days, [back])
  t.equal(before('2026-08-10'), undefined)
  t.end()
})

t.test('F389 the close before is one of the same mode, however many days of the other', (t) => {
  const real = [point('2026-08-06', 1, false), point('2026-08-07', 2, false)]
  const tried = ['2026-08-10', '2026-08-11', '2026-08-12'].map((day) => point(day, 3))
  const days = [...real, ...tried].reduce<readonly EquityPoint[]>(
    (known, one) => withDayPoint({ days: known }, one),
    [],
  )
  t.strictSame(days, equityBookOf([], [...real, ...tried]).days, 'the same after a start')
  t.equal(closeBefore({ days }, { day: '2026-08-13', isSimulated: false }), real[1])
  t.equal(closeBefore({ days }, { day: '2026-08-12', isSimulated: true }), tried[1])
  t.ok(isHeldBack({ days }, point('2026-08-07', 9)), 'none takes the place of real money')
  t.notOk(isHeldBack({ days }, point('2026-08-12', 9)))
  t.notOk(isHeldBack({ days }, point('2026-08-12', 9, false)))
  t.end()
})

const row = (stock_code: string, price: number, stop: number, more: Partial<PositionRow> = {}) =>
  ({
    stock_code,
    stock_name: stock_code,
    volume: 100,
    current_price: price,
    stop_loss_price: stop,
    is_priced: true,
    stop_profit_enabled: true,
    ...more,
  }) as PositionRow

t.test('the holding nearest to its stop is the one that would be sold first', (t) => {
  const far = row('600036', 10, 8)
  const near = row('000001', 10, 9.9)
  const below = row('300750', 10, 10.5)
  t.match(stopFields([far, near]).nearest_stop, { stock_code: '000001', distance: 0.01 })
  t.match(stopFields([far, below, near]).nearest_stop, { stock_code: '300750', distance: -0.05 })
  const cases: readonly (readonly [string, PositionRow, number])[] = [
    ['switched off', row('1', 10, 9.99, { stop_profit_enabled: false }), 0],
    ['without a stop', row('1', 10, 0), 0],
    ['sold', row('1', 10, 9.99, { volume: 0 as never }), 0],
    ['without a price', row('1', 10, 9.99, { is_priced: false }), 1],
  ]
  for (const [name, other, unpriced] of cases) {
    const found = stopFields([other, far])
    t.match(found, { nearest_stop: { stock_code: '600036' }, unpriced_stops: unpriced }, name)
    t.equal(stopFields([other]).nearest_stop, null, name)
  }
  t.strictSame(stopFields([]), { nearest_stop: null, unpriced_stops: 0 })
  t.end()
})

t.test('F720 nothing is told to be below a stop at a price that does not sell yet', (t) => {
  const why = (stop: number | null, sells_at: number | null = null) =>
    ({ why: { stop, sells_at } }) as Partial<PositionRow>
  const nearest = (one: PositionRow) => stopFields([one]).nearest_stop
  const next = nearest(row('600036', 32.47, 32.47, why(32.46)))
  t.equal(next?.stop, 32.46, 'as the pages show it')
  t.ok((next?.distance ?? 0) > 0, 'the stop of 32.4675 is not reached at 32.47')
  t.match(nearest(row('600036', 32.46, 32.47, why(32.46))), { stop: 32.46, distance: 0 })
  t.equal(nearest(row('510300', 4, 3.817, why(3.816)))?.stop, 3.816, 'of a fund')
  t.equal(nearest(row('600036', 12, 11.05, why(9.25, 11.04)))?.stop, 11.04, 'what trails a high')
  t.equal(nearest(row('600036', 40, 30, why(32.46)))?.stop, 30, 'written by another program')
  t.equal(nearest(row('600036', 40, 32.47, why(null)))?.stop, 32.47)
  t.equal(nearest(row('600036', 40, 32.47, { why: null }))?.stop, 32.47)
  t.end()
})

t.test('F945 what the holdings have earned is told with what they are worth', (t) => {
  const bench = new Bench().ready([brokerPosition()])
  for (const price of [36, 35.5]) {
    bench.quotes.set(BANK, quote(price, bench.nowMs))
    const { account, holdings } = shown(bench)
    t.match(holdings, { total_positions: 1, unpriced_positions: 0, uncosted_positions: 0 })
    t.equal(holdings.total_profit, account.maxHoldingValue - holdings.total_cost)
    t.equal(
      holdings.total_profit_ratio,
      Math.round((holdings.total_profit / holdings.total_cost) * 1e6) / 1e6,
    )
  }
  t.end()
})

t.test('kill switch, comparison and orders in doubt are told', (t) => {
  const bench = new Bench().ready([brokerPosition()])
  bench.quotes.set(BANK, quote(36, bench.nowMs))
  t.match(shown(bench), {
    kill_level: 'off',
    orders_in_doubt: 0,
    restore_waits: false,
    connected: true,
    simulation_mode: false,
    resting: null,
  })
  t.equal(shown(bench).auto_operation, false, 'the master switch')
  const settings = { ...policy.settings, ENABLE_AUTO_OPERATION: true }
  t.equal(shown(new Bench(emptyState({ ...policy, settings }))).auto_operation, true)
  set(bench, 'all', 'lunch')
  t.match(shown(bench), { kill_level_in_force: 'all', kill_reason: 'lunch' })
  t.match(shown(bench, { resting: 'disk_space' }), { resting: 'disk_space' })
  t.end()
})

t.test('F277 the end of the known holidays is told, where days have sessions', (t) => {
  const told = (fields: Partial<typeof policy>, time: string) => {
    const bench = new Bench(emptyState({ ...policy, ...fields }))
    bench.nowMs = Date.parse(`${time}+08:00`)
    return shown(bench)
  }
  const december = '2026-12-01T10:00:00'
  t.match(told({}, december), { calendar_notice: { year: 2027, days: 31 } })
  t.match(told({}, '2026-08-11T10:00:00'), { calendar_notice: null })
  t.match(told({ isAlwaysOpen: true }, december), { calendar_notice: null })
  t.end()
})
