import type { EngineAnswer, KvEffect, Now, Step, Tick } from './effects.ts'
import type { NodeRecord } from './records.ts'
import { nodeKey } from './subjects.ts'
import { interruptionMs, silenceMs, type Timing, watchStallMs } from './timing.ts'

type Pending =
  | { readonly call: number; readonly what: 'read' }
  /** What stands there if the fence wins. */
  | { readonly call: number; readonly what: 'fence'; readonly record: NodeRecord }

/** Another node as it is seen from here. */
export interface Peer {
  readonly record: NodeRecord
  readonly revision: number
  /** Monotonic: when this revision was first seen, or found deleted, or the observer was blind itself. */
  readonly seenMs: number
  /** Revision of the removal, where the leader has no record of it any more because somebody has deleted it. */
  readonly removedAt: number | undefined
  /** A call about it that is under way. */
  readonly pending: Pending | undefined
  /** No call about it before this. */
  readonly nextMs: number
}

export interface PeersState {
  readonly node: string
  readonly timing: Timing
  readonly peers: ReadonlyMap<string, Peer>
  /** When our own renewal was last acknowledged. */
  readonly renewedMs: number | undefined
  /** When the watch last showed anything of ours, or was opened. */
  readonly echoMs: number | undefined
  readonly calls: number
}

export type PeersInput =
  | Tick
  | EngineAnswer
  /** The watch shows a record of a node, our own among them. */
  | { readonly is: 'sighting'; readonly record: NodeRecord; readonly revision: number }
  /** A renewal of our own was acknowledged. */
  | { readonly is: 'renewed' }

export type PeersEffect =
  | KvEffect
  /** This life of a node is over: its accounts may be claimed. */
  | { readonly do: 'peerFenced'; readonly node: string; readonly inc: string }
  /** The watch is dead although the servers answer: open it anew. */
  | { readonly do: 'reopenWatch' }

type PeersStep = Step<PeersState, PeersEffect>

export const startPeers = (node: string, timing: Timing): PeersState => ({
  node,
  timing,
  peers: new Map(),
  renewedMs: undefined,
  echoMs: undefined,
  calls: 0,
})

/** Sees the other nodes, and fences those that are silent for too long. */
export function stepPeers(state: PeersState, input: PeersInput, now: Now): PeersStep {
  switch (input.is) {
    case 'tick':
      return onTick(state, now)
    case 'sighting':
      return { state: onSighting(state, input, now), effects: [] }
    case 'renewed':
      return { state: onRenewed(state, now), effects: [] }
    default:
      return onAnswer(state, input, now)
  }
}

function withPeer(state: PeersState, node: string, peer: Peer): PeersState {
  const peers = new Map(state.peers)
  peers.set(node, peer)
  return { ...state, peers }
}

function onSighting(
  state: PeersState,
  { record, revision }: { readonly record: NodeRecord; readonly revision: number },
  now: Now,
): PeersState {
  if (record.node === state.node) return { ...state, echoMs: now.monoMs }
  const known = state.peers.get(record.node)
  if (known !== undefined && known.revision >= revision) return state
  const pending = known?.pending
  const { monoMs } = now
  const seen = { seenMs: monoMs, removedAt: undefined, nextMs: monoMs }
  return withPeer(state, record.node, { record, revision, pending, ...seen })
}

/** Who could not renew for a while has not seen the others either, and counts their silence anew. */
function onRenewed(state: PeersState, { monoMs }: Now): PeersState {
  const wasBlind = !seesItself(state, monoMs)
  const renewed: PeersState = { ...state, renewedMs: monoMs, echoMs: state.echoMs ?? monoMs }
  if (!wasBlind) return renewed
  const peers = new Map(
    Array.from(state.peers, ([node, peer]) => [node, { ...peer, seenMs: monoMs }]),
  )
  return { ...renewed, peers }
}

const seesItself = ({ renewedMs, timing }: PeersState, monoMs: number): boolean =>
  renewedMs !== undefined && monoMs - renewedMs <= interruptionMs(timing)

function onTick(state: PeersState, now: Now): PeersStep {
  if (!seesItself(state, now.monoMs)) return { state, effects: [] }
  const effects: PeersEffect[] = []
  let next = state
  const { echoMs = now.monoMs } = state
  if (now.monoMs - echoMs > watchStallMs(state.timing)) {
    effects.push({ do: 'reopenWatch' })
    next = { ...next, echoMs: now.monoMs }
  }
  for (const [node, peer] of state.peers) {
    if (!isDue(peer, state.timing, now)) continue
    const call = next.calls + 1
    const pending = { call, what: 'read' } as const
    next = withPeer({ ...next, calls: call }, node, { ...peer, pending })
    const { engineMs } = state.timing
    effects.push({ do: 'kvReadLeader', call, key: nodeKey(node), timeoutMs: engineMs })
  }
  return { state: next, effects }
}

export const isLive = ({ state }: NodeRecord): boolean => state === 'up' || state === 'draining'

