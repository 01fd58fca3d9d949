import type { ClusterThreadData } from '../../actors/cluster/cluster.thread.ts'
import { watchStallMs } from '../cluster/protocol/timing.ts'
import type { ClusterConfig } from '../config/cluster.ts'
import { timingOf } from '../config/cluster-rules.ts'
import type { Config } from '../config/schema.ts'

type ThreadLimits = Pick<ClusterThreadData, 'timing' | 'append' | 'limits' | 'engine' | 'retryMs'>

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
      recordBytesMax: limits.append_bytes_max,
      staleReadsMax: Math.ceil(timing.ttlMs / timing.renewMs),
      stalledMs: timing.renewMs,
    },
    limits: {
      serveTimeoutMs: Math.max(timing.ttlMs, callMs),
      stopTimeoutMs: timing.engineMs,
      openAsksMax: runtime.open_asks_max,
    },
    retryMs: limits.server_reconnect_ms,
    engine: engineOf(limits, cluster, timing),
  }
}

function engineOf(
  limits: Config['limits']['cluster'],
  cluster: ClusterConfig,
  timing: ClusterThreadData['timing'],
): ClusterThreadData['engine'] {
  const { node, servers, nkey_file: nkeyFile, ca_file, cert_file, key_file } = cluster
  const isEncrypted = servers.some((server) => server.startsWith('tls:'))
  const tls = {
    caFile: ca_file || undefined,
    certFile: cert_file || undefined,
    keyFile: key_file || undefined,
  }
  return {
    node,
    settings: { servers, ...(nkeyFile !== '' && { nkeyFile }), ...(isEncrypted && { tls }) },
    limits: {
      connection: {
        connectTimeoutMs: limits.server_connect_timeout_ms,
        reconnectWaitMs: limits.server_reconnect_ms,
        pingMs: limits.server_ping_ms,
        pingsUnansweredMax: limits.server_pings_unanswered_max,
      },
      line: { requestsMax: limits.node_calls_max, drainMs: timing.engineMs },
      watch: {
        silenceMs: watchStallMs(timing),
        callTimeoutMs: timing.engineMs,
        retryMs: limits.server_reconnect_ms,
      },
      calls: {
        perAccountMax: limits.account_calls_max,
        perNodeMax: limits.node_calls_max,
        bytesMax: limits.record_bytes_max,
      },
      callTimeoutMs: timing.ttlMs,
    },
  }
}
