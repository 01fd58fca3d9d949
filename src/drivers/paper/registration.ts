import type { DriverRegistration } from '../registration.ts'
import { account, limits } from './config.ts'

/** The exchange and broker inside the service: matches orders against the market of this process. */
export const paper = {
  kind: 'embedded',
  host: 'src/drivers/paper/host/paper.thread.ts',
  account,
  limits,
} as const satisfies DriverRegistration
