import { strict as assert } from 'node:assert'
import type { ControlEntry, EngineAnswer, KvEffect, Now, Step, Tick } from './effects.ts'
import { type NodeRecord, type NodeState, OTHER_CLIENT_MAX } from './records.ts'
import { nodeKey } from './subjects.ts'
import { ownMs, silenceMs, type Timing } from './timing.ts'

/** This life of a node. */
export interface Self {
  readonly node: string
  readonly inc: string
  /** Name and place of the computer: a copy of it has the same. */
  readonly host: string
  /** Lives that this computer has had before; undefined: it cannot say, and its `host` decides. */
  readonly before?: readonly string[] | undefined
  /** Version of the program. */
  readonly v: string
  /** The days on which its exchange is closed, as a digest of each year. */
  readonly days?: string | undefined
  /** What of its file decides how it runs an account, as digests. */
  readonly rules?: string | undefined
}

/** Until when this node may act, by both clocks: past either of them it may not. They are as far apart as they were when the renewal was sent. */
export interface Deadline {
  readonly monoMs: number
  readonly wallMs: number
}

/**
 * A wall clock that has lost more than this against the monotonic one was set back: it cannot tell any more how long
 * this computer slept, so nobody acts before the next renewal. Below it are clocks that run apart. What no two clocks
 * can tell is a wall clock that is set back during a sleep, by no more than its length.
 */
export const SET_BACK_MS = 500

/**
 * `starting`   no record of this life is known to stand
 * `up`         may act until the deadline
 * `suspended`  may not act, and goes on renewing: nobody has taken over as long as a renewal succeeds
 * `dead`       another life or a fence stands in the record: the process must end
 * `gone`       left in order
 */
export type LeasePhase = 'starting' | 'up' | 'suspended' | 'dead' | 'gone'

interface Pending {
  readonly call: number
  readonly what: 'read' | 'write'
  /** Both clocks before it was sent: a deadline counts from here, never from the answer. */
  readonly sentAt: Now
  /** State that a write puts there. */
  readonly writes: NodeState
}

/** What stands under our name of another computer: its record, or that somebody has removed one. */
interface Foreign {
  readonly revision: number
  readonly sinceMs: number
}

export interface LeaseState {
  readonly self: Self
  readonly timing: Timing
  readonly phase: LeasePhase
  readonly intent: 'stay' | 'drain' | 'leave'
  /** The disk of this computer has no room. */
  readonly isFull: boolean
  /** Accounts that would be run here by the other kind of trading client; they are told to the others. */
  readonly otherClient: readonly string[]
  /** Of our record as it was last known to stand; 0 before the first. */
  readonly revision: number
  readonly deadline: Deadline | undefined
  readonly pending: Pending | undefined
  /** Nobody knows what stands in the record: it is read before anything is written. */
  readonly isDoubtful: boolean
  /** No call before this. Monotonic. */
  readonly nextMs: number
  readonly foreign: Foreign | undefined
  /** Since when every read has shown no record at all, or one that is older than ours. Monotonic. */
  readonly missingSinceMs: number | undefined
  readonly calls: number
}

export type LeaseInput =
  | Tick
  | EngineAnswer
  /** Own no more accounts. */
  | { readonly is: 'drain' }
  /** The disk of this computer has no room, or has some again: the others are told with the next renewal. */
  | { readonly is: 'room'; readonly isFull: boolean }
  /** All accounts that would be run here by the other kind of trading client, each time they are others. */
  | { readonly is: 'otherClient'; readonly accounts: readonly string[] }
  /** Every account is released. */
  | { readonly is: 'leave' }

/** `older` than what was acknowledged: the servers were put back to what they kept before. */
export type DeathReason = 'fenced' | 'replaced' | 'missing' | 'older'

export type LeaseEffect =
  | KvEffect
  /** Write the words of the order check, tell the gate and the watchdog. Comes after every renewal. */
  | { readonly do: 'leaseUntil'; readonly deadline: Deadline }
  /** A renewal was acknowledged: observers count from here whether their own sight was interrupted. */
  | { readonly do: 'renewed'; readonly revision: number }
  | { readonly do: 'becameUp' }
  /** Clear the words of the order check. Reading goes on. */
  | { readonly do: 'suspended' }
  /** Clear the words, stop every actor, end the process. */
  | { readonly do: 'dead'; readonly why: DeathReason }
  | { readonly do: 'gone' }
  /** Another computer stands under this name: tell the operator. It is waited for its silence. */
  | { readonly do: 'foreign'; readonly host: string }

type LeaseStep = Step<LeaseState, LeaseEffect>

/** The process must hold the lock of its computer before: it proves that the life before is over. */
export function startLease(self: Self, timing: Timing): LeaseState {
  return {
    self,
    timing,
    phase: 'starting',
    intent: 'stay',
    isFull: false,
    otherClient: [],
    revision: 0,
    deadline: undefined,
    pending: undefined,
    isDoubtful: true,
    nextMs: Number.NEGATIVE_INFINITY,
    foreign: undefined,
    missingSinceMs: undefined,
    calls: 0,
  }
}

