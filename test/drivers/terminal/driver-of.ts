import { TerminalDriver } from '../../../src/drivers/terminal/driver.ts'
import type { SidecarHost } from '../../../src/drivers/terminal/sidecar-host.ts'
import { silentLogger } from '../../../src/observability/logger.ts'

/** A driver at what a test says in place of a sidecar's host. */
export const driverOf = (host: object): TerminalDriver =>
  new TerminalDriver({
    accountId: '1',
    accountType: 'STOCK',
    clientPath: '',
    host: host as SidecarHost,
    epoch: 1,
    limits: { callTimeoutMs: 1_000, connectTimeoutMs: 1_000, heldEventsMax: 16 },
    log: silentLogger,
    nowMs: () => 1,
  })
