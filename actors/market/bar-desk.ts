import {
  type Bar,
  type BasePeriod,
  packBars,
  packedCount,
  unpackBars,
} from '../../src/domain/bar.ts'
import { ServiceError } from '../../src/domain/errors.ts'
import { exchangeDay, exchangeDayStartMs } from '../../src/domain/exchange-time.ts'
import type { StockCode } from '../../src/domain/instrument.ts'
import { reportedPrice } from '../../src/domain/money.ts'
import { isTradingDay } from '../../src/domain/session.ts'
import { BarAggregator } from '../../src/market/bars/aggregator.ts'
import { dailyPast, minutePast } from '../../src/market/bars/past.ts'
import type { CodeTable } from '../../src/market/codes.ts'
import type { MarketLog } from '../../src/market/saved.ts'
import type { BarChange, BarStore, FetchBars, FirstSeen } from '../../src/ports/bars.port.ts'
import type { MarketReplies, MarketRequest, Tick } from '../../src/protocol/market.ts'

export interface BarLimits {
  /** Between two writes of finished bars, milliseconds. */
  readonly barsFlushMs: number
  /** Finished bars that wait to be written; then the feed waits. */
  readonly barsPendingMax: number
  /** Bars in one answer. */
  readonly barsReadMax: number
  /** Days for which minutes are kept. */
  readonly minuteBarsKeepDays: number
  /** Years that the invented past of a simulated code goes back. */
  readonly pastYears: number
  /** Days of that past whose minutes are there without a download. */
  readonly pastMinuteDays: number
}

/** `seed`: the past of a code may be invented, because all of it is. */
export type BarSource =
  | { readonly kind: 'simulated'; readonly seed: number }
  | { readonly kind: 'replay' }
  | {
      readonly kind: 'live'
      readonly name: string
      readonly fetch: FetchBars
      /** Its prices are made up elsewhere: it knows no sessions. */
      readonly isInvented: boolean
    }

export interface BarDeskOptions {
  readonly source: BarSource
  readonly store: BarStore
  readonly codes: CodeTable
  readonly codesMax: number
  readonly limits: BarLimits
  readonly nowMs: () => number
  readonly log: MarketLog
}

type BarsRequest = Extract<MarketRequest, { kind: 'bars' }>
type CountRequest = Extract<MarketRequest, { kind: 'barCount' }>
type DownloadRequest = Extract<MarketRequest, { kind: 'download' }>

const DAY_MS = 86_400_000
/** Bars of a stored row at most: minutes of a day with sessions, days of a year. */
const ROW_BARS = { '1m': 240, '1d': 250 } as const

/**
 * History: bars from the ticks of this market, written in passing, and, on a simulated market, the
 * invented past before the first tick. What is not written yet is in every answer.
 */
