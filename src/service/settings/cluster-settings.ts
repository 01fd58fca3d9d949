import type { ConnectionSettings } from '../../cluster/nats/connect.ts'
import type { StreamSettings } from '../../cluster/nats/provision.ts'
import { inboxPrefix } from '../../cluster/protocol/subjects.ts'
import type { ClusterConfig } from '../../config/cluster.ts'
import type { Limits } from '../../config/schema.ts'

/** The section `cluster` in the words of the room that speaks with the servers. Nothing is decided here. */

const MIB = 1_048_576
const named = (file: string): string | undefined => (file === '' ? undefined : file)

interface Wanted {
  /** What the connection is for, as monitoring of the servers shows it. */
  readonly purpose: string
  readonly reconnects: ConnectionSettings['reconnects']
}

export function connectionOf(
  cluster: ClusterConfig,
  limits: Limits['cluster'],
  { purpose, reconnects }: Wanted,
): ConnectionSettings {
  const { servers, node } = cluster
  const isEncrypted = servers.some((server) => server.startsWith('tls:'))
  const tls = {
    caFile: named(cluster.ca_file),
    certFile: named(cluster.cert_file),
    keyFile: named(cluster.key_file),
  }
  return {
    servers,
    name: `steward-${node}-${purpose}`,
    inboxPrefix: inboxPrefix(node),
    nkeyFile: named(cluster.nkey_file),
    tls: isEncrypted ? tls : undefined,
    reconnects,
    limits: {
      connectTimeoutMs: limits.server_connect_timeout_ms,
      reconnectWaitMs: limits.server_reconnect_ms,
      pingMs: limits.server_ping_ms,
      pingsUnansweredMax: limits.server_pings_unanswered_max,
    },
  }
}

export const streamsOf = (
  { replicas }: ClusterConfig,
  limits: Limits['cluster'],
): StreamSettings => ({
  // A rule of the configuration lets no other number through.
  replicas: replicas as StreamSettings['replicas'],
  journalBytesMax: limits.journal_mb * MIB,
  controlBytesMax: limits.control_mb * MIB,
  snapshotBytesMax: limits.snapshots_mb * MIB,
  recordBytesMax: limits.record_bytes_max,
})
