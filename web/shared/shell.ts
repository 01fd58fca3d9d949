/** The first seconds belong to the page itself. */
const AFTER_MS = 4_000

/**
 * Has the browser keep the shell of the page, so that it opens and says what it last knew while the service does not answer.
 * Browsers do so for https and for addresses of this computer only; elsewhere the page works as ever.
 */
export function keepShell(): void {
  if (!('serviceWorker' in navigator) || !isSecureContext) return
  const keep = (): void => {
    // Private windows may refuse: then there is no shell, and nothing else is missing.
    navigator.serviceWorker.register('/sw.js').catch(() => undefined)
  }
  setTimeout(keep, AFTER_MS)
}
