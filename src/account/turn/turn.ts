import type { ServiceError } from '../../domain/errors.ts'
import type { StockCode } from '../../domain/instrument.ts'
import type { OrderEventKind } from '../../domain/order-state.ts'
import type { ClockDoubt } from '../../ports/clock.port.ts'
import type { Quote } from '../../ports/quotes.port.ts'
import type { DriverCommand, QueryKind } from '../../protocol/driver.ts'
import { apply } from '../fold/apply.ts'
import { withBefore } from '../fold/before.ts'
import type { PendingCall, QueryPurpose } from '../model/calls.ts'
import { isDerived } from '../model/derived.ts'
import type { DirtyRow } from '../model/dirty-row.ts'
import type { AccountEvent, JournaledEvent } from '../model/events.ts'
import type { Moment } from '../model/shown.ts'
import type { AccountState } from '../model/state.ts'

/** Timers of an account. Setting one again replaces it. */
export type TimerName =
  | 'reconnect'
  | 'ping'
  | 'poll'
  | 'doubt'
  | 'fills'
  | 'cancels'
  | 'version'
  | 'reconcile'
  | 'cancelAll'
  | 'recover'
  | 'open'
  | 'queue'
  | 'amend'

/** What the shell does once the events of the turn are durable, in this order. */
export type Effect =
  /** `timeoutMs` after it the shell puts `callTimedOut` into the mailbox, unless it was answered. */
  | { readonly kind: 'call'; readonly command: DriverCommand; readonly timeoutMs: number }
  /** The trading client has seen a later owner than this one: the store decides what that means. */
  | { readonly kind: 'clientAhead'; readonly clientEpoch: number }
  | { readonly kind: 'reply'; readonly ref: number; readonly value: unknown }
  | { readonly kind: 'refuse'; readonly ref: number; readonly error: ServiceError }
  | { readonly kind: 'timer'; readonly name: TimerName; readonly delayMs: number }
  /** Watch what is to be watched, and move the bands: of these stocks, or of all. */
  | { readonly kind: 'bands'; readonly codes?: ReadonlySet<StockCode> }
  | {
      readonly kind: 'log'
      readonly level: 'info' | 'warn' | 'error'
      readonly message: string
      readonly fields?: Readonly<Record<string, unknown>>
    }

/** What is judged by besides the state: a moment, and the quotes as they are at it. */
export interface Sight {
  /** Market clock, epoch ms. */
  readonly nowMs: number
  /** Quote of a code, undefined when there is none. */
  readonly quote: (code: StockCode) => Quote | undefined
  /** Present while the market clock does not follow the computer's. */
  readonly clockDoubt?: ClockDoubt | undefined
}

/** One reading for the whole turn. */
export interface TurnInputs extends Sight {
  /** System clock, epoch ms: connection times and time-outs. */
  readonly wallMs: number
  /** Free disk space is below its floor. */
  readonly isDiskLow?: boolean
  /** It crashed too often: nothing is decided by itself, and no order is taken. */
  readonly isSuspended?: boolean
}

type OrderMove = Extract<AccountEvent, { kind: 'orderMoved' }>

/** One input being worked off, or news that came together: collects events (folded at once) and effects (performed afterwards). */
export class Turn {
  readonly state: AccountState
  readonly inputs: TurnInputs
  readonly events: JournaledEvent[] = []
  readonly dirtyRows: DirtyRow[] = []
  readonly effects: Effect[] = []
  /** Stocks to be judged again although no event tells of a change. */
  readonly stirred = new Set<StockCode>()
  /** All its events would be found again. */
  isDerived = true
  readonly #versionBefore: number
  /** When the report that is being followed was asked for; undefined for what the broker pushes. */
  asked: Moment | undefined

  constructor(state: AccountState, inputs: TurnInputs) {
    this.state = state
    this.inputs = inputs
    state.wallMs = inputs.wallMs
    this.#versionBefore = state.dataVersion
  }

  /** Something is another than before that read models show. */
  get hasChanged(): boolean {
    return this.events.length > 0 || this.state.dataVersion !== this.#versionBefore
  }

  /** Now, in the count of calls: after what has been answered until now, and before what comes later. */
  tick(): Moment {
    return { at: this.state.nextCallId++, wallMs: this.inputs.wallMs }
  }

  /** The event has happened: it goes into the journal and the state shows it from now on. */
  emit(event: AccountEvent): void {
    if (!isDerived(this.state, event)) this.isDerived = false
    const journaled = {
      seq: this.state.seq + 1,
      timeMs: this.inputs.nowMs,
      event: withBefore(this.state, event),
    }
    this.dirtyRows.push(...apply(this.state, journaled))
    this.events.push(journaled)
  }

  /** A row that follows from no event: what is stored beside the journal and would be missed by nobody. */
  write(row: DirtyRow): void {
    this.dirtyRows.push(row)
  }

  /** Something was learned about an order of ours, or is asked of it. */
  moveOrder(
    clientOrderId: string,
    event: OrderEventKind,
    more: Partial<Omit<OrderMove, 'kind' | 'clientOrderId' | 'event' | 'before'>> = {},
  ): void {
    this.emit({ kind: 'orderMoved', clientOrderId, event, orderId: '', message: '', ...more })
  }

  /** Something about an order that a person should look at. */
  warnOfOrder(clientOrderId: string, text: string): void {
    this.emit({ kind: 'orderWarned', clientOrderId, text })
    this.warn(`order ${clientOrderId}: ${text}`)
  }

  after(effect: Effect): void {
    this.effects.push(effect)
  }

  /** Asks the broker something and remembers what for. */
  call(pending: PendingCall, build: (callId: number) => DriverCommand, timeoutMs: number): void {
    const callId = this.state.nextCallId++
    this.state.calls.set(callId, pending)
    this.after({ kind: 'call', command: build(callId), timeoutMs })
  }

  /** Asks the broker for a report. */
  query(what: QueryKind, purpose: QueryPurpose): void {
    const { callTimeoutMs } = this.state.policy.limits
    this.call(
      { kind: 'query', what, purpose, askedMs: this.inputs.wallMs },
      (callId) => ({ kind: 'query', callId, what }),
      callTimeoutMs,
    )
  }

  /** Whether a report for this purpose is on its way. */
  isAsked(purpose: QueryPurpose): boolean {
    return this.#calls().some((call) => call.kind === 'query' && call.purpose === purpose)
  }

  /** Whether a barrier is on its way. */
  get isBarred(): boolean {
    return this.#calls().some(({ kind }) => kind === 'barrier')
  }

  /** Whether a call about an order has not been answered yet. */
  isUnderWay(kind: 'submit' | 'cancel', clientOrderId: string): boolean {
    return this.#calls().some((call) => call.kind === kind && call.clientOrderId === clientOrderId)
  }

  #calls(): readonly PendingCall[] {
    return [...this.state.calls.values()]
  }

  /** Sets a timer, in place of the one of this name that runs. */
  timer(name: TimerName, delayMs: number): void {
    this.after({ kind: 'timer', name, delayMs })
  }

  reply(ref: number | undefined, value: unknown): void {
    if (ref !== undefined) this.after({ kind: 'reply', ref, value })
  }

  refuse(ref: number | undefined, error: ServiceError): void {
    if (ref !== undefined) this.after({ kind: 'refuse', ref, error })
  }

  info(message: string): void {
    this.after({ kind: 'log', level: 'info', message })
  }

  warn(message: string): void {
    this.after({ kind: 'log', level: 'warn', message })
  }

  error(message: string): void {
    this.after({ kind: 'log', level: 'error', message })
  }
}
