// Keeps test files from living through midnight at the exchange. Plain JavaScript; used by tap.mjs and mutate.mjs.
import { setTimeout as delay } from 'node:timers/promises'

/** Of the exchange, UTC+8 at every date: the zone of the computer has no part in it. */
const OFFSET_MS = 8 * 3_600_000
const DAY_MS = 86_400_000
/** Longer than a test file takes, on a computer that is slow and busy too. */
const FILE_MS_MAX = 300_000

/** How long a file that would begin at `nowMs` (epoch milliseconds) has to wait for the next day; mostly 0. */
export function waitMs(nowMs) {
  const leftMs = DAY_MS - ((nowMs + OFFSET_MS) % DAY_MS)
  return leftMs > FILE_MS_MAX ? 0 : leftMs
}

/**
 * Midnight at the exchange opens a day: orders that rest expire, the list of the day and its counts begin anew, price
 * limits move. A service in a test does that too, and the test would miss what it has done. What is to be seen of a
 * change of days is played on clocks of its own. `now` is in epoch milliseconds, `wait` takes milliseconds.
 */
export class DayEdge {
  #now
  #wait
  #say
  #passing

  constructor({
    now = Date.now,
    wait = delay,
    say = (line) => process.stdout.write(`${line}\n`),
  } = {}) {
    this.#now = now
    this.#wait = wait
    this.#say = say
  }

  /** Resolves when a file may begin: at once, or when midnight is over. However many wait, it is said once. */
  passed() {
    this.#passing ??= this.#pass().finally(() => {
      this.#passing = undefined
    })
    return this.#passing
  }

  async #pass() {
    const firstMs = waitMs(this.#now())
    if (firstMs === 0) return
    const seconds = Math.ceil(firstMs / 1_000)
    this.#say(
      `steward: waiting ${seconds} s for midnight at the exchange, which tests do not cross`,
    )
    // Timers may end early, and clocks be set.
    for (let ms = firstMs; ms > 0; ms = waitMs(this.#now())) await this.#wait(ms)
  }
}
