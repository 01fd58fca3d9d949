/**
 * Hands out `items` one after the other until `minutes` are over; without `minutes` there is no end but theirs.
 * With one it begins anywhere: a computer too slow for all of them comes to others the next time. `now` is in ms,
 * `random` from 0 to below 1.
 */
export class TimedQueue {
  #items
  #endMs
  #now

  constructor(items, { minutes, now = () => performance.now(), random = Math.random } = {}) {
    const first = minutes === undefined ? 0 : Math.floor(random() * items.length)
    this.#items = [...items.slice(first), ...items.slice(0, first)]
    this.#endMs = minutes === undefined ? Number.POSITIVE_INFINITY : now() + minutes * 60_000
    this.#now = now
  }

  /** The next item, or undefined once all are handed out or the time is over. */
  next() {
    return this.#now() < this.#endMs ? this.#items.shift() : undefined
  }

  /** What was not handed out. */
  get left() {
    return [...this.#items]
  }
}

/** The value of `--minutes`: a number above 0, or undefined where it is not given. */
export function minutesOf(word) {
  if (word === undefined) return undefined
  const minutes = Number(word)
  if (!(minutes > 0)) throw new Error(`steward: --minutes is a number above 0, not ${word}`)
  return minutes
}
