import type { Now, Step } from './effects.ts'
import { type Deadline, isWithin } from './lease.ts'

/** Calls that a gate remembers, so that none passes twice. Each is kept until its deadline is long over. */
const SEEN_MAX = 4_096

/**
 * Stands in the process that calls the trading client, apart from the one that decides: that one can be
 * stopped between its last check and its write, and continued when somebody else owns the account.
 */
export interface GateState {
  /** Highest epoch of each account, as it stands on disk. */
  readonly epochs: ReadonlyMap<string, number>
  /** Until when the node of this computer may act; undefined before it has said so. */
  readonly lease: Deadline | undefined
  /** Ids of calls that have passed, and the monotonic ms after which nobody can ask for them again. */
  readonly seen: ReadonlyMap<string, number>
}

/** A call to the trading client. */
export interface GateCall {
  readonly acct: string
  readonly e: number
  /** Of the intent. */
  readonly id: string
  /** The call must have begun by then, on both clocks of this computer. */
  readonly deadline: Now
}

export type GateInput =
  /** Refuse older epochs from now on. */
  | { readonly is: 'fence'; readonly acct: string; readonly e: number }
  /** The epoch is on disk. */
  | { readonly is: 'kept'; readonly acct: string; readonly e: number }
  | { readonly is: 'lease'; readonly deadline: Deadline }
  /** The node of this computer is over. */
  | { readonly is: 'leaseOver' }
  | { readonly is: 'place'; readonly call: GateCall }

export type GateRefusal =
  | 'stale_epoch'
  | 'unknown_epoch'
  | 'too_late'
  | 'no_lease'
  | 'twice'
  | 'full'

export type GateEffect =
  /** Write it with sync, then tell `kept`. */
  | { readonly do: 'keep'; readonly acct: string; readonly e: number }
  /** Tell whoever fenced: no older epoch passes any more, not after a restart either. */
  | { readonly do: 'gateHolds'; readonly acct: string; readonly e: number }
  /** Call the trading client now, in the same turn. */
  | { readonly do: 'pass'; readonly call: GateCall }
  /** Nothing was called. */
  | { readonly do: 'refuse'; readonly call: GateCall; readonly why: GateRefusal }

type GateStep = Step<GateState, GateEffect>

/** `epochs` are those on disk. */
export const startGate = (epochs: ReadonlyMap<string, number>): GateState => ({
  epochs,
  lease: undefined,
  seen: new Map(),
})

export function stepGate(state: GateState, input: GateInput, now: Now): GateStep {
  switch (input.is) {
    case 'fence':
      return onFence(state, input)
    case 'kept':
      return onKept(state, input)
    case 'lease':
      return { state: { ...state, lease: input.deadline }, effects: [] }
    case 'leaseOver':
      return { state: { ...state, lease: undefined }, effects: [] }
    default:
      return onPlace(state, input.call, now)
  }
}

interface Fence {
  readonly acct: string
  readonly e: number
}

function onFence(state: GateState, { acct, e }: Fence): GateStep {
  const held = state.epochs.get(acct) ?? 0
  if (e === held) return { state, effects: [{ do: 'gateHolds', acct, e }] }
  return { state, effects: e > held ? [{ do: 'keep', acct, e }] : [] }
}

function onKept(state: GateState, { acct, e }: Fence): GateStep {
  if (e < (state.epochs.get(acct) ?? 0)) return { state, effects: [] }
  const epochs = new Map(state.epochs).set(acct, e)
  return { state: { ...state, epochs }, effects: [{ do: 'gateHolds', acct, e }] }
}

function onPlace(state: GateState, call: GateCall, now: Now): GateStep {
  const seen = new Map([...state.seen].filter(([, untilMs]) => untilMs >= now.monoMs))
  const why = refusalOf({ ...state, seen }, call, now)
  if (why !== undefined)
    return { state: { ...state, seen }, effects: [{ do: 'refuse', call, why }] }
  seen.set(call.id, call.deadline.monoMs)
  return { state: { ...state, seen }, effects: [{ do: 'pass', call }] }
}

/** Why a call must not be made; undefined when it may. */
function refusalOf(state: GateState, call: GateCall, now: Now): GateRefusal | undefined {
  const held = state.epochs.get(call.acct) ?? 0
  if (call.e < held) return 'stale_epoch'
  // An owner fences here before it acts: one that did not was never the owner for this gate.
  if (call.e > held) return 'unknown_epoch'
  if (now.monoMs > call.deadline.monoMs || now.wallMs > call.deadline.wallMs) return 'too_late'
  if (state.lease === undefined || !isWithin(state.lease, now)) return 'no_lease'
  if (state.seen.has(call.id)) return 'twice'
  return state.seen.size >= SEEN_MAX ? 'full' : undefined
}
