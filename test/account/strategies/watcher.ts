import type { AccountPolicy } from '../../../src/account/model/policy.ts'
import { emptyState } from '../../../src/account/model/state.ts'
import { accountBand } from '../../../src/account/strategies/band.ts'
import { nextEvaluationMs } from '../../../src/account/strategies/run.ts'
import { type Decision, NAME } from '../../../src/account/strategies/stop-profit/trace.ts'
import type { StockCode } from '../../../src/domain/instrument.ts'
import type { Settings } from '../../../src/domain/settings/table.ts'
import type { Quote } from '../../../src/ports/quotes.port.ts'
import type { Band } from '../../../src/strategy/band.ts'
import { BANK, Bench, brokerPosition, policy, quote, yuan } from '../fixture.ts'

export const OTHER = '000001.SZ' as StockCode
/** 2026-08-11 09:30:00 at the exchange. */
export const OPEN_MS = Date.parse('2026-08-11T01:30:00Z')
const SECOND_MS = 1_000

/** A tick of a test: when, in seconds after the open, and what it says in yuan. */
export interface TestTick {
  readonly code?: StockCode
  readonly at: number
  readonly price: number
  readonly lastClose?: number
  readonly high?: number
  /** Of the trading day before. */
  readonly closeBefore?: number
  readonly lastCloseBefore?: number
  readonly highBefore?: number
}

/**
 * An account with 1,000 shares at a cost of 10 yuan of each stock, both strategies and the health of
 * quotes in force, woken as the market thread wakes it: by what leaves a band, and by its alarms.
 */
export class Watcher {
  readonly bench: Bench
  /** Evaluations that a tick has led to. */
  wakeUps = 0
  /** False: every tick wakes it, wherever its bands are. */
  isBanded = true
  /** True: nobody ever looks at a new high that decides nothing, until the stock is looked at for another reason. */
  isDeafToQuiet = false

  constructor(
    codes: readonly StockCode[] = [BANK],
    { startMs = OPEN_MS, ...settings }: Partial<Settings> & { readonly startMs?: number } = {},
    other: Partial<AccountPolicy> = {},
  ) {
    const on = { ENABLE_AUTO_OPERATION: true, ENABLE_AUTO_TRADING: true }
    const own: AccountPolicy = {
      ...policy,
      health: { ...policy.health, isObserveOnly: false },
      settings: { ...policy.settings, ...on, ENABLE_STOP_LOSS_BUY: false, ...settings },
      ...other,
    }
    this.bench = new Bench(emptyState(own))
    this.bench.nowMs = startMs
    this.bench.wallMs = startMs
    this.bench.ready(codes.map((code) => brokerPosition({ code, costPrice: yuan(10) })))
  }

  /** The stocks were bought on an earlier day. */
  heldBefore(): this {
    const { positions } = this.bench.state
    for (const [code, held] of positions) {
      positions.set(code, { ...held, openDate: '2026-08-03 09:31:02' })
    }
    return this
  }

  bandOf(code: StockCode): Band {
    const { bench } = this
    const sight = { nowMs: bench.nowMs, quote: (one: StockCode) => bench.quotes.get(one) }
    return accountBand(bench.state, code, { ...sight, floor: 0 })
  }

  /** Ticks in the order of their times; alarms ring when the clock has passed them. */
  ticks(...ticks: readonly TestTick[]): this {
    for (const tick of ticks) this.#tick(tick)
    return this
  }

  /** One tick every three seconds, from a moment on. */
  every3s(from: number, prices: readonly number[], fields: Partial<TestTick> = {}): this {
    return this.ticks(...prices.map((price, index) => ({ ...fields, price, at: from + 3 * index })))
  }

  #tick({ code = BANK, at, price, lastClose = 10, high = price, ...before }: TestTick): void {
    const { bench } = this
    const { closeBefore = 0, lastCloseBefore = 0, highBefore = 0 } = before
    this.wait(at)
    const standing = bench.quotes.get(code)
    const band = this.bandOf(code)
    const next: Quote = {
      ...quote(price, bench.nowMs),
      open: yuan(price === 0 ? 0 : 10),
      high: yuan(high),
      lastClose: yuan(lastClose),
      closeBefore: yuan(closeBefore),
      lastCloseBefore: yuan(lastCloseBefore),
      highBefore: yuan(highBefore),
    }
    bench.quotes.set(code, next)
    const isNewHigh = next.high !== (standing?.high ?? 0) && next.high > next.lastPrice
    const top = this.isDeafToQuiet ? (band.quiet ?? band.high) : band.high
    const isOutside = (value: number) => value < band.low || value > top
    if (!this.isBanded || isOutside(next.lastPrice) || (isNewHigh && isOutside(next.high))) {
      this.wakeUps += 1
      bench.input({ kind: 'quotes', crossed: [code] })
    }
  }

  /** The clock goes on without a tick, and whatever is due rings at its moment. */
  wait(until: number): this {
    const { bench } = this
    const untilMs = OPEN_MS + until * SECOND_MS
    for (;;) {
      const dueMs = nextEvaluationMs(bench.state, bench.nowMs)
      if (dueMs > untilMs) break
      bench.nowMs = dueMs
      bench.wallMs = dueMs
      bench.input({ kind: 'alarm' })
    }
    bench.nowMs = Math.max(bench.nowMs, untilMs)
    bench.wallMs = bench.nowMs
    return this
  }

  /** `signal quantity @ seconds after the open` of the orders of a stock. */
  sent(code: StockCode = BANK): readonly string[] {
    return [...this.bench.state.orders.values()]
      .filter((order) => order.code === code)
      .map(
        ({ signalType, quantity, createdMs }) =>
          `${signalType} ${quantity} @ ${(createdMs - OPEN_MS) / SECOND_MS}`,
      )
  }

  decisions(code: StockCode = BANK): readonly Decision[] {
    return (this.bench.state.trace.of(NAME).get(code) ?? []) as readonly Decision[]
  }
  verdicts(code: StockCode = BANK): readonly (string | undefined)[] {
    return this.decisions(code).map(({ verdicts }) => verdicts.at(-1)?.code)
  }
}
