import { numberIn } from './limit-draft.ts'

/** What was typed over parameters: a number as its text stands in the field, a switch as it was turned. */
export type ParameterDraft<Name extends string> = Readonly<Partial<Record<Name, string | boolean>>>
type Values<Name extends string> = Readonly<Partial<Record<Name, unknown>>>

const wantedIn = (typed: unknown): unknown => (typeof typed === 'string' ? numberIn(typed) : typed)

/** What is to be saved: whatever can be read and is another than the saved value. */
export const changesIn = <Name extends string>(
  draft: ParameterDraft<Name>,
  saved: Values<Name>,
): Values<Name> =>
  pick(draft, (name) => {
    const wanted = wantedIn(draft[name])
    return wanted === undefined || wanted === saved[name] ? undefined : wanted
  })

/** The draft once `sent` has been saved: what was typed since. */
export const withoutSent = <Name extends string>(
  draft: ParameterDraft<Name>,
  sent: ParameterDraft<Name>,
): ParameterDraft<Name> =>
  pick(draft, (name) => (draft[name] === sent[name] ? undefined : draft[name]))

function pick<Name extends string, V>(
  draft: ParameterDraft<Name>,
  valueFor: (name: Name) => V | undefined,
): Partial<Record<Name, V>> {
  const picked: Partial<Record<Name, V>> = {}
  for (const name of Object.keys(draft) as Name[]) {
    const value = valueFor(name)
    if (value !== undefined) picked[name] = value
  }
  return picked
}
