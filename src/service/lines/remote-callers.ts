export interface RemoteCallersLimits {
  /** An answer gets to its client within this, or the front says that it did not. ms */
  readonly answeredWithinMs: number
  /** Who has not asked anything for so long is gone. ms */
  readonly silenceMs: number
  /** Orders that are remembered of one caller; the oldest are forgotten. */
  readonly ordersMax: number
}

/** So many times its silence altogether, however often servers stood still between, and a caller is gone. */
const SILENCES_MAX = 3

interface Caller {
  readonly heardMs: number
  /** By the clock of what could be heard. */
  readonly heardClockMs: number
  /** When each order came, by its key; the oldest first. */
  readonly orders: ReadonlyMap<string, number>
}

/**
 * Since when, and until when, whoever asks this node could be heard: while the servers of the cluster answer it. After they
 * stood still everybody has to find them again. Times are those of a steady clock.
 */
export class Hearing {
  readonly #gapMsMax: number
  #sinceMs = Number.NEGATIVE_INFINITY
  #untilMs = Number.NEGATIVE_INFINITY
  #clockMs = 0

  /** Answers that are further apart have a standstill between them. */
  constructor(gapMsMax: number) {
    this.#gapMsMax = gapMsMax
  }

  answered(nowMs: number): void {
    this.#clockMs = this.clockAt(nowMs)
    if (nowMs - this.#untilMs > this.#gapMsMax) this.#sinceMs = nowMs
    this.#untilMs = nowMs
  }

  /** A clock that goes on while the servers answer, and stands while they stand still. */
  clockAt(nowMs: number): number {
    return this.#clockMs + Math.min(nowMs - this.#untilMs, this.#gapMsMax)
  }

  get clockMs(): number {
    return this.#clockMs
  }

  get sinceMs(): number {
    return this.#sinceMs
  }

  get untilMs(): number {
    return this.#untilMs
  }
}

/**
 * Other nodes that pass orders on to an account of ours. On one computer the end of a connection says that a process is
 * gone with the answers that it was given; here it is silence: whoever follows an account asks for its health all the time.
 */
export class RemoteCallers {
  readonly #limits: RemoteCallersLimits
  readonly #hearing: Hearing
  readonly #callers = new Map<string, Caller>()

  constructor(limits: RemoteCallersLimits, hearing: Hearing) {
    this.#limits = limits
    this.#hearing = hearing
  }

  /** Whether there is anybody to be waited for. */
  get isAny(): boolean {
    return this.#callers.size > 0
  }

  /** This life of a node has asked something, with the key of an order if it was one. `nowMs`: of a steady clock. */
  heard(inc: string, key: string | undefined, nowMs: number): void {
    const { answeredWithinMs, ordersMax } = this.#limits
    const orders = new Map(this.#callers.get(inc)?.orders)
    // It has lived for so long that every answer of before got where it should, or was said not to.
    for (const [old, atMs] of orders) if (nowMs - atMs > answeredWithinMs) orders.delete(old)
    if (key !== undefined) orders.set(key, nowMs)
    const [oldest] = orders.keys()
    if (orders.size > ordersMax && oldest !== undefined) orders.delete(oldest)
    if (orders.size === 0) this.#callers.delete(inc)
    else {
      const heardClockMs = this.#hearing.clockAt(nowMs)
      this.#callers.set(inc, { heardMs: nowMs, heardClockMs, orders })
    }
  }

  /** Keys of orders whose callers are gone, each told once: silent for too long while they could be heard. */
  gone(): readonly string[] {
    const { silenceMs } = this.#limits
    const { sinceMs, untilMs, clockMs } = this.#hearing
    const keys: string[] = []
    for (const [inc, { heardMs, heardClockMs, orders }] of this.#callers) {
      const isSilent = untilMs - Math.max(heardMs, sinceMs) > silenceMs
      if (!isSilent && clockMs - heardClockMs <= SILENCES_MAX * silenceMs) continue
      keys.push(...orders.keys())
      this.#callers.delete(inc)
    }
    return keys
  }
}
