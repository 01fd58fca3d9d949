import type { ClusterThreadData } from '../../../actors/cluster/cluster.thread.ts'
import type { MarketThreadData } from '../../../actors/market/market.thread.ts'
import { watchStallMs } from '../../cluster/protocol/timing.ts'
import type { WatchLimits } from '../../cluster/watch-over.ts'
import type { ClusterConfig } from '../../config/cluster.ts'
import { timingOf } from '../../config/cluster-rules.ts'
import type { Config, Limits } from '../../config/schema.ts'
import { connectionOf } from './cluster-settings.ts'

/** What a record has beside its commits: who wrote it, and orders that are under way. */
const AROUND_BYTES = 65_536 / 2

type ThreadLimits = Pick<
  ClusterThreadData,
  'timing' | 'append' | 'isGateway' | 'limits' | 'engine' | 'retryMs'
>

/** The configured section and its limits in the words of the protocol. Nothing is decided here. */
export function clusterThread(
  { limits: all, accounts }: Config,
  cluster: ClusterConfig,
): ThreadLimits {
  const { cluster: limits, runtime } = all
  const callMs = Math.max(0, ...accounts.map(({ call_timeout: seconds }) => seconds * 1_000))
  const timing = timingOf(limits, callMs)
  return {
    timing,
    append: {
      queueMax: limits.journal_waiting_max,
      recordBytesMax: Math.min(limits.append_bytes_max, limits.record_bytes_max - AROUND_BYTES),
      staleReadsMax: Math.ceil(timing.ttlMs / timing.renewMs),
      commitBytesMax: limits.commit_bytes_max,
      stalledMs: timing.renewMs,
    },
    isGateway: cluster.role === 'gateway',
    limits: {
      metricsTimeoutMs: timing.ttlMs,
      stopTimeoutMs: timing.engineMs,
      openAsksMax: runtime.open_asks_max,
    },
    retryMs: limits.server_reconnect_ms,
    engine: engineOf(limits, cluster, timing),
  }
}

/** How quotes go from node to node: on a connection of their own, which may be cut without harm to anything else. */
export function quoteSharing(
  { cluster: limits }: Limits,
  cluster: ClusterConfig,
): NonNullable<MarketThreadData['cluster']> {
  const wanted = { purpose: 'market', reconnects: 'forever' } as const
  return {
    node: cluster.node,
    settings: { ...connectionOf(cluster, limits, wanted), noEcho: true },
    limits: {
      codesMax: limits.quote_codes_max,
      gatherMs: limits.quote_gather_ms,
      wantMs: limits.quote_want_ms,
      forgetMs: limits.quote_forget_ms,
      silenceMs: limits.quote_silence_ms,
      lagMs: limits.quote_lag_ms,
      retryMs: limits.server_reconnect_ms,
      drainMs: limits.engine_timeout_ms,
    },
  }
}

/** A node that is silent for as long as its margin may be followed by another one already. */
export const watchLimits = ({ limits: { cluster } }: Config): WatchLimits => ({
  silenceMs: Math.min(cluster.watchdog_silence_ms, cluster.lease_margin_ms),
  restartMs: cluster.watchdog_restart_ms,
  restartMaxMs: cluster.watchdog_restart_max_ms,
})

function engineOf(
  limits: Limits['cluster'],
  cluster: ClusterConfig,
  timing: ClusterThreadData['timing'],
): ClusterThreadData['engine'] {
  return {
    node: cluster.node,
    settings: connectionOf(cluster, limits, { purpose: 'node', reconnects: 'forever' }),
    limits: {
      line: {
        requestsMax: limits.node_calls_max,
        drainMs: timing.engineMs,
        watchedMax: limits.answers_watched_max,
      },
      watch: {
        silenceMs: watchStallMs(timing),
        callTimeoutMs: timing.engineMs,
        retryMs: limits.server_reconnect_ms,
      },
      calls: {
        perAccountMax: limits.account_calls_max,
        perNodeMax: limits.node_calls_max,
        bytesMax: limits.record_bytes_max,
        answerBytesMax: limits.answer_bytes_max,
        keptBytesMax: limits.answers_kept_bytes_max,
        keepMs: limits.answer_keep_ms,
      },
      surveys: { openMax: limits.surveys_open_max, bytesMax: limits.record_bytes_max },
      reader: {
        readersMax: limits.journal_readers_max,
        aheadMax: limits.journal_read_ahead_max,
      },
      callTimeoutMs: timing.ttlMs,
    },
  }
}
