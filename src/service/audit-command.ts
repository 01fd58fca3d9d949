import { existsSync, readdirSync } from 'node:fs'
import { apply } from '../account/fold/apply.ts'
import type { AccountEvent } from '../account/model/events.ts'
import type { AccountPolicy } from '../account/model/policy.ts'
import { type AccountState, emptyState } from '../account/model/state.ts'
import { accountSchema } from '../config/account.ts'
import { defaultDriver } from '../config/drivers.ts'
import type { AccountConfig, Config } from '../config/schema.ts'
import { ServiceError } from '../domain/errors.ts'
import { ACCOUNT_ID, RESERVED_ACCOUNT_IDS } from '../domain/ids.ts'
import { maskAccount } from '../domain/mask.ts'
import { err, ok, type Result } from '../domain/result.ts'
import { decode } from '../protocol/codec.ts'
import type { StoredEntry } from '../protocol/store.ts'
import {
  type AccountReader,
  hasAccountDatabase,
  openAccountReader,
} from '../storage/account-reader.ts'
import {
  type BrokenChain,
  EMPTY_JOURNAL,
  type JournalHead,
  verifyChain,
} from '../storage/journal-chain.ts'
import type { PublishedHead } from '../storage/published-head.ts'
import { type AccountHeads, type Heads, openHeads } from './audit-heads.ts'
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
  /** Takes each finished line. */
  readonly write: (line: string) => void
}

/**
 * `steward audit verify`: one line an account, then what all this proves. True when every journal is
 * consistent in itself, every row agrees, and, where heads are given, every journal agrees with those of
 * its account, of which there is one at least.
 *
 * Errors  one line for the operator: nothing of that name is there to verify, or to verify with.
 */
export async function verifyAudit(command: AuditCommand): Promise<Result<boolean, string>> {
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
  const tell = (accountId: string, verdict: Verdict | undefined) => {
    const words = verdict === undefined ? 'no database yet' : inWords(verdict, heads)
    write(`account ${maskAccount(accountId)}: ${words}`)
    isSound &&= verdict?.ok ?? true
  }
  for (const account of mine) {
    tell(account.account_id, await verdictOn(config, account, heads?.of(account.account_id)))
  }
  if (command.accountId === undefined) {
    for (const last of heads?.strangers ?? []) tell(last.account, lost(last))
  }
  write(NOT_COMPARED)
  for (const line of heads?.caveats ?? [ONLY_ITSELF]) write(line)
  return ok(isSound)
}

/** undefined: there is nothing yet, and nobody was told of anything. */
async function verdictOn(
  config: Config,
  account: AccountConfig,
  heads: AccountHeads | undefined,
): Promise<Verdict | undefined> {
  if (hasAccountDatabase(config.data_dir, account.account_id)) {
    return verifyAccount(config.data_dir, accountPolicy(config, account, 0), heads)
  }
  return heads?.last && lost(heads.last)
}

const lost = ({ seq, at }: PublishedHead): Verdict => ({
  ok: false,
  entries: 0,
  why: `there is no database, but the head of entry ${seq} was published at ${at}`,
})

function inWords(verdict: Verdict, heads: Heads | undefined): string {
  const { entries } = verdict
  if (verdict.ok) {
    const found = verdict.heads === undefined ? '' : `; ${agreement(verdict.heads, heads)}`
    return `${entries} entries, chain ok, tables agree${found}`
  }
  if (verdict.seq !== undefined) return `broken at entry ${verdict.seq}: ${verdict.why}`
  return entries === 0 ? verdict.why : `${entries} entries, chain ok, but ${verdict.why}`
}

