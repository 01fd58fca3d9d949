/** Visits one after the other, the first at once and each next one so much later: what follows does not come in one moment. */
export function inTurn<T>(all: Iterable<T>, gapMs: number, visit: (one: T) => void): void {
  let delayMs = 0
  for (const one of all) {
    if (delayMs === 0) visit(one)
    else setTimeout(visit, delayMs, one).unref()
    delayMs += gapMs
  }
}
