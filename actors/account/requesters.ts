import { ServiceError } from '../../src/domain/errors.ts'
import type { TimeSources } from '../../src/market/clock.ts'

interface Requester {
  readonly correlationId: string
  /** Monotonic milliseconds: taken up later it is not executed, because its caller has given up. */
  readonly untilMs: number
  readonly resolve: (value: unknown) => void
  readonly reject: (error: ServiceError) => void
}

/** Those whose commands the account has taken, until they are answered, once each. */
export class Requesters {
  readonly #time: Pick<TimeSources, 'monotonicMs'>
  readonly #waiting = new Map<number, Requester>()
  #nextRef = 1

  constructor(time: Pick<TimeSources, 'monotonicMs'>) {
    this.#time = time
  }

  /** Under which number it is answered. */
  add(requester: Requester): number {
    const ref = this.#nextRef++
    this.#waiting.set(ref, requester)
    return ref
  }

  /** Of the request behind a command; empty when nobody waits for it. */
  correlationId(ref: number): string {
    return this.#waiting.get(ref)?.correlationId ?? ''
  }

  /** Whether nobody waits for this any more; its caller may send it again under the same key. */
  isPassed(ref: number): boolean {
    const untilMs = this.#waiting.get(ref)?.untilMs ?? Number.POSITIVE_INFINITY
    if (this.#time.monotonicMs() <= untilMs) return false
    const text =
      '请求排队过久，未执行；可用同一键重发 (taken up after its deadline: not executed, send it again under the same key)'
    this.reject(ref, new ServiceError('DEADLINE_PASSED', text))
    return true
  }

  resolve(ref: number, value: unknown): void {
    this.#take(ref)?.resolve(value)
  }

  reject(ref: number, error: ServiceError): void {
    this.#take(ref)?.reject(error)
  }

  #take(ref: number): Requester | undefined {
    const requester = this.#waiting.get(ref)
    this.#waiting.delete(ref)
    return requester
  }
}
