import type { ServiceError } from '../../domain/errors.ts'
import type { StockCode } from '../../domain/instrument.ts'
import type { Quote } from '../../ports/quotes.port.ts'
import type { DriverCommand } from '../../protocol/driver.ts'
import { apply } from '../fold/apply.ts'
import { withBefore } from '../fold/before.ts'
import type { DirtyRow } from '../model/dirty-row.ts'
import type { AccountEvent, JournaledEvent } from '../model/events.ts'
import type { AccountState, PendingCall } from '../model/state.ts'

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

/** What the shell does once the events of the turn are durable, in this order. */
export type Effect =
  /** `timeoutMs` after it the shell puts `callTimedOut` into the mailbox, unless it was answered. */
  | { readonly kind: 'call'; readonly command: DriverCommand; readonly timeoutMs: number }
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

export interface TurnInputs {
  /** Market clock, epoch ms. */
  readonly nowMs: number
  /** System clock, epoch ms: connection times and time-outs. */
  readonly wallMs: number
  /** Quote of a code, undefined when there is none: one reading for the whole turn. */
  readonly quote: (code: StockCode) => Quote | undefined
}

/** One input being worked off: collects events (folded at once) and effects (performed afterwards). */
export class Turn {
  readonly state: AccountState
  readonly inputs: TurnInputs
  readonly events: JournaledEvent[] = []
  readonly dirtyRows: DirtyRow[] = []
  readonly effects: Effect[] = []

  constructor(state: AccountState, inputs: TurnInputs) {
    this.state = state
    this.inputs = inputs
  }

  /** The event has happened: it goes into the journal and the state shows it from now on. */
  emit(event: AccountEvent): void {
    const journaled = {
      seq: this.state.seq + 1,
      timeMs: this.inputs.nowMs,
      event: withBefore(this.state, event),
    }
    this.dirtyRows.push(...apply(this.state, journaled))
    this.events.push(journaled)
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

  reply(ref: number | undefined, value: unknown): void {
    if (ref !== undefined) this.after({ kind: 'reply', ref, value })
  }

  refuse(ref: number | undefined, error: ServiceError): void {
    if (ref !== undefined) this.after({ kind: 'refuse', ref, error })
  }

  warn(message: string): void {
    this.after({ kind: 'log', level: 'warn', message })
  }
}
