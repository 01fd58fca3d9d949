import { resolve } from 'node:path'
import { calendarFrom } from '../../cluster/protocol/calendar.ts'
import type { ClusterAsked } from '../../config/commands/cluster.ts'
import type { Config } from '../../config/schema.ts'
import { tradingRules } from '../../config/trading-rules.ts'
import { type Finding, reasonOf } from '../../domain/finding.ts'
import { err, ok, type Result } from '../../domain/result.ts'
import { tradingDaysBeforeMs } from '../../domain/session.ts'
import { calendarDigest, giveClosedDays } from '../../market/closed-days.ts'
import { SCHEMA_VERSION } from '../../storage/migrations.ts'
import { commitsIn } from '../../storage/snapshot.ts'
import { writeNew } from '../data/write-new.ts'
import { linesOf } from '../doctor/finding-lines.ts'
import { ownVersion } from '../process/program-folder.ts'
import { connectionOf, streamsOf } from '../settings/cluster-settings.ts'
import { moveAccounts } from './cluster-moves.ts'

type Write = (line: string) => void

const NO_SECTION =
  '配置中没有 cluster 一节：只有一台电脑时不需要它；要建集群见 docs/cluster.md (the configuration has no section "cluster": one computer needs none; docs/cluster.md says how to begin)'

/**
 * `steward cluster`. Of the data folder only join and leave open anything: the others work beside a running service.
 *
 * @returns whether nothing is to mend. Errors  what is wrong with the configuration or the files, one line.
 */
export async function obeyCluster(
  config: Config,
  asked: ClusterAsked,
  write: Write,
): Promise<Result<boolean, string>> {
  if (asked.verb === 'key') return makeKey(resolve(asked.file), write)
  const { cluster, limits } = config
  if (cluster === undefined) return err(NO_SECTION)
  if (asked.verb === 'join' || asked.verb === 'leave') {
    return moveAccounts({ config, cluster, asked, write })
  }
  const { examine_timeout_ms: timeoutMs } = limits.cluster
  const settings = connectionOf(cluster, limits.cluster, { purpose: 'check', reconnects: 'never' })
  const streams = streamsOf(cluster, limits.cluster)
  const findings: Finding[] = []
  const say = (found: readonly Finding[]) => {
    findings.push(...found)
    for (const finding of found) for (const line of linesOf(finding)) write(line)
  }
  // Whoever has no cluster loads none of it.
  const { examineCluster, initCluster, purgeCluster } = await import(
    '../../cluster/nats/examine/examine.ts'
  )
  if (asked.verb === 'init') {
    await initCluster({ settings, streams, timeoutMs }, fileOf(asked.nkeyFile), say)
  } else if (asked.verb === 'purge') {
    giveClosedDays(config.closed_days)
    const keepFromMs = tradingDaysBeforeMs(Date.now(), asked.keepDays)
    const verify = (parts: readonly Uint8Array[]) => void commitsIn(parts, SCHEMA_VERSION)
    const purged = { settings, timeoutMs, keepFromMs, verify }
    await purgeCluster(purged, fileOf(asked.nkeyFile), say)
  } else {
    const { operatorFile } = asked
    const bounds = {
      replicas: cluster.replicas,
      clockDifferenceMs: limits.cluster.clock_difference_ms,
      certificateDays: limits.cluster.certificate_days,
      journalAlarmPercent: limits.cluster.journal_alarm_percent,
    }
    const nowMs = Date.now()
    const isGateway = cluster.role === 'gateway'
    await examineCluster(
      {
        settings,
        operatorNkeyFile: fileOf(operatorFile),
        streams,
        tries: { node: cluster.node, isGateway },
        bounds,
        own: {
          node: cluster.node,
          version: ownVersion(),
          days: calendarDigest(config.closed_days, calendarFrom(nowMs)),
          rules: isGateway ? undefined : tradingRules(config),
          accounts: config.accounts,
        },
        timeoutMs,
        nowMs,
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

const fileOf = (file: string | undefined): string | undefined =>
  file === undefined ? undefined : resolve(file)

async function makeKey(file: string, write: Write): Promise<Result<boolean, string>> {
  const { newUserKey } = await import('../../cluster/nats/user-key.ts')
  const { seed, publicKey } = newUserKey()
  try {
    writeNew(file, seed, 0o600)
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
