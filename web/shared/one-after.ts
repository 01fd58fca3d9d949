/**
 * A read that is never answered with what was before the question: who asks while one is on its way, after a command
 * say, waits for the next one, which all share who ask meanwhile. `read` never rejects.
 */
export function oneAfter(read: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined
  let next: Promise<void> | undefined
  const begin = (): Promise<void> => {
    next = undefined
    running = read().finally(() => {
      running = undefined
    })
    return running
  }
  return () => {
    if (next !== undefined) return next
    if (running === undefined) return begin()
    next = running.then(begin)
    return next
  }
}
