import { join } from 'node:path'
import type { XtMarketParts } from '../../actors/market/open-xt.ts'
import type { AccountConfig, Config, Limits } from '../config/schema.ts'
import type { SidecarOwnLimits, SidecarPlan, XtSettings } from '../drivers/xt/settings.ts'

/** The configuration of the real trading client in the words of its driver. Nothing is decided here. */

const ownLimits = ({ xt }: Limits): SidecarOwnLimits => ({
  beat_ms: xt.beat_ms,
  beats_missed_max: xt.beats_missed_max,
  handshake_ms: xt.handshake_timeout_ms,
  idle_exit_ms: xt.idle_exit_ms,
  calls_max: xt.calls_max,
  leaks_max: xt.leaks_max,
})

const hostLimits = ({ xt }: Limits): SidecarPlan['limits'] => ({
  frameBytesMax: xt.frame_bytes_max,
  beatMs: xt.beat_ms,
  beatsMissedMax: xt.beats_missed_max,
  handshakeTimeoutMs: xt.handshake_timeout_ms,
  callsMax: xt.calls_max,
  launchTimeoutMs: xt.launch_timeout_ms,
  heldTimeoutMs: xt.held_timeout_ms,
})

/** Undefined for an account on the embedded client. */
export function xtSettings(
  { limits, data_dir: dataDir }: Config,
  account: AccountConfig,
): XtSettings | undefined {
  if (account.driver !== 'xt') return undefined
  return {
    accountType: account.account_type,
    clientPath: account.qmt_path,
    plan: {
      role: 'trade',
      sidecar: account.xt,
      clientPath: account.qmt_path,
      folder: join(dataDir, account.account_id, 'xt'),
      quotePort: 0,
      limits: hostLimits(limits),
      own: ownLimits(limits),
    },
    limits: {
      callTimeoutMs: account.call_timeout * 1_000,
      connectTimeoutMs: limits.account.connect_timeout_ms,
      heldEventsMax: limits.xt.held_events_max,
    },
  }
}

/** For the market thread; empty when quotes come from elsewhere. */
export function xtMarketParts({ market, accounts, limits, data_dir: dataDir }: Config): {
  readonly xt?: XtMarketParts
} {
  if (market.source !== 'xt') return {}
  const first = accounts.find(({ driver }) => driver === 'xt')
  const { xt } = limits
  const plan: SidecarPlan = {
    role: 'market',
    sidecar: {
      python: market.python || (first?.xt.python ?? ''),
      xtquant_path: market.xtquant_path || (first?.xt.xtquant_path ?? ''),
      attach: market.attach,
      token_file: market.token_file,
    },
    clientPath: market.qmt_path || (first?.qmt_path ?? ''),
    folder: join(dataDir, 'service', 'xt'),
    quotePort: market.quote_port,
    limits: hostLimits(limits),
    own: ownLimits(limits),
  }
  return {
    xt: {
      plan,
      limits: {
        pollMs: xt.poll_ms,
        wantDelayMs: xt.want_delay_ms,
        callTimeoutMs: limits.account.connect_timeout_ms,
        relaunchMsMin: xt.relaunch_min_ms,
        relaunchMsMax: xt.relaunch_max_ms,
      },
      history: { timeoutMs: xt.history_timeout_ms, rowsMax: xt.history_rows_max },
    },
  }
}
