import type { DriverCommand, DriverEvent } from './driver.ts'

/** Between the driver in an account thread and the paper client's thread, over one port per account. */
export type PaperCommand =
  | { readonly kind: 'open'; readonly epoch: number }
  | { readonly kind: 'command'; readonly command: DriverCommand }
export interface PaperEvent {
  readonly kind: 'event'
  readonly event: DriverEvent
}
