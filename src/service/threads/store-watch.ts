import type { Logger } from '../../observability/logger.ts'

/** What is known of a question to the store. */
export interface StoreSight {
  /** For how long it has had no answer, while whoever asks was awake. ms */
  readonly waitedMs: number
  readonly isLate: boolean
}

export interface StoreWatchLimits {
  /** An answer that takes longer means a disk that stands still. */
  readonly lateMs: number
  /** Between two looks. */
  readonly lateCheckMs: number
}

export const UNASKED: StoreSight = { waitedMs: 0, isLate: false }

/** Of one interval: what comes much later was itself kept waiting, as in a process that was stopped. */
const INTERVALS_MAX = 2

/** One look at the store, so long after the last one. */
export function lookAtStore(
  { waitedMs, isLate }: StoreSight,
  { isAnswered, gapMs }: { readonly isAnswered: boolean; readonly gapMs: number },
  { lateMs, lateCheckMs }: StoreWatchLimits,
): StoreSight {
  if (isAnswered) return UNASKED
  const waited = waitedMs + Math.min(Math.max(0, gapMs), INTERVALS_MAX * lateCheckMs)
  return { waitedMs: waited, isLate: isLate || waited >= lateMs }
}

export interface StoreWatchOptions {
  /** Resolves when the store has come to it, which it does at once unless its disk stands still. */
  readonly ask: () => Promise<unknown>
  /** Monotonic. */
  readonly nowMs: () => number
  readonly log: Pick<Logger, 'error' | 'info'>
  /** Hears of each turn, as the log does. */
  readonly onTurn: (isLate: boolean) => void
  readonly limits: StoreWatchLimits
}

/**
 * Asks the store again and again whether it answers. Its thread waits for each flush of the disk, and with it all
 * that accounts decide: orders, and the sales of stops. A disk that goes to sleep, or a scanner that holds a file, is
 * no failure and ends nothing; but somebody has to be told.
 */
export class StoreWatch {
  readonly #options: StoreWatchOptions
  readonly #timer: NodeJS.Timeout
  #sight = UNASKED
  #isAsking = false
  #isAnswered = true
  #lookedMs: number

  constructor(options: StoreWatchOptions) {
    this.#options = options
    this.#lookedMs = options.nowMs()
    this.#timer = setInterval(() => this.look(), options.limits.lateCheckMs)
    this.#timer.unref()
  }

  /** Nothing is written down now, and it has been so for longer than a flush takes. */
  get isLate(): boolean {
    return this.#sight.isLate
  }

  /** For how long the store has not answered; 0 while it does. ms */
  get waitedMs(): number {
    return this.#sight.isLate ? this.#sight.waitedMs : 0
  }

  /** It was asked a look ago at least, and has not answered yet: what ends now does not wait until it counts as late. */
  get isSilent(): boolean {
    return this.#sight.waitedMs > 0
  }

  close(): void {
    clearInterval(this.#timer)
  }

  /** One look; the timer calls it. */
  look(): void {
    const { nowMs, limits } = this.#options
    const before = this.#sight
    const now = nowMs()
    const gapMs = now - this.#lookedMs
    this.#lookedMs = now
    this.#sight = lookAtStore(before, { isAnswered: this.#isAnswered, gapMs }, limits)
    if (this.#sight.isLate !== before.isLate) this.#tell(before.waitedMs)
    void this.#ask()
  }

  /** One question at a time; one that was given up has no answer, and is asked anew. */
  async #ask(): Promise<void> {
    if (this.#isAsking) return
    this.#isAsking = true
    this.#isAnswered = false
    try {
      await this.#options.ask()
      this.#isAnswered = true
    } catch {
      // it is late, or the process is about to end
    }
    this.#isAsking = false
  }

  #tell(waitedMs: number): void {
    const { log, onTurn } = this.#options
    onTurn(this.isLate)
    if (this.isLate) return log.error({ alert: 'disk_late', waitedMs: this.waitedMs }, LATE)
    log.info({ waitedMs }, 'the disk answers again: everything is served')
  }
}

export const LATE =
  '磁盘没有响应，账户的决定写不下去：在它恢复之前任何委托都发不出去，止损卖出也一样，会推迟 (the disk does not answer, and nothing that accounts decide is written down: until it does no order goes out, and the sales of stops come late)'
