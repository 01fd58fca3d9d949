import type { QueryKind } from '../../protocol/driver.ts'
import type { ReconcileRun } from '../model/differences.ts'
import type { Turn } from '../turn/turn.ts'

/** What a comparison looks at, in the order in which it is asked for: a fill finds its order. */
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

/** Why the account looks after a connect. */
export function causeOfRecovery({ state }: Turn): ReconcileRun['cause'] {
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
