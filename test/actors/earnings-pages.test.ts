import t from 'tap'
import type { z } from 'zod'
import { EarningsPages } from '../../actors/account/earnings-pages.ts'
import { CommitDraft } from '../../actors/account/rows.ts'
import * as answers from '../../http/answers/earnings.ts'
import { closeBefore } from '../../src/account/model/equity-book.ts'
import { emptyState } from '../../src/account/model/state.ts'
import { type AccountInput, step } from '../../src/account/step.ts'
import type { Turn } from '../../src/account/turn/turn.ts'
import { exchangeDay } from '../../src/domain/exchange-time.ts'
import type { StockCode } from '../../src/domain/instrument.ts'
import type { Money, Quantity } from '../../src/domain/money.ts'
import type { EarningsQuestion } from '../../src/protocol/earnings.ts'
import {
  BANK,
  Bench,
  brokerPosition,
  commands,
  MORNING_MS,
  policy,
  quote,
  yuan,
} from '../account/fixture.ts'
import { dealt, timer } from '../account/play.ts'
import { PlainStore } from '../simulation/fixtures/plain-store.ts'

const LIMITS = { earningsPage: 3, earningsScanMax: 1_000, earningsReadsMax: 2, readsWaitingMax: 0 }
const DAY_MS = 86_400_000
const ALARM: AccountInput = { kind: 'alarm' }
const ALL = { from: '2026-08-01', to: '2026-08-31' }

type Summary = z.output<typeof answers.summaryFields>
type Equity = z.output<typeof answers.equityFields>

/** An account on a disk of its own, and what it answers. */
class Life extends Bench {
  readonly disk = new PlainStore()
  readonly #draft = new CommitDraft(this.state)
  limits = LIMITS
  #deal = 0

  override turn(): Turn {
    const turn = super.turn()
    this.#turns.push(turn)
    return turn
  }
  readonly #turns: Turn[] = []