export class BarDesk {
  readonly #options: BarDeskOptions
  readonly #aggregator: BarAggregator
  #pending = new Map<string, { code: string; period: BasePeriod; bars: Bar[] }>()
  #pendingCount = 0
  #seen = new Map<string, FirstSeen>()
  /** Minutes before this day are gone. */
  #forgotten = ''
  readonly #known = new Set<number>()
  #flushing: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(options: BarDeskOptions) {
    this.#options = options
    const { source } = options
    const isAlwaysOpen =
      source.kind === 'simulated' || (source.kind === 'live' && source.isInvented)
    this.#aggregator = new BarAggregator({
      codesMax: options.codesMax,
      isAlwaysOpen,
      onBar: (slot, period, bar) => this.#add(options.codes.codes[slot] ?? '', period, bar),
    })
  }

  start(): void {
    this.#timer ??= setInterval(() => void this.flush(), this.#options.limits.barsFlushMs)
  }

  /** Writes everything, the open bars too, and closes the store. */
  async stop(): Promise<void> {
    clearInterval(this.#timer)
    for (const [slot, code] of this.#options.codes.codes.entries()) {
      const { minute, day } = this.#aggregator.open(slot)
      if (minute !== undefined) this.#add(code, '1m', minute)
      if (day !== undefined) this.#add(code, '1d', day)
    }
    await this.flush()
    await this.#options.store.close()
  }

  /** The last quote that an earlier process has seen. */
  seed(slot: number, tick: Tick): void {
    this.#aggregator.seed(slot, tick)
  }

  /** `price` as the board has it, above 0. */
  tick(slot: number, tick: Tick, price: number): void {
    if (!this.#known.has(slot)) this.#meet(slot, tick, price)
    this.#aggregator.tick(slot, tick, price)
  }

  /** Too much waits to be written: the next tick must wait for {@link flush}. */
  get isFull(): boolean {
    return this.#pendingCount >= this.#options.limits.barsPendingMax
  }

  /** Resolves when what was finished before is on disk, or has failed to be and is logged. */
  async flush(): Promise<void> {
    await this.#flushing
    if (this.#pending.size === 0 && this.#seen.size === 0) return
    this.#flushing ??= this.#write().finally(() => {
      this.#flushing = undefined
    })
    await this.#flushing
  }

  /** One page of bars, in the order of time. */
  async read(request: BarsRequest): Promise<MarketReplies['bars']> {
    const { source, codes } = this.#options
    const { page, next } = await this.#page(request)
    const bars = page.map((row) => row.bars)
    const open = this.#aggregator.open(codes.slotOf(request.code) ?? -1)
    const live = request.period === '1m' ? open.minute : open.day
    if (next === null && live !== undefined) bars.push(packBars([live]))
    return { source: source.kind === 'live' ? source.name : source.kind, bars, next }
  }

  /** The stored bars of such a page; the one that is still open is not counted. */
  async count(request: CountRequest): Promise<MarketReplies['barCount']> {
    const { page, next } = await this.#page(request)
    return { count: page.reduce((count, { bars }) => count + packedCount(bars), 0), next }
  }

  async #page({ code, period, from, to, after }: BarsRequest | CountRequest) {
    const { store, limits, source } = this.#options
    // The pages that follow find what the first has made sure of.
    if (after === undefined) {
      if (source.kind === 'simulated') await this.#ensurePast(source.seed, code, period)
      if (this.#waits(code)) await this.flush()
    }
    const rowsMax = Math.max(1, Math.floor(limits.barsReadMax / ROW_BARS[period]))
    const chunk = (day: string) => (period === '1m' ? day : day.slice(0, 4))
    const rows = store.rows({
      code,
      period,
      // Nothing sorts between a chunk and itself with this character but what belongs to it.
      from: after === undefined ? chunk(from) : `${after}~`,
      to: chunk(to),
      limit: rowsMax + 1,
    })
    const page = rows.slice(0, rowsMax)
    const isLast = rows.length <= rowsMax
    return { page, next: isLast ? null : (page.at(-1)?.chunk ?? null) }
  }

  /** Makes a stretch of days ready. Doing it twice changes nothing. Errors  `NO_PRICE` before the first quote, `CONFLICT`. */
  async download({ code, period, from, to }: DownloadRequest): Promise<MarketReplies['download']> {
    const { source, store } = this.#options
    if (source.kind === 'live') {
      const bars = await source.fetch({ code, period, from, to })
      if (bars.length > 0) await store.save([{ code, period, bars }], [])
      return { isWhole: false }
    }
    // Of a replay what was played is there already.
    if (source.kind === 'replay') return { isWhole: true }
    await this.#ensurePast(source.seed, code, '1d')
    const first = this.#firstSeen(code)
    if (first === undefined)
      throw new ServiceError('NO_PRICE', `${code} 还没有行情，请稍后再试 (no quote yet)`)
    if (period === '1d') return { isWhole: true }
    await this.#inventMinutes(source.seed, code, { from, to: dayBefore(first.day, to) })
    return { isWhole: false }
  }

  /** Once a day: minutes that are kept long enough are forgotten, also those of codes that nobody holds any more. */
  async forgetOld(): Promise<void> {
    const { store, limits, nowMs, log } = this.#options
    const before = exchangeDay(nowMs() - limits.minuteBarsKeepDays * DAY_MS)
    if (before === this.#forgotten) return
    this.#forgotten = before
    try {
      for (let code = store.nextCode(''); code !== undefined; code = store.nextCode(code)) {
        await store.forget(code, before)
      }
    } catch (error) {
      log.warn({ err: error }, 'old bars could not be forgotten')
    }
  }

  #meet(slot: number, tick: Tick, price: number): void {
    this.#known.add(slot)
    const code = tick.stock_code
    const close = reportedPrice(tick.lastClose) || price
    this.#seen.set(code, { code, day: exchangeDay(tick.time), close })
  }

  #add(code: string, period: BasePeriod, bar: Bar): void {
    const key = `${code}|${period}`
    const waiting = this.#pending.get(key)
    if (waiting === undefined) this.#pending.set(key, { code, period, bars: [bar] })
    else waiting.bars.push(bar)
    this.#pendingCount++
  }

  #waits(code: string): boolean {
    return this.#pending.has(`${code}|1m`) || this.#pending.has(`${code}|1d`)
  }

  async #write(): Promise<void> {
    const { store, log } = this.#options
    const changes: readonly BarChange[] = [...this.#pending.values()]
    const seen = [...this.#seen.values()]
    this.#pending = new Map()
    this.#pendingCount = 0
    try {
      await store.save(changes, seen)
      for (const { code } of seen) this.#seen.delete(code)
    } catch (error) {
      // History is worth less than the market that goes on; quotes and orders do not depend on it.
      // By who watches the disk, and who has tried to open the database.
      const isTold =
        error instanceof ServiceError && ['DISK_FULL', 'OVERLOADED'].includes(error.code)
      if (!isTold) log.error({ err: error, codes: changes.length }, 'bars could not be saved')
    }
  }

  #firstSeen(code: string): FirstSeen | undefined {
    return this.#options.store.firstSeen(code) ?? this.#seen.get(code)
  }

  async #ensurePast(seed: number, code: string, period: BasePeriod): Promise<void> {
    const first = this.#firstSeen(code)
    if (first === undefined) return // never quoted
    const { store, limits } = this.#options
    const firstYear = Number(first.day.slice(0, 4)) - limits.pastYears
    const year = { from: String(firstYear), to: String(firstYear) }
    if (store.rows({ code, period: '1d', ...year, limit: 1 }).length === 0) {
      const anchor = { code: code as StockCode, seed, day: first.day, close: first.close }
      const bars = dailyPast(anchor, `${firstYear}-01-01`)
      await store.save([{ code, period: '1d', bars }], [first])
    }
    if (period === '1d') return
    const days = tradingDaysBefore(first.day, limits.pastMinuteDays)
    const [from = first.day, to = first.day] = [days[0], days.at(-1)]
    await this.#inventMinutes(seed, code, { from, to })
  }

  async #inventMinutes(
    seed: number,
    code: string,
    { from, to }: { from: string; to: string },
  ): Promise<void> {
    const { store } = this.#options
    const limit = Math.max(
      1,
      Math.ceil((exchangeDayStartMs(to) - exchangeDayStartMs(from)) / DAY_MS) + 1,
    )
    const there = new Set(
      store.rows({ code, period: '1m', from, to, limit }).map(({ chunk }) => chunk),
    )
    const years = { from: from.slice(0, 4), to: to.slice(0, 4), limit }
    const days = store
      .rows({ code, period: '1d', ...years })
      .flatMap(({ bars }) => unpackBars(bars))
    const missing = days.filter(({ timeMs }) => {
      const day = exchangeDay(timeMs)
      return day >= from && day <= to && !there.has(day)
    })
    if (missing.length === 0) return
    const bars = missing.flatMap((day) => minutePast({ code: code as StockCode, seed }, day))
    await store.save([{ code, period: '1m', bars }], [])
  }
}

/** The earlier one of `to` and the day before `day`. */
function dayBefore(day: string, to: string): string {
  const before = exchangeDay(exchangeDayStartMs(day) - DAY_MS)
  return before < to ? before : to
}

/** The last trading days before `day`, in order. */
function tradingDaysBefore(day: string, count: number): string[] {
  const days: string[] = []
  const startMs = exchangeDayStartMs(day)
  // Holidays take up less than half of any stretch of days.
  for (let back = 1; days.length < count && back <= 2 * count + 15; back++) {
    const text = exchangeDay(startMs - back * DAY_MS)
    if (isTradingDay(text)) days.push(text)
  }
  return days.reverse()
}
