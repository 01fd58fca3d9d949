import { existsSync, readdirSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { rowOf } from '../../actors/account/rows.ts'
import { apply } from '../account/fold/apply.ts'
import type { DirtyRow } from '../account/model/dirty-row.ts'
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
import { decode, encode } from '../protocol/codec.ts'
import { type Key, type StoredEntry, TABLE, type TableName } from '../protocol/store.ts'
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
import { accountPolicy } from './policy.ts'

export interface AuditCommand {
  readonly config: Config
  /** Only this account; absent: every account with a database or in the configuration. */
  readonly accountId?: string
  /** Takes each finished line. */
  readonly write: (line: string) => void
}

/**
 * `steward audit verify`: one line an account. True when every journal is whole and every row agrees.
 *
 * Errors  one line for the operator: nothing of that name is there to verify.
 */
export async function verifyAudit(command: AuditCommand): Promise<Result<boolean, string>> {
  const chosen = chosenAccounts(command)
  if (!chosen.ok) return chosen
  const { config, write } = command
  let isSound = true
  for (const account of chosen.value) {
    const name = `account ${maskAccount(account.account_id)}`
    if (!hasAccountDatabase(config.data_dir, account.account_id)) {
      write(`${name}: no database yet`)
      continue
    }
    const policy = accountPolicy(config, account, 0)
    const verdict = await verifyAccount(config.data_dir, policy)
    isSound &&= verdict.ok
    write(`${name}: ${inWords(verdict)}`)
  }
  write(NOT_COMPARED)
  return ok(isSound)
}

function inWords(verdict: Verdict): string {
  const { entries } = verdict
  if (verdict.ok) return `${entries} entries, chain ok, tables agree`
  if (verdict.seq !== undefined) return `broken at entry ${verdict.seq}: ${verdict.why}`
  return entries === 0 ? verdict.why : `${entries} entries, chain ok, but ${verdict.why}`
}

/** Those of the configuration first, then those that a gateway registered: their folders are there. */
function chosenAccounts({
  config,
  accountId,
}: AuditCommand): Result<readonly AccountConfig[], string> {
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
  if (accountId === undefined) return ok(all)
  const mine = all.filter(({ account_id }) => account_id === accountId)
  if (mine.length > 0) return ok(mine)
  const known = all.map(({ account_id }) => account_id).join(', ') || 'none'
  return err(`--account ${accountId}: not configured and not in ${dataDir}; known: ${known}`)
}

/** Entries read, checked and folded at once. */
const PAGE = 1_000

/**
 * Fields that the journal does not give again, by table. What may be sold is what the broker
 * said last, and is forgotten at every start.
 */
const NOT_FOLDED: Partial<Record<TableName, readonly string[]>> = { positions: ['sellable'] }
const NOT_COMPARED = 'not compared: positions.sellable (not restored from the journal)'

const PROBLEM: Readonly<Record<BrokenChain['problem'], string>> = {
  GAP: 'the entry before it is missing',
  EPOCH_FELL: 'its epoch is lower than that of the entry before it',
  WRONG_PREVIOUS: 'it does not follow the entry before it',
  WRONG_HASH: 'it was changed after it was written',
}

type Verdict =
  | { readonly ok: true; readonly entries: number }
  /** `seq`: the first entry that is wrong; undefined when the journal is whole and a row is not. */
  | { readonly ok: false; readonly entries: number; readonly seq?: number; readonly why: string }

/**
 * Checks one account's journal from its first entry, number by number and hash by hash, then folds
 * it and compares every row of every table. Reads beside a running service without holding it up:
 * no snapshot is kept longer than a page takes.
 */
async function verifyAccount(dataDir: string, policy: AccountPolicy): Promise<Verdict> {
  let reader: AccountReader | undefined
  try {
    reader = openAccountReader(dataDir, policy.accountId)
    reader.checkSchema()
    return new Verification(reader, policy).verdict()
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
  #head: JournalHead = EMPTY_JOURNAL
  #epoch = 0
  #pageSize = PAGE

  constructor(reader: AccountReader, policy: AccountPolicy) {
    this.#reader = reader
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
    const why = this.#rows.difference(this.#state, (table) => this.#reader.rows(table))
    return why === undefined ? { ok: true, entries } : { ok: false, entries, why }
  }

  /** The store keeps number and hash of the last entry apart: what is cut off or put on shows. */
  #endProblem(): { readonly seq: number; readonly why: string } | undefined {
    const { seq, hash } = this.#reader.head()
    const last = this.#head
    if (seq > last.seq) {
      return { seq: last.seq + 1, why: `it is missing; the journal ended at ${seq}` }
    }
    if (seq < last.seq) return { seq: seq + 1, why: `it was added; the journal ended at ${seq}` }
    const isSame = Buffer.compare(hash, last.hash) === 0
    return isSame ? undefined : { seq, why: 'it is not the entry that the journal ended with' }
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
      const why = this.#fold(entry)
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

/** The rows that the journal explains. */
class ExpectedRows {
  readonly #dirtyRows = new Map<TableName, Map<Key, DirtyRow>>()

  touch(dirtyRows: readonly DirtyRow[]): void {
    for (const row of dirtyRows) {
      const rows = this.#dirtyRows.get(row.table) ?? new Map<Key, DirtyRow>()
      this.#dirtyRows.set(row.table, rows.set(row.key, row))
    }
  }

  /** The first row that is not as the journal tells it, in words. */
  difference(
    state: AccountState,
    stored: (table: TableName) => readonly { readonly key: Key; readonly value: Uint8Array }[],
  ): string | undefined {
    for (const table of Object.values(TABLE)) {
      if (table === TABLE.journal) continue
      const expected = this.#expected(state, table)
      for (const { key, value } of stored(table)) {
        const problem = compare(table, expected.get(key), decode(value))
        if (problem !== undefined) return `${table} ${key}: ${problem}`
        expected.delete(key)
      }
      const [missing] = expected.keys()
      if (missing !== undefined) return `${table} ${missing}: the row is missing`
    }
    return undefined
  }

  #expected(state: AccountState, table: TableName): Map<Key, unknown> {
    const rows = new Map<Key, unknown>()
    for (const [key, dirtyRows] of this.#dirtyRows.get(table) ?? []) {
      const row = rowOf(state, dirtyRows)
      if (row !== undefined && row !== null) rows.set(key, decode(encode(row)))
    }
    return rows
  }
}

function compare(table: TableName, expected: unknown, stored: unknown): string | undefined {
  if (expected === undefined) return 'no entry of the journal explains this row'
  if (!isObject(expected) || !isObject(stored)) {
    return isDeepStrictEqual(expected, stored) ? undefined : unlike('value', stored, expected)
  }
  const skipped = NOT_FOLDED[table] ?? []
  for (const name of new Set([...Object.keys(expected), ...Object.keys(stored)])) {
    if (skipped.includes(name) || isDeepStrictEqual(expected[name], stored[name])) continue
    return unlike(name, stored[name], expected[name])
  }
  return undefined
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null

const unlike = (name: string, stored: unknown, expected: unknown): string =>
  `${name} is ${JSON.stringify(stored)}, the journal says ${JSON.stringify(expected)}`
