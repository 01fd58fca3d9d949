import { strict as assert } from 'node:assert'
import type { Owned } from './claim-state.ts'
import { type Closing, type Commit, nextOf } from './commits.ts'
import type { EngineAnswer, JournalEffect, Now, Step, Tail, Tick } from './effects.ts'
import { type Intent, JOURNAL_FORMAT, type JournalRecord, OPEN_INTENTS_MAX } from './records.ts'
import type { Timing } from './timing.ts'

export interface AppendLimits {
  /** Commits that may wait before new ones are refused. */
  readonly queueMax: number
  /** Bytes of commits in one record; a longer one goes in parts, a record each. */
  readonly recordBytesMax: number
  /** Bytes of one commit. */
  readonly commitBytesMax: number
  /** Reads that show less than what was acknowledged, one after the other, before the journal counts as lost. */
  readonly staleReadsMax: number
  /** Without an acknowledgment for this long the journal counts as stalled. ms */
  readonly stalledMs: number
}
export const DEFAULT_APPEND_LIMITS: AppendLimits = {
  queueMax: 1_000,
  recordBytesMax: 256 * 1024,
  commitBytesMax: 64 * 1024 * 1024,
  staleReadsMax: 40,
  stalledMs: 2_000,
}

/** The record that is on its way; one at a time. */
interface Batch {
  readonly record: JournalRecord
  readonly tickets: readonly number[]
}

/**
 * `ready`    nothing is on its way
 * `sending`  a record is
 * `proving`  that failed in some way: the end of the journal is read before anything else is appended
 * `fenced`   somebody else has written behind us; nothing more through us
 * `released` our last record says that anybody may take over
 * `closed`   this life is over
 */
export type AppendPhase = 'ready' | 'sending' | 'proving' | 'fenced' | 'released' | 'closed'

export interface AppendState {
  readonly owned: Owned
  readonly node: string
  readonly inc: string
  readonly timing: Timing
  readonly limits: AppendLimits
  readonly phase: AppendPhase
  /** The last record that is known to stand, and is ours. */
  readonly n: number
  readonly seq: number
  readonly hash: string
  /** After that record. */
  readonly open: readonly Intent[]
  readonly batch: Batch | undefined
  /** How often that has been sent. */
  readonly sends: number
  readonly queue: readonly Commit[]
  /** Number of the only commit that may come next; undefined before the first, which follows what was read. */
  readonly next: number | undefined
  /** Parts of the first in the queue that stand, or are on their way. */
  readonly partsSent: number
  /** How the account is given up behind all that waits; undefined: it is not. */
  readonly closing: Closing | undefined
  /** Since when the record on its way has been waiting. */
  readonly sinceMs: number
  readonly isStalled: boolean
  readonly staleReads: number
  readonly nextMs: number
  readonly waitMs: number
  readonly call: number
  readonly calls: number
}

export type AppendInput =
  | Tick
  | EngineAnswer
  | { readonly is: 'submit'; readonly commit: Commit }
  /** Append a release behind all that waits. Before, the word of the account is cleared, and no order is under way: others act at once. */
  | { readonly is: 'release'; readonly closing?: Closing }
  /** This life of the node is over. */
  | { readonly is: 'close' }

export type AppendEffect =
  | JournalEffect
  /** These stand in the journal, in this order. */
  | {
      readonly do: 'appended'
      readonly tickets: readonly number[]
      readonly seq: number
      readonly hash: string
    }
  /** Not taken, and nothing of it will ever stand there; nor of what was decided on top of it, before it comes again. */
  | { readonly do: 'refused'; readonly ticket: number; readonly why: Refusal }
  /** Stop the actor. These tickets may or may not stand in the journal: nothing of them may be carried out. */
  | {
      readonly do: 'fenced'
      readonly tickets: readonly number[]
      readonly why: 'overtaken' | 'closed' | 'regressed'
    }
  /** Refuse new orders until `flowing`; events are still taken. */
  | { readonly do: 'stalled' }
  | { readonly do: 'flowing' }
  /** Stop the actor: anybody may take over. */
  | { readonly do: 'released'; readonly seq: number }

/** `refused`: too much waits, or this pen is laid down; `too_long`: neither this one nor the same again. */
type Refusal = 'refused' | 'too_long'

type AppendStep = Step<AppendState, AppendEffect>

/** Inputs beside the clock that chance decides. */
export interface AppendMoment extends Now {
  /** A fresh UUID. */
  readonly rid: string
}

