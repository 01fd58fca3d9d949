import type { DriverCommand } from './driver.ts'

/** From the driver in an account thread to the thread of the sidecars; back come `DriverEvent`s. */
export type XtCommand =
  | { readonly kind: 'open'; readonly epoch: number }
  | { readonly kind: 'command'; readonly command: DriverCommand }
