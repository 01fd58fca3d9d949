import type { DriverCommand, DriverEvent } from '../../protocol/driver.ts'

/** What goes wrong with a command before it leaves. */
export type CommandFault =
  /** Swallowed: it never arrives and is never answered. */
  | { readonly kind: 'hang' }
  /** An order that is on its way until then; the connection may break and come back meanwhile. */
  | { readonly kind: 'late'; readonly until: Promise<unknown> }
  /** Refused on the spot: a submit is rejected with this text, anything else has failed. */
  | { readonly kind: 'fail'; readonly message: string }
  /** The connection breaks; `isSent` says whether the command still got through. */
  | { readonly kind: 'disconnect'; readonly reason: string; readonly isSent: boolean }
  /** The broker starts anew: the command is lost, and all that the old session still had to say. */
  | { readonly kind: 'restart'; readonly reason: string }

/** What goes wrong with an answer or a push on its way. */
export type EventFault =
  | { readonly kind: 'lose' }
  | { readonly kind: 'twice' }
  | { readonly kind: 'late'; readonly delayMs: number }
  /** It lets the event after it pass first. */
  | { readonly kind: 'swap' }
  /** Something else is told: a wrong cancel result, a report that fails, a remark that is cut. */
  | { readonly kind: 'instead'; readonly event: DriverEvent }
  /** The connection breaks before it is told. */
  | { readonly kind: 'disconnect'; readonly reason: string }

/**
 * Faults for tests: asked about every command and every event; undefined = nothing goes wrong.
 * Partial fills are none: the market makes them, with levels that hold less than an order wants.
 */
export interface PaperFaults {
  readonly command?: (command: DriverCommand) => CommandFault | undefined
  readonly event?: (event: DriverEvent) => EventFault | undefined
}
