/** Who has something that is in the log and not in the database. */
export interface Movable {
  /** Writes it to the database, beside this thread. False when the disk has no room for it now. */
  move(): Promise<boolean>
  readonly hasPending: boolean
}

export interface CheckpointTimes {
  /** How long something is in the log alone. */
  readonly everyMs: number
  /** Between two databases that are written: what waits for the log's own flush then meets an idle disk. */
  readonly restMs: number
  /** Between two tries while the disk has no room. */
  readonly retryMs: number
}

interface CheckpointsDeps extends CheckpointTimes {
  /** Whether the log fills up: then there is no rest, and nothing waits for its time. */
  readonly isUrgent: () => boolean
  /** Of a clock that never goes back. */
  readonly nowMs: () => number
  /** Some of it went: the log may have room again. */
  readonly moved: () => void
}

/**
 * Brings what is in the log into the databases: one after the other, the oldest first, with a rest between
 * them, unless the log fills up meanwhile. Whoever ends without it leaves a log to read.
 *
 * Errors  what `move` throws is thrown in a turn of its own, and must end the process.
 */
export class Checkpoints<One extends Movable = Movable> {
  readonly #deps: CheckpointsDeps
  /** When they are due, in this order. */
  readonly #due = new Map<One, number>()
  #timer: NodeJS.Timeout | undefined
  #isRunning = false
  /** One is being written. */
  #isMoving = false
  /** Nothing is written before, unless it is urgent. */
  #restUntilMs = 0
  /** Nothing is written before: the disk has no room. */
  #stuckUntilMs = 0
  #isClosed = false

  constructor(deps: CheckpointsDeps) {
    this.#deps = deps
  }

  /** Its first commit that is not in the database was answered a moment ago. */
  add(one: One): void {
    if (this.#isClosed || this.#due.has(one)) return
    this.#due.set(one, this.#deps.nowMs() + this.#deps.everyMs)
    this.#schedule()
  }

  /** It has become urgent. False when there is nothing that could go. */
  hurry(): boolean {
    this.#schedule()
    return this.#due.size > 0 || this.#isMoving
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
    this.#due.clear()
  }

  #schedule(): void {
    const waitMs = this.#waitMs()
    if (this.#isRunning || waitMs === undefined) return
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.#run(), waitMs)
    this.#timer.unref()
  }

  /** Until the next one may be written; undefined when there is none. */
  #waitMs(): number | undefined {
    const [atMs] = this.#due.values()
    if (atMs === undefined) return undefined
    const { nowMs, isUrgent } = this.#deps
    const pacedMs = isUrgent() ? 0 : Math.max(atMs, this.#restUntilMs)
    return Math.max(0, Math.max(pacedMs, this.#stuckUntilMs) - nowMs())
  }

  async #run(): Promise<void> {
    const { nowMs, restMs, retryMs, moved } = this.#deps
    this.#isRunning = true
    while (this.#waitMs() === 0) {
      const [one] = this.#due.keys()
      if (one === undefined) break
      this.#due.delete(one)
      this.#isMoving = true
      if (!(await one.move())) this.#stuckUntilMs = nowMs() + retryMs
      this.#isMoving = false
      if (this.#isClosed) return
      if (one.hasPending) this.add(one) // at the end, and not before its time
      this.#restUntilMs = nowMs() + restMs
      moved()
    }
    this.#isRunning = false
    this.#schedule()
  }
}
