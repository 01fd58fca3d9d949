import type { QueryRows } from '../../protocol/driver.ts'
import { hasDoubt } from '../orders/doubt-rules.ts'
import { query } from '../turn/ask.ts'
import type { Turn } from '../turn/turn.ts'
import { followComparing, type Purpose } from './compare.ts'
import { onDealReport, onOrderReport, onPositionList } from './reports.ts'
import { beginRun, causeOfRecovery, REPORTS, reportCame } from './runs.ts'

/**
 * After every connect: four reports, and only when all four have been answered is anything
 * concluded from them. Until then the account reads but does not act.
 */
export function startRecovery(turn: Turn): void {
  const { state } = turn
  state.isReady = false
  state.reports.clear()
  state.withheld.clear()
  beginRun(turn, causeOfRecovery(turn))
  for (const what of REPORTS) query(turn, what, 'recover')
}

/** One of the four has come. With the last of them local books follow those of the trading client. */
export function onRecoveryReport(turn: Turn, report: QueryRows): void {
  const { state } = turn
  state.reports.set(report.what, report)
  if (REPORTS.some((what) => !state.reports.has(what))) return
  const reports = REPORTS.map((what) => state.reports.get(what))
  state.reports.clear()
  for (const rows of reports) {
    if (rows === undefined) continue
    applyReport(turn, rows, 'recover')
    reportCame(turn, rows.what)
  }
  doubtUnlisted(turn)
  state.isReady = true
  turn.after({ kind: 'bands' })
  const {
    reconcileIntervalMs,
    positionQueryIntervalMs,
    doubtQueryIntervalMs,
    cancelRetryIntervalMs,
  } = state.policy.limits
  turn.after({ kind: 'timer', name: 'poll', delayMs: positionQueryIntervalMs })
  turn.after({ kind: 'timer', name: 'reconcile', delayMs: reconcileIntervalMs })
  if (hasDoubt(state) || state.isWithholding) {
    turn.after({ kind: 'timer', name: 'doubt', delayMs: doubtQueryIntervalMs })
  }
  // What an earlier life or connection left half done: cancels without an end, fills not shown.
  turn.after({ kind: 'timer', name: 'cancels', delayMs: cancelRetryIntervalMs })
  turn.after({ kind: 'timer', name: 'fills', delayMs: doubtQueryIntervalMs })
}

/** Rows of a report into the state. Orders before deals, so that a fill finds its order. */
export function applyReport(turn: Turn, report: QueryRows, purpose: Purpose = 'poll'): void {
  followComparing(turn, report, { purpose, follow: () => follow(turn, report) })
}

function follow(turn: Turn, report: QueryRows): void {
  const { state } = turn
  switch (report.what) {
    case 'orders':
      for (const row of report.rows) onOrderReport(turn, row)
      break
    case 'deals':
      for (const row of report.rows) onDealReport(turn, row)
      break
    case 'positions':
      onPositionList(turn, report.rows)
      break
    case 'asset':
      state.asset = report.rows[0]
      state.assetAtMs = turn.inputs.nowMs
      break
  }
}

/** Whatever was sent by an earlier life or call and is not in the list has an unknown fate. */
function doubtUnlisted(turn: Turn): void {
  const underWay = new Set<string>()
  for (const call of turn.state.calls.values()) {
    if (call.kind === 'submit') underWay.add(call.clientOrderId)
  }
  for (const order of [...turn.state.orders.values()]) {
    if (order.status !== 'submitted' || order.orderId !== '') continue
    if (underWay.has(order.clientOrderId)) continue
    const { clientOrderId } = order
    turn.emit({ kind: 'orderMoved', clientOrderId, event: 'doubt', orderId: '', message: '' })
  }
}

/** Regular look at holdings and cash, for clients whose pushes get lost. */
export function poll(turn: Turn): void {
  const { state } = turn
  if (!state.isReady) return
  query(turn, 'positions', 'poll')
  query(turn, 'asset', 'poll')
  const delayMs = state.policy.limits.positionQueryIntervalMs
  turn.after({ kind: 'timer', name: 'poll', delayMs })
}
