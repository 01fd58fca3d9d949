/**
 * How many single edits (insert, remove, replace, swap of neighbors) lead from one word to another:
 * the Damerau-Levenshtein distance in its restricted form.
 */
export function editDistance(from: string, to: string): number {
  let twoBack: number[] = []
  let before = Array.from({ length: to.length + 1 }, (_, column) => column)
  for (let row = 1; row <= from.length; row++) {
    const current = [row]
    for (let column = 1; column <= to.length; column++) {
      const at = (line: readonly number[], index: number): number => line[index] ?? Infinity
      const isSame = from[row - 1] === to[column - 1]
      const isSwap = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]
      current[column] = Math.min(
        at(before, column) + 1,
        at(current, column - 1) + 1,
        at(before, column - 1) + (isSame ? 0 : 1),
        isSwap ? at(twoBack, column - 2) + 1 : Infinity,
      )
    }
    twoBack = before
    before = current
  }
  return before[to.length] ?? 0
}

/** The candidate that was probably meant, or undefined when none is near. Case does not count. */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  let best: string | undefined
  let bestDistance = Math.max(1, Math.floor(word.length / 3)) + 1
  for (const candidate of candidates) {
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase())
    if (distance < bestDistance) {
      best = candidate
      bestDistance = distance
    }
  }
  return best
}
