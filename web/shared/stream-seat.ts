/**
 * A browser opens six connections to an address, for all its tabs together, and a stream holds one for as long as it
 * lasts: six tabs would leave none to ask, or to stop anything.
 */
const SEATS = 3
const NAME = 'steward.stream'
/** Who has no seat by then is told that others have them. */
const FREE_MS = 500

const onceAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })

/**
 * Resolves with a seat for a stream, which is held until `signal` ends it; at once where the browser keeps no account of
 * them. `onTaken` hears that the other tabs of this address have them all. Never resolves once it has ended.
 */
export function takeSeat(signal: AbortSignal, onTaken: () => void): Promise<void> {
  const { locks } = navigator
  if (locks === undefined) return Promise.resolve()
  return new Promise((resolve) => {
    const waiting = new AbortController()
    const late = setTimeout(onTaken, FREE_MS)
    let isSeated = false
    const sit = async (): Promise<void> => {
      if (isSeated || signal.aborted) return
      isSeated = true
      clearTimeout(late)
      waiting.abort() // one is enough
      resolve()
      await onceAborted(signal)
    }
    const stop = (): void => {
      clearTimeout(late)
      waiting.abort()
    }
    signal.addEventListener('abort', stop, { once: true })
    for (let seat = 0; seat < SEATS; seat += 1) {
      // A wait that was given up rejects.
      locks.request(`${NAME}.${seat}`, { signal: waiting.signal }, sit).catch(() => undefined)
    }
  })
}
