import type { CallHeader } from '../ports/transport.port.ts'
import type { Role } from './ownership.ts'

/** How one account comes to be run by one process and no other: on one computer, or in a cluster. */
export interface AccountOwnership {
  /** Finds or becomes the owner. Call it once. Errors  of the kind of ownership. */
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
