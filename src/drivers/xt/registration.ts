import type { DriverRegistration } from '../registration.ts'
import { account, limits, market, sidecarProblems, type XtConfigLimits } from './config.ts'

/** A real broker through the terminal's interface for programs, by way of a sidecar. */
export const xt = {
  kind: 'real',
  host: 'src/drivers/xt/host/xt.thread.ts',
  markets: ['xt', 'bigqmt', 'gateway', 'cluster'],
  account,
  limits,
  ordered: [['relaunch_min_ms', 'relaunch_max_ms']],
  problems: sidecarProblems,
  quotes: {
    market,
    shownAs: 'xtdata',
    // The terminal is asked twice: to fetch, and to read back.
    downloadMsMax: (limits: { readonly xt: XtConfigLimits }) => 2 * limits.xt.history_timeout_ms,
    open: () => import('./market.ts'),
  },
  doctor: () => import('./doctor.ts'),
} as const satisfies DriverRegistration
