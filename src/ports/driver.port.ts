import type { DriverCommand, DriverEvent } from '../protocol/driver.ts'

/**
 * A connection to one account at a broker. Every driver passes `test/contract/driver`. Order numbers are text, see
 * `DriverCommand`.
 */
export interface Driver {
  /** Set before the first command; called for every event, in order. */
  open(sink: (event: DriverEvent) => void): void
  /** `untilMs`: of an order, the time of `steadyMs` after which the broker must not be called any more. */
  send(command: DriverCommand, untilMs?: number): void
  /** No event after this. Orders at the broker stay as they are. */
  close(): void
}
