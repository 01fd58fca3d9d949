import { randomUUID } from 'node:crypto'

export interface KeptAnswersLimits {
  /** Longest part. */
  readonly partBytesMax: number
  /** Of all answers that wait to be fetched. */
  readonly keptBytesMax: number
  /** An answer of which no part was fetched for so long is forgotten. ms */
  readonly keepMs: number
}

interface Kept {
  readonly bytes: Uint8Array
  readonly timer: NodeJS.Timeout
}

/** How a caller comes by an answer that one message has no room for. */
export interface Ticket {
  readonly id: string
  readonly parts: number
}

/** Answers that one message has no room for: their callers fetch them part by part, as fast as they can take them. */
export class KeptAnswers {
  readonly #limits: KeptAnswersLimits
  readonly #kept = new Map<string, Kept>()
  #bytes = 0

  constructor(limits: KeptAnswersLimits) {
    this.#limits = limits
  }

  /** Undefined: there is no room for it beside the others. */
  keep(bytes: Uint8Array): Ticket | undefined {
    const { partBytesMax, keptBytesMax, keepMs } = this.#limits
    if (this.#bytes + bytes.length > keptBytesMax) return undefined
    const id = randomUUID()
    const timer = setTimeout(() => this.#forget(id), keepMs).unref()
    this.#kept.set(id, { bytes, timer })
    this.#bytes += bytes.length
    return { id, parts: Math.ceil(bytes.length / partBytesMax) }
  }

  /** The part with this number, from 0 on; undefined: there is none. With its last part an answer is forgotten. */
  part(id: string, index: number): Uint8Array | undefined {
    const kept = this.#kept.get(id)
    const from = index * this.#limits.partBytesMax
    if (kept === undefined || !Number.isSafeInteger(index) || index < 0) return undefined
    if (from >= kept.bytes.length) return undefined
    const part = kept.bytes.subarray(from, from + this.#limits.partBytesMax)
    kept.timer.refresh()
    if (from + part.length === kept.bytes.length) this.#forget(id)
    return part
  }

  #forget(id: string): void {
    const kept = this.#kept.get(id)
    if (kept === undefined) return
    clearTimeout(kept.timer)
    this.#kept.delete(id)
    this.#bytes -= kept.bytes.length
  }
}
