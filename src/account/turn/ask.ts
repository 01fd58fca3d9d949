import type { QueryKind } from '../../protocol/driver.ts'
import type { PendingCall } from '../model/state.ts'
import type { Turn } from './turn.ts'

type Purpose = Exclude<Extract<PendingCall, { kind: 'query' }>['purpose'], 'ping'>

/** Asks the broker for a report. */
export function query(turn: Turn, what: QueryKind, purpose: Purpose): void {
  turn.call(
    { kind: 'query', what, purpose },
    (callId) => ({ kind: 'query', callId, what }),
    turn.state.policy.limits.callTimeoutMs,
  )
}

/** Whether a report for this purpose is on its way. */
export const isAsked = ({ state }: Turn, purpose: Purpose): boolean =>
  [...state.calls.values()].some((call) => call.kind === 'query' && call.purpose === purpose)
