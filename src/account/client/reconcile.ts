import type { BrokerDeal } from '../../domain/order.ts'
import type { QueryKind, QueryRows } from '../../protocol/driver.ts'
import type { QueryPurpose } from '../model/calls.ts'
import type { ReconcileRun } from '../model/differences.ts'
import { forgetNumbers } from '../model/order-numbers.ts'
import { isUncompared, isUnconfirmed } from '../model/restore.ts'
import { countAllTriesAnew } from '../orders/cancels.ts'
import { isDoubtOpen } from '../orders/doubt-rules.ts'
import type { Turn } from '../turn/turn.ts'
import { besideOthers } from './bearer.ts'
import { seeUndone } from './cancel-undone.ts'
import { onDealsListed } from './catch-up.ts'
import { askWhetherLaneIsEmpty, dropClearances } from './clearance.ts'
import { followComparing, isSuspect } from './compare.ts'
import { isWhole, noteLeftOut } from './left-out.ts'
import { onPositionList } from './position-reports.ts'
import { dealsBooked, onDealReport, onOrderList } from './reports.ts'
import { noteCash } from './shown.ts'

/** What a comparison covers, in the order in which it is asked for: a fill finds its order. */
export const REPORTS: readonly QueryKind[] = ['orders', 'deals', 'positions', 'asset']

/** All four reports are being asked for. Nothing of it is durable: a run leaves only what it found. */
export function beginRun({ state, inputs }: Turn, cause: ReconcileRun['cause']): void {
  state.run = {
    cause,
    atMs: inputs.nowMs,
    startedWallMs: inputs.wallMs,
    durationMs: 0,
    open: new Set(REPORTS),
    failed: [],
    found: 0,
  }
}

/** Why the account compares after a connect. */
export function causeOfRecovery({ state }: Turn): ReconcileRun['cause'] {
  if (isUncompared(state.restore)) return 'restore'
  if (state.isNewborn) return 'first'
  return state.lastRun === undefined ? 'start' : 'reconnect'
}

/** A report was compared and followed. */
export function reportCame(turn: Turn, what: QueryKind): void {
  turn.state.run?.open.delete(what)
  endIfComplete(turn)
}

/** A report did not come, or said that it could not be made. */
export function reportFailed(turn: Turn, what: QueryKind, reason: string): void {
  turn.state.run?.failed.push({ what, reason })
  reportCame(turn, what)
}

/** The connection is gone, and with it what was still to come. */
export function abandonRun(turn: Turn, reason: string): void {
  const { run } = turn.state
  for (const what of [...(run?.open ?? [])]) reportFailed(turn, what, reason)
}

function endIfComplete({ state, inputs }: Turn): void {
  const { run } = state
  if (run === undefined || run.open.size > 0) return
  run.durationMs = Math.max(0, inputs.wallMs - run.startedWallMs)
  state.lastRun = run
  state.run = undefined
  if (run.failed.length === 0) state.isNewborn = false
}

/**
 * After every connect: four reports, and only when all four have been answered is anything
 * concluded from them. Until then the account reads but does not act.
 */
export function startRecovery(turn: Turn): void {
  const { state } = turn
  state.isReady = false
  state.reports.clear()
  state.parked.clear()
  forgetNumbers(state.numbers) // a simulation lets a client go that may be started anew meanwhile
  dropClearances(state)
  if (isUncompared(state.restore) && !state.isLaneEmpty) {
    // Books from a backup do not know what was sent after it: lists show all of that only behind a barrier.
    turn.timer('recover', state.policy.limits.doubtQueryIntervalMs)
    return askWhetherLaneIsEmpty(turn)
  }
  beginRun(turn, causeOfRecovery(turn))
  for (const what of REPORTS) turn.query(what, 'recover')
}

/** One of the four has come. With the last of them local books follow those of the broker. */
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
  if (!endRestore(turn)) return
  state.isReady = true
  countAllTriesAnew(turn)
  // Found in a list that was asked together with the holdings: which of the two was first, nobody knows.
  for (const { numberedAt } of state.unseen.values())
    state.isBooksWanted ||= numberedAt !== undefined
  turn.after({ kind: 'bands' })
  const {
    reconcileIntervalMs,
    positionQueryIntervalMs,
    doubtQueryIntervalMs,
    cancelRetryIntervalMs,
  } = state.policy.limits
  turn.timer('poll', positionQueryIntervalMs)
  turn.timer('reconcile', reconcileIntervalMs)
  if (isDoubtOpen(state)) turn.timer('doubt', doubtQueryIntervalMs)
  // What an earlier life or connection left half done: cancels without an end, fills not shown.
  turn.timer('cancels', cancelRetryIntervalMs)
  turn.timer('fills', doubtQueryIntervalMs)
}

