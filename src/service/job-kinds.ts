import { type JobCall, type JobKind, jobKind } from '../../actors/jobs/job-kind.ts'
import type { BarsMade, BarsWanted } from '../../actors/pool/bars.worker.ts'
import { basePeriodOf } from '../domain/bar.ts'
import { exchangeDay, exchangeDayStartMs } from '../domain/exchange-time.ts'
import { barPages } from '../protocol/bar-pages.ts'
import {
  type DownloadInput,
  type DownloadResult,
  downloadInput,
  spanOf,
} from '../protocol/history.ts'
import type { MarketReplies, MarketRequest } from '../protocol/market.ts'

export interface JobKindDeps {
  /** The market of an account. */
  readonly market: <R extends MarketRequest>(
    accountId: string,
    request: R,
  ) => Promise<MarketReplies[R['kind']]>
  /** Market clock, epoch milliseconds. */
  readonly nowMs: () => number
}

const DAY_MS = 86_400_000
/** Days asked for at once, so that a download can say how far it is and be canceled in between. */
const STEP_DAYS = 10

/** The table of kinds: name, schema of the input, and the worker file or function that does it. */
export const jobKinds = (deps: JobKindDeps): readonly JobKind[] => [
  jobKind({
    kind: 'download',
    input: downloadInput,
    run: (input, call) => download(deps, input, call),
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

function stepsOf(from: string, to: string): { from: string; to: string }[] {
  const steps: { from: string; to: string }[] = []
  const endMs = exchangeDayStartMs(to)
  for (let atMs = exchangeDayStartMs(from); atMs <= endMs; atMs += STEP_DAYS * DAY_MS) {
    const lastMs = Math.min(endMs, atMs + (STEP_DAYS - 1) * DAY_MS)
    steps.push({ from: exchangeDay(atMs), to: exchangeDay(lastMs) })
  }
  return steps
}
