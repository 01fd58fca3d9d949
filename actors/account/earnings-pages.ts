import * as rows from '../../src/account/answers/earnings-rows.ts'
import type { NumberedClosed } from '../../src/account/model/costs.ts'
import type { AccountState } from '../../src/account/model/state.ts'
import type { Sight } from '../../src/account/turn/turn.ts'
import {
  drawdownOf,
  monthOf,
  NO_RESULTS,
  NO_SALES,
  type SalesSum,
  SalesTally,
  weekOf,
  withResult,
} from '../../src/domain/earnings.ts'
import { type EquityPoint, worthOf } from '../../src/domain/equity.ts'
import { ServiceError } from '../../src/domain/errors.ts'
import { exchangeDay, exchangeTime } from '../../src/domain/exchange-time.ts'
import { type StockCode, shownCode } from '../../src/domain/instrument.ts'
import { type Money, toYuan } from '../../src/domain/money.ts'
import type { Sale } from '../../src/domain/sale.ts'
import { strategyLabel } from '../../src/domain/trade-record.ts'
import type { AccountStore } from '../../src/ports/store.port.ts'
import { decode } from '../../src/protocol/codec.ts'
import type {
  DaySpan,
  EarningsAnswer,
  EarningsPage,
  EarningsQuestion,
} from '../../src/protocol/earnings.ts'
import { type Key, type RangeQuery, TABLE, type TableName } from '../../src/protocol/store.ts'
import { ReadGate } from './read-gate.ts'

export interface EarningsPagesLimits {
  /** Rows of one range query. */
  readonly earningsPage: number
  /** Rows looked at for one answer. */
  readonly earningsScanMax: number
  /** Answers being read at once, and how many more wait; one more is refused with `OVERLOADED`. */
  readonly earningsReadsMax: number
  readonly readsWaitingMax: number
}

interface EarningsSight extends Sight {
  readonly state: AccountState
}

/** Behind every number of a row of a day. */
const LAST = '999999999'
/** The day that is asked about, and some before it: the first of these is nearly always the one that is sought. */
const DAYS_AT_ONCE = 8
const salesOf = ({ from, to }: DaySpan) => ({ from: `${from}/`, to: `${to}/${LAST}` })

/** One answer's walk through the database: what it may look at, and what it has. */
class Scan {
  looked = 0
  readonly #store: Pick<AccountStore, 'range'>
  readonly #limits: EarningsPagesLimits

  constructor(store: Pick<AccountStore, 'range'>, limits: EarningsPagesLimits) {
    this.#store = store
    this.#limits = limits
  }

  get left(): number {
    return this.#limits.earningsScanMax - this.looked
  }

  /** Some rows of a range. */
  async some<T>(query: RangeQuery): Promise<readonly (readonly [Key, T])[]> {
    const limit = Math.min(query.limit, this.#limits.earningsPage, this.left)
    const found = limit > 0 ? await this.#store.range({ ...query, limit }) : []
    this.looked += found.length
    return found.map(({ key, value }) => [key, decode<T>(value)] as const)
  }

  /** All rows between two keys, in their order. Errors  `VALIDATION` when they are more than may be looked at. */
  async *all<T>(table: TableName, from: string, to: string): AsyncIterable<T> {
    let next = from
    for (;;) {
      const page = await this.some<T>({
        table,
        from: next,
        to,
        limit: this.#limits.earningsPage,
      })
      for (const [, row] of page) yield row
      const last = page.at(-1)?.[0]
      if (last === undefined && this.left > 0) return
      if (this.left <= 0) throw this.#tooMany()
      next = `${last}!` // the least key behind it
    }
  }

  #tooMany(): ServiceError {
    const { earningsScanMax: max } = this.#limits
    const text = `from: 区间内的记录超过 ${max} 条，请缩短区间 (more than ${max} rows: choose a shorter span; limits.account.earnings_scan_max)`
    return new ServiceError('VALIDATION', text, { from: [text] })
  }
}

/** What is found of a span. */
interface Found {
  readonly tally: SalesTally
  readonly sales: readonly Sale[]
  readonly closed: readonly NumberedClosed[]
  readonly points: readonly EquityPoint[]
  /** The last one before the span. */
  readonly before: EquityPoint | undefined
}

/** Answers about earnings, read from the store beside the mailbox: trading does not wait for readers. */
export class EarningsPages {
  readonly #store: Pick<AccountStore, 'range'>
  readonly #limits: EarningsPagesLimits
  readonly #gate: ReadGate

  constructor(store: Pick<AccountStore, 'range'>, limits: EarningsPagesLimits) {
    this.#store = store
    this.#limits = limits
    const { earningsReadsMax: atOnceMax, readsWaitingMax: waitingMax } = limits
    const refusal = '收益查询过多，请稍后再试 (too many reads of earnings are under way; try again)'
    this.#gate = new ReadGate(refusal, { atOnceMax, waitingMax })
  }

