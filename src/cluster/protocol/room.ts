import type { Now } from './effects.ts'
import type { PeersState } from './peers.ts'
import { interruptionMs, type Timing } from './timing.ts'

/** Whether this node should go on running an account for which its disk has no room. */
export interface RoomState {
  /** Since when it has been ours, without room here, and with room elsewhere, all the time. Monotonic. */
  readonly sinceMs: number | undefined
  /** When it was last given up for want of room. Monotonic. */
  readonly gaveUpMs: number | undefined
}

export interface RoomView {
  readonly isOurs: boolean
  /** Of this computer's disk, or of the account on it. */
  readonly lacksRoom: boolean
  /** Nodes that may run the account. */
  readonly eligible: readonly string[]
  readonly peers: PeersState
}

export const startRoom = (): RoomState => ({ sinceMs: undefined, gaveUpMs: undefined })

/**
 * An account is given up to a node that has room, and to nobody else: where all disks are full it stays, for cancels,
 * reads and the kill switch. A note that comes and goes begins the wait anew, and none is given up often, so that an
 * account does not wander between disks that fill and empty in turn.
 */
export function stepRoom(
  state: RoomState,
  { isOurs, lacksRoom, eligible, peers }: RoomView,
  { timing, now }: { readonly timing: Timing; readonly now: Now },
): { readonly state: RoomState; readonly givesUp: boolean } {
  const { monoMs } = now
  const isWanted = isOurs && lacksRoom && hasRoomElsewhere(peers, { eligible, timing, now })
  const sinceMs = isWanted ? (state.sinceMs ?? monoMs) : undefined
  const isPatient = sinceMs === undefined || monoMs - sinceMs < timing.roomMs
  const isTooSoon = state.gaveUpMs !== undefined && monoMs - state.gaveUpMs < timing.roomAgainMs
  if (isPatient || isTooSoon) return { state: { ...state, sinceMs }, givesUp: false }
  return { state: { sinceMs: undefined, gaveUpMs: monoMs }, givesUp: true }
}

interface Asked {
  readonly eligible: readonly string[]
  readonly timing: Timing
  readonly now: Now
}

/** A node that has missed some renewals may be gone, and take nothing over. */
const hasRoomElsewhere = ({ node, peers }: PeersState, { eligible, timing, now }: Asked): boolean =>
  eligible.some((name) => {
    const peer = name === node ? undefined : peers.get(name)
    if (peer === undefined || peer.record.state !== 'up' || peer.record.isFull === true)
      return false
    return now.monoMs - peer.seenMs <= interruptionMs(timing)
  })
