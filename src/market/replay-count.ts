import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises'
import type { LineReaderLimits } from './line-reader.ts'
import { REPLAY_START, ReplayCursor } from './replay-cursor.ts'

/** Between two chunks while the play wants the thread for itself: some hundredths of it are left to us. */
const BUSY_PAUSE_MS = 20

export interface ReplayTotal {
  readonly ticks: number
  readonly bad: number
}

/**
 * Counts the ticks and bad lines of a whole file beside the play, a chunk per turn of the event loop.
 * Until it has finished, its figures are what it has met so far. It gives way to a play at full speed,
 * which counts all that it plays itself.
 */
export class ReplayCount {
  #ticks = 0
  #bad = 0
  #isDone = false
  #isStopped = false
  readonly #isBusy: () => boolean
  readonly #running: Promise<void>

  /** @param isBusy whether a play wants the thread for itself */
  constructor(path: string, limits: LineReaderLimits, isBusy: () => boolean) {
    this.#isBusy = isBusy
    this.#running = this.#run(path, limits)
  }

  get sofar(): ReplayTotal {
    return { ticks: this.#ticks, bad: this.#bad }
  }
  get isDone(): boolean {
    return this.#isDone
  }
  /** Resolves when all is counted or counting has been given up. Never rejects. */
  finished(): Promise<void> {
    return this.#running
  }
  async stop(): Promise<void> {
    this.#isStopped = true
    await this.#running
  }

  async #run(path: string, limits: LineReaderLimits): Promise<void> {
    try {
      const cursor = await ReplayCursor.open(path, REPLAY_START, limits, () => undefined)
      try {
        await this.#count(cursor)
      } finally {
        await cursor.close()
      }
    } catch {
      this.#isStopped = true // the play meets the same error and tells it
    }
  }

  async #count(cursor: ReplayCursor): Promise<void> {
    while (!this.#isStopped) {
      while (cursor.peek() !== undefined) cursor.consume()
      this.#ticks = cursor.ticks
      this.#bad = cursor.bad
      if (!(await cursor.fill())) {
        this.#isDone = true
        return
      }
      await (this.#isBusy() ? sleep(BUSY_PAUSE_MS) : turn())
    }
  }
}