  /** Errors  `VALIDATION` for a span with too many rows, `OVERLOADED`. */
  read(sight: EarningsSight, question: EarningsQuestion): Promise<EarningsAnswer> {
    return this.#gate.pass(async () => {
      const scan = new Scan(this.#store, this.#limits)
      const fields = await this.#fields(scan, sight, question)
      return { fields, looked: scan.looked }
    })
  }

  #fields(scan: Scan, sight: EarningsSight, question: EarningsQuestion): Promise<object> {
    switch (question.about) {
      case 'summary':
        return summary(scan, sight, question.span)
      case 'statement':
        return statement(scan, sight, question.month)
      case 'equity':
        return equity(scan, sight, question.span)
      case 'sales':
        return page(scan, question, {
          table: TABLE.sales,
          name: 'sales',
          row: (sale: Sale) => rows.saleRow(sale),
          isShown: ({ isSimulated }: Sale) => isSimulated === isSimulation(sight),
        })
      case 'closed':
        return page(scan, question, {
          table: TABLE.closedPositions,
          name: 'positions',
          row: (closed: NumberedClosed) => rows.closedRow(closed),
          isShown: () => !isSimulation(sight),
        })
    }
  }
}

const isSimulation = ({ state }: EarningsSight): boolean => state.simulation !== undefined

/** Rows of a span that count: of the mode that the account is in, because what is simulated is in no sum with what is not. */
async function those<T>(all: AsyncIterable<T>, isCounted: (row: T) => boolean): Promise<T[]> {
  const rows: T[] = []
  for await (const row of all) if (isCounted(row)) rows.push(row)
  return rows
}

async function found(scan: Scan, sight: EarningsSight, span: DaySpan): Promise<Found> {
  const isWanted = isSimulation(sight)
  // What comes while this is read is of the next answer: holdings are as they were when it began.
  const { nextSaleId, nextClosedId } = sight.state.earnings
  const { from, to } = salesOf(span)
  const sales = await those(
    scan.all<Sale>(TABLE.sales, from, to),
    ({ id, isSimulated }) => id < nextSaleId && isSimulated === isWanted,
  )
  const closed = await those(
    scan.all<NumberedClosed>(TABLE.closedPositions, from, to),
    ({ id }) => id < nextClosedId && !isWanted,
  )
  const points = await those(
    scan.all<EquityPoint>(TABLE.equityDays, span.from, span.to),
    ({ isSimulated }) => isSimulated === isWanted,
  )
  const before = await pointBefore(scan, span.from, isWanted)
  return {
    tally: new SalesTally(sales),
    sales,
    closed,
    points,
    before,
  }
}

/** The last point of an earlier day in this mode: days of the other one may lie between. */
async function pointBefore(
  scan: Scan,
  day: string,
  isSimulated: boolean,
): Promise<EquityPoint | undefined> {
  for (let from = day; ; ) {
    const query = { table: TABLE.equityDays, from, reverse: true, limit: DAYS_AT_ONCE } as const
    const days = (await scan.some<EquityPoint>(query)).filter(([key]) => String(key) < from)
    const found = days.find(([, point]) => point.isSimulated === isSimulated)
    if (found !== undefined) return found[1]
    const [oldest] = days.at(-1) ?? []
    if (oldest === undefined) return undefined
    from = String(oldest)
  }
}

/** What both the summary and a statement say of a span. */
function spanFields({ state }: EarningsSight, { tally, closed, points, before }: Found) {
  const sinceMs = state.earnings.sinceMs
  const isBegun = sinceMs > 0 || state.simulation !== undefined
  const total = rows.sumRow(tally.total)
  const results = closed.reduce((sum, { realized }) => withResult(sum, realized), NO_RESULTS)
  return {
    since: sinceMs > 0 ? exchangeTime(sinceMs) : null,
    cost_method: rows.COST_METHOD,
    is_simulated: state.simulation !== undefined,
    total: isBegun ? total : { ...total, realized: null, realized_reason: 'not_begun' },
    closed: rows.closedSumRow(results),
    by_day: dayRows(tally, points, before),
    by_stock: [...tally.byStock].map(([code, sum]) => ({
      stock_code: shownCode(code as StockCode),
      stock_name: sum.name,
      ...rows.sumRow(sum),
    })),
    by_strategy: [...tally.byStrategy].map(([strategy, sum]) => ({
      strategy,
      strategy_label: strategyLabel(strategy),
      ...rows.sumRow(sum),
    })),
    max_drawdown: rows.drawdownRow(drawdownOf(before === undefined ? points : [before, ...points])),
  }
}

/** Every day that has a sale or a point, the oldest first. */
function dayRows(
  { byDay }: SalesTally,
  points: readonly EquityPoint[],
  before: EquityPoint | undefined,
): readonly object[] {
  const worth = new Map(points.map((point) => [exchangeDay(point.timeMs), worthOf(point)]))
  let last = before === undefined ? undefined : worthOf(before)
  return [...new Set([...byDay.keys(), ...worth.keys()])].sort().map((day) => {
    const now = worth.get(day)
    const change = now === undefined || last === undefined ? undefined : ((now - last) as Money)
    last = now ?? last
    return {
      day,
      ...rows.sumRow(byDay.get(day) ?? NO_SALES),
      equity: now === undefined ? null : toYuan(now),
      equity_change: change === undefined ? null : toYuan(change),
    }
  })
}

