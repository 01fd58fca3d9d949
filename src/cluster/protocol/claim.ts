import { strict as assert } from 'node:assert'
import { aheadOf, isLostOwner } from './ahead.ts'
import type { ClaimState, Missing, Owned, Taking } from './claim-state.ts'
import type {
  ControlEntry,
  EngineAnswer,
  JournalEffect,
  KvEffect,
  Now,
  Step,
  Tail,
  Tick,
} from './effects.ts'
import { type Memory, regressionOf } from './known-past.ts'
import {
  fullNodes,
  isLive,
  liveNodes,
  type OwnerMark,
  type PeersState,
  standingBeside,
  standingOf,
} from './peers.ts'
import {
  EPOCH_MAX,
  fenceOf,
  JOURNAL_FORMAT,
  type JournalRecord,
  type NodeRecord,
  type PlacementRecord,
} from './records.ts'
import { rankOf } from './rendezvous.ts'
import { nodeKey } from './subjects.ts'
import { silenceMs } from './timing.ts'

/** How often one and the same epoch record is sent before everything is looked at anew. */
const SENDS_MAX = 5

/** What a claim looks at. The shell brings it new with every input. */
export interface ClaimView {
  /** Our own life, and the revision of its record. */
  readonly self: OwnerMark
  /** Whether our lease lets us take accounts over. */
  readonly mayClaim: boolean
  /** The disk here has no room, for this account or at all: nodes that have some come first. */
  readonly lacksRoom: boolean
  /** Nodes that may run the account. */
  readonly eligible: readonly string[]
  readonly peers: PeersState
  /** Where the watch shows the account; a hint. */
  readonly placement: ControlEntry<PlacementRecord> | undefined
  /** Whether the watch has told all that stands there: before, who is not shown may stand somewhere. */
  readonly isShown: boolean
  /** Whether it would be run here by a real trading client. */
  readonly isReal: boolean
  readonly memory: Memory
  /**
   * The journal may be opened here behind this record, 0: as an empty one; undefined: not at all. Whoever opens a
   * journal says what the account was until then, so that is decided once, by whoever has its history.
   */
  readonly opensAt: number | undefined
  /** A fresh UUID. */
  readonly rid: string
}

export type ClaimInput =
  | Tick
  | EngineAnswer
  /** The gate of this computer holds the epoch durably. */
  | { readonly is: 'gateHolds'; readonly e: number }
  /** Our turn is over: fenced, released or closed. */
  | { readonly is: 'ended' }

export type ClaimEffect =
  | KvEffect
  | JournalEffect
  /** Have the gate of this computer refuse older epochs; answered by `gateHolds`. Tell the former host's gate, too, if it can be reached. */
  | {
      readonly do: 'fenceGate'
      readonly acct: string
      readonly e: number
      readonly former: string | undefined
    }
  /** Recover from the journal, and only then allow the epoch to act. What is in doubt waits for `doubtMs`. */
  | { readonly do: 'becameOwner'; readonly owned: Owned }
  /** JOURNAL_REGRESSED: raise the alarm, never trade. */
  | { readonly do: 'regressed'; readonly acct: string; readonly text: string }

type ClaimStep = Step<ClaimState, ClaimEffect>

/** How one node comes to own one account. */
export function stepClaim(
  state: ClaimState,
  input: ClaimInput,
  view: ClaimView,
  now: Now,
): ClaimStep {
  switch (input.is) {
    case 'tick':
      return onTick(state, view, now)
    case 'ended':
      return free(state, now)
    case 'gateHolds':
      return onGateHolds(state, input.e)
    default:
      return input.call === state.call && state.call > 0
        ? onAnswer({ ...state, call: 0 }, input, view, now)
        : { state, effects: [] }
  }
}

const stay = (state: ClaimState): ClaimStep => ({ state, effects: [] })

/** Not ours after all; the next look comes in a while. */
function free(state: ClaimState, now: Now, waitMs = state.timing.retryMs): ClaimStep {
  if (state.phase === 'regressed') return stay(state)
  const nextMs = now.monoMs + waitMs
  return stay({ ...state, phase: 'free', nextMs, call: 0, taking: undefined, owned: undefined })
}