/**
 * Books that were put back from a backup are compared whole before anything is sent. A report that
 * could not be used is asked for again. Whether orders may leave.
 */
function endRestore(turn: Turn): boolean {
  const { restore, lastRun, policy } = turn.state
  if (restore === undefined || !isUncompared(restore)) return true
  const failed = lastRun?.failed ?? []
  if (lastRun === undefined || failed.length > 0) {
    const reasons = failed.map(({ what, reason }) => `${what}: ${reason}`).join('; ')
    turn.warn(`restored books are not compared yet, nothing is sent: ${reasons}`)
    turn.timer('recover', policy.limits.positionQueryIntervalMs)
    return false
  }
  const { found } = lastRun
  turn.emit({ kind: 'restoreCompared', mark: restore.mark, differences: found })
  const text = `restored books are compared with the trading client, ${found} differences; see /api/reconcile`
  turn.warn(text)
  remind(turn)
  return true
}

/** An alarm that comes again: while nobody has looked, stops do not sell either. */
function remind(turn: Turn): void {
  const { state, inputs } = turn
  if (!isUnconfirmed(state.restore)) return
  const { restoreAlarmMs } = state.policy.limits
  const toldMs = state.restoreToldWallMs
  if (inputs.wallMs >= toldMs && inputs.wallMs - toldMs < restoreAlarmMs) return
  state.restoreToldWallMs = inputs.wallMs
  turn.error(
    '恢复后的核对结果尚未人工确认：不发出任何委托，止损也不例外 (nobody has confirmed what was found after the restore: nothing is sent, stops neither; see the console, or POST /api/reconcile/confirm)',
  )
}

/** The comparison after a restore, once more. */
export function recoverAgain(turn: Turn): void {
  const { isReady, connection, restore, run } = turn.state
  const isFree = connection.phase === 'connected' && !isReady && run === undefined
  if (isFree && isUncompared(restore)) startRecovery(turn)
}

/** Rows of a report into the state. Orders before deals, so that a fill finds its order. */
export function applyReport(turn: Turn, report: QueryRows, purpose: QueryPurpose = 'poll'): void {
  noteLeftOut(turn, report)
  const { state } = turn
  const told =
    report.what === 'orders' ? { ...report, rows: besideOthers(state, report.rows) } : report
  followComparing(turn, told, { purpose, follow: () => follow(turn, told) })
}

const byTime = (one: BrokerDeal, other: BrokerDeal): number => one.timeMs - other.timeMs

function follow(turn: Turn, report: QueryRows): void {
  const { state } = turn
  switch (report.what) {
    case 'orders':
      onOrderList(turn, report)
      seeUndone(turn, report.rows)
      break
    case 'deals': {
      const booked = dealsBooked(turn, report.rows)
      const news = report.rows.filter((row) => !booked.has(row))
      // Some clients list the newest first; what a sale has earned follows from the purchases before it.
      for (const row of news.toSorted(byTime)) onDealReport(turn, row, true)
      // What was left out of it may be what is looked for.
      if (isWhole(state, 'deals') && !isSuspect(turn, report)) {
        onDealsListed(state, turn.asked?.at ?? 0, () => dealsBooked(turn, report.rows))
      }
      break
    }
    case 'positions':
      onPositionList(turn, report.rows)
      break
    case 'asset':
      noteCash(turn, report.rows[0])
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
    if (!underWay.has(order.clientOrderId)) turn.moveOrder(order.clientOrderId, 'doubt')
  }
}

/** Regular poll of holdings and cash, for clients whose pushes get lost. */
export function poll(turn: Turn): void {
  const { state } = turn
  if (!state.isReady) return
  turn.query('positions', 'poll')
  turn.query('asset', 'poll')
  turn.timer('poll', state.policy.limits.positionQueryIntervalMs)
}

/**
 * Every minute while connected: four reports, each compared with our books and followed as it comes,
 * because what is pushed between two of them is newer than the first. Without a difference nothing
 * is written.
 */
export function reconcile(turn: Turn): void {
  const { state } = turn
  remind(turn)
  state.isPushUnread = false
  if (!state.isReady) return // the recovery after the next connect compares, and sets the timer again
  turn.timer('reconcile', state.policy.limits.reconcileIntervalMs)
  askForReports(turn)
}

/** Begins a comparison, unless one is under way or nobody could answer. */
export function askForReports(turn: Turn): void {
  const { state } = turn
  if (!state.isReady || state.run !== undefined) return
  beginRun(turn, 'periodic')
  for (const what of REPORTS) turn.query(what, 'reconcile')
}

export function onReconcileReport(turn: Turn, report: QueryRows): void {
  applyReport(turn, report, 'reconcile')
  reportCame(turn, report.what)
}
