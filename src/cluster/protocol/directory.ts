import type { ControlEntry, EngineAnswer, KvEffect, Now, Step, Tick } from './effects.ts'
import type { PlacementRecord } from './records.ts'
import { placementKey } from './subjects.ts'
import type { Timing } from './timing.ts'

/** A request to an account, on its way through a gateway. */
export interface RouteState {
  readonly acct: string
  readonly timing: Timing
  readonly isWrite: boolean
  /** Monotonic: after this the caller is answered in any case. */
  readonly untilMs: number
  readonly phase: 'reading' | 'waiting' | 'asking' | 'over'
  /** The placement that is believed, with its revision. */
  readonly entry: ControlEntry<PlacementRecord> | undefined
  /** A node that was tried under this revision did not have it: only a later one is believed. */
  readonly refusedRevision: number
  /** Highest epoch that this gateway has seen of the account. */
  readonly epochSeen: number
  readonly nextMs: number
  readonly call: number
  readonly calls: number
}

export type RouteInput =
  | Tick
  | EngineAnswer
  /** The watch shows the account's placement. */
  | { readonly is: 'shown'; readonly entry: ControlEntry<PlacementRecord> }
  /** What came of `request`. `noResponders`: nobody has it. `notOwner`: nothing was done. `timeout`: unknown. */
  | { readonly is: 'noResponders' | 'notOwner' | 'timeout'; readonly call: number }
  | { readonly is: 'reply'; readonly call: number; readonly e: number }

export type RouteEffect =
  | KvEffect
  /** Send it to this life of a node; answered by one of the three failures or by `reply`. */
  | {
      readonly do: 'request'
      readonly call: number
      readonly node: string
      readonly inc: string
      readonly timeoutMs: number
    }
  /** Give the last reply to the caller. */
  | { readonly do: 'answer'; readonly e: number }
  /** 503: nothing was done, ask again. */
  | { readonly do: 'noOwner' }
  /** 504: whoever has it is late, and was only asked to read. */
  | { readonly do: 'notAnswered' }
  /** 504 with the id of the command: it may have been carried out; ask again with the same id. */
  | { readonly do: 'outcomeUnknown' }

type RouteStep = Step<RouteState, RouteEffect>

export interface RouteStart {
  readonly acct: string
  readonly isWrite: boolean
  /** What the watch shows now. */
  readonly entry: ControlEntry<PlacementRecord> | undefined
  readonly epochSeen: number
  /** ms that the caller waits at most. */
  readonly budgetMs: number
}

export function startRoute(start: RouteStart, timing: Timing, now: Now): RouteStep {
  const { acct, isWrite, entry, epochSeen, budgetMs } = start
  const untilMs = now.monoMs + budgetMs
  const state: RouteState = {
    acct,
    timing,
    isWrite,
    untilMs,
    phase: 'waiting',
    entry,
    refusedRevision: 0,
    epochSeen,
    nextMs: now.monoMs,
    call: 0,
    calls: 0,
  }
  return goOn(state, now)
}

/** Where a request goes, and what its caller is told. The directory is a hint; the account itself decides. */
export function stepRoute(state: RouteState, input: RouteInput, now: Now): RouteStep {
  if (state.phase === 'over') return stay(state)
  if (input.is === 'shown') return goOn(learned(state, input.entry), now)
  if (input.is === 'tick') return now.monoMs > state.untilMs ? giveUp(state) : goOn(state, now)
  if (input.call !== state.call) return stay(state)
  return onAnswer(state, input, now)
}

const stay = (state: RouteState): RouteStep => ({ state, effects: [] })

/** A request on its way may have been carried out, if it is one to be carried out; one that waits has not. */
function giveUp(state: RouteState): RouteStep {
  const asked = state.isWrite ? 'outcomeUnknown' : 'notAnswered'
  const effect: RouteEffect = { do: state.phase === 'asking' ? asked : 'noOwner' }
  return { state: { ...state, phase: 'over' }, effects: [effect] }
}

const learned = (state: RouteState, entry: ControlEntry<PlacementRecord>): RouteState =>
  entry.revision > (state.entry?.revision ?? 0) ? { ...state, entry } : state

/** The placement to try, if there is one that was not refused. */
function target({ entry, refusedRevision, epochSeen }: RouteState): PlacementRecord | undefined {
  if (entry === undefined || entry.revision <= refusedRevision) return
  return entry.value.state === 'active' && entry.value.e >= epochSeen ? entry.value : undefined
}

function goOn(state: RouteState, now: Now): RouteStep {
  if (state.phase !== 'waiting') return stay(state)
  const call = state.calls + 1
  const to = target(state)
  if (to !== undefined) {
    const { node, inc } = to
    const timeoutMs = Math.max(1, Math.floor(state.untilMs - now.monoMs))
    return {
      state: { ...state, phase: 'asking', call, calls: call },
      effects: [{ do: 'request', call, node, inc, timeoutMs }],
    }
  }
  if (now.monoMs < state.nextMs) return stay(state)
  const { timing, acct } = state
  const nextMs = now.monoMs + timing.renewMs
  return {
    state: { ...state, phase: 'reading', call, calls: call, nextMs },
    effects: [{ do: 'kvReadLeader', call, key: placementKey(acct), timeoutMs: timing.engineMs }],
  }
}

type RouteAnswer = Exclude<RouteInput, Tick | { readonly is: 'shown' }>

function onAnswer(state: RouteState, answer: RouteAnswer, now: Now): RouteStep {
  switch (answer.is) {
    case 'reply':
      return onReply(state, answer.e, now)
    case 'timeout':
      return giveUp(state)
    case 'noResponders':
    case 'notOwner':
      return goOn(refused(state, now), now)
    case 'entry': {
      const entry = answer.entry as ControlEntry<PlacementRecord> | undefined
      const waiting: RouteState = { ...state, phase: 'waiting' }
      return goOn(entry === undefined ? waiting : learned(waiting, entry), now)
    }
    default:
      return stay({ ...state, phase: 'waiting' })
  }
}

/** Nothing was done there: the next place is looked up at once. */
const refused = (state: RouteState, { monoMs }: Now): RouteState => ({
  ...state,
  phase: 'waiting',
  refusedRevision: state.entry?.revision ?? state.refusedRevision,
  nextMs: monoMs,
})

/** A former owner may answer late, of a time that is over. What it was asked to write may all the same stand. */
function onReply(state: RouteState, e: number, now: Now): RouteStep {
  if (e >= state.epochSeen) {
    return { state: { ...state, phase: 'over', epochSeen: e }, effects: [{ do: 'answer', e }] }
  }
  if (!state.isWrite) return goOn(refused(state, now), now)
  return { state: { ...state, phase: 'over' }, effects: [{ do: 'outcomeUnknown' }] }
}
