import type { DriverRegistration } from '../registration.ts'
import { account, type GatewayLimits, limits, market, peerProblems } from './config.ts'

/** An account whose trading client runs elsewhere, through the gateway that has it. */
export const gateway = {
  kind: 'real',
  host: 'src/drivers/gateway/host/gateway.thread.ts',
  markets: ['gateway', 'xt', 'bigqmt', 'cluster'],
  account,
  limits,
  ordered: [['quotes_poll_ms', 'quotes_retry_max_ms']],
  problems: peerProblems,
  quotes: {
    market,
    shownAs: 'gateway',
    downloadMsMax: ({ gateway: { history_timeout_ms } }: { readonly gateway: GatewayLimits }) =>
      history_timeout_ms,
    open: () => import('./market.ts'),
  },
  doctor: () => import('./doctor.ts'),
} as const satisfies DriverRegistration
