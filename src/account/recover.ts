import type { OrderRecord } from '../domain/order.ts'
import type { QueryKind, QueryRows } from '../protocol/driver.ts'
import { orderAnswered } from './replies.ts'
import { onDealReport, onOrderReport, onPositionList } from './reports.ts'
import type { AccountState } from './state.ts'
import type { Turn } from './turn.ts'

const NEEDED: readonly QueryKind[] = ['orders', 'deals', 'positions', 'asset']

/**
 * After every connect: four reports, and only when all four have been answered is anything
 * concluded from them. Until then the account reads but does not act.
 */
export function startRecovery(turn: Turn): void {
  const { state } = turn
  state.isReady = false
  state.reports.clear()
  for (const what of NEEDED) query(turn, what, 'recover')
}

export function query(turn: Turn, what: QueryKind, purpose: 'recover' | 'poll' | 'doubt'): void {
  turn.call(
    { kind: 'query', what, purpose },
    (callId) => ({ kind: 'query', callId, what }),
    turn.state.policy.limits.callTimeoutMs,
  )
}

/** One of the four has come. With the last of them local books follow those of the trading client. */
export function onRecoveryReport(turn: Turn, report: QueryRows): void {
  const { state } = turn
  state.reports.set(report.what, report)
  if (NEEDED.some((what) => !state.reports.has(what))) return
  const reports = NEEDED.map((what) => state.reports.get(what))
  state.reports.clear()
  for (const rows of reports) if (rows !== undefined) applyReport(turn, rows)
  doubtUnlisted(turn)
  state.isReady = true
  turn.after({ kind: 'bands' })
  const { positionQueryIntervalMs, doubtQueryIntervalMs } = state.policy.limits
  turn.after({ kind: 'timer', name: 'poll', delayMs: positionQueryIntervalMs })
  if (hasDoubt(state)) turn.after({ kind: 'timer', name: 'doubt', delayMs: doubtQueryIntervalMs })
}

/** Rows of a report into the state. Orders before deals, so that a fill finds its order. */
export function applyReport(turn: Turn, report: QueryRows): void {
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

const isInDoubt = (order: OrderRecord): boolean =>
  order.status === 'inDoubt' && order.orderId === ''
export const hasDoubt = (state: AccountState): boolean =>
  [...state.orders.values()].some((order) => isInDoubt(order))

/** Looks for orders in doubt. The timer goes on until none is left. */
export function lookForDoubtful(turn: Turn): void {
  const { state } = turn
  if (!hasDoubt(state)) return
  if (state.isReady) query(turn, 'orders', 'doubt')
  const delayMs = state.policy.limits.doubtQueryIntervalMs
  turn.after({ kind: 'timer', name: 'doubt', delayMs })
}

/**
 * A complete list of the day's orders while some are in doubt: what is in it is found, what two
 * lists in a row, far enough apart, do not show was never taken.
 */
export function onDoubtReport(turn: Turn, report: QueryRows): void {
  applyReport(turn, report)
  const { state } = turn
  const { wallMs } = turn.inputs
  for (const order of [...state.orders.values()]) {
    if (!isInDoubt(order)) continue
    const { clientOrderId } = order
    const sinceMs = state.absentSinceMs.get(clientOrderId)
    if (sinceMs === undefined) {
      state.absentSinceMs.set(clientOrderId, wallMs)
    } else if (wallMs - sinceMs >= state.policy.limits.doubtSettleMs) {
      state.absentSinceMs.delete(clientOrderId)
      const message = '交易客户端未收到该委托'
      turn.emit({ kind: 'orderMoved', clientOrderId, event: 'absent', orderId: '', message })
      orderAnswered(turn, clientOrderId)
    }
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
