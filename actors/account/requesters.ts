import type { AccountCommand } from '../../src/account/commands/on-request.ts'
import { ServiceError } from '../../src/domain/errors.ts'
import type { TimeSources } from '../../src/market/clock.ts'

interface Requester {
  readonly correlationId: string
  /** Monotonic milliseconds: begun later it is not executed, because its caller has given up. */
  readonly untilMs: number
  readonly resolve: (value: unknown) => void
  readonly reject: (error: ServiceError) => void
}

/** The clocks may be looked at one after the other, and one of them counts in hundredths of a second. */
const CLOCKS_APART_MS = 1_000

interface Waiting extends Requester {
  /** The same on the clock that also runs while the computer sleeps. */
  readonly untilUptimeMs: number
  isWithdrawn: boolean
  /** Client order ids of what it wants placed. */
  orders: readonly string[]
}

/** Of an order that was written down and then not sent. */
export const NOT_SENT =
  '写入后超时或调用方已断开，未发往柜台 (its time was up, or its caller gone, before it could be sent)'

/** Those whose commands the account has taken, until they are answered, once each. */
export class Requesters {
  readonly #monotonicMs: () => number
  readonly #uptimeMs: () => number
  readonly #waiting = new Map<number, Waiting>()
  #nextRef = 1

  constructor({
    monotonicMs,
    uptimeMs = monotonicMs,
  }: Pick<TimeSources, 'monotonicMs' | 'uptimeMs'>) {
    this.#monotonicMs = monotonicMs
    this.#uptimeMs = uptimeMs
  }

  /** Under which number it is answered. */
  add(requester: Requester): number {
    const ref = this.#nextRef++
    const leftMs = requester.untilMs - this.#monotonicMs()
    const untilUptimeMs = this.#uptimeMs() + leftMs + CLOCKS_APART_MS
    this.#waiting.set(ref, { ...requester, untilUptimeMs, isWithdrawn: false, orders: [] })
    return ref
  }

  /** Of the request behind a command; empty when nobody waits for it. */
  correlationId(ref: number): string {
    return this.#waiting.get(ref)?.correlationId ?? ''
  }

  /** Its caller is gone. */
  withdraw(correlationId: string): void {
    for (const waiting of this.#waiting.values()) {
      if (waiting.correlationId === correlationId) waiting.isWithdrawn = true
    }
  }

  /** Whether nobody waits for this any more; its caller may send it again under the same key. */
  isPassed(ref: number): boolean {
    const waiting = this.#waiting.get(ref)
    if (waiting === undefined || !this.#isLate(waiting)) return false
    const text =
      '请求排队过久，未执行；可用同一键重发 (taken up after its deadline: not executed, send it again under the same key)'
    this.reject(ref, new ServiceError('DEADLINE_PASSED', text))
    return true
  }

  /** It is executed from here on. */
  begun(ref: number, command: AccountCommand): void {
    const waiting = this.#waiting.get(ref)
    if (waiting !== undefined) waiting.orders = ordersOf(command)
  }

  /** Whether an order, written down meanwhile, comes too late for the one who asked for it. Those of strategies never do. */
  isOrderLate(clientOrderId: string): boolean {
    for (const waiting of this.#waiting.values()) {
      if (waiting.orders.includes(clientOrderId)) return this.#isLate(waiting)
    }
    return false
  }

  #isLate({ isWithdrawn, untilMs, untilUptimeMs }: Waiting): boolean {
    return isWithdrawn || this.#monotonicMs() > untilMs || this.#uptimeMs() > untilUptimeMs
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

const NONE: readonly string[] = []

function ordersOf(command: AccountCommand): readonly string[] {
  if (command.kind === 'placeOrder' || command.kind === 'executeSell') return [command.key]
  return command.kind === 'executeBuy' ? command.keys : NONE
}
