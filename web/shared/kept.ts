/** What this browser keeps for the page: all tabs of an address have it in common, and windows may refuse to keep anything. */

/** What local storage holds under a key; undefined when it holds nothing readable. */
export function stored<T>(key: string): T | undefined {
  try {
    return JSON.parse(localStorage.getItem(key) ?? 'null') ?? undefined
  } catch {
    return undefined
  }
}

/** Keeps a value in this browser; false where it refuses or is full: then it lasts as long as the page. */
export function store(key: string, value: unknown): boolean {
  try {
    localStorage.setItem(key, JSON.stringify(value))
    return true
  } catch {
    return false
  }
}

/** Forgets what is kept under keys that begin so. */
export function forget(prefix: string): void {
  try {
    const keys = Object.keys(localStorage).filter((key) => key.startsWith(prefix))
    for (const key of keys) localStorage.removeItem(key)
  } catch {
    // where nothing may be kept there is nothing to forget
  }
}

/** Calls `hear` whenever another tab has kept or forgotten something under the key. */
export function onKept(key: string, hear: () => void): void {
  addEventListener('storage', ({ key: changed }) => {
    if (changed === key || changed === null) hear()
  })
}
