export interface RemoteCallersLimits {
  /** An answer gets to its client within this, or the front says that it did not. ms */
  readonly answeredWithinMs: number
  /** Who has not asked anything for so long is gone. ms */
  readonly silenceMs: number
  /** Orders that are remembered of one caller; the oldest are forgotten. */
  readonly ordersMax: number
}

interface Caller {
  readonly heardMs: number
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

  /** Answers that are further apart have a standstill between them. */
  constructor(gapMsMax: number) {
    this.#gapMsMax = gapMsMax
  }

  answered(nowMs: number): void {
    if (nowMs - this.#untilMs > this.#gapMsMax) this.#sinceMs = nowMs
    this.#untilMs = nowMs
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
  readonly #callers = new Map<string, Caller>()

  constructor(limits: RemoteCallersLimits) {
    this.#limits = limits
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
    else this.#callers.set(inc, { heardMs: nowMs, orders })
  }

  /** Keys of orders whose callers are gone, each told once: silent for too long while they could be heard. */
  gone({ sinceMs, untilMs }: Pick<Hearing, 'sinceMs' | 'untilMs'>): readonly string[] {
    const keys: string[] = []
    for (const [inc, { heardMs, orders }] of this.#callers) {
      if (untilMs - Math.max(heardMs, sinceMs) <= this.#limits.silenceMs) continue
      keys.push(...orders.keys())
      this.#callers.delete(inc)
    }
    return keys
  }
}
