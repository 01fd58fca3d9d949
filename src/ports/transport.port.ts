import type { Lane } from '../protocol/envelope.ts'

/** Carries encoded envelopes between two ends; a MessagePort and a local socket both fit. */
export interface Transport {
  /** Longest message that it carries; one that is longer ends it. Absent: any. */
  readonly bytesMax?: number
  send(envelopes: Uint8Array): void
  onBytes(receive: (envelopes: Uint8Array) => void): void
  /** Called once, when nothing more can be sent or received. */
  onClose(closed: () => void): void
  close(): void
}

export interface AskLimits {
  readonly timeoutMs: number
  /** Not begun within this, it is refused instead; absent: within `timeoutMs`. */
  readonly startWithinMs?: number
  readonly lane?: Lane
  readonly correlationId?: string
}

/** One end of a line to another party: asks that always end. The runtime's `Link` is one. */
export interface Line {
  /** Errors  a ServiceError: that of the other side, or of the line itself. */
  ask<T>(body: unknown, limits: AskLimits): Promise<T>
}

/** What is known of a call besides its body. */
export interface CallHeader {
  readonly lane: Lane
  /** Milliseconds of `steadyMs`, 0 = none. */
  readonly deadlineMs: number
  /** The same, by when it must have been begun; never later than `deadlineMs`. */
  readonly startByMs: number
  readonly correlationId: string
}

export interface LineEnd {
  /** Address of the other side, for errors and logs. */
  readonly peer: string
  /** Answers a call; a ServiceError that it throws goes back with its code. */
  readonly answer: (body: unknown, call: CallHeader) => unknown
}

/** Puts a line on a transport: the composition root gives `(wire, end) => new Link(wire, …)`. */
export type OpenLine = (transport: Transport, end: LineEnd) => Line