function onTick(state: ClaimState, view: ClaimView, now: Now): ClaimStep {
  if (state.phase === 'fencing' && now.monoMs >= state.nextMs) return fenceGate(state, now)
  if (state.phase === 'proving' && state.call === 0 && now.monoMs >= state.nextMs) {
    return readTail(state, 'proving')
  }
  return state.phase === 'free' ? onFreeTick(state, view, now) : stay(state)
}

function onFreeTick(state: ClaimState, view: ClaimView, now: Now): ClaimStep {
  if (!view.mayClaim || !view.eligible.includes(view.self.node) || !seemsFree(view)) {
    return stay(state.freeSinceMs === undefined ? state : { ...state, freeSinceMs: undefined })
  }
  const freeSinceMs = state.freeSinceMs ?? now.monoMs
  const waiting: ClaimState = { ...state, freeSinceMs }
  const isTurn = now.monoMs - freeSinceMs >= myRank(state.acct, view) * state.timing.rankDelayMs
  // What is shown anew is no reason to go on waiting for what was read before.
  const shown = view.placement?.revision ?? 0
  const isDue = now.monoMs >= state.nextMs || shown > state.readAt
  return isTurn && isDue ? readTail({ ...waiting, readAt: shown }, 'reading') : stay(waiting)
}

/** By the hint alone. An account that is shown at ourselves and is not ours is looked at, too. */
function seemsFree({ placement, isShown, peers, self }: ClaimView): boolean {
  if (placement === undefined) return isShown
  if (placement.value.state === 'released') return true
  const { node, inc } = placement.value
  return inc === self.inc || standingOf(peers, { node, inc, since: 0 }) !== 'alive'
}

/** Nodes that are known to be down are not waited for, and those without room come behind all others. */
function myRank(acct: string, { self, eligible, peers, lacksRoom }: ClaimView): number {
  const live = new Set(liveNodes(peers))
  const full = new Set(fullNodes(peers))
  const others = eligible.filter((node) => live.has(node))
  const roomy = others.filter((node) => !full.has(node))
  if (!lacksRoom) return rankOf(acct, self.node, roomy)
  const alike = others.filter((node) => full.has(node))
  return roomy.length + rankOf(acct, self.node, alike)
}

function readTail(state: ClaimState, phase: 'reading' | 'proving'): ClaimStep {
  const { acct, timing } = state
  const call = state.calls + 1
  return {
    state: { ...state, phase, call, calls: call },
    effects: [{ do: 'readTail', call, acct, timeoutMs: timing.engineMs }],
  }
}

function onAnswer(state: ClaimState, answer: EngineAnswer, view: ClaimView, now: Now): ClaimStep {
  switch (state.phase) {
    case 'reading':
      return answer.is === 'tail' ? judge(state, answer.tail, view, now) : free(state, now)
    case 'asking':
      return onAsked(state, answer, view, now)
    case 'unseating':
      return onUnseating(state, answer, now)
    case 'taking':
      if (answer.is === 'appended') return take(state, answer, now)
      return readTail(state, 'proving')
    case 'proving':
      return answer.is === 'tail' ? prove(state, answer.tail, view, now) : later(state, now)
    default:
      return stay(state)
  }
}

const later = (state: ClaimState, now: Now): ClaimStep =>
  stay({ ...state, nextMs: now.monoMs + state.timing.renewMs })

const ownerOf = ({ record }: Tail): OwnerMark => ({
  node: record.node,
  inc: record.inc,
  since: record.since,
})

/** Whether the account has lived with the other kind of trading client, as far as is known. */
export const isOfAnotherClient = (
  { isReal }: Pick<ClaimView, 'isReal'>,
  placement: PlacementRecord | undefined,
): boolean => placement?.isReal !== undefined && placement.isReal !== isReal

