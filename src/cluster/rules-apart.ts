import type { RulesApart } from '../protocol/census.ts'

/** What a node has told of the rules by which it runs an account; undefined: an earlier release, which does not say. */
export interface RulesTold {
  readonly node: string
  readonly rules: string | undefined
}

/** Who may run an account. */
export interface Runnable {
  readonly eligible: readonly string[]
}

/** Only those that may take an account over from one another: nobody else is ever run by the rules of both. */
export function rulesApart(
  told: readonly RulesTold[],
  accounts: readonly Runnable[],
): readonly RulesApart[] {
  return told.flatMap((one, i) =>
    told.slice(i + 1).flatMap((other): RulesApart[] => {
      const fields = fieldsApart(one.rules, other.rules)
      if (fields.length === 0 || !share(accounts, one.node, other.node)) return []
      return [{ nodes: [one.node, other.node], fields }]
    }),
  )
}

const share = (accounts: readonly Runnable[], one: string, other: string): boolean =>
  accounts.some(({ eligible }) => eligible.includes(one) && eligible.includes(other))

/** Settings that differ, or that one of them alone has set. */
export function fieldsApart(one: string | undefined, other: string | undefined): readonly string[] {
  if (one === undefined || other === undefined || one === other) return []
  const [ofOne, ofOther] = [new Set(one.split(' ')), new Set(other.split(' '))]
  const apart = [...ofOne, ...ofOther].filter(
    (entry) => entry !== '' && !(ofOne.has(entry) && ofOther.has(entry)),
  )
  return [...new Set(apart.map((entry) => entry.slice(0, entry.lastIndexOf(':'))))].toSorted()
}
