import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { ConnectionSettings } from '../cluster/nats/connect.ts'
import type { StreamSettings } from '../cluster/nats/provision.ts'
import { inboxPrefix } from '../cluster/protocol/subjects.ts'
import type { ClusterConfig } from '../config/cluster.ts'
import type { ClusterAsked } from '../config/commands/cluster.ts'
import type { Config } from '../config/schema.ts'
import { type Finding, reasonOf } from '../domain/finding.ts'
import { err, ok, type Result } from '../domain/result.ts'
import { linesOf } from './finding-lines.ts'

const MIB = 1_048_576
type Write = (line: string) => void

const NO_SECTION =
  '配置中没有 cluster 一节：只有一台电脑时不需要它；要建集群见 docs/cluster.md (the configuration has no section "cluster": one computer needs none; docs/cluster.md says how to begin)'

/**
 * `steward cluster`. Of the rest of the data folder nothing is opened, so it works beside a running service.
 *
 * @returns whether nothing is to mend. Errors  what is wrong with the configuration or the files, one line.
 */
export async function obeyCluster(
  config: Pick<Config, 'cluster' | 'limits' | 'accounts'>,
  asked: ClusterAsked,
  write: Write,
): Promise<Result<boolean, string>> {
  if (asked.verb === 'key') return makeKey(resolve(asked.file), write)
  const { cluster, limits, accounts } = config
  if (cluster === undefined) return err(NO_SECTION)
  const { examine_timeout_ms: timeoutMs } = limits.cluster
  const settings = settingsOf(cluster, limits.cluster)
  const streams = streamsOf(cluster, limits.cluster)
  const findings: Finding[] = []
  const say = (found: readonly Finding[]) => {
    findings.push(...found)
    for (const finding of found) for (const line of linesOf(finding)) write(line)
  }
  // Whoever has no cluster loads none of it.
  const { examineCluster, initCluster } = await import('../cluster/nats/examine/examine.ts')
  if (asked.verb === 'init') {
    const nkeyFile = asked.nkeyFile === undefined ? undefined : resolve(asked.nkeyFile)
    await initCluster({ settings, streams, timeoutMs }, nkeyFile, say)
  } else {
    const { operatorFile } = asked
    const bounds = {
      replicas: cluster.replicas,
      clockDifferenceMs: limits.cluster.clock_difference_ms,
      certificateDays: limits.cluster.certificate_days,
      journalAlarmPercent: limits.cluster.journal_alarm_percent,
    }
    const isGateway = !accounts.some(({ eligible }) => eligible.includes(cluster.node))
    await examineCluster(
      {
        settings,
        operatorNkeyFile: operatorFile === undefined ? undefined : resolve(operatorFile),
        streams,
        tries: { node: cluster.node, isGateway },
        bounds,
        timeoutMs,
        nowMs: Date.now(),
      },
      say,
    )
  }
  const failed = findings.filter(({ status }) => status === 'fail').length
  const warned = findings.filter(({ status }) => status === 'warn').length
  write(
    `共查看 ${findings.length} 项，${failed} 项需修复，${warned} 项请留意 (${findings.length} looked at, ${failed} to mend, ${warned} to think about)`,
  )
  return ok(failed === 0)
}

function settingsOf(
  cluster: ClusterConfig,
  limits: Config['limits']['cluster'],
): ConnectionSettings {
  const named = (file: string) => (file === '' ? undefined : file)
  const { servers, node } = cluster
  const isEncrypted = servers.some((server) => server.startsWith('tls:'))
  const tls = {
    caFile: named(cluster.ca_file),
    certFile: named(cluster.cert_file),
    keyFile: named(cluster.key_file),
  }
  return {
    servers,
    name: `steward-${node}-check`,
    inboxPrefix: inboxPrefix(node),
    nkeyFile: named(cluster.nkey_file),
    tls: isEncrypted ? tls : undefined,
    reconnects: 'never',
    limits: {
      connectTimeoutMs: limits.server_connect_timeout_ms,
      reconnectWaitMs: limits.server_reconnect_ms,
      pingMs: limits.server_ping_ms,
      pingsUnansweredMax: limits.server_pings_unanswered_max,
    },
  }
}

const streamsOf = (
  { replicas }: ClusterConfig,
  limits: Config['limits']['cluster'],
): StreamSettings => ({
  // A rule of the configuration lets no other number through.
  replicas: replicas as StreamSettings['replicas'],
  journalBytesMax: limits.journal_mb * MIB,
  controlBytesMax: limits.control_mb * MIB,
  snapshotBytesMax: limits.snapshots_mb * MIB,
  recordBytesMax: limits.record_bytes_max,
})

async function makeKey(file: string, write: Write): Promise<Result<boolean, string>> {
  const { newUserKey } = await import('../cluster/nats/user-key.ts')
  const { seed, publicKey } = newUserKey()
  try {
    writeFileSync(file, seed, { flag: 'wx', mode: 0o600 })
  } catch (error) {
    return err(
      `--to ${file} 无法写入：${reasonOf(error)} (cannot be written; choose a file that does not exist yet)`,
    )
  }
  write(
    `种子，只许本用户读取，不要外传 (the seed, for cluster.nkey_file; show it to nobody): ${file}`,
  )
  write(
    `公钥，写入每台服务器的 keys.conf (the public key, for keys.conf of each server): ${publicKey}`,
  )
  return ok(true)
}