export function startAppend(
  owned: Owned,
  { node, inc }: { readonly node: string; readonly inc: string },
  timing: Timing,
  limits: AppendLimits = DEFAULT_APPEND_LIMITS,
): AppendState {
  const { n, seq, hash, open } = owned
  return {
    owned,
    node,
    inc,
    timing,
    limits,
    phase: 'ready',
    n,
    seq,
    hash,
    open,
    batch: undefined,
    sends: 0,
    queue: [],
    next: undefined,
    partsSent: 0,
    closing: undefined,
    sinceMs: 0,
    isStalled: false,
    staleReads: 0,
    nextMs: Number.NEGATIVE_INFINITY,
    waitMs: timing.retryMs,
    call: 0,
    calls: 0,
  }
}

/** The owner's pen: one record on its way, the rest gathers behind it, and no failure is believed before the journal is read. */
export function stepAppend(state: AppendState, input: AppendInput, now: AppendMoment): AppendStep {
  if (isOver(state)) return afterTheEnd(state, input)
  switch (input.is) {
    case 'submit':
      return onSubmit(state, input.commit, now)
    case 'release':
      return flush({ ...state, closing: input.closing ?? 'release' }, now)
    case 'close':
      return end(state, 'closed')
    case 'tick':
      return onTick(state, now)
    default:
      return input.call === state.call && state.call > 0
        ? onAnswer({ ...state, call: 0 }, input, now)
        : stay(state)
  }
}

const stay = (state: AppendState): AppendStep => ({ state, effects: [] })

/** Whether this pen will never write again. */
export const isOver = ({ phase }: AppendState): boolean =>
  phase === 'fenced' || phase === 'released' || phase === 'closed'

function afterTheEnd(state: AppendState, input: AppendInput): AppendStep {
  if (input.is !== 'submit') return stay(state)
  return { state, effects: [{ do: 'refused', ticket: input.commit.ticket, why: 'refused' }] }
}

function onSubmit(state: AppendState, commit: Commit, now: AppendMoment): AppendStep {
  const { ticket, number } = commit
  const known: AppendState = { ...state, next: state.next ?? number }
  const why = refusalOf(known, commit)
  if (why !== undefined) return { state: known, effects: [{ do: 'refused', ticket, why }] }
  return flush({ ...known, next: number + 1, queue: [...state.queue, commit] }, now)
}

/** What was decided on top of a commit that is not there would make the journal one that nobody can go on from. */
function refusalOf(state: AppendState, commit: Commit): Refusal | undefined {
  const { queue, limits, next, closing } = state
  if (commit.bytes.length > limits.commitBytesMax) return 'too_long'
  const opened = openAfter(state, [...queue, commit])
  const isFull = queue.length >= limits.queueMax || opened.length > OPEN_INTENTS_MAX
  return isFull || closing !== undefined || commit.number !== next ? 'refused' : undefined
}

/** Intents without an outcome once all of these stand. */
function openAfter(state: AppendState, commits: readonly Commit[]): readonly Intent[] {
  const before = state.batch?.record.open ?? state.open
  return commits.reduce<readonly Intent[]>((open, { opens, closes }) => {
    const left = closes.length === 0 ? open : open.filter(({ id }) => !closes.includes(id))
    return opens.length === 0 ? left : [...left, ...opens]
  }, before)
}

/** Sends what waits, if nothing is on its way. */
function flush(state: AppendState, now: AppendMoment): AppendStep {
  if (state.phase !== 'ready') return stay(state)
  if (state.queue.length === 0 && state.closing === undefined) return stay(state)
  const { body, whole, partsSent } = nextOf(state, state.limits.recordBytesMax)
  const record: JournalRecord = {
    rid: now.rid,
    fmt: JOURNAL_FORMAT,
    e: state.owned.e,
    n: state.n + 1,
    node: state.node,
    inc: state.inc,
    since: state.owned.since,
    prev: state.hash,
    open: openAfter(state, whole),
    body,
  }
  const batch: Batch = { record, tickets: whole.map(({ ticket }) => ticket) }
  const queue = state.queue.slice(whole.length)
  const { retryMs: waitMs } = state.timing
  return send({ ...state, batch, sends: 0, queue, partsSent, sinceMs: now.monoMs, waitMs })
}

