/** Fields of choices: a choice, of each table or severity, and what of it. */
const LEVELS = 3

/**
 * What comes of a value that two tabs have changed: what this one has made of it since `before` wins, all else is as the
 * other one has it. Objects are merged by their fields, so many levels down; everything else is one value. Pure.
 */
export function merged<T>(before: unknown, mine: T, theirs: unknown, levels = LEVELS): T {
  if (isSame(before, mine)) return theirs as T
  if (levels === 0 || !isFields(mine) || !isFields(theirs)) return mine
  const known = isFields(before) ? before : {}
  const names = new Set([...Object.keys(theirs), ...Object.keys(mine)])
  const fields = [...names].map((name) => [
    name,
    merged(known[name], mine[name], theirs[name], levels - 1),
  ])
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined)) as T
}

/** Of what is kept, all that is of the kind of its default: whoever wrote something else there has chosen nothing. Pure. */
export function fitting<T extends object>(defaults: T, kept: unknown): T {
  if (!isFields(kept)) return { ...defaults }
  const fields = Object.entries(defaults).map(([name, standard]) => {
    const value = kept[name]
    return [name, kindOf(value) === kindOf(standard) ? value : standard]
  })
  return { ...kept, ...Object.fromEntries(fields) } // another release has choices of its own
}
const kindOf = (value: unknown): string => (isFields(value) ? 'fields' : typeof value)

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)
const isFields = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
