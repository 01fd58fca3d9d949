import { type Finding, fail, fine, warn } from '../../../domain/finding.ts'
import { maskAccount } from '../../../domain/mask.ts'
import type { StreamFinding } from '../provision.ts'
import type { Purged, StreamBytes } from '../purge.ts'
import { isServerTaken, olderServerText } from '../server-floor.ts'
import type { CertificateFacts, CopyFacts, InnerFacts, RightFacts, ServerFacts } from './facts.ts'

/** What was wanted, and where good ends. */
export interface ExamineBounds {
  readonly replicas: number
  readonly clockDifferenceMs: number
  readonly certificateDays: number
  readonly journalAlarmPercent: number
}

const DAY_MS = 86_400_000
const INSTALL = '见 docs/cluster.md (see docs/cluster.md)'

/** Each server alone: reached, new enough, with journals, and with a clock like ours. */
export function serverFindings(facts: ServerFacts, bounds: ExamineBounds): Finding[] {
  const { server, error, version, hasJetStream } = facts
  if (error !== undefined) {
    return [fail('server', error.message, mendOf(error.fault))]
  }
  const found = [fine('server', `${server} nats-server ${version}`)]
  if (!hasJetStream) {
    found.push(
      fail(
        'jetstream',
        `${server} 未启用 JetStream (${server} has no JetStream)`,
        '在服务器配置中加入 jetstream { store_dir, sync_interval: always } 并重启该服务器 (add it to the configuration of the server, and restart it)',
      ),
    )
  }
  return [...found, clockFinding(facts, bounds)]
}

const MENDS = {
  version:
    '升级全部服务器后再检查；旧版本会让两个写入者同时成功 (upgrade every server: with older ones two writers can both succeed)',
  unreachable:
    '启动该服务器，或改正 cluster.servers (start that server, or correct cluster.servers)',
  credentials:
    '把该用户的公钥写入每台服务器的 keys.conf 并重新加载 (write the public key of this user into keys.conf of each server, and reload)',
  encryption:
    '核对 cluster.ca_file、cert_file、key_file，以及证书中的主机名与有效期 (compare cluster.ca_file, cert_file, key_file; and host names and dates of the certificates)',
  file: '改正该文件，或改正指向它的设置 (mend the file, or the setting that names it)',
} as const

/** What to do about a connection that failed. */
export const mendOf = (fault: keyof typeof MENDS): string => MENDS[fault]

function clockFinding({ server, clock }: ServerFacts, bounds: ExamineBounds): Finding {
  if (clock === undefined) {
    return warn(
      'clock',
      `${server} 没有告知时间，此处无法核实 (${server} did not tell its time: not verifiable from here)`,
      '允许该用户发布 $SYS.REQ.USER.INFO (let this user publish $SYS.REQ.USER.INFO)',
    )
  }
  const { differenceMs, uncertainMs } = clock
  const text = `${server} 与本机相差 ${differenceMs} ± ${uncertainMs} ms (differs from here by ${differenceMs} ± ${uncertainMs} ms)`
  if (Math.abs(differenceMs) - uncertainMs <= bounds.clockDifferenceMs) return fine('clock', text)
  return fail(
    'clock',
    text,
    '让每台电脑用同一时间源校时（Windows：w32tm /resync；Linux：chrony） (set all clocks by one source)',
  )
}

/** The servers have refused to make a stream. */
export const noRoomFinding = (words: string, neededMib: number): Finding =>
  fail(
    'streams',
    `服务器没有空间建立日志流 (the servers have no room for the streams) “${words}”`,
    `每台服务器须有 ${neededMib} MiB：腾出磁盘、增大 jetstream 的 max_file_store，或在所有节点减小 limits.cluster.journal_mb、snapshots_mb，然后再执行一次 (have ${neededMib} MiB on each server: make room on the disk, raise max_file_store of jetstream, or lower limits.cluster.journal_mb and snapshots_mb at all nodes; then run it again)`,
  )

/** All that is there, and as it must be. */
export function streamFindings(found: readonly StreamFinding[]): Finding[] {
  return found.map(({ stream, state, differences }) => {
    if (state === 'missing') {
      return fail(
        'stream',
        `${stream} 不存在 (${stream} is not there)`,
        '用建库用户执行 steward cluster init --nkey F (run it with the seed of the provisioning user)',
      )
    }
    if (differences.length === 0) {
      return fine('stream', state === 'made' ? `${stream} 已建立 (made)` : stream)
    }
    const told = differences.map(
      ({ setting, is, should }) => `${setting}=${JSON.stringify(is)} ≠ ${JSON.stringify(should)}`,
    )
    return fail(
      'stream',
      `${stream} 的设置不符 (settings differ)：${told.join(', ')}`,
      '收盘后由运维修改，或改正 cluster.replicas 与 limits.cluster；不会自动修改已有的流 (change it after the close, or correct cluster.replicas and limits.cluster; nothing changes a stream by itself)',
    )
  })
}

