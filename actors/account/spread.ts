/** Of a turn in ever the same direction: consecutive slots land far from each other, however many there are. */
const GOLDEN_PART = (Math.sqrt(5) - 1) / 2
/** The least of the time that is waited: what comes in one burst of quotes is still one piece. */
const LEAST_PART = 1 / 4

/**
 * Milliseconds for which the account of a slot waits with what may wait for at most `mostMs`.
 *
 * A market that rises gives every account new highs in the same instant. Would all look at them and save them
 * equally late, they would want the cores and the store in one moment, and an order that comes just then would wait
 * behind all of it.
 */
export function spreadMs(mostMs: number, slot: number): number {
  const phase = (slot * GOLDEN_PART) % 1
  return Math.floor(mostMs * (LEAST_PART + (1 - LEAST_PART) * phase))
}