async function summary(scan: Scan, sight: EarningsSight, span: DaySpan): Promise<object> {
  const positions = rows.heldCostRows(sight.state, sight)
  const now = rows.dayNow(sight.state, sight)
  const all = await found(scan, sight, span)
  const close = await pointBefore(scan, now.day, now.isSimulated)
  const unrealized = rows.unrealizedOf(positions)
  const unknown = positions.find(({ unrealized_reason: reason }) => reason !== null)
  return {
    ...span,
    ...spanFields(sight, all),
    by_week: sums(all.tally.daysBy(weekOf), 'week'),
    by_month: sums(all.tally.daysBy(monthOf), 'month'),
    today: rows.todayRow(now, close),
    unrealized,
    unrealized_reason: unknown?.unrealized_reason ?? null,
    positions,
  }
}

const sums = (by: ReadonlyMap<string, SalesSum>, name: 'week' | 'month') =>
  [...by].map(([key, sum]) => ({ [name]: key, ...rows.sumRow(sum) }))

async function statement(scan: Scan, sight: EarningsSight, month: string): Promise<object> {
  const span = { from: `${month}-01`, to: `${month}-31` }
  const all = await found(scan, sight, span)
  const { points, before, sales, closed } = all
  const last = points.at(-1)
  const isKnown = before !== undefined && last !== undefined
  return {
    month,
    ...spanFields(sight, all),
    equity_begin: before === undefined ? null : toYuan(worthOf(before)),
    equity_end: last === undefined ? null : toYuan(worthOf(last)),
    equity_change: isKnown ? toYuan((worthOf(last) - worthOf(before)) as Money) : null,
    sales: sales.map(rows.saleRow),
    closed_positions: closed.map(rows.closedRow),
  }
}

/** The points of the mode that the account is in: simulated money is another account's, and in no curve with real one. */
async function equity(scan: Scan, sight: EarningsSight, span: DaySpan | null): Promise<object> {
  const isWanted = isSimulation(sight)
  const isShown = (point: EquityPoint): boolean => point.isSimulated === isWanted
  if (span !== null) {
    const days = scan.all<EquityPoint>(TABLE.equityDays, span.from, span.to)
    return { resolution: 'day', points: (await those(days, isShown)).map(rows.pointRow) }
  }
  const points: EquityPoint[] = []
  const query = { table: TABLE.equityMinutes, limit: Number.POSITIVE_INFINITY }
  let from: number | undefined
  for (;;) {
    const page = await scan.some<EquityPoint>({ ...query, ...(from !== undefined && { from }) })
    const last = page.at(-1)?.[0]
    if (last === undefined) break
    points.push(...page.map(([, point]) => point))
    from = Number(last) + 1
  }
  const newest = points.at(-1)
  const day = newest === undefined ? '' : exchangeDay(newest.timeMs)
  const today = points.filter(({ timeMs }) => exchangeDay(timeMs) === day)
  return { resolution: 'minute', points: today.filter(isShown).map(rows.pointRow) }
}

interface Paged<T> {
  readonly table: TableName
  readonly name: string
  readonly row: (row: T) => object
  readonly isShown: (row: T) => boolean
}

/** Newest first. A page that looks at many rows for few ends early, with the place where to go on. */
async function page<T>(
  scan: Scan,
  { span, page: asked }: { readonly span: DaySpan; readonly page: EarningsPage },
  { table, name, row, isShown }: Paged<T>,
): Promise<object> {
  const { from: to, to: newest } = salesOf(span)
  const shown: object[] = []
  let last = asked.before === '' || asked.before > newest ? '' : asked.before
  const next = (limit: number) =>
    scan.some<T>({ table, from: last === '' ? newest : keyBefore(last), to, reverse: true, limit })
  let isEnd = false
  while (shown.length < asked.limit && scan.left > 0 && !isEnd) {
    const found = await next(asked.limit - shown.length)
    isEnd = found.length === 0
    for (const [key, each] of found) {
      last = String(key)
      if (isShown(each)) shown.push(row(each))
    }
  }
  const hasMore = !isEnd && (scan.left <= 0 || (await next(1)).length > 0)
  const pagination = { limit: asked.limit, next_before: hasMore ? last : null, has_more: hasMore }
  return { ...span, [name]: shown, pagination }
}

/** The greatest key that a row before this one can have. */
function keyBefore(key: string): string {
  const [day = '', number = ''] = key.split('/')
  const before = Number(number) - 1
  return before < 0 ? `${day}/` : `${day}/${String(before).padStart(number.length, '0')}`
}