/** Copies that exist, follow, and have room. */
export function copyFindings(facts: CopyFacts, bounds: ExamineBounds): Finding[] {
  const { stream, leader, copies, bytes, bytesMax } = facts
  const bad = copies.filter(({ isCurrent, isOffline }) => isOffline || !isCurrent)
  const count = copies.length
  const found: Finding[] = []
  if (leader === undefined) {
    found.push(
      fail(
        'copies',
        `${stream} 现在没有领导者，不接受写入 (${stream} has no leader now and takes nothing)`,
        '等待选举（约 9 秒）后再检查；仍没有则启动停止的服务器 (look again after an election of some 9 s; then start the servers that are down)',
      ),
    )
  } else if (count < bounds.replicas) {
    found.push(
      fail(
        'copies',
        `${stream} 只有 ${count} 份，应有 ${bounds.replicas} 份 (${count} copies where ${bounds.replicas} are wanted)`,
        '收盘后增加副本数：三台服务器都在线时由运维执行 (raise the number of copies after the close, with all servers up)',
      ),
    )
  } else if (bad.length > 0) {
    const told = bad.map(({ server, lag }) => `${server} −${lag}`).join(', ')
    found.push(
      fail(
        'copies',
        `${stream} 的副本落后或离线 (copies behind or offline)：${told}`,
        '启动或修复该服务器；在它跟上之前不要停其他服务器 (start or mend that server; stop no other one before it has caught up)',
      ),
    )
  } else {
    found.push(fine('copies', `${stream}：${count} 份，均已跟上 (all current)，${leader}`))
  }
  return [...found, ...roomFindings(stream, bytes / bytesMax, bounds)]
}

function roomFindings(stream: string, used: number, bounds: ExamineBounds): Finding[] {
  const percent = Math.floor(100 * used)
  if (!(percent >= bounds.journalAlarmPercent)) return []
  return [
    warn(
      'room',
      `${stream} 已用 ${percent} %，写满后拒绝新委托 (is ${percent} % full; a full one refuses new orders)`,
      '用 steward cluster purge 清理快照已覆盖的旧记录，或增大 limits.cluster.journal_mb 对应的流 (steward cluster purge removes what snapshots cover; or make the stream larger)',
    ),
  ]
}

/** Rights that were tried: too many are as bad as too few. */
export function rightFindings(facts: readonly RightFacts[]): Finding[] {
  const wrong = facts.filter(({ isRefused, shouldBeRefused }) => isRefused !== shouldBeRefused)
  if (wrong.length === 0) {
    const refused = facts.filter(({ isRefused }) => isRefused).length
    return [
      fine(
        'rights',
        `${refused} 项越权操作均被拒绝，${facts.length - refused} 项必需操作均被允许 (${refused} things refused that must be, ${facts.length - refused} let through that must be)`,
      ),
    ]
  }
  const named = (refused: boolean): string =>
    wrong
      .filter(({ isRefused }) => isRefused === refused)
      .map(({ what }) => what)
      .join(', ')
  const [missing, excess] = [named(true), named(false)]
  const mend =
    '每台服务器使用 deploy/nats/users.conf 中的权限并重新加载 (give each server the permissions of deploy/nats/users.conf, and reload)'
  return [
    ...(missing === ''
      ? []
      : [
          fail(
            'rights',
            `该用户不能做它必须做的 (this user may not what it has to)：${missing}`,
            mend,
          ),
        ]),
    ...(excess === ''
      ? []
      : [
          fail(
            'rights',
            `该用户可以做它不应做的 (this user may what it must not)：${excess}`,
            mend,
          ),
        ]),
  ]
}

