import { stat } from 'node:fs/promises'
import { type Bar, barsOf, mergeBars, type Period, unpackBars } from '../../src/domain/bar.ts'
import { exchangeTime } from '../../src/domain/exchange-time.ts'
import { type FeeRates, feesOf } from '../../src/domain/fees.ts'
import { type Price, reportedPrice, round, toYuan } from '../../src/domain/money.ts'
import { tradeType } from '../../src/domain/order.ts'
import { type Progress, poolWork } from '../../src/jobs/pool-work.ts'
import { takeClosedDays } from '../../src/market/closed-days.ts'
import type { LineReaderLimits } from '../../src/market/line-reader.ts'
import { REPLAY_START, ReplayCursor } from '../../src/market/replay-cursor.ts'
import type { BacktestInput } from '../../src/protocol/grid-backtest.ts'
import {
  Backtest,
  type BacktestResult,
  type BacktestSetup,
} from '../../src/strategy/grid/backtest.ts'
import { summaryOf } from '../../src/strategy/grid/ledger.ts'
import { investedOf } from '../../src/strategy/grid/session.ts'

/** A grid and the prices that it is tried on: stored bars, or the file of the replay. */
export interface BacktestWork {
  readonly input: BacktestInput
  readonly bars: readonly Uint8Array[]
  /** First and last moment that counts, epoch ms. */
  readonly fromMs: number
  readonly endMs: number
  readonly file: string
  readonly limits: LineReaderLimits
}

/** Prices between two words about how far it has come. */
const PROGRESS_EVERY = 1_024

takeClosedDays()
export const work = poolWork<BacktestWork, object>(async (wanted, progress) => {
  const test = new Backtest(setupOf(wanted.input))
  const points =
    wanted.input.source === 'replay'
      ? await overFile(test, wanted, progress)
      : overBars(test, wanted, progress)
  return { points, ...shown(test.result(), wanted.input) }
})

function setupOf({ parameters, policy, feeRates, ...input }: BacktestInput): BacktestSetup {
  const code = parameters.code as BacktestSetup['parameters']['code']
  return {
    parameters: parameters as unknown as BacktestSetup['parameters'],
    policy: policy as unknown as BacktestSetup['policy'],
    baseQuantity: input.baseQuantity as BacktestSetup['baseQuantity'],
    isAlwaysOpen: input.isAlwaysOpen,
    fees: (side, amount, day) =>
      feesOf(feeRates as unknown as FeeRates, { code, side, day, amount }),
  }
}

/** Each bar as four prices: it opens, goes the shorter way first, and closes. */
function overBars(test: Backtest, wanted: BacktestWork, progress: Progress): number {
  const { bars, fromMs, endMs, input } = wanted
  const merged = bars.map(unpackBars).reduce<readonly Bar[]>(mergeBars, [])
  const inside = merged.filter(({ timeMs }) => timeMs >= fromMs && timeMs <= endMs)
  const rows = barsOf(inside, input.period)
  for (const [index, { timeMs, open: first, high, low, close }] of rows.entries()) {
    const atMs = timeMs + timeInBar(input.period)
    const way = close >= first ? [first, low, high, close] : [first, high, low, close]
    for (const price of way) test.take(atMs, price as Price)
    if (index % PROGRESS_EVERY === 0) progress.set(index, rows.length)
  }
  progress.set(rows.length, rows.length)
  return rows.length
}

/** A day stands at its midnight; its prices are those of the session. */
const OPENING_MS = (10 * 60 + 30) * 60_000
const timeInBar = (period: Period): number => (period === '1d' ? OPENING_MS : 0)

/** Every tick of the stock that the replay of the recording would play. */
async function overFile(test: Backtest, wanted: BacktestWork, progress: Progress): Promise<number> {
  const { file, limits } = wanted
  const { size } = await stat(file)
  const cursor = await ReplayCursor.open(file, REPLAY_START, limits, () => undefined)
  try {
    let points = 0
    do {
      points += overTicks(test, wanted, cursor)
      progress.set(kilobytes(cursor.position().offset), kilobytes(size))
    } while (await cursor.fill())
    return points
  } finally {
    await cursor.close()
  }
}