/** Whether the end of the journal lets us take over. A stale read only makes the append fail. */
function judge(state: ClaimState, tail: Tail | undefined, view: ClaimView, now: Now): ClaimStep {
  if (!view.mayClaim) return free(state, now)
  if (tail === undefined || tail.record.body.t === 'left') return open(state, tail, view, now)
  // The embedded client knows nothing of what is held at a broker: its lists would have the books forget it, and no loss is stopped.
  if (isOfAnotherClient(view, view.placement?.value)) return free(state, now, state.timing.renewMs)
  if (tail.record.body.t === 'release') return append(state, tail, view)
  const owner = ownerOf(tail)
  // Ours by a record that came through after we had given it up.
  if (owner.inc === view.self.inc) return append(state, tail, view)
  const ahead = aheadOf(state.ahead, owner, view.self, now)
  const standing = isLostOwner(ahead, state.timing, now) ? 'over' : standingBeside(view, owner)
  if (standing === 'over') {
    return append({ ...state, missing: undefined, ahead: undefined }, tail, view)
  }
  if (standing === 'replaced') return ask({ ...state, ahead }, tail)
  if (standing === 'missing') return unseat({ ...state, ahead }, owner, view, now)
  return free({ ...state, missing: undefined, ahead }, now, state.timing.renewMs)
}

/** Nobody has opened it, or it was closed: that is done by whoever has its history alone. */
function open(state: ClaimState, tail: Tail | undefined, view: ClaimView, now: Now): ClaimStep {
  if (view.opensAt === (tail?.seq ?? 0)) return append(state, tail, view)
  return free(state, now, state.timing.renewMs)
}

function ask(state: ClaimState, judged: Tail): ClaimStep {
  const call = state.calls + 1
  const asked = { call, key: nodeKey(judged.record.node), timeoutMs: state.timing.engineMs }
  return {
    state: { ...state, phase: 'asking', call, calls: call, judged },
    effects: [{ do: 'kvReadLeader', ...asked }],
  }
}

/** Behind a control bucket that was put back a new life has a lower revision than what is remembered of those before. */
function onAsked(state: ClaimState, answer: EngineAnswer, view: ClaimView, now: Now): ClaimStep {
  const { judged, timing } = state
  if (answer.is !== 'entry' || !view.mayClaim || judged === undefined) return free(state, now)
  const owner = ownerOf(judged)
  const record = answer.entry?.value as NodeRecord | undefined
  if (record === undefined) {
    // Deleted, perhaps a moment ago: the owner is waited for like one that was never shown.
    const told = { revision: answer.revision, monoMs: now.monoMs }
    return unseat({ ...state, missing: missingSince(state, owner, told) }, owner, view, now)
  }
  if (record.inc === owner.inc && isLive(record)) return free(state, now, timing.renewMs)
  return append({ ...state, missing: undefined, ahead: undefined }, judged, view)
}

/** Counted from the first time that this very removal was told of. */
function missingSince(
  { missing }: ClaimState,
  { inc, since }: OwnerMark,
  { revision, monoMs }: { readonly revision: number; readonly monoMs: number },
): Missing {
  const isSame = missing?.inc === inc && missing.told?.revision === revision
  return isSame ? missing : { inc, since, told: { sinceMs: monoMs, revision } }
}

/** A writer that no watch has shown may have renewed just now: it is waited for from when the leader has no record of it, then fenced by one. */
function unseat(state: ClaimState, owner: OwnerMark, view: ClaimView, now: Now): ClaimStep {
  const { timing } = state
  const { inc, told } = state.missing ?? {}
  const call = state.calls + 1
  const asked = { call, key: nodeKey(owner.node), timeoutMs: timing.engineMs } as const
  const asking = { ...state, phase: 'unseating', call, calls: call } as const
  if (inc !== owner.inc || told === undefined) {
    const missing = { inc: owner.inc, since: owner.since, told: undefined }
    return { state: { ...asking, missing }, effects: [{ do: 'kvReadLeader', ...asked }] }
  }
  if (now.monoMs - told.sinceMs <= silenceMs(timing.ttlMs, timing)) {
    return free(state, now, timing.renewMs)
  }
  const value = fenceOf(owner, view.self.node, timing.ttlMs)
  const { revision } = told
  return { state: asking, effects: [{ do: 'kvUpdate', ...asked, value, revision }] }
}

