import type { WireError } from '../domain/errors.ts'

/**
 * Raised when a field changes meaning, or something may be asked for that an owner of an earlier release does not know.
 * A new optional field does not count.
 */
export const PROTOCOL_VERSION = 2

/** Lanes of a mailbox, served in this order. Ticks have their own way (wake-up and board). */
export type Lane = 'system' | 'request'

/** The header that every message wears, between threads and between processes alike. */
interface Header {
  readonly version: typeof PROTOCOL_VERSION
  /** Unique per sender; an answer repeats it. 0 on a tell, which is not answered. */
  readonly messageId: number
  /** Address of an actor, e.g. `account/10000001`, `store`, `market`, `paper`. */
  readonly to: string
}

/** A request (messageId > 0) or a tell (messageId 0). */
export interface Call extends Header {
  readonly type: 'call'
  readonly lane: Lane
  /** Of the addressee, as the sender knows it; 0 = any. An older one is refused. */
  readonly incarnation: number
  /** Milliseconds of `steadyMs`; work that arrives late is refused, not started. 0 = none. */
  readonly deadlineMs: number
  /** The same for what may take long once it is begun, but must not be begun late. Absent or 0 = `deadlineMs`. */
  readonly startByMs?: number
  /** Follows one cause from HTTP to the broker through the logs. */
  readonly correlationId: string
  readonly body: unknown
}

/** The answer to a call. */
export interface Answer extends Header {
  readonly type: 'answer'
  readonly outcome:
    | { readonly ok: true; readonly value: unknown }
    | { readonly ok: false; readonly error: WireError }
}

export type Envelope = Call | Answer
