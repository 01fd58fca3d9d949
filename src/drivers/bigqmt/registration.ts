import type { DriverRegistration } from '../registration.ts'
import {
  account,
  accountTypes,
  type BigqmtConfigLimits,
  limits,
  market,
  marketProblems,
  ownOf,
} from './config.ts'

/** A real broker through a script of ours that runs inside the full terminal. */
export const bigqmt = {
  kind: 'real',
  host: 'src/drivers/bigqmt/host/bigqmt.thread.ts',
  markets: ['bigqmt', 'xt', 'gateway', 'cluster'],
  account,
  accountTypes,
  limits,
  ordered: [['relaunch_min_ms', 'relaunch_max_ms']],
  own: ownOf,
  quotes: {
    market,
    problems: marketProblems,
    shownAs: 'bigqmt',
    downloadMsMax: (limits: { readonly bigqmt: BigqmtConfigLimits }) =>
      limits.bigqmt.history_timeout_ms,
    open: () => import('./market.ts'),
  },
  doctor: () => import('./doctor.ts'),
} as const satisfies DriverRegistration
