// How long the smoke test under Wine waits. It is for what hangs, not for a computer that does other things besides.
import { availableParallelism, cpus } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'

const LOOK_MS = 500
/** However busy the computer is: what has not come after so many times the limit does not come. */
const TIMES_MAX = 6

/** What is read of the computer; tests put in another one. */
const COMPUTER = {
  processors: availableParallelism(),
  nowMs: () => performance.now(),
  /** Of all processors together, since the computer began. */
  idleMs: () => cpus().reduce((sum, { times }) => sum + times.idle, 0),
}

/**
 * A limit that passes as fast as the processors are idle: where all of them are busy it stands still, because whoever is
 * waited for may be one of those that got none. It ends in any case after TIMES_MAX times as long.
 */
export class Patience {
  #computer
  #msMax
  #beganMs
  #last
  #spentMs = 0

  constructor(msMax, computer = COMPUTER) {
    this.#computer = computer
    this.#msMax = msMax
    this.#last = this.#read()
    this.#beganMs = this.#last.nowMs
  }

  /** To be asked again and again: what passes between two looks is counted at the second. */
  get isOver() {
    const now = this.#read()
    const [ms, idleMs] = [now.nowMs - this.#last.nowMs, now.idleMs - this.#last.idleMs]
    this.#last = now
    this.#spentMs += Math.min(ms, Math.max(0, idleMs / this.#computer.processors))
    return this.#spentMs >= this.#msMax || now.nowMs - this.#beganMs >= this.#msMax * TIMES_MAX
  }

  #read() {
    const { nowMs, idleMs } = this.#computer
    return { nowMs: nowMs(), idleMs: idleMs() }
  }
}

/** Resolves with what `look` finds, once that is something. Rejects with `what` when it does not come. */
export async function until(what, msMax, look) {
  const patience = new Patience(msMax)
  for (;;) {
    const found = await look()
    if (found !== undefined) return found
    if (patience.isOver) throw new Error(`${what}: not within ${msMax / 1_000} s`)
    await sleep(LOOK_MS)
  }
}
