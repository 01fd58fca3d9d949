import type { Now, Step, Tick } from './effects.ts'
import type { Intent } from './records.ts'
import { doubtMs, type Timing } from './timing.ts'

/**
 * Intents of former owners: whether the trading client was told of them is not known. They are never
 * sent again; the client is asked, and "not there" is believed only when nothing can arrive any more.
 */
export interface DoubtState {
  readonly timing: Timing
  /**
   * Monotonic, on this computer: only what the client is asked from here on may be believed to be missing.
   * It counts from the take-over and not from the deadlines of the intents, because those were
   * written by the clock of another computer, which may be an hour off.
   */
  readonly believedFromMs: number
  readonly open: readonly Intent[]
  readonly asked: { readonly question: number; readonly atMs: number } | undefined
  readonly questions: number
  readonly nextMs: number
}

export type Found = 'there' | 'absent'

export type DoubtInput =
  | Tick
  /** What the client says, for all that it was asked; `answers` is undefined when it did not say. */
  | {
      readonly is: 'said'
      readonly question: number
      readonly answers: ReadonlyMap<string, Found> | undefined
    }

export type DoubtEffect =
  /** Look for these by their remarks; answered by `said`, in any case. */
  | { readonly do: 'askBroker'; readonly question: number; readonly ids: readonly string[] }
  /** Journal the outcome. `expired`: it never arrived, and never will. */
  | { readonly do: 'resolved'; readonly id: string; readonly outcome: 'found' | 'expired' }
  /** Nothing is in doubt: the account may act. */
  | { readonly do: 'cleared' }

type DoubtStep = Step<DoubtState, DoubtEffect>

/** `now`: a reading that was taken after the epoch record was acknowledged. */
export const startDoubt = (open: readonly Intent[], timing: Timing, now: Now): DoubtState => ({
  timing,
  believedFromMs: now.monoMs + doubtMs(timing),
  open,
  asked: undefined,
  questions: 0,
  nextMs: now.monoMs,
})

export function stepDoubt(state: DoubtState, input: DoubtInput, now: Now): DoubtStep {
  return input.is === 'tick' ? ask(state, now) : onSaid(state, input, now)
}

function ask(state: DoubtState, { monoMs }: Now): DoubtStep {
  const { open, asked, nextMs, timing } = state
  if (open.length === 0 || asked !== undefined || monoMs < nextMs) return { state, effects: [] }
  const question = state.questions + 1
  return {
    state: {
      ...state,
      questions: question,
      asked: { question, atMs: monoMs },
      nextMs: monoMs + timing.renewMs,
    },
    effects: [{ do: 'askBroker', question, ids: open.map(({ id }) => id) }],
  }
}

function onSaid(
  state: DoubtState,
  {
    question,
    answers,
  }: { readonly question: number; readonly answers: ReadonlyMap<string, Found> | undefined },
  now: Now,
): DoubtStep {
  const { asked } = state
  if (asked === undefined || asked.question !== question) return { state, effects: [] }
  // What counts is when it was asked: the answer may have been on its way for long.
  const isBelieved = asked.atMs >= state.believedFromMs
  const effects: DoubtEffect[] = []
  const open = state.open.filter(({ id }) => {
    const found = answers?.get(id)
    if (found === 'there') effects.push({ do: 'resolved', id, outcome: 'found' })
    const isExpired = found === 'absent' && isBelieved
    if (isExpired) effects.push({ do: 'resolved', id, outcome: 'expired' })
    return found !== 'there' && !isExpired
  })
  if (open.length === 0) effects.push({ do: 'cleared' })
  return { state: { ...state, open, asked: undefined, nextMs: later(state, now) }, effects }
}

/** Right when it may be believed, if that is soon. */
const later = ({ believedFromMs, timing }: DoubtState, { monoMs }: Now): number =>
  monoMs < believedFromMs
    ? Math.min(believedFromMs, monoMs + timing.renewMs)
    : monoMs + timing.retryMs