/** Whether a deadline allows to act. */
export const isWithin = (deadline: Deadline, { monoMs, wallMs }: Now): boolean =>
  monoMs <= deadline.monoMs &&
  wallMs <= deadline.wallMs &&
  wallMs - monoMs >= deadline.wallMs - deadline.monoMs - SET_BACK_MS

/** Whether this node may take accounts over. */
export const mayClaim = ({ phase, intent }: LeaseState): boolean =>
  phase === 'up' && intent === 'stay'

/** The node's own lease: renews it, stops in time, and finds out that it is over. */
export function stepLease(state: LeaseState, input: LeaseInput, now: Now): LeaseStep {
  if (state.phase === 'dead' || state.phase === 'gone') return { state, effects: [] }
  const checked = suspendIfPassed(state, now)
  const { state: next, effects } = react(checked.state, input, now)
  return { state: next, effects: [...checked.effects, ...effects] }
}

function react(state: LeaseState, input: LeaseInput, now: Now): LeaseStep {
  switch (input.is) {
    case 'tick':
      return callWhenDue(state, now)
    case 'drain':
      return callWhenDue({ ...state, intent: 'drain', nextMs: now.monoMs }, now)
    case 'leave':
      return callWhenDue({ ...state, intent: 'leave', nextMs: now.monoMs }, now)
    case 'room':
      return { state: { ...state, isFull: input.isFull }, effects: [] }
    case 'otherClient':
      return { state: { ...state, otherClient: input.accounts }, effects: [] }
    default:
      return onAnswer(state, input, now)
  }
}

function suspendIfPassed(state: LeaseState, now: Now): LeaseStep {
  const { phase, deadline } = state
  if (phase !== 'up' || (deadline !== undefined && isWithin(deadline, now))) {
    return { state, effects: [] }
  }
  // Others may have taken its place by now, and behind a bucket that was put back their record may bear the revision of ours.
  return {
    state: { ...state, phase: 'suspended', deadline: undefined, isDoubtful: true },
    effects: [{ do: 'suspended' }],
  }
}

function callWhenDue(state: LeaseState, now: Now): LeaseStep {
  if (state.pending !== undefined || now.monoMs < state.nextMs) return { state, effects: [] }
  return state.isDoubtful ? read(state, now) : write(state, now)
}

function read(state: LeaseState, now: Now): LeaseStep {
  const { self, timing } = state
  const call = state.calls + 1
  const pending: Pending = { call, what: 'read', sentAt: now, writes: 'up' }
  const key = nodeKey(self.node)
  return {
    state: { ...state, pending, calls: call, nextMs: now.monoMs + timing.renewMs },
    effects: [{ do: 'kvReadLeader', call, key, timeoutMs: timing.engineMs }],
  }
}

const STATE_OF = { stay: 'up', drain: 'draining', leave: 'gone' } as const

/** A renewal, and the first writing of this life: both are a compare-and-set on what was last known there. */
function write(state: LeaseState, now: Now): LeaseStep {
  const { self, timing, revision } = state
  const call = state.calls + 1
  const writes = STATE_OF[state.intent]
  const { node, inc, host, v, days, rules } = self
  const told = {
    ...(state.isFull && { isFull: true }),
    ...(days !== undefined && { years: days }),
    ...(rules !== undefined && { rules }),
    otherClient: state.otherClient.slice(0, OTHER_CLIENT_MAX),
  }
  const value: NodeRecord = { node, inc, host, state: writes, ttlMs: timing.ttlMs, v, ...told }
  const effect = { call, key: nodeKey(node), value, timeoutMs: timing.engineMs } as const
  return {
    state: {
      ...state,
      pending: { call, what: 'write', sentAt: now, writes },
      calls: call,
      nextMs: now.monoMs + timing.renewMs,
    },
    effects: [{ do: 'kvUpdate', ...effect, revision }],
  }
}

function onAnswer(state: LeaseState, answer: EngineAnswer, now: Now): LeaseStep {
  const { pending } = state
  if (pending === undefined || answer.call !== pending.call) return { state, effects: [] }
  const settled: LeaseState = { ...state, pending: undefined }
  if (answer.is === 'written') return onWritten(settled, answer.revision, pending, now)
  if (answer.is === 'entry') return onEntry(settled, answer, now)
  assert(answer.is === 'failed', `a lease is not answered by ${answer.is}`)
  return {
    state: { ...settled, isDoubtful: true, nextMs: now.monoMs + state.timing.retryMs },
    effects: [],
  }
}

