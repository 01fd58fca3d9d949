/** Lanes in the order in which they are served. */
const LANES = ['system', 'event', 'request', 'tick'] as const
export type MailboxLane = (typeof LANES)[number]

export interface MailboxLimits {
  /** Requests (and ticks) waiting; one more is refused by `offer`. */
  readonly requestsMax: number
  /** Driver events (and system messages) waiting; one more throws: dropping one would be a lie. */
  readonly eventsMax: number
  /** Messages in one turn of the event loop; then timers and ports have theirs. Default 64. */
  readonly turnMessagesMax?: number
  /** Messages of other lanes that may overtake a waiting one; then it is served. Default 32. */
  readonly overtakesMax?: number
  /** Messages that are received together, where some are. Default 1. */
  readonly togetherMax?: number
}
const TURN_MESSAGES_MAX = 64
const OVERTAKES_MAX = 32

export interface MailboxOptions<M> {
  readonly limits: MailboxLimits
  /**
   * Takes one message, and with it those behind it that belong to it; the next waits for the promise. What it throws
   * ends the thread.
   */
  readonly receive: (message: M, others: readonly M[]) => void | Promise<void>
  /** Whether a message belongs to the one before it in its lane; without it, none does. */
  readonly belongs?: (message: M, before: M) => boolean
  /** Called at the end of each turn in which messages were received, before ports are served again. */
  readonly batchEnd?: () => void
}

/**
 * What waits for an actor: one message at a time, or some that belong together, the most urgent lane first, each lane in
 * order. No lane waits for ever: a message that was overtaken `overtakesMax` times is served next.
 */
export class Mailbox<M> {
  readonly #lanes: readonly Lane<M>[]
  readonly #receive: MailboxOptions<M>['receive']
  readonly #belongs: MailboxOptions<M>['belongs']
  readonly #batchEnd: () => void
  readonly #turnMessagesMax: number
  readonly #overtakesMax: number
  readonly #togetherMax: number
  #isScheduled = false
  #isClosed = false

  constructor({ limits, receive, belongs, batchEnd }: MailboxOptions<M>) {
    const { requestsMax, eventsMax } = limits
    this.#lanes = LANES.map((name) =>
      name === 'system' || name === 'event' ? new Lane(eventsMax) : new Lane(requestsMax),
    )
    this.#receive = receive
    this.#belongs = belongs
    this.#batchEnd = batchEnd ?? (() => undefined)
    this.#turnMessagesMax = Math.max(1, limits.turnMessagesMax ?? TURN_MESSAGES_MAX)
    this.#overtakesMax = Math.max(1, limits.overtakesMax ?? OVERTAKES_MAX)
    this.#togetherMax = limits.togetherMax ?? 1
  }

  /**
   * False when the message was refused: a full lane of requests or ticks, or a closed mailbox.
   *
   * Errors  throws when system messages or events overflow: the actor restarts and reconciles.
   */
  offer(lane: MailboxLane, message: M): boolean {
    if (this.#isClosed) return false
    if (!this.#lane(lane).push(message)) {
      if (lane === 'request' || lane === 'tick') return false
      throw new RangeError(`mailbox: more than ${this.depth(lane)} messages wait in lane ${lane}`)
    }
    this.#schedule()
    return true
  }

  /** Messages that wait in a lane; the one being received is not among them. */
  depth(lane: MailboxLane): number {
    return this.#lane(lane).size
  }

  /** Drops what waits and refuses the rest. A message being received is finished. */
  close(): void {
    this.#isClosed = true
    for (const lane of this.#lanes) lane.clear()
  }

  #lane(name: MailboxLane): Lane<M> {
    return this.#lanes[LANES.indexOf(name)] as Lane<M>
  }

  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(() => this.#work(this.#turnMessagesMax))
  }

  /** Receives up to `budget` messages; continues here when an asynchronous one has finished. */
  #work(budget: number): void {
    try {
      for (let left = budget; left > 0; ) {
        const lane = this.#next()
        if (lane === undefined) break
        const message = lane.shift()
        const others = this.#othersOf(message, lane)
        left -= 1 + others.length
        const pending = this.#receive(message, others)
        if (pending !== undefined) {
          const rest = left
          pending.then(
            () => this.#work(rest),
            (error: unknown) => this.#fail(error),
          )
          return
        }
      }
      this.#batchEnd()
    } catch (error) {
      this.#fail(error)
    }
    this.#isScheduled = false
    if (this.#lanes.some((lane) => lane.size > 0)) this.#schedule()
  }

  /** Those that wait behind a message and belong to it. */
  #othersOf(message: M, lane: Lane<M>): readonly M[] {
    const belongs = this.#belongs
    if (belongs === undefined || lane.size === 0) return NONE
    const others: M[] = []
    let before = message
    while (lane.size > 0 && others.length + 1 < this.#togetherMax) {
      if (!belongs(lane.first, before)) break
      before = lane.shift()
      others.push(before)
    }
    return others
  }

  #next(): Lane<M> | undefined {
    const waiting = this.#lanes.filter((lane) => lane.size > 0)
    const chosen = waiting.find((lane) => lane.overtaken >= this.#overtakesMax) ?? waiting[0]
    for (const lane of waiting) lane.overtaken = lane === chosen ? 0 : lane.overtaken + 1
    return chosen
  }

  /** Out of any promise, so that it is uncaught and ends the thread; nothing is received after it. */
  #fail(error: unknown): void {
    this.close()
    setImmediate(() => {
      throw error
    })
  }
}

const NONE: readonly never[] = []

/** A bounded queue; taking from its front costs the same at any length. */
class Lane<M> {
  /** Messages of other lanes served since this one was. */
  overtaken = 0
  readonly #sizeMax: number
  #items: M[] = []
  #head = 0

  constructor(sizeMax: number) {
    this.#sizeMax = sizeMax
  }

  get size(): number {
    return this.#items.length - this.#head
  }

  push(message: M): boolean {
    if (this.size >= this.#sizeMax) return false
    this.#items.push(message)
    return true
  }

  /** Only when `size` is not 0. */
  get first(): M {
    return this.#items[this.#head] as M
  }

  /** Only when `size` is not 0. */
  shift(): M {
    const message = this.#items[this.#head] as M
    this.#head++
    if (this.#head * 2 >= this.#items.length) {
      this.#items = this.#items.slice(this.#head)
      this.#head = 0
    }
    return message
  }

  clear(): void {
    this.#items = []
    this.#head = 0
    this.overtaken = 0
  }
}
