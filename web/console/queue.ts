/** What waits for its turn, the first one first, and no more than `max` of it. */
export function queueOf<T>(max: number) {
  const waiting: T[] = []
  return {
    /** Whether there was room for it. */
    add(one: T): boolean {
      if (waiting.length >= max) return false
      waiting.push(one)
      return true
    },
    next: (): T | undefined => waiting.shift(),
  }
}
