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

/** Browsers keep no account of seats over plain http, but from this computer; of these the types know nothing. */
const accountOf = (): LockManager | undefined => navigator.locks

/**
 * Resolves with a seat for a stream, which is held until `signal` ends it; at once where the browser keeps no account of
 * them, or none for this page. `onTaken` hears that the other tabs of this address have them all. Never resolves once it
 * has ended.
 */
export function takeSeat(signal: AbortSignal, onTaken: () => void): Promise<void> {
  const locks = accountOf()
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
      // A wait that was given up rejects, and changes nothing; so does a browser that lets the site keep nothing.
      locks.request(`${NAME}.${seat}`, { signal: waiting.signal }, sit).catch(sit)
    }
  })
}

/** Without an account of seats a page that nobody sees leaves its connection to the others: hears when it is to `leave`. */
export function onUnseen(signal: AbortSignal, leave: () => void): void {
  if (accountOf() !== undefined) return
  const look = (): void => {
    if (document.hidden) leave()
  }
  document.addEventListener('visibilitychange', look, { signal })
}

/** Resolves as soon as such a page is seen; at once where there is an account. */
export function onceSeen(signal: AbortSignal): Promise<void> {
  if (accountOf() !== undefined || !document.hidden) return Promise.resolve()
  return new Promise((resolve) => {
    document.addEventListener('visibilitychange', () => resolve(), { once: true, signal })
  })
}
