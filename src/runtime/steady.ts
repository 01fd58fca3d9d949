/** The longest timer of the platform, which fires at once beyond it: for what waits as long as it takes. */
export const FOREVER_MS = 2 ** 31 - 1

/**
 * Milliseconds that never jump, the same in all threads and processes of this computer. Deadlines that
 * travel are of this clock: one of the clock on the wall would be over, or never be, after a jump of it.
 */
export function steadyMs(): number {
  const [seconds, nanoseconds] = process.hrtime()
  return seconds * 1e3 + nanoseconds / 1e6
}

/** When it was `sinceMs` of {@link steadyMs}, by what the clock on the wall has been set to since: epoch milliseconds. */
export const wallMsOf = (sinceMs: number): number => Date.now() - (steadyMs() - sinceMs)
