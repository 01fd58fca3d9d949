/** Of a turn in ever the same direction: consecutive slots land far from each other, however many there are. */
const GOLDEN_PART = (Math.sqrt(5) - 1) / 2
/** The least of the time that is kept: what comes in one burst of quotes is still saved together. */
const LEAST_PART = 1 / 4

/**
 * Milliseconds for which the account of a slot keeps turns that may wait, at most `keepMs`.
 *
 * A market that rises gives every account new highs in the same instant. Would all keep them equally long, the
 * store would get them in one piece again, and an order that comes just then would wait behind all of it.
 */
export function keepMsOf(keepMs: number, slot: number): number {
  const phase = (slot * GOLDEN_PART) % 1
  return keepMs * (LEAST_PART + (1 - LEAST_PART) * phase)
}
