import { existsSync, readdirSync } from 'node:fs'
import { apply } from '../account/fold/apply.ts'
import type { AccountEvent } from '../account/model/events.ts'
import type { AccountPolicy } from '../account/model/policy.ts'
import { type AccountState, emptyState } from '../account/model/state.ts'
import { accountSchema } from '../config/account.ts'
import { defaultDriver } from '../config/drivers.ts'
import type { AccountConfig, Config } from '../config/schema.ts'
import { ServiceError } from '../domain/errors.ts'
import { exchangeDay } from '../domain/exchange-time.ts'
import { ACCOUNT_ID, RESERVED_ACCOUNT_IDS } from '../domain/ids.ts'
import { maskAccount } from '../domain/mask.ts'
import { err, ok, type Result } from '../domain/result.ts'
import { decode } from '../protocol/codec.ts'
import type { JournalMark, StoredEntry } from '../protocol/store.ts'
import {
  type AccountReader,
  hasAccountDatabase,
  openAccountReader,
} from '../storage/account-reader.ts'
import { type JournalGap, nextGap } from '../storage/archive/gaps.ts'
import { SegmentFiles } from '../storage/archive/segment-files.ts'
import {
  type BrokenChain,
  EMPTY_JOURNAL,
  type JournalHead,
  verifyChain,
} from '../storage/journal-chain.ts'
import type { PublishedHead } from '../storage/published-head.ts'
import type { FoundInLogs } from '../storage/take-over.ts'
import { type AccountHeads, type Heads, openHeads } from './audit-heads.ts'
import { findTail, type Tail, tailBehind, tailInWords } from './audit-tail.ts'
import { halfwayIn } from './data-folder.ts'
import { ExpectedRows } from './expected-rows.ts'
import { accountPolicy } from './policy.ts'

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
    const words = verdict === undefined ? 'no database yet' : inWords(verdict, heads)
    write(`account ${maskAccount(accountId)}: ${words}`)
    const tail = verdict?.ok ? verdict.tail : undefined
    const more = tail && tailInWords(tail)
    if (more !== undefined) beyond.push(`account ${maskAccount(accountId)}: ${more}`)
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

const lost = ({ seq, at }: PublishedHead): Verdict => ({
  ok: false,
  entries: 0,
  why: `there is no database, but the head of entry ${seq} was published at ${at}`,
})

function inWords(verdict: Verdict, heads: Heads | undefined): string {
  const { entries } = verdict
  if (verdict.ok) {
    const found = verdict.heads === undefined ? '' : `; ${agreement(verdict, heads)}`
    return `${soundInWords(verdict)}${found}`
  }
  if (verdict.seq !== undefined) return `broken at entry ${verdict.seq}: ${verdict.why}`
  return entries === 0 ? verdict.why : `${entries} entries, chain ok, but ${verdict.why}`
}

function soundInWords({ entries, begin, gaps }: SoundVerdict): string {
  const reasons = [
    ...(begin === undefined ? [] : [begin.isLacking ? NOT_IN_BACKUP : BEFORE]),
    ...(gaps.length === 0 ? [] : [elsewhere(gaps)]),
  ]
  const which =
    begin === undefined
      ? `${entries} entries`
      : `entries ${begin.seq + 1} (of ${begin.day}) to ${entries}`
  if (reasons.length === 0) return `${which}, chain ok, tables agree`
  return `${which}, chain ok; tables not compared: ${reasons.join('; ')}`
}

const NOT_IN_BACKUP = 'the segments before are not in the backup'
const BEFORE =
  'the entries before were deleted after limits.store.audit_keep_days, a backup was restored without them, or another computer of the cluster has them'

function elsewhere(gaps: readonly JournalGap[]): string {
  const which = gaps.map(({ after, upTo }) => `${after.seq + 1} to ${upTo.seq}`)
  return `another computer of the cluster ran the account meanwhile and has the entries ${which.join(', ')}`
}

