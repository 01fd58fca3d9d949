import type { AccountCommand } from '../../src/account/commands/on-request.ts'
import { ServiceError } from '../../src/domain/errors.ts'
import type { TimeSources } from '../../src/market/clock.ts'

interface Requester {
  readonly correlationId: string
  /** Monotonic milliseconds: begun later it is not executed, because its caller has given up. */
  readonly untilMs: number
  /** Monotonic milliseconds: later nobody waits for the answer; absent, somebody always does. */
  readonly answerByMs?: number
  readonly resolve: (value: unknown) => void
  readonly reject: (error: ServiceError) => void
}

/** The clocks may be looked at one after the other, and one of them counts in hundredths of a second. */
const CLOCKS_APART_MS = 1_000

interface Waiting extends Requester {
  isWithdrawn: boolean
  /** How long it might take until it was begun. */
  readonly startMs: number
  /** Monotonic milliseconds: later it is not begun, and what was written down is not sent. */
  lateMs: number
  /** The same on the clock that also runs while the computer sleeps. */
  lateUptimeMs: number
  /** What it wants placed, once it was begun. */
  placing: Placing | undefined
  /** Client order ids of that. */
  orders: readonly string[]
}

type Placing = Extract<AccountCommand, { kind: 'placeOrder' | 'executeSell' | 'executeBuy' }>

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
    const startMs = requester.untilMs - this.#monotonicMs()
    const fresh = { isWithdrawn: false, placing: undefined, orders: NONE }
    this.#waiting.set(ref, { ...requester, ...fresh, startMs, ...this.#lateAfter(startMs) })
    return ref
  }

  /** Of the request behind a command; empty when nobody waits for it. */
  correlationId(ref: number): string {
    return this.#waiting.get(ref)?.correlationId ?? ''
  }

  /** How long somebody still waits for the answer, milliseconds; Infinity = always. */
  leftMs(ref: number): number {
    const answerByMs = this.#waiting.get(ref)?.answerByMs ?? Number.POSITIVE_INFINITY
    return answerByMs - this.#monotonicMs()
  }

  /** Its caller is gone. What he wanted placed of which some may still wait for its turn. */
  withdraw(correlationId: string): readonly Placing[] {
    const placing: Placing[] = []
    for (const waiting of this.#waiting.values()) {
      if (waiting.correlationId !== correlationId) continue
      waiting.isWithdrawn = true
      if (waiting.placing !== undefined) placing.push(waiting.placing)
    }
    return placing
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
    if (waiting === undefined || !isPlacing(command)) return
    waiting.placing = command
    waiting.orders = command.kind === 'executeBuy' ? command.keys : [command.key]
  }

  /** Orders that had to wait leave now, and may take as long to be sent as those of a request that was just begun. */
  turnCame(clientOrderIds: readonly string[], ownRef: number | undefined): void {
    if (clientOrderIds.length === 0) return
    for (const [ref, waiting] of this.#waiting) {
      if (ref === ownRef || !waiting.orders.some((id) => clientOrderIds.includes(id))) continue
      Object.assign(waiting, this.#lateAfter(waiting.startMs))
    }
  }

  /** Whether an order, written down meanwhile, comes too late for the one who asked for it. Those of strategies never do. */
  isOrderLate(clientOrderId: string): boolean {
    for (const waiting of this.#waiting.values()) {
      if (waiting.orders.includes(clientOrderId)) return this.#isLate(waiting)
    }
    return false
  }

  #lateAfter(ms: number): Pick<Waiting, 'lateMs' | 'lateUptimeMs'> {
    return {
      lateMs: this.#monotonicMs() + ms,
      lateUptimeMs: this.#uptimeMs() + ms + CLOCKS_APART_MS,
    }
  }

  #isLate({ isWithdrawn, lateMs, lateUptimeMs }: Waiting): boolean {
    return isWithdrawn || this.#monotonicMs() > lateMs || this.#uptimeMs() > lateUptimeMs
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

const isPlacing = (command: AccountCommand): command is Placing =>
  command.kind === 'placeOrder' || command.kind === 'executeSell' || command.kind === 'executeBuy'
