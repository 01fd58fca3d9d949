import type { Alarm } from '../ports/quotes.port.ts'
import { ALARM_HEADER_BYTES, type MarketMemory } from './memory.ts'

/** One word for all actors: raised when somebody has set an alarm. */
const CHANGED_WORD = 0

/** The alarm of one actor: the moment of the market clock at which it wants to be woken. */
export class ActorAlarm implements Alarm {
  readonly #changed: Int32Array
  readonly #times: Float64Array
  readonly #actor: number
  #timeMs = Number.POSITIVE_INFINITY

  constructor({ alarms }: MarketMemory, actor: number) {
    this.#changed = new Int32Array(alarms, 0, 1)
    this.#times = new Float64Array(alarms, ALARM_HEADER_BYTES)
    this.#actor = actor
    this.#write(this.#timeMs) // an earlier life may have left one
  }

  /** Epoch ms of the market clock; Infinity = none. The last word counts. */
  set(timeMs: number): void {
    if (timeMs === this.#timeMs) return
    this.#timeMs = timeMs
    this.#write(timeMs)
  }

  /** It has rung: the same moment can be set again. */
  rung(): void {
    this.#timeMs = Number.POSITIVE_INFINITY
  }

  #write(timeMs: number): void {
    // Zero-filled memory means no alarm, so times are kept as they are and none as 0.
    this.#times[this.#actor] = Number.isFinite(timeMs) ? timeMs : 0
    Atomics.store(this.#changed, CHANGED_WORD, 1)
  }
}

/** The side of the market thread. A look costs one atomic read and one comparison while nothing is due. */
export class AlarmFeed {
  readonly #changed: Int32Array
  readonly #times: Float64Array
  #earliestMs = Number.POSITIVE_INFINITY

  constructor({ alarms }: MarketMemory) {
    this.#changed = new Int32Array(alarms, 0, 1)
    this.#times = new Float64Array(alarms, ALARM_HEADER_BYTES)
  }

  /** Without one the clock need not even be asked. */
  get isAnySet(): boolean {
    if (Atomics.load(this.#changed, CHANGED_WORD) === 1) this.#findEarliest()
    return this.#earliestMs !== Number.POSITIVE_INFINITY
  }
  isDue(nowMs: number): boolean {
    return this.isAnySet && nowMs >= this.#earliestMs
  }

  /** Actors whose moment has come, ascending; their alarms are over. */
  takeDue(nowMs: number): readonly number[] {
    const due: number[] = []
    for (let actor = 0; actor < this.#times.length; actor++) {
      const timeMs = this.#times[actor] ?? 0
      if (timeMs === 0 || timeMs > nowMs) continue
      this.#times[actor] = 0
      due.push(actor)
    }
    this.#findEarliest()
    return due
  }

  #findEarliest(): void {
    // The word is taken down before the times are read: one that is set meanwhile raises it again.
    Atomics.store(this.#changed, CHANGED_WORD, 0)
    this.#earliestMs = Number.POSITIVE_INFINITY
    for (const timeMs of this.#times) {
      if (timeMs > 0 && timeMs < this.#earliestMs) this.#earliestMs = timeMs
    }
  }
}
