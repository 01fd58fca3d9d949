import type { AccountCommand } from '../../../src/account/commands/on-request.ts'
import type { StockCode } from '../../../src/domain/instrument.ts'
import type { Price, Quantity } from '../../../src/domain/money.ts'
import { type Position, thresholdCost } from '../../../src/domain/position.ts'
import { BANK, Bench, brokerPosition, commands, MORNING_MS, quote, yuan } from '../fixture.ts'
import { timer } from '../play.ts'
import { SALE } from '../strategies/stop-profit/chain.ts'

const OTHER = '000001.SZ' as StockCode
export const DAY_MS = 86_400_000
const OPEN_DATE = '2026-08-03'

export const row = (quantity: number, cost: number, openDate: string | undefined = OPEN_DATE) => {
  const shares = quantity as Quantity
  const told = openDate === undefined ? {} : { openDate }
  return brokerPosition({ quantity: shares, sellable: shares, costPrice: yuan(cost), ...told })
}
export const other = brokerPosition({ code: OTHER, openDate: OPEN_DATE })

/** 1,000 shares at a cost of 10, on the morning of their ex-day: 1 for 10, after a close of 11. */
export function exDay(): Bench {
  const bench = new Bench()
  bench.nowMs = MORNING_MS - DAY_MS
  bench.ready([row(1_000, 10), other])
  bench.nowMs = MORNING_MS + DAY_MS
  bench.input({ kind: 'dayOpened', day: '2026-08-12' })
  return bench
}

/** A quote of today, which tells of the ex-day on its day. */
export function quoted(
  bench: Bench,
  price: number,
  closes: readonly [before: number, last: number],
): void {
  const [closeBefore, lastClose] = closes
  bench.nowMs += 3_000
  bench.quotes.set(BANK, {
    ...quote(price, bench.nowMs),
    lastClose: yuan(lastClose),
    closeBefore: yuan(closeBefore),
    lastCloseBefore: yuan(10.8),
  })
  bench.input({ kind: 'quotes', crossed: [BANK] })
}

export function lists(bench: Bench, ...rows: readonly ReturnType<typeof row>[]): void {
  bench.nowMs += 30_000
  bench.wallMs += 30_000
  bench.answerQueries(commands(bench.input(timer('poll'))), { positions: rows })
}

export function lose(bench: Bench): void {
  for (let n = 0; n < 3; n++) lists(bench, other)
}
export const held = (bench: Bench): Position | undefined => bench.state.positions.get(BANK)
export const costOf = (bench: Bench): Price | undefined => {
  const position = held(bench)
  return position && thresholdCost(position)
}

/** 1,000 shares whose first profit is taken, at a high of 12, and which no strategy is to sell. */
export function remembered(): Bench {
  const bench = new Bench().ready([row(1_000, 10), other])
  const source = 'test'
  const ask = (request: AccountCommand) => bench.input({ kind: 'request', ref: 1, request })
  ask({ kind: 'updateHolding', code: BANK, profitTriggered: true, highestPrice: yuan(12), source })
  ask({ kind: 'setStopProfit', code: BANK, enabled: false, source })
  return bench
}
export const REMEMBERED = {
  profitTriggered: true,
  stopProfitEnabled: false,
  highestPrice: yuan(12),
  openDate: `${OPEN_DATE} 00:00:00`,
}
export const FRESH = { profitTriggered: false, stopProfitEnabled: true }

export const HALF = { ...SALE, signalType: 'take_profit_half', quantity: 600 as Quantity } as const

/** As most clients show it: nobody tells when it was bought. */
export const undated = (quantity: number, cost: number) => {
  const { openDate: _, ...told } = row(quantity, cost)
  return told
}

/** The same time of the next day of trading. */
export function nextDay(bench: Bench, day: string): void {
  bench.nowMs += DAY_MS
  bench.wallMs += DAY_MS
  bench.input({ kind: 'dayOpened', day })
}
