import { numberIn } from './limit-draft.ts'

/** What was typed over a parameter, and what stood there when the typing began. */
export interface TypedOver {
  readonly from: unknown
  /** A number as its text stands in the field, a switch as it was turned. */
  readonly to: string | boolean
}
export type ParameterDraft<Name extends string> = Readonly<Partial<Record<Name, TypedOver>>>
type Values<Name extends string> = Readonly<Partial<Record<Name, unknown>>>

const wantedIn = ({ to }: TypedOver): unknown => (typeof to === 'string' ? numberIn(to) : to)

/**
 * The draft without what stands in the field as it did before: that is no wish, and what another tab makes of it holds.
 * Half of a number stays as it was typed.
 */
export function withTyped<Name extends string>(
  draft: ParameterDraft<Name>,
  saved: Values<Name>,
  typed: { readonly name: Name; readonly to: string | boolean },
): ParameterDraft<Name> {
  const { name, to } = typed
  const from = draft[name]?.from ?? saved[name]
  const isBefore = String(to) === String(from) && from === saved[name]
  const next: ParameterDraft<Name> = { ...draft, [name]: { from, to } }
  return pick(next, (one, over) => (one === name && isBefore ? undefined : over))
}

/** What is to be saved: whatever can be read and is another than the saved value. */
export const changesIn = <Name extends string>(
  draft: ParameterDraft<Name>,
  saved: Values<Name>,
): Values<Name> =>
  pick(draft, (name, over) => {
    const wanted = wantedIn(over)
    return wanted === saved[name] ? undefined : wanted
  })

/** Whether another has changed the parameter since it was begun to be typed over. */
export const isOvertaken = (over: TypedOver | undefined, saved: unknown): boolean =>
  over !== undefined && over.from !== saved && wantedIn(over) !== saved

/** The draft once `sent` has been saved: what was typed since, over what was saved. */
export const withoutSent = <Name extends string>(
  draft: ParameterDraft<Name>,
  sent: ParameterDraft<Name>,
): ParameterDraft<Name> =>
  pick(draft, (name, over) => {
    const before = sent[name]
    if (before === undefined) return over
    return over.to === before.to ? undefined : { from: wantedIn(before) ?? over.from, to: over.to }
  })

function pick<Name extends string, V>(
  draft: ParameterDraft<Name>,
  valueFor: (name: Name, over: TypedOver) => V | undefined,
): Partial<Record<Name, V>> {
  const picked: Partial<Record<Name, V>> = {}
  for (const [name, over] of Object.entries(draft) as [Name, TypedOver][]) {
    const value = valueFor(name, over)
    if (value !== undefined) picked[name] = value
  }
  return picked
}
