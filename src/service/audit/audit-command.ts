import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { accountSchema } from '../../config/account.ts'
import { defaultDriver } from '../../config/drivers.ts'
import type { AccountConfig, Config } from '../../config/schema.ts'
import { mayBeAccount } from '../../domain/ids.ts'
import { maskAccount } from '../../domain/mask.ts'
import { err, ok, type Result } from '../../domain/result.ts'
import type { Text } from '../../domain/settings/row.ts'
import { databaseFolder } from '../../storage/account-database.ts'
import { hasAccountDatabase } from '../../storage/account-reader.ts'
import type { JournalGap } from '../../storage/archive/gaps.ts'
import { SegmentFiles } from '../../storage/archive/segment-files.ts'
import { hiddenBy } from '../../storage/hidden.ts'
import { DATA_FILE } from '../../storage/openable.ts'
import type { PublishedHead } from '../../storage/published-head.ts'
import { halfwayIn } from '../data/data-folder.ts'
import { accountPolicy } from '../settings/policy.ts'
import { type AccountHeads, type Heads, openHeads } from './audit-heads.ts'
import { tailInWords } from './audit-tail.ts'
import { type SoundVerdict, type Verdict, verifyAccount } from './audit-verification.ts'

export interface AuditCommand {
  readonly config: Config
  /** Only this account; absent: every account with a database or in the configuration. */
  readonly accountId?: string
  /** Heads that were published, and kept where the data folder's writer does not reach; absent: `audit.head_file`. */
  readonly headsFile?: string
  /** Only heads that this key has signed count. */
  readonly publicKeyFile?: string
  /** The folder is a backup, of which one without the segments of the journals is sound, and said to be without. */
  readonly isBackup?: boolean
  /** Takes each finished line. */
  readonly write: (line: string) => void
}

/**
 * `steward audit verify`: one line an account, what all this proves, and what lies in logs beyond the databases.
 * True when every journal is consistent in itself, every row agrees, and, where heads are given, every journal
 * agrees with those of its account, of which there is one at least.
 *
 * Errors  one line for the operator: nothing of that name is there to verify, or to verify with.
 */
export async function verifyAudit(command: AuditCommand): Promise<Result<boolean, string>> {
  const halfway = halfwayIn(command.config.data_dir)
  if (halfway !== undefined) return err(halfway)
  const chosen = chosenAccounts(command)
  if (!chosen.ok) return chosen
  const { config, write } = command
  const { all, mine } = chosen.value
  const { headsFile, publicKeyFile } = command
  const opened = await openHeads(
    { configuredFile: config.audit.head_file, headsFile, publicKeyFile },
    all.map(({ account_id }) => account_id),
  )
  if (!opened.ok) return opened
  const heads = opened.value
  let isSound = true
  const beyond: string[] = []
  const tell = (accountId: string, verdict: Verdict | undefined) => {
    write(saidOf(accountId, verdict === undefined ? NO_DATABASE : inWords(verdict, heads)))
    const tail = verdict?.ok ? verdict.tail : undefined
    const more = tail && tailInWords(tail)
    if (more !== undefined) beyond.push(`账户 ${maskAccount(accountId)}：${more}`)
    isSound &&= (verdict?.ok ?? true) && tail?.problem === undefined
  }
  for (const account of mine) {
    const ofAccount = heads?.of(account.account_id)
    tell(account.account_id, await verdictOn(command, account, ofAccount))
  }
  if (command.accountId === undefined) {
    for (const last of heads?.strangers ?? []) tell(last.account, lost(last))
  }
  write(NOT_COMPARED)
  for (const line of heads?.caveats ?? [ONLY_ITSELF]) write(line)
  for (const line of beyond) write(line)
  return ok(isSound)
}

/** undefined: there is nothing yet, and nobody was told of anything. */
async function verdictOn(
  { config, isBackup = false }: AuditCommand,
  account: AccountConfig,
  heads: AccountHeads | undefined,
): Promise<Verdict | undefined> {
  const database = databaseFolder(config.data_dir, account.account_id)
  const hidden = hiddenBy(join(database, DATA_FILE))
  if (hidden !== undefined) return { ok: false, entries: 0, why: notShown(hidden) }
  if (hasAccountDatabase(config.data_dir, account.account_id)) {
    const policy = accountPolicy(config, account, 0)
    return verifyAccount(config.data_dir, { policy, heads, isBackup })
  }
  if (heads?.last !== undefined) return lost(heads.last)
  const last = lastSegment(config.data_dir, account.account_id)
  const why = `there is no database, but segments of its journal up to entry ${last?.last}`
  return last && { ok: false, entries: 0, why }
}

const lastSegment = (dataDir: string, accountId: string) =>
  new SegmentFiles(dataDir, accountId).list().at(-1)

const notShown = (folder: string): string =>
  `this user may not look into ${folder}: run it as the user whose data it is; no damage was found`

const lost = ({ seq, at }: PublishedHead): Verdict => ({
  ok: false,
  entries: 0,
  why: `there is no database, but the head of entry ${seq} was published at ${at}`,
})

/** What is said of an account, in both languages: where something is wrong, the English names the place. */
const saidOf = (accountId: string, [zh, en]: Text): string => {
  const name = maskAccount(accountId)
  return `账户 ${name}：${zh} (account ${name}: ${en})`
}

const NO_DATABASE: Text = ['还没有数据库', 'no database yet']