function agreement({ heads: mine, begin, gaps }: SoundVerdict, heads: Heads | undefined): string {
  if (mine?.last === undefined) return 'no published head needed'
  const signed = heads?.signer === undefined ? '' : `, signed by ${heads.signer}`
  const inGaps = gaps.reduce((sum, gap) => sum + mine.within(gap), 0)
  const older = inGaps + (begin === undefined ? 0 : mine.olderThan(begin.seq))
  const count = mine.count - older
  const { seq, at } = mine.last
  const text = `agrees with ${count} published ${count === 1 ? 'head' : 'heads'} up to entry ${seq} of ${at}${signed}`
  return older === 0 ? text : `${text}; ${older} of entries that are not there were not compared`
}

interface Chosen {
  readonly all: readonly AccountConfig[]
  readonly mine: readonly AccountConfig[]
}

/** Those of the configuration first, then those that a gateway registered: their folders are there. */
function chosenAccounts({ config, accountId }: AuditCommand): Result<Chosen, string> {
  const { accounts, data_dir: dataDir, market } = config
  if (!existsSync(dataDir)) {
    return err(`data_dir ${dataDir} does not exist; there is nothing to verify`)
  }
  const configured = new Set(accounts.map(({ account_id }) => account_id))
  const registered = readdirSync(dataDir)
    .filter((name) => ACCOUNT_ID.test(name) && !RESERVED_ACCOUNT_IDS.has(name.toLowerCase()))
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
  const known = all.map(({ account_id }) => account_id).join(', ') || 'none'
  return err(`--account ${accountId}: not configured and not in ${dataDir}; known: ${known}`)
}

/** Entries read, checked and folded at once. */
const PAGE = 1_000

const NOT_COMPARED = 'not compared: positions.sellable (not restored from the journal)'
const ONLY_ITSELF =
  '未与已公布的链头核对：以上只说明日志自身连贯，能改写数据目录的人也能重算整条链；见 --heads (not compared with published heads: a journal that is only consistent in itself can have been rewritten and recomputed by whoever can write the data folder; see --heads)'

const PROBLEM: Readonly<Record<BrokenChain['problem'], string>> = {
  GAP: 'the entry before it is missing',
  EPOCH_FELL: 'its epoch is lower than that of the entry before it',
  WRONG_PREVIOUS: 'it does not follow the entry before it',
  WRONG_HASH: 'it was changed after it was written',
}

/** Where a journal begins whose first entries are not there. */
interface Begin {
  /** The last entry that is not there. */
  readonly seq: number
  /** Exchange day of the first one that is. */
  readonly day: string
  /** It ought to be there, but this is a backup that was made without segments. */
  readonly isLacking: boolean
}

interface SoundVerdict {
  readonly ok: true
  readonly entries: number
  readonly heads?: AccountHeads | undefined
  /** undefined: it begins with the first entry, and every row follows from it. */
  readonly begin?: Begin | undefined
  readonly gaps: readonly JournalGap[]
  /** Beyond the database. */
  readonly tail?: Tail
}

type Verdict =
  | SoundVerdict
  /** `seq`: the first entry that is wrong; undefined when the journal is whole and a row is not. */
  | { readonly ok: false; readonly entries: number; readonly seq?: number; readonly why: string }

interface Verifying {
  readonly policy: AccountPolicy
  readonly heads: AccountHeads | undefined
  readonly isBackup: boolean
}

/**
 * Checks one account's journal from its first entry, number by number and hash by hash, through segments and
 * database as one chain, then folds it and compares every row of every table; then what only logs hold. Reads
 * beside a running service without holding it up: no snapshot is kept longer than a page takes.
 */
async function verifyAccount(dataDir: string, verifying: Verifying): Promise<Verdict> {
  let reader: AccountReader | undefined
  try {
    reader = openAccountReader(dataDir, verifying.policy.accountId)
    reader.checkSchema()
    const found = await findTail(dataDir, verifying.policy.accountId, reader)
    return new Verification(reader, verifying).verdict(found)
  } catch (error) {
    if (error instanceof ServiceError) return { ok: false, entries: 0, why: error.message }
    throw error
  } finally {
    await reader?.close()
  }
}

/** The first entry that is wrong. */
interface Wrong {
  readonly seq: number
  readonly why: string
}

/** Looks at segments that a running service moves or deletes meanwhile. */
const LOOKS_MAX = 5