function agreement({ count, last }: AccountHeads, heads: Heads | undefined): string {
  if (last === undefined) return 'no published head needed'
  const signed = heads?.signer === undefined ? '' : `, signed by ${heads.signer}`
  const plural = count === 1 ? 'head' : 'heads'
  return `agrees with ${count} published ${plural} up to entry ${last.seq} of ${last.at}${signed}`
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
    .filter((name) => !configured.has(name) && hasAccountDatabase(dataDir, name))
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

type Verdict =
  | { readonly ok: true; readonly entries: number; readonly heads?: AccountHeads | undefined }
  /** `seq`: the first entry that is wrong; undefined when the journal is whole and a row is not. */
  | { readonly ok: false; readonly entries: number; readonly seq?: number; readonly why: string }

/**
 * Checks one account's journal from its first entry, number by number and hash by hash, then folds
 * it and compares every row of every table. Reads beside a running service without holding it up:
 * no snapshot is kept longer than a page takes.
 */
async function verifyAccount(
  dataDir: string,
  policy: AccountPolicy,
  heads: AccountHeads | undefined,
): Promise<Verdict> {
  let reader: AccountReader | undefined
  try {
    reader = openAccountReader(dataDir, policy.accountId)
    reader.checkSchema()
    return new Verification(reader, policy, heads).verdict()
  } catch (error) {
    if (error instanceof ServiceError) return { ok: false, entries: 0, why: error.message }
    throw error
  } finally {
    await reader?.close()
  }
}

class Verification {
  readonly #reader: AccountReader
  readonly #state: AccountState
  readonly #rows = new ExpectedRows()
  readonly #heads: AccountHeads | undefined
  #head: JournalHead = EMPTY_JOURNAL
  #epoch = 0
  #pageSize = PAGE

  constructor(reader: AccountReader, policy: AccountPolicy, heads: AccountHeads | undefined) {
    this.#reader = reader
    this.#heads = heads
    this.#state = emptyState(policy)
  }

  /** Must not be interrupted: the last page, the end and the rows are read from one state. */
  verdict(): Verdict {
    for (;;) {
      this.#reader.refresh()
      const page = this.#nextPage()
      if (typeof page === 'string') return this.#broken(this.#head.seq + 1, page)
      const wrong = this.#check(page)
      if (wrong !== undefined) return this.#broken(wrong.seq, wrong.why)
      if (page.length < this.#pageSize) break
    }
    const entries = this.#head.seq
    const end = this.#endProblem()
    if (end !== undefined) return this.#broken(end.seq, end.why)
    const why =
      this.#rows.difference(this.#state, (table) => this.#reader.rows(table)) ??
      this.#heads?.problem(entries)
    return why === undefined
      ? { ok: true, entries, heads: this.#heads }
      : { ok: false, entries, why }
  }

  /** The store keeps number and hash of the last entry apart: what is cut off or put on shows. */
  #endProblem(): { readonly seq: number; readonly why: string } | undefined {
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
    if (told === undefined || told.seq <= last.seq) return undefined
    const why = `it is missing; the head of entry ${told.seq} was published at ${told.at}`
    return { seq: last.seq + 1, why }
  }

  #broken(seq: number, why: string): Verdict {
    return { ok: false, entries: this.#head.seq, seq, why }
  }

  /** A page with a damaged entry is read one by one, so that the first wrong entry is named. */
  #nextPage(): readonly StoredEntry[] | string {
    try {
      return this.#reader.journal(this.#head.seq + 1, this.#pageSize)
    } catch (error) {
      if (this.#pageSize === 1) return error instanceof Error ? error.message : String(error)
      this.#pageSize = 1
      return this.#nextPage()
    }
  }

  #check(page: readonly StoredEntry[]): { readonly seq: number; readonly why: string } | undefined {
    const chain = verifyChain(page, this.#head, this.#epoch)
    const sound = chain.ok
      ? page
      : page.slice(
          0,
          page.findIndex((e) => e.seq === chain.error.seq),
        )
    for (const entry of sound) {
      const why = this.#heads?.contradiction(entry) ?? this.#fold(entry)
      if (why !== undefined) return { seq: entry.seq, why }
      this.#head = { seq: entry.seq, hash: entry.hash }
      this.#epoch = entry.epoch
    }
    return chain.ok ? undefined : { seq: chain.error.seq, why: PROBLEM[chain.error.problem] }
  }

  /** Why it cannot be folded, or undefined. */
  #fold({ seq, timeMs, kind, body }: StoredEntry): string | undefined {
    try {
      const event = { ...decode<object>(body), kind } as AccountEvent
      this.#rows.touch(apply(this.#state, { seq, timeMs, event }))
      return undefined
    } catch (error) {
      return `${kind} cannot be folded: ${error instanceof Error ? error.message : error}`
    }
  }
}
