import type { ServiceError } from '../domain/errors.ts'
import type { CallHeader, Line } from '../ports/transport.port.ts'

export type Role =
  /** This process runs the account; everything is written under this epoch. */
  | { readonly kind: 'owner'; readonly epoch: number }
  /** Another process runs it; `line` reaches it, `pid` is for messages. */
  | { readonly kind: 'follower'; readonly epoch: number; readonly line: Line }
  /** Nobody is known to run it. The account must not act; `problem` says why the search takes long. */
  | { readonly kind: 'seeking'; readonly problem: ServiceError | null }
/** A role in which the account can be used. */
export type SettledRole = Exclude<Role, { kind: 'seeking' }>

/** How one account comes to be run by one process and no other: on one computer, or in a cluster. */
export interface AccountOwnership {
  /** Finds or becomes the owner. Call it once. Errors  `STOPPING` when it was released meanwhile; of the kind of ownership. */
  start(): Promise<unknown>
  /** Our actor serves: others may be sent here. */
  up(): void
  /** A commit was refused because somebody else owns the account. */
  lost(): void
  /** Gives up whatever role there is, so that another can take over at once. The last call. */
  release(): Promise<void>
}

export interface OwnershipEvents {
  /** Answers what followers ask while we own the account. */
  serve(body: unknown, call: CallHeader): Promise<unknown>
  /** A process that asked us is gone. */
  left?(): void
  /** Each change, `seeking` included: an owner that hears it must stop its actor at once. */
  changed(role: Role): void
}
