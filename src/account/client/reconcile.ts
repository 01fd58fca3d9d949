import type { QueryRows } from '../../protocol/driver.ts'
import { query } from '../turn/ask.ts'
import type { Turn } from '../turn/turn.ts'
import { applyReport } from './recover.ts'
import { beginRun, REPORTS, reportCame } from './runs.ts'

/**
 * Every minute while connected: four reports, each compared with our books and followed as it comes,
 * because what is pushed between two of them is newer than the first. Without a difference nothing
 * is written.
 */
export function reconcile(turn: Turn): void {
  const { state } = turn
  if (!state.isReady) return // the recovery after the next connect compares, and sets the timer again
  const delayMs = state.policy.limits.reconcileIntervalMs
  turn.after({ kind: 'timer', name: 'reconcile', delayMs })
  askForReports(turn)
}

/** Begins a comparison, unless one is under way or nobody could answer. */
export function askForReports(turn: Turn): void {
  const { state } = turn
  if (!state.isReady || state.run !== undefined) return
  beginRun(turn, 'periodic')
  for (const what of REPORTS) query(turn, what, 'reconcile')
}

export function onReconcileReport(turn: Turn, report: QueryRows): void {
  applyReport(turn, report, 'reconcile')
  reportCame(turn, report.what)
}