function send(state: AppendState): AppendStep {
  const { batch, owned, timing } = state
  assert(batch !== undefined, 'a record to send')
  assert(batch.record.n === state.n + 1 && batch.record.prev === state.hash, 'records in a chain')
  const call = state.calls + 1
  const { acct } = owned
  const { record } = batch
  return {
    state: { ...state, phase: 'sending', call, calls: call, sends: state.sends + 1 },
    effects: [
      { do: 'append', call, acct, record, expectedSeq: state.seq, timeoutMs: timing.engineMs },
    ],
  }
}

function onTick(state: AppendState, now: Now): AppendStep {
  const isStalled = state.batch !== undefined && now.monoMs - state.sinceMs > state.limits.stalledMs
  const told: AppendEffect[] = isStalled && !state.isStalled ? [{ do: 'stalled' }] : []
  const next: AppendState = { ...state, isStalled: isStalled || state.isStalled }
  if (state.phase !== 'proving' || state.call !== 0 || now.monoMs < state.nextMs) {
    return { state: next, effects: told }
  }
  const { state: reading, effects } = readTail(next)
  return { state: reading, effects: [...told, ...effects] }
}

function readTail(state: AppendState): AppendStep {
  const call = state.calls + 1
  const { acct } = state.owned
  return {
    state: { ...state, phase: 'proving', call, calls: call },
    effects: [{ do: 'readTail', call, acct, timeoutMs: state.timing.engineMs }],
  }
}

function onAnswer(state: AppendState, answer: EngineAnswer, now: AppendMoment): AppendStep {
  if (answer.is === 'appended') return onStands(state, answer, now)
  // No failure says what happened, a wrong sequence neither: another copy of this record may have been first.
  if (state.phase === 'sending') {
    // Sent again and failed again, at once maybe: servers without room are not asked as fast as they can refuse.
    return state.sends > 1 ? later(state, now) : readTail(state)
  }
  return answer.is === 'tail' ? prove(state, answer.tail, now) : later(state, now)
}

/** Reads again in a while, ever more seldom. */
function later(state: AppendState, { monoMs }: Now): AppendStep {
  const { waitMs, timing } = state
  const next = Math.min(timing.renewMs, 2 * waitMs)
  return stay({ ...state, phase: 'proving', nextMs: monoMs + waitMs, waitMs: next })
}

function prove(state: AppendState, tail: Tail | undefined, now: AppendMoment): AppendStep {
  const { batch, seq, hash } = state
  assert(batch !== undefined, 'a record to be proven')
  if (tail !== undefined && tail.record.rid === batch.record.rid) return onStands(state, tail, now)
  // Nothing has moved, as far as is seen. The same record goes again: of two copies one fails.
  if (tail?.seq === seq && tail.hash === hash) return send({ ...state, staleReads: 0 })
  if (tail !== undefined && tail.seq > seq) return end(state, 'overtaken')
  // Less than what was acknowledged: an old leader answers, or the journal was put back.
  if (state.staleReads + 1 >= state.limits.staleReadsMax) return end(state, 'regressed')
  return later({ ...state, staleReads: state.staleReads + 1 }, now)
}

function onStands(
  state: AppendState,
  { seq, hash }: { readonly seq: number; readonly hash: string },
  now: AppendMoment,
): AppendStep {
  const { batch } = state
  assert(batch !== undefined && seq > state.seq, 'a record that was sent')
  const { record, tickets } = batch
  const { n, open } = record
  const standing: AppendState = { ...state, n, seq, hash, open, batch: undefined, staleReads: 0 }
  if (record.body.t === 'release' || record.body.t === 'left') {
    return { state: { ...standing, phase: 'released' }, effects: [{ do: 'released', seq }] }
  }
  const flowing: AppendEffect[] = state.isStalled ? [{ do: 'flowing' }] : []
  const { state: next, effects } = flush({ ...standing, phase: 'ready', isStalled: false }, now)
  return { state: next, effects: [{ do: 'appended', tickets, seq, hash }, ...flowing, ...effects] }
}

function end(state: AppendState, why: 'overtaken' | 'closed' | 'regressed'): AppendStep {
  const waiting = state.queue.map(({ ticket }) => ticket)
  const tickets = [...(state.batch?.tickets ?? []), ...waiting]
  const phase = why === 'closed' ? 'closed' : 'fenced'
  return {
    state: { ...state, phase, batch: undefined, queue: [] },
    effects: [{ do: 'fenced', tickets, why }],
  }
}
