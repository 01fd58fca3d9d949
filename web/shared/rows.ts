/**
 * The next list with the old objects wherever nothing in them has changed, so that only changed rows are
 * drawn again. `keyOf` names a row.
 */
export function keepSame<T extends object>(
  before: readonly T[] | undefined,
  next: readonly T[],
  keyOf: (row: T) => string,
): readonly T[] {
  if (before === undefined) return next
  const known = new Map(before.map((row) => [keyOf(row), row]))
  return next.map((row) => {
    const old = known.get(keyOf(row))
    return old !== undefined && isSame(old, row) ? old : row
  })
}

function isSame(a: object, b: object): boolean {
  const [left, right] = [Object.entries(a), b as Record<string, unknown>]
  return left.length === Object.keys(b).length && left.every(([key, value]) => value === right[key])
}
