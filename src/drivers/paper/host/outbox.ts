import type { DriverEvent } from '../../../protocol/driver.ts'
import type { ActorBoard } from '../../../runtime/actor-board.ts'
import type { PaperEvent } from '../client.ts'

export interface OutboxLimits {
  /** Batches that wait for their time; one more sends the oldest at once. */
  readonly delayedMax: number
}

export interface OutboxOptions {
  readonly send: (event: PaperEvent) => void
  readonly board: ActorBoard
  /** Slot whose count stays up while a batch waits, so that an exact replay waits too. */
  readonly slot: number
  /** 0 = at once. */
  readonly latencyMs: number
  readonly limits: OutboxLimits
}

/** Answers and pushes on their way to one account: all as late as the others, so never out of order. */
export class Outbox {
  readonly #options: OutboxOptions
  readonly #waiting: { readonly events: readonly DriverEvent[]; readonly timer: NodeJS.Timeout }[] =
    []
  #isClosed = false

  constructor(options: OutboxOptions) {
    this.#options = options
  }

  put(events: readonly DriverEvent[]): void {
    if (events.length === 0 || this.#isClosed) return
    const { latencyMs, board, slot, limits } = this.#options
    if (latencyMs === 0) return this.#send(events)
    board.begin(slot)
    const timer = setTimeout(() => this.#sendOldest(), latencyMs)
    this.#waiting.push({ events, timer })
    if (this.#waiting.length > limits.delayedMax) this.#sendOldest()
  }

  /** The account is gone: what waits is dropped. */
  close(): void {
    this.#isClosed = true
    for (const { timer } of this.#waiting) {
      clearTimeout(timer)
      this.#options.board.end(this.#options.slot)
    }
    this.#waiting.length = 0
  }

  #sendOldest(): void {
    const oldest = this.#waiting.shift()
    if (oldest === undefined) return
    clearTimeout(oldest.timer)
    this.#send(oldest.events)
    this.#options.board.end(this.#options.slot)
  }

  #send(events: readonly DriverEvent[]): void {
    for (const event of events) this.#options.send({ kind: 'event', event })
  }
}
