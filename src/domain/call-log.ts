import { round } from './money.ts'

/** Calls to a broker or its market data, by the names under which existing clients know them. */
const CALL_NAMES = [
  'order_stock',
  'cancel_order',
  'query_positions',
  'query_asset',
  'query_orders',
  'query_trades',
  'ping_trader',
  'get_full_tick',
  'get_market_data_ex',
  'download_history_data',
] as const
export type CallName = (typeof CALL_NAMES)[number]
const OUTCOMES = ['success', 'error', 'timeout'] as const
export type CallOutcome = (typeof OUTCOMES)[number]

/** Cells of what a {@link CallLog} counts: one for each name and outcome. */
const CALL_CELLS = CALL_NAMES.length * OUTCOMES.length
/** Of an account: the first says since when, in milliseconds that never jump, the others are those of a log. */
export const METER_CELLS = 1 + CALL_CELLS

/** Calls that latencies and the rate of errors look at. */
const LATENCIES_MAX = 1_000
const RATE_MAX = 100
const TEXT_MAX = 200

export interface Call {
  readonly name: CallName
  readonly outcome: CallOutcome
  readonly ms: number
  /** When it ended, epoch milliseconds. */
  readonly atMs: number
  /** What went wrong. */
  readonly text?: string
}

type Counts = Readonly<Record<CallOutcome, number>>

/** What one place has counted; reports of several places are put together by {@link snapshotOf}. */
export interface CallReport {
  /** Since when, epoch milliseconds. */
  readonly sinceMs: number
  readonly counts: Readonly<Record<string, Counts>>
  /** The latest calls, oldest first. */
  readonly recent: readonly Pick<Call, 'atMs' | 'ms' | 'outcome'>[]
  readonly lastError: { readonly atMs: number; readonly text: string } | null
}

/** Counts calls and remembers the latest. */
export class CallLog {
  readonly #cells: Float64Array
  #recent: Pick<Call, 'atMs' | 'ms' | 'outcome'>[] = []
  #lastError: CallReport['lastError'] = null

  /** @param cells one for each name and outcome, which may have counted before */
  constructor(cells: Float64Array = new Float64Array(CALL_CELLS)) {
    this.#cells = cells
  }

  record({ name, outcome, ms, atMs, text = '' }: Call): void {
    this.#cells[cellOf(name, outcome)] = this.#countOf(name, outcome) + 1
    this.#recent.push({ atMs, ms, outcome })
    if (this.#recent.length >= 2 * LATENCIES_MAX) this.#recent = this.#recent.slice(-LATENCIES_MAX)
    if (outcome !== 'success') this.#lastError = { atMs, text: text.slice(0, TEXT_MAX) }
  }

