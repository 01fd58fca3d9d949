import type { Driver } from '../../src/ports/driver.port.ts'
import { steadyMs } from '../../src/runtime/steady.ts'

/** As the host of a driver gives commands on: each with an end, so far from now. */
export const endingIn = (driver: Driver, leftMs: () => number): Driver => ({
  open: (sink) => driver.open(sink),
  send: (command) => driver.send(command, steadyMs() + leftMs()),
  close: () => driver.close(),
})
