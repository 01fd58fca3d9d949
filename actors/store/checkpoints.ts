import { steadyMs } from '../../src/runtime/steady.ts'

/** Who has something that is in the log and not in the database. */
interface Movable {
  /** Writes it to the database, beside this thread. Never rejects. */
  move(): Promise<void>
  readonly hasPending: boolean
}

interface CheckpointsDeps {
  /** After which what is in the log goes to its database. */
  readonly everyMs: number
  /** Some of it went: the log may have room again. */
  readonly moved: () => void
}

/** Brings what is in the log into the databases, one after the other, the oldest first. */
export class Checkpoints {
  readonly #deps: CheckpointsDeps
  /** In the order in which they are due. */
  readonly #due = new Map<Movable, number>()
  #timer: NodeJS.Timeout | undefined
  #isRunning = false
  #isHurried = false
  #isClosed = false

  constructor(deps: CheckpointsDeps) {
    this.#deps = deps
  }

  /** Its first commit that is not in the database was answered a moment ago. */
  add(one: Movable): void {
    if (this.#isClosed || this.#due.has(one)) return
    this.#due.set(one, steadyMs() + this.#deps.everyMs)
    this.#schedule()
  }

  /** All that wait now are due. False when none does. */
  hurry(): boolean {
    if (this.#due.size === 0 && !this.#isRunning) return false
    this.#isHurried = this.#due.size > 0
    this.#schedule()
    return true
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
    this.#due.clear()
  }

  #schedule(): void {
    const [atMs] = this.#due.values()
    if (this.#isRunning || atMs === undefined) return
    clearTimeout(this.#timer)
    const waitMs = this.#isHurried ? 0 : Math.max(0, atMs - steadyMs())
    this.#timer = setTimeout(() => void this.#run(), waitMs)
  }

  async #run(): Promise<void> {
    const isHurried = this.#isHurried
    this.#isRunning = true
    this.#isHurried = false // who asks from now on means another round
    for (const [one, atMs] of [...this.#due]) {
      if (!isHurried && atMs > steadyMs()) break
      this.#due.delete(one)
      await one.move()
      if (this.#isClosed) return
      if (one.hasPending) this.add(one) // at the end, and not before its time
      this.#deps.moved()
    }
    this.#isRunning = false
    this.#schedule()
  }
}
