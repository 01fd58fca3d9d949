import { type JobCall, type JobKind, jobKind } from '../../../actors/jobs/job-kind.ts'
import type { BarsMade, BarsWanted } from '../../../actors/pool/bars.worker.ts'
import type { BacktestWork } from '../../../actors/pool/grid-backtest.worker.ts'
import { basePeriodOf, packedCount } from '../../domain/bar.ts'
import { ServiceError } from '../../domain/errors.ts'
import { DAY_MS, exchangeDay, exchangeDayStartMs } from '../../domain/exchange-time.ts'
import type { LineReaderLimits } from '../../market/line-reader.ts'
import { type BacktestInput, backtestInput } from '../../protocol/grid-backtest.ts'
import {
  type BarsRequest,
  barPages,
  type DownloadInput,
  type DownloadResult,
  downloadInput,
  spanOf,
} from '../../protocol/history.ts'
import type { MarketReplies, MarketRequest } from '../../protocol/market.ts'

export interface JobKindDeps {
  /** The market of an account. */
  readonly market: <R extends MarketRequest>(
    accountId: string,
    request: R,
  ) => Promise<MarketReplies[R['kind']]>
  /** Market clock, epoch milliseconds. */
  readonly nowMs: () => number
  /** The recording that is played; undefined when the market is another one. */
  readonly replayFile: string | undefined
  readonly backtest: LineReaderLimits & { readonly barsMax: number }
}

/** Days asked for at once, so that a download can say how far it is and be canceled in between. */
const STEP_DAYS = 10

/** The table of kinds: name, schema of the input, and the worker file or function that does it. */
export const jobKinds = (deps: JobKindDeps): readonly JobKind[] => [
  jobKind({
    kind: 'download',
    input: downloadInput,
    run: (input, call) => download(deps, input, call),
  }),
  jobKind({
    kind: 'grid_backtest',
    input: backtestInput,
    run: (input, call) => gridBacktest(deps, input, call),
  }),
]

/** Gets history from the market source, then reads it back. */
async function download(
  { market, nowMs }: JobKindDeps,
  input: DownloadInput,
  { accountId, progress, signal, inPool }: JobCall,
): Promise<DownloadResult> {
  const code = input.stock_code
  const { from, to } = spanOf(input, nowMs())
  const period = basePeriodOf(input.period)
  const steps = stepsOf(from, to)
  for (const [index, days] of steps.entries()) {
    signal.throwIfAborted()
    const { isWhole } = await market(accountId, { kind: 'download', code, period, ...days })
    progress(index + 1, steps.length)
    if (isWhole) break
  }
  let rows = 0
  let source = ''
  const pages = barPages((request) => market(accountId, request), { code, period, from, to })
  for await (const page of pages) {
    signal.throwIfAborted()
    const wanted: BarsWanted = { bars: page.bars, period: input.period, from, to }
    rows += (await inPool<BarsMade>('actors/pool/bars.worker.ts', wanted)).rows
    source = page.source
  }
  return { ...input, rows, source }
}

/** The last day that is written with four digits of a year. */
const LAST_MOMENT_MS = Date.parse('9999-12-31T00:00:00Z')

/** Tries a grid on the past. Errors  `NOT_A_REPLAY`, `VALIDATION` when there are too many bars. */
async function gridBacktest(
  deps: JobKindDeps,
  input: BacktestInput,
  { accountId, progress, signal, inPool }: JobCall,
): Promise<object> {
  const isReplay = input.source === 'replay'
  // A recording may be of any time, also of one that its own clock has not come to.
  const { from, to } = spanOf(input, isReplay ? LAST_MOMENT_MS : deps.nowMs())
  if (isReplay && deps.replayFile === undefined) {
    throw new ServiceError('NOT_A_REPLAY', '行情源不是回放 (the market is not a replay)')
  }
  const bars: Uint8Array[] = []
  const request = { code: input.stock_code, period: basePeriodOf(input.period), from, to }
  const ask = (page: BarsRequest) => deps.market(accountId, page)
  let count = 0
  for await (const page of isReplay ? [] : barPages(ask, request)) {
    signal.throwIfAborted()
    bars.push(...page.bars)
    count += page.bars.reduce((sum, packed) => sum + packedCount(packed), 0)
    if (count <= deps.backtest.barsMax) continue
    const text = `start_time: more than ${deps.backtest.barsMax} bars; ask for fewer days`
    throw new ServiceError('VALIDATION', text, { start_time: [text] })
  }
  const work: BacktestWork = {
    input,
    bars,
    file: deps.replayFile ?? '',
    limits: deps.backtest,
    fromMs: exchangeDayStartMs(from),
    endMs: exchangeDayStartMs(to) + DAY_MS - 1,
  }
  return inPool('actors/pool/grid-backtest.worker.ts', work, { onProgress: progress })
}

function stepsOf(from: string, to: string): { from: string; to: string }[] {
  const steps: { from: string; to: string }[] = []
  const endMs = exchangeDayStartMs(to)
  for (let atMs = exchangeDayStartMs(from); atMs <= endMs; atMs += STEP_DAYS * DAY_MS) {
    const lastMs = Math.min(endMs, atMs + (STEP_DAYS - 1) * DAY_MS)
    steps.push({ from: exchangeDay(atMs), to: exchangeDay(lastMs) })
  }
  return steps
}