/** What has been read of it. */
function overTicks(test: Backtest, wanted: BacktestWork, cursor: ReplayCursor): number {
  const { input, fromMs, endMs } = wanted
  let points = 0
  for (let tick = cursor.peek(); tick !== undefined; tick = cursor.peek()) {
    const { time, stock_code: code, lastPrice } = tick
    if (code === input.stock_code && time >= fromMs && time <= endMs) {
      points += 1
      test.take(time, reportedPrice(lastPrice))
    }
    cursor.consume()
  }
  return points
}

const kilobytes = (bytes: number): number => Math.ceil(bytes / 1_024)

/** What the result cannot know. */
function warningsOf({ jumps }: BacktestResult, { source, period }: BacktestInput): string[] {
  const isShared = source === 'bars' && period !== '1m'
  return [
    ...(isShared ? [`${period} ${SHARED_MOMENT}`] : []),
    ...(jumps.length > 0 ? [`${daysOf(jumps)} ${OTHER_SCALE}`] : []),
  ]
}
/**
 * In a bar of more than a minute four prices share one moment: no cool-down ends between them, and which of the two
 * extremes came first is assumed.
 */
const SHARED_MOMENT =
  'K 线的开、高、低、收四个价格算作同一时刻：冷却时间不会在其间结束，高低先后为假定；请用 1m 或回放复核 (the four prices of a bar share one time: no cool-down ends between them and their order is assumed; check with 1m or the replay)'
const OTHER_SCALE =
  '开盘价超出前一日涨跌停范围：疑为除权除息、新股或数据缺口；历史价格未复权，请避开这些日期 (the first price is beyond the limits over the day before: an ex-day, a new listing or a gap; prices are not adjusted, leave these days out)'

const DAYS_NAMED_MAX = 5
const daysOf = (days: readonly string[]): string =>
  days.slice(0, DAYS_NAMED_MAX).join(', ') + (days.length > DAYS_NAMED_MAX ? ' …' : '')

/** The result under the names of the interface: money in yuan, ratios as decimals. */
function shown(result: BacktestResult, input: BacktestInput): object {
  const { session, lastPrice, trades, curve, fees, maxDrawdown, exit, refusals } = result
  const { buyCount, sellCount, maxInvestment, ledger } = session
  const summary = summaryOf(ledger, lastPrice)
  const net = summary.truePnl - fees
  const ratio = (money: number) => round(money / maxInvestment, 6)
  return {
    stock_code: input.stock_code,
    source: input.source,
    period: input.period,
    base_volume: input.baseQuantity,
    trade_count: buyCount + sellCount,
    buy_count: buyCount,
    sell_count: sellCount,
    grid_profit: toYuan(summary.truePnl),
    profit_ratio: ratio(summary.truePnl),
    realized_pnl: toYuan(summary.realized),
    unrealized_pnl: toYuan(summary.unrealized),
    fees: toYuan(fees),
    net_profit: toYuan(net as typeof fees),
    net_ratio: ratio(net),
    max_drawdown: toYuan(maxDrawdown),
    max_drawdown_ratio: ratio(maxDrawdown),
    open_volume: summary.openQuantity,
    unmatched_volume: summary.unmatchedQuantity,
    current_investment: toYuan(investedOf(session)),
    last_price: toYuan(lastPrice),
    current_center_price: toYuan(session.currentCenter),
    stop_reason: exit,
    refusals,
    warnings: warningsOf(result, input),
    trades: trades.map((trade) => ({
      time: exchangeTime(trade.timeMs),
      trade_type: tradeType(trade.side),
      price: toYuan(trade.price),
      volume: trade.quantity,
      amount: toYuan(trade.amount),
      fees: toYuan(trade.fees),
      center_price: toYuan(trade.centerAfter),
      realized_pnl: toYuan(trade.realized),
    })),
    curve: curve.map(({ timeMs, price, pnl, net: after }) => ({
      time: exchangeTime(timeMs),
      price: toYuan(price),
      pnl: toYuan(pnl),
      net: toYuan(after),
    })),
  }
}