function inWords(verdict: Verdict, heads: Heads | undefined): Text {
  const { entries } = verdict
  if (verdict.ok) {
    const sound = soundInWords(verdict)
    const found = verdict.heads === undefined ? undefined : agreement(verdict, heads)
    return found === undefined ? sound : [`${sound[0]}；${found[0]}`, `${sound[1]}; ${found[1]}`]
  }
  const { seq, why } = verdict
  if (seq !== undefined) {
    return [`第 ${seq} 条不对，${SEE_WHY}`, `broken at entry ${seq}: ${why}`]
  }
  if (entries === 0) return [`无法核对或不完整，${SEE_WHY}`, why]
  return [
    `${entries} 条，链完整，但有不符之处，${SEE_WHY}`,
    `${entries} entries, chain ok, but ${why}`,
  ]
}

const SEE_WHY = '原因见括号内'

function soundInWords({ entries, begin, gaps }: SoundVerdict): Text {
  const reasons = [
    ...(begin === undefined ? [] : [begin.isLacking ? NOT_IN_BACKUP : BEFORE]),
    ...(gaps.length === 0 ? [] : [elsewhere(gaps)]),
  ]
  const [zh, en]: Text =
    begin === undefined
      ? [`${entries} 条`, `${entries} entries`]
      : [
          `第 ${begin.seq + 1} 条（${begin.day}）至第 ${entries} 条`,
          `entries ${begin.seq + 1} (of ${begin.day}) to ${entries}`,
        ]
  if (reasons.length === 0) return [`${zh}，链完整，各表一致`, `${en}, chain ok, tables agree`]
  return [
    `${zh}，链完整；各表未核对：${reasons.map(([why]) => why).join('；')}`,
    `${en}, chain ok; tables not compared: ${reasons.map(([, why]) => why).join('; ')}`,
  ]
}

const NOT_IN_BACKUP: Text = [
  '更早的分段不在这个备份里',
  'the segments before are not in the backup',
]
const BEFORE: Text = [
  '更早的条目已按 limits.store.audit_keep_days 删除，或恢复的备份里没有，或在集群的另一台电脑上',
  'the entries before were deleted after limits.store.audit_keep_days, a backup was restored without them, or another computer of the cluster has them',
]

function elsewhere(gaps: readonly JournalGap[]): Text {
  const which = (to: string) =>
    gaps.map(({ after, upTo }) => `${after.seq + 1} ${to} ${upTo.seq}`).join(', ')
  return [
    `其间账户由集群的另一台电脑运行，第 ${which('至')} 条在那里`,
    `another computer of the cluster ran the account meanwhile and has the entries ${which('to')}`,
  ]
}

function agreement({ heads: mine, begin, gaps }: SoundVerdict, heads: Heads | undefined): Text {
  if (mine?.last === undefined) return ['不需要已公布的链头', 'no published head needed']
  const signer = heads?.signer
  const [signedZh, signedEn] =
    signer === undefined ? ['', ''] : [`，签名 ${signer}`, `, signed by ${signer}`]
  const inGaps = gaps.reduce((sum, gap) => sum + mine.within(gap), 0)
  const older = inGaps + (begin === undefined ? 0 : mine.olderThan(begin.seq))
  const count = mine.count - older
  const { seq, at } = mine.last
  const zh = `与 ${count} 个已公布的链头一致，到第 ${seq} 条（${at}）${signedZh}`
  const en = `agrees with ${count} published ${count === 1 ? 'head' : 'heads'} up to entry ${seq} of ${at}${signedEn}`
  if (older === 0) return [zh, en]
  return [
    `${zh}；另有 ${older} 个属于不在此处的条目，未核对`,
    `${en}; ${older} of entries that are not there were not compared`,
  ]
}

interface Chosen {
  readonly all: readonly AccountConfig[]
  readonly mine: readonly AccountConfig[]
}

/** Those of the configuration first, then those that a gateway registered: their folders are there. */
function chosenAccounts({ config, accountId }: AuditCommand): Result<Chosen, string> {
  const { accounts, data_dir: dataDir, market } = config
  if (!existsSync(dataDir)) {
    return err(
      `data_dir ${dataDir} 不存在，没有可核对的 (data_dir ${dataDir} does not exist; there is nothing to verify)`,
    )
  }
  const configured = new Set(accounts.map(({ account_id }) => account_id))
  const registered = readdirSync(dataDir)
    .filter((name) => mayBeAccount(name))
    .filter((name) => !configured.has(name))
    .filter((name) => hasAccountDatabase(dataDir, name) || lastSegment(dataDir, name))
    .map((account_id) => ({
      ...accountSchema.parse({ account_id, qmt_path: '-' }),
      driver: defaultDriver(market.source),
    }))
  const all = [...accounts, ...registered]
  if (accountId === undefined) return ok({ all, mine: all })
  const mine = all.filter(({ account_id }) => account_id === accountId)
  if (mine.length > 0) return ok({ all, mine })
  const known = all.map(({ account_id }) => account_id).join(', ')
  return err(
    `--account ${accountId}: 没有配置，也不在 ${dataDir} 里；已知：${known || '无'} (not configured and not in ${dataDir}; known: ${known || 'none'})`,
  )
}

const NOT_COMPARED =
  '未核对：positions.sellable，它不从日志恢复；meta.rejectsInRow，各版本计法不同 (not compared: positions.sellable, which is not restored from the journal, and meta.rejectsInRow, which releases have counted differently)'
const ONLY_ITSELF =
  '未与已公布的链头核对：以上只说明日志自身连贯，能改写数据目录的人也能重算整条链；见 --heads (not compared with published heads: a journal that is only consistent in itself can have been rewritten and recomputed by whoever can write the data folder; see --heads)'