/** One that has a record is missing only once that is deleted; none of a life is ever made again. */
function onUnseating(state: ClaimState, answer: EngineAnswer, now: Now): ClaimStep {
  if (answer.is === 'written') return free(state, now)
  const isMissing =
    answer.is === 'entry' &&
    (answer.entry === undefined || answer.revision < (state.missing?.since ?? 0))
  const told = isMissing ? { sinceMs: now.monoMs, revision: answer.revision } : undefined
  const missing = told && state.missing ? { ...state.missing, told } : undefined
  return free({ ...state, missing }, now, state.timing.renewMs)
}

/** Taking over is appending an epoch record behind the very record that was judged. */
function append(state: ClaimState, base: Tail | undefined, view: ClaimView): ClaimStep {
  const { self, rid, memory, placement } = view
  const e = Math.max(base?.record.e ?? 0, memory.floor ?? 0) + 1
  assert(e <= EPOCH_MAX, `account ${state.acct} has used up its epochs`)
  const record: JournalRecord = {
    rid,
    fmt: JOURNAL_FORMAT,
    e,
    n: (base?.record.n ?? 0) + 1,
    node: self.node,
    inc: self.inc,
    since: self.since,
    prev: base?.hash ?? '',
    open: base?.record.open ?? [],
    body: { t: 'epoch' },
  }
  return send(state, {
    record,
    base,
    regression: regressionOf(base, memory, placement?.value),
    sends: 0,
  })
}

function send(state: ClaimState, taken: Taking): ClaimStep {
  const { acct, timing } = state
  const { record, base } = taken
  const taking: Taking = { ...taken, sends: taken.sends + 1 }
  const call = state.calls + 1
  const expectedSeq = base?.seq ?? 0
  return {
    state: { ...state, phase: 'taking', call, calls: call, taking },
    effects: [{ do: 'append', call, acct, record, expectedSeq, timeoutMs: timing.engineMs }],
  }
}

/** The append failed in some way: our record stands at the end, or nothing has moved, or somebody was faster. */
function prove(state: ClaimState, tail: Tail | undefined, view: ClaimView, now: Now): ClaimStep {
  const { taking } = state
  assert(taking !== undefined, 'a claim to be proven')
  if (tail !== undefined && tail.record.rid === taking.record.rid) {
    return take(state, tail, now)
  }
  const isUnmoved = (tail?.seq ?? 0) === (taking.base?.seq ?? 0)
  // The same record again: if the first sending comes through late, the second one fails.
  if (isUnmoved && view.mayClaim && taking.sends < SENDS_MAX) return send(state, taking)
  return free(state, now)
}

function take(
  state: ClaimState,
  { seq, hash }: { readonly seq: number; readonly hash: string },
  now: Now,
): ClaimStep {
  const { acct, taking } = state
  assert(taking !== undefined, 'a claim that was sent')
  const { record, base, regression } = taking
  // Only now it is certain that `base` was no stale read.
  if (regression !== undefined) {
    const regressed: ClaimState = { ...state, phase: 'regressed', taking: undefined }
    return { state: regressed, effects: [{ do: 'regressed', acct, text: regression }] }
  }
  const { e, n, since, open } = record
  const former = base === undefined ? undefined : ownerOf(base)
  const owned: Owned = { acct, e, n, seq, hash, since, open, former }
  return fenceGate({ ...state, taking: undefined, freeSinceMs: undefined, owned }, now)
}

function fenceGate(state: ClaimState, now: Now): ClaimStep {
  const { acct, owned, timing } = state
  assert(owned !== undefined, 'an account that is ours')
  const effect = { do: 'fenceGate', acct, e: owned.e, former: owned.former?.node } as const
  return {
    state: { ...state, phase: 'fencing', nextMs: now.monoMs + timing.renewMs },
    effects: [effect],
  }
}

function onGateHolds(state: ClaimState, e: number): ClaimStep {
  const { phase, owned } = state
  if (phase !== 'fencing' || owned === undefined || owned.e !== e) return stay(state)
  return { state: { ...state, phase: 'owned' }, effects: [{ do: 'becameOwner', owned }] }
}
