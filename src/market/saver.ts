import type { MarketLog, Saved } from './saved.ts'

/**
 * Saves the newest value: at most one save is under way and at most one waits. A save that fails
 * is logged and left to the next one: what is saved here can be repeated.
 */
export class Saver<T> {
  readonly #saved: Saved<T>
  readonly #log: MarketLog
  #waiting: T | undefined
  #running: Promise<void> | undefined

  constructor(saved: Saved<T>, log: MarketLog) {
    this.#saved = saved
    this.#log = log
  }

  /** Resolves when this value, or a newer one, is saved or has failed to be. */
  save(value: T): Promise<void> {
    this.#waiting = value
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined
    })
    return this.#running
  }

  async #run(): Promise<void> {
    while (this.#waiting !== undefined) {
      const value = this.#waiting
      this.#waiting = undefined
      try {
        await this.#saved.save(value)
      } catch (error) {
        this.#log.warn({ err: error }, 'the market could not save its position')
      }
    }
  }
}