/** Whether a node has been silent for so long that it must have stopped by itself. */
const isSilent = ({ record, seenMs }: Peer, timing: Timing, { monoMs }: Now): boolean =>
  isLive(record) && monoMs - seenMs > silenceMs(record.ttlMs, timing)

const isDue = (peer: Peer, timing: Timing, now: Now): boolean =>
  peer.pending === undefined && now.monoMs >= peer.nextMs && isSilent(peer, timing, now)

function onAnswer(state: PeersState, answer: EngineAnswer, now: Now): PeersStep {
  const found = [...state.peers].find(([, peer]) => peer.pending?.call === answer.call)
  if (found === undefined) return { state, effects: [] }
  const [node, { pending, ...rest }] = found
  const peer: Peer = { ...rest, pending: undefined, nextMs: now.monoMs + state.timing.renewMs }
  const settled = withPeer(state, node, peer)
  if (answer.is === 'entry' && pending?.what === 'read') {
    return onRead(settled, peer, answer, now)
  }
  if (answer.is === 'written' && pending?.what === 'fence') {
    const { record } = pending
    const effects = [{ do: 'peerFenced', node, inc: record.inc }] as const
    // Its next life may have been seen already.
    return { state: onSighting(settled, { record, revision: answer.revision }, now), effects }
  }
  return { state: settled, effects: [] }
}

/** The leader has the last word: the watch may be blind. Then one of {renewal, fence} wins, by revision. */
function onRead(
  state: PeersState,
  peer: Peer,
  { entry, revision: standing }: Extract<EngineAnswer, { is: 'entry' }>,
  now: Now,
): PeersStep {
  if (entry !== undefined && entry.revision > peer.revision) {
    const { value, revision } = entry
    return { state: onSighting(state, { record: value as NodeRecord, revision }, now), effects: [] }
  }
  const isUnchanged = entry === undefined || entry.revision === peer.revision
  // While the answer was on its way we may have gone blind, or counted anew.
  if (!isUnchanged || !seesItself(state, now.monoMs) || !isSilent(peer, state.timing, now)) {
    return { state, effects: [] }
  }
  if (entry === undefined && peer.removedAt !== standing) {
    // Nobody knows any more when its node has renewed it last: it may act for as long as if that were just now.
    const waited: Peer = { ...peer, seenMs: now.monoMs, removedAt: standing }
    return { state: withPeer(state, peer.record.node, waited), effects: [] }
  }
  return fence(state, peer, standing)
}

/** Over the very record, or the very removal, that the silence was counted from: a life that came and went since may act. */
function fence(state: PeersState, peer: Peer, revision: number): PeersStep {
  const { node } = peer.record
  const call = state.calls + 1
  const value: NodeRecord = { ...peer.record, state: 'fenced', by: state.node }
  const fencing: Peer = { ...peer, pending: { call, what: 'fence', record: value } }
  const { engineMs: timeoutMs } = state.timing
  return {
    state: withPeer({ ...state, calls: call }, node, fencing),
    effects: [{ do: 'kvUpdate', call, key: nodeKey(node), value, revision, timeoutMs }],
  }
}

/** Who wrote the last record of a journal. */
export interface OwnerMark {
  readonly node: string
  readonly inc: string
  /** Revision under which it took over. */
  readonly since: number
}

/**
 * `alive`     may still act: nobody may take over
 * `over`      can never act again
 * `replaced`  another life of its node was shown: a later one, unless the control bucket was put back since
 * `missing`   no record of it is shown
 */
export type Standing = 'alive' | 'over' | 'replaced' | 'missing'

/** Whether the writer of a record can still act, as far as is known here. Old sights never say `over`. */
export function standingOf({ peers }: PeersState, { node, inc, since }: OwnerMark): Standing {
  const peer = peers.get(node)
  if (peer === undefined) return 'missing'
  if (peer.revision < since) return 'alive'
  if (peer.record.inc !== inc) return 'replaced'
  return isLive(peer.record) ? 'alive' : 'over'
}

/** The same of whoever it is: a former life on our own node is over once ours stands in its place, a later one is not. */
export function standingBeside(
  { peers, self }: { readonly peers: PeersState; readonly self: OwnerMark },
  owner: OwnerMark,
): Standing {
  const isPassed = owner.since < self.since
  if (owner.node === self.node) return isPassed ? 'over' : 'alive'
  const shown = peers.peers.get(owner.node)
  // Its record is not shown although our own renewals have come past it: the watch is late, or the bucket was put back.
  if (shown !== undefined && shown.revision < owner.since && isPassed) return 'missing'
  return standingOf(peers, owner)
}

/** Nodes that may take accounts, ourselves not among them. */
export const liveNodes = ({ peers }: PeersState): readonly string[] =>
  Array.from(peers.values())
    .filter(({ record }) => record.state === 'up')
    .map(({ record }) => record.node)

/** Of them those whose disk has no room. */
export const fullNodes = ({ peers }: PeersState): readonly string[] =>
  Array.from(peers.values())
    .filter(({ record }) => record.isFull === true)
    .map(({ record }) => record.node)