class Verification {
  readonly #reader: AccountReader
  readonly #state: AccountState
  readonly #rows = new ExpectedRows()
  readonly #heads: AccountHeads | undefined
  readonly #isBackup: boolean
  #head: JournalHead = EMPTY_JOURNAL
  #epoch = 0
  #pageSize = PAGE
  #begin: Begin | undefined
  /** That were passed. */
  readonly #gaps: JournalGap[] = []
  #unfinished: ReturnType<AccountReader['unfinishedSegment']>

  constructor(reader: AccountReader, { policy, heads, isBackup }: Verifying) {
    this.#reader = reader
    this.#heads = heads
    this.#isBackup = isBackup
    this.#state = emptyState(policy)
  }

  /** Must not be interrupted: the last page, the end and the rows are read from one state. */
  verdict(inLogs: FoundInLogs): Verdict {
    const astray = this.#beginProblem()
    if (astray !== undefined) return { ok: false, entries: 0, why: astray }
    for (;;) {
      const found = this.#lookOn()
      if (found === 'end') break
      if (found !== undefined) return this.#broken(found.seq, found.why)
    }
    const entries = this.#head.seq
    const end = this.#endProblem()
    if (end !== undefined) return this.#broken(end.seq, end.why)
    const why = this.#rowProblem() ?? this.#heads?.problem(entries)
    if (why !== undefined) return { ok: false, entries, why }
    const tail = tailBehind(inLogs, this.#head, this.#epoch)
    return { ok: true, entries, heads: this.#heads, begin: this.#begin, gaps: this.#gaps, tail }
  }

  /** Checks one page, as it is by now. `end`: there is no more; else what is wrong, or undefined. */
  #lookOn(): Wrong | 'end' | undefined {
    this.#reader.refresh()
    const astray = this.#passGap()
    if (astray !== undefined) return astray
    const left = this.#left
    const page = this.#nextPage(left)
    if (typeof page === 'string') return { seq: this.#head.seq + 1, why: page }
    const wrong = this.#check(page)
    if (wrong !== undefined) return wrong
    return page.length < Math.min(this.#pageSize, left) ? 'end' : undefined
  }

  /** Without the first entries, or some later ones, nothing says what the rows were. */
  get #isPart(): boolean {
    return this.#begin !== undefined || this.#gaps.length > 0
  }

  #rowProblem(): string | undefined {
    if (this.#isPart) return undefined
    return this.#rows.difference(this.#state, (table) => this.#reader.rows(table))
  }

  /** Finds where the journal begins, and what is wrong with the segments as files. */
  #beginProblem(): string | undefined {
    const problem = this.#archiveProblem()
    const isLacking = this.#isBackup && problem?.isMissing === true
    if (problem !== undefined && !isLacking) return problem.text
    const { base, kept } = this.#reader.parts()
    if (kept.seq > base.seq) {
      return `it is said to be deleted up to entry ${kept.seq}, and left the database up to entry ${base.seq}`
    }
    if (!isLacking) this.#unfinished = this.#reader.unfinishedSegment()
    const begin = isLacking ? base : kept
    return begin.seq > 0 ? this.#beginAt(begin, isLacking) : undefined
  }

  #archiveProblem(): ReturnType<AccountReader['archiveProblem']> {
    for (let look = 1; ; look++) {
      this.#reader.refresh()
      const { base, kept } = this.#reader.parts()
      const problem = this.#reader.archiveProblem()
      this.#reader.refresh()
      const now = this.#reader.parts()
      const isStill = now.base.seq === base.seq && now.kept.seq === kept.seq
      if (problem === undefined || isStill || look === LOOKS_MAX) return problem
    }
  }