function onWritten(state: LeaseState, revision: number, pending: Pending, now: Now): LeaseStep {
  const { timing } = state
  if (pending.writes === 'gone') {
    return {
      state: { ...state, revision, phase: 'gone', deadline: undefined },
      effects: [{ do: 'gone' }],
    }
  }
  const { monoMs, wallMs } = pending.sentAt
  const deadline = { monoMs: monoMs + ownMs(timing), wallMs: wallMs + ownMs(timing) }
  const seen = { foreign: undefined, missingSinceMs: undefined }
  const known: LeaseState = { ...state, ...seen, revision, isDoubtful: false }
  const renewed: LeaseEffect = { do: 'renewed', revision }
  // The answer slept on its way, or this process did: it is renewed again before anything is done.
  if (!isWithin(deadline, now)) {
    const phase = state.phase === 'starting' ? 'suspended' : state.phase
    return { state: { ...known, phase, nextMs: now.monoMs }, effects: [renewed] }
  }
  const until: LeaseEffect = { do: 'leaseUntil', deadline }
  const effects = state.phase === 'up' ? [renewed, until] : [renewed, until, becameUp]
  return { state: { ...known, phase: 'up', deadline }, effects }
}

const becameUp: LeaseEffect = { do: 'becameUp' }

type Read = Extract<EngineAnswer, { is: 'entry' }>

function onEntry(state: LeaseState, answer: Read, now: Now): LeaseStep {
  const { entry } = answer
  const again: LeaseState = { ...state, nextMs: now.monoMs + state.timing.retryMs }
  if (state.revision === 0) return onFirstEntry(again, answer, now)
  if (entry === undefined) return onNotOurs(again, 'missing', now)
  if (entry.revision < state.revision) return onNotOurs(again, 'older', now)
  return onOwn(again, entry, now)
}

/** One read may be older than our record: a leader that was deposed may answer. Many in a row mean that it is gone. */
function onNotOurs(state: LeaseState, why: 'missing' | 'older', { monoMs }: Now): LeaseStep {
  const { timing, missingSinceMs = monoMs } = state
  if (monoMs - missingSinceMs > silenceMs(timing.ttlMs, timing)) return die(state, why)
  return { state: { ...state, missingSinceMs }, effects: [] }
}

function onOwn(state: LeaseState, { value, revision }: ControlEntry, now: Now): LeaseStep {
  if (value.inc !== state.self.inc) return die(state, 'replaced')
  if (value.state === 'fenced') return die(state, 'fenced')
  if (value.state === 'gone') {
    return {
      state: { ...state, revision, phase: 'gone', deadline: undefined },
      effects: [{ do: 'gone' }],
    }
  }
  // A renewal that was not acknowledged has been written. The deadline stays: it counts from one that was.
  const phase = state.phase === 'starting' ? 'suspended' : state.phase
  const seen = { isDoubtful: false, missingSinceMs: undefined, nextMs: now.monoMs }
  return callWhenDue({ ...state, ...seen, revision, phase }, now)
}

function onFirstEntry(state: LeaseState, { entry, revision }: Read, now: Now): LeaseStep {
  if (entry === undefined) return onNoEntry(state, revision, now)
  if (entry.value.inc === state.self.inc) return onOwn(state, entry, now)
  const record = entry.value as NodeRecord
  const isOver = record.state === 'fenced' || record.state === 'gone'
  if (
    isOver ||
    isOurs(state.self, record) ||
    isSilent(state, { revision, ttlMs: record.ttlMs }, now)
  ) {
    return replace(state, revision, now)
  }
  const isSame = state.foreign?.revision === revision
  const effects: LeaseEffect[] = isSame ? [] : [{ do: 'foreign', host: record.host }]
  return { state: awaited(state, revision, now), effects }
}

/** The first record of this name; or somebody has deleted one, and whoever it was of may act for as long as its lease. */
function onNoEntry(state: LeaseState, revision: number, now: Now): LeaseStep {
  const { self, timing, foreign } = state
  const isNew = self.before === undefined && foreign === undefined && revision === 0
  if (isNew || isSilent(state, { revision, ttlMs: timing.ttlMs }, now)) {
    return replace(state, revision, now)
  }
  return { state: awaited(state, revision, now), effects: [] }
}

function awaited(state: LeaseState, revision: number, { monoMs }: Now): LeaseState {
  const isSame = state.foreign?.revision === revision
  const foreign = isSame ? state.foreign : { revision, sinceMs: monoMs }
  return { ...state, foreign, nextMs: monoMs + state.timing.renewMs }
}

/** The lock that this life holds proves that those before it are over: those of this very computer, not of a copy of it. */
const isOurs = ({ host, before }: Self, record: NodeRecord): boolean =>
  record.host === host && (before === undefined || before.includes(record.inc))

function isSilent(
  { foreign, timing }: LeaseState,
  { revision, ttlMs }: { readonly revision: number; readonly ttlMs: number },
  now: Now,
): boolean {
  if (foreign === undefined || foreign.revision !== revision) return false
  return now.monoMs - foreign.sinceMs > silenceMs(ttlMs, timing)
}

/** The first writing: over nothing, over a removal, or over a record of a life that is over. If it fails, everything is looked at anew. */
function replace(state: LeaseState, revision: number, now: Now): LeaseStep {
  const { state: next, effects } = write({ ...state, revision }, now)
  return { state: { ...next, revision: 0 }, effects }
}

function die(state: LeaseState, why: DeathReason): LeaseStep {
  return {
    state: { ...state, phase: 'dead', deadline: undefined },
    effects: [{ do: 'dead', why }],
  }
}
