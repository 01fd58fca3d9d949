import type { ControlEntry, EngineAnswer, KvEffect, Now, Step, Tick } from './effects.ts'
import type { PlacementRecord } from './records.ts'
import { placementKey } from './subjects.ts'
import type { Timing } from './timing.ts'

/** Keeps the record that tells gateways where an account is. Writes again until it stands there. */
export interface PlacementState {
  readonly acct: string
  readonly timing: Timing
  readonly wanted: PlacementRecord
  readonly known: ControlEntry<PlacementRecord> | undefined
  /** Of what stands there, a removal too; 0: nothing ever did. */
  readonly revision: number
  /** What a write that is under way puts there. */
  readonly writing: PlacementRecord | undefined
  /** Whether `known` may be out of date: the key is read before it is written. */
  readonly isDoubtful: boolean
  readonly nextMs: number
  readonly call: number
  readonly calls: number
}

export type PlacementInput =
  | Tick
  | EngineAnswer
  | { readonly is: 'shown'; readonly entry: ControlEntry<PlacementRecord> }
  /** The watch shows that somebody has deleted it. */
  | { readonly is: 'removed'; readonly revision: number }
  | { readonly is: 'want'; readonly wanted: PlacementRecord }

type PlacementStep = Step<PlacementState, KvEffect>

export const startPlacement = (
  acct: string,
  wanted: PlacementRecord,
  timing: Timing,
): PlacementState => ({
  acct,
  timing,
  wanted,
  known: undefined,
  revision: 0,
  writing: undefined,
  isDoubtful: true,
  nextMs: Number.NEGATIVE_INFINITY,
  call: 0,
  calls: 0,
})

/** Whether the record says what it has to, or something newer. */
export function isPlaced({ known, wanted }: PlacementState): boolean {
  if (known === undefined) return false
  const { e, seq } = known.value
  return e > wanted.e || (e === wanted.e && seq >= wanted.seq)
}

export function stepPlacement(
  state: PlacementState,
  input: PlacementInput,
  now: Now,
): PlacementStep {
  switch (input.is) {
    case 'tick':
      return callWhenDue(state, now)
    case 'want':
      return callWhenDue({ ...state, wanted: input.wanted, nextMs: now.monoMs }, now)
    case 'shown':
      return callWhenDue(learned(state, input.entry), now)
    case 'removed':
      return callWhenDue(removed(state, input.revision), now)
    default:
      return input.call === state.call && state.call > 0
        ? onAnswer({ ...state, call: 0 }, input, now)
        : { state, effects: [] }
  }
}

const learned = (state: PlacementState, entry: ControlEntry<PlacementRecord>): PlacementState =>
  entry.revision > state.revision ? { ...state, known: entry, revision: entry.revision } : state

const removed = (state: PlacementState, revision: number): PlacementState =>
  revision > state.revision ? { ...state, known: undefined, revision } : state

function callWhenDue(state: PlacementState, now: Now): PlacementStep {
  const { acct, timing, wanted, revision, isDoubtful } = state
  if (isPlaced(state) || state.call !== 0 || now.monoMs < state.nextMs)
    return { state, effects: [] }
  const call = state.calls + 1
  const asked = { call, key: placementKey(acct), timeoutMs: timing.engineMs } as const
  const next: PlacementState = { ...state, call, calls: call, nextMs: now.monoMs + timing.retryMs }
  if (isDoubtful) return { state: next, effects: [{ do: 'kvReadLeader', ...asked }] }
  return {
    state: { ...next, writing: wanted },
    effects: [{ do: 'kvUpdate', ...asked, value: wanted, revision }],
  }
}

function onAnswer(state: PlacementState, answer: EngineAnswer, now: Now): PlacementStep {
  if (answer.is === 'written' && state.writing !== undefined) {
    const known = { value: state.writing, revision: answer.revision }
    return { state: { ...learned(state, known), writing: undefined }, effects: [] }
  }
  if (answer.is === 'entry') {
    const known = answer.entry as ControlEntry<PlacementRecord> | undefined
    const read = { known, revision: answer.revision, isDoubtful: false, nextMs: now.monoMs }
    return callWhenDue({ ...state, ...read }, now)
  }
  return {
    state: { ...state, isDoubtful: true, nextMs: now.monoMs + state.timing.renewMs },
    effects: [],
  }
}