  /** @param sinceMs when it began to count, by the clock as it is now */
  report(sinceMs: number): CallReport {
    return {
      sinceMs,
      counts: Object.fromEntries(CALL_NAMES.flatMap((name) => this.#told(name))),
      recent: this.#recent.slice(-LATENCIES_MAX),
      lastError: this.#lastError,
    }
  }

  /** Of what was never called nothing is told. */
  #told(name: CallName): (readonly [CallName, Counts])[] {
    const [success, error, timeout] = [
      this.#countOf(name, 'success'),
      this.#countOf(name, 'error'),
      this.#countOf(name, 'timeout'),
    ]
    return success + error + timeout === 0 ? [] : [[name, { success, error, timeout }]]
  }

  #countOf(name: CallName, outcome: CallOutcome): number {
    return this.#cells[cellOf(name, outcome)] ?? 0
  }
}

const cellOf = (name: CallName, outcome: CallOutcome): number =>
  CALL_NAMES.indexOf(name) * OUTCOMES.length + OUTCOMES.indexOf(outcome)

/** The figures of one account as existing clients read them. Latencies in ms, times in Unix seconds. */
export interface CallSnapshot {
  readonly total_calls: number
  readonly success_calls: number
  /** Timeouts included. */
  readonly error_calls: number
  readonly timeout_calls: number
  /** Of the last 100 calls. */
  readonly error_rate: number
  /** Of the last 1,000 calls, as the two below. */
  readonly avg_latency_ms: number
  readonly p50_latency_ms: number
  readonly p95_latency_ms: number
  readonly last_error_time: number | null
  readonly last_error_msg: string | null
  readonly uptime_seconds: number
  readonly ops: Readonly<Record<string, OpCounts>>
}

interface OpCounts {
  readonly total: number
  readonly success: number
  readonly error: number
  readonly timeout: number
  /** The same as `error`, under its other name. */
  readonly error_calls: number
}

export function snapshotOf(reports: readonly CallReport[], nowMs: number): CallSnapshot {
  const ops = opsOf(reports)
  const sum = (field: 'total' | 'success' | 'error' | 'timeout') =>
    Object.values(ops).reduce((total, counts) => total + counts[field], 0)
  const recent = reports.flatMap((report) => inOrder(report.recent, nowMs))
  recent.sort((left, right) => left.atMs - right.atMs)
  const last = recent.slice(-RATE_MAX)
  const failed = last.filter(({ outcome }) => outcome !== 'success').length
  const latencies = recent.slice(-LATENCIES_MAX).map(({ ms }) => ms)
  const lastError = latestError(reports, nowMs)
  const sinceMs = Math.min(nowMs, ...reports.map((report) => report.sinceMs))
  return {
    total_calls: sum('total'),
    success_calls: sum('success'),
    error_calls: sum('error'),
    timeout_calls: sum('timeout'),
    error_rate: last.length === 0 ? 0 : round(failed / last.length, 4),
    ...latenciesOf(latencies),
    last_error_time: lastError === null ? null : lastError.atMs / 1_000,
    last_error_msg: lastError === null ? null : lastError.text,
    uptime_seconds: round((nowMs - sinceMs) / 1_000, 1),
    ops,
  }
}

function opsOf(reports: readonly CallReport[]): Record<string, OpCounts> {
  const ops: Record<string, OpCounts> = {}
  for (const [name, { success, error, timeout }] of reports.flatMap(({ counts }) =>
    Object.entries(counts),
  )) {
    const before = ops[name] ?? { total: 0, success: 0, error: 0, timeout: 0, error_calls: 0 }
    const failed = before.error + error + timeout
    ops[name] = {
      total: before.total + success + error + timeout,
      success: before.success + success,
      error: failed,
      timeout: before.timeout + timeout,
      error_calls: failed,
    }
  }
  return ops
}

function latenciesOf(latencies: readonly number[]) {
  const sorted = [...latencies].sort((left, right) => left - right)
  const at = (share: number) => round(sorted[Math.floor(sorted.length * share)] ?? 0, 2)
  const sum = sorted.reduce((total, ms) => total + ms, 0)
  return {
    avg_latency_ms: sorted.length === 0 ? 0 : round(sum / sorted.length, 2),
    p50_latency_ms: at(0.5),
    p95_latency_ms: at(0.95),
  }
}

/**
 * In the order in which they ended, also by their times: a clock that was ahead and has been set back gave earlier
 * calls the later ones, and they would count as the latest until a thousand others had displaced them. Where
 * none has come since, they count as old as the one before them: those of other places are later.
 */
function inOrder(recent: CallReport['recent'], nowMs: number): CallReport['recent'] {
  let laterMs = Number.POSITIVE_INFINITY
  const backwards = recent.toReversed().map((call) => {
    laterMs = Math.min(laterMs, call.atMs)
    return { ...call, atMs: laterMs }
  })
  const beforeMs = backwards.find(({ atMs }) => atMs <= nowMs)?.atMs ?? 0
  const dated = backwards.map((call) => (call.atMs > nowMs ? { ...call, atMs: beforeMs } : call))
  return dated.toReversed()
}

/** One of the future is of a clock that has been set back since: nobody knows when it was, but others are later. */
function latestError(reports: readonly CallReport[], nowMs: number): CallReport['lastError'] {
  const errors = reports.flatMap(({ lastError }) => lastError ?? [])
  const past = errors.filter(({ atMs }) => atMs <= nowMs)
  return (past.length > 0 ? past : errors).reduce<CallReport['lastError']>(
    (latest, error) => (error.atMs > (latest?.atMs ?? 0) ? error : latest),
    null,
  )
}