  #beginAt({ seq, hash, epoch }: JournalMark, isLacking: boolean): string | undefined {
    const [first] = this.#reader.journal(seq + 1, 1)
    const day = first === undefined ? '-' : exchangeDay(first.timeMs)
    this.#begin = { seq, day, isLacking }
    this.#head = { seq, hash }
    this.#epoch = epoch
    const why = this.#heads?.contradiction({ seq, hash })
    return why && `entry ${seq}, before the first that is kept: ${why}`
  }

  /** Goes on behind entries that were never here, where the last one is that before them. */
  #passGap(): Wrong | undefined {
    const gap = this.#reader.parts().gaps.find(({ after }) => after.seq === this.#head.seq)
    if (gap === undefined) return undefined
    const { after, upTo } = gap
    if (Buffer.compare(after.hash, this.#head.hash) !== 0) {
      return { seq: after.seq, why: 'it is not the entry that the journal ended with here' }
    }
    this.#gaps.push(gap)
    this.#head = { seq: upTo.seq, hash: upTo.hash }
    this.#epoch = Math.max(this.#epoch, upTo.epoch)
    const why = this.#heads?.contradiction(upTo)
    return why === undefined ? undefined : { seq: upTo.seq, why }
  }

  /** The store keeps number and hash of the last entry apart: what is cut off or put on shows. */
  #endProblem(): Wrong | undefined {
    const { seq, hash } = this.#reader.head()
    const last = this.#head
    const told = this.#heads?.last
    if (seq > last.seq) {
      return { seq: last.seq + 1, why: `it is missing; the journal ended at ${seq}` }
    }
    if (seq < last.seq) return { seq: seq + 1, why: `it was added; the journal ended at ${seq}` }
    if (Buffer.compare(hash, last.hash) !== 0) {
      return { seq, why: 'it is not the entry that the journal ended with' }
    }
    const beyond = this.#unfinished
    if (beyond !== undefined && beyond.end.seq > last.seq) {
      const why = `segment ${beyond.name} goes up to entry ${beyond.end.seq}, the journal ends at ${last.seq}`
      return { seq: last.seq + 1, why }
    }
    if (told === undefined || told.seq <= last.seq) return undefined
    const why = `it is missing; the head of entry ${told.seq} was published at ${told.at}`
    return { seq: last.seq + 1, why }
  }

  #broken(seq: number, why: string): Verdict {
    return { ok: false, entries: this.#head.seq, seq, why }
  }

  /** Entries in front of those that were never here. */
  get #left(): number {
    const gap = nextGap(this.#head.seq, this.#reader.parts().gaps)
    return (gap?.after.seq ?? Number.POSITIVE_INFINITY) - this.#head.seq
  }

  /** A page with a damaged entry is read one by one, so that the first wrong entry is named. */
  #nextPage(left: number): readonly StoredEntry[] | string {
    try {
      return this.#reader.journal(this.#head.seq + 1, Math.min(this.#pageSize, left))
    } catch (error) {
      if (this.#pageSize === 1) return error instanceof Error ? error.message : String(error)
      this.#pageSize = 1
      return this.#nextPage(left)
    }
  }

  #check(page: readonly StoredEntry[]): Wrong | undefined {
    const chain = verifyChain(page, this.#head, this.#epoch)
    const sound = chain.ok
      ? page
      : page.slice(
          0,
          page.findIndex((e) => e.seq === chain.error.seq),
        )
    for (const entry of sound) {
      const why =
        this.#heads?.contradiction(entry) ?? this.#segmentProblem(entry) ?? this.#fold(entry)
      if (why !== undefined) return { seq: entry.seq, why }
      this.#head = { seq: entry.seq, hash: entry.hash }
      this.#epoch = entry.epoch
    }
    return chain.ok ? undefined : { seq: chain.error.seq, why: PROBLEM[chain.error.problem] }
  }

  /** A segment that was written while the database still has its entries must say the same. */
  #segmentProblem({ seq, hash }: StoredEntry): string | undefined {
    const segment = this.#unfinished
    if (segment?.end.seq !== seq || Buffer.compare(segment.end.hash, hash) === 0) return undefined
    return `segment ${segment.name} has another one`
  }

  /** Why it cannot be folded, or undefined. */
  #fold({ seq, timeMs, kind, body }: StoredEntry): string | undefined {
    if (this.#isPart) return undefined // nothing is known of what was before
    try {
      const event = { ...decode<object>(body), kind } as AccountEvent
      this.#rows.touch(apply(this.#state, { seq, timeMs, event }))
      return undefined
    } catch (error) {
      return `${kind} cannot be folded: ${error instanceof Error ? error.message : error}`
    }
  }
}