  save(): void {
    for (const turn of this.#turns.splice(0)) this.#draft.add(turn)
    const commit = this.#draft.take()
    if (commit !== undefined) this.disk.commit(commit)
  }

  /** A deal, and the reports that show it. */
  deal(side: 'buy' | 'sell', quantity: number, price: number, held: number): void {
    this.#deal += 1
    this.input(
      dealt({
        side,
        orderId: `${this.#deal}`,
        clientOrderId: '',
        dealId: `d${this.#deal}`,
        quantity: quantity as Quantity,
        price: yuan(price),
        amount: (yuan(price) * quantity) as Money,
        timeMs: this.nowMs,
      }),
    )
    this.reported(held)
  }

  reported(held: number): void {
    this.wallMs += 20_000
    const asked = commands(this.input(timer('poll')))
    const row = brokerPosition({ quantity: held as Quantity, sellable: held as Quantity })
    this.answerQueries(asked, { positions: held > 0 ? [row] : [] })
  }

  /** A price of this moment, and the point of its minute. */
  at(price: number): void {
    this.quotes.set(BANK, quote(price, this.nowMs))
    step(this.turn(), ALARM)
    this.save()
  }

  nextDay(): void {
    this.nowMs += DAY_MS
    this.input({ kind: 'dayOpened', day: exchangeDay(this.nowMs) })
  }

  async ask<T>(question: EarningsQuestion): Promise<T> {
    this.save()
    const store = { range: async (query: never) => this.disk.range(query) }
    const pages = new EarningsPages(store, this.limits)
    const quoteOf = (code: typeof BANK) => this.quotes.get(code)
    const { fields } = await pages.read(
      { state: this.state, nowMs: this.nowMs, quote: quoteOf },
      question,
    )
    return fields as T
  }
}

/** Two days: 1,000 were there, some are sold, all of it on the second day. */
function twoDays(): Life {
  const life = new Life().ready([brokerPosition()])
  life.at(36)
  life.nowMs += 60_000
  life.deal('sell', 400, 36, 600)
  life.at(36)
  life.nextDay()
  life.at(37)
  life.nowMs += 60_000
  life.deal('sell', 600, 38, 0)
  life.reported(0) // a list without it counts once it has come again
  life.at(38)
  return life as Life
}

t.test('F506 what a bond has earned stands beside its own code', async (t) => {
  const code = '111010.SH' as StockCode // the digits alone are a bond of Shenzhen
  const held = brokerPosition({ code, name: '立昂转债' })
  const life = new Life().ready([held])
  life.nowMs += 60_000
  life.input(dealt({ code, side: 'sell', clientOrderId: '', timeMs: life.nowMs }))
  const { by_stock } = await life.ask<Summary>({ about: 'summary', span: ALL })
  t.match(by_stock, [{ stock_code: code, stock_name: '立昂转债' }])
})

t.test('the summary says what was earned, with what and when', async (t) => {
  const summary = await twoDays().ask<Summary>({ about: 'summary', span: ALL })
  answers.summaryFields.parse(summary)
  const first = 355 // 400 × (36 − 35.1) − 5
  const second = 1_735 // 600 × (38 − 35.1) − 5
  t.match(summary.total, {
    sales: 2,
    unknown_sales: 0,
    realized: first + second,
    wins: 2,
    fees: 10,
  })
  t.match(
    summary.by_day.map(({ day, realized }) => [day, realized]),
    [
      ['2026-08-11', first],
      ['2026-08-12', second],
    ],
  )
  t.match(summary.by_week, [{ week: '2026-08-10', realized: first + second }])
  t.match(summary.by_month, [{ month: '2026-08', realized: first + second }])
  t.match(summary.by_stock, [{ stock_code: '600036', stock_name: '招商银行', sales: 2 }])
  t.match(summary.by_strategy, [{ strategy: 'external', strategy_label: '外部' }])
  t.match(summary.closed, { positions: 1, realized: first + second, win_rate: 1 })
  t.equal(summary.unrealized, 0)
  t.equal(summary.cost_method, 'moving_average_with_fees')
})

t.test('F506 the sum of a stock is of that stock, whichever its six digits name', async (t) => {
  const code = '111010.SH' as StockCode
  const life = new Life().ready([brokerPosition({ code, costPrice: yuan(100) })])
  life.quotes.set(code, quote(110, life.nowMs))
  life.input(
    dealt({ code, side: 'sell', orderId: '1', clientOrderId: '', dealId: 'd1', price: yuan(110) }),
  )
  const { by_stock } = await life.ask<Summary>({ about: 'summary', span: ALL })
  t.match(by_stock, [{ stock_code: code, sales: 1 }])
})

t.test('the day is known from prices and deals, whatever cash has come', async (t) => {
  const life = new Life().ready([brokerPosition()])
  life.at(36)
  life.nextDay()
  life.at(37)
  const { today, unrealized, positions } = await life.ask<Summary>({ about: 'summary', span: ALL })
  // The fixture's close before is 36.
  t.match(today, { pnl: 1_000, method: 'holdings_and_deals', before_day: '2026-08-11' })
  t.match(today, { equity_change: 1_000, unexplained: 0, pnl_reason: null })
  t.equal(unrealized, 1_900)
  t.match(positions, [
    { cost: 35_100, average_cost: 35.1, client_cost_price: 35.1, cost_from: 'client' },
  ])
  const { asset } = life.state
  if (asset !== undefined)
    life.state.asset = { ...asset, available: (asset.available + yuan(500)) as Money }
  const richer = await life.ask<Summary>({ about: 'summary', span: ALL })
  t.match(richer.today, { pnl: 1_000, equity_change: 1_500, unexplained: 500 })
})

t.test('what nobody knows is null, with a reason, and never 0', async (t) => {
  const life = new Life().ready([brokerPosition({ costPrice: yuan(0) })])
  const before = await life.ask<Summary>({ about: 'summary', span: ALL })
  t.match(before, { unrealized: null, unrealized_reason: 'unknown_cost' })
  t.match(before.today, { pnl: null, pnl_reason: 'equity_unknown', equity: null })
  life.at(36)
  life.deal('sell', 400, 36, 600)
  const after = await life.ask<Summary>({ about: 'summary', span: ALL })
  answers.summaryFields.parse(after)
  const unknown = { unknown_sales: 1, realized: null, realized_known: 0, win_rate: null }
  t.match(after.total, { ...unknown, realized_reason: 'unknown_cost' })
  t.match(after.by_day, [{ day: '2026-08-11', ...unknown }])
  const unborn = await new Life().ask<Summary>({ about: 'summary', span: ALL })
  answers.summaryFields.parse(unborn)
  t.match(unborn, { since: null, total: { realized: null, realized_reason: 'not_begun' } })
  t.equal(unborn.max_drawdown, null)
})

t.test('pages go on where the last one ended, and each row comes once', async (t) => {
  const life = new Life().ready([brokerPosition()])
  life.at(36)
  for (let sold = 1; sold <= 8; sold++) {
    if (sold === 5) life.nextDay()
    life.deal('sell', 100, 36 + sold / 10, 1_000 - 100 * sold)
  }
  const ids: number[] = []
  let before = ''
  for (let pages = 0; pages < 10; pages++) {
    const page = await life.ask<z.output<typeof answers.salesFields>>({
      about: 'sales',
      span: ALL,
      page: { limit: 3, before },
    })
    answers.salesFields.parse(page)
    ids.push(...page.sales.map(({ id }) => id))
    if (page.pagination.next_before === null) break
    before = page.pagination.next_before
  }
  t.strictSame(ids, [8, 7, 6, 5, 4, 3, 2, 1])
  const span = { from: '2026-08-11', to: '2026-08-11' }
  const day = { about: 'sales', span, page: { limit: 100, before: '' } } as const
  const first = await life.ask<z.output<typeof answers.salesFields>>(day)
  t.strictSame(
    first.sales.map(({ id }) => id),
    [4, 3, 2, 1],
  )
  t.match(first.pagination, { has_more: false, next_before: null })
})

t.test('closed holdings, points and the statement of a month', async (t) => {
  const life = twoDays()
  const page = { limit: 100, before: '' }
  const closed = await life.ask<z.output<typeof answers.closedFields>>({
    about: 'closed',
    span: ALL,
    page,
  })
  answers.closedFields.parse(closed)
  t.match(closed.positions, [
    { days_held: 1, bought_volume: 1_000, sold_volume: 1_000, fees: 10, cost_from: 'client' },
  ])
  const minutes = await life.ask<z.output<typeof answers.equityFields>>({
    about: 'equity',
    span: null,
  })
  answers.equityFields.parse(minutes)
  t.strictSame(
    minutes.points.map(({ time }) => time),
    ['2026-08-12 10:01:00', '2026-08-12 10:02:00'],
  )
  const days = await life.ask<z.output<typeof answers.equityFields>>({ about: 'equity', span: ALL })
  t.equal(days.points.length, 2)
  const statement = await life.ask<z.output<typeof answers.statementFields>>({
    about: 'statement',
    month: '2026-08',
  })
  answers.statementFields.parse(statement)
  t.match(statement, { month: '2026-08', equity_begin: null, equity_change: null })
  t.equal(statement.sales.length, 2)
  t.equal(statement.closed_positions.length, 1)
  const other = await life.ask<z.output<typeof answers.statementFields>>({
    about: 'statement',
    month: '2026-09',
  })
  t.equal(other.equity_begin, days.points.at(-1)?.equity, 'with what the month before ended')
  t.equal(other.sales.length, 0)
})

/** Where it ends, the client is asked to connect, and tells what it has. */
function switchMode(life: Life, simulationMode: boolean): void {
  const request = { kind: 'saveConfig', changes: { simulationMode }, source: 'test' } as const
  const [connect] = commands(life.input({ kind: 'request', ref: 1, request }))
  if (connect?.kind !== 'connect') return
  const { callId } = connect
  const event = { kind: 'connectAnswered', callId, result: { ok: true, value: null } } as const
  const asked = commands(life.input({ kind: 'driver', event }))
  life.answerQueries(asked, { positions: [brokerPosition()] })
}

t.test('points of a simulation and real ones are never in one curve', async (t) => {
  const life = new Life().ready([brokerPosition()])
  life.at(36)
  const real = await life.ask<Equity>({ about: 'equity', span: null })
  const mode = (simulationMode: boolean) => switchMode(life, simulationMode)
  mode(true)
  life.nowMs += 60_000
  life.at(38)
  const minutes = await life.ask<Equity>({ about: 'equity', span: null })
  t.match(minutes.points, [{ time: '2026-08-11 10:01:00', is_simulated: true }])
  mode(false)
  t.strictSame((await life.ask<Equity>({ about: 'equity', span: null })).points, real.points)
  const days = await life.ask<Equity>({ about: 'equity', span: ALL })
  t.strictSame(days.points, real.points, 'the day keeps what was known of real money last')
})

t.test('F389 days in simulation mode leave the close before them the close before', async (t) => {
  const life = new Life().ready([brokerPosition()])
  life.at(36)
  const [close] = (await life.ask<Equity>({ about: 'equity', span: null })).points
  switchMode(life, true)
  // More of them than are read at once.
  for (let day = 0; day < 12; day++) {
    life.nextDay()
    life.at(38)
  }
  const simulated = await life.ask<Summary>({ about: 'summary', span: ALL })
  t.equal(simulated.today.before_day, '2026-08-21', 'the simulation has closes of its own')
  switchMode(life, false)
  life.nextDay()
  life.at(39)
  const { today } = await life.ask<Summary>({ about: 'summary', span: ALL })
  const known = { equity_before: close?.equity, before_day: '2026-08-11', equity_change: 3_000 }
  t.match(today, known)
  t.match(closeBefore(life.state.equity, { day: today.day, isSimulated: false }), {
    timeMs: MORNING_MS,
  })
  const rest = { from: '2026-08-24', to: '2026-08-31' }
  const span = await life.ask<Summary>({ about: 'summary', span: rest })
  t.match(span.by_day, [{ day: '2026-08-24', equity_change: 3_000 }])
})

t.test('a span with more than may be looked at is refused, and named', async (t) => {
  const life = twoDays()
  life.limits = { ...LIMITS, earningsScanMax: 2 }
  const refused = life.ask({ about: 'summary', span: ALL })
  await t.rejects(refused, { code: 'VALIDATION', details: { from: [/more than 2 rows/] } })
})

t.test(
  'a sale that comes while an answer is read is of the next one, like its shares',
  async (t) => {
    const life = new Life().ready([brokerPosition()])
    life.at(36)
    const gate = Promise.withResolvers<void>()
    const range = async (query: never) => {
      await gate.promise
      return life.disk.range(query)
    }
    const pages = new EarningsPages({ range }, LIMITS)
    const quoteOf = (code: typeof BANK) => life.quotes.get(code)
    const sight = { state: life.state, nowMs: life.nowMs, quote: quoteOf }
    const read = pages.read(sight, { about: 'summary', span: ALL })
    life.deal('sell', 400, 36, 600)
    life.save()
    gate.resolve()
    const summary = (await read).fields as Summary
    t.equal(summary.total.sales, 0)
    t.match(summary.positions, [{ volume: 1_000, unrealized: 900 }])
    const next = await life.ask<Summary>({ about: 'summary', span: ALL })
    t.equal(next.total.sales, 1)
    t.match(next.positions, [{ volume: 600, unrealized: 540 }])
  },
)

t.test('so many answers are read at once', async (t) => {
  const gate = Promise.withResolvers<never>()
  const pages = new EarningsPages({ range: () => gate.promise }, LIMITS)
  const sight = { state: emptyState(policy), nowMs: 0, quote: () => undefined }
  const question = { about: 'equity', span: null } as const
  const open = [1, 2].map(() => pages.read(sight, question))
  await t.rejects(pages.read(sight, question), { code: 'OVERLOADED' })
  gate.reject(new Error('gone'))
  for (const each of open) await t.rejects(each, /gone/)
  await t.rejects(pages.read(sight, question), /gone/, 'a failed one gives its place back')
})