/** What only the servers know of themselves. Undefined: nobody could be asked. */
export function innerFindings(
  inner: readonly InnerFacts[] | undefined,
  bounds: ExamineBounds & { readonly serversWanted: number; readonly nowMs: number },
): Finding[] {
  if (inner === undefined) return [unknownSync()]
  const found: Finding[] = []
  if (inner.length < bounds.serversWanted) {
    found.push(
      fail(
        'servers',
        `${bounds.serversWanted} 台中只有 ${inner.length} 台应答 (${inner.length} of ${bounds.serversWanted} answer)`,
        '启动没有应答的服务器，核对 host.conf 中的 ROUTES (start the others, and compare ROUTES in host.conf)',
      ),
    )
  }
  for (const each of inner) found.push(...innerFindingsOf(each, bounds))
  return found
}

const unknownSync = (): Finding =>
  warn(
    'fsync',
    '写盘方式此处无法核实 (whether the servers flush to disk is not verifiable from here)',
    '用 --operator F 给出运维用户的种子，或在每台服务器上查看 sync_interval: always (give the seed of the operator with --operator F, or look for sync_interval: always on each server)',
  )

function innerFindingsOf(
  { name, version, hasJetStream, isSyncAlways, certificateEnds }: InnerFacts,
  bounds: ExamineBounds & { readonly nowMs: number },
): Finding[] {
  const found: Finding[] = []
  if (!isServerTaken(version)) found.push(fail('server', olderServerText(name, version), INSTALL))
  if (!hasJetStream) {
    found.push(fail('jetstream', `${name} 未启用 JetStream (has no JetStream)`, INSTALL))
  } else if (isSyncAlways) {
    found.push(fine('fsync', `${name} sync_interval: always`))
  } else {
    found.push(
      fail(
        'fsync',
        `${name} 在写盘之前就确认，断电会丢失已确认的记录 (${name} acknowledges before it has flushed: a power cut takes records along that were acknowledged)`,
        '在 jetstream { } 中设置 sync_interval: always 并重启该服务器 (set it there, and restart that server)',
      ),
    )
  }
  const [first] = [...certificateEnds].sort((a, b) => a - b)
  if (first !== undefined) found.push(endFinding(name, first, bounds))
  return found
}

/** Certificates of this computer. */
export const certificateFindings = (
  facts: readonly CertificateFacts[],
  bounds: ExamineBounds & { readonly nowMs: number },
): Finding[] =>
  facts.map(({ name, file, endMs }) =>
    endMs === undefined
      ? fail(
          'certificate',
          `${name} ${file} 不是可读的证书 (is no certificate that can be read)`,
          MENDS.file,
        )
      : endFinding(name, endMs, bounds),
  )

function endFinding(
  name: string,
  endMs: number,
  { certificateDays, nowMs }: ExamineBounds & { readonly nowMs: number },
): Finding {
  const days = Math.floor((endMs - nowMs) / DAY_MS)
  const day = new Date(endMs).toISOString().slice(0, 10)
  const mend =
    '签发新证书，逐台替换并重新加载 (make a new one, replace it on one computer after the other, and reload)'
  if (endMs <= nowMs) {
    return fail('certificate', `${name} 已于 ${day} 到期 (ended on ${day})`, mend)
  }
  const text = `${name} ${day} 到期，还有 ${days} 天 (ends on ${day}, in ${days} days)`
  return days < certificateDays ? warn('certificate', text, mend) : fine('certificate', text)
}

export function purgeFinding({ acct, records, removed, why, words = '' }: Purged): Finding {
  const account = maskAccount(acct)
  if (removed !== undefined) {
    const rest = records - removed
    return fine('journal', `${account}：清理 ${removed} 条，保留 ${rest} 条 (removed, kept)`)
  }
  if (why === 'unreadable') {
    return fail(
      'journal',
      `${account}：快照读不出来，没有清理 (its snapshot cannot be read, nothing was removed) “${words.replace(/[“”]/g, "'")}”`,
      '检查服务器；运行该账户的节点写出下一个快照后再试 (look at the servers; try again when the node that runs it has kept its next snapshot)',
    )
  }
  return warn(
    'journal',
    `${account}：还没有快照，没有清理 (no snapshot yet, nothing was removed)，${records} 条 (records)`,
    '每 limits.cluster.snapshot_records 次提交有一个快照；新账户不必处理 (there is one after each limits.cluster.snapshot_records commits; nothing to do for a new account)',
  )
}

const MIB = 1_048_576
const inMib = (bytes: number): string => (bytes / MIB).toFixed(1)

export const byteFindings = (
  before: readonly StreamBytes[],
  after: readonly StreamBytes[],
): Finding[] =>
  before.map(({ stream, bytes }, i) =>
    fine('stream', `${stream}：${inMib(bytes)} → ${inMib(after[i]?.bytes ?? bytes)} MiB`),
  )
